"""What a throw costs, and how that grows."""

import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from dicesim.ensembles import BLOCK
from dicesim.parameters import Setup
from dicesim.releases import Shaken
from dicesim.simulator import throw
from dicesim.states import States
from dicesim.trajectories import KINDS, trajectory
from experiments.experiment import Claim, Experiment, digest


@dataclass(frozen=True)
class Growth:
    """One number of the throw at a time is changed; `recorded` throws are followed step by step."""

    throws: int = BLOCK
    recorded: int = 200
    passes: int = 7
    restitutions: tuple[float, ...] = (0.0, 0.2, 0.36, 0.5, 0.75, 0.9, 0.95)
    heights: tuple[float, ...] = (0.05, 0.1, 0.25, 0.55, 1.0, 2.0)
    spins: tuple[float, ...] = (1.0, 5.0, 10.0, 25.0, 50.0, 100.0, 200.0)
    time_steps: tuple[float, ...] = (1 / 500, 1 / 1000, 1 / 2000, 1 / 4000, 1 / 8000, 1 / 16000)
    numbers: tuple[int, ...] = (10, 100, 1_000, 10_000, 100_000, 1_000_000)
    release: Shaken = field(default_factory=Shaken)
    setup: Setup = field(default_factory=Setup)


def cpu_seconds(work: Callable[[], object], passes: int) -> list[float]:
    """CPU time of this process in each of some passes of a work, seconds."""
    spent = []
    for _ in range(passes):
        start = time.process_time()
        work()
        spent.append(time.process_time() - start)
    return spent


def cpu_microseconds(work: Callable[[], object], throws: int, passes: int) -> float:
    """CPU time of one throw, the median of some passes after one that does not count, microseconds."""
    work()
    return float(np.median(cpu_seconds(work, passes))) / throws * 1e6


def _steps(states: States, setup: Setup) -> dict[str, float]:
    """Mean number of steps of each kind of a throw to rest."""
    kinds = np.concatenate([trajectory(states[k], setup).kind[1:] for k in range(len(states))])
    counts = np.bincount(kinds, minlength=len(KINDS))
    return {kind: counts[i] / len(states) for i, kind in enumerate(KINDS) if i}


def _cell(value: float, states: States, setup: Setup, p: Growth) -> dict[str, Any]:
    """Cost at one value: CPU time to a certain face and to rest, and steps."""
    with ThreadPoolExecutor(1) as one:
        cpu = {
            until: cpu_microseconds(
                lambda until=until: throw(states, setup=setup, until=until, executor=one),  # type: ignore[misc]
                len(states),
                p.passes,
            )
            for until in ("face", "rest")
        }
    return {"value": value, "cpu_microseconds": cpu, "steps": _steps(states[: p.recorded], setup)}


def _cells(p: Growth, seed: int) -> dict[str, list[dict[str, Any]]]:
    def cells(values: Iterable[float], make: Callable[[float], tuple[Shaken, Setup]]) -> list[dict[str, Any]]:
        made = ((value, *make(value)) for value in values)
        return [_cell(value, release.sample(p.throws, rng=seed), setup, p) for value, release, setup in made]

    def on(restitution: float) -> Setup:
        return replace(p.setup, table=replace(p.setup.table, restitution=restitution))

    def at(step: float) -> Setup:
        slow = max(p.setup.solver.micro_bounce_speed, 1.01 * p.setup.gravity * step)
        return replace(p.setup, solver=replace(p.setup.solver, time_step=step, micro_bounce_speed=slow))

    return {
        "restitution": cells(p.restitutions, lambda value: (p.release, _patient(on(value)))),
        "height": cells(p.heights, lambda value: (replace(p.release, height=value), p.setup)),
        "spin": cells(p.spins, lambda value: (replace(p.release, spin=value), p.setup)),
        "time_step": cells(p.time_steps, lambda value: (p.release, at(value))),
    }


def _patient(setup: Setup) -> Setup:
    """With time enough to rest even at restitution 0.95."""
    return replace(setup, solver=replace(setup.solver, time_limit=60.0))


def measure_cost(p: Growth, rng: np.random.Generator) -> dict[str, Any]:
    """Time throws over restitution, height, spin, time step and number."""
    seed = int(rng.integers(2**31))
    numbers = []
    with ThreadPoolExecutor(1) as one:
        for n in p.numbers:
            few = 3 if n > p.throws else p.passes
            again = max(1, 1_000 // n)  # so that a pass is long enough for the clock
            work = _repeated(lambda n=n: throw(n, p.release, p.setup, rng=seed, executor=one), again)  # type: ignore[misc]
            numbers.append({"value": n, "cpu_microseconds": {"face": cpu_microseconds(work, n * again, few)}})
    faces = throw(min(p.throws, BLOCK), p.release, p.setup, rng=seed, until="rest").face
    return {**_cells(p, seed), "number": numbers, "outcome_hash": digest(faces)}


def _repeated(work: Callable[[], object], times: int) -> Callable[[], None]:
    def repeated() -> None:
        for _ in range(times):
            work()

    return repeated


def cost_at(rows: Any, part: str, value: float, until: str = "face") -> float:
    """CPU time of one throw at a value, microseconds."""
    return float(_at(rows, part, value)["cpu_microseconds"][until])


def steps_at(rows: Any, part: str, value: float) -> float:
    """Steps of one throw to rest at a value."""
    return float(sum(_at(rows, part, value)["steps"].values()))


def _at(rows: Any, part: str, value: float) -> Any:
    return {row["value"]: row for row in rows[part]}[value]


def _face(row: Any) -> float:
    return float(row["cpu_microseconds"]["face"])


LABELS = {
    "restitution": "restitution, 0.2 to 0.95",
    "height": "height, 0.05 to 2 m",
    "spin": "spin, 1 to 200 rad/s",
    "time_step": "time step, 1/16000 to 1/500 s",
}


def draw_cost(rows: Any, ax: Any) -> Any:
    """CPU time of a throw against each number, as a multiple of the shipped one; restitution 0 has no place there."""
    shipped = {"restitution": Setup().table.restitution, "height": Shaken().height, "spin": Shaken().spin}
    shipped["time_step"] = Setup().solver.time_step
    for name, value in shipped.items():
        drawn = [row for row in rows[name] if row["value"] > 0]
        times = [row["value"] / value for row in drawn]
        ax.plot(times, [row["cpu_microseconds"]["rest"] for row in drawn], marker="o", label=LABELS[name])
    ax.set(xlabel="times the shipped value", ylabel="CPU time of a throw to rest, µs", xscale="log", yscale="log")
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter("{x:g}")
        axis.set_minor_formatter("")
    ax.set_yticks([2, 5, 10, 20, 50])
    ax.legend(frameon=False)
    return ax


COST = Experiment(
    name="cost",
    question="What does a throw cost, and how does that grow with restitution, height, spin, time step and number?",
    claims=(
        Claim(
            "A certain face takes less than 1/150,000 of a CPU-second, a throw to rest less than 1/50,000",
            "this project",
            lambda rows: (
                cost_at(rows, "restitution", 0.36) < 1e6 / 150_000
                and cost_at(rows, "restitution", 0.36, "rest") < 1e6 / 50_000
            ),
        ),
        Claim(
            "Between ten thousand and a million throws the cost of one changes by less than a half",
            "this project",
            lambda rows: 2 / 3 < _face(rows["number"][-3]) / _face(rows["number"][-1]) < 3 / 2,
        ),
        Claim(
            "Twice as many time steps a second cost less than twice as many steps a throw, since arcs are exact",
            "this project",
            lambda rows: (
                steps_at(rows, "time_step", 1 / 4000) < 2 * steps_at(rows, "time_step", 1 / 2000)
                and steps_at(rows, "time_step", 1 / 2000) < 2 * steps_at(rows, "time_step", 1 / 1000)
            ),
        ),
    ),
    full=Growth(),
    smoke=Growth(50, 5, 1, (0.36, 0.5), (0.5, 0.55), (20.0, 25.0), (1 / 1000, 1 / 2000, 1 / 4000), (10, 100, 1000)),
    seed=11,
    measure=measure_cost,
    figure=draw_cost,
)

EXPERIMENTS = (COST,)
