"""The stage on which other engines throw, with a toy engine; and the peers themselves where they are installed."""

import math
from contextlib import closing
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from benchmarks.contenders import ENGINES, Engine, Floats
from benchmarks.drops import drop
from benchmarks.stage import Places, Rest, Stage, earliest_rest, throw_on
from dicesim import Setup, Shaken, Solver, States, trajectory
from dicesim.solids import up_face
from dicesim.states import quaternions_to_axes

STEP = 1 / 2000
HALF = Setup().die.edge / 2


class Toy(Stage):
    """Places in which a die hangs in the air for as many spells as its y says, and then lies as it was released."""

    def __init__(self, setup: Setup, step: float, places: int) -> None:
        super().__init__(setup, step, places)
        self.rows = np.zeros((places, 13))
        self.age = np.zeros(places)
        self.closed = False

    def close(self) -> None:
        self.closed = True

    def lay_out(self, releases: States) -> Floats:
        still = np.zeros((len(releases), 6))
        return np.hstack([releases.position, releases.quaternions, still])

    def put(self, places: Places, rows: Floats) -> None:
        self.rows[places], self.age[places] = rows, 0

    def advance(self, places: Places) -> None:
        self.age[places] += 1
        landed = self.age >= self.rows[:, 1]
        self.rows[landed, 2] = HALF

    def look(self, places: Places) -> Floats:
        return self.rows[places]


def hanging(*spells: int) -> States:
    """Dice that take this many spells, flat, each on another face in turn."""
    axes = Shaken().sample(1, rng=1).replace(axes=np.eye(3)[np.newaxis]).axes
    turns = np.stack([np.roll(axes[0], k, axis=1) for k in range(len(spells))])
    position = np.array([[0.0, spell, 0.5] for spell in spells])
    return States(position, turns, np.zeros((len(spells), 3)), np.zeros((len(spells), 3)))


# The rule of rest


def row(z: float = HALF, tilt: float = 0.0, speed: float = 0.0, spin: float = 0.0) -> npt.NDArray[Any]:
    """A die tilted about the x axis, moving along x and turning about z."""
    return np.array([0, 0, z, math.cos(tilt / 2), math.sin(tilt / 2), 0, 0, speed, 0, 0, 0, 0, spin])


AT_REST = [row(), row(tilt=math.pi / 2), row(tilt=math.radians(2)), row(speed=0.08), row(z=1.01 * HALF)]
NOT_AT_REST = [
    row(tilt=math.pi / 4, z=HALF * math.sqrt(2)),  # balanced on an edge, and however slow
    row(tilt=math.radians(4)),
    row(z=1.1 * HALF),  # at the top of a bounce
    row(speed=0.1),
    row(spin=20.0),
]


def test_a_die_rests_flat_low_and_slow() -> None:
    rests = Rest.of(Setup())
    assert [bool(rests(one.tolist())) for one in AT_REST] == [True] * 5
    assert [bool(rests(one.tolist())) for one in NOT_AT_REST] == [False] * 5


def test_many_dice_are_judged_as_each_is() -> None:
    rests = Rest.of(Setup())
    assert rests(np.array(AT_REST + NOT_AT_REST).T).tolist() == [True] * 5 + [False] * 5


# The stage


@pytest.mark.parametrize("places", [1, 2, 3, 20])
def test_every_release_is_thrown_once_however_many_places(places: int) -> None:
    releases = hanging(3, 1, 9, 2, 1, 1, 4)
    thrown = throw_on(partial(Toy, places=places), releases, Setup(), STEP)
    assert (thrown.face == up_face(releases.axes)).all()
    assert thrown.settled.all()


@pytest.mark.parametrize("places", [1, 3])
def test_a_die_out_of_time_is_unsettled_and_frees_its_place(places: int) -> None:
    setup = Setup(solver=Solver(time_limit=0.2))  # ten spells
    thrown = throw_on(partial(Toy, places=places), hanging(3, 99, 2, 10, 11), setup, STEP)
    assert thrown.settled.tolist() == [True, False, True, True, False]


def test_the_stage_is_closed_after_a_failure() -> None:
    stage = Toy(Setup(), STEP, 2)
    stage.advance = lambda places: 1 / 0  # type: ignore[assignment, return-value]
    with pytest.raises(ZeroDivisionError):
        throw_on(lambda setup, step: stage, hanging(1), Setup(), STEP)
    assert stage.closed


def test_no_die_is_looked_at_before_the_first_can_have_landed() -> None:
    setup, states = Setup(), hanging(0, 0).replace(velocity=[[0, 0, -1.0], [0, 0, 0.3]])
    drop, g = 0.5 - HALF * math.sqrt(3), setup.gravity
    assert earliest_rest(states, setup) == pytest.approx((-1 + math.sqrt(1 + 2 * g * drop)) / g)
    low = hanging(0).replace(position=[[0, 0, HALF]])
    assert earliest_rest(low, setup) == 0


# The peers


@pytest.mark.parametrize("engine", ENGINES[1:], ids=lambda engine: engine.name)
def test_each_form_of_a_peer_throws_the_same_dice(engine: Engine) -> None:
    pytest.importorskip(engine.package, reason="only make bench installs it")
    module, releases = engine.load(), Shaken().sample(12, rng=1)
    for step in module.FORMS[0].throws:
        faces = [form.throw(releases, Setup(), step).face.tolist() for form in module.FORMS]
        agree = [sum(a == b for a, b in zip(face, faces[0], strict=True)) for face in faces]
        assert min(agree) >= 11  # an engine that solves several dice together rounds another way


@pytest.mark.parametrize("engine", ENGINES[1:], ids=lambda engine: engine.name)
def test_a_peer_flies_as_we_do(engine: Engine) -> None:
    pytest.importorskip(engine.package, reason="only make bench installs it")
    release, only = Shaken().sample(1, rng=1), np.zeros(1, np.intp)
    ours = trajectory(release).at([0.2])
    with closing(engine.load().World(Setup(), STEP, 1, spell=0.2)) as world:
        world.put(only, world.lay_out(release))
        world.advance(only)
        row = world.look(only)
    assert row[:, :3] == pytest.approx(ours.position, abs=1e-3)
    assert quaternions_to_axes(row[:, 3:7]) == pytest.approx(ours.axes, abs=1e-3)
    assert row[:, 7:10] == pytest.approx(ours.velocity)


@pytest.mark.parametrize("engine", ENGINES[1:], ids=lambda engine: engine.name)
def test_a_peer_bounces_more_or_less_as_it_is_told(engine: Engine) -> None:
    pytest.importorskip(engine.package, reason="only make bench installs it")
    module = engine.load()
    for step in module.FORMS[0].throws:
        found = drop(module.heights, Setup(), step)
        assert 0.2 < found["corner"][0] < 0.45
        assert 0.2 < found["flat"][0] < 0.45
