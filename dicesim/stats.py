"""What counts and shares can say, and how surely.

Every number here comes with what qualifies it: a chi-square with its effect size, a share with
its interval, a sample with the bias that it could have seen. Nothing in this module knows about dice.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dicesim.sums import Sums

__all__ = [
    "ChiSquare",
    "Sums",
    "binomial_probabilities",
    "chi_square",
    "fraction",
    "mean_interval",
    "proportion_interval",
    "proportion_intervals",
    "proportion_intervals_of",
]

Floats: TypeAlias = NDArray[np.float64]

# Below this expected count in a cell the chi-square tail is a rough guide (the usual rule).
SMALL_EXPECTATION = 5.0
# Probabilities may miss 1 by the rounding of a printed table, not by a forgotten division.
SUM_TOLERANCE = 1e-6


@dataclass(frozen=True)
class ChiSquare:
    """Result of a chi-square test of counts against probabilities.

    Parameters
    ----------
    statistic : float
        Sum over the cells of (observed - expected)² / expected.
    degrees_of_freedom : int
        Cells of non-zero probability, less one.
    p_value : float
        Probability of a statistic at least this large if the probabilities are right.
    effect_size : float
        Cohen's w, the square root of statistic / n: 0.1 is small, whatever the p-value.
    n : int
        Total of the counts.

    Examples
    --------
    >>> print(ChiSquare(5.36, 5, 0.374, 0.0116, 40_000))
    chi-square 5.36 on 5 degrees of freedom, p = 0.374, effect size w = 0.0116, n = 40,000
    """

    statistic: float
    degrees_of_freedom: int
    p_value: float
    effect_size: float
    n: int

    def __str__(self) -> str:
        p = f"p = {self.p_value:.3g}" if self.p_value > 0 else "p < 1e-300"
        plural = "" if self.degrees_of_freedom == 1 else "s"
        return (
            f"chi-square {self.statistic:.2f} on {self.degrees_of_freedom} degree{plural} of freedom, {p}, "
            f"effect size w = {self.effect_size:.3g}, n = {self.n:,}"
        )


def chi_square(counts: ArrayLike, expected: ArrayLike | None = None) -> ChiSquare:
    """Test counts against probabilities.

    Parameters
    ----------
    counts : array_like of int, shape (k,)
        How often each cell came up: a list, an array or a Series, taken in its own order.
    expected : array_like of float, shape (k,), optional
        Probability of each cell, summing to 1; all equal if not given.
        A cell of probability 0 that was never seen takes no part.

    Returns
    -------
    ChiSquare
        Statistic, degrees of freedom, p-value, effect size and n.

    Raises
    ------
    ValueError
        If the counts are not whole numbers from 0 up, the probabilities do not fit, or an impossible
        cell was seen.

    Warns
    -----
    UserWarning
        If a cell expects fewer than five, where the p-value is rough.

    Examples
    --------
    >>> test = chi_square([3246, 3449, 2897, 2841, 3635, 3932])
    >>> round(test.statistic, 2), test.degrees_of_freedom
    (270.96, 5)
    """
    from scipy.special import chdtrc  # the tail that scipy.stats gives, in a sixth of its time to import

    observed = _counts(counts)
    probabilities = _probabilities(expected, observed.size)
    _refuse_impossible(observed, probabilities)
    possible = probabilities > 0
    n = observed.sum()
    expectation = n * probabilities[possible]
    _warn_if_small(float(expectation.min()))
    statistic = float(np.sum((observed[possible] - expectation) ** 2 / expectation))
    freedom = int(possible.sum()) - 1
    return ChiSquare(statistic, freedom, float(chdtrc(freedom, statistic)), math.sqrt(statistic / n), int(n))


def proportion_interval(successes: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Give the Wilson interval of one proportion.

    Parameters
    ----------
    successes : int
        How often it happened, 0 to n.
    n : int
        How often it could have happened, at least 1.
    confidence : float
        Chance that the interval covers the true proportion, between 0 and 1.

    Returns
    -------
    tuple of float
        Lower and upper end, within 0 and 1.

    Examples
    --------
    >>> low, high = proportion_interval(11_995, 12_000)
    >>> f"{low:.5f} {high:.5f}"
    '0.99902 0.99982'
    """
    if n < 1 or not 0 <= successes <= n:
        raise ValueError(f"a proportion needs 0 <= successes <= n and n >= 1, not {successes} of {n}")
    low, high = proportion_intervals_of([successes], n, confidence)[0]
    return float(low), float(high)


def proportion_intervals(
    counts: ArrayLike, confidence: float = 0.95, method: Literal["wilson", "exact"] = "wilson"
) -> Floats:
    """Give simultaneous intervals of the shares of all cells.

    Intervals of each share with Bonferroni's correction: each of the k cells gets the k-th part of the error.
    Wilson's keep about the confidence asked for all k intervals covering their shares at once. The exact ones, of
    Clopper and Pearson, keep it or more for any shares and however few counts, and are a little wider.

    Parameters
    ----------
    counts : array_like of int, shape (k,)
        How often each cell came up.
    confidence : float
        Chance that every interval covers its share, between 0 and 1.
    method : {"wilson", "exact"}
        Which intervals.

    Returns
    -------
    ndarray of float, shape (k, 2)
        Lower and upper end for each cell, within 0 and 1.

    Examples
    --------
    >>> proportion_intervals([50, 50]).round(3)
    array([[0.391, 0.609],
           [0.391, 0.609]])
    """
    observed = _counts(counts)
    error = (1 - fraction("confidence", confidence)) / observed.size
    return {"wilson": _wilson, "exact": _clopper_pearson}[method](observed, int(observed.sum()), error)


def proportion_intervals_of(successes: ArrayLike, n: int, confidence: float = 0.95) -> Floats:
    """Give the Wilson interval of each of several proportions by itself.

    Parameters
    ----------
    successes : array_like of int, shape (k,)
        How often each happened, 0 to n.
    n : int
        How often each could have happened, at least 1.
    confidence : float
        Chance that any one interval covers its true proportion, between 0 and 1.

    Returns
    -------
    ndarray of float, shape (k, 2)
        Lower and upper end of each, within 0 and 1.

    Examples
    --------
    >>> proportion_intervals_of([0, 50], 100).round(3)
    array([[0.   , 0.037],
           [0.404, 0.596]])
    """
    many = np.asarray(successes, dtype=float)
    if n < 1 or many.ndim != 1 or not (_whole(many) and np.all(many <= n)):
        raise ValueError(f"proportions need a row of whole numbers from 0 to n and n >= 1, not of n = {n}")
    return _wilson(many, n, 1 - fraction("confidence", confidence))


def mean_interval(sample: ArrayLike | Sums, confidence: float = 0.95) -> tuple[float, float]:
    """Give Student's interval of a mean.

    Parameters
    ----------
    sample : array_like of float, shape (n,), or Sums
        The values, or their sums when they were not kept.
    confidence : float
        Chance that the interval covers the true mean, between 0 and 1.

    Returns
    -------
    tuple of float
        Lower and upper end, in the unit of the values.

    Raises
    ------
    ValueError
        If there are fewer than two values, one is not finite, or the confidence is out of range.

    Examples
    --------
    >>> low, high = mean_interval([9, 10, 11])
    >>> f"{low:.2f} {high:.2f}"
    '7.52 12.48'
    """
    from scipy.special import stdtrit

    n, mean, variance = _summed(sample) if isinstance(sample, Sums) else _listed(sample)
    t = float(stdtrit(n - 1, (1 + fraction("confidence", confidence)) / 2))
    half = t * math.sqrt(variance / n)
    return mean - half, mean + half


def binomial_probabilities(trials: int, p: float) -> Floats:
    """Give the probability of each number of successes in independent trials.

    Parameters
    ----------
    trials : int
        Number of trials, at least 0: five for a hand of five dice.
    p : float
        Probability of success in each, 0 to 1.

    Returns
    -------
    ndarray of float, shape (trials + 1,)
        Probabilities of 0, 1, … trials successes; times a number of hands, the expected counts.

    Examples
    --------
    >>> binomial_probabilities(2, 0.5)
    array([0.25, 0.5 , 0.25])
    """
    if trials < 0 or not 0 <= p <= 1:
        raise ValueError(f"a binomial needs trials >= 0 and 0 <= p <= 1, not trials = {trials} and p = {p}")
    return np.array([math.comb(trials, k) * p**k * (1 - p) ** (trials - k) for k in range(trials + 1)])


def fraction(name: str, value: float) -> float:
    """Refuse anything but a number between 0 and 1.

    Parameters
    ----------
    name : str
        What it is.
    value : float
        The number.

    Returns
    -------
    float
        The number.

    Raises
    ------
    ValueError
        If it is 0, 1 or beyond.

    Examples
    --------
    >>> fraction("confidence", 0.95)
    0.95
    """
    if not 0 < value < 1:
        raise ValueError(f"{name} lies between 0 and 1, such as 0.95, not {value}")
    return value


def _whole(values: NDArray[Any]) -> bool:
    return bool(np.all(np.isfinite(values) & (values >= 0) & (values == np.floor(values))))


def _counts(counts: ArrayLike) -> Floats:
    """Counts as floats, which hold whole numbers exactly as far as any count will go."""
    values = np.asarray(counts)
    if values.ndim != 1 or values.size < 2:
        raise ValueError(f"counts are one row of two or more cells, not an array of shape {values.shape}")
    if values.dtype.kind not in "iuf" or not _whole(values):
        shown = np.array2string(values, threshold=6, separator=", ")
        raise ValueError(f"counts are whole numbers from 0 up, such as [31, 28, 35], not {shown}")
    if not values.any():
        raise ValueError("counts are all 0: there is nothing to judge")
    return values.astype(float)


def _probabilities(expected: ArrayLike | None, cells: int) -> Floats:
    if expected is None:
        return np.full(cells, 1 / cells)
    values = np.asarray(expected, dtype=float)
    if values.shape != (cells,):
        raise ValueError(f"expected holds one probability for each of {cells} cells, not shape {values.shape}")
    total = float(values.sum())
    if not (np.all(values >= 0) and abs(total - 1) < SUM_TOLERANCE):
        raise ValueError(f"expected holds probabilities from 0 up that sum to 1; these sum to {total:.6g}")
    if np.count_nonzero(values) < 2:
        raise ValueError("expected leaves only one cell possible: there is nothing to test")
    return values / total


def _refuse_impossible(observed: Floats, probabilities: Floats) -> None:
    impossible = np.flatnonzero((probabilities == 0) & (observed > 0))
    if impossible.size:
        cell = int(impossible[0])
        raise ValueError(f"cell {cell} has probability 0 and yet was seen {observed[cell]:.0f} times")


def _warn_if_small(expectation: float) -> None:
    if expectation < SMALL_EXPECTATION:
        advice = "below 5 the p-value is rough: merge cells or count more"
        warnings.warn(f"a cell expects {expectation:.3g} counts; {advice}", stacklevel=3)


def _summed(sums: Sums) -> tuple[int, float, float]:
    n = sums.n
    if n < 2 or not (math.isfinite(sums.total) and math.isfinite(sums.squares)):
        raise ValueError(f"a mean's interval needs finite sums of at least two values, not {sums}")
    total, squares = Fraction(sums.total), Fraction(sums.squares)  # their difference is small beside them
    return n, float(total / n), max(0.0, float((squares - total * total / n) / (n - 1)))


def _listed(values: ArrayLike) -> tuple[int, float, float]:
    sample = np.asarray(values, dtype=float)
    if sample.ndim != 1 or sample.size < 2 or not np.isfinite(sample).all():
        raise ValueError("a mean's interval needs one row of at least two finite values")
    return sample.size, float(sample.mean()), float(sample.var(ddof=1))


def _wilson(successes: Floats, n: int, error: float) -> Floats:
    from scipy.special import ndtri

    z = -float(ndtri(error / 2))
    share = successes / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + (z / (2 * n)) ** 2)
    # At 0 and n the formula gives 0 and 1 up to rounding; the ends say so exactly.
    low = np.where(successes == 0, 0.0, np.maximum(centre - half, 0.0))
    high = np.where(successes == n, 1.0, np.minimum(centre + half, 1.0))
    return np.stack([low, high], axis=1)


def _clopper_pearson(successes: Floats, n: int, error: float) -> Floats:
    """Ends at which so many successes, or so few, have a chance of half the error."""
    from scipy.special import betainccinv, betaincinv

    low = betaincinv(np.maximum(successes, 1), n - successes + 1, error / 2)
    high = betainccinv(successes + 1, np.maximum(n - successes, 1), error / 2)
    return np.stack([np.where(successes == 0, 0.0, low), np.where(successes == n, 1.0, high)], axis=1)
