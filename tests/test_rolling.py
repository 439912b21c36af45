"""The reference solver, proved on cases with exact answers, and its impact law held against the simulator's."""

import math
from collections.abc import Iterator

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

from dicesim import Setup, Shaken, States, Table, throw, trajectory
from dicesim.convergence import refined
from dicesim.simulator import to_rows
from experiments.convergence import model
from tests.oracles import compile_functions, landings, rolling
from tests.oracles.rolling import VX, VY, VZ, WX, WY, WZ, X, Y, Z

SETUP = Setup()
MODEL = model(SETUP)
EDGE, G = MODEL.edge, MODEL.gravity
STEP = 1 / 2000


class Die:
    """One die, moved by the functions of the reference."""

    def __init__(self, axes, position, velocity=(0, 0, 0), spin=(0, 0, 0), setup=SETUP) -> None:
        self.model = model(setup)
        self.body = 0.5 * EDGE * rolling.SIGNS @ np.asarray(axes, dtype=float).T
        self.s, self.r, self.on = np.zeros(rolling.SIZE), np.empty((8, 3)), np.zeros(8, np.bool_)
        self.s[:9], self.s[9] = [*position, *velocity, *spin], 1.0
        rolling.rotated(self.s, self.body, self.r)
        rolling.join(self.s, self.r, self.on, EDGE)

    def strike(self) -> None:
        rolling.strike(self.s, self.r, self.on, self.model, self.model.restitution)

    def move(self, step=STEP) -> float:
        """An impact, which takes no time, or a move; the time it took."""
        if rolling.approach(self.s, self.r, self.on) > self.model.micro_bounce_speed:
            self.strike()
            return 0.0
        return rolling.advance(self.s, self.body, self.r, self.on, self.model, step)

    def moves(self, duration: float, step=STEP) -> Iterator[float]:
        while duration > 0:
            passed = self.move(step)
            duration -= passed
            yield passed

    @property
    def heights(self):
        return self.s[Z] + self.r[:, 2]

    @property
    def speeds(self):
        return np.array([rolling.speed(self.s, corner) for corner in self.r[self.on]])

    @property
    def energy(self) -> float:
        return rolling.energy(self.s, self.model)


def random_curve(rng: np.random.Generator) -> landings.Curve:
    """A corner of a die that flies, spins fast, and starts above the table."""
    steady, cosine, sine = rng.normal(size=3) * 0.008
    spin = float(np.exp(rng.uniform(0, 6)))
    return (
        abs(steady) + abs(cosine) + rng.exponential(0.01),
        rng.normal() * 0.3,
        rng.choice([0.0, G]),
        spin,
        steady,
        cosine,
        sine,
    )


def test_no_landing_is_missed() -> None:
    """The first root among 20,000 looks, polished by another method; 300 curves, of which many graze."""
    rng, seen, time = np.random.default_rng(1), 0, np.linspace(0, 0.2, 20_001)
    for _ in range(300):
        z, v, g, w, steady, cosine, sine = c = random_curve(rng)
        heights = z + v * time - g * time**2 / 2 + steady + cosine * np.cos(w * time) + sine * np.sin(w * time)
        below = np.flatnonzero(heights <= 0)
        found = landings.landing(c, 0.0, 0.2)
        if not below.size:
            assert found == landings.NEVER or (heights[max(int(found / 1e-5) - 1, 0) :][:4].min() < 1e-6)
            continue
        seen += 1
        first = brentq(lambda t, c=c: landings.height(c, t), time[below[0] - 1], time[below[0]], xtol=1e-16)
        assert found == pytest.approx(first, abs=1e-12) or found < first
        assert abs(landings.height(c, found)) <= 4e-17 + 1e-15 * abs(landings.climb(c, found))
    assert 100 < seen < 300


def test_a_graze_between_two_looks_is_found() -> None:
    """A corner that dips under the table by 1e-12 m, for half a microsecond."""
    w, amplitude = 300.0, 0.01
    dips = (amplitude - 1e-12, 0.0, 0.0, w, 0.0, amplitude, 0.0)
    assert landings.landing(dips, 0.0, 1.0) == pytest.approx(math.pi / w - math.sqrt(2e-12 / amplitude) / w, abs=1e-10)
    assert landings.landing((amplitude + 1e-12, *dips[1:]), 0.0, 1.0) == landings.NEVER


@pytest.mark.parametrize("restitution", [0.0, 0.36, 0.75])
def test_a_flat_drop_from_h_rebounds_to_e_squared_h(restitution) -> None:
    height, setup = 0.05, Setup(table=Table(restitution=restitution))
    die = Die(Rotation.from_euler("z", 0.4).as_matrix(), (0, 0, EDGE / 2 + height), setup=setup)
    assert die.move() == pytest.approx(math.sqrt(2 * height / G), rel=1e-14)
    assert die.on.sum() == 4
    die.move()
    assert die.s[VZ] ** 2 / (2 * G) == pytest.approx(restitution**2 * height, rel=1e-13, abs=1e-20)
    assert not die.s[[VX, VY, WX, WY, WZ]].any()


def test_free_flight_keeps_its_energy_spin_and_axis() -> None:
    die = Die(Rotation.random(rng=1).as_matrix(), (0, 0, 0.5), (0.1, 0.2, 0.3), (40, -30, 20))
    energy, time = die.energy, die.move()
    assert die.heights.min() == pytest.approx(0, abs=1e-16)
    assert die.s[Z] == pytest.approx(0.5 + 0.3 * time - G * time**2 / 2, rel=1e-14)
    assert die.energy == pytest.approx(energy, rel=1e-14)
    turned = Rotation.from_rotvec(time * np.array([40, -30, 20])).apply(die.body)
    assert np.abs(turned - die.r).max() < 1e-15


@pytest.mark.parametrize("step", [1 / 500, 1 / 4000])
def test_a_flat_slide_stops_after_v_squared_over_2_mu_g(step) -> None:
    die = Die(np.eye(3), (0, 0, EDGE / 2), (0.3, 0.4, 0))
    time = sum(die.moves(0.2, step))
    assert not die.s[VX : WZ + 1].any()
    way = 0.25 / (2 * MODEL.friction * G)
    assert math.hypot(die.s[X], die.s[Y]) == pytest.approx(way, abs=0.5 * step)
    assert die.s[Y] / die.s[X] == pytest.approx(4 / 3)
    assert time > 0.5 / (MODEL.friction * G)
    row = to_rows(States([[0, 0, EDGE / 2]], np.eye(3)[None], [[0.3, 0.4, 0]], [[0, 0, 0]]))
    assert rolling.throws(row, MODEL, step, True)[0, 4] == pytest.approx(0.5 / (MODEL.friction * G), rel=1e-12)


def test_energy_never_rises_and_no_corner_sinks() -> None:
    for state in range(3):
        release = Shaken(height=0.05).sample(3, rng=2)[state]
        die = Die(release.axes[0], release.position[0], release.velocity[0], release.angular_velocity[0])
        energy = die.energy
        for _ in die.moves(0.25):
            assert die.energy <= energy + 1e-14
            assert die.heights.min() > -1e-6
            energy = die.energy


def test_an_edge_drop_stays_in_its_plane_of_symmetry() -> None:
    die = Die(Rotation.from_euler("x", 0.3).as_matrix(), (0, 0, 0.03))
    touched = set()
    for _ in die.moves(0.2):
        touched.add(int(die.on.sum()))
        assert np.abs(die.s[[X, VX]]).max() < 1e-14
        assert np.abs(die.s[[WY, WZ]]).max() < 1e-12
    assert {2, 4} <= touched <= {0, 2, 4}


def test_rocking_over_to_the_next_edge_keeps_a_quarter_of_the_spin() -> None:
    """Housner's ratio for a square, 1 - 3/2 sin^2 45 degrees, of a plastic contact on which nothing slips.

    Friction acts here where the face that is stopped whole was pressed, a sixth of an edge before its end: 0.24.
    """
    setup = Setup(table=Table(restitution=0.0, friction=1.5))
    about_an_edge = (0, 0.5 * EDGE, -0.5 * EDGE), (-1, 0, 0)
    die = Die(np.eye(3), (0, 0, 0.5 * EDGE), *about_an_edge, setup=setup)
    assert sorted(die.speeds) == pytest.approx([-EDGE, -EDGE, 0, 0])
    die.strike()
    assert die.s[WX : WZ + 1] == pytest.approx([-0.25, 0, 0], abs=0.011)
    assert sorted(die.speeds)[:2] == pytest.approx([0, 0])


def touching(kind: str, rng: np.random.Generator) -> Rotation:
    """An orientation that rests on a corner, an edge or a face."""
    if kind == "corner":
        return Rotation.random(rng=rng)
    return Rotation.from_euler("ZX", [rng.uniform(0, 6), rng.uniform(0.1, 1.4) if kind == "edge" else 0.0])


@pytest.mark.parametrize("kind", ["corner", "edge", "face"])
@pytest.mark.parametrize("friction", [0.05, 0.34, 1.0])
def test_an_impact_is_the_simulators(kind, friction) -> None:
    """Two ways to solve one law: 40 random velocities each, to rounding."""
    setup, rng, struck = Setup(table=Table(friction=friction)), np.random.default_rng(3), 0
    for _ in range(40):
        axes = touching(kind, rng).as_matrix()
        die = Die(axes, (0, 0, EDGE / 2 * np.abs(axes[2]).sum()), setup=setup)
        die.s[VX : WX + 3] = *rng.normal(size=3) * 0.5, *rng.normal(size=3) * 30
        if rolling.approach(die.s, die.r, die.on) <= 0.05:
            continue
        struck += 1
        state = States(die.s[None, :3], axes[None], die.s[None, VX : VZ + 1], die.s[None, WX : WZ + 1])
        ours = trajectory(state, setup).states[1]
        die.strike()
        assert die.s[VX : VZ + 1] == pytest.approx(ours.velocity[0], abs=1e-13)
        assert die.s[WX : WZ + 1] == pytest.approx(ours.angular_velocity[0], abs=1e-11)
        assert die.speeds.min() > -1e-13
    assert struck > 15


def test_few_throws_land_the_faces_of_the_refined_simulator() -> None:
    """They differ in 1 of 100 throws at these steps, so all twelve agree in nine cases of ten; these do."""
    releases = Shaken().sample(12, rng=5)
    found = rolling.throws(to_rows(releases), MODEL, STEP / 4, False)
    assert np.array_equal(found[:, 1], throw(releases, setup=refined(SETUP, 4)).face)
    assert (found[:, 4] == -1).all() or (found[:, 0] > 0.2).all()


@pytest.mark.slow
def test_compiled_throws_are_those_of_plain_python() -> None:
    rows = to_rows(Shaken().sample(20, rng=6))
    plain = rolling.throws(rows, MODEL, STEP, True)
    compile_functions(landings, rolling)
    assert rolling.throws(rows, MODEL, STEP, True) == pytest.approx(plain, abs=1e-9)
