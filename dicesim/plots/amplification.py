"""How a tiny separation grows with the contacts, within a throw and over many."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from dicesim._drawing import BLUE, GREEN, GREY, INK, ORANGE, VIOLET, finish, own_axes, panels

Rows = Sequence[Mapping[str, Any]]

_LOOKS = ((BLUE, "o"), (GREEN, "^"), (ORANGE, "s"), (VIOLET, "D"))
SOURCE = 1.8  # the factor a contact that the source fitted
_SHOWN = 4  # restitutions in the panel of contacts


def growth_and_fits(sweep: Rows, bins: Rows, unit: float, ax: Axes | None = None) -> Axes:
    """Draw the growth of each contact, and the whole growth against the contacts of a throw in two designs.

    Parameters
    ----------
    sweep : sequence of mapping
        One for each restitution, as the experiment `amplification` gives them: ``restitution``, ``by_contact``, and
        estimates of ``contacts``, ``total``, ``scale`` and ``critical``.
    bins : sequence of mapping
        One for each number of contacts at one restitution: ``contacts`` and ``total``.
    unit : float
        The natural unit of the scale, m/s.
    ax : matplotlib Axes, optional
        Whose place to draw in.

    Returns
    -------
    matplotlib Axes
        The Axes of single contacts; those of whole throws stand to the right of it.

    Examples
    --------
    >>> one = {"value": 8.0, "low": 7.9, "high": 8.1}
    >>> contact = {"contact": 1, "value": 2.7, "low": 2.6, "high": 2.8}
    >>> row = {"restitution": 0.3, "by_contact": [contact], "contacts": one, "total": one, "scale": one}
    >>> ax = growth_and_fits([row | {"critical": one}], [{"contacts": 8, "total": one}], 0.4)
    >>> ax.get_xlabel()
    'number of the contact'
    """
    left, right = panels(own_axes(ax, 11.0, 4.8), 1, 2)
    some = np.unique(np.linspace(0, len(sweep) - 1, _SHOWN).round().astype(int))
    for (colour, marker), row in zip(_LOOKS, [sweep[k] for k in some], strict=False):
        _contacts(left, row, colour, marker)
    left.axhline(0.0, color=GREY, linewidth=0.8, linestyle=(0, (5, 4)), zorder=1)
    left.set(xlabel="number of the contact", ylabel="growth from the contact before, e-folds", xlim=(0.4, 20.6))
    left.set_xticks([1, *range(5, 21, 5)])
    left.legend(title="restitution", frameon=False, fontsize=8, title_fontsize=8)
    finish(
        left,
        "What one contact does",
        "until the face is certain, the first from the release; means, 95 % intervals",
    )
    _designs(right, sweep, bins, unit)
    return left


def _contacts(ax: Axes, row: Mapping[str, Any], colour: str, marker: str) -> None:
    places = [one["contact"] for one in row["by_contact"]]
    values, low, high = (np.array([one[key] for one in row["by_contact"]]) for key in ("value", "low", "high"))
    ax.vlines(places, low, high, color=colour, linewidth=1.5)
    ax.plot(places, values, color=colour, marker=marker, markersize=4, linewidth=1, label=f"{row['restitution']:g}")


def _designs(ax: Axes, sweep: Rows, bins: Rows, unit: float) -> None:
    """Growth against contacts across restitutions and within one, and the scales, set off by one constant."""
    places, total = _estimates(sweep, "contacts")[0], _estimates(sweep, "total")
    scale = _estimates(sweep, "scale")
    constant = float(np.exp(np.log(_estimates(sweep, "critical")[0]).mean()))
    ax.vlines(places, total[1], total[2], color=BLUE, linewidth=2)
    ax.plot(places, total[0], color=BLUE, marker="o", markersize=5, linewidth=1, label="growth, across restitutions")
    told = np.log(constant * unit / np.array(scale))
    ax.vlines(places, told[2], told[1], color=ORANGE, linewidth=2)
    words = f"log({constant:.1f} natural units / scale), across restitutions"
    ax.scatter(places, told[0], s=46, facecolors="none", edgecolors=ORANGE, linewidths=1.5, label=words, zorder=3)
    for row, place, value in zip(sweep, places, total[0], strict=True):
        ax.annotate(
            f"{row['restitution']:g}", (place, value), (8, -8), textcoords="offset points", fontsize=8, color=INK
        )
    steep = np.array([places[0], 25.0])
    middle = float(np.interp(11.4, places, total[0]))
    ax.plot(steep, middle + np.log(SOURCE) * (steep - 11.4), color=GREY, linewidth=1, linestyle=(0, (5, 4)), zorder=1)
    ax.lines[-1].set_label(f"{SOURCE:g} times a contact, the source's fit")
    counted, grown = [row["contacts"] for row in bins], _estimates(bins, "total")
    ax.vlines(counted, grown[1], grown[2], color=GREEN, linewidth=2)
    words = "growth, throws of one restitution by their contacts"
    ax.plot(counted, grown[0], color=GREEN, marker="^", markersize=5, linewidth=1, label=words)
    ax.set(xlabel="contacts of a throw until rest", ylabel="growth from the release on, e-folds", ylim=(0, 15.5))
    ax.legend(frameon=False, fontsize=8, loc="upper left")
    finish(ax, "What fits over many throws see", "restitution written at the points; 95 % intervals")


def _estimates(rows: Rows, key: str) -> list[np.ndarray[Any, Any]]:
    return [np.array([row[key][end] for row in rows]) for end in ("value", "low", "high")]
