"""The faces of the shipped throw, hands of five, contacts and settle time."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dicesim.ensembles import root_seed
from dicesim.fairness import wild_counts
from dicesim.parameters import Setup
from dicesim.powers import detectable_bias
from dicesim.releases import Shaken
from dicesim.simulator import count, throw
from dicesim.stats import (
    Sums,
    binomial_probabilities,
    chi_square,
    mean_interval,
    proportion_intervals,
)
from experiments.experiment import Claim, Experiment, digest

FALSE_ALARM = 1e-3  # chance that a uniform die fails a claim of uniformity


@dataclass(frozen=True)
class Throws:
    """How many throws of what."""

    throws: int
    release: Shaken = field(default_factory=Shaken)
    setup: Setup = field(default_factory=Setup)


def chi_row(counts: Any, probabilities: Any = None) -> dict[str, Any]:
    """Counts with their chi-square test, as plain values."""
    test = chi_square(counts, probabilities)
    return {
        "counts": np.asarray(counts).tolist(),
        "statistic": test.statistic,
        "degrees_of_freedom": test.degrees_of_freedom,
        "p_value": test.p_value,
        "effect_size": test.effect_size,
    }


def chi_text(rows: Any) -> str:
    """The test of a row in a few words."""
    return (
        f"chi-square {rows['statistic']:.2f} on {rows['degrees_of_freedom']} d.f., "
        f"{'p = ' + format(rows['p_value'], '.2g') if rows['p_value'] else 'p < 1e-300'}, w = {rows['effect_size']:.2g}"
    )


def measure_faces(p: Throws, rng: np.random.Generator) -> dict[str, Any]:
    """Count the faces."""
    tally = count(p.throws, p.release, p.setup, rng=rng)
    return {
        **chi_row(tally.counts),
        "intervals": proportion_intervals(tally.counts).tolist(),
        "detectable_bias": detectable_bias(p.throws),
        "outcome_hash": tally.digest,
    }


def widest(rows: Any) -> float:
    """Largest distance of an end of an interval from 1/6."""
    return float(np.abs(np.array(rows["intervals"]) - 1 / 6).max())


def draw_faces(rows: Any, ax: Any) -> Any:
    """Shares of the faces with their intervals."""
    from dicesim.plots import face_counts

    return face_counts(rows["counts"], ax=ax)


FAIRNESS = Experiment(
    name="fairness",
    question="Does the shipped throw land each face equally often?",
    claims=(
        Claim(
            "The faces are uniform, as far as two million throws can see",
            "the source",
            lambda rows: rows["p_value"] > FALSE_ALARM,
            published="uniform",
            ours=chi_text,
            verdict="reproduced",
        ),
        Claim(
            "Every face is within a fifth of a percent point of 1/6, at 95 % simultaneous confidence",
            "this project",
            lambda rows: widest(rows) < 0.002,
        ),
    ),
    full=Throws(2_000_000),
    smoke=Throws(2_000),
    seed=1,
    measure=measure_faces,
    figure=draw_faces,
)


def measure_hands(p: Throws, rng: np.random.Generator) -> dict[str, Any]:
    """Deal throws into hands of five and count the dice that help a six."""
    outcomes = throw(p.throws, p.release, p.setup, rng=rng)
    outcomes.counts()  # refuses unsettled throws
    counts = wild_counts(outcomes.face, rank=6)
    return {**chi_row(counts, binomial_probabilities(5, 1 / 3)), "outcome_hash": digest(outcomes.face)}


HANDS = Experiment(
    name="hands",
    question="Do hands of five thrown dice follow Binomial(5, 1/3) for a rank that aces boost?",
    claims=(
        Claim(
            "40,000 hands of five follow Binomial(5, 1/3)",
            "the source",
            lambda rows: rows["p_value"] > FALSE_ALARM,
            published="chi-square 5.36 on 5 d.f.",
            ours=chi_text,
            verdict="reproduced",
        ),
    ),
    full=Throws(200_000),
    smoke=Throws(10_000),
    seed=2,
    measure=measure_hands,
)


def measure_settling(p: Throws, rng: np.random.Generator) -> dict[str, Any]:
    """Throw to rest; average contacts and settle time."""
    tally = count(p.throws, p.release, p.setup, rng=root_seed(rng), until="rest")
    assert tally.contacts is not None
    assert tally.settle_time is not None
    stopped = count(p.throws, p.release, p.setup, rng=tally.seed)
    return {
        "same_faces": stopped.digest == tally.digest,
        "contacts": _mean(tally.contacts),
        "settle_time": _mean(tally.settle_time),
        "outcome_hash": tally.digest,
    }


def _mean(sums: Sums) -> dict[str, float]:
    low, high = mean_interval(sums)
    return {"mean": sums.mean, "low": low, "high": high}


def mean_text(key: str, unit: str, digits: int) -> Any:
    """A function that puts a mean and its interval in words."""

    def text(rows: Any) -> str:
        row = rows[key]
        mean, low, high = (f"{row[part]:.{digits}f}" for part in ("mean", "low", "high"))
        return f"{mean} [{low}, {high}]{unit}"

    return text


SETTLING = Experiment(
    name="settling",
    question="How many contacts does the shipped throw make, and how soon does it rest?",
    claims=(
        Claim(
            "A throw makes about 11.4 contacts (the micro-bounce speed is calibrated to this figure)",
            "the source",
            lambda rows: abs(rows["contacts"]["mean"] - 11.4) < 0.1,
            published="11.4 contacts",
            ours=mean_text("contacts", "", 3),
            verdict="reproduced",
        ),
        Claim(
            "A throw rests after about 0.57 s (the height of release is calibrated to this figure)",
            "the source",
            lambda rows: abs(rows["settle_time"]["mean"] - 0.57) < 0.005,
            published="0.57 s",
            ours=mean_text("settle_time", " s", 4),
            verdict="reproduced",
        ),
        Claim(
            "Stopping when the face is certain gives the face of the die at rest, in every throw",
            "this project",
            lambda rows: rows["same_faces"],
        ),
    ),
    full=Throws(2_000_000),
    smoke=Throws(1_000),
    seed=1,
    measure=measure_settling,
)

EXPERIMENTS = (FAIRNESS, HANDS, SETTLING)
