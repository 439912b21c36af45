"""Throws that break a symmetry, against the precision of the arithmetic."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from dicesim._drawing import BLUE, GREEN, GREY, INK, ORANGE, finish, own_axes

Points = Sequence[Mapping[str, Any]]

_LOOKS = {
    "none": (ORANGE, "s", "the sign of a rounding error decides"),
    "shipped": (BLUE, "o", "the shipped tolerance decides"),
    "wide": (GREEN, "^", "rounding errors decide nothing"),
}
SOURCE = 5 / 12_000  # share of the source's throws


def failures_by_precision(curves: Mapping[str, Points], fit: Mapping[str, Any], ax: Axes | None = None) -> Axes:
    """Draw the share of throws that a relabelling does not permute against the bits that are kept.

    Parameters
    ----------
    curves : mapping of str to sequence of mapping
        For the tolerances ``none``, ``shipped`` and ``wide`` points with ``bits``, ``throws``, ``failures``, ``share``,
        ``low`` and ``high``, as the experiment `inexact` gives them.
    fit : mapping
        The fitted power law of the last: estimate ``alpha`` and ``bits_of_source``.
    ax : matplotlib Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib Axes
        Shares with 95 % intervals; where nothing failed, an arrow down from the upper end.

    Examples
    --------
    >>> point = {"bits": 14, "throws": 1000, "failures": 4, "share": 0.004, "low": 0.002, "high": 0.01}
    >>> alpha = {"value": 1.0, "low": 0.9, "high": 1.1}
    >>> ax = failures_by_precision({"wide": [point]}, {"alpha": alpha, "bits_of_source": 17.3})
    >>> ax.get_yscale()
    'log'
    """
    ax = own_axes(ax, 7.5, 4.8)
    for name, points in curves.items():
        _curve(ax, points, *_LOOKS[name])
    bits = np.array([13.0, 53.0])
    line = SOURCE * 2.0 ** (-fit["alpha"]["value"] * (bits - fit["bits_of_source"]))
    ax.plot(bits, line, color=GREEN, linewidth=1, linestyle=(0, (5, 4)), zorder=1)
    ax.axhline(SOURCE, color=GREY, linewidth=0.8, linestyle=(0, (5, 4)), zorder=1)
    ax.annotate("5 of 12,000, the source", (53, SOURCE), (0, 3), textcoords="offset points", ha="right", fontsize=8)
    ax.texts[-1].set_color(GREY)
    ax.set(yscale="log", ylim=(2e-6, 0.05), xlim=(12.5, 54))
    ax.set(xlabel="bits kept of each component of the axes (53: double precision)")
    ax.set_ylabel("share of throws whose face is not permuted")
    ax.yaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:g} %"))
    ax.legend(frameon=False, fontsize=8, loc="upper right", bbox_to_anchor=(1, 0.72), labelcolor=INK)
    slope = f"dashed: the fitted power of the rounding, {fit['alpha']['value']:.2f}"
    finish(ax, "A branch that rounding decides, not chaos, breaks the symmetry", f"95 % intervals; {slope}")
    return ax


def _curve(ax: Axes, points: Points, colour: str, marker: str, words: str) -> None:
    bits, shares, low, high = (np.array([row[key] for row in points]) for key in ("bits", "share", "low", "high"))
    seen = shares > 0
    ax.vlines(bits[seen], low[seen], high[seen], color=colour, linewidth=1.8)
    ax.plot(bits[seen], shares[seen], color=colour, marker=marker, markersize=5, linewidth=1, label=words)
    for place, end in zip(bits[~seen], high[~seen], strict=True):
        ax.annotate("", (place, end / 3), (place, end), arrowprops={"arrowstyle": "-|>", "color": colour})
        ax.scatter(place, end, marker="_", color=colour, s=60)
