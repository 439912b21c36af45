"""Basins: the face over two numbers of a release, zoomed, and how rough the boundaries are at each scale."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.patches import Patch, Rectangle

from dicesim._drawing import BLUE, FACE_LOOKS, GREY, INK, ORANGE, finish, own_axes, panels, root_figure
from dicesim.solids import FACES

_ACROSS: list[dict[str, Any]] = [{"ha": side} for side in ("left", "center", "right")]
_UP: list[dict[str, Any]] = [{"va": side} for side in ("bottom", "center", "top")]
_SMALL: dict[str, Any] = {"color": GREY, "fontsize": 8}
_COLOURS = ListedColormap([colour for colour, _ in FACE_LOOKS])
Maps = Sequence[tuple[float, npt.NDArray[np.int8]]]


def basin_map(
    faces: npt.ArrayLike, half_width: float = 1.0, ax: Axes | None = None, *, inner: float | None = None
) -> Axes:
    """Draw the face over a window of releases, a colour for each.

    Parameters
    ----------
    faces : array_like of int (n, n)
        A map, as `dicesim.basins.face_map` makes it.
    half_width : float
        How far the window goes to each side of its middle, for the axes.
    ax : matplotlib Axes, optional
        Where to draw.
    inner : float, optional
        Half width of a smaller window in the middle, to be outlined.

    Returns
    -------
    matplotlib Axes
        The map; its axes count from the middle, in the unit of the half width.

    Raises
    ------
    ValueError
        If the map is not a square of faces 0 to 5.

    Examples
    --------
    >>> ax = basin_map([[0, 1], [2, 3]], 0.5)
    >>> [float(end) for end in ax.get_xlim()]
    [-0.5, 0.5]
    """
    grid = np.asarray(faces)
    if grid.ndim != 2 or grid.shape[0] != grid.shape[1] or not np.isin(grid, range(6)).all():
        raise ValueError(f"a map is a square of faces 0 to 5, not an array of shape {grid.shape}")
    ax = own_axes(ax, 5.0, 5.0)
    extent = (-half_width, half_width, -half_width, half_width)
    ax.imshow(grid, cmap=_COLOURS, vmin=-0.5, vmax=5.5, origin="lower", extent=extent, interpolation="nearest")
    _ticks(ax, half_width)
    ax.tick_params(colors=GREY, labelsize=7, length=2)
    ax.spines[:].set_visible(False)
    if inner is not None:
        _outline(ax, inner)
    return ax


def _ticks(ax: Axes, half_width: float) -> None:
    """Ends and middle alone, the outer labels within the map so that maps can stand close together."""
    ticks = [-half_width, 0.0, half_width]
    labels = [f"{tick:+g}".replace("-", "−") if tick else "0" for tick in ticks]
    ax.set_xticks(ticks, labels)
    ax.set_yticks(ticks, labels, rotation=90)
    for labels_of, sides in ((ax.get_xticklabels(), _ACROSS), (ax.get_yticklabels(), _UP)):
        for label, side in zip(labels_of, sides, strict=True):
            label.set(**side)


def _outline(ax: Axes, inner: float) -> None:
    """A window in the middle, in white on black so that it is seen on every colour."""
    for colour, width in ((INK, 3.0), ("#FFFFFF", 1.4)):
        ax.add_patch(
            Rectangle((-inner, -inner), 2 * inner, 2 * inner, fill=False, edgecolor=colour, linewidth=width, zorder=3)
        )


def boundary_dimension(zooms: Sequence[Mapping[str, Any]], ax: Axes | None = None) -> Axes:
    """Draw the dimension of the boundaries against scale, from boxes and from pairs.

    Parameters
    ----------
    zooms : sequence of mapping
        Each with ``scales`` and, for each of them, ``octaves_boxes`` and ``octaves_pairs``: value, low, high.
    ax : matplotlib Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib Axes
        Points with their intervals over a logarithmic scale.

    Examples
    --------
    >>> one = {"scales": [0.1], "octaves_boxes": [[1.5, 1.4, 1.6]], "octaves_pairs": [[1.5, 1.3, 1.7]]}
    >>> boundary_dimension([one]).get_xscale()
    'log'
    """
    ax = own_axes(ax, 5.0, 4.0)
    for level, name, at, side in ((1.0, "a smooth line", 0.98, "right"), (2.0, "fills the plane", 0.02, "left")):
        ax.axhline(level, color=GREY, linewidth=1, linestyle=(0, (5, 4)), zorder=1)
        where = ("axes fraction", "data")
        ax.annotate(name, (at, level), (0, 3), xycoords=where, textcoords="offset points", ha=side, **_SMALL)
    for key, label, colour, marker, aside in (
        ("octaves_boxes", "boxes: D", BLUE, "o", 0.93),
        ("octaves_pairs", "pairs: 2 − α", ORANGE, "s", 1.07),
    ):
        scales = aside * np.concatenate([zoom["scales"] for zoom in zooms])
        value, low, high = np.concatenate([zoom[key] for zoom in zooms]).T
        ax.vlines(scales, low, high, color=colour, linewidth=1.6, zorder=2)
        ax.scatter(scales, value, s=20, marker=marker, color=colour, label=label, zorder=3)
    ax.set(xscale="log", ylim=(0.66, 2.12), yticks=[1.0, 1.25, 1.5, 1.75, 2.0])
    ax.set(xlabel="scale of the spin, rad/s", ylabel="dimension of the boundary")
    ax.legend(frameon=False, fontsize=8, labelcolor=INK, loc="upper left", bbox_to_anchor=(0.0, 0.88))
    return ax


def basin_zooms(
    maps: Maps, zooms: Sequence[Mapping[str, Any]], change: Sequence[float], ax: Axes | None = None
) -> Axes:
    """Draw five maps of one point, each ten times finer than the last, and the dimension at every scale.

    Parameters
    ----------
    maps : sequence of (float, array)
        Half width and faces of five windows, the widest first.
    zooms : sequence of mapping
        As `boundary_dimension` takes them.
    change : sequence of float
        The scale at which boundaries turn smooth, and its interval.
    ax : matplotlib Axes, optional
        Where to draw; its place is divided.

    Returns
    -------
    matplotlib Axes
        Those whose place was divided.

    Raises
    ------
    ValueError
        If there are not five maps.

    Examples
    --------
    >>> one = {"scales": [0.1], "octaves_boxes": [[1.5, 1.4, 1.6]], "octaves_pairs": [[1.5, 1.3, 1.7]]}
    >>> maps = [(50.0 / 10**k, np.eye(3, dtype=np.int8)) for k in range(5)]
    >>> len(basin_zooms(maps, [one], [0.3, 0.2, 0.4]).figure.axes)
    7
    """
    if len(maps) != 5:
        raise ValueError(f"the picture has room for five maps and a curve, not for {len(maps)} maps")
    ax = own_axes(ax, 11.0, 7.8)
    *windows, curve = panels(ax, 2, 3)
    if isinstance(engine := root_figure(ax).get_layout_engine(), ConstrainedLayoutEngine):
        engine.set(h_pad=0.14, w_pad=0.08)  # square maps stand closer to the edges than the layout believes
    for number, (window, (half_width, faces)) in enumerate(zip(windows, maps, strict=True)):
        inner = maps[number + 1][0] if number + 1 < len(maps) else None
        basin_map(faces, half_width, window, inner=inner)
        window.set_title(_title(number, half_width), loc="left", fontsize=9, color=INK, pad=5)
        window.set_xlabel("spin about x, rad/s", color=INK, fontsize=8, labelpad=1)
        window.set_ylabel("spin about y, rad/s", color=INK, fontsize=8, labelpad=1)
    boundary_dimension(zooms, curve)
    value, low, high = change
    curve.axvspan(low, high, color=GREY, alpha=0.18, linewidth=0, zorder=0)
    half_way = f"half way at {value:.2g} rad/s [{low:.2g}, {high:.2g}]; 95 % intervals"
    finish(curve, "From smooth lines to a filled plane", half_way)
    _key(curve)
    return ax


def _title(number: int, half_width: float) -> str:
    return (
        f"the face, for spins within {half_width:g} rad/s" if number == 0 else f"ten times finer: {half_width:g} rad/s"
    )


def _key(ax: Axes) -> None:
    """Which colour is which face, where the curve leaves room."""
    lines = ax.get_legend()
    patches = [Patch(color=colour, label=face) for (colour, _), face in zip(FACE_LOOKS, FACES, strict=True)]
    look: dict[str, Any] = {
        "frameon": False,
        "fontsize": 8,
        "labelcolor": INK,
        "title": "face on top",
        "title_fontsize": 8,
    }
    ax.legend(
        handles=patches, ncols=3, loc="lower right", handlelength=0.9, handletextpad=0.3, columnspacing=0.8, **look
    )
    if lines is not None:
        ax.add_artist(lines)
