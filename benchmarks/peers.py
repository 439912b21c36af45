"""The benchmark, declared: the same releases thrown by `dicesim` and by its peers in one run, in CPU seconds."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.contenders import ENGINES, Form, load_engines
from benchmarks.drops import drop
from benchmarks.figure import rates, step_name
from benchmarks.ours import CERTAIN, STEP
from benchmarks.processes import BARS, Bar, measure_processes
from benchmarks.timing import Spread, interleaved, log
from dicesim._about import package_version
from dicesim.parameters import Setup
from dicesim.releases import Shaken
from dicesim.states import States
from dicesim.stats import chi_square
from experiments.experiment import Claim, Experiment

RESULTS = Path(__file__).with_name("results")
OURS = "dicesim"
TIMES = 100  # as fast as the better peer, at least


@dataclass(frozen=True)
class Race:
    """How much is thrown, and from where."""

    passes: int
    share: float  # of the throws of every form
    throws: int  # of the large run in a process of its own
    rounds: int  # of fresh processes
    release: Shaken = field(default_factory=Shaken)
    setup: Setup = field(default_factory=Setup)


class Contender(NamedTuple):
    """A form of an engine at one time step."""

    engine: str
    form: Form
    step: float

    @property
    def name(self) -> str:
        """What tells it from the others."""
        return f"{self.engine}, {self.form.name}, {step_name(self.step)}"


def lineup(engines: Mapping[str, Any]) -> list[Contender]:
    """List every form of the engines at every step at which it is raced."""
    return [
        Contender(name, form, step) for name, engine in engines.items() for form in engine.FORMS for step in form.throws
    ]


def race(
    contenders: Sequence[Contender],
    releases: States,
    p: Race,
    clock: Callable[[], float] = time.process_time,
) -> list[dict[str, Any]]:
    """Let contenders throw the first of the same releases, in turn, several times.

    Parameters
    ----------
    contenders : sequence of Contender
        Who; ours to a certain face among them.
    releases : States
        As many as the one that throws most needs.
    p : Race
        Sizes and setup.
    clock : callable
        Gives a time in seconds.

    Returns
    -------
    list of dict
        A row a contender.
    """
    works = {}
    for contender in contenders:
        throw, n = contender.form.throw, size(contender, p.share)
        throw(releases[: min(n, 100)], p.setup, contender.step)  # compiles and loads
        works[contender.name] = partial(throw, releases[:n], p.setup, contender.step)
    seconds, thrown = interleaved(works, p.passes, clock)
    fast = {c.name: size(c, p.share) / np.asarray(seconds[c.name]) for c in contenders}
    certain = next(fast[c.name] for c in contenders if (c.engine, c.form.name) == (OURS, CERTAIN))
    return [
        {
            "engine": c.engine,
            "form": c.form.name,
            "step": c.step,
            "throws": size(c, p.share),
            "seconds": seconds[c.name],
            "per_second": Spread.of(fast[c.name].tolist()),
            "ratio": Spread.of((certain / fast[c.name]).tolist()),
            **_outcome(thrown[c.name]),
        }
        for c in contenders
    ]


def size(contender: Contender, share: float) -> int:
    """How many releases a contender throws a pass."""
    return max(1, round(share * contender.form.throws[contender.step]))


def _outcome(thrown: Any) -> dict[str, Any]:
    counts = np.bincount(thrown.face, minlength=6)
    return {"settled": float(thrown.settled.mean()), "counts": counts, "p_value": chi_square(counts).p_value}


def measure(p: Race, rng: np.random.Generator) -> dict[str, Any]:
    """Measure whole processes while this one is small, then race, then drop."""
    load = os.getloadavg()[0]
    engines = load_engines()
    contenders = lineup(engines)
    releases = p.release.sample(max(size(c, p.share) for c in contenders), rng=rng)
    processes = measure_processes(p.throws, releases, p.rounds)
    rows = race(contenders, releases, p)
    log.info("drops")
    steps = sorted({(c.engine, c.step) for c in contenders})
    return {
        "race": rows,
        "drops": [{"engine": name, "step": step, **drop(engines[name].heights, p.setup, step)} for name, step in steps],
        "processes": processes,
        "load": load,  # of the machine before the run: what others took from the wall-clock figures
        "engines": [
            {"name": engine.name, "version": package_version(engine.package), "how": engines[engine.name].HOW}
            for engine in ENGINES
        ],
    }


def better_peer(rows: Mapping[str, Any], step: float = STEP) -> dict[str, Any]:
    """Give the fastest row of all peers at a step, whether its dice came to rest rightly or not."""
    peers = [row for row in rows["race"] if row["engine"] != OURS and row["step"] == step]
    fastest: dict[str, Any] = max(peers, key=lambda row: row["per_second"][0])
    return fastest


def _against_better_peer(rows: Mapping[str, Any]) -> str:
    peer = better_peer(rows)
    median, low, high = peer["ratio"]
    return f"{median:.0f} times ({low:.0f} to {high:.0f}) as fast as {peer['engine']}, {peer['form']}"


def _bar_claim(name: str, bar: Bar) -> Claim:
    return Claim(
        f"{name}: {bar}",
        "the project's bar",
        lambda rows: bar.kept(rows["processes"][name]),
        ours=lambda rows: f"{bar.best(rows['processes'][name]):.3g} {bar.unit} at best",
    )


def claims(bars: Iterable[tuple[str, Bar]] = tuple(BARS.items())) -> tuple[Claim, ...]:
    """Give the bar against the peers, and those of whole processes."""
    first = Claim(
        f"A throw to a certain face is at least {TIMES} times as fast as the better peer's, both at 1/2000 s",
        "the project's bar",
        lambda rows: better_peer(rows)["ratio"][0] >= TIMES,
        ours=_against_better_peer,
    )
    return (first, *(_bar_claim(name, bar) for name, bar in bars if bar.limit is not None))


PEERS = Experiment(
    name="peers",
    question="How many throws does a second of one processor core give, here and in other engines?",
    claims=claims(),
    full=Race(passes=5, share=1.0, throws=2_000_000, rounds=3),
    smoke=Race(passes=2, share=0.1, throws=20_000, rounds=1),
    seed=1,
    measure=measure,
    figure=lambda rows, ax: rates(rows["race"], ax),
)
