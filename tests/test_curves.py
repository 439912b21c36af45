"""The curve of a flip rate: what is put in comes out, and what cannot be fitted is refused."""

import numpy as np
import pytest
from numpy.typing import NDArray

from dicesim.crossings import NoCrossing, half_rate_crossing
from dicesim.curves import Estimate, FlipCurve, fit_curve, tail_exponent

EPS = np.logspace(-6, 1, 29)


def curve_of(scale: float, asymptote: float, exponent: float, bend: float) -> FlipCurve:
    numbers = (Estimate(value, value, value) for value in (scale, asymptote, exponent, bend))
    return FlipCurve(*numbers, level=5 / 12, confidence=0.95, throws=1)


def flips(curve: FlipCurve, throws: int = 4000, seed: int = 1) -> NDArray[np.bool_]:
    """Throws that each have one threshold, so that the rates of all changes come from the same throws."""
    thresholds = np.random.default_rng(seed).random((throws, 1))
    return np.asarray(thresholds < curve.at(EPS))


@pytest.mark.parametrize(("exponent", "bend"), [(0.6, 1.0), (1.0, 3.0)])
def test_the_numbers_of_a_known_curve_come_back(exponent: float, bend: float) -> None:
    known = curve_of(2e-3, 0.82, exponent, bend)
    found = fit_curve(EPS, flips(known), resamples=100, rng=1)
    # Four standard errors of each: 1 in 4,000 of all such tests would miss one of them.
    for name in ("scale", "asymptote", "exponent"):
        value, estimate = getattr(known, name).value, getattr(found, name)
        assert estimate.low < estimate.value < estimate.high
        assert abs(estimate.value - value) < (estimate.high - estimate.low) + 1e-12


def test_the_curve_crosses_its_level_at_its_scale() -> None:
    curve = curve_of(2e-3, 0.82, 0.7, 2.0)
    assert curve.at([2e-3])[0] == pytest.approx(5 / 12)
    assert curve.at([1e9])[0] == pytest.approx(0.82, rel=1e-6)
    small = curve.at([1e-12, 1e-11])
    assert np.log10(small[1] / small[0]) == pytest.approx(0.7, abs=1e-3)


def test_a_logistic_curve_is_the_bend_one() -> None:
    rates = curve_of(1.0, 0.8, 1.0, 1.0).at(EPS)
    odds = (5 / 12) / (0.8 - 5 / 12)
    np.testing.assert_allclose(rates, 0.8 * odds * EPS / (1 + odds * EPS))


def test_both_fits_agree_where_the_shape_is_right() -> None:
    table = flips(curve_of(2e-3, 0.82, 0.8, 2.0))
    a, b = fit_curve(EPS, table, resamples=100, rng=1).scale, half_rate_crossing(EPS, table, resamples=100, rng=1)
    assert a.low < b.high
    assert b.low < a.high


@pytest.mark.slow
def test_intervals_cover_as_often_as_they_say() -> None:
    known = curve_of(2e-3, 0.82, 0.8, 2.0)
    found = [fit_curve(EPS, flips(known, 500, seed), resamples=100, rng=seed).scale for seed in range(40)]
    # 95 % intervals miss 8 or more of 40 once in 3,000 times.
    assert sum(estimate.low < 2e-3 < estimate.high for estimate in found) > 32


def test_a_power_law_comes_back() -> None:
    eps = np.logspace(-5, -1, 9)
    table = np.random.default_rng(1).random((40_000, 1)) < eps**0.7
    found = tail_exponent(eps, table, resamples=100, rng=1)
    assert found.low < 0.7 < found.high
    assert found.high - found.low < 0.05
    # By hand: one flip of four and two of four, at changes a factor of two apart, are a power of exactly 1.
    by_hand = np.array([[1, 1], [0, 1], [0, 0], [0, 0]] * 25, dtype=bool)
    assert tail_exponent([1.0, 2.0], by_hand, resamples=100, rng=1).value == pytest.approx(1.0, abs=1e-5)


def test_what_does_not_cross_is_refused() -> None:
    with pytest.raises(NoCrossing, match="does not cross"):
        fit_curve(EPS, flips(curve_of(2e-3, 0.82, 0.8, 2.0)) & False, resamples=100, rng=1)
    with pytest.raises(NoCrossing, match="does not cross"):
        fit_curve(EPS, flips(curve_of(2e-3, 0.82, 0.8, 2.0)), level=0.95, resamples=100, rng=1)
    with pytest.raises(ValueError, match="flips under two changes"):
        tail_exponent(EPS, np.zeros((10, 29), bool), rng=1)
