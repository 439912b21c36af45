"""Flip rates against the size of a change, and the scales that they come to."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

from dicesim._drawing import BLUE, GREEN, GREY, INK, ORANGE, VIOLET, finish, own_axes, panels
from dicesim.curves import Estimate, FlipCurve
from dicesim.stats import proportion_intervals_of

# Told apart by colour and by marker.
_LOOKS = {
    "position": (VIOLET, "D"),
    "velocity": (BLUE, "o"),
    "angular velocity": (ORANGE, "s"),
    "orientation": (GREEN, "^"),
}


def flip_rates(rows: Sequence[Mapping[str, Any]], throws: int, ax: Axes | None = None) -> Axes:
    """Draw how often the face changes against the change of one number of the release, and the scale of each.

    Parameters
    ----------
    rows : sequence of mapping
        One for each number of the release, as the experiment `decorrelation` gives them: ``coordinate``, ``unit`` and
        ``flipped``, and unless that is 0 ``eps``, ``flips`` and the fitted ``scale``, ``asymptote``, ``exponent`` and
        ``bend``.
    throws : int
        Throws behind every rate.
    ax : matplotlib Axes, optional
        Whose place to draw in.

    Returns
    -------
    matplotlib Axes
        The Axes of the rates; those of the scales stand to the right of it.

    Examples
    --------
    >>> one = {"value": 1e-2, "low": 9e-3, "high": 1.1e-2}
    >>> flat = {"value": 0.8, "low": 0.8, "high": 0.8}
    >>> row = {"coordinate": "velocity z", "unit": "m/s", "flipped": 40}
    >>> rates = {"eps": [1e-3, 1e-2, 1e-1], "flips": [8, 42, 72]}
    >>> ax = flip_rates([row | rates | {"scale": one, "asymptote": flat, "exponent": flat, "bend": flat}], 100)
    >>> ax.get_ylabel()
    'share of throws whose face changes'
    """
    left, right = panels(own_axes(ax, 9.0, 5.0), 1, 2)
    moving = [row for row in rows if row["flipped"]]
    for row in moving:
        _rates(left, row, throws)
    _frame(left, moving)
    _scales(right, moving, [row for row in rows if not row["flipped"]])
    return left


def _look(row: Mapping[str, Any]) -> tuple[str, str]:
    return _LOOKS[str(row["coordinate"]).rsplit(" ", 1)[0]]


def _rates(ax: Axes, row: Mapping[str, Any], throws: int) -> None:
    """Points with intervals where anything flipped, and the fitted curve."""
    colour, marker = _look(row)
    eps, flipped = np.array(row["eps"]), np.array(row["flips"])
    seen = flipped > 0
    low, high = proportion_intervals_of(flipped[seen], throws).T
    ax.vlines(eps[seen], low, high, color=colour, linewidth=0.8, alpha=0.5)
    ax.scatter(eps[seen], flipped[seen] / throws, s=9, color=colour, marker=marker, linewidths=0, zorder=3)
    fine = np.geomspace(eps[seen].min(), eps.max(), 300)
    ax.plot(fine, _curve(row, throws).at(fine), color=colour, linewidth=1.2, alpha=0.8)


def _curve(row: Mapping[str, Any], throws: int) -> FlipCurve:
    parts = {name: Estimate(**row[name]) for name in ("scale", "asymptote", "exponent", "bend")}
    return FlipCurve(**parts, level=5 / 12, confidence=0.95, throws=throws)


def _frame(ax: Axes, rows: Sequence[Mapping[str, Any]]) -> None:
    for level, name in ((5 / 6, "5/6: nothing in common"), (5 / 12, "half of it")):
        ax.axhline(level, color=GREY, linewidth=0.8, linestyle=(0, (5, 4)), zorder=1)
        ax.annotate(name, (0.01, level), (0, 3), xycoords=("axes fraction", "data"), textcoords="offset points")
        ax.texts[-1].set(fontsize=8, color=GREY)
    largest = max((float(row["eps"][-1]) for row in rows), default=1.0)
    ax.set(xscale="log", yscale="log", xlim=(1e-7, 2 * largest), ylim=(2e-4, 1.4))
    ax.set(xlabel="change of one number of the release, in its SI unit", ylabel="share of throws whose face changes")
    ax.yaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:g} %"))
    ax.xaxis.set_major_locator(LogLocator(10, numticks=9))
    ax.xaxis.set_minor_locator(NullLocator())
    finish(ax, "Small changes, other faces", "with 95 % intervals and fitted curves")


def _scales(ax: Axes, rows: Sequence[Mapping[str, Any]], idle: Sequence[Mapping[str, Any]]) -> None:
    """The scale of each number of the release with its interval, and what has none."""
    for place, row in enumerate(rows):
        colour, marker = _look(row)
        scale = Estimate(**row["scale"])
        ax.hlines(place, scale.low, scale.high, color=colour, linewidth=2.5)
        ax.scatter(scale.value, place, s=16, color=colour, marker=marker, zorder=3)
        words = f"{scale.value:.2g} [{scale.low:.2g}, {scale.high:.2g}] {row['unit']}"
        ax.annotate(words, (scale.high, place), (7, -3), textcoords="offset points")
        ax.texts[-1].set(fontsize=8, color=INK)
    for place, row in enumerate(idle, len(rows)):
        words = f"no effect up to {row['largest']:g} {row['unit']}: 0 of {row['of']:,}"
        ax.annotate(words, (0.03, place), (0, -3), xycoords=("axes fraction", "data"), textcoords="offset points")
        ax.texts[-1].set(fontsize=8, color=GREY)
    names = [str(row["coordinate"]) for row in (*rows, *idle)]
    ax.set_yticks(range(len(names)), names)
    ax.set(xscale="log", xlim=(2e-3, 30), ylim=(len(names) - 0.4, -0.6))
    ax.set_xlabel("change at which half as many faces change, in its SI unit")
    finish(ax, "The scale of each number", "where a fitted curve crosses 5/12, with 95 % intervals")


def scale_against_contacts(
    contacts: npt.ArrayLike,
    scales: Sequence[Mapping[str, float]],
    line: tuple[float, float] | None = None,
    labels: Sequence[str] = (),
    title: str = "Each contact multiplies a small change",
    points: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw the scale of the vertical velocity against the number of contacts.

    Parameters
    ----------
    contacts : array_like of float (k,)
        Contacts of each group of throws.
    scales : sequence of mapping (k,)
        ``value``, ``low`` and ``high`` of the scale of each, m/s.
    line : (float, float), optional
        Scale at no contact, m/s, and the factor by which it falls at each: a fitted line.
    labels : sequence of str, optional
        What to write at each point.
    title, points : str
        Title of the figure, and what a point is.
    ax : matplotlib Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib Axes
        Points with intervals on a logarithmic scale.

    Examples
    --------
    >>> scales = [{"value": 1e-2, "low": 9e-3, "high": 1.1e-2}, {"value": 5e-3, "low": 4e-3, "high": 6e-3}]
    >>> ax = scale_against_contacts([8, 10], scales, (0.16, 2**0.5))
    >>> ax.get_xlabel()
    'contacts of a throw'
    """
    ax = own_axes(ax, 7.0, 4.5)
    places = np.asarray(contacts, dtype=np.float64)
    values, low, high = (np.array([row[key] for row in scales]) for key in ("value", "low", "high"))
    if line is not None:
        ends = np.array([places.min() - 0.5, places.max() + 0.5])
        ax.plot(ends, line[0] / line[1] ** ends, color=GREY, linewidth=1.2, linestyle=(0, (5, 4)), zorder=1)
    ax.vlines(places, low, high, color=BLUE, linewidth=2.2)
    ax.scatter(places, values, s=30, color=BLUE, zorder=3)
    for place, value, label in zip(places, values, labels, strict=False):
        ax.annotate(label, (place, value), (7, 4), textcoords="offset points", fontsize=8, color=INK)
    ax.set(yscale="log", xlabel="contacts of a throw", ylabel="scale of the vertical velocity, m/s")
    ax.yaxis.set_major_formatter("{x:g}")
    ax.yaxis.set_minor_formatter(NullFormatter())
    if values.max() < 10 * values.min():
        ax.set_ylim(values.min() / 3, values.max() * 3)
        ax.yaxis.set_major_locator(LogLocator(10, (1, 2, 5)))
    said = (points, "95 % intervals", "" if line is None else "the line is a fit")
    finish(ax, title, "; ".join(filter(None, said)))
    return ax
