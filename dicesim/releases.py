"""Ways to let go of dice: distributions of the state at release."""

import math
from dataclasses import dataclass, field
from typing import Annotated, Any, Protocol

import numpy as np

from dicesim.ensembles import generator
from dicesim.parameters import Die, Tagged, require_between, require_kind, require_positive
from dicesim.states import Floats, States, as_rows, quaternions_to_axes, row_lengths

Seed = np.random.Generator | np.random.SeedSequence | int | None


class Release(Protocol):  # numpydoc ignore=PR01
    """A distribution of releases: anything with this method can be thrown.

    Examples
    --------
    >>> class Nudged:
    ...     def sample(self, n, *, rng=None):
    ...         return Shaken().sample(n, rng=rng).replace(velocity=[0.1, 0.0, 0.0])
    >>> len(Nudged().sample(3, rng=1))
    3
    """

    def sample(self, n: int, *, rng: Seed = None) -> States:
        """Draw n releases; the first of more must be the same releases.

        Parameters
        ----------
        n : int
            How many.
        rng : Generator, SeedSequence, int or None
            Where randomness comes from.

        Returns
        -------
        States
            The releases.

        Examples
        --------
        >>> len(Lowered().sample(3, rng=1))
        3
        """
        ...


def standard_normals(n: int, columns: int, rng: Seed) -> Floats:
    """Standard normal deviates whose bits do not depend on the machine.

    The uniform numbers come from the generator's 53-bit steps and are transformed by exactly rounded arithmetic
    (`dicesim.kernel.normals`), not by the C library. Row i is the same for every n above i.

    Parameters
    ----------
    n, columns : int
        Shape.
    rng : Generator, SeedSequence, int or None
        Where randomness comes from.

    Returns
    -------
    array (n, columns)
        Independent standard normals.

    Examples
    --------
    >>> standard_normals(2, 3, rng=1).shape
    (2, 3)
    """
    from dicesim import kernel

    pairs = -(-columns // 2)
    normals: Floats = kernel.normals(generator(rng).random((n, 2 * pairs)))
    return normals[:, :columns]


def check_count(n: Any, must: str = "the number of throws must be a whole number, 0 or more") -> int:
    """Refuse anything but a number of throws.

    Parameters
    ----------
    n : int
        How many.
    must : str
        What the message begins with.

    Returns
    -------
    int
        The number.

    Raises
    ------
    ValueError
        If it is not a whole number from 0.

    Examples
    --------
    >>> check_count(3)
    3
    """
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 0:
        raise ValueError(f"{must}, not {n!r}")
    return int(n)


def _uniform_axes(normals: Floats) -> Floats:
    """Uniform orientations from the first four normals of each row."""
    from dicesim import kernel

    axes: Floats = kernel.orientations(normals)
    return axes


@dataclass(frozen=True)
class Shaken:
    """The shipped throw: a cup has turned the die any way at all.

    Orientation uniform on SO(3); velocity and spin normal, the same along each axis.

    Parameters
    ----------
    height : float
        Height of the centre at release, m.
    speed : float
        Root mean square of the speed, m/s.
    spin : float
        Standard deviation of the angular velocity about each axis, rad/s.

    Raises
    ------
    ValueError
        If a value is out of its range.

    Examples
    --------
    >>> Shaken().sample(5, rng=1).position[:, 2].tolist()
    [0.55, 0.55, 0.55, 0.55, 0.55]
    """

    height: Annotated[float, Tagged("m", "calibrated", "experiment calibration: settle time 0.57 s")] = 0.55
    speed: Annotated[float, Tagged("m/s", "documented", "the source: a wobble of 0.3 m/s is the whole throw speed")] = (
        0.3
    )
    spin: Annotated[float, Tagged("rad/s", "calibrated", "experiment calibration: vertical 15 times sharper")] = 25.0

    def __post_init__(self) -> None:
        require_positive("height", self.height, "m")
        require_between("speed", self.speed, 0, 100)
        require_between("spin", self.spin, 0, 1000)

    def sample(self, n: int, *, rng: Seed = None) -> States:
        """Draw n releases; the first of more are the same.

        Parameters
        ----------
        n : int
            How many.
        rng : Generator, SeedSequence, int or None
            Where randomness comes from.

        Returns
        -------
        States
            The releases.

        Examples
        --------
        >>> len(Shaken().sample(4, rng=1))
        4
        """
        normals = standard_normals(check_count(n), 10, rng)
        position = np.zeros((n, 3))
        position[:, 2] = self.height
        velocity = self.speed / math.sqrt(3) * normals[:, 4:7]
        return States(position, _uniform_axes(normals), velocity, self.spin * normals[:, 7:10])


@dataclass(frozen=True)
class SteadyHand:
    """One release, repeated as well as a hand can: only velocity and spin wobble, the orientation does not.

    Parameters
    ----------
    wobble : float
        Standard deviation of each velocity component, m/s.
    height : float
        Height of the centre at release, m.
    quaternion : tuple of 4 floats
        The fixed orientation, scalar first, body to world; normalised here.
    velocity : tuple of 3 floats
        Mean velocity, m/s.
    angular_velocity : tuple of 3 floats
        Mean angular velocity in world axes, rad/s.
    spin_ratio : float
        Standard deviation of the spin over that of the velocity, rad/m.

    Raises
    ------
    ValueError
        If a value is out of its range, or the quaternion is zero.

    Examples
    --------
    >>> SteadyHand(wobble=0.0).sample(2, rng=1).velocity.tolist()
    [[0.3, 0.0, 0.0], [0.3, 0.0, 0.0]]
    """

    wobble: Annotated[float, Tagged("m/s", "documented", "the source: the last row of its wobble table")] = 0.3
    height: Annotated[float, Tagged("m", "calibrated", "the height of Shaken")] = 0.55
    quaternion: Annotated[
        tuple[float, float, float, float], Tagged("1", "reconstructed", "chosen here, far from every symmetry")
    ] = (0.7, 0.6, 0.4, 0.0)
    velocity: Annotated[
        tuple[float, float, float], Tagged("m/s", "reconstructed", "the whole throw speed, along x")
    ] = (0.3, 0.0, 0.0)
    angular_velocity: Annotated[
        tuple[float, float, float], Tagged("rad/s", "reconstructed", "a hand that lets go without spin")
    ] = (0.0, 0.0, 0.0)
    spin_ratio: Annotated[
        float, Tagged("rad/m", "documented", "the source: a wobble of the spin ten times that of the velocity")
    ] = 10.0

    def __post_init__(self) -> None:
        require_between("wobble", self.wobble, 0, 100)
        require_between("spin_ratio", self.spin_ratio, 0, 100)
        require_positive("height", self.height, "m")
        for name, size in (("quaternion", 4), ("velocity", 3), ("angular_velocity", 3)):
            row = as_rows(name, [getattr(self, name)], (size,))[0]
            object.__setattr__(self, name, tuple(row.tolist()))
        if not any(self.quaternion):
            raise ValueError("quaternion must not be zero")

    def sample(self, n: int, *, rng: Seed = None) -> States:
        """Draw n releases; the first of more are the same.

        Parameters
        ----------
        n : int
            How many.
        rng : Generator, SeedSequence, int or None
            Where randomness comes from.

        Returns
        -------
        States
            The releases.

        Examples
        --------
        >>> states = SteadyHand().sample(4, rng=1)
        >>> bool((states.axes == states.axes[0]).all())
        True
        """
        normals = standard_normals(check_count(n), 6, rng)
        q = np.array([self.quaternion], dtype=np.float64)
        q = q / np.abs(q).max()  # so that no square leaves the range of floats
        axes = np.repeat(quaternions_to_axes(q / row_lengths(q)), n, axis=0)
        position = np.tile([0.0, 0.0, self.height], (n, 1))
        velocity = np.array(self.velocity) + self.wobble * normals[:, :3]
        spin = np.array(self.angular_velocity) + self.spin_ratio * self.wobble * normals[:, 3:]
        return States(position, axes, velocity, spin)


@dataclass(frozen=True)
class Lowered:
    """A die let go at rest just above the table, turned any way at all.

    Parameters
    ----------
    gap : float
        Height of the lowest corner above the table, m.
    die : Die
        The cube, whose size decides where its lowest corner is; the same as that of the setup it is thrown with.

    Raises
    ------
    ValueError
        If the gap is not above zero.

    Examples
    --------
    >>> Lowered().sample(2, rng=1).velocity.tolist()
    [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """

    gap: Annotated[float, Tagged("m", "reconstructed", "the source says just above the cloth and gives no number")] = (
        0.001
    )
    die: Die = field(default_factory=Die)

    def __post_init__(self) -> None:
        require_positive("gap", self.gap, "m")
        require_kind("die", self.die, Die)

    def sample(self, n: int, *, rng: Seed = None) -> States:
        """Draw n releases; the first of more are the same.

        Parameters
        ----------
        n : int
            How many.
        rng : Generator, SeedSequence, int or None
            Where randomness comes from.

        Returns
        -------
        States
            The releases.

        Examples
        --------
        >>> Lowered().sample(3, rng=1).clearance(Die()).round(6).tolist()
        [0.001, 0.001, 0.001]
        """
        axes = _uniform_axes(standard_normals(check_count(n), 4, rng))
        heights = np.abs(axes[:, 2, 0]) + np.abs(axes[:, 2, 1]) + np.abs(axes[:, 2, 2])
        position = np.zeros((n, 3))
        position[:, 2] = self.gap + self.die.edge / 2 * heights
        return States(position, axes, np.zeros((n, 3)), np.zeros((n, 3)))
