"""A tiny separation, followed from contact to contact."""

import numpy as np
import pytest

from dicesim import Setup, Shaken, Solver, States, Table
from dicesim.amplification import NATURAL, NUMBERS, SIZE, Growth, Metric, growth, unit_of_speed
from dicesim.events import recorded
from dicesim.simulator import kernel_parameters, to_rows
from tests.ranges import make, single, turn

SMOOTH = Setup(table=Table(restitution=0.8, friction=0.0), solver=Solver(spin_damping=0.0))
DROP = 0.3


def flat_drop() -> States:
    """Flat, turned about the vertical, at rest: lands on its side after a fall of 0.3 m, and bounces without spin."""
    return single(turn("z", 0.4), SMOOTH, DROP)


def bounces(along: str, metric: Metric = NATURAL) -> np.ndarray:
    return growth(flat_drop(), SMOOTH, along=along).per_contact(metric)[0, :5]


def test_a_flat_drop_by_hand() -> None:
    """Raised by dz, it lands faster by g dz / v and leaves with e times that; then each bounce takes a factor e."""
    speed = np.sqrt(2 * SMOOTH.gravity * DROP)
    first = np.log(0.8 * unit_of_speed(SMOOTH) / speed)
    assert np.allclose(bounces("z"), [first, *4 * [np.log(0.8)]], atol=1e-4)


def test_without_friction_a_sideways_velocity_neither_grows_nor_shrinks() -> None:
    assert np.allclose(bounces("vx"), 0.0, atol=1e-6)


def test_a_spin_turns_the_die_unless_turns_about_the_vertical_do_not_count() -> None:
    fall = np.sqrt(2 * DROP / SMOOTH.gravity) * np.sqrt(SMOOTH.gravity / SMOOTH.die.edge)
    assert np.isclose(bounces("wz")[0], np.log(np.hypot(1.0, fall)), atol=1e-6)
    assert np.allclose(bounces("wz", Metric(about_vertical=False)), 0.0, atol=1e-6)


def test_a_turn_of_the_whole_throw_about_the_vertical_stays_one() -> None:
    """A die that falls straight down, turned a little about the vertical: its velocities turn with it ever after."""
    states = Shaken().sample(40, rng=3)
    upright = np.eye(3)[2]
    straight = states.replace(velocity=states.velocity * upright, angular_velocity=states.angular_velocity * upright)
    found = growth(straight, make(), along="turn z")
    after = found.symmetry[:, 1:4]
    left = Metric(about_vertical=False).size(found.struck[:, :3], after) / NATURAL.size(found.struck[:, :3], after)
    assert np.median(np.abs(after[..., 1:7]).max(axis=-1)) > 0.1
    assert left[:, 0].max() < 1e-4
    assert np.median(left) < 1e-4  # a landing whose arc began a rounding error apart may be off by more


def test_weights_weigh() -> None:
    """From a height to a velocity, the first growth has the ratio of the weights in it, the others have not."""
    plain, doubled = bounces("z"), bounces("z", Metric(velocity=2.0))
    assert np.allclose(doubled - plain, [np.log(2.0), 0, 0, 0, 0], atol=1e-9)


def test_growths_of_legs_add_up_to_that_of_two_whole_throws() -> None:
    states, setup, along = Shaken().sample(20, rng=4), make(), "vz"
    found = growth(states, setup, along=along)
    raised = states.replace(velocity=states.velocity + SIZE * unit_of_speed(setup) * np.eye(3)[2])
    p = kernel_parameters(setup, "rest")
    one, other = (recorded(to_rows(each), p).after[:, 3] for each in (states, raised))
    legs = found.per_contact()[:, :3].sum(axis=1)
    assert np.median(np.abs(size_between(one, other, setup) - legs)) < 1e-3


def size_between(a: np.ndarray, b: np.ndarray, setup: Setup) -> np.ndarray:
    """Log of the separation of rows over `SIZE`, the turn from the angle between the axes."""
    unit, edge = unit_of_speed(setup), setup.die.edge
    parts = [(a[:, 2:3] - b[:, 2:3]) / edge, (a[:, 3:6] - b[:, 3:6]) / unit, (a[:, 6:9] - b[:, 6:9]) * edge / unit]
    parts += [(a[:, 9:18] - b[:, 9:18]) / np.sqrt(2)]
    return np.log(np.linalg.norm(np.concatenate(parts, axis=1), axis=1) / SIZE)


def test_a_twin_of_another_kind_is_left() -> None:
    found = growth(Shaken().sample(200, rng=5), along="vz", size=1e-3)
    left = found.followed < found.contacts
    assert left.any()
    assert not left.all()
    counted = np.arange(found.landed.shape[1]) < found.followed[:, None]
    assert (np.isfinite(found.per_contact()) == counted).all()
    assert (np.isfinite(found.total()) == (found.followed >= found.decided)).all()
    assert np.isfinite(found.total(found.followed)).all()


def test_more_restitution_amplifies_more() -> None:
    states = Shaken().sample(60, rng=6)
    totals = [growth(states, make(e), along="vz").total().mean() for e in (0.0, 0.36, 0.75)]
    assert totals[0] + 0.5 < totals[1] < totals[2] - 2


def test_random_directions_are_of_size_one_and_of_their_seed() -> None:
    states = Shaken().sample(5, rng=7)
    first, second, other = (growth(states, rng=seed) for seed in (1, 1, 2))
    assert np.allclose(np.linalg.norm(first.start, axis=1), 1.0)
    assert np.array_equal(first.per_contact(), second.per_contact(), equal_nan=True)
    assert not np.array_equal(first.start, other.start)


def test_no_throw_has_no_growth() -> None:
    found = growth(Shaken().sample(0, rng=1), rng=1)
    assert isinstance(found, Growth)
    assert len(found) == 0


def test_bad_arguments_are_refused() -> None:
    states = Shaken().sample(1, rng=1)
    with pytest.raises(ValueError, match="along one of z, vx"):
        growth(states, along="x")
    for size in (0.0, 0.1, float("nan")):
        with pytest.raises(ValueError, match="above 0 and at most 1e-3"):
            growth(states, size=size)
    assert len(NUMBERS) == 10
