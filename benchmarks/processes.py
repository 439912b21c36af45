"""Whole processes against the bars that the project set itself: a large run, the first throw, two workers."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.timing import interleaved, log
from dicesim.simulator import throw
from dicesim.states import States

CLOCKED = Path(__file__).with_name("clocked.py")
FIRST_THROW = "import dicesim; dicesim.throw(1, rng=1)"


@dataclass(frozen=True)
class Bar:
    """What a figure must keep to on a quiet machine, where its best run decides.

    Parameters
    ----------
    unit : str
        Of the figure.
    limit : float or None
        Most, or least, that is allowed; None if the figure is told and not judged.
    least : bool
        Whether the limit is a least.
    """

    unit: str
    limit: float | None
    least: bool = False

    def best(self, values: list[float]) -> float:
        """Give the best of some values."""
        return max(values) if self.least else min(values)

    def kept(self, values: list[float]) -> bool:
        """Say whether the best of some values keeps to it."""
        best = self.best(values)
        return self.limit is None or (best >= self.limit if self.least else best <= self.limit)

    def __str__(self) -> str:
        if self.limit is None:
            return "none"
        return f"{'at least' if self.least else 'at most'} {self.limit:g} {self.unit}"


BARS = {
    "a large run, drawn, thrown, counted and written, wall": Bar("s", 15),
    "the same, CPU of all threads": Bar("s", None),
    "the same, peak memory": Bar("MB", 600),
    "first throw of a process, nothing compiled before": Bar("s", 10),
    "first throw of a process, compiled before": Bar("s", 1.5),
    "a process that does no more than import dicesim": Bar("s", 0.3),
    "two workers against one, throws per wall second": Bar("times", 1.9, least=True),
}


def measure_processes(throws: int, states: States, passes: int) -> dict[str, list[float]]:
    """Measure what there are bars for.

    Parameters
    ----------
    throws : int
        Size of the large run.
    states : States
        What the workers throw.
    passes : int
        How often each is done.

    Returns
    -------
    dict
        Values, one a pass, by the names of `BARS`.
    """
    log.info("whole processes")
    runs = [_costs(throws) for _ in range(passes)]
    values = [list(column) for column in zip(*runs, strict=True)]
    return dict(zip(BARS, [*values, list(_speedups(states, passes))], strict=True))


def _costs(throws: int) -> list[float]:
    """Costs of one round of fresh processes, in the order of `BARS`."""
    with tempfile.TemporaryDirectory() as folder:  # where compiled code is kept: empty at first
        cache = {"NUMBA_CACHE_DIR": folder}
        cold, warm = (cost("-c", FIRST_THROW, **cache)["wall"] for _ in range(2))
        many = cost("-m", "dicesim", "throw", "-n", str(throws), "--seed", "1", "--counts", "--json", **cache)
    return [many["wall"], many["cpu"], many["peak"], cold, warm, cost("-c", "import dicesim")["wall"]]


def cost(*arguments: str, **environment: str) -> dict[str, float]:
    """Run Python in a fresh process.

    Parameters
    ----------
    *arguments : str
        What follows the interpreter's name.
    **environment : str
        Environment variables besides those of this process.

    Returns
    -------
    dict
        Seconds of the clock as ``wall`` and of all processors as ``cpu``, and ``peak`` memory in MB.

    Raises
    ------
    ChildProcessError
        If the process fails.
    """
    command = [sys.executable, "-S", "-E", str(CLOCKED), sys.executable, *arguments]
    done = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=False)
    said = done.stderr.splitlines()
    if done.returncode:
        raise ChildProcessError(f"python {' '.join(arguments)} failed: {' '.join(said[-2:-1]) or 'without a word'}")
    costs: dict[str, float] = json.loads(said[-1])
    return costs


def _speedups(states: States, passes: int) -> Iterator[float]:
    """How many times as fast two workers are as one, pass by pass."""
    with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(2) as two:
        works: dict[str, Any] = {
            "one": partial(throw, states, executor=one),
            "two": partial(throw, states, executor=two),
        }
        throw(states[:1])  # loads what is compiled
        seconds, _ = interleaved(works, passes, time.perf_counter)
    yield from (alone / together for alone, together in zip(seconds["one"], seconds["two"], strict=True))
