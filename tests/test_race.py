"""The race: its clockwork, without the peers."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import ours
from benchmarks.__main__ import main
from benchmarks.contenders import ENGINES, Engine, Form, MissingEngine, Thrown, load_engines
from benchmarks.peers import PEERS, Contender, Race, lineup, race
from benchmarks.timing import Spread, interleaved
from dicesim import Setup, Shaken, States, throw

SMALL = Race(passes=3, share=0.1, throws=10, rounds=1)


class Clock:
    """A clock that work moves on by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Toy:
    """An engine that throws every die onto the face of its number, and takes its time over it."""

    def __init__(self, clock: Clock, cost: float) -> None:
        self.clock, self.cost = clock, cost
        self.thrown: list[States] = []

    def __call__(self, releases: States, setup: Setup, step: float) -> Thrown:
        self.clock.now += self.cost * len(releases)
        self.thrown.append(releases)
        return Thrown((np.arange(len(releases)) % 6).astype(np.int8), np.arange(len(releases)) % 4 > 0)


# Timing


def test_works_take_turns_and_each_is_charged_its_own() -> None:
    clock, order = Clock(), []

    def work(name: str, seconds: float) -> str:
        order.append(name)
        clock.now += seconds * len(order)
        return name.upper()

    seconds, results = interleaved({"a": partial(work, "a", 1), "b": partial(work, "b", 10)}, 2, clock)
    assert order == ["a", "b", "a", "b"]
    assert seconds == {"a": [1, 3], "b": [20, 40]}
    assert results == {"a": "A", "b": "B"}


def test_a_spread_is_median_and_range() -> None:
    assert Spread.of([5.0, 1.0, 2.0]) == (2.0, 1.0, 5.0)


# The race


@pytest.fixture
def rows() -> list[dict[str, Any]]:
    """Ours and a toy that takes three times as long a throw, at a tenth of their sizes."""
    clock = Clock()
    slow = Form("slowly", Toy(clock, 3.0), {1 / 2000: 300, 1 / 240: 480})
    contenders = [Contender("dicesim", Form(ours.CERTAIN, Toy(clock, 1.0), {1 / 2000: 600}), 1 / 2000)]
    contenders += [Contender("Toy", slow, step) for step in slow.throws]
    return race(contenders, Shaken().sample(60, rng=1), SMALL, clock)


def test_rates_and_ratios_are_those_of_the_clock(rows: list[dict[str, Any]]) -> None:
    assert [row["throws"] for row in rows] == [60, 30, 48]
    assert [row["seconds"] for row in rows] == [[60.0] * 3, [90.0] * 3, [144.0] * 3]
    assert [row["per_second"][0] for row in rows] == pytest.approx([1, 1 / 3, 1 / 3])
    assert [row["ratio"][0] for row in rows] == pytest.approx([1, 3, 3])


def test_rows_tell_what_was_thrown(rows: list[dict[str, Any]]) -> None:
    assert [row["settled"] for row in rows] == [45 / 60, 22 / 30, 36 / 48]
    assert rows[1]["counts"].tolist() == [5] * 6
    assert rows[1]["p_value"] == pytest.approx(1)


def test_ratios_are_taken_pass_by_pass() -> None:
    clock = Clock()
    fast, slow = Toy(clock, 1.0), Toy(clock, 2.0)

    def slower_each_time(releases: States, setup: Setup, step: float) -> Thrown:
        clock.now += 10 * len(slow.thrown)  # 10, 20, 30 after the warm-up
        return slow(releases, setup, step)

    contenders = [
        Contender("dicesim", Form(ours.CERTAIN, fast, {1 / 2000: 600}), 1 / 2000),
        Contender("Toy", Form("tired", slower_each_time, {1 / 2000: 600}), 1 / 2000),
    ]
    row = race(contenders, Shaken().sample(60, rng=1), SMALL, clock)[1]
    assert row["seconds"] == [130, 140, 150]
    assert row["ratio"] == pytest.approx((14 / 6, 13 / 6, 15 / 6))


def test_everybody_throws_the_first_of_the_same_releases() -> None:
    clock = Clock()
    toys = [Toy(clock, 1.0), Toy(clock, 1.0)]
    contenders = [
        Contender("dicesim", Form(ours.CERTAIN, toys[0], {1 / 2000: 600}), 1 / 2000),
        Contender("Toy", Form("form", toys[1], {1 / 2000: 300}), 1 / 2000),
    ]
    releases = Shaken().sample(60, rng=1)
    race(contenders, releases, SMALL, clock)
    assert [[len(states) for states in toy.thrown] for toy in toys] == [
        [60] * 4,
        [30] * 4,
    ]  # a warm-up and three passes
    assert (toys[1].thrown[-1].velocity == releases.velocity[:30]).all()


def test_ours_throws_to_a_certain_face_and_to_rest() -> None:
    releases = Shaken().sample(60, rng=1)
    faces = [form.throw(releases, Setup(), ours.STEP) for form in ours.FORMS]
    assert (faces[0].face == faces[1].face).all()
    assert all(thrown.settled.all() for thrown in faces)


def test_ours_has_one_worker_and_the_step_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def spy(releases: States, *, setup: Setup, until: Any, executor: Any) -> Any:
        asked.append((until, setup.solver.time_step, executor._max_workers))
        return throw(releases, setup=setup, until=until)

    monkeypatch.setattr(ours, "throw", spy)
    for form in ours.FORMS:
        form.throw(Shaken().sample(1, rng=1), Setup(), 1 / 4000)
    assert asked == [("face", 1 / 4000, 1), ("rest", 1 / 4000, 1)]


# Who is raced


def test_the_registry_names_each_engine_once_and_ours_first() -> None:
    assert [engine.name for engine in ENGINES] == ["dicesim", "MuJoCo", "PyBullet"]
    assert len({engine.package for engine in ENGINES}) == len(ENGINES)


def test_the_lineup_has_every_form_at_every_step() -> None:
    found = lineup(load_engines(ENGINES[:1]))
    assert [(c.engine, c.form.name, c.step) for c in found] == [
        ("dicesim", "to a certain face", 1 / 2000),
        ("dicesim", "to rest", 1 / 2000),
    ]
    assert found[0].name == "dicesim, to a certain face, 1/2000 s"


ABSENT = (
    Engine("Ours", "benchmarks.ours", "fairdice"),
    Engine("Chrono", "benchmarks.with_chrono", "pychrono"),
    Engine("Jolt", "benchmarks.with_jolt", "jolt"),
)


def test_missing_peers_are_named_together_with_what_to_do() -> None:
    with pytest.raises(MissingEngine) as refusal:
        load_engines(ABSENT)
    assert str(refusal.value) == (
        "not installed: pychrono, jolt; `make bench` installs what is raced, or do it with `pip install --group bench`"
    )


def test_missing_peers_cost_a_person_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    benchmark = replace(PEERS, measure=lambda p, rng: load_engines(ABSENT))
    assert main(["--smoke", "--results", str(tmp_path)], benchmark) == 1
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert said.err.startswith("benchmarks: not installed: pychrono, jolt; ")
    assert list(tmp_path.iterdir()) == []
