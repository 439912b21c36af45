"""The closed form of free flight, and what two faults of the source's solver cost."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from dicesim.parameters import Setup, Solver
from dicesim.releases import Shaken
from dicesim.simulator import throw
from dicesim.states import States
from dicesim.trajectories import trajectory
from experiments.experiment import Claim, Experiment, digest
from experiments.rows import share
from tests.mutants import DROPPED_TERM, PENETRATION_ONLY, broken


@dataclass(frozen=True)
class Flight:
    """A free flight of `duration` seconds, taken whole and in `pieces`."""

    throws: int
    duration: float = 0.3
    pieces: int = 600
    release: Shaken = field(default_factory=lambda: Shaken(speed=0.1))  # slow enough that nothing lands meanwhile
    setup: Setup = field(default_factory=Setup)


def _fly(states: States, setup: Setup, duration: float) -> States:
    limited = replace(setup, solver=replace(setup.solver, time_limit=duration))
    return throw(states, setup=limited, until="rest").states


def measure_flight(p: Flight, rng: np.random.Generator) -> dict[str, Any]:
    """Compare one arc with many, and with the arc's formula."""
    start = p.release.sample(p.throws, rng=rng)
    whole = _fly(start, p.setup, p.duration)
    pieces = start
    for _ in range(p.pieces):
        pieces = _fly(pieces, p.setup, p.duration / p.pieces)
    error = np.abs(whole.position - pieces.position).max(axis=0)
    return {
        "position_error": float(error.max()),
        "axes_error": float(np.abs(whole.axes - pieces.axes).max()),
        "lowest": float(whole.clearance(p.setup.die).min()),
        "outcome_hash": digest(whole.position),
    }


FLIGHT = Experiment(
    name="flight",
    question="Does the closed form of free flight agree with the same flight in 600 pieces?",
    claims=(
        Claim(
            "Positions agree within 5e-15 m after 0.3 s, axes within 1e-14",
            "the source",
            lambda rows: rows["position_error"] < 5e-15 and rows["lowest"] > 0 and rows["axes_error"] < 1e-14,
            published="4e-15 m (4.4e-15 m)",
            ours=lambda rows: f"{rows['position_error']:.1e} m at most",
            verdict="reproduced",
        ),
    ),
    full=Flight(1_000),
    smoke=Flight(20, pieces=60),
    seed=3,
    measure=measure_flight,
)


@dataclass(frozen=True)
class Fault:
    """Throws of a broken kernel beside the shipped one."""

    throws: int
    duration: float = 0.3
    release: Shaken = field(default_factory=Shaken)
    aloft: Shaken = field(default_factory=lambda: Shaken(speed=0.1))  # slow enough that nothing lands meanwhile
    setup: Setup = field(default_factory=Setup)


def _steps(states: States, setup: Setup) -> float:
    """Mean number of steps of a throw: its cost, without the noise of a clock."""
    return float(np.mean([len(trajectory(states[k], setup)) - 1 for k in range(len(states))]))


def share_text(key: str) -> Any:
    """A function that puts a share and its interval in words."""

    def text(rows: Any) -> str:
        row = rows[key]
        return f"{100 * row['share']:.1f} % [{100 * row['low']:.1f}, {100 * row['high']:.1f}]"

    return text


def measure_dropped_term(p: Fault, rng: np.random.Generator) -> dict[str, Any]:
    """Throw with and without the term g t^2 / 2, stepping free flight."""
    start, aloft = p.release.sample(p.throws, rng=rng), p.aloft.sample(100, rng=rng)
    sound, fallen = throw(start, setup=p.setup, until="rest"), _fly(aloft, p.setup, p.duration)
    with broken(DROPPED_TERM):
        faulty, sunk = throw(start, setup=p.setup, until="rest"), _fly(aloft, p.setup, p.duration)
    error = float((fallen.position[:, 2] - sunk.position[:, 2]).max())
    return {
        "height_error": error,
        "edges": error / p.setup.die.edge,
        "changed": share(sound.face != faulty.face),
        "outcome_hash": digest(sound.face),
    }


DROPPED = Experiment(
    name="dropped_term",
    question="What does dropping g t^2 / 2 from a step of free flight cost?",
    claims=(
        Claim(
            "The die is 0.7 mm off after 0.3 s at steps of 1/2000 s, as g T t / 2 says",
            "the source",
            lambda rows: abs(rows["height_error"] - 9.80665 * 0.3 / 4000) < 1e-8,
            published="0.7 mm, 3.5 % of the edge",
            ours=lambda rows: f"{1e3 * rows['height_error']:.4f} mm, {100 * rows['edges']:.2f} % of the edge",
            verdict="reproduced",
        ),
        Claim(
            "It changes the face of fewer than one throw in five",
            "the source",
            lambda rows: rows["changed"]["high"] < 0.2,
            published="changes the face about half the time",
            ours=share_text("changed"),
            verdict="not reproduced",
            why="throws of this solver are less sensitive; the source does not say how it found its share",
        ),
    ),
    full=Fault(40_000),
    smoke=Fault(200),
    seed=4,
    measure=measure_dropped_term,
)


def measure_penetration(p: Fault, rng: np.random.Generator) -> dict[str, Any]:
    """Throw with contacts seen only below the table."""
    start = p.release.sample(p.throws, rng=rng)
    few = start[:50]
    sound, sound_steps = throw(start, setup=p.setup, until="rest"), _steps(few, p.setup)
    with broken(PENETRATION_ONLY):
        faulty, faulty_steps = throw(start, setup=p.setup, until="rest"), _steps(few, p.setup)
    assert faulty.contacts is not None
    return {
        "unsettled": share(~faulty.settled),
        "contacts": float(faulty.contacts.mean()),
        "steps": faulty_steps,
        "slowdown": faulty_steps / sound_steps,
        "sound_unsettled": int((~sound.settled).sum()),
        "outcome_hash": digest(sound.face),
    }


PENETRATION = Experiment(
    name="penetration",
    question="What does a contact model that waits for true penetration cost?",
    claims=(
        Claim(
            "Most throws never settle within 8 s",
            "the source",
            lambda rows: rows["unsettled"]["low"] > 0.9 and rows["sound_unsettled"] == 0,
            published="92 % never settle",
            ours=share_text("unsettled"),
            verdict="not comparable",
            why="the fault is the same, the solver around it is another",
        ),
        Claim(
            "A throw burns hundreds of contacts or more",
            "the source",
            lambda rows: rows["contacts"] > 100,
            published="465 contacts",
            ours=lambda rows: f"{rows['contacts']:.0f} contacts",
            verdict="not comparable",
            why="how often a chattering corner is counted depends on the solver it is built into",
        ),
        Claim(
            "The cure spares more than nine steps in ten",
            "the source",
            lambda rows: rows["slowdown"] > 10,
            published="20 times faster",
            ours=lambda rows: f"{rows['slowdown']:.0f} times fewer steps",
            verdict="not comparable",
            why="the fault is the same, the solver around it is another",
        ),
    ),
    full=Fault(2_000),
    smoke=Fault(32, setup=Setup(solver=Solver(time_limit=1.0))),
    seed=5,
    measure=measure_penetration,
)

EXPERIMENTS = (FLIGHT, DROPPED, PENETRATION)
