"""Stopping when the face is certain: the energy argument of the kernel, and what it promises."""

import math

import numpy as np
import pytest

from dicesim import Setup, Solver, Table, Trajectory, kernel, throw, trajectory
from dicesim.simulator import kernel_parameters, to_rows
from dicesim.solids import up_face
from dicesim.trajectories import CARRIED
from tests.ranges import RANGE, RESTITUTIONS, RUBBING, TIME_STEPS, cut, label, make, releases, single, turn


# That a proof holds is not shown by throws that agree. These throws check that the kernel is what the proof is about:
# a slip in either one would show as a face that changes after it was called certain.
@pytest.mark.parametrize("time_step", TIME_STEPS)
@pytest.mark.parametrize("restitution", RESTITUTIONS)
def test_certain_faces_are_the_faces_at_rest(restitution, time_step):
    assert_agree(make(restitution, time_step=time_step), 1000)


@pytest.mark.parametrize("setup", RUBBING, ids=label)
def test_certain_faces_are_the_faces_at_rest_for_every_setup(setup):
    assert_agree(setup, 100)


@pytest.mark.slow
@pytest.mark.parametrize("time_step", TIME_STEPS)
@pytest.mark.parametrize("restitution", RESTITUTIONS)
def test_certain_faces_are_the_faces_at_rest_in_200000_throws(restitution, time_step):
    assert_agree(make(restitution, time_step=time_step), 10_000)


def assert_agree(setup: Setup, n: int) -> None:
    """Both ways to stop, from the same releases."""
    states = releases(n, setup, seed=1, speed=min(3.0, 10 * setup.table.friction))
    early, late = (throw(states, setup=setup, until=until) for until in ("face", "rest"))
    assert early.settled.all()
    assert late.settled.all()
    assert np.array_equal(early.face, late.face)


@pytest.mark.parametrize("setup", RANGE, ids=label)
def test_certain_face_is_down_from_then_on(setup):
    """Once the energy is below the lowest saddle it stays there, and the face that is up stays up."""
    states = releases(6, setup, seed=2, speed=0.3)
    for i in range(len(states)):
        path = trajectory(states[i], cut(setup, 4.0))
        below = np.flatnonzero(path.energy < setup.trap_energy)
        if len(below):
            assert (path.energy[below[0] :] < setup.trap_energy).all()
            assert len(set(up_face(path.states.axes[below[0] :]).tolist())) == 1


@pytest.mark.parametrize("setup", RANGE, ids=label)
def test_trap_lies_below_the_saddle_by_the_depth_a_corner_can_sink_to(setup):
    saddle = setup.gravity * setup.die.edge / math.sqrt(2)
    depth = (saddle - setup.trap_energy) / setup.gravity
    states = releases(6, setup, seed=3, speed=0.3)
    deepest = 0.0
    for i in range(len(states)):
        path = trajectory(states[i], cut(setup, 2.0))
        low = path.energy < saddle
        deepest = max(deepest, -path.states.clearance(setup.die)[low].min(initial=0))
    assert 0 < depth < setup.die.edge / 10
    assert deepest <= depth


def test_faces_stop_early_but_not_before_they_are_certain():
    """The stop saves steps, and the last state but one was not certain yet."""
    setup = make()
    states = releases(50, setup, seed=4)
    for i in range(len(states)):
        early, late = (trajectory(states[i], setup, until=until) for until in ("face", "rest"))
        assert len(early) < len(late)
        assert early.energy[-1] < setup.trap_energy <= early.energy[-2] or slides(early)
        assert np.array_equal(early.states.axes, late.states.axes[: len(early)])


def slides(path: Trajectory) -> bool:
    """Whether a throw ends with the die level on the table, neither tipping nor falling."""
    last = path.states[-1]
    turns = np.array([*last.angular_velocity[0, :2], last.velocity[0, 2]])
    return bool(path.kind[-1] == CARRIED and not turns.any() and np.abs(last.axes[0, 2]).max() > 1 - 1e-7)


@pytest.mark.parametrize("friction", [0.1, 0.34, 0.9, 0.99])
def test_a_die_that_slides_flat_keeps_its_face_and_its_tilt(friction):
    """However fast it is: this is the second way to be certain. The long slide is taken in short steps here."""
    rng = np.random.default_rng(1)
    for tilt in (0.0, 1e-5, 1.4e-4):
        setup = make(0.36, friction)
        states = single(turn("z", rng.uniform(0, 6)) @ turn("x", tilt), setup, velocity=[5.0, rng.normal(), 0.0])
        stopped = throw(states, setup=setup)
        assert stopped.settled.all()
        path = trajectory(states, setup, until="face")  # told at once, at a hundred times the energy of the trap
        assert slides(path)
        assert path.energy[-1] > 50 * setup.trap_energy
        for _ in range(200):
            states = throw(states, setup=cut(setup, setup.solver.time_step), until="rest").states
            assert np.array_equal(states.axes[0, 2], stopped.states.axes[0, 2])


def test_beyond_the_jam_a_sliding_die_is_not_certain():
    """At friction 1.5 a flat die at 5 m/s trips, so that no face may be told yet."""
    setup = make(0.36, 1.5)
    states = single(turn("z", 0.2), setup, velocity=[5.0, 0.0, 0.0])
    path = trajectory(states, setup, until="face")
    assert path.energy[-1] < setup.trap_energy
    assert len(path) > 10


def test_a_stop_above_the_saddle_is_caught():
    """With half as much energy again the stop is wrong now and then: the throws above would notice."""
    setup = make(0.75)
    states = releases(4000, setup, seed=5, speed=0.3)
    parameters = kernel_parameters(setup, "face")
    hasty = kernel.simulate(to_rows(states), parameters._replace(trap_energy=1.5 * parameters.trap_energy))
    faces = up_face(hasty[:, 9:18].reshape(-1, 3, 3).transpose(0, 2, 1))
    assert (faces != throw(states, setup=setup).face).mean() > 0.001


@pytest.mark.parametrize("time_step", TIME_STEPS)
def test_micro_bounces_are_at_least_what_gravity_gives_in_a_step(time_step):
    """Below that a resting corner would count as struck."""
    gravity = Setup().gravity
    lowest = gravity * time_step
    Setup(table=Table(0.5), solver=Solver(time_step=time_step, micro_bounce_speed=1.01 * lowest))
    with pytest.raises(ValueError, match="micro_bounce_speed must be at least"):
        Setup(solver=Solver(time_step=time_step, micro_bounce_speed=0.99 * lowest))
