"""Shares of the faces."""

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, NullLocator, PercentFormatter

from dicesim._drawing import BLUE, FACE_LOOKS, GREY, INK, ORANGE, TABLE, Floats, finish, own_axes
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


def wobble_shares(wobbles: npt.ArrayLike, counts: npt.ArrayLike, turned: npt.ArrayLike, ax: Axes | None = None) -> Axes:
    """Draw the share of each face against the wobble of a steady hand, and of the same hand turning the die.

    Parameters
    ----------
    wobbles : array_like of float (k,)
        Standard deviation of each velocity component, m/s, rising.
    counts : array_like of int (k, 6)
        How often each face came up at each wobble.
    turned : array_like of int (6,)
        The same with the arm held still and the die turned any way at all.
    ax : matplotlib Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib Axes
        A line for each face with simultaneous 95 % intervals, and the turned die at the right.

    Examples
    --------
    >>> ax = wobble_shares([1e-3, 1e-1], [[60, 0, 0, 0, 0, 0], [20, 8, 8, 8, 8, 8]], [10] * 6)
    >>> ax.get_xlabel()
    'wobble of the hand, m/s'
    """
    places, table = np.asarray(wobbles, dtype=np.float64), np.asarray(counts)
    ax = own_axes(ax, 7.0, 4.5)
    apart = float(places[-1]) * 8
    ax.axhline(1 / 6, color=GREY, linewidth=1, linestyle=(0, (5, 4)), zorder=1)
    ax.axvspan(apart / 2.5, apart * 2.5, color=TABLE, linewidth=0, zorder=0)
    for face, (colour, marker) in enumerate(FACE_LOOKS):
        shares = table[:, face] / table.sum(axis=1)
        bounds = np.array([proportion_intervals(row)[face] for row in table])
        ax.plot(places, shares, color=colour, marker=marker, markersize=5, linewidth=1.4, label=FACES[face], zorder=3)
        ax.vlines(places, *bounds.T, color=colour, linewidth=1.6, zorder=2)
        _one(ax, apart * 1.25 ** (face - 2.5), np.asarray(turned), face)
    ax.set(xscale="log", xlabel="wobble of the hand, m/s", ylabel="share of each face", ylim=(-0.02, 1.05))
    ax.set_xlim(places[0] / 2, apart * 3)
    ax.xaxis.set_major_locator(FixedLocator(list(10.0 ** np.arange(-12, np.log10(places[-1])))))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.yaxis.set_major_formatter(PercentFormatter(1.0, symbol=" %"))
    ax.annotate("arm still,\ndie turned", (apart, 1.0), ha="center", va="top", fontsize=8, color=INK)
    ax.legend(frameon=False, fontsize=8, labelcolor=INK, title="face", title_fontsize=8, loc="center left")
    finish(ax, "Wobbling the arm does not make a die fair, turning it over does", f"{_each(table)}; 95 % intervals")
    return ax


def _one(ax: Axes, place: float, counts: npt.NDArray[np.int64], face: int) -> None:
    """One face of the turned die."""
    colour, marker = FACE_LOOKS[face]
    ax.vlines(place, *proportion_intervals(counts)[face], color=colour, linewidth=1.6)
    ax.scatter(place, counts[face] / counts.sum(), s=22, color=colour, marker=marker, zorder=3)


def _each(table: npt.NDArray[np.int64]) -> str:
    return f"{int(table.sum(axis=1).max()):,} throws at each wobble, one orientation at release"
