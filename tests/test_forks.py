"""Processes that are forked, spawned or served after a simulation: none hangs, and none differs."""

import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor
from multiprocessing import get_all_start_methods, get_context
from pathlib import Path
from typing import Any

import pytest

from dicesim import Shaken, Tally, count, throw
from dicesim.ensembles import BLOCK
from tests.golden.cases import arrays_of, sha256

ROOT = Path(__file__).parents[1]
GUARD = 300  # seconds after which a child counts as hanging
LOW = Shaken(height=0.02, speed=0.1, spin=10.0)
METHODS = get_all_start_methods()


def simulate() -> str:
    """Threads work in it, which those of the parent must not hinder."""
    outcomes = throw(2 * BLOCK + 5, LOW, rng=1)
    return sha256(*arrays_of(outcomes)) + count(2 * BLOCK + 5, LOW, rng=1).digest


def answer(queue: Any) -> None:
    queue.put(simulate())


@pytest.fixture(scope="module")
def here() -> str:
    return simulate()


@pytest.mark.parametrize("method", METHODS)
def test_a_process_started_after_a_simulation_gives_the_same(method: Any, here: str) -> None:
    context: Any = get_context(method)
    queue = context.Queue()
    child = context.Process(target=answer, args=(queue,), daemon=True)
    child.start()
    assert queue.get(timeout=GUARD) == here
    child.join(GUARD)
    assert child.exitcode == 0
    assert simulate() == here


FORKING = """
import os, sys
from tests.test_forks import simulate
wanted = simulate()
child = os.fork()
if child == 0:
    grandchild = os.fork() if simulate() == wanted else None
    if grandchild == 0:
        os._exit(simulate() != wanted)
    os._exit(1 if grandchild is None else os.waitstatus_to_exitcode(os.waitpid(grandchild, 0)[1]))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) or simulate() != wanted)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_plain_fork_after_a_simulation_gives_the_same() -> None:
    """No thread is left at the fork, so that newer Pythons do not warn of it either."""
    command = [sys.executable, "-W", "error", "-c", FORKING]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=GUARD, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


# Pools of processes


@pytest.fixture(params=METHODS)
def pool(request: pytest.FixtureRequest) -> Any:
    with ProcessPoolExecutor(2, mp_context=get_context(request.param)) as executor:
        yield executor


def test_pools_of_processes_give_the_same(pool: Executor, here: str) -> None:
    outcomes = throw(2 * BLOCK + 5, LOW, rng=1, executor=pool)
    assert sha256(*arrays_of(outcomes)) + count(2 * BLOCK + 5, LOW, rng=1, executor=pool).digest == here


def test_pools_of_processes_throw_what_is_given(pool: Executor) -> None:
    states = LOW.sample(2 * BLOCK + 5, rng=2)
    assert sha256(*arrays_of(throw(states, executor=pool))) == sha256(*arrays_of(throw(states)))
    assert count(states, until="rest", executor=pool) == count(states, until="rest")


class Weighing(ProcessPoolExecutor):
    """Notes how large what it sends is."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        import pickle

        self.sent = [*getattr(self, "sent", []), len(pickle.dumps((fn, args, kwargs)))]
        return super().submit(fn, *args, **kwargs)


def test_only_a_blocks_own_states_are_sent_with_it() -> None:
    states = LOW.sample(4 * BLOCK, rng=2)
    with Weighing(1, mp_context=get_context("spawn")) as pool:
        tally = count(states, executor=pool)
    assert isinstance(tally, Tally)
    assert len(pool.sent) == 4
    assert max(pool.sent) < 1.1 * BLOCK * 18 * 8
