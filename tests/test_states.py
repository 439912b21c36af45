"""States: their checks, their borders to quaternions and rotations, and that they stay what they are."""

import copy
import pickle
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from dicesim import Die, Shaken, States
from dicesim.solids import ROTATIONS
from dicesim.states import as_rows, quaternions_to_axes, row_lengths

PARTS = ("position", "axes", "velocity", "angular_velocity")
pytestmark = pytest.mark.jit_off


@pytest.fixture
def states() -> States:
    return Shaken().sample(7, rng=1)


def arrays(n: int = 2) -> dict[str, Any]:
    still = np.zeros((n, 3))
    return {
        "position": np.full((n, 3), 0.3),
        "axes": np.broadcast_to(np.eye(3), (n, 3, 3)).copy(),
        "velocity": still.copy(),
        "angular_velocity": still.copy(),
    }


def message(make: Any, *arguments: Any, **keywords: Any) -> str:
    with pytest.raises((ValueError, TypeError, IndexError)) as caught:
        make(*arguments, **keywords)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def same(a: States, b: States) -> bool:
    return all(getattr(a, name).tobytes() == getattr(b, name).tobytes() for name in PARTS)


# Checks


@pytest.mark.parametrize("name", PARTS)
@pytest.mark.parametrize("cut", [np.s_[0], np.s_[..., :2], np.s_[:, None]])
def test_wrong_shapes_are_refused(name: str, cut: Any) -> None:
    parts = arrays()
    wrong = parts[name][cut]
    wanted = "(n, 3, 3)" if name == "axes" else "(n, 3)"
    assert message(States, **parts | {name: wrong}) == f"{name} must have shape {wanted}, not {wrong.shape}"


@pytest.mark.parametrize("name", PARTS)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_refused_and_its_row_named(name: str, value: float) -> None:
    parts = arrays()
    parts[name][1].flat[2] = value
    assert message(States, **parts).startswith(f"{name} must be finite; row 1 is [")


def test_parts_of_unequal_length_are_refused() -> None:
    said = message(States, **arrays() | {"velocity": np.zeros((3, 3))})
    assert said == (
        "all parts must have the same length, not {'position': 2, 'axes': 2, 'velocity': 3, 'angular_velocity': 2}"
    )


@pytest.mark.parametrize("value", ["up", [[0, 0], [1]], [[1j, 0, 0]] * 2, None])
def test_what_is_no_array_of_numbers_is_refused_in_one_line(value: Any) -> None:
    message(States, **arrays() | {"velocity": value})


@pytest.mark.parametrize("value", ["up", [[0, 0], [1]]])
def test_the_message_names_the_part(value: Any) -> None:
    assert "velocity" in message(States, **arrays() | {"velocity": value})


@pytest.mark.parametrize(
    "wrong", [2 * np.eye(3), (1 + 1e-8) * np.eye(3), np.diag([1, 1, 0]), [[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]]
)
def test_axes_must_be_orthonormal(wrong: Any) -> None:
    axes = np.array([np.eye(3), wrong])
    assert message(States, **arrays() | {"axes": axes}).startswith("axes must be orthonormal columns; row 1 is off by ")


def test_axes_must_be_right_handed() -> None:
    axes = np.array([np.eye(3), np.diag([1.0, 1.0, -1.0])])
    assert message(States, **arrays() | {"axes": axes}) == "axes must be right-handed; row 1 is not"


def test_the_drift_of_a_long_throw_is_no_fault() -> None:
    assert len(States(**arrays() | {"axes": np.array([np.eye(3)] * 2) * (1 + 1e-11)})) == 2


def test_no_dice_are_a_state_too() -> None:
    none = States(**arrays(0))
    assert (len(none), none.axes.shape, none.clearance(Die()).shape) == (0, (0, 3, 3), (0,))


# What is given stays the giver's, what is held cannot change


@pytest.mark.parametrize("name", PARTS)
def test_nothing_is_shared_with_the_arrays_given(name: str) -> None:
    parts = arrays()
    states = States(**parts)
    before = getattr(states, name).copy()
    parts[name][:] = 7
    assert (getattr(states, name) == before).all()


@pytest.mark.parametrize("name", PARTS)
def test_what_is_held_is_read_only(name: str, states: States) -> None:
    for held in (states, states[2:5], states.replace(velocity=1.0), states.relabelled(3)):
        with pytest.raises(ValueError, match="read-only"):
            getattr(held, name)[0] = 0
        with pytest.raises(FrozenInstanceError):
            setattr(held, name, 0)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_copies_hold_the_same_bits(copied: Any, states: States) -> None:
    assert same(copied(states), states)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_copies_are_read_only(copied: Any, states: States) -> None:
    assert not copied(states).position.flags.writeable


# Picking and replacing


@pytest.mark.parametrize(
    "index",
    [
        0,
        -1,
        6,
        -7,
        np.int64(3),
        slice(2, 5),
        slice(None, None, -2),
        [0, 0, 5],
        np.array([6, -1]),
        np.arange(7) % 2 == 0,
        [],
        slice(3, 3),
    ],
)
def test_picking_is_numpys(index: Any, states: States) -> None:
    picked = states[index]
    for name in PARTS:
        wanted = getattr(states, name)[index]
        wanted = wanted[None] if isinstance(index, int | np.integer) else wanted
        assert np.array_equal(getattr(picked, name), wanted)


@pytest.mark.parametrize("index", [7, -8, [7], np.ones(3, bool), "a", None, (0, 0), 1.0])
def test_what_is_not_there_cannot_be_picked(index: Any, states: States) -> None:
    message(lambda: states[index])


def test_states_can_be_gone_through(states: States) -> None:
    each = list(states)
    assert len(each) == len(states)
    assert all(same(one, states[k]) for k, one in enumerate(each))


@pytest.mark.parametrize("value", [0.5, [0.1, 0.2, 0.3], np.arange(21.0).reshape(7, 3), np.arange(7.0)[:, None]])
def test_what_is_replaced_is_spread_over_all(value: Any, states: States) -> None:
    replaced = states.replace(velocity=value)
    assert np.array_equal(replaced.velocity, np.broadcast_to(value, (7, 3)))
    assert same(replaced.replace(velocity=states.velocity), states)


def test_one_orientation_for_all(states: States) -> None:
    assert np.array_equal(states.replace(axes=np.eye(3)).axes, np.array([np.eye(3)] * 7))


@pytest.mark.parametrize(
    "parts", [{"velocity": np.zeros((2, 3))}, {"velocity": np.nan}, {"axes": 2 * np.eye(3)}, {"velocity": "fast"}]
)
def test_what_is_replaced_is_checked(parts: Any, states: States) -> None:
    message(states.replace, **parts)


@pytest.mark.parametrize("name", ["speed", "quaternions", "rotation"])
def test_there_is_nothing_else_to_replace(name: str, states: States) -> None:
    assert name in message(states.replace, **{name: 1.0})


# Quaternions and rotations: scalar first, body to world


def test_the_scalar_comes_first_and_body_turns_into_world() -> None:
    quarter = np.sqrt(0.5)
    axes = quaternions_to_axes([[1, 0, 0, 0], [quarter, 0, 0, quarter], [0, 1, 0, 0]])
    assert np.array_equal(axes[0], np.eye(3))
    # A quarter turn about z carries body x to world y, and body y to world -x.
    assert np.allclose(axes[1][:, 0], [0, 1, 0], atol=1e-15)
    assert np.allclose(axes[1][:, 1], [-1, 0, 0], atol=1e-15)
    assert np.array_equal(axes[2], np.diag([1.0, -1.0, -1.0]))


def test_quaternions_agree_with_scipy(states: States) -> None:
    rotations = Rotation.random(500, rng=3)
    axes = quaternions_to_axes(rotations.as_quat(scalar_first=True))
    assert np.allclose(axes, rotations.as_matrix(), rtol=0, atol=1e-15)


def test_rotations_go_out_and_come_back(states: States) -> None:
    assert np.allclose(states.rotation.as_matrix(), states.axes, rtol=0, atol=1e-15)
    back = States.from_quaternions(states.position, states.quaternions, states.velocity, states.angular_velocity)
    assert np.allclose(back.axes, states.axes, rtol=0, atol=1e-15)
    assert (states.quaternions[:, 0] >= 0).all()
    again = states.replace(axes=states.rotation.as_matrix())
    assert np.allclose(again.axes, states.axes, rtol=0, atol=1e-15)


def test_opposite_quaternions_are_the_same_orientation(states: States) -> None:
    assert np.array_equal(quaternions_to_axes(states.quaternions), quaternions_to_axes(-states.quaternions))


@pytest.mark.parametrize("length", [0.0, 0.5, 1 + 1e-8, 2.0])
def test_quaternions_must_have_unit_length(length: float) -> None:
    said = message(quaternions_to_axes, [[1, 0, 0, 0], [0, length, 0, 0]])
    assert said == f"quaternions must have unit length; row 1 has length {length!r}"


def test_quaternions_must_be_finite_and_four() -> None:
    assert message(quaternions_to_axes, [[np.nan, 0, 0, 0]]).startswith("quaternions must be finite; row 0 is [")
    assert message(quaternions_to_axes, [1, 0, 0, 0]) == "quaternions must have shape (n, 4), not (4,)"


def test_axes_of_quaternions_are_orthonormal_to_the_last_bits() -> None:
    axes = quaternions_to_axes(Rotation.random(2000, rng=5).as_quat(scalar_first=True) * (1 + 5e-10))
    products = np.einsum("nij,nik->njk", axes, axes)
    assert np.abs(products - np.eye(3)).max() < 2e-15


# Relabelling and clearance


@pytest.mark.parametrize("k", range(24))
def test_relabelling_turns_the_axes_and_nothing_else(k: int, states: States) -> None:
    relabelled = states.relabelled(k)
    assert np.array_equal(relabelled.axes, states.axes @ ROTATIONS[k])
    assert same(relabelled.replace(axes=states.axes), states)


@pytest.mark.parametrize("k", [-1, 24, 1.5, "1", None])
def test_there_are_24_relabellings(k: Any, states: States) -> None:
    message(states.relabelled, k)


def test_clearance_is_that_of_the_lowest_of_eight_corners(states: States) -> None:
    die = Die(edge=0.3)
    signs = np.array(np.meshgrid(*[[-1, 1]] * 3)).reshape(3, 8)
    corners = states.position[:, 2, None] + (states.axes @ signs)[:, 2] * die.edge / 2
    assert np.allclose(states.clearance(die), corners.min(axis=1), rtol=0, atol=1e-15)


# Rows


def test_rows_are_copied_checked_and_locked() -> None:
    given = np.arange(6).reshape(2, 3)
    rows = as_rows("speeds", given, (3,))
    assert (rows.dtype, rows.flags.writeable, np.shares_memory(rows, given)) == (np.float64, False, False)
    assert message(as_rows, "speeds", given, (2,)) == "speeds must have shape (n, 2), not (2, 3)"


def test_lengths_of_rows() -> None:
    rows = np.random.default_rng(1).normal(size=(50, 4))
    assert np.allclose(row_lengths(rows), np.linalg.norm(rows, axis=1), rtol=1e-15)
    assert row_lengths(np.zeros((0, 3))).shape == (0,)


def test_rotations_come_in_one_or_many() -> None:
    still = np.zeros((2, 3))
    turns = Rotation.from_rotvec([[0.1, 0.2, 0.3], [0, 0, 1]])
    many = States.from_rotation(still, turns, still, still)
    assert np.array_equal(many.axes, turns.as_matrix())
    assert len(States.from_rotation(still[:1], turns[0], still[:1], still[:1])) == 1


def test_a_part_that_is_not_there_or_does_not_fit_is_named() -> None:
    states = States(**arrays())
    assert message(states.replace, velo=0.0) == (
        "the parts of states are position, axes, velocity, angular_velocity, not velo"
    )
    assert "velocity must fit the shape" in message(states.replace, velocity=[1.0, 2.0])
