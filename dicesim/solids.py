"""The cube: its faces, its 24 rotations, and the 24 ways to label it.

A *face* is a side of the solid, 0 to 5 in the order of `FACES`; a *pip value* is what a face is
labelled with, 1 to 6. Everything here is whole-number bookkeeping, hence exact: a rotation of the cube
is a permutation of its three axes together with signs, and is applied as just that.

Order of the rotations
    Rotation k makes new body axis j of old body axis ``p[j]`` times the sign ``s[j]``. The permutations p
    run in lexicographic order, within each the signs s from (+, +, +) to (-, -, -) with the last sign
    changing fastest, and only those pairs that are proper rotations (determinant +1) are kept. Rotation 0
    is the identity. The order is part of the interface: recorded labelling indices depend on it.
"""

import operator
from itertools import permutations, product
from typing import Any, Final

import numpy as np
import numpy.typing as npt

#: Names of the six faces; a face's index is its place here.
FACES: Final = ("+x", "-x", "+y", "-y", "+z", "-z")

#: Pip values of faces 0 to 5 on the die as it is made: opposite sides sum to 7, and 1, 2, 3 run
#: counterclockwise round the corner they share, seen from outside (a right-handed die).
STANDARD: Final[npt.NDArray[np.int8]] = np.array([1, 6, 2, 5, 3, 4], dtype=np.int8)


def _face_normals() -> npt.NDArray[np.int8]:
    return np.array([sign * np.eye(3)[axis] for axis in range(3) for sign in (1, -1)], dtype=np.int8)


def _rotations() -> npt.NDArray[np.int8]:
    signed = (np.eye(3)[:, list(p)] * np.array(s) for p in permutations(range(3)) for s in product((1, -1), repeat=3))
    return np.array([matrix for matrix in signed if np.linalg.det(matrix) > 0], dtype=np.int8)


#: Outward normals of the faces in body axes, (6, 3).
FACE_NORMALS: Final[npt.NDArray[np.int8]] = _face_normals()

#: The 24 rotations of the cube as signed permutation matrices, (24, 3, 3); see the module's docstring.
ROTATIONS: Final[npt.NDArray[np.int8]] = _rotations()

# ROTATIONS once more, column by column: where its one entry stands, and the sign of it.
_COLUMN_AXIS: Final[npt.NDArray[np.intp]] = np.abs(ROTATIONS).argmax(axis=1)
_COLUMN_SIGN: Final[npt.NDArray[np.int8]] = ROTATIONS.sum(axis=1, dtype=np.int8)
_INDEX: Final = {matrix.tobytes(): k for k, matrix in enumerate(ROTATIONS)}

# A face whose normal in old axes is n has normal R^T n in new axes. Projected on the six normals, exactly
# one product is +1, and its place is the face's new index.
_PROJECTIONS = FACE_NORMALS @ ROTATIONS @ FACE_NORMALS.T
_FACE_MAP: Final[npt.NDArray[np.int8]] = _PROJECTIONS.argmax(axis=2).astype(np.int8)

for _array in (STANDARD, FACE_NORMALS, ROTATIONS, _COLUMN_AXIS, _COLUMN_SIGN, _FACE_MAP):
    _array.flags.writeable = False


def relabel_axes(axes: npt.NDArray[Any], k: int) -> npt.NDArray[Any]:
    """Give each die the body axes that rotation `k` names, without turning the die.

    New body axis j is ``sum_i axes[..., i] * ROTATIONS[k][i, j]``, which is one old axis with a sign: columns
    are permuted and multiplied by +1 or -1, so that no bit of any magnitude changes.

    Parameters
    ----------
    axes : ndarray, shape (..., 3, 3)
        Orientations; column ``axes[..., :, j]`` is body axis j in world coordinates.
    k : int
        Index of the rotation, 0 to 23.

    Returns
    -------
    ndarray, shape (..., 3, 3)
        The relabelled orientations, in a fresh array of the same type.

    Examples
    --------
    >>> relabel_axes(np.eye(3), 1)  # y and z turned over
    array([[ 1., -0., -0.],
           [ 0., -1., -0.],
           [ 0., -0., -1.]])
    """
    k = _checked(k)
    columns: npt.NDArray[Any] = np.take(_orientations(axes), _COLUMN_AXIS[k], axis=-1)
    columns *= _COLUMN_SIGN[k]
    return columns


def relabel_faces(k: int) -> npt.NDArray[np.int8]:
    """Tell where each face goes under `relabel_axes` with rotation `k`.

    Parameters
    ----------
    k : int
        Index of the rotation, 0 to 23.

    Returns
    -------
    ndarray of int8, shape (6,)
        Entry f is the new index of the side that was face f.

    Examples
    --------
    >>> relabel_faces(0).tolist()
    [0, 1, 2, 3, 4, 5]
    >>> relabel_faces(1).tolist()  # y and z turned over
    [0, 1, 3, 2, 5, 4]
    """
    return np.array(_FACE_MAP[_checked(k)])


def compose(j: int, k: int) -> int:
    """Find the one rotation that does what relabelling by `j` and then by `k` does.

    Parameters
    ----------
    j, k : int
        Indices of the first and of the second rotation, 0 to 23.

    Returns
    -------
    int
        Index of ``ROTATIONS[j] @ ROTATIONS[k]``.

    Examples
    --------
    >>> compose(1, 1)  # half a turn twice
    0
    """
    return _INDEX[(ROTATIONS[_checked(j)] @ ROTATIONS[_checked(k)]).tobytes()]


def inverse(k: int) -> int:
    """Find the rotation that undoes `k`.

    Parameters
    ----------
    k : int
        Index of the rotation, 0 to 23.

    Returns
    -------
    int
        Index of the transposed matrix.

    Examples
    --------
    >>> all(compose(k, inverse(k)) == 0 for k in range(24))
    True
    """
    return _INDEX[ROTATIONS[_checked(k)].T.tobytes()]


def up_face(axes: npt.ArrayLike) -> npt.NDArray[np.int8]:
    """Name the face that points up most nearly.

    A die balanced exactly on an edge or a corner has no such face, and no rule could choose one that
    respects the cube's symmetry: half a turn about the vertical swaps the two upper faces of a die on its
    edge. The tie goes to the axis that comes first in the order x, y, z.

    Parameters
    ----------
    axes : array_like, shape (..., 3, 3)
        Orientations; column ``axes[..., :, j]`` is body axis j in world coordinates, z up.

    Returns
    -------
    ndarray of int8, shape (...)
        Index into `FACES`.

    Examples
    --------
    >>> [FACES[face] for face in up_face([np.eye(3), np.diag([1, -1, -1])])]
    ['+z', '-z']
    """
    height = _orientations(axes)[..., 2, :]
    axis = np.abs(height).argmax(axis=-1)
    down = np.take_along_axis(height, axis[..., np.newaxis], axis=-1)[..., 0] < 0
    return np.asarray(2 * axis + down, dtype=np.int8)


def labellings() -> npt.NDArray[np.int8]:
    """List the 24 labellings: what each face carries when the standard die is put on by each rotation.

    Row k is `STANDARD` read through `relabel_faces`, so reading the faces of a relabelled throw by the
    standard labelling equals reading the faces of the throw itself by row k. Each face carries each pip
    value in exactly 24 / 6 = 4 rows, which is why a labelling drawn evenly from the 24 makes any throw fair.

    Returns
    -------
    ndarray of int8, shape (24, 6)
        Pip value, 1 to 6, of each face under each rotation.

    Examples
    --------
    >>> labellings()[:2].tolist()
    [[1, 6, 2, 5, 3, 4], [1, 6, 5, 2, 4, 3]]
    """
    return STANDARD[_FACE_MAP]


def pips(faces: npt.ArrayLike, labelling: npt.ArrayLike = STANDARD) -> npt.NDArray[np.int8]:
    """Read pip values off faces.

    Parameters
    ----------
    faces : array_like of int, shape (n,)
        Faces that point up, 0 to 5.
    labelling : array_like of int, shape (6,) or (n, 6)
        Pip value of each face, one labelling for all dice or one for each.

    Returns
    -------
    ndarray of int8, shape (n,)
        Pip values.

    Raises
    ------
    ValueError
        If an entry is no face, or the labelling has another shape
        or a pip value that is no whole number.

    Examples
    --------
    >>> pips([0, 1, 5]).tolist()
    [1, 6, 4]
    >>> pips([0, 0, 0], labellings()[[0, 1, 23]]).tolist()
    [1, 1, 4]
    """
    index, table = _whole("faces", faces), _whole("pip values", labelling)
    if strays := np.count_nonzero((index < 0) | (index > 5)):
        raise ValueError(f"{strays} of {index.size} faces are not 0 to 5")
    one_each = (*index.shape, 6)
    if table.shape not in ((6,), one_each):
        raise ValueError(f"labelling must have shape (6,) or {one_each}, not {table.shape}")
    table = np.broadcast_to(table, one_each)
    return np.take_along_axis(table, index[..., np.newaxis], axis=-1)[..., 0].astype(np.int8)


def _checked(k: int) -> int:
    index = operator.index(k)
    if not 0 <= index < 24:
        raise ValueError(f"a cube has rotations 0 to 23, not {index}")
    return index


def _whole(what: str, values: npt.ArrayLike) -> npt.NDArray[np.integer]:
    array = np.asarray(values)
    if array.size and not np.issubdtype(array.dtype, np.integer):
        raise ValueError(f"{what} must be whole numbers, not {array.dtype}")
    return array.astype(np.intp)


def _orientations(axes: npt.ArrayLike) -> npt.NDArray[Any]:
    array = np.asarray(axes)
    if array.shape[-2:] != (3, 3):
        raise ValueError(f"axes must have shape (..., 3, 3), not {array.shape}")
    return array
