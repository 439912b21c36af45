"""Where the time of a throw goes: the stages of a step, its instructions, its steps, and the idle lanes."""

import heapq
import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dicesim.ensembles import BLOCK
from dicesim.parameters import Setup
from dicesim.releases import Shaken
from dicesim.simulator import kernel_parameters, to_rows
from experiments.cost import cpu_microseconds, cpu_seconds
from experiments.experiment import Claim, Experiment, digest


@dataclass(frozen=True)
class Stages:
    """The stages of a step, each run `repeats` times on the same lanes; a block of throws to count its steps."""

    throws: int = BLOCK
    repeats: int = 2_000
    passes: int = 9
    release: Shaken = field(default_factory=Shaken)
    setup: Setup = field(default_factory=Setup)


STAGES = ("_look", "_aim", "_press", "_rub", "_move", "_turn")


def _snapshots(rows: Any, p: Any) -> list[Any]:
    """Lanes in the middle of their throws, every twentieth step."""
    from dicesim import kernel

    W = np.empty(kernel.FIELDS * kernel.LANES)
    axes, order, sign = np.empty((3, 3)), np.empty(3, np.int64), np.empty(3)
    for i in range(kernel.LANES):
        kernel._park(W, i, p)
        kernel._load(W, i, rows[i], axes, order, sign, p)
        kernel._alone(W, i, p)
    taken = []
    for number in range(1, 161):
        kernel.step(W, p)
        if number % 20 == 0:
            taken.append(W.copy())
    return taken


def _nanoseconds(stage: str, snapshots: list[Any], numbers: Any, p: Stages) -> float:
    """Time of one lane in one stage: of many runs, each from the same state, less that of putting it back."""
    from numba import njit

    from dicesim import kernel

    shipped, extra = getattr(kernel, stage), (numbers.restitution,) if stage == "_press" else ()

    @njit(error_model="numpy")
    def run(W: Any, saved: Any, numbers: Any, times: int, work: bool, extra: Any) -> None:
        for _ in range(times):
            W[:] = saved
            if work:
                shipped(W, numbers, *extra)

    W = np.empty_like(snapshots[0])
    run(W, snapshots[0], numbers, 1, True, extra)
    spent = []
    for saved in snapshots:
        both = [
            min(cpu_seconds(lambda w=work, s=saved: run(W, s, numbers, p.repeats, w, extra), p.passes))  # type: ignore[misc]
            for work in (True, False)
        ]
        spent.append(both[0] - both[1])
    return float(np.median(spent)) / p.repeats / kernel.LANES * 1e9


def _instructions(stage: str, numbers: Any) -> dict[str, float]:
    """Instructions of one lane in the compiled loop over lanes: all of them, and the divisions and square roots."""
    from numba import njit

    from dicesim import kernel

    python = getattr(kernel, stage).py_func
    compiled = njit(error_model="numpy", nogil=True)(python)
    W = np.zeros(kernel.FIELDS * kernel.LANES)
    for i in range(kernel.LANES):
        kernel._park(W, i, numbers)
    compiled(W, numbers, *((0.0,) if stage == "_press" else ()))
    loop = _longest_loop(next(iter(compiled.inspect_asm().values())))
    width = 8 if any("zmm" in line for line in loop) else 4 if any("ymm" in line for line in loop) else 2
    slow = sum(bool(re.match(r"\s+v?(div|sqrt)", line)) for line in loop)
    return {"all": len(loop) / width, "divisions_and_roots": slow / width}


def _longest_loop(assembly: str) -> list[str]:
    """The stretch of vector code between a label and a jump that is longest."""
    best: list[str] = []
    stretch: list[str] = []
    for line in assembly.splitlines():
        if re.match(r"^\.?\w.*:", line):
            stretch = []
        elif re.match(r"\s+[a-z]", line):
            stretch.append(line)
            if re.match(r"\s+j", line) and len(stretch) > len(best):
                best = stretch[:]
    return best


def idle_share(steps: list[int], lanes: int) -> float:
    """Share of lane-steps without a throw, when lanes take the next throw as they end one.

    Parameters
    ----------
    steps : list of int
        Steps of each throw, in order.
    lanes : int
        How many advance together.

    Returns
    -------
    float
        Idle lane-steps over all.
    """
    ends = [0] * lanes
    for count in steps:
        heapq.heappush(ends, heapq.heappop(ends) + count)
    return 1 - sum(steps) / float(lanes * max(ends))


def measure_stages(p: Stages, rng: np.random.Generator) -> dict[str, Any]:
    """Time each stage, count its instructions, and count the steps of a block."""
    from dicesim import kernel

    states = p.release.sample(p.throws, rng=rng)
    rows, numbers = to_rows(states), kernel_parameters(p.setup, "face")
    snapshots = _snapshots(rows, numbers)
    records = [kernel.record(row, numbers)[1:, kernel.HOW] for row in rows]
    kinds = np.bincount(np.concatenate(records).astype(int), minlength=4) / p.throws
    whole = cpu_microseconds(lambda: kernel.simulate(rows, numbers), p.throws, p.passes) * 1e3
    return {
        "nanoseconds": {stage: _nanoseconds(stage, snapshots, numbers, p) for stage in STAGES},
        "instructions": {stage: _instructions(stage, numbers) for stage in STAGES},
        "steps": dict(zip(("flight", "impact", "carried"), kinds.tolist(), strict=False)),
        "idle": idle_share([len(record) for record in records], kernel.LANES),
        "nanoseconds_a_throw": whole,
        "outcome_hash": digest(kernel.simulate(rows, numbers)),
    }


def step_nanoseconds(rows: Any) -> float:
    """Time of one lane in one step; the plastic press is a second `_press`."""
    return float(sum(rows["nanoseconds"].values()) + rows["nanoseconds"]["_press"])


def stages_share(rows: Any) -> float:
    """Share of a throw's time that the stages explain."""
    return float(step_nanoseconds(rows) * sum(rows["steps"].values()) / rows["nanoseconds_a_throw"])


def draw_stages(rows: Any, ax: Any) -> Any:
    """Time of a lane in each stage."""
    spent = rows["nanoseconds"] | {"_press": 2 * rows["nanoseconds"]["_press"]}
    names = ["_press, twice" if name == "_press" else name for name in STAGES]
    ax.barh(names, [spent[name] for name in STAGES])
    ax.invert_yaxis()
    ax.set(xlabel="CPU time of one lane in one step, ns")
    return ax


STAGES_OF_A_STEP = Experiment(
    name="stages",
    question="Where does the time of a step go?",
    claims=(
        Claim(
            "The stages of the step explain between half and all of the time of a throw",
            "this project",
            lambda rows: 0.5 < stages_share(rows) < 1.1,
        ),
        Claim("Fewer than one lane-step in twenty is idle", "this project", lambda rows: rows["idle"] < 0.05),
        Claim(
            "A throw takes fewer than 150 steps to a certain face, fewer than 50 of them in flight",
            "this project",
            lambda rows: sum(rows["steps"].values()) < 150 and rows["steps"]["flight"] < 50,
        ),
    ),
    full=Stages(),
    smoke=Stages(64, 10, 1),
    seed=12,
    measure=measure_stages,
    figure=draw_stages,
)

EXPERIMENTS = (STAGES_OF_A_STEP,)
