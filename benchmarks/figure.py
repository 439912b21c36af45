"""The figure of the race."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def step_name(step: float) -> str:
    """Give a time step as people write it."""
    return f"{Fraction(step).limit_denominator(100_000)} s"


def rates(rows: Sequence[dict[str, Any]], ax: Axes) -> Axes:
    """Draw throws per CPU-second as bars on a logarithmic axis, with the range over the passes.

    Parameters
    ----------
    rows : sequence of dict
        Rows of the race.
    ax : matplotlib Axes
        Where to draw.

    Returns
    -------
    matplotlib Axes
        A bar a row, fastest first within each step; fainter at the step that users of the engine choose.
    """
    from dicesim._drawing import BLUE, GREEN, GREY, INK, ORANGE, finish

    finest = min(row["step"] for row in rows)
    ranked = sorted(rows, key=lambda row: (row["step"] != finest, -row["per_second"][0]))
    names = dict.fromkeys(row["engine"] for row in rows)
    colours = dict(zip(names, (BLUE, ORANGE, GREEN), strict=False))
    for place, row in enumerate(ranked):
        median, low, high = row["per_second"]
        faint = 1.0 if row["step"] == finest else 0.45
        ax.barh(place, median, color=colours[row["engine"]], alpha=faint, height=0.7)
        ax.hlines(place, low, high, color=INK, linewidth=1)
        ax.annotate(f"{median:,.0f}", (high, place), (4, 0), textcoords="offset points", va="center", fontsize=7)
    labels = [f"{row['engine']}, {row['form']}, {step_name(row['step'])}" for row in ranked]
    ax.set_yticks(range(len(ranked)), labels)
    ax.invert_yaxis()
    least, most = min(row["per_second"][1] for row in rows), max(row["per_second"][2] for row in rows)
    ax.set(xscale="log", xlim=(least / 3, most * 4), xlabel="throws per CPU-second of one core")
    finish(ax, "The same releases, thrown in one run", "median and range of the passes; faint: the step users take")
    ax.tick_params(axis="y", labelsize=7)
    ax.grid(axis="x", color=GREY, alpha=0.2)
    ax.set_axisbelow(True)
    return ax
