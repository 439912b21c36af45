"""Basins: which releases land on which face, over two numbers of a release, all else kept.

A basin is the set of releases that land on one face. A slice through the space of releases shows the basins as patches
of a plane, which `dicesim.roughness` can look at: it counts boxes and pairs near their boundaries.
"""

from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from dicesim.decorrelation import Part
from dicesim.ensembles import generator
from dicesim.parameters import Setup, require_positive
from dicesim.releases import Seed
from dicesim.roughness import Faces, Plane
from dicesim.simulator import throw
from dicesim.states import Floats, States, as_rows

# A boundary is closed in on by cutting what is left into 16, eight times over: to 2^-32 of the way. At a boundary a die
# balances, mostly on an edge, and the nearer to it the longer; some 1e-12 of the way from it some balance for ever.
CUTS = np.linspace(0.0, 1.0, 17)[1:, None]
ROUNDS = 8


class Span(NamedTuple):
    """One side of a window: a number of the release, and how far it goes to each side of its middle.

    Parameters
    ----------
    part : {"position", "velocity", "angular_velocity"}
        Which part of the release.
    axis : int
        0, 1 or 2 for x, y or z.
    half_width : float
        How far, in the unit of the part.

    Examples
    --------
    >>> Span("velocity", 2, 0.5).half_width
    0.5
    """

    part: Part
    axis: int
    half_width: float


@dataclass(frozen=True, eq=False)
class Slice:
    """A plane through the space of releases: two numbers of one release are varied, all else is kept.

    It is called with places (n, 2), in half widths from the middle, and gives their faces.

    Parameters
    ----------
    state : States
        The release in the middle, one.
    x, y : Span
        What is varied along each side of the window, or tuples to make spans of.
    setup : Setup
        Die, table, solver and gravity.

    Raises
    ------
    ValueError
        If there is more than one release, no such part or axis, or a half width is not positive.

    Examples
    --------
    >>> from dicesim import SteadyHand
    >>> spins = Slice(SteadyHand(wobble=0).sample(1), ("angular_velocity", 0, 50.0), ("angular_velocity", 1, 50.0))
    >>> len(spins(np.array([[0.0, 0.0], [0.5, -0.5]])))
    2
    """

    state: States
    x: Span
    y: Span
    setup: Setup = field(default_factory=Setup)

    def __post_init__(self) -> None:
        if len(self.state) != 1:
            raise ValueError(f"a slice goes through one release, not {len(self.state)}; pick one, such as states[0]")
        for side in ("x", "y"):
            object.__setattr__(self, side, _span(side, getattr(self, side)))
        if self.x[:2] == self.y[:2]:
            raise ValueError(f"x and y must be two numbers of the release, not {self.x.part} {self.x.axis} twice")

    def __call__(self, places: npt.ArrayLike) -> Faces:
        outcomes = throw(self._moved(as_rows("places", places, (2,))), setup=self.setup)
        outcomes.counts()  # refuses unsettled throws
        return outcomes.face

    def zoomed(self, place: npt.ArrayLike, factor: float) -> Self:
        """The slice around another place, with a smaller window.

        Parameters
        ----------
        place : array_like (2,)
            The new middle, in half widths from the old one.
        factor : float
            How many times smaller the window becomes.

        Returns
        -------
        Slice
            The new one.

        Examples
        --------
        >>> from dicesim import SteadyHand
        >>> lift, spin = Span("velocity", 2, 0.5), Span("angular_velocity", 0, 50.0)
        >>> near = Slice(SteadyHand(wobble=0).sample(1), lift, spin).zoomed([0.5, 0.0], 10)
        >>> near.state.velocity.tolist(), near.y.half_width
        ([[0.3, 0.0, 0.25]], 5.0)
        """
        x, y = (span._replace(half_width=span.half_width / factor) for span in (self.x, self.y))
        return type(self)(self._moved(as_rows("place", [place], (2,))), x, y, self.setup)

    def _moved(self, places: Floats) -> States:
        """The release at each of some places."""
        states = self.state[np.zeros(len(places), dtype=np.intp)]
        for span, shift in ((self.x, places[:, 0]), (self.y, places[:, 1])):
            numbers = getattr(states, span.part).copy()
            numbers[:, span.axis] += span.half_width * shift
            states = states.replace(**{span.part: numbers})
        return states


def _span(side: str, value: Any) -> Span:
    span = Span(*value)
    if span.part not in ("position", "velocity", "angular_velocity") or span.axis not in (0, 1, 2):
        raise ValueError(
            f"{side} must vary position, velocity or angular_velocity along axis 0, 1 or 2, "
            f"not {span.part!r} along {span.axis!r}"
        )
    require_positive(f"the half width of {side}", span.half_width, "in the unit of its part")
    return span


def face_map(plane: Plane, size: int = 257) -> Faces:
    """Give the faces over a whole window, corners and edges included.

    Parameters
    ----------
    plane : Plane
        A slice, or anything that gives the faces of places.
    size : int
        Places along each side, at least 2; for `box_counts` one more than a power of two.

    Returns
    -------
    array of int8 (size, size)
        The first row is y = -1, the first column x = -1.

    Raises
    ------
    ValueError
        If the size is less than 2.

    Examples
    --------
    >>> face_map(lambda places: (places[:, 0] > places[:, 1]).astype(np.int8), 3)
    array([[0, 1, 1],
           [0, 0, 1],
           [0, 0, 0]], dtype=int8)
    """
    if size < 2:
        raise ValueError(f"a map has at least 2 places along each side, not {size}")
    steps = np.linspace(-1.0, 1.0, size)
    places = np.stack(np.meshgrid(steps, steps), axis=-1)
    return plane(places.reshape(-1, 2)).reshape(size, size)


def boundary(plane: Plane, *, rng: Seed = None) -> Floats:
    """Find a place on a boundary: the middle has another face just this side of it.

    Parameters
    ----------
    plane : Plane
        A slice, or anything that gives the faces of places.
    rng : Generator, SeedSequence, int or None
        Where the places are drawn from.

    Returns
    -------
    array (2,)
        The place, within 1e-9 of the window.

    Raises
    ------
    ValueError
        If the window seems to have one face alone.

    Examples
    --------
    >>> place = boundary(lambda places: (places[:, 0] > 0.25).astype(np.int8), rng=1)
    >>> round(float(place[0]), 9)
    0.25
    """
    places = np.concatenate([np.zeros((1, 2)), 2 * generator(rng).random((63, 2)) - 1])
    faces = plane(places)
    others = np.flatnonzero(faces != faces[0])
    if not others.size:
        raise ValueError(f"no boundary: the window has face {faces[0]} at {len(faces)} places; take a wider one")
    near, far = places[0], places[others[0]]
    for _ in range(ROUNDS):
        cuts = near + CUTS * (far - near)
        cuts[-1] = far
        first = int(np.argmax(plane(cuts) != faces[0]))
        near, far = cuts[first - 1] if first else near, cuts[first]
    return np.asarray(far)
