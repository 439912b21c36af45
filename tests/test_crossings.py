"""The half-rate crossing: by hand, on curves of known crossing, and where there is none."""

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dicesim.crossings import Crossing, NoCrossing, half_rate_crossing


def flips(*rates: int, of: int = 10) -> NDArray[np.bool_]:
    """So many flips at each scale, the first throws flipping first."""
    return np.arange(of)[:, None] < np.array(rates)


def synthetic(rng: np.random.Generator, eps: NDArray[np.float64], crossing: float) -> NDArray[np.bool_]:
    """3,000 throws, each forgetting its start beyond a scale of its own: logistic, up to 5/6."""
    own = np.log(crossing) + 0.9 * rng.logistic(size=(3000, 1))
    fresh = rng.random((3000, eps.size)) < 5 / 6
    return np.asarray((np.log(eps) > own) & fresh)


# By hand


def test_it_interpolates_in_the_logarithm() -> None:
    crossing = half_rate_crossing([1e-4, 1e-2], flips(20, 60, of=100), level=0.4, rng=1)
    assert crossing.scale == pytest.approx(1e-3)  # half way from 0.2 to 0.6, half way in the logarithm


def test_a_dip_is_pooled() -> None:
    # 0.6 and 0.2 pool to 0.4 and 0.4, so that 0.3 is three quarters of the way from 0 to the first of them.
    crossing = half_rate_crossing([1e-5, 1e-4, 1e-3, 1e-2], flips(0, 6, 2, 8), level=0.3, rng=1)
    assert crossing.scale == pytest.approx(10**-4.25)


def test_a_level_met_exactly_is_met_there() -> None:
    assert half_rate_crossing([1e-4, 1e-3, 1e-2], flips(1, 5, 9), level=0.5, rng=1).scale == pytest.approx(1e-3)


def test_the_order_of_scales_is_free() -> None:
    eps, table = np.array([1e-4, 1e-3, 1e-2]), flips(1, 4, 9)
    order = [2, 0, 1]
    assert half_rate_crossing(eps[order], table[:, order], rng=1) == half_rate_crossing(eps, table, rng=1)


def test_the_same_seed_gives_the_same_interval() -> None:
    eps, table = [1e-4, 1e-3, 1e-2], flips(1, 4, 9)
    assert half_rate_crossing(eps, table, rng=1) == half_rate_crossing(eps, table, rng=np.random.default_rng(1))
    assert half_rate_crossing(eps, table, rng=1) != half_rate_crossing(eps, table, rng=2)


def test_it_prints_as_a_number_with_its_interval() -> None:
    assert str(Crossing(1.3e-3, 1.2e-3, 1.4e-3, 5 / 12, 0.9, 3000, 2000)) == ("0.0013 (90 % interval 0.0012 to 0.0014)")


# The interval


def test_the_interval_covers_a_known_crossing() -> None:
    """Fails about once in a thousand: under 51 of 60 for intervals that cover 95 times in a hundred."""
    eps, known = np.logspace(-5, -1, 21), 1.3e-3
    found = [
        half_rate_crossing(eps, synthetic(np.random.default_rng([1, i]), eps, known), resamples=500, rng=i)
        for i in range(60)
    ]
    assert sum(c.low <= known <= c.high for c in found) >= 51
    assert np.mean([math.log(c.scale / known) for c in found]) == pytest.approx(0, abs=0.02)


def test_throws_are_resampled_whole() -> None:
    """A throw's flips at two scales stand or fall together: copies of one column tell nothing new."""
    column = np.random.default_rng(3).random((400, 1)) < [[0.2, 0.6]]
    eps = np.logspace(-4, -2, 10)
    few = half_rate_crossing(eps[[4, 5]], column, level=0.4, rng=1)
    many = half_rate_crossing(eps, column[:, [0] * 5 + [1] * 5], level=0.4, rng=1)
    assert (many.scale, many.low, many.high) == pytest.approx((few.scale, few.low, few.high))


# Where there is none


def test_a_curve_that_never_crosses_is_refused() -> None:
    with pytest.raises(NoCrossing, match=r"never reaches 0.4167 \(highest 0.4 at 0.01\); measure larger scales"):
        half_rate_crossing([1e-4, 1e-3, 1e-2], flips(0, 2, 4), rng=1)
    with pytest.raises(NoCrossing, match=r"from the start \(0.6 at 0.0001\); measure smaller scales"):
        half_rate_crossing([1e-4, 1e-3, 1e-2], flips(6, 7, 8), rng=1)
    with pytest.raises(NoCrossing, match="never reaches"):  # one high cell is not a crossing
        half_rate_crossing([1e-4, 1e-3, 1e-2], flips(0, 5, 1), rng=1)


def test_an_interval_that_runs_off_the_scales_is_refused() -> None:
    with pytest.raises(NoCrossing, match="runs past the scales measured"):
        half_rate_crossing([1e-4, 1e-3, 1e-2], flips(0, 2, 5), level=0.45, rng=1)


EPS = [1e-4, 1e-3, 1e-2]


@pytest.mark.parametrize(
    ("eps", "table", "options", "complaint"),
    [
        ([0, 1e-3, 1e-2], flips(1, 4, 9), {}, "positive numbers"),
        ([math.nan, 1e-3, 1e-2], flips(1, 4, 9), {}, "positive numbers"),
        ([1e-3], flips(1), {}, "two or more"),
        ([1e-3, 1e-3, 1e-2], flips(1, 4, 9), {}, "distinct"),
        (EPS, flips(1, 4), {}, r"shape \(throws, 3\), throws at least 2, not \(10, 2\)"),
        (EPS, [[True, True, True]], {}, r"not \(1, 3\)"),
        (EPS, [[0, 1, 2]] * 5, {}, "flips are True or False"),
        (EPS, [[0.0, 0.5, 1.0]] * 5, {}, "flips are True or False"),
        (EPS, flips(1, 4, 9), {"level": 1}, "level and confidence lie between 0 and 1"),
        (EPS, flips(1, 4, 9), {"confidence": 95}, "level and confidence lie between 0 and 1"),
        (EPS, flips(1, 4, 9), {"resamples": 10}, "at least 100 resamples, not 10"),
    ],
)
def test_bad_sweeps_are_refused(eps: Any, table: Any, options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        half_rate_crossing(eps, table, rng=1, **options)
