"""The state of n dice, and the border where quaternions and rotations come in and go out.

Axes: z points up and the table is z = 0. Quaternions are scalar first and turn body vectors into world vectors.
Angular velocity is in world axes.
"""

from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from dicesim.parameters import Die
from dicesim.solids import relabel_axes

Floats = npt.NDArray[np.float64]
UNIT_TOLERANCE = 1e-9  # how far given axes may be from orthonormal, quaternions from unit length


def as_rows(name: str, value: Any, shape: tuple[int, ...]) -> Floats:
    """An array of n finite rows, read-only.

    Parameters
    ----------
    name : str
        What it is, for the message.
    value : array_like
        The rows.
    shape : tuple of int
        The shape of one row.

    Returns
    -------
    array (n, ...)
        A read-only copy.

    Raises
    ------
    ValueError
        If the shape is wrong or a value is not finite.

    Examples
    --------
    >>> as_rows("velocity", [[0, 0, 1]], (3,)).tolist()
    [[0.0, 0.0, 1.0]]
    """
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be numbers in rows of {' x '.join(map(str, shape))}") from None
    if array.shape[1:] != shape or array.ndim != len(shape) + 1:
        raise ValueError(f"{name} must have shape (n, {', '.join(map(str, shape))}), not {array.shape}")
    if not np.isfinite(array).all():
        bad = int(np.argmin(np.isfinite(array).reshape(len(array), -1).all(axis=1)))
        raise ValueError(f"{name} must be finite; row {bad} is {array[bad].tolist()}")
    array.flags.writeable = False
    return array


def row_lengths(rows: Floats) -> Floats:
    """Euclidean length of each row, summed in a fixed order so that its bits are the same everywhere.

    Parameters
    ----------
    rows : array (n, k)
        Vectors.

    Returns
    -------
    array (n,)
        Lengths.

    Examples
    --------
    >>> row_lengths(np.array([[3.0, 4.0]])).tolist()
    [5.0]
    """
    total = rows[:, 0] * rows[:, 0]
    for column in rows.T[1:]:
        total = total + column * column
    lengths: Floats = np.sqrt(total)
    return lengths


def quaternions_to_axes(quaternions: npt.ArrayLike) -> Floats:
    """Body axes, in world coordinates, of unit quaternions.

    Parameters
    ----------
    quaternions : array_like (n, 4)
        Scalar first, body to world.

    Returns
    -------
    array (n, 3, 3)
        ``axes[:, :, j]`` is body axis j.

    Raises
    ------
    ValueError
        If a quaternion is not of unit length.

    Examples
    --------
    >>> quaternions_to_axes([[1, 0, 0, 0]])[0].tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    q = as_rows("quaternions", quaternions, (4,))
    lengths = row_lengths(q)
    if (np.abs(lengths - 1) > UNIT_TOLERANCE).any():
        bad = int(np.argmax(np.abs(lengths - 1)))
        raise ValueError(f"quaternions must have unit length; row {bad} has length {float(lengths[bad])!r}")
    w, x, y, z = (q / lengths[:, None]).T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.array(rows).transpose(2, 0, 1).copy()


@dataclass(frozen=True, eq=False)
class States:
    """States of n dice, each by itself.

    Parameters
    ----------
    position : array_like (n, 3)
        Centres, m.
    axes : array_like (n, 3, 3)
        Orientations: ``axes[:, :, j]`` is body axis j in world coordinates, orthonormal and right-handed.
    velocity : array_like (n, 3)
        Velocities of the centres, m/s.
    angular_velocity : array_like (n, 3)
        In world axes, rad/s.

    Raises
    ------
    ValueError
        If a shape is wrong, a value is not finite, or axes are not orthonormal and right-handed.

    Examples
    --------
    >>> falling = States([[0, 0, 0.3]], np.eye(3)[None], np.zeros((1, 3)), np.zeros((1, 3)))
    >>> len(falling)
    1
    >>> falling.replace(velocity=falling.velocity + [0, 0, 1e-3]).velocity.tolist()
    [[0.0, 0.0, 0.001]]
    """

    position: Floats
    axes: Floats
    velocity: Floats
    angular_velocity: Floats

    def __post_init__(self) -> None:
        shapes = {"position": (3,), "axes": (3, 3), "velocity": (3,), "angular_velocity": (3,)}
        arrays = {name: as_rows(name, getattr(self, name), shape) for name, shape in shapes.items()}
        lengths = {name: len(array) for name, array in arrays.items()}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"all parts must have the same length, not {lengths}")
        for name, array in arrays.items():
            object.__setattr__(self, name, array)
        _check_axes(self.axes)

    def __reduce__(self) -> Any:  # a copy is checked and made read-only like any other
        return type(self), (self.position, self.axes, self.velocity, self.angular_velocity)

    def __repr__(self) -> str:
        return f"<States of {len(self)} dice>"

    def __len__(self) -> int:
        return len(self.position)

    def __getitem__(self, index: Any) -> Self:
        picked = slice(index, index + 1 or None) if isinstance(index, int | np.integer) else index
        if isinstance(index, int | np.integer) and not -len(self) <= index < len(self):
            raise IndexError(f"index must be from {-len(self)} to {len(self) - 1}, not {index}")
        if np.ndim(self.position[picked]) != 2:
            raise IndexError(f"pick states by a number, a slice or one row of indices, not {index!r}")
        return self._of([getattr(self, part.name)[picked] for part in fields(self)])

    @classmethod
    def _of(cls, arrays: list[Floats]) -> Self:
        """States of arrays that come from checked states, and need no second look."""
        states = object.__new__(cls)
        for part, array in zip(fields(cls), arrays, strict=True):
            array.flags.writeable = False
            object.__setattr__(states, part.name, array)
        return states

    @classmethod
    def from_quaternions(
        cls,
        position: npt.ArrayLike,
        quaternions: npt.ArrayLike,
        velocity: npt.ArrayLike,
        angular_velocity: npt.ArrayLike,
    ) -> Self:
        """States with orientations given as unit quaternions.

        Parameters
        ----------
        position : array_like (n, 3)
            Centres, m.
        quaternions : array_like (n, 4)
            Scalar first, body to world.
        velocity : array_like (n, 3)
            Velocities, m/s.
        angular_velocity : array_like (n, 3)
            In world axes, rad/s.

        Returns
        -------
        States
            The states.

        Examples
        --------
        >>> still = np.zeros((1, 3))
        >>> len(States.from_quaternions([[0, 0, 0.3]], [[1, 0, 0, 0]], still, still))
        1
        """
        return cls(position, quaternions_to_axes(quaternions), velocity, angular_velocity)  # type: ignore[arg-type]

    @classmethod
    def from_rotation(
        cls, position: npt.ArrayLike, rotation: Any, velocity: npt.ArrayLike, angular_velocity: npt.ArrayLike
    ) -> Self:
        """States with orientations given as a rotation.

        Parameters
        ----------
        position : array_like (n, 3)
            Centres, m.
        rotation : scipy.spatial.transform.Rotation
            As many rotations, body to world.
        velocity : array_like (n, 3)
            Velocities, m/s.
        angular_velocity : array_like (n, 3)
            In world axes, rad/s.

        Returns
        -------
        States
            The states.

        Examples
        --------
        >>> from scipy.spatial.transform import Rotation
        >>> still = np.zeros((1, 3))
        >>> turned = States.from_rotation([[0, 0, 0.3]], Rotation.from_euler("z", [90], degrees=True), still, still)
        >>> turned.axes[0].round(12).tolist()
        [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
        """
        return cls(position, rotation.as_matrix().reshape(-1, 3, 3), velocity, angular_velocity)  # type: ignore[arg-type]

    @property
    def rotation(self) -> Any:
        """Orientations as a `scipy.spatial.transform.Rotation`, body to world.

        Examples
        --------
        >>> still = np.zeros((1, 3))
        >>> float(States([[0, 0, 0.3]], np.eye(3)[None], still, still).rotation.magnitude()[0])
        0.0
        """
        from scipy.spatial.transform import Rotation

        return Rotation.from_matrix(self.axes)

    @property
    def quaternions(self) -> Floats:
        """Orientations as unit quaternions (n, 4), scalar first and not negative, body to world.

        Examples
        --------
        >>> still = np.zeros((1, 3))
        >>> States([[0, 0, 0.3]], np.eye(3)[None], still, still).quaternions.tolist()
        [[1.0, 0.0, 0.0, 0.0]]
        """
        turned: Floats = self.rotation.as_quat(canonical=True, scalar_first=True)
        return turned

    def replace(self, **parts: Any) -> Self:
        """The same states with some parts exchanged.

        Parameters
        ----------
        **parts : array_like
            Any of position, axes, velocity, angular_velocity, broadcast to the shape of the old part.

        Returns
        -------
        States
            New states; the old ones stay.

        Examples
        --------
        >>> still = np.zeros((1, 3))
        >>> states = States([[0, 0, 0.3]], np.eye(3)[None], still, still)
        >>> states.replace(velocity=0.5).velocity.tolist()
        [[0.5, 0.5, 0.5]]
        """
        return replace(self, **{name: self._fitted(name, value) for name, value in parts.items()})

    def _fitted(self, name: str, value: Any) -> Any:
        known = [part.name for part in fields(self)]
        if name not in known:
            raise ValueError(f"the parts of states are {', '.join(known)}, not {name}")
        shape = getattr(self, name).shape
        try:
            return np.broadcast_to(value, shape)
        except ValueError:
            raise ValueError(f"{name} must fit the shape {shape}, not {np.shape(value)}") from None

    def relabelled(self, k: int) -> Self:
        """The same dice with their sides renamed by rotation k of the cube; exact, nothing is rounded.

        Parameters
        ----------
        k : int
            Index into `dicesim.solids.ROTATIONS`, 0 to 23.

        Returns
        -------
        States
            States whose axes are permuted, and some of them reversed.

        Examples
        --------
        >>> still = np.zeros((1, 3))
        >>> states = States([[0, 0, 0.3]], np.eye(3)[None], still, still)
        >>> states.relabelled(1).axes[0].astype(int).tolist() != np.eye(3).astype(int).tolist()
        True
        """
        return self.replace(axes=relabel_axes(self.axes, k))

    def clearance(self, die: Die) -> Floats:
        """Height of the lowest corner of each die above the table, m.

        Parameters
        ----------
        die : Die
            The cube.

        Returns
        -------
        array (n,)
            Heights, negative for a die that reaches into the table.

        Examples
        --------
        >>> States([[0, 0, 0.3]], np.eye(3)[None], [[0, 0, 0]], [[0, 0, 0]]).clearance(Die(edge=0.25)).tolist()
        [0.175]
        """
        down: Floats = np.abs(self.axes[:, 2, 0]) + np.abs(self.axes[:, 2, 1]) + np.abs(self.axes[:, 2, 2])
        heights: Floats = self.position[:, 2] - die.edge / 2 * down
        return heights


def joined_states(parts: list[States]) -> States:
    """Put states one after another.

    Parameters
    ----------
    parts : list of States
        At least one.

    Returns
    -------
    States
        All of them.

    Examples
    --------
    >>> still = np.zeros((1, 3))
    >>> one = States([[0, 0, 0.3]], np.eye(3)[None], still, still)
    >>> joined_states([one, one])
    <States of 2 dice>
    """
    return States._of([np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(States)])


def _check_axes(axes: Floats) -> None:
    """Refuse axes that are not orthonormal and right-handed; a component at a time, which is ten times faster."""
    a, b, c = np.ascontiguousarray(axes.transpose(2, 1, 0))
    off = np.zeros(len(axes))
    for u, v, product in ((a, a, 1), (b, b, 1), (c, c, 1), (a, b, 0), (a, c, 0), (b, c, 0)):
        np.maximum(off, np.abs(_dot(u, v) - product), out=off)
    if (off > UNIT_TOLERANCE).any():
        raise ValueError(f"axes must be orthonormal columns; row {int(np.argmax(off))} is off by {off.max():.3g}")
    handed = _dot(a, [b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]]) < 0
    if handed.any():
        raise ValueError(f"axes must be right-handed; row {int(np.argmax(handed))} is not")


def _dot(u: Any, v: Any) -> Floats:
    product: Floats = u[0] * v[0] + u[1] * v[1] + u[2] * v[2]
    return product
