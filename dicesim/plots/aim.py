"""What a hand that varies leaves of its aim, against how much it varies."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from dicesim._drawing import BLUE, GREEN, GREY, INK, ORANGE, VIOLET, finish, own_axes, panels
from dicesim.aim import FAIR

_LOOKS = ((BLUE, "o"), (ORANGE, "s"), (GREEN, "^"), (VIOLET, "D"))


class _Curve(NamedTuple):
    """What one panel shows."""

    key: str
    level: float
    limit: float
    limit_name: str
    crossing: str
    top: float


_ENTROPY = _Curve("entropy", FAIR / 2, FAIR, "log2 6, a fair die", "half_entropy", 2.85)
_AIMED = _Curve("aimed", 0.5, 1 / 6, "1/6, no aim", "half_aimed", 1.08)


def aim_curves(hands: Sequence[Mapping[str, Any]], ax: Axes | None = None) -> Axes:
    """Draw the chance of the aimed face, and the entropy of the outcome, against the spread of a hand.

    Parameters
    ----------
    hands : sequence of mapping
        Each with ``name``, ``spreads``, the ``aimed`` chance and the ``entropy`` at every spread as value, low and
        high, and the spreads ``half_aimed`` and ``half_entropy`` where these are half, the same way.
    ax : matplotlib Axes, optional
        Whose place to draw in.

    Returns
    -------
    matplotlib Axes
        The Axes of the chance; those of the entropy stand to the right of it.

    Examples
    --------
    >>> points = {"aimed": [[0.9, 0.8, 1.0], [0.3, 0.2, 0.4]], "entropy": [[0.5, 0.4, 0.6], [2.0, 1.9, 2.1]]}
    >>> halves = {"half_aimed": [0.05, 0.04, 0.06], "half_entropy": [0.03, 0.02, 0.04]}
    >>> ax = aim_curves([{"name": "a hand", "spreads": [0.01, 0.1], **points, **halves}])
    >>> ax.get_ylabel()
    'chance of the aimed face'
    """
    left, right = panels(own_axes(ax, 10.0, 4.8), 1, 2)
    _panel(left, hands, _AIMED)
    _panel(right, hands, _ENTROPY)
    left.set_ylabel("chance of the aimed face")
    right.set_ylabel("entropy of the face, bits")
    left.legend(frameon=False, fontsize=8, labelcolor=INK, loc="lower left", bbox_to_anchor=(0.0, 0.2))
    value, low, high = hands[0]["half_aimed"]
    finish(
        left, "How steady a hand must be to aim", f"every second throw: {hands[0]['name']} {_range(value, low, high)}"
    )
    value, low, high = hands[0]["half_entropy"]
    finish(right, "What it leaves open", f"half of the entropy: {hands[0]['name']} {_range(value, low, high)}")
    return left


def _range(value: float, low: float, high: float) -> str:
    return f"{value:.2g} [{low:.2g}, {high:.2g}]"


def _panel(ax: Axes, hands: Sequence[Mapping[str, Any]], curve: _Curve) -> None:
    """One curve a hand, its intervals, and a bar where it passes the level."""
    ax.axhline(curve.limit, color=GREY, linewidth=1, linestyle=(0, (5, 4)), zorder=1)
    ax.annotate(curve.limit_name, (0.02, curve.limit), (0, 3), xycoords=("axes fraction", "data"),
                textcoords="offset points", color=GREY, fontsize=8)  # fmt: skip
    ax.axhline(curve.level, color=GREY, linewidth=0.8, zorder=1)
    for hand, (colour, marker) in zip(hands, _LOOKS, strict=False):
        value, low, high = np.array(hand[curve.key]).T
        ax.vlines(hand["spreads"], low, high, color=colour, linewidth=1.4, zorder=2)
        ax.plot(hand["spreads"], value, color=colour, marker=marker, markersize=4, linewidth=1.4, label=hand["name"])
        ax.axvspan(*hand[curve.crossing][1:], color=colour, alpha=0.16, linewidth=0, zorder=0)
    ax.set(xscale="log", ylim=(0, curve.top), xlabel="spread σ of the hand")
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
