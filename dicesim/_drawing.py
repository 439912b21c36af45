"""What the figures of `dicesim.plots` are drawn with: colours, Axes that look alike, and a die in projection.

Seen from afar along one direction, a point is where its components along `right` and `up` say; of a convex solid
exactly those faces are seen whose normals point towards the viewer, and none of them hides another.
"""

import io
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dicesim.solids import FACE_NORMALS, STANDARD
from dicesim.states import States
from dicesim.trajectories import Trajectory

Floats = npt.NDArray[np.float64]
RGB = tuple[float, float, float]

# After Okabe and Ito: told apart by colour-blind eyes, and in print.
BLUE, ORANGE, GREEN = "#0072B2", "#D55E00", "#009E73"
SKY, VIOLET, AMBER = "#56B4E9", "#7E3F8F", "#E69F00"
#: Colour and marker of each face.
FACE_LOOKS = ((BLUE, "o"), (ORANGE, "s"), (GREEN, "^"), (VIOLET, "D"), (SKY, "v"), (AMBER, "P"))
INK, GREY, TABLE, GRID = "#262626", "#666666", "#E3E7E1", "#F6F8F5"
DIE, PIP, SHADOW = np.array([0.0, 0.447, 0.698]), (1.0, 1.0, 1.0), (0.72, 0.75, 0.71)
CM = 100.0  # pictures of a throw are drawn in centimetres


class Picture(Figure):
    """A figure that a notebook shows although pyplot does not know it."""

    def _repr_png_(self) -> bytes:
        buffer = io.BytesIO()
        self.savefig(buffer, format="png")
        return buffer.getvalue()


def own_axes(ax: Axes | None, width: float, height: float) -> Axes:
    """Give the Axes to draw on: the one asked for, or that of a figure of this size in inches."""
    if ax is not None:
        return ax
    made: Axes = Picture(figsize=(width, height), dpi=120, layout="constrained").subplots()
    return made


def panels(ax: Axes, rows: int, columns: int) -> list[Axes]:
    """Divide the place of Axes into a grid of Axes, row by row; the Axes themselves are hidden."""
    place = ax.get_subplotspec()
    if place is None:
        raise ValueError("only Axes that are part of a grid can be divided, such as those of figure.add_subplot()")
    ax.set_axis_off()
    grid = place.subgridspec(rows, columns)
    figure = root_figure(ax)
    return [figure.add_subplot(grid[row, column]) for row in range(rows) for column in range(columns)]


def root_figure(ax: Axes) -> Figure:
    """Give the whole figure that Axes are part of."""
    figure = ax.get_figure(root=True)
    if figure is None:
        raise ValueError("the Axes were removed from their figure; draw on others")
    return figure


def finish(ax: Axes, title: str, subtitle: str) -> None:
    """Put the titles over Axes, and take away what says nothing."""
    ax.set_title(title, loc="left", fontsize=11, fontweight="bold", color=INK, pad=21)
    ax.annotate(subtitle, (0, 1), (0, 7), xycoords="axes fraction", textcoords="offset points", fontsize=8, color=GREY)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(GREY)
    ax.tick_params(colors=GREY, labelsize=8)
    for label in (ax.xaxis.label, ax.yaxis.label):
        label.set(color=INK, fontsize=9)


class View(NamedTuple):
    """Where a picture is taken from."""

    plane: Floats  # (2, 3): unit vectors to the right and up in the picture
    toward: Floats  # (3,): unit vector to the viewer
    light: Floats  # (3,): unit vector to the light

    @classmethod
    def of(cls, azimuth: float, elevation: float) -> "View":
        """Look from a direction, in rad: 0, 0 is from +x, with +y to the right."""
        level = np.array([np.cos(azimuth), np.sin(azimuth), 0.0])
        right = np.array([-level[1], level[0], 0.0])
        toward = np.cos(elevation) * level + np.array([0.0, 0.0, np.sin(elevation)])
        up = np.cross(toward, right)
        light = 0.45 * toward - 0.6 * right + 0.7 * up
        return cls(np.array([right, up]), toward, light / np.linalg.norm(light))

    def project(self, points: Floats) -> Floats:
        """Points (..., 3) in m as places (..., 2) in the picture in cm."""
        flat: Floats = CM * points @ self.plane.T
        return flat


def side_azimuth(path: Trajectory) -> float:
    """Where to look from so that the die travels from left to right."""
    x, y = (path.states.position[-1] - path.states.position[0])[:2]
    return float(np.arctan2(-x, y)) if np.hypot(x, y) > 1e-9 else -np.pi / 2


def corner_azimuth(path: Trajectory) -> float:
    """Nearly the same, but so that of the die at rest two sides are seen, and neither edge on."""
    x, y = path.states.axes[-1][:2, np.abs(path.states.axes[-1][2]).argmin()]
    quarter, wanted = np.pi / 2, np.arctan2(y, x) + np.radians(32)
    return float(wanted + quarter * np.round((side_azimuth(path) - wanted) / quarter))


_CORNERS = [(-1, -1), (1, 1), (-1, 1), (1, -1)]
_SPOTS = {
    1: [(0, 0)],
    2: _CORNERS[:2],
    3: [*_CORNERS[:2], (0, 0)],
    4: _CORNERS,
    5: [*_CORNERS, (0, 0)],
    6: [*_CORNERS, (-1, 0), (1, 0)],
}
_SPACING, _RADIUS, _ROUND = 0.5, 0.17, np.linspace(0, 2 * np.pi, 20, endpoint=False)


def _square_and_pips(face: int) -> tuple[Floats, list[Floats]]:
    """Outline and pips of a face of the cube from -1 to 1, in body axes."""
    normal = FACE_NORMALS[face].astype(float)
    u, v = np.roll(np.abs(normal), 1), np.roll(np.abs(normal), 2)
    square = np.array([normal + a * u + b * v for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))])
    disc = _RADIUS * (np.outer(np.cos(_ROUND), u) + np.outer(np.sin(_ROUND), v))
    return square, [normal + _SPACING * (a * u + b * v) + disc for a, b in _SPOTS[int(STANDARD[face])]]


_SIDES = [_square_and_pips(face) for face in range(6)]


def die_polygons(state: States, edge: float, view: View) -> tuple[list[Floats], list[RGB]]:
    """Draw one die: the faces that are seen, each followed by its pips, and a colour for each polygon."""
    position, axes = state.position[0], state.axes[0]
    normals = FACE_NORMALS @ axes.T
    polygons: list[Floats] = []
    colours: list[RGB] = []
    for face in np.flatnonzero(normals @ view.toward > 1e-9):
        square, spots = _SIDES[face]
        polygons += [view.project(position + edge / 2 * outline @ axes.T) for outline in (square, *spots)]
        colours += [_lit(float(normals[face] @ view.light)), *[PIP] * len(spots)]
    return polygons, colours


def _lit(cosine: float) -> RGB:
    red, green, blue = (0.5 + 0.5 * max(cosine, 0.0)) * DIE
    return float(red), float(green), float(blue)


def shadow_polygons(state: States, edge: float, view: View) -> tuple[list[Floats], list[RGB]]:
    """Draw its shadow: all six faces straight down on the table, in one plain colour."""
    corners = [state.position[0] + edge / 2 * square @ state.axes[0].T for square, _ in _SIDES]
    return [view.project(face * [1.0, 1.0, 0.0]) for face in corners], [SHADOW] * 6
