"""Whether an answer is the model's or the step's: finer setups, the order of convergence, and pairs of outcomes."""

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from dicesim.crossings import percentiles, resampled
from dicesim.parameters import Setup
from dicesim.releases import Seed
from dicesim.stats import ChiSquare

#: What can be refined: the step on the table, or the band of heights in which corners touch.
PARTS: Final = ("time_step", "contact_band")


def refined(setup: Setup, halvings: int, parts: tuple[str, ...] = PARTS) -> Setup:
    """Halve the step, the band or both, a number of times.

    With the band the turn over which a landing is sought falls as its cube root, because the error of a landing, which
    the band must exceed, goes with the cube of the turn.

    Parameters
    ----------
    setup : Setup
        What is refined.
    halvings : int
        How often, 0 or more.
    parts : tuple of str
        Which of "time_step" and "contact_band".

    Returns
    -------
    Setup
        The finer one.

    Raises
    ------
    ValueError
        If there is no such part, or the solver does not go as fine.

    Examples
    --------
    >>> refined(Setup(), 1, ("time_step",)).solver.time_step
    0.00025
    """
    if halvings < 0 or not set(parts) <= set(PARTS):
        raise ValueError(f"refine {' or '.join(PARTS)} by 0 halvings or more, not {parts!r} by {halvings!r}")
    finer = {part: getattr(setup.solver, part) / 2**halvings for part in parts}
    if "contact_band" in parts and halvings:
        finer["turn"] = float(f"{setup.solver.turn / 2 ** (halvings / 3):.4g}")  # no machine's power decides a bit
    return replace(setup, solver=replace(setup.solver, **finer))


@dataclass(frozen=True)
class Order:
    """By what power of the step an error falls.

    Parameters
    ----------
    order : float
        1 if halving the step halves the error.
    low, high : float
        Ends of its interval.

    Examples
    --------
    >>> print(Order(1.0, 0.9, 1.1))
    1.00 [0.90, 1.10]
    """

    order: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.order:.2f} [{self.low:.2f}, {self.high:.2f}]"


def observed_order(
    changed: npt.ArrayLike, *, confidence: float = 0.95, resamples: int = 1000, rng: Seed = None
) -> Order:
    """Find the order of convergence from which throws changed at each halving of the step.

    The order is the slope of the binary logarithm of the share of throws that changed, by least squares; the interval
    is a percentile bootstrap over throws, for the same throws stand behind every share.

    Parameters
    ----------
    changed : array_like of bool (n, k)
        Whether each of the n throws changed its face at each of the k halvings, the coarsest first.
    confidence : float
        Chance that the interval covers the order.
    resamples : int
        Bootstrap samples.
    rng : Generator, SeedSequence, int or None
        Source of the bootstrap's draws.

    Returns
    -------
    Order
        The order and its interval.

    Raises
    ------
    ValueError
        If there are fewer than two halvings, or one of them changed nothing.

    Examples
    --------
    >>> changed = [[True, True], [True, False]] * 50
    >>> observed_order(changed, rng=1).order
    1.0
    """
    table = np.asarray(changed, dtype=float)
    if table.ndim != 2 or table.shape[1] < 2 or not table.any(axis=0).all():
        raise ValueError("an order needs two or more halvings, each of which changed some throws")
    drawn = np.array([_slope(rates) for rates in resampled(table, resamples, rng)])
    return Order(_slope(table.mean(axis=0)), *percentiles(drawn, confidence))


def _slope(rates: npt.NDArray[np.float64]) -> float:
    if not rates.all():
        return math.inf
    k = np.arange(len(rates)) - (len(rates) - 1) / 2
    return -float(k @ np.log2(rates) / (k @ k))


def paired_shares(first: npt.ArrayLike, second: npt.ArrayLike, cells: int = 6) -> ChiSquare:
    """Test whether the shares of cells are the same in two outcomes of each throw (Stuart and Maxwell).

    Only the throws that changed count, so that it sees far less than a comparison of counts would.

    Parameters
    ----------
    first, second : array_like of int (n,)
        The cell of each throw, before and after.
    cells : int
        How many there are.

    Returns
    -------
    ChiSquare
        Of the differences of the counts; degrees of freedom are those of their covariance.

    Raises
    ------
    ValueError
        If the two are not of one length, or empty.

    Examples
    --------
    >>> test = paired_shares([0] * 30 + [1] * 10, [1] * 30 + [0] * 10, 2)
    >>> round(test.statistic, 9)  # (30 - 10)^2 / (30 + 10), as McNemar has it
    10.0
    """
    from scipy.special import chdtrc

    a, b = np.asarray(first), np.asarray(second)
    if a.shape != b.shape or a.ndim != 1 or not len(a):
        raise ValueError(f"pairs are two rows of one length, at least 1, not of shapes {a.shape} and {b.shape}")
    table = np.zeros((cells, cells))
    np.add.at(table, (a, b), 1)
    np.fill_diagonal(table, 0.0)
    difference = table.sum(axis=1) - table.sum(axis=0)
    covariance = np.diag(table.sum(axis=1) + table.sum(axis=0)) - table - table.T
    freedom = int(np.linalg.matrix_rank(covariance))
    statistic = float(difference @ np.linalg.pinv(covariance, hermitian=True) @ difference)
    p_value = float(chdtrc(freedom, statistic)) if freedom else 1.0
    return ChiSquare(statistic, freedom, p_value, math.sqrt(statistic / len(a)), len(a))
