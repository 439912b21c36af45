"""How surprising counts of equally likely cells are: exactly, by simulation, or from the chi-square distribution.

With k cells alike and n counts the chi-square statistic is k / n times the sum of the squared counts, less n. To
compare statistics is therefore to compare sums of squares, which are whole numbers.

Exactly: the counts are distributed as k independent Poisson numbers of mean n / k, given that these add up to n. The
cells are taken in one after another, and for each total so far and each sum of squares so far the chance is kept; what
exceeds the observed sum of squares shares one last column. Only positive numbers are added, so that nothing cancels
and small chances are as precise as large ones. That takes about k n q^1.5 steps, q being the observed sum of squares.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dicesim.stats import SMALL_EXPECTATION

__all__ = ["Method", "Tails", "tails"]

Floats: TypeAlias = NDArray[np.float64]
Method: TypeAlias = Literal["exact", "simulated", "asymptotic"]

MOST_STEPS = 3e8  # about a third of a second
SIMULATED, AT_ONCE = 20_000, 1_000


@dataclass(frozen=True)
class Tails:
    """How likely counts at least, and at most, as uneven as some are, if all cells are equally likely.

    Parameters
    ----------
    upper : float
        Chance of a chi-square statistic at least as large: the p-value.
    lower : float
        Chance of one at most as large.
    method : {"exact", "simulated", "asymptotic"}
        Where the chances are from.
    standard_error : float, optional
        That of the p-value, if it is simulated.

    Examples
    --------
    >>> print(tails([4, 0]))
    p = 0.125 (exact)
    """

    upper: float
    lower: float
    method: Method
    standard_error: float | None = None

    def __str__(self) -> str:
        p = f"p = {self.upper:.3g}" if self.upper > 0 else "p < 1e-300"
        error = "" if self.standard_error is None else f", standard error {self.standard_error:.1g}"
        return f"{p} ({self.method}{error})"


def tails(counts: Sequence[int], *, rng: Any = None) -> Tails:
    """Give the chances of counts as uneven, and as even, as these, if all cells are equally likely.

    They are exact where that takes a fraction of a second: up to about 150 counts of six cells, or 170 of twenty.
    Beyond, they are simulated if a cell expects fewer than five counts, and else those of the chi-square distribution.

    Parameters
    ----------
    counts : sequence of int
        How often each cell came up; not all 0.
    rng : Generator, SeedSequence, int or None
        Where a simulation, if it takes one, gets its draws.

    Returns
    -------
    Tails
        The chances, and where they are from.

    Examples
    --------
    Of the 36 equally likely pairs of a die, six show one face twice:

    >>> print(tails([2, 0, 0, 0, 0, 0]))
    p = 0.167 (exact)
    >>> print(tails([3246, 3449, 2897, 2841, 3635, 3932]))
    p = 1.74e-56 (asymptotic)
    """
    cells, n, squares = len(counts), sum(counts), sum(count * count for count in counts)
    if cells * n * squares**1.5 <= MOST_STEPS:
        return _exact(cells, n, squares)
    if n < SMALL_EXPECTATION * cells:
        return _simulated(cells, n, squares, np.random.default_rng(rng))
    return _asymptotic(cells, n, squares)


def _exact(cells: int, n: int, squares: int) -> Tails:
    mean = n / cells
    weights = [math.exp(x * math.log(mean) - mean - math.lgamma(x + 1)) for x in range(n + 1)]
    chances = np.zeros((n + 1, squares + 2))
    chances[0, 0] = 1.0
    for _ in range(cells):
        chances = _one_cell_more(chances, weights)
    given = chances[n] / chances[n].sum()
    upper, lower = (min(float(part.sum()), 1.0) for part in (given[squares:], given[: squares + 1]))
    return Tails(upper, lower, "exact")


def _one_cell_more(chances: Floats, weights: Sequence[float]) -> Floats:
    """Chances by total (row) and sum of squares (column, the last for all that is more) with another cell taken in."""
    more, last = np.zeros_like(chances), chances.shape[1] - 1
    for x, weight in enumerate(weights):
        shift, rows = min(x * x, last), chances[: len(chances) - x]
        more[x:, shift:] += weight * rows[:, : last + 1 - shift]
        more[x:, last] += weight * rows[:, last + 1 - shift :].sum(axis=1)
    return more


def _simulated(cells: int, n: int, squares: int, rng: np.random.Generator) -> Tails:
    """Tails of simulated counts. The observed ones are counted with them, so that no chance is 0."""
    shares = np.full(cells, 1 / cells)
    drawn = np.concatenate(
        [(rng.multinomial(n, shares, size=AT_ONCE) ** 2).sum(axis=1) for _ in range(SIMULATED // AT_ONCE)]
    )
    upper, lower = (float(1 + hits.sum()) / (1 + SIMULATED) for hits in (drawn >= squares, drawn <= squares))
    return Tails(upper, lower, "simulated", math.sqrt(upper * (1 - upper) / SIMULATED))


def _asymptotic(cells: int, n: int, squares: int) -> Tails:
    from scipy.special import chdtr, chdtrc

    statistic = (cells * squares - n * n) / n
    return Tails(float(chdtrc(cells - 1, statistic)), float(chdtr(cells - 1, statistic)), "asymptotic")
