"""Basins: the face over two spins of a release, zoomed over decades, and how rough the boundaries are at each scale.

Near a boundary a die balances before it decides, mostly on an edge. It tips out of balance as exp(t / T) with

    T = sqrt(I / (m g h)),  I = (2/3) m a^2 about an edge,  h = a / sqrt(2):  T = sqrt((2/3) sqrt(2) a / g),

so a release that starts ten times nearer to the boundary rests later by T ln 10, whatever came before. Where nothing
lingers, two throws part at once: by which of two corners strikes first, or at a threshold of the solver.
"""

import base64
import math
import zlib
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from dicesim.basins import Slice, Span, boundary, face_map
from dicesim.crossings import crossing
from dicesim.parameters import Setup
from dicesim.releases import Shaken, SteadyHand
from dicesim.roughness import box_counts, box_shares, dimension, jackknife, roughness, uncertainty
from dicesim.simulator import throw
from dicesim.states import joined_states
from dicesim.stats import proportion_interval
from experiments.experiment import Claim, Experiment, digest

OCTAVES = 3  # of each window, from its finest step on: with windows ten times apart they cover all scales
BALANCED = 0.05  # how near to what is expected the lingering has to be, as a share of that on an edge
KINDS = (("on_edge", 1.0), ("jumps", 0.0))  # how long a die on an edge lingers, and throws that part at once
MIDDLE = 1.5  # the dimension half way between a line and the plane


@dataclass(frozen=True)
class Zooms:
    """Points on boundaries, and windows around some of them, each ten times smaller than the last, rad/s."""

    points: int
    centres: int
    size: int
    pairs: int
    pictured: int
    half_widths: tuple[float, ...] = (50.0, 5.0, 0.5, 0.05, 0.005)
    near: tuple[float, float] = (1e-5, 1e-7)  # distances at which a die is watched lingering
    portrait: int = 0  # picks the point that is pictured, for its looks; no number depends on it
    release: Shaken = field(default_factory=Shaken)
    hand: SteadyHand = field(default_factory=lambda: SteadyHand(wobble=0.0))
    setup: Setup = field(default_factory=Setup)

    def window(self, state: Any) -> Slice:
        """The widest window around a release: its spins about x and y."""
        x, y = (Span("angular_velocity", axis, self.half_widths[0]) for axis in (0, 1))
        return Slice(state, x, y, self.setup)

    def steps(self, half_width: float) -> list[float]:
        """Sides of boxes, and distances of pairs, in a window, rad/s."""
        return [2 * half_width / (self.size - 1) * 2**k for k in range(OCTAVES + 1)]


def packed(faces: Any) -> str:
    """A map as text: zlib.decompress(base64.b64decode(text)) has its faces, a byte each, row by row from below."""
    return base64.b64encode(zlib.compress(np.asarray(faces, dtype=np.int8).tobytes(), 9)).decode()


def unpacked(window: dict[str, Any]) -> Any:
    """The map that a row of the portrait holds."""
    faces = zlib.decompress(base64.b64decode(window["faces"]))
    return np.frombuffer(faces, dtype=np.int8).reshape(window["size"], window["size"])


def portrait(p: Zooms) -> list[dict[str, Any]]:
    """Maps around one point, on a boundary near the release without spin."""
    whole = p.window(p.hand.sample(1))
    inner = 5
    point = boundary(whole.zoomed((0, 0), inner), rng=p.portrait) / inner
    centre = whole.zoomed(point, 1).state.angular_velocity[0, :2].tolist()
    return [
        {
            "half_width": half_width,
            "centre": centre,
            "size": p.pictured,
            "faces": packed(face_map(whole.zoomed(point, p.half_widths[0] / half_width), p.pictured)),
        }
        for half_width in p.half_widths
    ]


def centred(p: Zooms, rng: np.random.Generator) -> list[Slice]:
    """The widest windows around points on boundaries, each found from a release of its own."""
    states = p.release.sample(p.points, rng=rng)
    windows = [p.window(states[i]) for i in range(p.points)]
    return [window.zoomed(boundary(window, rng=rng), 1) for window in windows]


def looked_at(p: Zooms, windows: list[Slice], half_width: float, rng: np.random.Generator) -> dict[str, Any]:
    """Shares of boxes and of pairs at one zoom, as arrays (centres, scales), and the maps."""
    near = [window.zoomed((0, 0), p.half_widths[0] / half_width) for window in windows]
    maps = [face_map(plane, p.size) for plane in near]
    distances = [step / half_width for step in p.steps(half_width)]
    pairs = [[uncertainty(plane, distance, p.pairs, rng=rng) for distance in distances] for plane in near]
    boxes = [box_shares(box_counts(faces))[: OCTAVES + 1] for faces in maps]
    return {"half_width": half_width, "maps": maps, "boxes": np.array(boxes), "pairs": np.array(pairs)}


def slopes(shares: Any) -> list[list[float]]:
    """The dimension in every octave, with its interval."""
    return [list(dimension(shares[:, k : k + 2])) for k in range(OCTAVES)]


def described(p: Zooms, look: dict[str, Any]) -> dict[str, Any]:
    """What one zoom says, octave by octave and over all of them."""
    steps, ends = p.steps(look["half_width"]), [0, OCTAVES]
    boxes, pairs = look["boxes"], look["pairs"]
    return {
        "half_width": look["half_width"],
        "boxes": list(dimension(boxes[:, ends], OCTAVES)),
        "pairs": list(dimension(pairs[:, ends], OCTAVES)),
        "difference": list(jackknife(difference, np.hstack([boxes[:, ends], pairs[:, ends]]))),
        "scales": [math.sqrt(fine * coarse) for fine, coarse in pairwise(steps)],
        "octaves_boxes": slopes(boxes),
        "octaves_pairs": slopes(pairs),
    }


def difference(ends: Any) -> float:
    """Dimension of the boxes less that of the pairs, from the shares of both at the two ends."""
    near, far, near_pairs, far_pairs = ends.sum(axis=0)
    return roughness(near, far, OCTAVES) - roughness(near_pairs, far_pairs, OCTAVES)


def change(scales: Any, shares: Any) -> list[float]:
    """The scale at which the dimension passes the middle, from shares (centres, zooms, scales), and its interval."""
    order = np.argsort(scales, axis=None)
    where = np.log(np.ravel(scales)[order])

    def passed(rows: Any) -> float:
        dimensions = [roughness(*ends) for zoom in rows.sum(axis=0) for ends in pairwise(zoom)]
        return crossing(where, np.array(dimensions)[order], MIDDLE)

    return [math.exp(x) for x in jackknife(passed, shares)]


def lingering(p: Zooms, windows: list[Slice]) -> dict[str, Any]:
    """How much later each centre rests for every tenth of the distance to its boundary, s."""
    far, near = (resting(p, windows, distance) for distance in p.near)
    later = (near - far) / math.log10(p.near[0] / p.near[1])
    edge = math.log(10) * math.sqrt(2 / 3 * math.sqrt(2) * p.setup.die.edge / p.setup.gravity)
    return {
        "edge": edge,
        "later": later.tolist(),
        **{kind: near_to(later, kind_is * edge, edge) for kind, kind_is in KINDS},
    }


def resting(p: Zooms, windows: list[Slice], distance: float) -> Any:
    """When throws rest that start at a distance, rad/s, from the boundaries in the middle of windows."""
    place = (distance / p.half_widths[0], 0)
    outcomes = throw(joined_states([window.zoomed(place, 1).state for window in windows]), setup=p.setup, until="rest")
    outcomes.counts()  # refuses unsettled throws
    return outcomes.settle_time


def near_to(later: Any, expected: float, edge: float) -> list[float]:
    """The share of points that linger as expected, with its interval."""
    hits = int((np.abs(later - expected) < BALANCED * edge).sum())
    return [hits / len(later), *proportion_interval(hits, len(later))]


def measure(p: Zooms, rng: np.random.Generator) -> dict[str, Any]:
    """Picture one point, and measure around many."""
    windows = centred(p, rng)
    looks = [looked_at(p, windows[: p.centres], half_width, rng) for half_width in p.half_widths]
    zooms = [described(p, look) for look in looks]
    scales = [zoom["scales"] for zoom in zooms]
    return {
        "portrait": portrait(p),
        "zooms": zooms,
        "change": {
            kind: change(scales, np.stack([look[kind] for look in looks], axis=1)) for kind in ("boxes", "pairs")
        },
        "lingering": lingering(p, windows),
        "points": p.points,
        "centres": p.centres,
        "outcome_hash": digest(np.array([look["maps"] for look in looks])),
    }


def draw_basins(rows: Any, ax: Any) -> Any:
    """Draw five zooms of one point and the dimension at every scale."""
    from dicesim import plots

    maps = [(window["half_width"], unpacked(window)) for window in rows["portrait"]]
    return plots.basin_zooms(maps, rows["zooms"], rows["change"]["boxes"], ax)


def within(number: Any, low: float, high: float) -> bool:
    """Whether a number and its interval lie between bounds."""
    _, least, most = number
    return bool(low < least and most < high)


def ways_agree(rows: Any) -> bool:
    """Whether boxes and pairs give the same dimension within a tenth, at every zoom."""
    return all(abs(zoom["difference"][0]) < 0.1 for zoom in rows["zooms"])


BASINS = Experiment(
    name="basins",
    question="How rough are the boundaries between the faces, and from which scale on are they smooth?",
    claims=(
        Claim(
            "Boxes finer than a thousandth of a rad/s see boundaries as smooth lines: dimension 1 within a twentieth",
            "this project",
            lambda rows: within(rows["zooms"][-1]["boxes"], 0.95, 1.05),
        ),
        Claim(
            "Boxes of 0.8 rad/s and more nearly all hold a boundary, for basins are finer: dimension above 1.8",
            "this project",
            lambda rows: rows["zooms"][0]["boxes"][1] > 1.8 and rows["zooms"][0]["pairs"][1] > 1.7,
        ),
        Claim(
            "Boxes and pairs give the same dimension to a tenth, at every zoom: pairs saturate later and lie lower "
            "at the top",
            "this project",
            ways_agree,
        ),
        Claim(
            "The dimension passes 1.5 at boxes, and at distances, of a few tenths of a rad/s",
            "this project",
            lambda rows: all(0.15 < rows["change"][way][0] < 0.6 for way in ("boxes", "pairs")),
        ),
        Claim(
            "Between a third and 3/5 of boundary points are dice that balance on an edge: they linger as long as "
            "theory says",
            "this project",
            lambda rows: within(rows["lingering"]["on_edge"], 1 / 3, 3 / 5),
        ),
        Claim(
            "At a sixth to two fifths of them nothing lingers: throws part at once; the rest are neither",
            "this project",
            lambda rows: within(rows["lingering"]["jumps"], 1 / 6, 2 / 5),
        ),
    ),
    full=Zooms(points=200, centres=32, size=129, pairs=1_500, pictured=257),
    smoke=Zooms(points=4, centres=4, size=17, pairs=100, pictured=9),
    seed=12,
    measure=measure,
    figure=draw_basins,
    figure_size=(11.0, 7.8),
)

EXPERIMENTS = (BASINS,)
