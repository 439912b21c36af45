"""Shares of the faces."""

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from dicesim._drawing import BLUE, GREY, ORANGE, Floats, finish, own_axes
from dicesim.solids import FACES, STANDARD
from dicesim.stats import chi_square, proportion_intervals


def face_counts(counts: npt.ArrayLike, ax: Axes | None = None, confidence: float = 0.95) -> Axes:
    """Draw the shares of the six faces with simultaneous intervals around the line of a fair die.

    Parameters
    ----------
    counts : array_like of int (6,)
        How often each face came up, faces 0 to 5.
    ax : matplotlib Axes, optional
        Where to draw.
    confidence : float
        Chance that all six intervals cover their shares at once, between 0 and 1.

    Returns
    -------
    matplotlib Axes
        Points and intervals; a face whose interval leaves out 1/6 is orange and hollow.

    Raises
    ------
    ValueError
        If the counts are not six whole numbers, or all are 0.

    Examples
    --------
    >>> ax = face_counts([333_412, 333_021, 333_790, 332_950, 333_405, 333_422])
    >>> ax.get_title(loc="left")
    'Faces of 2,000,000 throws'
    """
    numbers = np.asarray(counts)
    if numbers.shape != (6,):
        raise ValueError(f"a die has six counts, one for each face, not an array of shape {numbers.shape}")
    test, intervals = chi_square(numbers), proportion_intervals(numbers, confidence)
    ax = own_axes(ax, 6.4, 4.2)
    ax.axhline(1 / 6, color=GREY, linewidth=1, linestyle=(0, (5, 4)), zorder=1)
    ax.annotate("1/6", (5.62, 1 / 6), (0, 3), textcoords="offset points", ha="right", color=GREY, fontsize=8)
    _points(ax, numbers / numbers.sum(), intervals)
    ax.set_xticks(range(6), [f"{f}\npip {p}\n{n:,}" for f, p, n in zip(FACES, STANDARD, numbers, strict=True)])
    spread = 1.2 * float(np.abs(intervals - 1 / 6).max())
    ax.set(xlim=(-0.62, 5.62), ylim=(max(1 / 6 - spread, 0.0), min(1 / 6 + spread, 1.0)))
    ax.set_ylabel(f"share, with {confidence * 100:g} % intervals of all six together")
    ax.yaxis.set_major_formatter(PercentFormatter(1.0, symbol=" %"))
    finish(ax, f"Faces of {test.n:,} throws", str(test))
    return ax


def _points(ax: Axes, shares: Floats, intervals: Floats) -> None:
    low, high = intervals.T
    unfair = (low > 1 / 6) | (high < 1 / 6)
    colours = np.where(unfair, ORANGE, BLUE)
    fills = np.where(unfair, "#FFFFFF", BLUE)
    ax.vlines(range(6), low, high, colors=list(colours), linewidth=2.5, zorder=2)
    ax.scatter(range(6), shares, s=52, c=list(fills), edgecolors=list(colours), linewidths=1.8, zorder=3)
