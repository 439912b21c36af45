"""Shares of a real die's faces, beside the margin that was asked about."""

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from dicesim._drawing import BLUE, GREEN, GREY, ORANGE, finish, own_axes
from dicesim.verdicts import FairnessTest, interval_heading

CROWD = 12  # faces up to which each has its count under it; up to twice as many, its name


def fairness_verdict(test: FairnessTest, ax: Axes | None = None, *, title: str | None = None) -> Axes:
    """Draw the shares of a die's faces with their intervals, the share of a fair die, and the margin around it.

    Parameters
    ----------
    test : FairnessTest
        What `dicesim.fairness_test` gave.
    ax : matplotlib Axes, optional
        Where to draw.
    title : str, optional
        The title, instead of the number of rolls.

    Returns
    -------
    matplotlib Axes
        Points and intervals; a face that is off by more than the margin is orange and hollow.

    Examples
    --------
    >>> from dicesim import fairness_test
    >>> ax = fairness_verdict(fairness_test([72, 61, 70, 59, 68, 70]))
    >>> ax.get_title(loc="left")
    '400 rolls of a d6: cannot tell'
    """
    ax = own_axes(ax, 6.4, 4.2)
    sides, fair = len(test.faces), 1 / len(test.faces)
    ax.axhspan(fair - test.margin, fair + test.margin, color=GREEN, alpha=0.13, linewidth=0, zorder=0)
    ax.axhline(fair, color=GREY, linewidth=1, linestyle=(0, (5, 4)), zorder=1)
    _points(ax, test)
    crowded, step = sides > CROWD, math.ceil(sides / (2 * CROWD))
    labels = [face if crowded else f"{face}\n{n:,}" for face, n in zip(test.faces, test.counts, strict=True)]
    ax.set_xticks(range(0, sides, step), labels[::step])
    spread = 1.15 * max(test.reach, test.margin)
    ax.set(xlim=(-0.6, sides - 0.4), ylim=(max(fair - spread, 0.0), min(fair + spread, 1.0)))
    ax.set(xlabel="face" if crowded else "face and its count", ylabel=f"share, with {interval_heading(test)}")
    ax.yaxis.set_major_formatter(PercentFormatter(1.0, symbol=" %"))
    margin = f"band: 1/{sides} ± {100 * test.margin:.3g} points"
    finish(ax, title or f"{test.n:,} rolls of a d{sides}: {test.verdict}", f"{test.tails};  {margin}")
    return ax


def _points(ax: Axes, test: FairnessTest) -> None:
    places, (low, high) = np.arange(len(test.faces)), np.array(test.intervals).T
    off = np.isin(test.faces, test.beyond)
    colours = np.where(off, ORANGE, BLUE)
    fills = np.where(off, "#FFFFFF", BLUE)
    slim = min(1.0, 2 * CROWD / len(places))
    ax.vlines(places, low, high, colors=list(colours), linewidth=2.5 * slim, zorder=2)
    ax.scatter(
        places, test.shares, s=52 * slim**2, c=list(fills), edgecolors=list(colours), linewidths=1.8 * slim, zorder=3
    )
