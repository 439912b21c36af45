"""The step of the kernel and the loop that drives it: arithmetic, free flight, time, lanes, rest."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from dicesim import Lowered, Setup, Shaken, Solver, States, kernel, throw, trajectory
from dicesim.parameters import landing_error
from dicesim.solids import up_face
from dicesim.trajectories import FLIGHT
from tests.ranges import (
    EDGES,
    FRICTIONS,
    ON_CORNER,
    RUBBING,
    TIME_STEPS,
    band,
    cut,
    label,
    make,
    releases,
    same_bits,
    single,
    turn,
)

STATE = ("position", "velocity", "angular_velocity", "axes")


# --- Arithmetic


@pytest.mark.jit_off
def test_sine_and_cosine_are_good_to_an_ulp(size):
    angles = np.random.default_rng(1).uniform(-300, 300, size(20_000, 200))
    angles = np.concatenate([angles, np.arange(-8, 9) * math.pi / 4, [0.0, 1e-300, -1e-9]])
    ours = np.array([kernel.sincos(x) for x in angles])
    truth = np.array([(math.sin(x), math.cos(x)) for x in angles])
    assert np.abs(ours - truth).max() <= 2.5e-16


@pytest.mark.jit_off
def test_logarithm_is_good_to_two_ulps(size):
    numbers = 10 ** np.random.default_rng(1).uniform(-300, 300, size(20_000, 200))
    numbers = np.concatenate([numbers, np.random.default_rng(2).uniform(0, 2, size(20_000, 200)), [1.0, 0.5]])
    ours = np.array([kernel.log(*math.frexp(x)) for x in numbers])
    truth = np.array([math.log(x) for x in numbers])
    assert (np.abs(ours - truth) <= 2 * np.spacing(np.abs(truth))).all()


@pytest.mark.jit_off
def test_normals_have_the_moments_of_normals(size):
    n = size(100_000, 500)
    deviates = kernel.normals(np.random.default_rng(1).random((n, 2)))
    error = 5 / math.sqrt(n)
    assert np.abs(deviates.mean(axis=0)).max() <= error
    assert np.abs((deviates**2).mean(axis=0) - 1).max() <= 2 * error
    assert np.abs((deviates**4).mean(axis=0) - 3).max() <= 10 * error
    assert abs(np.corrcoef(deviates.T)[0, 1]) <= error


def landing(height: float, speed: float, acceleration: float) -> float:
    over, under = kernel.landing(height, speed, acceleration)
    return over / under if under > 0 else math.inf


@pytest.mark.jit_off
def test_landing_is_the_first_fall_through_zero(size):
    rng = np.random.default_rng(1)
    time = np.linspace(0, 0.1, 10_001)
    for height, speed, acceleration in zip(
        rng.uniform(0, 0.02, size(300, 50)), rng.normal(size=300), 30 * rng.normal(size=300), strict=False
    ):
        path = height + speed * time + acceleration * time**2 / 2
        below = np.flatnonzero(path < 0)
        first = time[below[0]] if len(below) else 0.1
        assert abs(min(landing(height, speed, acceleration), 0.1) - first) <= 1.1e-5


@pytest.mark.jit_off
def test_landing_of_a_corner_on_the_table_is_now_unless_it_rises():
    assert landing(0.0, -1.0, -9.8) == 0
    assert landing(0.0, 0.49, -9.8) == pytest.approx(0.1)
    assert landing(0.0, 0.1, 9.8) == math.inf
    assert landing(0.01, -0.1, 9.8) == math.inf


@pytest.mark.jit_off
def test_point_of_an_edge_takes_most_energy(size):
    rng = np.random.default_rng(1)
    points = np.linspace(-1, 1, 2001)
    for _ in range(size(300, 50)):
        a, b = rng.normal(size=2)
        # Inverse mass 1 + |r + s t|^2 / I, as of a lever arm that runs along an edge.
        r, t = rng.normal(size=2), rng.normal(size=2)
        c, d, e = 1 + 1.5 * r @ r, 1.5 * r @ t, 1.5 * t @ t
        speed = a + b * points
        taken = np.where(speed < 0, speed**2 / (c + 2 * d * points + e * points**2), 0)
        point, there, mass = kernel.side(a, b, c, d, e, -1.0)
        assert -1 <= point <= 1
        assert there == pytest.approx(a + b * point)
        assert mass == pytest.approx(c + 2 * d * point + e * point**2)
        assert (there**2 / mass if there < 0 else 0) == pytest.approx(taken.max(), rel=1e-5, abs=1e-9)


@pytest.mark.jit_off
def test_small_turn_is_that_of_sine_and_cosine(size):
    for angle in np.sqrt(np.random.default_rng(1).uniform(0, kernel.SMALL, size(2000, 100))):
        first, second = kernel.small_turn(angle * angle)
        assert first == pytest.approx(math.sin(angle) / angle, rel=4e-16)
        assert second == pytest.approx(2 * (math.sin(angle / 2) / angle) ** 2, rel=6e-16)


# --- Free flight


def in_pieces(states: States, pieces: int) -> States:
    """The states 0.3 s later, flown piece by piece."""
    piece = make(time_limit=0.3 / pieces)
    for _ in range(pieces):
        states = throw(states, setup=piece).states
    return states


def flying(states: States) -> States:
    """Those that do not land within 0.3 s."""
    height = states.position[:, 2] + 0.3 * states.velocity[:, 2] - Setup().gravity * 0.3**2 / 2
    return states[np.flatnonzero(height > 0.02)]


def test_flight_of_the_source_is_its_600_pieces():
    states = flying(Shaken().sample(500, rng=1))
    whole, pieces = throw(states, setup=make(time_limit=0.3)).states, in_pieces(states, 600)
    assert len(states) > 400
    assert np.abs(whole.position - pieces.position).max() <= 5e-15


@pytest.mark.parametrize("pieces", [2, 600])
@pytest.mark.parametrize("height", [0.55, 2.0])
@pytest.mark.parametrize("speed", [0.0, 0.3, 3.0])
def test_flight_is_its_pieces_to_a_few_ulps(height, speed, pieces):
    """Each piece rounds once, and so does the angle of the whole, up to 100 rad."""
    states = flying(Shaken(height=height, speed=speed, spin=100.0).sample(50, rng=1))
    whole, parts = throw(states, setup=make(time_limit=0.3)).states, in_pieces(states, pieces)
    assert len(states) > 20
    for part in ("position", "velocity", "axes"):
        a, b = getattr(whole, part), getattr(parts, part)
        assert np.abs(a - b).max() <= (pieces + 60) * np.spacing(np.abs(a).max())
    assert np.array_equal(whole.angular_velocity, parts.angular_velocity)


def test_flight_is_a_parabola_and_a_steady_turn():
    from scipy.spatial.transform import Rotation

    states = Shaken().sample(200, rng=2)
    time, g = 0.25, Setup().gravity
    ended = throw(states, setup=make(time_limit=time)).states
    expected = states.position + time * states.velocity - [0, 0, g * time**2 / 2]
    turns = Rotation.from_rotvec(time * states.angular_velocity).as_matrix()
    assert np.abs(ended.position - expected).max() <= 3e-16
    assert np.abs(ended.axes - turns @ states.axes).max() <= 5e-15


@pytest.mark.parametrize("turn_limit", [0.05, 0.17, 0.3])
def test_flight_lands_within_the_error_of_a_landing(turn_limit):
    """Also of dice that spin fast: no corner ends an arc deeper than that below a die that began at the band's end."""
    least = landing_error(turn_limit)
    setup = Setup(solver=Solver(turn=turn_limit, contact_band=least))
    deepest = 0.0
    for state in (releases(100, setup, seed=9)[k] for k in range(100)):
        path = trajectory(state, cut(setup, 1.0))
        deepest = max(deepest, -path.states.clearance(setup.die)[path.kind == FLIGHT].min())
    assert deepest <= 2 * least * setup.die.edge


@pytest.mark.parametrize("setup", RUBBING[::3], ids=label)
def test_axes_stay_orthonormal(setup):
    axes = throw(releases(30, setup, seed=1), setup=setup, until="rest").states.axes
    assert np.abs(np.swapaxes(axes, 1, 2) @ axes - np.eye(3)).max() <= 1e-12


# --- Time


def test_time_limit_is_never_overshot():
    """Odd limits, in flight and on the table; an unsettled throw ends exactly then."""
    states = Shaken().sample(100, rng=3)
    limits = np.random.default_rng(1).uniform(0.05, 2.5, 300).tolist()
    for restitution, limit in product((0.36, 0.95), limits):
        outcomes = throw(states, setup=make(restitution, time_limit=limit), until="rest")
        assert (outcomes.settle_time <= limit).all()
        assert (outcomes.settle_time[~outcomes.settled] == limit).all()


def test_time_limit_holds_where_the_last_addition_rounds_up():
    """Here the time so far and what is left add up to more than the limit, by half an ulp."""
    limit = 0.9243728032217443
    outcomes = throw(Shaken().sample(64, rng=124), setup=make(0.95, time_limit=limit), until="rest")
    assert outcomes.settle_time.max() == limit


@pytest.mark.parametrize("limit", [0.1, 1 / 3, 0.777, 1.23456789])
def test_time_steps_end_at_the_same_time(limit):
    """A die that slides on and on is followed to the same moment whatever the time step."""
    states = single(turn("x", 0.3), make(), 0.01, velocity=[0.0, 2.0, 0.0])
    for step in TIME_STEPS:
        outcomes = throw(states, setup=make(0.5, 0.0, time_step=step, time_limit=limit), until="rest")
        assert outcomes.settle_time[0] == limit


# --- Lanes


@pytest.mark.parametrize("setup", RUBBING[::3], ids=label)
@pytest.mark.parametrize("until", ["face", "rest"])
def test_neighbours_do_not_matter(setup, until):
    """A throw is the same alone, among a thousand, and in another order."""
    states = releases(1000, setup, seed=4, speed=0.3)
    batch = throw(states, setup=setup, until=until)
    order = np.random.default_rng(1).permutation(1000)
    assert same_bits(throw(states[order], setup=setup, until=until).states, batch.states[order], STATE)
    for k in (0, 1, 31, 32, 500, 999):
        alone = throw(states[k], setup=setup, until=until)
        assert same_bits(alone.states, batch.states[k], STATE)
        assert alone.face[0] == batch.face[k]


@pytest.mark.jit_off
def test_neighbours_do_not_matter_with_the_compiler_off():
    states = Shaken(height=0.02, spin=5.0).sample(35, rng=5)
    setup = make(0.0, time_limit=0.02)
    batch = throw(states, setup=setup)
    alone = throw(states[34], setup=setup)
    assert same_bits(alone.states, batch.states[34], STATE)


# --- Rest


@pytest.mark.parametrize("setup", RUBBING, ids=label)
def test_every_throw_settles(setup):
    assert_settle(setup, 60)


@pytest.mark.parametrize("restitution", [0.0, 0.36, 0.6, 0.75, 0.85, 0.9, 0.95])
def test_every_throw_settles_on_the_shipped_table(restitution):
    assert_settle(make(restitution), 2000)


@pytest.mark.slow
@pytest.mark.parametrize("restitution", [0.0, 0.36, 0.6, 0.75, 0.85, 0.9, 0.95])
def test_every_one_of_50000_throws_settles(restitution):
    assert_settle(make(restitution), 50_000)


def assert_settle(setup: Setup, n: int) -> None:
    """All dice rest: not moving at all, on three corners at least."""
    # At friction 0.1 a die slides for v / g / 0.1: no faster than it can stop in time.
    states = releases(n, setup, seed=5, speed=min(3.0, 10 * setup.table.friction))
    outcomes = throw(states, setup=setup, until="rest")
    assert outcomes.settled.all()
    assert (outcomes.settle_time <= setup.solver.time_limit).all()
    assert not outcomes.states.velocity.any()
    assert not outcomes.states.angular_velocity.any()
    corners = corner_heights(outcomes.states, setup)
    assert corners[:, 2].max() <= 2 * band(setup)
    assert corners[:, 0].min() >= -2 * band(setup)


def corner_heights(states: States, setup: Setup) -> np.ndarray:
    """Heights of the eight corners, lowest first, (n, 8)."""
    signs = np.array(np.meshgrid(*3 * [[-1, 1]])).reshape(3, 8)
    reach = setup.die.edge / 2 * states.axes[:, 2, :] @ signs
    return np.sort(states.position[:, 2:] + reach, axis=1)


@pytest.mark.parametrize("restitution", [0.36, 0.95])
def test_vanishing_speeds_vanish(restitution):
    """Speeds whose squares and cubes leave the range of floats are as good as none."""
    setup = make(restitution)
    states = releases(200, setup, seed=8, speed=0.3)
    for power in (50, 75, 100, 107, 110, 150, 160, 300, 320):
        slow = states.replace(velocity=states.velocity * 10.0**-power, angular_velocity=states.angular_velocity * 0.0)
        slower = slow.replace(angular_velocity=states.angular_velocity * 10.0**-power)
        for start in (slow, slower, slower.replace(axes=np.eye(3))):
            outcomes = throw(start, setup=setup, until="rest")
            assert outcomes.settled.all()
            assert not outcomes.states.velocity.any()


@pytest.mark.parametrize("restitution", [0.0, 0.36, 0.75, 0.95])
def test_face_is_certain_on_a_table_without_friction(restitution):
    """There a die slides and turns for ever, so that only the face can be waited for, dropped straight down."""
    setup = make(restitution, 0.0)
    states = releases(1000, setup, seed=6, speed=0.0)
    assert throw(states, setup=setup).settled.all()


@pytest.mark.parametrize("setup", RUBBING, ids=label)
def test_resting_die_stays(setup):
    first = throw(releases(60, setup, seed=7, speed=0.3), setup=setup, until="rest").states
    again = throw(first, setup=setup, until="rest")
    assert again.settled.all()
    assert np.array_equal(first.position[:, :2], again.states.position[:, :2])
    assert np.abs(first.position - again.states.position).max() <= band(setup)
    assert np.abs(first.axes - again.states.axes).max() <= 2 * band(setup) / setup.die.edge
    assert np.array_equal(up_face(first.axes), again.face)


@pytest.mark.parametrize("edge", EDGES)
@pytest.mark.parametrize("angle", [1e-3, 0.1, 0.5, 0.7, 0.78])
def test_die_let_go_on_an_edge_is_not_at_rest(edge, angle):
    """It falls back to its face if it leans by less than an eighth of a turn, and over to the next if by more."""
    for lean, face in ((angle, 4), (math.pi / 2 - angle, 2)):
        setup = make(0.0, 1.0, edge)
        outcomes = throw(single(turn("x", lean), setup), setup=setup, until="rest")
        assert outcomes.settled.all()
        assert outcomes.face[0] == face
        assert outcomes.settle_time[0] > setup.solver.time_step


@pytest.mark.parametrize("time_step", TIME_STEPS)
@pytest.mark.parametrize("friction", FRICTIONS)
def test_die_rocking_through_zero_speed_is_not_at_rest(friction, time_step):
    """Pushed up an edge it stops short of the top, for a moment, and falls back."""
    setup = make(0.0, max(friction, 0.1), time_step=time_step)
    half = setup.die.edge / 2
    lean, push = 0.2, 18.0
    states = single(turn("x", lean), setup, angular_velocity=[push, 0, 0])
    states = states.replace(velocity=[0.0, -push * half * 1.2, push * half * 0.8])
    path = trajectory(states, setup)
    tops = np.flatnonzero(np.diff(np.sign(np.diff(path.potential))) < 0)
    assert len(tops) > 0
    assert path.settled
    lean_left = 1 - np.abs(path.states.axes[-1, 2, :]).max()
    assert lean_left <= 1e-6


@pytest.mark.parametrize("until", ["face", "rest"])
def test_die_balanced_on_an_edge_is_unsettled(until):
    for edge in EDGES:
        setup = make(edge=edge, time_limit=1.0)
        outcomes = throw(single(turn("x", math.pi / 4), setup), setup=setup, until=until)
        assert not outcomes.settled.any()
        with pytest.raises(ValueError, match="1 of 1 throws did not settle"):
            outcomes.counts()


@pytest.mark.parametrize("until", ["face", "rest"])
def test_die_balanced_on_a_corner_stands_or_falls_but_never_fails(until):
    """This one stands on and on: the table carries it and nothing pushes. It is unsettled, which is no error."""
    setup = make(time_limit=0.3)
    outcomes = throw(single(ON_CORNER, setup), setup=setup, until=until)
    assert not outcomes.settled.any()
    after = throw(single(ON_CORNER, setup), setup=make(), until=until)
    assert not after.settled.any()
    assert abs(after.states.position[0, 2] - setup.die.edge * 3**0.5 / 2) < 1e-4


def test_lowered_dice_settle():
    outcomes = throw(Lowered().sample(2000, rng=1), until="rest")
    assert outcomes.settled.all()
    assert outcomes.settle_time.min() > 0


@pytest.mark.parametrize("duration", [0.05, 0.3, 0.7, 1.9])
def test_free_flight_is_its_formula_to_a_few_ulps(duration):
    """In exact rationals; the ulp is that of the largest term."""
    setup = make(time_limit=duration)
    start = Shaken(height=50.0, speed=5.0, spin=200.0).sample(200, rng=8)
    end = throw(start, setup=setup, until="rest").states.position[:, 2]
    h, g = Fraction(duration), Fraction(setup.gravity)
    for z, v, found in zip(start.position[:, 2], start.velocity[:, 2], end, strict=True):
        terms = [Fraction(float(z)), Fraction(float(v)) * h, -g * h * h / 2]
        ulp = math.ulp(float(max(map(abs, terms))))
        assert abs(float(Fraction(float(found)) - sum(terms))) <= 3 * ulp
