"""Contacts whose outcome is known: flat, edge and corner landings, sliding, rocking."""

import math
from itertools import product

import numpy as np
import pytest

from dicesim import Setup, Trajectory, throw, trajectory
from dicesim.solids import ROTATIONS
from dicesim.trajectories import CARRIED, IMPACT, RELEASED, SLIDE
from tests.ranges import EDGES, FRICTIONS, ON_CORNER, RESTITUTIONS, TIME_STEPS, band, cut, make, single, turn

# One way to lay each of the six faces down.
LAID = [next(r for r in ROTATIONS if (r[2] == sign * axis).all()) for axis in np.eye(3) for sign in (1, -1)]


def first_impact(path: Trajectory) -> int:
    """The step of the first impact."""
    return int(np.flatnonzero(path.kind == IMPACT)[0])


# --- Flat


@pytest.mark.parametrize("edge", EDGES)
@pytest.mark.parametrize("height", [1e-3, 0.01, 0.05, 0.1, 0.55, 2.0])
@pytest.mark.parametrize("restitution", [*RESTITUTIONS, 1.0])
def test_flat_drop_rebounds_at_e_times_its_speed(restitution, height, edge):
    """Whatever the height, the size, the friction, the angle about the vertical and the face."""
    for i, laid in enumerate(LAID):
        setup = make(restitution, FRICTIONS[i % 5], edge, TIME_STEPS[i % 3], time_limit=1.0)
        path = trajectory(single(turn("z", i) @ laid, setup, height), setup)
        k = first_impact(path)
        before, after = path.states.velocity[k - 1], path.states.velocity[k]
        assert before[2] == pytest.approx(-math.sqrt(2 * setup.gravity * height), rel=2 * band(setup) / height)
        assert after[2] == pytest.approx(-restitution * before[2], rel=1e-12, abs=1e-18)
        assert not after[:2].any()
        assert not path.states.angular_velocity.any()


@pytest.mark.jit_off
@pytest.mark.parametrize("restitution", [0.0, 0.36])
def test_flat_drop_stays_over_its_place(restitution, size):
    setup = make(restitution, time_limit=size(8.0, 0.03))
    state = single(turn("z", 0.4) @ LAID[2], setup, 1e-3)
    outcomes = throw(state, setup=setup, until="rest")
    assert np.array_equal(outcomes.states.axes, state.axes)
    assert not outcomes.states.position[0, :2].any()
    assert outcomes.face[0] == 2


@pytest.mark.parametrize("edge", EDGES)
@pytest.mark.parametrize("restitution", RESTITUTIONS)
def test_flat_drop_bounces_for_the_time_of_a_geometric_series(restitution, edge):
    """Time between impacts falls by e each, until a rebound is too slow to count."""
    setup = make(restitution, edge=edge)
    path = trajectory(single(np.eye(3), setup, 0.3), setup)
    times = path.times[path.kind == IMPACT]
    flights = np.diff(times)
    speed = math.sqrt(2 * setup.gravity * 0.3)
    assert path.settled
    assert flights == pytest.approx(
        [2 * speed * restitution ** (n + 1) / setup.gravity for n in range(len(flights))], rel=0.02
    )
    assert np.abs(path.states.velocity[path.kind == IMPACT][-1, 2]) <= 2 * setup.solver.micro_bounce_speed


# --- On an edge and on a corner


@pytest.mark.parametrize("edge", EDGES)
@pytest.mark.parametrize("lean", [0.02, 0.3, 0.7, 0.9, 1.4])
@pytest.mark.parametrize("friction", FRICTIONS)
def test_edge_landing_stays_in_its_plane(friction, lean, edge):
    """A die that falls on an edge along x moves in the plane x = 0, exactly: both ends are struck together."""
    for restitution, drop in product((0.0, 0.36, 0.75), (1e-3, 0.1, 0.55)):
        setup = make(restitution, friction, edge)
        for spin in (0.0, 30.0):
            state = single(turn("x", lean), setup, drop, angular_velocity=[spin, 0, 0])
            path = trajectory(state, setup, until="face")
            assert np.abs(path.states.position[:, 0]).max() <= 1e-15 * edge
            assert np.abs(path.states.velocity[:, 0]).max() <= 1e-15
            assert np.abs(path.states.angular_velocity[:, 1:]).max() <= 1e-12
            assert path.face in (2, 3, 4, 5)


@pytest.mark.parametrize("yaw", [0.3, 1.0, 2.5])
def test_edge_landing_stays_in_its_plane_however_it_is_turned(yaw):
    """Here the plane is not along an axis, and holds within rounding."""
    setup = make(0.36)
    along = np.array([math.cos(yaw), math.sin(yaw), 0.0])
    state = single(turn("z", yaw) @ turn("x", 0.3), setup, 0.3)
    path = trajectory(state, setup, until="face")
    assert np.abs(path.states.velocity @ along).max() <= 1e-9
    tipping = path.states.angular_velocity - np.outer(path.states.angular_velocity @ along, along)
    assert np.abs(tipping).max() <= 1e-6


@pytest.mark.parametrize("edge", EDGES)
@pytest.mark.parametrize("restitution", [*RESTITUTIONS, 1.0])
@pytest.mark.parametrize("axes", [turn("x", math.pi / 4), ON_CORNER], ids=["edge", "corner"])
def test_balanced_landing_rebounds_like_a_flat_one(axes, restitution, edge):
    """With the centre above the edge or the corner nothing tips and nothing turns."""
    for height, friction in product((1e-3, 0.1, 2.0), FRICTIONS):
        setup = make(restitution, friction, edge, time_limit=1.0)
        path = trajectory(single(axes, setup, height), setup)
        k = first_impact(path)
        assert path.states.velocity[k, 2] == pytest.approx(
            -restitution * path.states.velocity[k - 1, 2], rel=1e-12, abs=4e-15
        )
        assert np.abs(path.states.angular_velocity[k]).max() <= 1e-13 / edge
        assert np.abs(path.states.angular_velocity[:, 2]).max() <= 1e-12 / edge


@pytest.mark.parametrize("edge", EDGES)
@pytest.mark.parametrize("time_step", TIME_STEPS[1:])
@pytest.mark.parametrize("lean", [0.3, 0.45, 0.6])
def test_plastic_rocking_keeps_a_quarter_of_the_spin_as_housner_found(lean, time_step, edge):
    """A die that falls over an edge strikes with the opposite one and, if that holds, rocks on about it.

    The angular momentum about the new edge is kept: 1 - 3/2 sin^2 45 degrees = 1/4 of the spin. Here the face is
    stopped whole, and the friction of the edge that takes the horizontal velocity sets it turning again; the law of
    restitution does not know of rocking. It falls a little short of 1/4 because the first edge slips or lifts before.
    """
    setup = make(0.0, 1.5, edge, time_step)
    path = trajectory(single(turn("x", lean), setup), setup)
    k = first_impact(path)
    before, after = path.states.angular_velocity[k - 1], path.states.angular_velocity[k]
    assert after[0] / before[0] == pytest.approx(0.25, abs=0.02)
    assert np.abs(path.states.angular_velocity[:, 1:]).max() <= 1e-12 / edge


# --- Sliding


@pytest.mark.parametrize("time_step", TIME_STEPS)
@pytest.mark.parametrize("edge", EDGES)
@pytest.mark.parametrize("friction", [0.05, 0.1, 0.34, 0.5, 0.9, 0.99])
def test_flat_die_slides_to_a_stop_without_turning(friction, edge, time_step):
    """It slows by friction x g, stays flat and where it points, and stops after v^2 / (2 friction g)."""
    setup = make(0.36, friction, edge, time_step)
    slowing = friction * setup.gravity
    for speed, yaw, direction in [(0.2, 0.0, 0.0), (1.0, 0.5, 0.0), (2.0, 0.0, 0.7), (6.0, 1.1, 4.0)]:
        v = speed * np.array([math.cos(direction), math.sin(direction), 0.0])
        path = slide(setup, v, yaw)
        moving = path.times < speed / slowing - 2 * time_step
        left = np.outer(1 - slowing * path.times / speed, v)
        assert np.abs(path.states.velocity - left)[moving].max() <= 1e-11
        assert (path.states.axes == path.states.axes[0]).all()
        assert (path.states.position[:, 2] <= edge / 2 + band(setup)).all()
        travelled = np.linalg.norm(path.states.position[-1, :2])
        assert abs(travelled - speed**2 / (2 * slowing)) <= speed * time_step
        assert path.settled


def slide(setup: Setup, velocity: np.ndarray, yaw: float) -> Trajectory:
    """Let a flat die go on the table with a velocity, and time enough to stop."""
    seconds = 1.0 + np.linalg.norm(velocity) / (setup.table.friction * setup.gravity)
    longer = cut(setup, float(seconds))
    return trajectory(single(turn("z", yaw), longer, velocity=velocity), longer)


def test_fast_slide_neither_tips_nor_lifts():
    """6 m/s at friction 0.5: an impulse at the leading edge alone would throw the die over."""
    setup = make(0.36, 0.5)
    path = slide(setup, np.array([6.0, 0.0, 0.0]), 0.0)
    assert not path.states.angular_velocity.any()
    assert np.ptp(path.states.position[:, 2]) <= band(setup)
    assert path.kind.tolist() == [RELEASED, CARRIED, SLIDE]


@pytest.mark.parametrize("edge", EDGES)
def test_flat_die_spins_to_a_stop_in_its_place(edge):
    """Friction takes its spin about the vertical and leaves it where it is."""
    setup = make(0.36, 0.34, edge)
    path = trajectory(single(np.eye(3), setup, angular_velocity=[0, 0, 20.0]), setup)
    spins = path.states.angular_velocity[:, 2]
    assert path.settled
    assert (np.diff(spins) <= 0).all()
    assert spins[-1] == 0
    assert not path.states.position[:, :2].any()


@pytest.mark.parametrize("friction", [0.0, 0.34, 0.9])
def test_slide_that_runs_out_of_time_is_where_it_would_be(friction):
    """Cut at any moment, a slide is what the formulas of steady slowing say, and what the whole one passes through."""
    moving = {"velocity": [1.0, 0.5, 0.0], "angular_velocity": [0, 0, 40.0]}
    whole = trajectory(single(turn("z", 0.3), make(friction=friction), **moving), make(friction=friction))
    for limit in (0.003, 0.02, 0.06, 0.1, 0.3):
        setup = make(friction=friction, time_limit=limit)
        slowing, drag = friction * setup.gravity, friction * setup.gravity * 3 * math.sqrt(2) / setup.die.edge
        ended = throw(single(turn("z", 0.3), setup, **moving), setup=setup, until="rest")
        state, speed = ended.states, math.hypot(1.0, 0.5)
        assert np.linalg.norm(state.velocity) == pytest.approx(max(0.0, speed - slowing * limit), abs=1e-12)
        # The first step, which finds out that the die slides, damps the spin as well.
        assert state.angular_velocity[0, 2] == pytest.approx(max(0.0, 40 - drag * limit), abs=0.03)
        assert ended.settled[0] == (friction > 0 and speed <= slowing * limit)
        there = whole.at([limit])
        for part in ("position", "velocity", "angular_velocity", "axes"):
            np.testing.assert_allclose(getattr(there, part), getattr(state, part), rtol=0, atol=1e-11)


def test_friction_of_a_sliding_edge_makes_no_energy():
    """High friction stops the slip and no more: a die thrown flat at a steep angle keeps less than it brought."""
    for friction in (1.0, 1.5, 10.0):
        setup = make(0.75, friction)
        path = trajectory(single(turn("x", 0.2), setup, 0.05, velocity=[0, 3.0, -3.0]), setup)
        k = first_impact(path)
        assert path.energy[k] < path.energy[k - 1]
