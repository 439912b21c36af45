"""The door to the kernel: what comes in is checked, what goes out is complete."""

import math
import subprocess
import sys
import tracemalloc
from concurrent.futures import Executor, Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dicesim import (
    Die,
    Outcomes,
    Release,
    Setup,
    Shaken,
    States,
    SteadyHand,
    Table,
    count,
    draw,
    ensembles,
    throw,
    trajectory,
)
from dicesim.ensembles import BLOCK, block_count
from dicesim.simulator import check_releases, from_rows, kernel_parameters, to_rows
from dicesim.solids import up_face
from tests.golden.cases import arrays_of, sha256

ROOT = Path(__file__).parents[1]
LOW = Shaken(height=0.02, speed=0.1, spin=10.0)


def message(make: Any, *arguments: Any, **keywords: Any) -> str:
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        make(*arguments, **keywords)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def same(a: Outcomes, b: Outcomes) -> bool:
    return sha256(*arrays_of(a)) == sha256(*arrays_of(b))


@pytest.fixture(scope="module")
def rested() -> Outcomes:
    return throw(2000, rng=1, until="rest")


# What comes in


@pytest.mark.parametrize("n", [-1, 1.5, "5", True, None, [1, 2], np.float64(3), np.int64(-2)])
@pytest.mark.parametrize("call", [throw, count])
def test_a_number_of_throws_is_a_whole_number(n: Any, call: Any) -> None:
    assert message(call, n) == f"throw States, or a whole number of throws from 0, not {n!r}"


@pytest.mark.parametrize("until", ["x", "", None, 1, ["face"], "Face"])
@pytest.mark.parametrize("call", [throw, count])
def test_there_are_two_ends(until: Any, call: Any) -> None:
    assert message(call, 5, until=until) == f"until must be 'face' or 'rest', not {until!r}"


@pytest.mark.parametrize("rng", [-1, 1.5, "1", True, [1, 2], object()])
@pytest.mark.parametrize("call", [throw, count])
def test_seeds_are_checked(rng: Any, call: Any) -> None:
    assert message(call, 5, rng=rng).startswith("rng must be a Generator, a SeedSequence, a whole number")


def test_a_trajectory_has_the_same_two_ends() -> None:
    assert "until must be" in message(trajectory, Shaken().sample(1, rng=1), until="x")


@pytest.mark.parametrize(
    "keywords",
    [
        {"release": Setup()},
        {"release": Shaken},
        {"release": "shaken"},
        {"setup": Table()},
        {"setup": None},
        {"executor": 4},
    ],
)
def test_arguments_of_another_kind_are_refused_in_one_line(keywords: Any) -> None:
    assert " must be " in message(throw, 5, **keywords)


class Greedy:
    """A release that draws one too many."""

    def sample(self, n: int, *, rng: Any = None) -> States:
        return Shaken().sample(n + 1, rng=rng)


def test_a_release_must_draw_as_many_as_it_is_asked() -> None:
    assert "6" in message(throw, 5, Greedy(), rng=1)


@pytest.mark.parametrize("call", [throw, lambda states: trajectory(states[2])])
def test_dice_inside_the_table_are_refused_and_named(call: Any) -> None:
    states = Shaken().sample(3, rng=1)
    position = states.position.copy()
    position[2, 2] -= states.clearance(Die())[2] + 0.002
    number = 2 if call is throw else 0
    assert message(call, states.replace(position=position)) == (
        f"every die must start above the table; throw {number} reaches 0.002 m into it, raise its height by as much"
    )


def test_a_die_that_touches_the_table_may_be_thrown() -> None:
    still = np.zeros((1, 3))
    flat = States([[0, 0, Die().edge / 2]], np.eye(3)[None], still, still)
    check_releases(flat, Setup())
    assert throw(flat, until="rest").face == [4]


def test_a_die_inside_the_table_is_named_beyond_the_first_block() -> None:
    states = Shaken().sample(BLOCK + 10, rng=1)
    position = states.position.copy()
    position[BLOCK + 5, 2] = 0.0
    assert f"throw {BLOCK + 5} " in message(throw, states.replace(position=position))


@pytest.mark.parametrize("setup", [Setup(), Setup(table=Table(0.75)), Setup(die=Die(0.1))])
@pytest.mark.parametrize("until", ["face", "rest"])
def test_no_throws_are_an_outcome_too(setup: Setup, until: Any) -> None:
    for nothing in (throw(0, setup=setup, until=until), throw(Shaken().sample(0), setup=setup, until=until)):
        assert (len(nothing), nothing.counts().tolist(), len(nothing.states)) == (0, [0] * 6, 0)
        assert (nothing.contacts is None) == (until == "face")
        assert len(nothing.to_frame()) == 0
    tally = count(0, setup=setup, until=until)
    assert (tally.n, tally.counts, tally.unsettled) == (0, (0,) * 6, 0)


@pytest.mark.parametrize(("part", "most", "unit"), [("velocity", 1000, "m/s"), ("angular_velocity", 10000, "rad/s")])
@pytest.mark.parametrize("call", [throw, lambda states: trajectory(states[2])])
def test_dice_faster_than_anything_thrown_are_refused_and_named(part: str, most: float, unit: str, call: Any) -> None:
    states = Shaken().sample(3, rng=1)
    for size in (1.01 * most, 1e200):
        values = getattr(states, part).copy()
        values[2, 1] = -size
        number = 2 if call is throw else 0
        said = f"{part} must be at most {most:g} {unit}; throw {number} has {size:.3g} {unit}"
        assert message(call, states.replace(**{part: values})) == said
    fastest = states.replace(**{part: np.array([0.0, 0.0, most])})
    assert len(throw(fastest)) == 3


# A run that does not end is looked for in a process that can be stopped.
ENDLESS = {
    "a length whose square is 0": "throw(1, setup=Setup(die=Die(1e-170)), rng=1)",
    "a step that leads nowhere": "throw(1, setup=Setup(solver=Solver(time_step=1e-300)), rng=1)",
}


@pytest.mark.slow
@pytest.mark.parametrize("call", ENDLESS.values(), ids=ENDLESS.keys())
def test_every_throw_ends_or_is_refused(call: str) -> None:
    program = f"from dicesim import *\ntry:\n    {call}\nexcept ValueError:\n    pass"
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, timeout=30)


# What goes out


@pytest.mark.jit_off
@pytest.mark.parametrize("until", ["face", "rest"])
def test_types_and_shapes(until: Any, size: Any) -> None:
    n = size(500, 5)
    outcomes = throw(n, LOW, rng=2, until=until)
    assert (outcomes.face.shape, outcomes.face.dtype) == ((n,), np.int8)
    assert (outcomes.settled.shape, outcomes.settled.dtype) == ((n,), np.bool_)
    assert (len(outcomes), len(outcomes.states)) == (n, n)
    assert np.array_equal(outcomes.face, up_face(outcomes.states.axes))
    if until == "face":
        assert (outcomes.contacts, outcomes.settle_time) == (None, None)
    else:
        assert outcomes.contacts is not None
        assert outcomes.settle_time is not None
        assert (outcomes.contacts.shape, outcomes.contacts.dtype) == ((n,), np.int32)
        assert (outcomes.settle_time.shape, outcomes.settle_time.dtype) == ((n,), np.float64)


def test_at_rest_means_flat_and_still(rested: Outcomes) -> None:
    assert rested.settled.all()
    assert not rested.states.velocity.any()
    assert not rested.states.angular_velocity.any()
    up = np.take_along_axis(np.abs(rested.states.axes[:, 2]), (rested.face // 2)[:, None], axis=1)
    assert up.min() > 1 - 1e-6
    assert rested.contacts is not None
    assert rested.contacts.min() >= 1


def test_both_ends_give_the_same_faces(rested: Outcomes) -> None:
    assert np.array_equal(throw(2000, rng=1).face, rested.face)


@pytest.mark.parametrize("release", [SteadyHand(), LOW])
def test_another_release_and_another_setup_make_a_difference(release: Release, rested: Outcomes) -> None:
    assert not np.array_equal(throw(2000, release, rng=1).face, rested.face)
    assert not np.array_equal(throw(2000, setup=Setup(table=Table(0.75)), rng=1).face, rested.face)


def test_given_releases_are_not_changed() -> None:
    states = Shaken().sample(100, rng=1)
    before = sha256(*arrays_of(states))
    throw(states, until="rest")
    trajectory(states[0])
    assert sha256(*arrays_of(states)) == before


def test_rows_and_states_are_the_same_thing() -> None:
    states = Shaken().sample(5, rng=1)
    rows = to_rows(states)
    assert rows.shape == (5, 18)
    assert np.array_equal(rows[:, :3], states.position)
    assert np.array_equal(rows[:, 9:12], states.axes[:, :, 0])
    assert sha256(*arrays_of(from_rows(rows))) == sha256(*arrays_of(states))


def test_the_kernel_gets_plain_numbers_and_lengths() -> None:
    setup = Setup(die=Die(1), table=Table(np.float64(0.5), 1))
    numbers = kernel_parameters(setup, "rest")
    assert {type(number) for number in numbers} == {float}
    assert (numbers.half, numbers.restitution, numbers.friction) == (0.5, 0.5, 1.0)
    assert numbers.contact_band == setup.solver.contact_band * 1
    assert numbers.trap_energy == -math.inf
    assert kernel_parameters(setup, "face").trap_energy == setup.trap_energy


# Seeds


def test_every_kind_of_seed(rested: Outcomes) -> None:
    assert same(throw(2000, rng=np.int64(1), until="rest"), rested)
    assert same(throw(2000, rng=np.random.SeedSequence(1), until="rest"), rested)
    assert not same(throw(2000, rng=2, until="rest"), rested)


@pytest.mark.parametrize("outcome", ["faces", "tally"])
def test_a_generator_moves_on_and_none_is_never_the_same(outcome: str) -> None:
    def call(rng: Any) -> str:
        return count(50, rng=rng).digest if outcome == "tally" else sha256(throw(50, rng=rng).face)

    generator = np.random.default_rng(1)
    first, second = call(generator), call(generator)
    assert first != second
    assert first == call(np.random.default_rng(1))
    assert call(None) != call(None)


def test_children_of_a_seed_sequence_throw_differently() -> None:
    a, b = np.random.SeedSequence(1).spawn(2)
    assert not same(throw(50, rng=a), throw(50, rng=b))
    assert same(throw(50, rng=a), throw(50, rng=np.random.SeedSequence(1, spawn_key=(0,))))


@pytest.mark.parametrize("rng", [7, None, np.int64(7)])
def test_the_seed_is_kept_and_can_be_used_again(rng: Any) -> None:
    outcomes = throw(50, rng=rng)
    assert same(throw(50, rng=outcomes.seed), outcomes)
    assert count(50, rng=outcomes.seed).seed == outcomes.seed


@pytest.mark.parametrize("rng", [np.random.default_rng(1), np.random.SeedSequence(1).spawn(1)[0]])
def test_the_seed_of_any_kind_can_be_used_again(rng: Any) -> None:
    outcomes = throw(50, rng=rng)
    assert same(throw(50, rng=outcomes.seed), outcomes)


def test_given_releases_have_no_seed() -> None:
    assert throw(Shaken().sample(3, rng=1)).seed is None
    assert count(Shaken().sample(3, rng=1)).seed is None


# Counting


@pytest.mark.parametrize("until", ["face", "rest"])
@pytest.mark.parametrize("n", [1, 500, BLOCK + 77])
def test_counting_is_throwing(until: Any, n: int) -> None:
    tally, outcomes = count(n, rng=4, until=until), throw(n, rng=4, until=until)
    assert tally.counts == tuple(outcomes.counts().tolist())
    assert (tally.n, tally.unsettled, tally.seed) == (n, 0, 4)
    assert tally.blocks == ((0, block_count(n)),)
    if until == "face":
        assert (tally.contacts, tally.settle_time) == (None, None)
    else:
        assert outcomes.contacts is not None
        assert outcomes.settle_time is not None
        for sums, values in ((tally.contacts, outcomes.contacts), (tally.settle_time, outcomes.settle_time)):
            assert sums is not None
            assert sums.n == n
            assert sums.total == pytest.approx(math.fsum(values.tolist()), rel=1e-15)
            assert sums.squares == pytest.approx(math.fsum((values.astype(float) ** 2).tolist()), rel=1e-15)


def test_given_releases_are_counted() -> None:
    states = Shaken().sample(300, rng=3)
    assert count(states).counts == tuple(throw(states).counts().tolist())


def test_counting_keeps_no_throws(monkeypatch: pytest.MonkeyPatch) -> None:
    """The blocks of a long count are let go: their memory does not add up."""
    monkeypatch.setattr(ensembles, "worker_count", lambda: 1)
    count(10, rng=1)  # compiled
    peaks = []
    for blocks in (8, 24):
        tracemalloc.start()
        count(blocks * BLOCK, LOW, rng=1)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.3 * peaks[0]


# Who works, and progress


class Lender(Executor):
    """Lends its work to the caller and counts it."""

    blocks = 0

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.blocks += 1
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


@pytest.mark.parametrize("call", [throw, count])
def test_any_executor_will_do(call: Any) -> None:
    lender = Lender()
    call(2 * BLOCK + 1, rng=1, executor=lender)
    assert lender.blocks == 3


@pytest.mark.parametrize("call", [throw, count])
@pytest.mark.parametrize("n", [100, BLOCK + 1])
def test_progress_is_written_to_stderr_alone(call: Any, n: int, capsys: pytest.CaptureFixture[str]) -> None:
    quiet = call(n, rng=1)
    assert tuple(capsys.readouterr()) == ("", "")
    loud = call(n, rng=1, progress=True)
    out, err = capsys.readouterr()
    assert out == ""
    assert "throws" in err
    assert loud == quiet if call is count else same(loud, quiet)


# Drawing what is thrown


@pytest.mark.parametrize("n", [0, 3, BLOCK + 3])
@pytest.mark.parametrize("rng", [5, np.random.SeedSequence(5).spawn(1)[0]])
def test_what_is_drawn_is_what_is_thrown(n: int, rng: Any) -> None:
    assert same(throw(draw(n, rng=rng)), replace(throw(n, rng=rng), seed=None))


def test_one_generator_draws_once() -> None:
    rng = np.random.default_rng(5)
    assert not np.array_equal(draw(3, rng=rng).velocity, draw(3, rng=rng).velocity)
    assert "whole number" in message(draw, -1)
