"""How many throws change their face as the solver is refined."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from dicesim._drawing import BLUE, GREEN, INK, ORANGE, VIOLET, finish, own_axes

_LOOKS = ((BLUE, "o"), (ORANGE, "s"), (GREEN, "^"), (VIOLET, "D"))


def step_convergence(
    series: Mapping[str, Sequence[Mapping[str, Any]]], title: str, subtitle: str, ax: Axes | None = None
) -> Axes:
    """Draw shares of changed faces against how much finer the solver is, each with its interval.

    Parameters
    ----------
    series : mapping of str to sequence of mapping
        Points by the label of their line: ``halvings``, ``share``, ``low`` and ``high``. A share of 0 has no place on a
        logarithmic axis: its interval ends in an arrow.
    title, subtitle : str
        What stands above.
    ax : matplotlib Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib Axes
        Both axes logarithmic.

    Examples
    --------
    >>> points = [{"halvings": k, "share": 0.01 / 2**k, "low": 0.008 / 2**k, "high": 0.012 / 2**k} for k in range(4)]
    >>> ax = step_convergence({"time step": points}, "Faces changed", "by halving")
    >>> ax.get_xlabel()
    'step and band, as a part of the shipped ones'
    """
    ax = own_axes(ax, 7.0, 4.5)
    for k, ((label, points), look) in enumerate(zip(series.items(), _LOOKS, strict=False)):
        _line(ax, points, look, label, aside=1.02**k)
    most = max(point["halvings"] for points in series.values() for point in points)
    ax.set(xscale="log", yscale="log", xlabel="step and band, as a part of the shipped ones", ylabel="share of throws")
    ax.set_xticks([2**-k for k in range(most + 1)], ["1"] + [f"1/{2**k}" for k in range(1, most + 1)])
    ax.xaxis.set_minor_locator(NullLocator())
    ax.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:g} %"))
    ax.yaxis.set_minor_locator(NullLocator())
    ax.grid(axis="y", color="#E8E8E8", linewidth=0.6)
    ax.set_axisbelow(True)
    ax.legend(fontsize=8, frameon=False, labelcolor=INK, loc="best")
    finish(ax, title, subtitle)
    return ax


def _line(ax: Axes, points: Sequence[Mapping[str, Any]], look: tuple[str, str], label: str, aside: float) -> None:
    """One series, moved aside a little so that intervals stay apart."""
    x, share, low, high = (np.array([point[key] for point in points]) for key in ("halvings", "share", "low", "high"))
    x, seen, (colour, marker) = aside * 2.0 ** -x.astype(float), share > 0, look
    ax.vlines(x[seen], low[seen], high[seen], color=colour, linewidth=1.4, alpha=0.7)
    ax.scatter(x[~seen], high[~seen], marker="v", color=colour, s=22)
    ax.plot(x[seen], share[seen], color=colour, marker=marker, markersize=5, linewidth=1.3, label=label)
