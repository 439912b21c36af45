"""Statistics of counts: against published tables, closed forms and SciPy.

Draws have fixed seeds; the chance that such a test fails for a right library, had the seed been drawn
afresh, stands beside it.
"""

import math
import re
import subprocess
import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from dicesim.powers import detectable_bias
from dicesim.stats import (
    Sums,
    binomial_probabilities,
    chi_square,
    mean_interval,
    proportion_interval,
    proportion_intervals,
)

WHITE = [3246, 3449, 2897, 2841, 3635, 3932]  # Wolf's dice, 20,000 throws each
RED = [3407, 3631, 3176, 2916, 3448, 3422]
WELDON = [185, 1149, 3265, 5475, 6114, 5194, 3067, 1331, 403, 105, 18]  # 0 to 9 and "10 or more" of 12 dice


# Chi-square


@pytest.mark.parametrize(("counts", "statistic"), [(WHITE, 270.96), (RED, 94.19)])
def test_wolfs_dice(counts: list[int], statistic: float) -> None:
    test = chi_square(counts)
    assert round(test.statistic, 2) == statistic
    assert (test.degrees_of_freedom, test.n) == (5, 20_000)
    assert test.effect_size == pytest.approx(math.sqrt(statistic / 20_000), rel=1e-4)


def test_weldons_dice() -> None:
    twelve = binomial_probabilities(12, 1 / 3)
    test = chi_square(WELDON, [*twelve[:10], twelve[10:].sum()])
    assert round(test.statistic, 2) == 35.49
    assert (test.degrees_of_freedom, test.n) == (10, 26_306)
    assert test.p_value == pytest.approx(1.0e-4, abs=5e-6)


def test_an_even_table_shows_nothing() -> None:
    test = chi_square([10] * 6)
    assert (test.statistic, test.p_value, test.effect_size) == (0, 1, 0)


@pytest.mark.parametrize("kind", [list, tuple, np.array, pd.Series, lambda x: np.array(x, dtype=float)])
def test_counts_come_in_any_form(kind: Any) -> None:
    assert chi_square(kind(WHITE)) == chi_square(WHITE)


def test_it_agrees_with_scipy() -> None:
    rng = np.random.default_rng(1)
    for cells in (2, 6, 24):
        probabilities = rng.dirichlet(np.full(cells, 50))
        counts = rng.multinomial(5000, probabilities)
        theirs = scipy.stats.chisquare(counts, 5000 * probabilities)
        ours = chi_square(counts, probabilities)
        assert (ours.statistic, ours.p_value) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-9)


def test_p_values_are_even() -> None:
    """Fails one time in a thousand, had the seed been drawn."""
    tables = np.random.default_rng(2).multinomial(6000, np.full(6, 1 / 6), size=1000)
    p_values = [chi_square(counts).p_value for counts in tables]
    assert scipy.stats.kstest(p_values, "uniform").pvalue > 1e-3


def test_an_impossible_cell_that_was_not_seen_takes_no_part() -> None:
    assert chi_square([40, 60, 0], [0.5, 0.5, 0]) == chi_square([40, 60])


def test_probabilities_may_be_rounded_as_a_printed_table_is() -> None:
    assert chi_square([40, 30, 30], [0.3333333, 0.3333333, 0.3333333]).statistic == pytest.approx(2)


def test_few_counts_warn() -> None:
    with pytest.warns(UserWarning, match="a cell expects 2 counts; below 5 the p-value is rough"):
        chi_square([2, 0, 4, 1, 3, 2])


def test_the_sentence() -> None:
    assert str(chi_square([60, 40])) == (
        "chi-square 4.00 on 1 degree of freedom, p = 0.0455, effect size w = 0.2, n = 100"
    )
    assert "p < 1e-300" in str(chi_square([0, 12_000]))


REFUSED = [
    ([[1, 2], [3, 4]], None, "one row of two or more cells, not an array of shape (2, 2)"),
    (7, None, "not an array of shape ()"),
    ([7], None, "not an array of shape (1,)"),
    ([1.5, 2], None, "whole numbers from 0 up, such as [31, 28, 35], not [1.5, 2. ]"),
    ([-1, 2], None, "not [-1,  2]"),
    ([math.nan, 2], None, "not [nan,  2.]"),
    ([math.inf, 2], None, "not [inf,  2.]"),
    (["a", "b"], None, "not ['a', 'b']"),
    ([True, False], None, "not [ True, False]"),
    ([0, 0, 0], None, "counts are all 0"),
    ([10, 10], [0.5, 0.25, 0.25], "one probability for each of 2 cells, not shape (3,)"),
    ([10, 10], [10, 10], "sum to 1; these sum to 20"),
    ([10, 10], [1.5, -0.5], "probabilities from 0 up"),
    ([10, 10], [math.nan, 1], "sum to nan"),
    ([10, 0], [1, 0], "only one cell possible"),
    ([10, 10, 3], [0.5, 0.5, 0], "cell 2 has probability 0 and yet was seen 3 times"),
]


@pytest.mark.parametrize(("counts", "expected", "complaint"), REFUSED)
def test_bad_counts_are_refused_in_one_line(counts: Any, expected: Any, complaint: str) -> None:
    with pytest.raises(ValueError, match=re.escape(complaint)) as refusal:
        chi_square(counts, expected)
    assert "\n" not in str(refusal.value)


# Proportions


@pytest.mark.parametrize("successes", [0, 1, 5, 10, 5000, 9999, 10_000])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_proportion_interval_agrees_with_scipy(successes: int, confidence: float) -> None:
    theirs = scipy.stats.binomtest(successes, 10_000).proportion_ci(confidence, method="wilson")
    assert proportion_interval(successes, 10_000, confidence) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_the_ends_are_exact() -> None:
    assert proportion_interval(0, 12_000)[0] == 0
    assert proportion_interval(12_000, 12_000)[1] == 1


def test_simultaneous_intervals_share_the_error() -> None:
    alone = proportion_interval(WHITE[2], 20_000, 1 - 0.05 / 6)
    assert proportion_intervals(WHITE)[2] == pytest.approx(alone, rel=1e-14)


def test_simultaneous_intervals_cover_all_shares_at_once() -> None:
    """Fails less than once in a thousand: more than 28 misses of 300, where 15 are expected at most."""
    tables = np.random.default_rng(3).multinomial(3000, np.full(6, 1 / 6), size=300)
    missed = [
        np.any((interval[:, 0] > 1 / 6) | (interval[:, 1] < 1 / 6)) for interval in map(proportion_intervals, tables)
    ]
    assert sum(missed) <= 28


def test_bad_proportions_are_refused() -> None:
    with pytest.raises(ValueError, match="not 7 of 6"):
        proportion_interval(7, 6)
    with pytest.raises(ValueError, match="not 0 of 0"):
        proportion_interval(0, 0)
    with pytest.raises(ValueError, match=r"between 0 and 1, such as 0\.95, not 95"):
        proportion_intervals(WHITE, confidence=95)


# Detectable bias


DETECTABLE = [
    (20_000, 1.07e-2),
    (40_000, 7.6e-3),
    (200_000, 3.4e-3),
    (2_000_000, 1.07e-3),
    (20_000_000, 3.4e-4),
    (100_000_000, 1.5e-4),
]


@pytest.mark.parametrize(("n", "deviation"), DETECTABLE)
def test_detectable_bias(n: int, deviation: float) -> None:
    assert f"{detectable_bias(n):.1e}" == f"{deviation:.1e}"


@pytest.mark.parametrize(
    ("power", "alpha", "noncentrality"),
    [(0.8, 0.05, 12.83), (0.9, 0.05, 16.47), (0.99, 0.05, 26.73), (0.9, 0.001, 29.21)],
)
def test_the_noncentrality_behind_it(power: float, alpha: float, noncentrality: float) -> None:
    w = detectable_bias(1_000_000, power, alpha) * 6 / math.sqrt(5)
    assert round(1_000_000 * w**2, 2) == noncentrality


def test_the_bias_it_names_is_seen_as_often_as_it_says() -> None:
    """Fails less than once in a thousand: the share of alarms among 1,000 tables, against power 0.9."""
    d = detectable_bias(20_000)
    biased = np.array([1 / 6 + d, *[1 / 6 - d / 5] * 5])
    tables = np.random.default_rng(4).multinomial(20_000, biased, size=1000)
    seen = sum(chi_square(counts).p_value < 0.05 for counts in tables)
    low, high = scipy.stats.binom.interval(0.999, 1000, 0.9)
    assert low <= seen <= high


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"n": 0}, "needs n >= 1 and cells >= 2, not n = 0"),
        ({"n": 100, "cells": 1}, "cells = 1"),
        ({"n": 100, "alpha": 0}, "alpha lies between 0 and 1"),
        ({"n": 100, "power": 0.04}, "0.04 is not above alpha = 0.05"),
        ({"n": 3}, "n = 3 is too few to see any deviation of one of 6 cells"),
    ],
)
def test_bad_questions_are_refused(arguments: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        detectable_bias(**arguments)


# Means


def test_mean_interval_agrees_with_scipy() -> None:
    values = np.random.default_rng(5).normal(11.4, 3, size=50)
    theirs = scipy.stats.t.interval(0.9, 49, values.mean(), values.std(ddof=1) / math.sqrt(50))
    assert mean_interval(values, 0.9) == pytest.approx(theirs, rel=1e-12)


def test_sums_will_do_for_the_values() -> None:
    values = np.random.default_rng(6).integers(5, 20, size=1000)
    sums = Sums(1000, int(values.sum()), int((values**2).sum()))
    assert mean_interval(sums) == pytest.approx(mean_interval(values), rel=1e-12)


def test_a_constant_sample_has_no_width() -> None:
    assert mean_interval([0.1] * 3) == pytest.approx((0.1, 0.1))
    assert mean_interval(Sums(3, 0.1 * 3, 3 * 0.1**2)) == pytest.approx((0.1, 0.1))


@pytest.mark.parametrize("sample", [[1.0], [1, math.nan], [[1, 2], [3, 4]], Sums(1, 1, 1), Sums(9, math.inf, 1)])
def test_bad_samples_are_refused(sample: Any) -> None:
    with pytest.raises(ValueError, match="at least two"):
        mean_interval(sample)


# The binomial


@pytest.mark.parametrize(("trials", "p"), [(0, 0.3), (5, 1 / 3), (12, 0), (12, 1), (60, 1 / 6)])
def test_binomial_probabilities_agree_with_scipy(trials: int, p: float) -> None:
    theirs = scipy.stats.binom.pmf(np.arange(trials + 1), trials, p)
    assert binomial_probabilities(trials, p) == pytest.approx(theirs, rel=1e-10, abs=1e-300)


@pytest.mark.parametrize(("trials", "p"), [(-1, 0.5), (5, 1.5), (5, math.nan)])
def test_bad_binomials_are_refused(trials: int, p: float) -> None:
    with pytest.raises(ValueError, match="a binomial needs"):
        binomial_probabilities(trials, p)


def test_importing_it_loads_numpy_alone() -> None:
    program = "import sys, dicesim.stats, dicesim.crossings; print({'scipy', 'numba', 'pandas'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
