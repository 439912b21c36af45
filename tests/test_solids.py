"""The cube's faces, rotations and labellings."""

from itertools import permutations, product

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from dicesim.solids import (
    FACE_NORMALS,
    FACES,
    ROTATIONS,
    STANDARD,
    compose,
    inverse,
    labellings,
    pips,
    relabel_axes,
    relabel_faces,
    up_face,
)

EVERY = range(24)
PAIRS = list(product(EVERY, EVERY))


@pytest.fixture(scope="module")
def axes() -> np.ndarray:
    return Rotation.random(200, rng=2024).as_matrix()


def height(axes: np.ndarray) -> np.ndarray:
    """World height of each of the six outward normals, face by face."""
    return np.stack([(axes @ normal)[..., 2] for normal in FACE_NORMALS], axis=-1)


# Faces


def test_the_names_of_the_faces_describe_their_normals() -> None:
    for name, normal in zip(FACES, FACE_NORMALS, strict=True):
        assert normal["xyz".index(name[1])] == int(f"{name[0]}1")
        assert np.abs(normal).sum() == 1


def test_up_face_is_the_highest_normal(axes: np.ndarray) -> None:
    faces = up_face(axes)
    assert faces.dtype == np.int8
    assert set(faces.tolist()) == set(range(6))
    np.testing.assert_array_equal(faces, height(axes).argmax(axis=-1))


def test_up_face_of_one_die_and_of_a_grid_of_dice(axes: np.ndarray) -> None:
    assert up_face(axes[7]).shape == ()
    assert up_face(axes[7]) == up_face(axes)[7]
    np.testing.assert_array_equal(up_face(axes.reshape(4, 50, 3, 3)), up_face(axes).reshape(4, 50))
    assert up_face(axes[:0]).shape == (0,)


@pytest.mark.parametrize(
    ("top", "face"),
    [
        ((1, 1, 0), "+x"),
        ((-1, 1, 0), "-x"),
        ((0, -1, 1), "-y"),
        ((0.5, -1, -1), "-y"),
        ((1, 1, 1), "+x"),
        ((-1, -1, -1), "-x"),
        ((-0.0, 0.0, -1), "-z"),
    ],
)
def test_a_tie_goes_to_the_first_axis(top: tuple[float, float, float], face: str) -> None:
    axes = np.zeros((3, 3))
    axes[2] = top
    assert FACES[up_face(axes)] == face


# Rotations


def test_the_rotations_are_the_group_of_the_cube() -> None:
    theirs = np.rint(Rotation.create_group("O").as_matrix()).astype(np.int8)
    assert ROTATIONS.dtype == np.int8
    assert ROTATIONS.shape == (24, 3, 3)
    assert {r.tobytes() for r in ROTATIONS} == {np.ascontiguousarray(r).tobytes() for r in theirs}
    assert len({r.tobytes() for r in ROTATIONS}) == 24


def test_the_rotations_stand_in_the_documented_order() -> None:
    np.testing.assert_array_equal(ROTATIONS[0], np.eye(3))
    keys = []
    for matrix in ROTATIONS:
        columns = [(int(np.flatnonzero(c)[0]), int(c.sum())) for c in matrix.T]
        keys.append(([axis for axis, _ in columns], [-sign for _, sign in columns]))
    assert keys == sorted(keys)


def test_the_tables_cannot_be_written_to() -> None:
    for table in (ROTATIONS, FACE_NORMALS, STANDARD):
        with pytest.raises(ValueError, match="read-only"):
            table[0] = 0
    for fresh in (relabel_faces(0), labellings()):
        fresh[:] = 0
    assert relabel_faces(0).tolist() == list(range(6))


@pytest.mark.parametrize("k", EVERY)
def test_relabelling_is_the_product_with_the_rotation(k: int, axes: np.ndarray) -> None:
    before = axes.copy()
    relabelled = relabel_axes(axes, k)
    np.testing.assert_array_equal(relabelled, axes @ ROTATIONS[k])
    np.testing.assert_array_equal(relabel_axes(axes[3], k), relabelled[3])
    assert relabelled.flags.c_contiguous
    assert not np.shares_memory(relabelled, axes)
    np.testing.assert_array_equal(axes, before)


@pytest.mark.parametrize("k", EVERY)
def test_relabelling_and_back_restores_every_bit(k: int, axes: np.ndarray) -> None:
    awkward = axes.copy()
    awkward[:9].flat[:] = np.resize([0.0, -0.0, 5e-324, -1e308, 1 / 3, np.inf, -np.nextafter(1, 0)], 81)
    assert relabel_axes(relabel_axes(awkward, k), inverse(k)).tobytes() == awkward.tobytes()
    single = awkward[9:].astype(np.float32)
    assert relabel_axes(single, k).dtype == np.float32
    assert relabel_axes(relabel_axes(single, k), inverse(k)).tobytes() == single.tobytes()


@pytest.mark.parametrize("k", EVERY)
def test_a_side_keeps_its_place_in_the_world_and_changes_its_name(k: int, axes: np.ndarray) -> None:
    old, new = axes @ FACE_NORMALS.T, relabel_axes(axes, k) @ FACE_NORMALS.T  # (n, 3, 6) normals in the world
    np.testing.assert_array_equal(new[:, :, relabel_faces(k)], old)


@pytest.mark.parametrize("k", EVERY)
def test_the_face_that_is_up_is_permuted(k: int, axes: np.ndarray) -> None:
    np.testing.assert_array_equal(up_face(relabel_axes(axes, k)), relabel_faces(k)[up_face(axes)])


def test_a_quarter_turn_worked_by_hand() -> None:
    # New x is old y and new y is old -x, so the side that was +x is -y, the one that was +y is +x.
    matrix = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    (k,) = (k for k in EVERY if np.array_equal(ROTATIONS[k], matrix))
    assert [FACES[f] for f in relabel_faces(k)] == ["-y", "+y", "+x", "-x", "+z", "-z"]
    x, y, z = relabel_axes(np.array([[1.0, 2, 3], [4, 5, 6], [7, 8, 9]]), k).T.tolist()
    assert (x, y, z) == ([2, 5, 8], [-1, -4, -7], [3, 6, 9])


def test_each_face_goes_to_each_face_under_exactly_four_rotations() -> None:
    counts = np.zeros((6, 6), dtype=int)
    for k in EVERY:
        counts[np.arange(6), relabel_faces(k)] += 1
    assert (counts == 4).all()


def test_composition_is_one_relabelling_after_the_other(axes: np.ndarray) -> None:
    for j, k in PAIRS:
        both = compose(j, k)
        np.testing.assert_array_equal(relabel_axes(relabel_axes(axes[:2], j), k), relabel_axes(axes[:2], both))
        np.testing.assert_array_equal(relabel_faces(k)[relabel_faces(j)], relabel_faces(both))


def test_the_rotations_are_a_group_and_order_matters() -> None:
    table = np.array([compose(j, k) for j, k in PAIRS]).reshape(24, 24)
    for line in (*table, *table.T):
        assert sorted(line.tolist()) == list(EVERY)
    assert (table != table.T).any()
    assert all(compose(k, inverse(k)) == compose(inverse(k), k) == 0 for k in EVERY)


@pytest.mark.parametrize("k", [-1, 24, 1000])
def test_there_are_no_other_rotations(k: int, axes: np.ndarray) -> None:
    calls = [
        lambda: relabel_axes(axes, k),
        lambda: relabel_faces(k),
        lambda: compose(k, 0),
        lambda: compose(0, k),
        lambda: inverse(k),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=rf"^a cube has rotations 0 to 23, not {k}$"):
            call()


def test_an_index_may_be_numpys_but_not_a_fraction() -> None:
    assert inverse(np.int64(5)) == inverse(5)
    with pytest.raises(TypeError):
        relabel_faces(1.5)  # type: ignore[arg-type]


@pytest.mark.parametrize("shape", [(3,), (5, 3), (4, 3, 4), (9,)])
def test_axes_of_another_shape_are_refused(shape: tuple[int, ...]) -> None:
    for call in (up_face, lambda a: relabel_axes(a, 1)):
        with pytest.raises(ValueError, match=r"^axes must have shape \(\.\.\., 3, 3\), not .*$"):
            call(np.zeros(shape))


# Labellings


def opposite_sides_sum_to_seven(labelling: np.ndarray) -> bool:
    return all(labelling[f] + labelling[f + 1] == 7 for f in (0, 2, 4))


def is_right_handed(labelling: np.ndarray) -> bool:
    """Whether 1, 2, 3 run counterclockwise round their corner: as x, y, z do."""
    one, two, three = (FACE_NORMALS[list(labelling).index(pip)].astype(float) for pip in (1, 2, 3))
    return bool(np.dot(np.cross(one, two), three) > 0)


def test_the_labellings_are_all_right_handed_dice_and_no_other() -> None:
    dice = [np.array(p) for p in permutations(range(1, 7))]
    wanted = {tuple(d.tolist()) for d in dice if opposite_sides_sum_to_seven(d) and is_right_handed(d)}
    assert {tuple(row) for row in labellings().tolist()} == wanted
    assert len(wanted) == 24
    np.testing.assert_array_equal(labellings()[0], STANDARD)


def test_each_face_carries_each_pip_value_exactly_four_times() -> None:
    counts = (labellings()[:, :, None] == np.arange(1, 7)).sum(axis=0)
    np.testing.assert_array_equal(counts, np.full((6, 6), 4))


@pytest.mark.parametrize("k", EVERY)
def test_a_labelling_reads_as_the_relabelled_die_does(k: int, axes: np.ndarray) -> None:
    seen = pips(up_face(relabel_axes(axes, k)))
    np.testing.assert_array_equal(seen, pips(up_face(axes), labellings()[k]))


def test_each_die_may_have_its_own_labelling() -> None:
    rng = np.random.default_rng(7)
    faces, k = rng.integers(0, 6, 300), rng.integers(0, 24, 300)
    seen = pips(faces, labellings()[k])
    assert seen.dtype == np.int8
    assert seen.tolist() == [labellings()[j][f] for f, j in zip(faces, k, strict=True)]
    assert pips(np.array([], dtype=np.int8)).shape == (0,)
    assert pips([0, 5], [1, 1, 2, 2, 3, 3]).tolist() == [1, 3]  # any pip values will do


@pytest.mark.parametrize(
    ("faces", "labelling", "complaint"),
    [
        ([0, -1, -1], STANDARD, "2 of 3 faces are not 0 to 5"),
        ([6], STANDARD, "1 of 1 faces are not 0 to 5"),
        ([0.0, 1.0], STANDARD, "faces must be whole numbers, not float64"),
        ([0, 1], STANDARD + 0.5, "pip values must be whole numbers, not float"),
        ([0, 1], STANDARD[:5], r"labelling must have shape \(6,\) or \(2, 6\), not \(5,\)"),
        ([0, 1], [STANDARD], r"labelling must have shape \(6,\) or \(2, 6\), not \(1, 6\)"),
        ([0, 1, 2], [STANDARD] * 2, r"labelling must have shape \(6,\) or \(3, 6\), not \(2, 6\)"),
    ],
)
def test_what_cannot_be_read_is_refused(faces: object, labelling: object, complaint: str) -> None:
    with pytest.raises(ValueError, match=rf"^{complaint}[^\n]*$"):
        pips(faces, labelling)  # type: ignore[arg-type]
