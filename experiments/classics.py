"""Classical data on real dice: the published statistics computed again, and what the fairness test says of them."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dicesim.classics import LABBY, LABBY_SHARES, WELDON, WOLF_RED, WOLF_WHITE, Classic
from dicesim.powers import rolls_needed
from dicesim.stats import binomial_probabilities
from dicesim.verdicts import fairness_test
from experiments.experiment import Claim, Experiment, digest
from experiments.fairness import chi_row
from experiments.rows import estimated_share

DICE = 12  # in each of Weldon's throws
ROLLS = 315_672  # Weldon's, and Labby's
DICE_DATA = {"wolf_white": WOLF_WHITE, "wolf_red": WOLF_RED, "labby": LABBY}
NAMED_FACE = (1 / 6, 0.1688)  # the share of a six, fair and as Labby found it
APART = round(NAMED_FACE[1] - NAMED_FACE[0], 4)  # 16.88 less 16.67 %, as these are published


@dataclass(frozen=True)
class Question:
    """What is asked of the data."""

    margin: float = 0.1 / 6
    confidence: float = 0.95


def die_row(data: Classic, p: Question) -> dict[str, Any]:
    """Counts of one kind of dice with their test, intervals and verdict."""
    test = fairness_test(data.counts, margin=p.margin, confidence=p.confidence)
    return {
        **chi_row(data.counts),
        "intervals": [list(interval) for interval in test.intervals],
        "reach": test.reach,
        "beyond": list(test.beyond),
        "verdict": test.verdict,
    }


def weldon_row(p: Question) -> dict[str, Any]:
    """Weldon's throws against Binomial(12, 1/3), 10 and more in one cell, and the share of fives and sixes.

    Of the throws in the last cell it is not known how many showed 11 or 12, so that the share is a lower bound,
    too low by 10⁻⁴ if all 18 showed 12.
    """
    fair = binomial_probabilities(DICE, 1 / 3)
    fives_and_sixes = int(np.dot(np.arange(len(WELDON.counts)), WELDON.counts))
    share = estimated_share(fives_and_sixes, DICE * WELDON.n, p.confidence)
    return {
        **chi_row(WELDON.counts, [*fair[:10], fair[10:].sum()]),
        "share": share,
        "most": share["value"] + 2 * WELDON.counts[-1] / (DICE * WELDON.n),
    }


def rounded_row() -> dict[str, float]:
    """Labby's chi-square from the published shares, and how far their rounding may have moved it at most."""
    off = np.array(LABBY_SHARES) - 1 / 6
    scale, half = ROLLS * len(off), 5e-5  # half a unit of the last place
    low, high = (scale * float((np.maximum(np.abs(off) + sign * half, 0.0) ** 2).sum()) for sign in (-1, 1))
    return {"statistic": scale * float((off**2).sum()), "low": low, "high": high}


def rolls_for_one_face(power: float = 0.9, alpha: float = 0.05) -> float:
    """How many rolls show that one face, named beforehand, comes up more often: a one-sided test of its share."""
    from scipy.special import ndtri

    fair, found = (share * (1 - share) for share in NAMED_FACE)
    return float((ndtri(1 - alpha) * fair**0.5 + ndtri(power) * found**0.5) ** 2 / APART**2)


def measure_classics(p: Question, rng: np.random.Generator) -> dict[str, Any]:
    """Compute what was published."""
    counts = [count for data in (*DICE_DATA.values(), WELDON) for count in data.counts]
    return {
        "weldon": weldon_row(p),
        **{name: die_row(data, p) for name, data in DICE_DATA.items()},
        "labby_rounded": rounded_row(),
        "rolls_for_one_face": rolls_for_one_face(),
        "rolls_for_any_face": rolls_needed(APART),
        "margin": p.margin,
        "confidence": p.confidence,
        "outcome_hash": digest(np.array(counts)),
    }


def share_text(rows: Any) -> str:
    """Weldon's share of fives and sixes with its interval."""
    row = rows["weldon"]["share"]
    return f"{row['value']:.4f} [{row['low']:.4f}, {row['high']:.4f}]"


def rounded_text(rows: Any) -> str:
    """Labby's chi-square, and the range that the rounding leaves."""
    row = rows["labby_rounded"]
    return f"{row['statistic']:.1f} from rounded shares, which leave {row['low']:.1f} to {row['high']:.1f}"


def chi_is(rows: Any, name: str, statistic: float, degrees_of_freedom: int) -> bool:
    """Whether a chi-square, to two places, is what it is said to be."""
    return (round(rows[name]["statistic"], 2), rows[name]["degrees_of_freedom"]) == (statistic, degrees_of_freedom)


def draw_classics(rows: Any, ax: Any) -> Any:
    """Faces of three kinds of dice on one scale, with the margin."""
    from dicesim._drawing import GREEN, panels
    from dicesim.plots import fairness_verdict

    asked = {"margin": rows["margin"], "confidence": rows["confidence"]}
    parts = panels(ax, 1, len(DICE_DATA))
    for part, (name, data) in zip(parts, DICE_DATA.items(), strict=True):
        test = fairness_test(rows[name]["counts"], **asked)
        fairness_verdict(test, part, title=data.name)
        part.texts[0].set_text(f"{test.n:,} rolls, p = {test.p_value:.2g}: {test.verdict}")
        part.set_ylim(0.13, 0.21)
    for part in parts[1:]:
        part.set_ylabel("")
    place = (5.3, 1 / 6 + rows["margin"])
    margin = f"margin: 1/6 ± {100 * rows['margin']:.3g} points"
    parts[-1].annotate(margin, place, (0, -12), textcoords="offset points", ha="right", fontsize=8, color=GREEN)
    return ax


CLASSICS = Experiment(
    name="classics",
    question="Do the statistics here find in classical dice data what was found in them?",
    claims=(
        Claim(
            "A five or a six came up with 0.3377 in Weldon's throws, and not with 1/3",
            "Pearson 1900, of Weldon's throws",
            lambda rows: (
                round(rows["weldon"]["share"]["value"], 4) == 0.3377 and rows["weldon"]["share"]["low"] > 1 / 3
            ),
            published="0.3377",
            ours=share_text,
            verdict="reproduced",
        ),
        Claim(
            "Against Binomial(12, 1/3) Weldon's throws, 10 and more in one cell, have chi-square 35.49 on 10 d.f.",
            "this project, of Weldon's throws",
            lambda rows: chi_is(rows, "weldon", 35.49, 10),
        ),
        Claim(
            "Wolf's white die has chi-square 270.96 on 5 d.f., his red one 94.19",
            "this project, of Wolf's counts",
            lambda rows: chi_is(rows, "wolf_white", 270.96, 5) and chi_is(rows, "wolf_red", 94.19, 5),
        ),
        Claim(
            "Labby's dice have chi-square 25.0, as far as shares rounded to four places can say",
            "Labby 2009",
            lambda rows: rows["labby_rounded"]["low"] < 25.0 < rows["labby_rounded"]["high"],
            published="chi-square 25.0, p = 1.4e-4",
            ours=rounded_text,
            verdict="reproduced",
        ),
        Claim(
            "To see Labby's share of sixes among all faces takes about twice as many rolls as published",
            "Labby 2009",
            lambda rows: (
                abs(rows["rolls_for_one_face"] - 270_939) < 50
                and 1.5 < rows["rolls_for_any_face"] / rows["rolls_for_one_face"] < 2.5
            ),
            published="270,939 rolls",
            ours=lambda rows: f"{rows['rolls_for_any_face']:,} rolls",
            verdict="not comparable",
            why="the published number fits a one-sided test of one face that is named beforehand, at 5 % and 90 % "
            "power; ours looks at all six",
        ),
        Claim(
            "Labby's dice show a bias, p < 0.001, and yet are within a tenth of 1/6; Wolf's white die is off by more; "
            "of his red one it cannot be told",
            "this project",
            lambda rows: (
                rows["labby"]["p_value"] < 1e-3
                and rows["labby"]["verdict"] == "equivalent within the margin"
                and rows["wolf_white"]["verdict"] == "biased by more than the margin"
                and rows["wolf_red"]["verdict"] == "cannot tell"
            ),
        ),
    ),
    full=Question(),
    smoke=Question(),
    seed=1,
    measure=measure_classics,
    figure=draw_classics,
    figure_size=(12.0, 4.4),
)

EXPERIMENTS = (CLASSICS,)
