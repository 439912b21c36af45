"""How many rolls a bias takes: against the table of the design, simulation and SciPy."""

import re
from typing import Any

import numpy as np
import pytest
import scipy.stats

from dicesim.powers import detectable_bias, detection_power, rolls_needed
from dicesim.stats import chi_square

# Rolls, and the bias of one face and of two opposite faces (relative) that they show with 90 % power.
TABLE = [
    (20_000, 1.07e-2, 0.041),
    (40_000, 7.6e-3, 0.029),
    (200_000, 3.4e-3, 0.013),
    (2_000_000, 1.07e-3, 0.0041),
    (20_000_000, 3.4e-4, 0.0013),
    (100_000_000, 1.5e-4, 0.00057),
]


def one_off(bias: float, cells: int = 6) -> list[float]:
    return [1 / cells + bias, *[1 / cells - bias / (cells - 1)] * (cells - 1)]


@pytest.mark.parametrize(("n", "bias", "pair"), TABLE)
def test_the_table(n: int, bias: float, pair: float) -> None:
    """As far as its two or three digits go: a twentieth of the number at most, and of the power 0.04."""
    assert rolls_needed(bias) == pytest.approx(n, rel=0.05)
    high, low = (1 + pair) / 6, (1 - pair / 2) / 6
    assert detection_power([high, high, low, low, low, low], n) == pytest.approx(0.9, abs=0.04)


@pytest.mark.parametrize("cells", [2, 4, 6, 20])
@pytest.mark.parametrize(("power", "alpha"), [(0.9, 0.05), (0.8, 0.05), (0.99, 0.001)])
def test_it_is_the_inverse_of_the_detectable_bias(power: float, alpha: float, cells: int) -> None:
    for bias in (0.3, 0.02, 1e-4):
        n = rolls_needed(bias, power, alpha, cells)
        assert detectable_bias(n, power, alpha, cells) <= bias * (1 + 1e-9)
        assert n == 1 or detectable_bias(n - 1, power, alpha, cells) > bias * (1 - 1e-9)
        assert detection_power(one_off(min(bias, 0.3), cells), n, alpha) == pytest.approx(power, abs=0.02)


def test_so_many_rolls_see_it_as_often_as_said() -> None:
    """Fails less than once in a thousand: the share of alarms among 1,000 d20s, against power 0.8."""
    n = rolls_needed(0.01, power=0.8, cells=20)
    drawn = np.random.default_rng(1).multinomial(n, one_off(0.01, 20), size=1000)
    seen = sum(chi_square(counts).p_value < 0.05 for counts in drawn)
    low, high = scipy.stats.binom.interval(0.999, 1000, 0.8)
    assert low <= seen <= high


@pytest.mark.parametrize(("n", "least", "most"), [(200, 0.08, 0.12), (1000, 0.35, 0.45), (5000, 0.99, 1)])
def test_a_d20_that_is_off_by_a_tenth(n: int, least: float, most: float) -> None:
    """What people ask for: 200 rolls miss it, 1,000 barely see it. Fails less than once in a thousand."""
    shares = np.array([0.055] * 10 + [0.045] * 10)
    power = detection_power(shares, n)
    assert least < power <= most
    theirs = scipy.stats.ncx2.sf(scipy.stats.chi2.isf(0.05, 19), 19, n * 0.01)
    assert power == pytest.approx(theirs, rel=1e-6)
    drawn = np.random.default_rng(2).multinomial(n, shares, size=1000)
    seen = sum(chi_square(counts).p_value < 0.05 for counts in drawn)
    assert abs(seen / 1000 - power) < 0.05


def test_a_fair_die_is_seen_as_often_as_a_false_alarm() -> None:
    assert detection_power([1 / 6] * 6, 1000) == pytest.approx(0.05)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"bias": 0}, "the bias of one of 6 faces lies between 0 and 0.833, not 0"),
        ({"bias": -0.1}, "not -0.1"),
        ({"bias": 0.84}, "not 0.84"),
        ({"bias": float("nan")}, "not nan"),
        ({"bias": 0.6, "cells": 2}, "between 0 and 0.5"),
        ({"bias": 0.1, "cells": 1}, "cells = 1"),
        ({"bias": 0.1, "power": 0.04}, "0.04 is not above alpha = 0.05"),
        ({"bias": 0.1, "alpha": 1}, "alpha lies between 0 and 1"),
    ],
)
def test_bad_questions_are_refused(arguments: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=re.escape(complaint)):
        rolls_needed(**arguments)


@pytest.mark.parametrize(
    ("shares", "n", "alpha", "complaint"),
    [
        ([1.0], 100, 0.05, "shares are probabilities"),
        ([0.5, 0.6], 100, 0.05, "that sum to 1"),
        ([1.5, -0.5], 100, 0.05, "shares are probabilities"),
        ([0.5, float("nan")], 100, 0.05, "shares are probabilities"),
        ([0.4, 0.6], 0, 0.05, "not n = 0"),
        ([0.4, 0.6], 10, 0.0, "alpha = 0.0"),
    ],
)
def test_bad_powers_are_refused(shares: list[float], n: int, alpha: float, complaint: str) -> None:
    with pytest.raises(ValueError, match=re.escape(complaint)):
        detection_power(shares, n, alpha)
