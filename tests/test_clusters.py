"""A real cluster of two workers: the same bytes, also when one of them dies in the middle, and what is refused."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Executor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from dicesim import cluster, count, draw, throw
from dicesim.clusters import ClusterError
from dicesim.ensembles import BLOCK, map_blocks, working

pytest.importorskip("distributed")

THROWS = 6 * BLOCK + 100


@pytest.fixture(scope="module")
def two_workers() -> Iterator[Executor]:
    with cluster(workers=2) as executor:
        yield executor


def client_of(executor: Executor) -> Any:
    return executor._client  # type: ignore[attr-defined]


def test_there_are_two_worker_processes_and_neither_is_ours(two_workers: Executor) -> None:
    pids = set(client_of(two_workers).run(os.getpid).values())
    assert len(pids) == 2
    assert os.getpid() not in pids


@pytest.mark.parametrize("until", ["face", "rest"])
def test_a_cluster_gives_the_same_tally(two_workers: Executor, until: Any) -> None:
    assert count(THROWS, rng=1, until=until, executor=two_workers) == count(THROWS, rng=1, until=until)


def test_a_cluster_gives_the_same_throws(two_workers: Executor) -> None:
    states = draw(BLOCK + 50, rng=2)
    there, here = throw(states, executor=two_workers), throw(states)
    for part in ("position", "axes", "velocity", "angular_velocity"):
        assert getattr(there.states, part).tobytes() == getattr(here.states, part).tobytes()
    assert (there.face == here.face).all()


def test_a_cluster_works_for_all_that_is_thrown_in_its_context(two_workers: Executor) -> None:
    with working(two_workers):
        pids = {pid for _, pid in map_blocks(_who, 20 * BLOCK)}
    assert pids <= set(client_of(two_workers).run(os.getpid).values())


def _who(number: int, start: int, end: int) -> int:
    return os.getpid()


def _who_and_die(victim: int, number: int, start: int, end: int) -> tuple[int, int]:
    """The block's number, from whoever lives; the victim kills itself as soon as it works."""
    if os.getpid() == victim:
        os.kill(victim, signal.SIGKILL)
    return number, os.getpid()


def test_a_worker_that_is_killed_in_the_middle_loses_nothing() -> None:
    """One of two is killed while it works; its blocks are done by others, and the bytes are the same."""
    with cluster(workers=2) as executor:
        victim = next(iter(client_of(executor).run(os.getpid).values()))
        done = sorted(result for _, result in map_blocks(partial(_who_and_die, victim), 12 * BLOCK, executor=executor))
        assert [number for number, _ in done] == list(range(12))
        assert victim not in {pid for _, pid in done}
        assert count(THROWS, rng=1, executor=executor) == count(THROWS, rng=1)


def test_somebody_elses_scheduler_is_found_by_its_address(two_workers: Executor) -> None:
    address = client_of(two_workers).scheduler.address
    with cluster(address) as executor:
        assert count(THROWS, rng=3, executor=executor) == count(THROWS, rng=3)
    assert client_of(two_workers).nthreads()  # and is still there


def test_the_command_line_works_on_a_cluster(two_workers: Executor, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "dicesim", "throw", "-n", str(THROWS), "--seed", "1", "--json"]
    address = client_of(two_workers).scheduler.address
    alone, there = (
        subprocess.run([*command, *more], capture_output=True, text=True, check=True, cwd=tmp_path).stdout
        for more in ([], ["--cluster", address])
    )
    assert json.loads(alone) == json.loads(there)


def test_an_address_where_nobody_answers_is_refused_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dicesim.clusters.PATIENCE", 1.0)
    with pytest.raises(ClusterError, match=r"no scheduler answers at 'tcp://127\.0\.0\.1:1'"), cluster("tcp://127.0.0.1:1"):
        pass


def test_without_dask_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ClusterError, match=r"pip install 'fairdice\[cluster\]'"), cluster():
        pass
