"""Labels drawn anew: what they guarantee, by counting, and where the guarantee bites, by throwing."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dicesim.fairness import labelled
from dicesim.parameters import Setup
from dicesim.releases import Release, Shaken, SteadyHand
from dicesim.simulator import throw
from dicesim.solids import labellings, pips
from experiments.experiment import Claim, Experiment, digest
from experiments.fairness import FALSE_ALARM, chi_row, chi_text


@dataclass(frozen=True)
class Rotations:
    """Which rotations the labelling is drawn from: all, and a few for the control."""

    all: tuple[int, ...] = tuple(range(24))
    few: tuple[int, ...] = (0, 1, 2, 3)


def carried(rotations: tuple[int, ...]) -> list[list[int]]:
    """How many of some rotations put each pip value on each face."""
    chosen = labellings()[list(rotations)]
    return [[int((chosen[:, face] == value).sum()) for value in range(1, 7)] for face in range(6)]


def count_labellings(p: Rotations, rng: np.random.Generator) -> dict[str, Any]:
    """Count; nothing is thrown and nothing drawn."""
    return {"all": carried(p.all), "few": carried(p.few), "outcome_hash": digest(labellings())}


LABELLINGS = Experiment(
    name="labellings",
    question="How many of the 24 labellings put each pip value on each face?",
    claims=(
        Claim(
            "Each face carries each pip value in exactly 4 of the 24 labellings: one drawn evenly makes any throw fair",
            "the source",
            lambda rows: all(count == 4 for row in rows["all"] for count in row),
            published="4 of 24 on all six faces",
            ours=lambda rows: f"{rows['all'][0][0]} of 24 on all six faces, for all six pip values",
            verdict="reproduced",
        ),
        Claim(
            "Four rotations alone do not: they leave some pip values off every face",
            "this project",
            lambda rows: all(0 in row for row in rows["few"]),
        ),
    ),
    full=Rotations(),
    smoke=Rotations(),
    seed=22,
    measure=count_labellings,
)


@dataclass(frozen=True)
class Labelled:
    """Throws whose pips are read under a labelling drawn for each, from all rotations, one, or few."""

    throws: int
    rotations: Rotations = field(default_factory=Rotations)
    hand: SteadyHand = field(default_factory=lambda: SteadyHand(wobble=1e-6))
    shaken: Shaken = field(default_factory=Shaken)
    setup: Setup = field(default_factory=Setup)


def read(p: Labelled, release: Release, seed: int) -> dict[str, Any]:
    """Faces of a release, and its pips under the three ways to label."""
    faces = throw(p.throws, release, p.setup, rng=seed).face

    def pip_row(rotations: tuple[int, ...]) -> dict[str, Any]:
        values = pips(faces, labelled(p.throws, rotations, rng=seed + 1))
        return chi_row(np.bincount(values, minlength=7)[1:])

    return {
        "faces": chi_row(np.bincount(faces, minlength=6)),
        "drawn": pip_row(p.rotations.all),
        "fixed": pip_row((0,)),
        "few": pip_row(p.rotations.few),
        "outcome_hash": digest(faces),
    }


def measure(p: Labelled, rng: np.random.Generator) -> dict[str, Any]:
    """Throw with a steady hand, and as shipped."""
    seed = int(rng.integers(2**32))
    steady, shaken = read(p, p.hand, seed), read(p, p.shaken, seed)
    hashes = steady.pop("outcome_hash"), shaken.pop("outcome_hash")
    return {
        "steady": steady,
        "shaken": shaken,
        "outcome_hash": digest(np.frombuffer("".join(hashes).encode(), np.int8)),
    }


def statistic(release: str, way: str) -> Any:
    """A function that says what chi-square came out."""

    def text(rows: Any) -> str:
        return chi_text(rows[release][way])

    return text


LABELLED = Experiment(
    name="labelled",
    question="Where does a labelling drawn for each throw make a difference?",
    claims=(
        Claim(
            "A steady hand throws one face every time",
            "the source",
            lambda rows: rows["steady"]["faces"]["statistic"] == 5 * sum(rows["steady"]["faces"]["counts"]),
            published="geometric chi-square 60,000 of 12,000 rolls",
            ours=statistic("steady", "faces"),
            verdict="reproduced",
        ),
        Claim(
            "Its pips are uniform once the labelling is drawn from all 24",
            "the source",
            lambda rows: rows["steady"]["drawn"]["p_value"] > FALSE_ALARM,
            published="chi-square 3.74",
            ours=statistic("steady", "drawn"),
            verdict="reproduced",
        ),
        Claim(
            "Without the draw they are one value every time",
            "the source",
            lambda rows: rows["steady"]["fixed"]["statistic"] == 5 * sum(rows["steady"]["fixed"]["counts"]),
            published="chi-square 60,000",
            ours=statistic("steady", "fixed"),
            verdict="reproduced",
        ),
        Claim(
            "Drawn from 4 of the 24 that leave it two values, it shows these about evenly: 2 n is expected",
            "the source",
            lambda rows: abs(rows["steady"]["few"]["statistic"] / 24_000 - 1) < 0.002,
            published="chi-square 24,000",
            ours=statistic("steady", "few"),
            verdict="reproduced",
        ),
        Claim(
            "Under the shipped throw even the broken labelling, and none, give uniform pips: there it is inert",
            "the source",
            lambda rows: all(rows["shaken"][way]["p_value"] > FALSE_ALARM for way in ("drawn", "fixed", "few")),
            published="a broken labelling changes nothing",
            ours=statistic("shaken", "few"),
            verdict="reproduced",
        ),
    ),
    full=Labelled(12_000),
    smoke=Labelled(600),
    seed=23,
    measure=measure,
)

EXPERIMENTS = (LABELLINGS, LABELLED)
