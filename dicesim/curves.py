"""The curve of a flip rate against the size of a change: its scale, its far asymptote, and its exponent.

A change of size eps flips the share f(eps) of the outcomes. Two laws meet in it. While eps is small, an outcome flips
if a boundary between outcomes passes within about eps of its start, so f grows as eps^alpha: alpha is the *uncertainty
exponent*, 1 where boundaries are smooth. When eps is large the two outcomes have nothing in common, and f levels off
at an asymptote A, which is 5/6 for faces that are all as likely whatever the change, and less if they are not. A
curve that does both, and may turn from the one to the other at once or slowly, is

    f(eps) = A (1 - (1 + (eps / eps0)^alpha / nu)^-nu),

the logistic curve in log eps for nu = 1, Weibull's for large nu. (It is what comes out if each throw has a scale of its
own, Weibull for one scale, and these vary with a gamma law of shape nu.) It is fitted by maximum likelihood, each
change having its own number of flips. It supposes a shape; the isotonic fit of `dicesim.crossings` supposes none, and
where the two differ by more than their intervals the shape is wrong.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dicesim.crossings import NoCrossing, Rng, check_flips, percentiles, resampled

__all__ = ["Estimate", "FlipCurve", "fit_curve", "tail_exponent"]

Floats: TypeAlias = NDArray[np.float64]

CERTAIN = 1e-9  # how near to 0 and 1 a fitted rate may come, so that its logarithm is finite
# All but the scale are pulled, ever so weakly, towards usual values, so that few flips cannot send them to infinity:
# beside the likelihood of hundreds of throws the pull moves no digit that is shown.
_PULL = np.array([2e-6, 0.0, 2e-6, 2e-6])
_USUAL = np.array([1.6, 0.0, 0.0, 0.5])


class Estimate(NamedTuple):
    """A number with its interval.

    Parameters
    ----------
    value : float
        The estimate.
    low, high : float
        Ends of its interval.

    Examples
    --------
    >>> print(Estimate(0.0172, 0.0158, 0.0188))
    0.0172 [0.0158, 0.0188]
    """

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.3g} [{self.low:.3g}, {self.high:.3g}]"


@dataclass(frozen=True)
class FlipCurve:
    """A fitted curve of flip rates.

    Parameters
    ----------
    scale : Estimate
        Where it crosses the level, in the unit of the changes.
    asymptote : Estimate
        The rate that it levels off at.
    exponent : Estimate
        The power of eps with which it begins.
    bend : Estimate
        How sharply it turns from the one law to the other: nu.
    level : float
        The rate that is crossed.
    confidence : float
        Chance that an interval covers the true number.
    throws : int
        Throws behind every rate.

    Examples
    --------
    >>> one, top = Estimate(1.0, 0.9, 1.1), Estimate(0.8, 0.8, 0.8)
    >>> curve = FlipCurve(scale=one, asymptote=top, exponent=one, bend=one, level=0.4, confidence=0.95, throws=100)
    >>> curve.at([1.0]).round(6).tolist()
    [0.4]
    """

    scale: Estimate
    asymptote: Estimate
    exponent: Estimate
    bend: Estimate
    level: float
    confidence: float
    throws: int

    def at(self, eps: ArrayLike) -> Floats:
        """Give the fitted rate at changes.

        Parameters
        ----------
        eps : array_like of float
            Changes, above 0.

        Returns
        -------
        ndarray of float
            As many rates.

        Examples
        --------
        >>> one, half = Estimate(1.0, 1.0, 1.0), Estimate(0.5, 0.5, 0.5)
        >>> curve = FlipCurve(one, half, one, one, level=0.25, confidence=0.95, throws=100)
        >>> curve.at([1.0, 1e9]).round(3).tolist()
        [0.25, 0.5]
        """
        asymptote, exponent, bend = self.asymptote.value, self.exponent.value, self.bend.value
        start = _reach(self.level / asymptote, bend)
        ratio = np.asarray(eps, dtype=np.float64) / self.scale.value
        rates: Floats = -asymptote * np.expm1(-bend * np.log1p(start * ratio**exponent / bend))
        return rates


def fit_curve(
    eps: ArrayLike,
    flips: ArrayLike,
    level: float = 5 / 12,
    *,
    confidence: float = 0.95,
    resamples: int = 300,
    rng: Rng = None,
) -> FlipCurve:
    """Fit a curve to flips, with a bootstrap over throws.

    Parameters
    ----------
    eps : array_like of float, shape (k,)
        Changes, positive and distinct, in any order.
    flips : array_like of bool, shape (n, k)
        Whether each of the n throws changed its outcome under each change.
    level : float
        Rate whose crossing is the scale, by default half of the 5/6 at which two fair dice differ.
    confidence : float
        Chance that each interval covers the true number, between 0 and 1.
    resamples : int
        Number of bootstrap samples, at least 100.
    rng : Generator, SeedSequence, int or None
        Source of the bootstrap's draws.

    Returns
    -------
    FlipCurve
        Scale, asymptote, exponent and bend with their intervals.

    Raises
    ------
    NoCrossing
        If the fitted curve, or too much of the bootstrap, does not cross the level within the changes measured.
    ValueError
        If an argument is out of range or the shapes do not fit.

    Examples
    --------
    >>> eps = np.logspace(-4, 0, 25)
    >>> rates = 0.8 / (1 + (1e-2 / eps))
    >>> flips = np.random.default_rng(1).random((2000, 1)) < rates
    >>> curve = fit_curve(eps, flips, level=0.4, resamples=100, rng=1)
    >>> 0.008 < curve.scale.low < 0.01 < curve.scale.high < 0.012
    True
    """
    where, flipped = check_flips(eps, flips, level, confidence, resamples)
    rates = flipped.mean(axis=0)
    best = _likeliest(where, rates, _guess(where, rates))
    fitted = _numbers(best, level)
    if not where[0] <= fitted[0] <= where[-1]:
        raise NoCrossing(f"the fitted curve does not cross {level:.4g} within the changes (highest {rates.max():.4g})")
    again = (_likeliest(where, rates, best) for rates in resampled(flipped, resamples, rng))
    drawn = np.array([_numbers(x, level) for x in again])
    ends = [percentiles(column, confidence) for column in drawn.T]
    scale, asymptote, exponent, bend = (Estimate(value, *end) for value, end in zip(fitted, ends, strict=True))
    scale = Estimate(*(math.exp(value) for value in scale))
    return FlipCurve(scale, asymptote, exponent, bend, level, confidence, len(flipped))


def tail_exponent(
    eps: ArrayLike,
    flips: ArrayLike,
    *,
    confidence: float = 0.95,
    resamples: int = 300,
    rng: Rng = None,
) -> Estimate:
    """Fit the power with which flip rates grow while changes are small.

    The counts of flips are fitted by c eps^alpha, by the likelihood of rare events (Poisson's); the interval is a
    bootstrap over throws.

    Parameters
    ----------
    eps : array_like of float, shape (k,)
        Changes, positive and distinct, all well below the scale of the curve.
    flips : array_like of bool, shape (n, k)
        Whether each of the n throws changed its outcome under each change.
    confidence : float
        Chance that the interval covers the true exponent, between 0 and 1.
    resamples : int
        Number of bootstrap samples, at least 100.
    rng : Generator, SeedSequence, int or None
        Source of the bootstrap's draws.

    Returns
    -------
    Estimate
        The uncertainty exponent.

    Raises
    ------
    ValueError
        If fewer than two changes flip anything, or an argument is out of range.

    Examples
    --------
    >>> eps = np.logspace(-3, -1, 9)
    >>> flips = np.random.default_rng(1).random((5_000, 1)) < eps
    >>> alpha = tail_exponent(eps, flips, resamples=100, rng=1)
    >>> alpha.low < 1 < alpha.high
    True
    """
    where, flipped = check_flips(eps, flips, 0.5, confidence, resamples)
    if np.count_nonzero(flipped.any(axis=0)) < 2:
        raise ValueError("an exponent needs flips under two changes or more; measure larger changes or throw more")
    drawn = np.array([_power(where, rates) for rates in resampled(flipped, resamples, rng)])
    return Estimate(_power(where, flipped.mean(axis=0)), *percentiles(drawn, confidence))


def _power(where: Floats, rates: Floats) -> float:
    """The exponent of the likeliest power law of Poisson counts.

    With shares s_i = rate_i / sum of rates the likelihood is that of a multinomial with probabilities proportional to
    eps_i^alpha; it is largest where the mean of log eps under these equals that under the shares, and that mean grows
    with alpha.
    """
    from scipy.optimize import brentq

    target = float(rates @ where / rates.sum())

    def excess(alpha: float) -> float:
        weights = np.exp(alpha * (where - where[-1]))
        return float(weights @ where / weights.sum()) - target

    return float(brentq(excess, -20, 20, xtol=1e-6)) if excess(-20) < 0 < excess(20) else math.inf


def _guess(where: Floats, rates: Floats) -> Floats:
    """Where to begin: logit of the asymptote, log eps0, and the logarithms of exponent and bend."""
    top = min(max(float(rates.max()), 0.05), 0.95)
    middle = where[int(np.argmax(rates >= top / 2))]
    return np.array([math.log(top / (1 - top)), middle, *_USUAL[2:]])


def _likeliest(where: Floats, rates: Floats, start: Floats) -> Floats:
    """The parameters of the likeliest curve."""
    from scipy.optimize import minimize

    found = minimize(
        _loss, start, (where, rates), jac=True, hess=_bending, method="trust-exact", options={"gtol": 1e-7}
    )
    best: Floats = found.x
    return best


def _numbers(x: Floats, level: float) -> tuple[float, float, float, float]:
    """Log scale at the level, inf if the curve stays below it, then asymptote, exponent and bend."""
    asymptote, half, exponent, bend = _shape(x)
    crossing = half + math.log(_reach(level / asymptote, bend)) / exponent if asymptote > level else math.inf
    return crossing, asymptote, exponent, bend


def _reach(share: float, bend: float) -> float:
    """The (eps / eps0)^alpha at which the curve has come to a share of its asymptote."""
    return bend * math.expm1(-math.log1p(-share) / bend)


def _shape(x: Any) -> tuple[float, float, float, float]:
    asymptote, exponent, bend = (math.exp(min(max(value, -30.0), 30.0)) for value in (x[0], x[2], x[3]))
    return asymptote / (1 + asymptote), float(x[1]), exponent, bend


def _model(x: Any, where: Floats) -> tuple[Floats, Floats]:
    """The rates of a curve, and their derivatives by its parameters, row by row.

    With t = (eps / eps0)^alpha and s = log(1 + t / nu) the curve is f = A (1 - exp(-nu s)). Its derivatives are
    f (1 - A) for the logit of A; A t exp(-(nu + 1) s) for log t, which is alpha (log eps - log eps0); and
    A nu exp(-nu s) (s - t / (nu + t)) for log nu.
    """
    asymptote, half, exponent, bend = _shape(x)
    away = exponent * (where - half)
    t = np.exp(np.minimum(away, 600.0))
    s = np.log1p(t / bend)
    left = np.exp(-bend * s)
    f = np.clip(asymptote * (1 - left), CERTAIN, 1 - CERTAIN)
    steepness = asymptote * t * left / (1 + t / bend)
    turn = asymptote * bend * left * (s - t / (bend + t))
    return f, np.array([f * (1 - asymptote), -exponent * steepness, away * steepness, turn])


def _loss(x: Any, where: Floats, rates: Floats) -> tuple[float, Floats]:
    """Minus the mean log-likelihood of the rates, with the pull, and its gradient."""
    f, parts = _model(x, where)
    away = _PULL * (x - _USUAL)
    loss = -float(np.mean(rates * np.log(f) + (1 - rates) * np.log1p(-f))) + 0.5 * float(away @ (x - _USUAL))
    return loss, parts @ ((f - rates) / (f * (1 - f)) / len(where)) + away


def _bending(x: Any, where: Floats, rates: Floats) -> Floats:
    """What the second derivatives of the loss are on average (Fisher's information)."""
    f, parts = _model(x, where)
    information: Floats = (parts / (f * (1 - f)) / len(where)) @ parts.T + np.diag(_PULL)
    return information
