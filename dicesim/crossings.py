"""Where a rate that grows with scale crosses a level, with its interval.

The half-rate crossing of a flip rate is the scale at which an outcome has half forgotten its start.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Crossing", "NoCrossing", "check_flips", "crossing", "half_rate_crossing", "percentiles", "resampled"]

Floats: TypeAlias = NDArray[np.float64]
Rng: TypeAlias = np.random.Generator | np.random.SeedSequence | int | None


class NoCrossing(ValueError):
    """The curve, or the interval of its crossing, does not cross the level within the scales measured.

    Examples
    --------
    >>> try:
    ...     half_rate_crossing([1e-3, 1e-2], [[False, False], [False, True]], level=0.9)
    ... except NoCrossing as reason:
    ...     print(reason)
    the rate never reaches 0.9 (highest 0.5 at 0.01); measure larger scales
    """


@dataclass(frozen=True)
class Crossing:
    """Scale at which a rate crosses a level, with its interval.

    Parameters
    ----------
    scale : float
        The crossing, in the unit of the scales measured.
    low, high : float
        Ends of its interval.
    level : float
        The rate that is crossed.
    confidence : float
        Chance that the interval covers the true crossing.
    throws : int
        Throws behind every rate.
    resamples : int
        Bootstrap samples behind the interval.

    Examples
    --------
    >>> print(Crossing(1.2e-3, 1.1e-3, 1.3e-3, 5 / 12, 0.95, 3000, 2000))
    0.0012 (95 % interval 0.0011 to 0.0013)
    """

    scale: float
    low: float
    high: float
    level: float
    confidence: float
    throws: int
    resamples: int

    def __str__(self) -> str:
        percent = f"{100 * self.confidence:.3g} %"
        return f"{self.scale:.3g} ({percent} interval {self.low:.3g} to {self.high:.3g})"


def half_rate_crossing(
    eps: ArrayLike,
    flips: ArrayLike,
    level: float = 5 / 12,
    *,
    confidence: float = 0.95,
    resamples: int = 2000,
    rng: Rng = None,
) -> Crossing:
    """Find the scale at which a flip rate that grows with scale crosses a level.

    The rates are fitted by the nearest non-decreasing curve (isotonic regression: no shape is
    assumed) and the fit is interpolated linearly in the logarithm of the scale. The interval is a
    percentile bootstrap over throws: a throw is drawn with its flips at every scale, because the
    same throws stand behind every rate.

    Parameters
    ----------
    eps : array_like of float, shape (k,)
        Scales of the perturbation, positive and distinct, in any order.
    flips : array_like of bool, shape (n, k)
        Whether each of the n throws changed its outcome at each scale.
    level : float
        Rate to cross, between 0 and 1; by default half of the 5/6 at which two fair dice differ.
    confidence : float
        Chance that the interval covers the true crossing, between 0 and 1.
    resamples : int
        Number of bootstrap samples, at least 100.
    rng : Generator, SeedSequence, int or None
        Source of the bootstrap's draws.

    Returns
    -------
    Crossing
        The scale and its interval.

    Raises
    ------
    NoCrossing
        If the fitted curve, or too much of the bootstrap, stays on one side of the level.
    ValueError
        If an argument is out of range or the shapes do not fit.

    Examples
    --------
    >>> flips = [[False, False, True]] * 5 + [[False, True, True]] * 5
    >>> crossing = half_rate_crossing([1e-4, 1e-3, 1e-2], flips, level=0.5, rng=1)
    >>> round(crossing.scale, 6)
    0.001
    """
    where, flipped = check_flips(eps, flips, level, confidence, resamples)
    rates = flipped.mean(axis=0)
    found = crossing(where, rates, level)
    _refuse_no_crossing(found, np.exp(where), rates, level)
    drawn = np.array([crossing(where, again, level) for again in resampled(flipped, resamples, rng)])
    scale, low, high = (math.exp(x) for x in (found, *percentiles(drawn, confidence)))
    return Crossing(scale, low, high, level, confidence, len(flipped), resamples)


def check_flips(
    eps: ArrayLike, flips: ArrayLike, level: float, confidence: float, resamples: int
) -> tuple[Floats, Floats]:
    """Look at what every estimate from flips takes.

    Parameters
    ----------
    eps : array_like of float, shape (k,)
        Scales of the perturbation, positive and distinct, in any order.
    flips : array_like of bool, shape (n, k)
        Whether each of the n throws changed its outcome at each scale.
    level, confidence : float
        A rate and a chance, each between 0 and 1.
    resamples : int
        Number of bootstrap samples, at least 100.

    Returns
    -------
    tuple of ndarray
        Logarithms of the scales in rising order, shape (k,), and the flips as 0.0 and 1.0 in the same order.

    Raises
    ------
    ValueError
        If an argument is out of range or the shapes do not fit.

    Examples
    --------
    >>> where, flipped = check_flips([10.0, 1.0], [[True, False], [True, True]], 0.5, 0.95, 100)
    >>> where.round(3).tolist(), flipped.tolist()
    ([0.0, 2.303], [[0.0, 1.0], [1.0, 1.0]])
    """
    if resamples < 100:
        raise ValueError(f"a bootstrap interval needs at least 100 resamples, not {resamples}")
    if not (0 < level < 1 and 0 < confidence < 1):
        raise ValueError(f"level and confidence lie between 0 and 1, not {level} and {confidence}")
    scales, flipped = _sweep(eps, flips)
    return np.log(scales), flipped


def resampled(flipped: Floats, resamples: int, rng: Rng = None) -> Iterator[Floats]:
    """Draw the rates of bootstrap samples of throws; a throw is drawn with all that is known of it.

    Parameters
    ----------
    flipped : ndarray of float, shape (n, k)
        Flips as 0.0 and 1.0 at every scale, or any numbers whose means over the throws are asked for.
    resamples : int
        How many samples.
    rng : Generator, SeedSequence, int or None
        Source of the draws.

    Yields
    ------
    ndarray of float, shape (k,)
        The rates of one sample.

    Examples
    --------
    >>> [rates.tolist() for rates in resampled(np.ones((3, 2)), 2, rng=1)]
    [[1.0, 1.0], [1.0, 1.0]]
    """
    throws, generator = len(flipped), np.random.default_rng(rng)
    for _ in range(resamples):
        times = np.bincount(generator.integers(throws, size=throws), minlength=throws)
        yield times @ flipped / throws


def percentiles(drawn: Floats, confidence: float) -> tuple[float, float]:
    """Take the ends of a bootstrap interval.

    Parameters
    ----------
    drawn : ndarray of float, shape (resamples,)
        The estimate from each sample; -inf or inf where that sample had none.
    confidence : float
        Chance that the interval covers the true number.

    Returns
    -------
    tuple of float
        Lower and upper end.

    Raises
    ------
    NoCrossing
        If an end is not finite.

    Examples
    --------
    >>> percentiles(np.arange(1.0, 101.0), 0.9)
    (5.0, 95.0)
    """
    tail = (1 - confidence) / 2
    # Picked, not interpolated: a resample that does not cross counts as an infinite log scale.
    low, high = np.quantile(drawn, [tail, 1 - tail], method="inverted_cdf")
    if not (math.isfinite(low) and math.isfinite(high)):
        raise NoCrossing("the crossing's interval runs past the scales measured; widen them or throw more")
    return float(low), float(high)


def _sweep(eps: ArrayLike, flips: ArrayLike) -> tuple[Floats, Floats]:
    """Scales in rising order, and the flips as 0.0 and 1.0 in the same order."""
    scales, flipped = np.asarray(eps, dtype=float), np.asarray(flips)
    if scales.ndim != 1 or scales.size < 2 or not np.all((scales > 0) & np.isfinite(scales)):
        raise ValueError("scales are one row of two or more positive numbers")
    if np.unique(scales).size < scales.size:
        raise ValueError("scales are distinct; one comes twice")
    if flipped.ndim != 2 or flipped.shape[1] != scales.size or len(flipped) < 2:
        raise ValueError(f"flips have shape (throws, {scales.size}), throws at least 2, not {flipped.shape}")
    if flipped.dtype.kind not in "biu" or not np.all((flipped == 0) | (flipped == 1)):
        raise ValueError("flips are True or False")
    order = np.argsort(scales)
    return scales[order], flipped[:, order].astype(float)


def crossing(where: Floats, rates: Floats, level: float) -> float:
    """Find where the isotonic fit of rates reaches a level.

    Parameters
    ----------
    where : ndarray of float, shape (k,)
        Logarithms of the scales, rising.
    rates : ndarray of float, shape (k,)
        Rate at each.
    level : float
        The level.

    Returns
    -------
    float
        Logarithm of the scale; -inf or inf where the fit begins above the level or never reaches it.

    Examples
    --------
    >>> round(crossing(np.array([0.0, 1.0]), np.array([0.2, 0.6]), 0.4), 9)
    0.5
    """
    from scipy.optimize import isotonic_regression

    fit = isotonic_regression(rates).x
    reached = fit >= level
    if reached[0]:
        return -math.inf
    if not reached[-1]:
        return math.inf
    after = int(np.argmax(reached))
    share = (level - fit[after - 1]) / (fit[after] - fit[after - 1])
    return float(where[after - 1] + share * (where[after] - where[after - 1]))


def _refuse_no_crossing(found: float, scales: Floats, rates: Floats, level: float) -> None:
    if found == math.inf:
        seen = f"highest {rates.max():.4g} at {scales[int(np.argmax(rates))]:.4g}"
        raise NoCrossing(f"the rate never reaches {level:.4g} ({seen}); measure larger scales")
    if found == -math.inf:
        seen = f"{rates[0]:.4g} at {scales[0]:.4g}"
        raise NoCrossing(f"the rate is at or above {level:.4g} from the start ({seen}); measure smaller scales")
