"""One throw, step by step: energy, impulses, the ledger, and what lies between the steps."""

import numpy as np
import pytest

from dicesim import Setup, Shaken, Trajectory, throw, trajectory
from dicesim.trajectories import CARRIED, FLIGHT, IMPACT, RELEASED
from tests.ranges import RANGE, cut, label, make, releases, same_bits

SETUPS = [*RANGE, make(1.0), make(1.0, 0.0, 0.1)]
EVERY_SETUP = pytest.mark.parametrize("setup", SETUPS, ids=label)


def paths(setup: Setup, n: int = 8) -> list[Trajectory]:
    """Trajectories to rest of n releases of the range, cut off after 3 s."""
    states = releases(n, setup, seed=hash_of(setup))
    return [trajectory(states[i], cut(setup, 3.0)) for i in range(n)]


def hash_of(setup: Setup) -> int:
    """Another seed for every setup, the same in every run."""
    return int(1e6 * setup.table.restitution + 1e3 * setup.table.friction + 1e4 * setup.die.edge)


def test_energy_never_rises():
    for setup in SETUPS:
        for path in paths(setup):
            lowest = np.minimum.accumulate(path.energy)
            assert (path.energy - lowest).max() <= 1e-13 * path.energy[0], label(setup)


@EVERY_SETUP
def test_no_impulse_adds_energy(setup):
    for path in paths(setup):
        assert path.lost_normal.min() >= -1e-14 * path.energy[0]
        assert path.lost_friction.min() >= -1e-14 * path.energy[0]


@EVERY_SETUP
def test_no_contact_pulls_and_friction_keeps_its_limit(setup):
    for path in paths(setup):
        assert path.normal_impulse.min() >= 0
        tangential = np.hypot(*path.tangential_impulse.T)
        ulp = np.spacing(np.abs(path.states.velocity).max())  # the impulse is read off the change of the velocity
        assert (tangential <= setup.table.friction * path.normal_impulse * (1 + 1e-15) + 4 * ulp).all()


@EVERY_SETUP
def test_impulses_act_in_contact_alone_and_change_the_momentum(setup):
    for path in paths(setup):
        free = np.isin(path.kind, (RELEASED, FLIGHT))
        assert not path.normal_impulse[free].any()
        assert not path.tangential_impulse[free].any()
        assert (np.isnan(path.contact_point[:, 0]) == (path.normal_impulse == 0)).all()
        hit = np.flatnonzero(path.kind == IMPACT)
        change = path.states.velocity[hit] - path.states.velocity[hit - 1]
        lifted = path.states.position[hit, 2] != path.states.position[hit - 1, 2]
        impulse = np.column_stack([path.tangential_impulse, path.normal_impulse])[hit]
        scale = np.sqrt(2 * path.energy[0])
        assert np.abs(change - impulse)[~lifted].max(initial=0) <= 1e-13 * scale


@EVERY_SETUP
def test_ledger_closes(setup):
    """Impacts and arcs lose nothing but what the impulses take; carried steps lose what is known, or more.

    A carried step takes gravity's kick k = g h first and moves with the velocity after its impulses: that leaves
    k (vz before - vz after) - k^2 / 2, and the spin damping.
    """
    for path in paths(setup):
        carried = path.kind == CARRIED
        sunk_before = np.roll(path.states.clearance(setup.die), 1) < 0  # lifted, and the velocity pays
        known = np.where(carried, known_loss(path, setup), 0.0)
        error = (path.lost_otherwise - known)[~(carried & sunk_before)] / path.energy[0]
        assert error.min() >= -1e-12
        assert np.abs(path.lost_otherwise[~carried]).max() <= 1e-12 * path.energy[0]


def known_loss(path: Trajectory, setup: Setup) -> np.ndarray:
    """What a carried step loses by its kick and by spin damping."""
    steps = np.diff(path.times, prepend=0.0)
    kick = setup.gravity * steps
    before, spin = np.roll(path.states.velocity[:, 2], 1), np.roll(path.states.angular_velocity, 1, axis=0)
    damped = 1 - (1 - setup.solver.spin_damping * steps) ** 2
    damping = setup.die.edge**2 / 12 * (spin**2).sum(axis=1) * damped
    return kick * (before - path.states.velocity[:, 2]) - kick**2 / 2 + damping


@EVERY_SETUP
@pytest.mark.parametrize("until", ["face", "rest"])
def test_last_state_is_that_of_the_batch(setup, until):
    states, setup = releases(5, setup, seed=3), cut(setup, 3.0)
    outcomes = throw(states, setup=setup, until=until)
    for i in range(len(states)):
        path = trajectory(states[i], setup, until=until)
        last = path.states[-1]
        assert same_bits(last, outcomes.states[i], ("position", "velocity", "angular_velocity", "axes"))
        assert (path.face, path.settled) == (outcomes.face[i], outcomes.settled[i])
        if until == "rest":
            assert (path.times[-1], path.contacts) == (outcomes.settle_time[i], outcomes.contacts[i])


@pytest.mark.jit_off
def test_one_low_throw_with_the_compiler_off():
    setup = make(0.5)
    path = trajectory(Shaken(height=0.02).sample(1, rng=2), setup, until="face")
    assert path.settled
    assert np.diff(path.energy).max() <= 1e-14 * path.energy[0]
    assert path.energy[-1] < setup.trap_energy <= path.energy[-2]


def sunk(path: Trajectory, setup: Setup) -> float:
    """How far a corner ever was below the table: at most by that much is a die lifted between two steps."""
    return max(0.0, -float(path.states.clearance(setup.die).min()))


@EVERY_SETUP
def test_poses_between_steps_are_continuous(setup):
    for path in paths(setup, n=3):
        times = path.times[:400]
        after, before = path.at(times + 1e-12), path.at(times)
        fastest = np.abs(path.states.velocity).max() + setup.gravity * setup.solver.time_step
        jumps = np.abs(after.position - before.position).max(axis=1)
        assert jumps.max() <= 1.01e-12 * fastest + 2 * sunk(path, setup)
        spin = np.linalg.norm(path.states.angular_velocity, axis=1).max()
        assert np.abs(after.axes - before.axes).max() <= 1.01e-12 * spin + 1e-14


@EVERY_SETUP
def test_poses_at_steps_are_those_of_the_steps(setup):
    for path in paths(setup, n=3):
        moved = np.flatnonzero(np.diff(path.times) > 0) + 1
        there = path.at(path.times[moved])
        assert np.abs(there.axes - path.states.axes[moved]).max() <= 1e-12
        assert np.abs(there.position - path.states.position[moved]).max() <= 1e-14 + sunk(path, setup)
        flown = path.kind[moved] == FLIGHT
        error = np.abs(there.velocity - path.states.velocity[moved])[flown]
        assert error.max() <= 1e-13 * max(1.0, np.abs(path.states.velocity).max())


def test_poses_in_flight_are_those_of_a_throw_that_ends_there():
    states = Shaken().sample(1, rng=4)
    path = trajectory(states)
    start = int(np.flatnonzero(path.kind == IMPACT)[1])
    arcs = [k for k in range(start, start + 30) if path.kind[k] == FLIGHT and np.diff(path.times)[k - 1] > 1e-4]
    assert arcs
    for k in arcs[:4]:
        time = 0.7 * path.times[k - 1] + 0.3 * path.times[k]
        ended = throw(states, setup=make(time_limit=float(time)), until="rest").states
        for part in ("position", "velocity", "angular_velocity", "axes"):
            np.testing.assert_allclose(getattr(path.at([time]), part), getattr(ended, part), rtol=0, atol=1e-11)


def test_poses_before_release_and_after_the_end_stay():
    path = trajectory(Shaken().sample(1, rng=4))
    outside = path.at([-1.0, 0.0, path.times[-1], 100.0])
    assert np.array_equal(outside.position[0], path.states.position[0])
    assert np.array_equal(outside.position[0], outside.position[1])
    assert np.array_equal(outside.position[2], outside.position[3])


def test_trajectory_follows_one_throw_only():
    with pytest.raises(ValueError, match="one throw, not 2"):
        trajectory(Shaken().sample(2, rng=1))


@pytest.mark.parametrize("times", [[np.nan], [[0.0, 0.1]]])
def test_times_that_are_none_are_refused(times: object) -> None:
    with pytest.raises(ValueError, match=r"^times must be finite numbers in one row"):
        trajectory(Shaken().sample(1, rng=4)).at(times)


def test_one_time_gives_one_state() -> None:
    assert len(trajectory(Shaken().sample(1, rng=4)).at(0.1)) == 1


def test_a_record_cannot_be_written() -> None:
    path = trajectory(Shaken().sample(1, rng=4))
    with pytest.raises(ValueError, match="read-only"):
        path.times[0] = 1.0
