"""Verdicts on the counts of a real die: what is said, and how often it is wrong."""

import math
import re
from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from matplotlib.colors import to_rgb
from numpy.testing import assert_allclose, assert_array_equal

import dicesim
from dicesim import fairness_test, plots
from dicesim._drawing import BLUE, ORANGE
from dicesim.classics import LABBY, WOLF_RED, WOLF_WHITE
from dicesim.powers import detectable_bias
from dicesim.stats import chi_square, proportion_intervals
from tests.test_multinomials import tables

FEW = [72, 61, 70, 59, 68, 70]
EQUIVALENT, BIASED, UNSURE = "equivalent within the margin", "biased by more than the margin", "cannot tell"


# Intervals


def coverage(cells: int, n: int, method: Any) -> tuple[float, float]:
    """The least and the mean chance, over many dice, that all intervals cover: exactly, over all counts."""
    counts = np.array(list(tables(cells, n)))
    intervals = np.array([proportion_intervals(row, method=method) for row in counts])
    grid = [row for row in product(range(1, 40), repeat=cells - 1) if sum(row) < 40]
    dice = np.array([[*row, 40 - sum(row)] for row in grid]) / 40
    covered = ((intervals[:, None, :, 0] <= dice) & (dice <= intervals[:, None, :, 1])).all(axis=2)
    chances = np.exp(scipy.stats.multinomial.logpmf(counts[:, None, :], n, dice[None]))
    found = (chances * covered).sum(axis=0)
    return float(found.min()), float(found.mean())


@pytest.mark.parametrize(("cells", "n"), [(2, 7), (2, 60), (3, 5), (3, 16)])
def test_exact_intervals_cover_whatever_the_die(cells: int, n: int) -> None:
    least, mean = coverage(cells, n, "exact")
    assert least >= 0.95
    assert mean < 0.995  # and are not needlessly wide


def test_wilsons_do_not() -> None:
    """Which is why the verdicts do not rest on them, and how it is seen that the tests above can fail."""
    assert coverage(3, 16, "wilson")[0] < 0.94


def test_exact_intervals_cover_all_faces_of_a_d20() -> None:
    """Fails less than once in a thousand: the misses among 400 loaded dice, of which a twentieth is allowed."""
    loaded = np.array([0.01] * 10 + [0.09] * 10)
    drawn = np.random.default_rng(1).multinomial(100, loaded, size=400)
    ends = np.array([proportion_intervals(counts, method="exact") for counts in drawn])
    missed = int(((ends[:, :, 0] > loaded) | (ends[:, :, 1] < loaded)).any(axis=1).sum())
    assert missed <= scipy.stats.binom.isf(1e-3, 400, 0.05)


@pytest.mark.parametrize("successes", [0, 1, 13, 39, 40])
def test_exact_intervals_agree_with_scipy(successes: int) -> None:
    theirs = scipy.stats.binomtest(successes, 40).proportion_ci(1 - 0.05 / 2, method="exact")
    assert proportion_intervals([successes, 40 - successes], method="exact")[0] == pytest.approx(
        (theirs.low, theirs.high), abs=1e-12
    )


# How often a verdict is wrong


def verdicts(dice: Any, n: int, seed: int, size: int, margin: float) -> Counter[str]:
    drawn = np.random.default_rng(seed).multinomial(n, dice, size=size)
    return Counter(fairness_test(counts, margin=margin).verdict for counts in drawn)


def one_off(bias: float) -> list[float]:
    return [1 / 6 + bias, *[1 / 6 - bias / 5] * 5]


def test_a_coin_at_the_margin_is_misjudged_no_more_often_than_said() -> None:
    """Exactly, over all counts: a coin just beyond the margin, and one just within it."""
    n, margin = 2500, 0.05
    found = [fairness_test([heads, n - heads], margin=margin).verdict for heads in range(n + 1)]
    chances = scipy.stats.binom.pmf(np.arange(n + 1), n, 0.5 + margin)
    wrong = {verdict: sum(chances[i] for i in range(n + 1) if found[i] == verdict) for verdict in (EQUIVALENT, BIASED)}
    assert 0 < wrong[EQUIVALENT] <= 0.05
    assert 0 < wrong[BIASED] <= 0.05
    assert scipy.stats.binom.pmf(np.arange(n + 1), n, 0.5) @ [verdict == EQUIVALENT for verdict in found] > 0.9


@pytest.mark.parametrize("bias", [0.02, -0.02])
def test_a_die_at_the_margin_is_misjudged_no_more_often_than_said(bias: float) -> None:
    """Fails less than once in a thousand: wrong verdicts of either kind, of which a twentieth is allowed."""
    found = verdicts(one_off(bias), 10_000, 2, 300, abs(bias) * (1 - 1e-9))
    assert found[EQUIVALENT] <= scipy.stats.binom.isf(1e-3, 300, 0.05)
    found = verdicts(one_off(bias), 10_000, 3, 300, abs(bias) * (1 + 1e-9))
    assert found[BIASED] <= scipy.stats.binom.isf(1e-3, 300, 0.05)


def test_verdicts_come_when_there_are_rolls_enough() -> None:
    """Fails less than once in a thousand: of 50 dice, nine in ten at least, where nearly all are expected."""
    assert verdicts([1 / 6] * 6, 10_000, 4, 50, 0.02)[EQUIVALENT] >= 45
    assert verdicts(one_off(0.04), 10_000, 5, 50, 0.02)[BIASED] >= 45
    assert verdicts([1 / 6] * 6, 400, 6, 50, 0.02)[UNSURE] == 50


@pytest.mark.parametrize(("counts", "n"), [(FEW, 400), ([3, 4, 4, 4], 15)])
def test_a_wider_margin_never_unsays_equivalence(counts: list[int], n: int) -> None:
    reach = fairness_test(counts).reach
    intervals = proportion_intervals(counts, method="exact")
    assert reach == float(np.abs(intervals - 1 / len(counts)).max())
    assert fairness_test(counts, margin=reach).verdict == EQUIVALENT
    assert fairness_test(counts, margin=math.nextafter(reach, 0)).verdict == UNSURE
    assert fairness_test(counts).n == n


# What a result holds


def test_it_holds_what_the_statistics_say() -> None:
    test = fairness_test(WOLF_WHITE.counts, confidence=0.99, power=0.8)
    assert test.chi_square == chi_square(WOLF_WHITE.counts)
    assert test.p_value == pytest.approx(scipy.stats.chisquare(WOLF_WHITE.counts).pvalue)
    assert_array_equal(test.intervals, proportion_intervals(WOLF_WHITE.counts, 0.99, "exact"))
    assert test.detectable_bias == pytest.approx(detectable_bias(20_000, 0.8, 0.01))
    assert test.rolls_needed == dicesim.rolls_needed(1 / 60, 0.8, 0.01)
    assert (test.n, test.margin, test.too_even) == (20_000, pytest.approx(1 / 60), False)
    assert_allclose(test.shares, np.array(WOLF_WHITE.counts) / 20_000)


def test_classical_dice() -> None:
    white, red, labby = (fairness_test(data.counts) for data in (WOLF_WHITE, WOLF_RED, LABBY))
    assert (white.verdict, white.beyond) == (BIASED, ("4", "6"))
    assert (red.verdict, red.beyond) == (UNSURE, ())
    assert (labby.verdict, labby.beyond) == (EQUIVALENT, ())
    assert labby.p_value < 1e-3


@pytest.mark.parametrize(
    "counts", [FEW, np.array(FEW), pd.Series(FEW), dict(enumerate(FEW, 1)), Counter(dict(enumerate(FEW, 1)))]
)
def test_counts_come_in_any_form(counts: Any) -> None:
    assert fairness_test(counts) == fairness_test(FEW, sides=6)
    assert hash(fairness_test(counts)) == hash(fairness_test(FEW))


@pytest.mark.parametrize("sides", [2, 4, 8, 10, 12, 20, 100])
def test_any_die(sides: int) -> None:
    test = fairness_test([100] * sides)
    assert (len(test.faces), test.margin) == (sides, pytest.approx(0.1 / sides))
    assert str(test).startswith(f"{100 * sides:,} rolls of a d{sides} show no sign of bias")


def test_simulation_takes_a_seed() -> None:
    counts = [1, 3, 4, 6] * 25
    test = fairness_test(counts, rng=1)
    assert (test.tails.method, fairness_test(counts, rng=1)) == ("simulated", test)
    assert fairness_test(counts, rng=2) != test


@pytest.mark.parametrize(
    ("counts", "options", "complaint"),
    [
        ([7], {}, "two or more cells"),
        ([0, 0], {}, "counts are all 0: there is nothing to judge"),
        ([5, -1], {}, "whole numbers from 0 up, such as [31, 28, 35], not [ 5, -1]"),
        ([5, 1.5], {}, "whole numbers from 0 up"),
        ([5, None], {}, "whole numbers from 0 up"),
        ({}, {}, "two or more cells"),
        ({1: 5, 3: 6}, {}, "face 2 has no count"),
        ([5, 6], {"sides": 6}, "counts of 2 faces, not of 6"),
        ([5, 6], {"margin": 0}, "a margin is a probability between 0 and 0.5 for 2 faces, such as 0.02, not 0"),
        ([5, 6], {"margin": 2}, "such as 0.02, not 2"),
        ([5, 6], {"margin": math.nan}, "such as 0.02, not nan"),
        ([5, 6], {"confidence": 95}, "confidence lies between 0 and 1, such as 0.95, not 95"),
        ([5, 6], {"power": 1}, "power lies between 0 and 1, such as 0.95, not 1"),
        ([5, 6], {"power": 0.01}, "power lies between alpha and 1, but 0.01 is not above alpha = 0.05"),
        ([10**15, 10**15], {}, "counts add up to 1e+15 at most, not 2e+15"),
    ],
)
def test_bad_questions_are_refused_in_one_line(counts: Any, options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=re.escape(complaint)) as refusal:
        fairness_test(counts, **options)
    assert "\n" not in str(refusal.value)


# What it says


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        (FEW, "400 rolls of a d6 show no sign of bias"),
        (FEW, "They would have shown a face off by about 7.6 percentage points with a chance of 90 %."),
        (FEW, "Whether every face is within 1.67 points of 1/6 cannot be told"),
        (FEW, "To see one face off by 1.67 points takes about 8,235 rolls."),
        (WOLF_RED.counts, "20,000 rolls of a d6 show a sign of bias: chi-square 94.19 on 5 degrees of freedom"),
        (WOLF_WHITE.counts, "Faces 4, 6 are off by more than 1.67 points, at 95 % confidence."),
        ([5000, 5000, 5000, 6000], "Face 4 is off by more than 2.5 points"),
        (LABBY.counts, "Every face is within 1.67 points of 1/6, at 95 % confidence for all together."),
        ([1, 0], "1 roll of a d2 shows no sign of bias: chi-square 1.00 on 1 degree of freedom, p = 1 (exact)"),
        ([1, 0], "They are too few to say which bias they would have shown."),
    ],
)
def test_the_sentences(counts: Any, said: str) -> None:
    assert said in str(fairness_test(counts))


@pytest.mark.parametrize("counts", [FEW, WOLF_RED.counts, WOLF_WHITE.counts, LABBY.counts, [1, 0], [20] * 6])
def test_no_die_is_called_fair(counts: Any) -> None:
    text = str(fairness_test(counts))
    assert not re.search(r"\bis fair\b|\bunbiased\b|\bis biased\b|\bproves?\b", text)
    assert "die is fair" not in text


def test_rolls_enough_for_the_margin_ask_for_no_more() -> None:
    assert "To see one face" not in str(fairness_test(WOLF_RED.counts))


@pytest.mark.parametrize("counts", [[20] * 6, [10**6] * 6, [3] * 100])
def test_counts_that_are_too_even_are_suspicious(counts: list[int]) -> None:
    test = fairness_test(counts, rng=1)
    assert test.too_even
    assert "suspiciously even" in str(test)
    assert "hardly any chance" in str(test) or re.search(r"a chance of [0-9.e-]+ with a fair die", str(test))


@pytest.mark.parametrize("counts", [[1] * 6, [2] * 6, [1, 1], FEW])
def test_few_counts_are_even_by_chance(counts: list[int]) -> None:
    """Whose p-value is 1 nevertheless: six rolls show six faces one time in 65."""
    assert not fairness_test(counts).too_even
    assert "suspiciously" not in str(fairness_test(counts))


def test_fair_dice_are_rarely_suspicious() -> None:
    """Fails less than once in a thousand: more than 8 of 2,000 fair dice, where 2 are expected."""
    drawn = np.random.default_rng(7).multinomial(6000, [1 / 6] * 6, size=2000)
    assert 0 < sum(fairness_test(counts).too_even for counts in drawn) <= scipy.stats.binom.isf(1e-3, 2000, 1e-3)


def test_notebooks_show_a_table() -> None:
    html = fairness_test({"<1>": 12, "a & b": 9})._repr_html_()
    assert "<th>&lt;1&gt;</th><td>12</td><td>57.14%</td>" in html
    assert "a &amp; b" in html
    assert "95 % intervals of all 2 together" in html
    assert html.count("<tr>") == 3
    assert "cannot be told" in html


# Its picture


@pytest.mark.parametrize("counts", [FEW, WOLF_WHITE.counts, [40, 60], [30] * 20, [250] * 100])
def test_the_picture_shows_shares_intervals_and_margin(counts: Any) -> None:
    test = fairness_test(counts)
    ax = plots.fairness_verdict(test)
    bars, points = ax.collections
    assert_array_equal([segment[:, 1] for segment in bars.get_segments()], test.intervals)
    assert_array_equal(points.get_offsets()[:, 1], test.shares)
    fair, (low, high) = 1 / len(counts), ax.get_ylim()
    band = ax.patches[0].get_extents().transformed(ax.transData.inverted())
    assert (band.y0, band.y1) == pytest.approx((fair - test.margin, fair + test.margin))
    assert low <= min(band.y0, np.min(test.intervals))
    assert max(band.y1, np.max(test.intervals)) <= high
    assert len(ax.get_xticks()) <= 24
    assert test.verdict in ax.get_title(loc="left")


def test_faces_beyond_the_margin_are_seen_without_colour_too() -> None:
    bars, points = plots.fairness_verdict(fairness_test(WOLF_WHITE.counts)).collections
    off = [False, False, False, True, False, True]
    assert_allclose(bars.get_colors()[:, :3], [to_rgb(ORANGE if face else BLUE) for face in off])
    assert_allclose(points.get_facecolors()[:, :3], [(1, 1, 1) if face else to_rgb(BLUE) for face in off])
