"""How a small change of a release changes the face."""

from dataclasses import dataclass
from typing import Final, Literal, get_args

import numpy as np
import numpy.typing as npt

from dicesim.parameters import Setup
from dicesim.simulator import throw
from dicesim.states import States

Part = Literal["position", "velocity", "angular_velocity", "orientation"]
#: Half of the 5/6 at which two throws that have nothing in common differ.
HALF: Final = 5 / 12


@dataclass(frozen=True)
class Coordinate:
    """One number of a release, and how far it is changed.

    Parameters
    ----------
    part : {"position", "velocity", "angular_velocity", "orientation"}
        Which part of the release; a change of the orientation is a turn about an axis of the world.
    axis : int
        0, 1 or 2 for x, y or z.
    unit : str
        Its unit.
    largest : float
        The largest change worth making, in its unit: as large as the release itself, or larger.

    Examples
    --------
    >>> str(Coordinate("velocity", 2, "m/s", 10.0))
    'velocity z'
    """

    part: Part
    axis: int
    unit: str
    largest: float

    def __str__(self) -> str:
        return f"{self.part.replace('_', ' ')} {'xyz'[self.axis]}"


_PARTS: Final[tuple[tuple[Part, str, float], ...]] = (
    ("position", "m", 1.0),
    ("velocity", "m/s", 10.0),
    ("angular_velocity", "rad/s", 100.0),
    ("orientation", "rad", 3.0),
)
#: Every number of a release.
COORDINATES: Final = tuple(Coordinate(part, axis, unit, top) for part, unit, top in _PARTS for axis in range(3))


def perturbed(states: States, part: Part, axis: int, eps: float) -> States:
    """Change one number of each release, and nothing else.

    Parameters
    ----------
    states : States
        The n releases.
    part : {"position", "velocity", "angular_velocity", "orientation"}
        Which part of the release.
    axis : int
        0, 1 or 2 for x, y or z.
    eps : float
        What is added, in the unit of the part; of an orientation the angle by which it is turned about the axis, rad.

    Returns
    -------
    States
        The changed releases.

    Raises
    ------
    ValueError
        If there is no such part or axis.

    Examples
    --------
    >>> from dicesim import Shaken
    >>> changed = perturbed(Shaken().sample(1, rng=1), "position", 2, 0.01)
    >>> changed.position.tolist()
    [[0.0, 0.0, 0.56]]
    """
    if part not in get_args(Part) or axis not in (0, 1, 2):
        raise ValueError(f"perturb {', '.join(get_args(Part))} along axis 0, 1 or 2, not {part!r} along {axis!r}")
    if part == "orientation":
        return states.replace(axes=_turned(states.axes, axis, eps))
    return states.replace(**{part: getattr(states, part) + eps * np.eye(3)[axis]})


def _turned(axes: npt.NDArray[np.float64], axis: int, angle: float) -> npt.NDArray[np.float64]:
    """Turn orientations about an axis of the world."""
    from dicesim import kernel

    sine, cosine = kernel.sincos(float(angle))  # the same bits on every machine
    across, along = (axis + 1) % 3, (axis + 2) % 3
    turned = axes.copy()
    turned[:, across] = cosine * axes[:, across] - sine * axes[:, along]
    turned[:, along] = sine * axes[:, across] + cosine * axes[:, along]
    return turned


def flips(states: States, part: Part, axis: int, eps: npt.ArrayLike, setup: Setup = Setup()) -> npt.NDArray[np.bool_]:
    """Whether the face changes when one number of each release is raised by eps.

    Parameters
    ----------
    states : States
        The n releases, the same on both sides of every comparison.
    part : {"position", "velocity", "angular_velocity", "orientation"}
        Which part of the release.
    axis : int
        0, 1 or 2 for x, y or z.
    eps : array_like (k,)
        Changes, in the unit of the part.
    setup : Setup
        Die, table, solver and gravity.

    Returns
    -------
    array of bool (n, k)
        One column for each change.

    Raises
    ------
    ValueError
        If there is no such part or axis, or no change.
    UnsettledError
        If a throw did not settle, so that it has no face to compare.

    Examples
    --------
    >>> from dicesim import Shaken
    >>> bool(flips(Shaken().sample(50, rng=1), "position", 0, [1.0]).any())
    False
    """
    steps = np.atleast_1d(np.asarray(eps, dtype=np.float64))
    if steps.ndim != 1 or not len(steps):
        raise ValueError(f"eps must be one row of changes, at least one, not of shape {steps.shape}")
    changed = [perturbed(states, part, axis, float(step)) for step in steps]
    before = _faces(states, setup)
    return np.stack([_faces(after, setup) != before for after in changed], axis=1)


def _faces(states: States, setup: Setup) -> npt.NDArray[np.int8]:
    outcomes = throw(states, setup=setup)
    outcomes.counts()  # refuses unsettled throws
    return outcomes.face


def around(scale: float, decades: float, per_decade: int) -> npt.NDArray[np.float64]:
    """List changes on both sides of a scale, evenly spaced in their logarithm, in four digits each.

    Parameters
    ----------
    scale : float
        The middle one.
    decades : float
        How many powers of ten to each side.
    per_decade : int
        Changes in each.

    Returns
    -------
    array
        The changes, rising.

    Examples
    --------
    >>> around(1e-2, 1, 1).round(6).tolist()
    [0.001, 0.01, 0.1]
    """
    steps = round(decades * per_decade)
    # Four digits, so that no machine's power function decides a bit.
    return np.array([float(f"{scale * 10 ** (k / per_decade):.4g}") for k in range(-steps, steps + 1)])
