"""What two throws have in common: contacts, where they are, and what happens there."""

import numpy as np
import pytest

from dicesim import Setup, Shaken, States, Table, kernel
from dicesim.events import events, landings, places, recorded
from dicesim.simulator import kernel_parameters, to_rows
from tests.ranges import ON_CORNER, make, single, turn

SETUP = make()
P = kernel_parameters(SETUP, "rest")


def course_of(state: States, setup: Setup = SETUP) -> np.ndarray:
    p = kernel_parameters(setup, "rest")
    return events(kernel.record(to_rows(state)[0], p), p.half, p.friction)


@pytest.mark.parametrize(("axes", "ends"), [(ON_CORNER, 3), (turn("x", np.pi / 4), 2), (np.eye(3), 1)])
def test_a_corner_has_three_ends_an_edge_two_and_a_side_one(axes: np.ndarray, ends: int) -> None:
    """Dropped on an edge or a side, the die is pressed in the middle of it."""
    course = recorded(to_rows(single(axes, SETUP, 0.1)), P)
    assert np.abs(places(course.before[:, 0], course.after[:, 1], P.half)).sum() == ends


def test_a_side_pressed_off_its_middle_is_a_side() -> None:
    """A side that tips while it falls is pressed at 2 half w / 3 v of half an edge from its middle, here 0.7."""
    spin = 0.7 * 1.5 / P.half
    course = recorded(to_rows(single(np.eye(3), SETUP, velocity=[0, 0, -1.0], angular_velocity=[spin, 0, 0])), P)
    assert places(course.before[:, 0], course.after[:, 1], P.half).tolist() == [[0, 0, -1]]


def test_the_lowest_corner_is_named() -> None:
    """Axes that point down end low: a corner of the sides whose normals do."""
    state = Shaken().sample(1, rng=3)
    course = recorded(to_rows(state), P)
    low = -np.sign(course.before[0, 0, [11, 14, 17]])
    assert places(course.before[:, 0], course.after[:, 1], P.half)[0].tolist() == low.tolist()


def test_a_flat_die_that_is_thrown_sideways_slides() -> None:
    course = course_of(single(np.eye(3), SETUP, 0.01, velocity=[1.0, 0, 0]))
    flight, impact = course[:2]
    assert flight.tolist() == [kernel.FLYING, 0, 0, 0, 0]
    assert impact[0] == kernel.STRUCK
    assert impact[4] == 1


def test_on_a_rough_table_it_sticks() -> None:
    """Half a metre a second is stopped by 0.5 m/s of friction, where up to 0.9 x 1.9 m/s could act."""
    rough = Setup(table=Table(restitution=0.36, friction=0.9))
    assert course_of(single(np.eye(3), rough, 0.1, velocity=[0.5, 0, 0]), rough)[1, 4] == 0


def test_impacts_are_counted_one_by_one_and_other_steps_run_together() -> None:
    rows = kernel.record(to_rows(Shaken().sample(1, rng=1))[0], P)
    course = events(rows, P.half, P.friction)
    assert (course[:, 0] == kernel.STRUCK).sum() == (rows[:, kernel.HOW] == kernel.STRUCK).sum()
    hit = int((rows[:, kernel.HOW] == kernel.STRUCK).argmax())
    twice = np.concatenate([rows[: hit + 1], rows[hit:]])
    assert len(events(twice, P.half, P.friction)) == len(course) + 1
    flown = course[:, 0] == kernel.FLYING
    assert not (flown[1:] & flown[:-1]).any()
    assert flown.sum() < (rows[1:, kernel.HOW] == kernel.FLYING).sum()


def test_a_throw_goes_on_from_a_contact_as_it_did() -> None:
    """A leg that starts at a contact, with little more time than it needs, is that of the whole throw, bit for bit."""
    course = recorded(to_rows(Shaken().sample(40, rng=2)), P)
    for c in range(course.carried.shape[1]):
        some = course.contacts > c
        start, end = course.after[some, c], course.after[some, c + 1]
        limits = end[:, 18] - start[:, 18] + 2 * P.time_step
        before, after, carried = landings(start[:, :18], P, limits)
        assert np.array_equal(before[:, :18], course.before[some, c, :18])
        assert np.array_equal(after[:, :18], end[:, :18])
        assert np.array_equal(carried, course.carried[some, c])


def test_a_leg_without_time_lands_nowhere() -> None:
    before, after, carried = landings(to_rows(Shaken().sample(2, rng=2)), P, np.array([0.01, 8.0]))
    assert np.isnan(after[0]).all()
    assert np.isnan(before[0]).all()
    assert not carried[0]
    assert np.isfinite(after[1]).all()
