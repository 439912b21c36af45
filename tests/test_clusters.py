"""A dask cluster: the same bytes from a real one of two workers, whatever becomes of these."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dicesim
from dicesim import ClusterError, Shaken, States, Tally, cli, clusters, count, ensembles, throw
from dicesim.ensembles import BLOCK, worker_count
from tests.commands import ROOT, program
from tests.golden.cases import arrays_of, sha256

GUARD = 300  # seconds after which what hangs is killed
LOW = Shaken(height=0.02, speed=0.1, spin=10.0)
N = 20 * BLOCK + 5


@pytest.fixture(scope="module")
def two() -> Iterator[Executor]:
    with dicesim.cluster(workers=2) as executor:
        yield executor


def client_of(executor: Executor) -> Any:
    return vars(executor)["_client"]


def address_of(executor: Executor) -> str:
    address: str = client_of(executor).scheduler.address
    return address


def pids_of(executor: Executor) -> list[int]:
    return list(client_of(executor).run(os.getpid).values())


class Striking(Executor):
    """Lends out another executor, and strikes once, when a few blocks are done and many are not."""

    def __init__(self, lent: Executor, strike: Callable[[], object]) -> None:
        self.lent, self.strike, self.done = lent, strike, 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future = self.lent.submit(fn, *args, **kwargs)
        future.add_done_callback(self._count)
        return future

    def _count(self, future: Future[Any]) -> None:
        self.done += 1
        if self.done == 3:
            self.strike()


# The same bytes


def test_a_cluster_of_two_gives_the_same_bytes(two: Executor) -> None:
    assert len(set(pids_of(two)) - {os.getpid()}) == 2
    assert count(N, LOW, rng=1, until="rest", executor=two) == count(N, LOW, rng=1, until="rest")
    ours, theirs = throw(2 * BLOCK + 5, LOW, rng=1), throw(2 * BLOCK + 5, LOW, rng=1, executor=two)
    assert sha256(*arrays_of(ours)) == sha256(*arrays_of(theirs))


def test_given_states_go_to_workers_too(two: Executor) -> None:
    states = LOW.sample(2 * BLOCK + 5, rng=3)
    assert count(states, executor=two) == count(states)


def test_a_cluster_works_for_all_that_follows(two: Executor) -> None:
    with ensembles.working(two):
        assert count(3 * BLOCK, LOW, rng=1) == count(3 * BLOCK, LOW, rng=1, executor=two)
    workers = sum(client_of(two).nthreads().values())
    assert workers == 2


def test_a_worker_that_is_killed_loses_nothing(two: Executor, tmp_path: Path) -> None:
    victim = pids_of(two)[0]
    striking = Striking(two, lambda: os.kill(victim, signal.SIGKILL))
    tally = count(N, LOW, rng=2, executor=striking, checkpoint=tmp_path / "a.json")
    assert striking.done >= 21
    count(N, LOW, rng=2, checkpoint=tmp_path / "b.json")
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    assert tally == Tally.read(tmp_path / "b.json")
    assert victim not in pids_of(two)


def test_faults_come_out_as_they_are(two: Executor) -> None:
    sunk = LOW.sample(BLOCK + 5, rng=1).replace(position=[0.0, 0.0, -1.0])
    with pytest.raises(ValueError, match="every die must start above the table; throw"):
        throw(sunk, executor=two)


# Somebody's cluster


def test_a_scheduler_is_found_by_its_address(two: Executor) -> None:
    with dicesim.cluster(address_of(two)) as executor:
        assert set(pids_of(executor)) == set(pids_of(two))
        assert count(3 * BLOCK, LOW, rng=1, executor=executor) == count(3 * BLOCK, LOW, rng=1)
    assert count(50, LOW, rng=1, executor=two).n == 50  # it goes on when we are gone


def test_the_command_line_works_on_a_cluster(two: Executor) -> None:
    command = ("throw", "-n", "20000", "--seed", "1")
    done = program(*command, "--cluster", address_of(two))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == program(*command).stdout


def test_so_does_the_study(two: Executor, tmp_path: Path) -> None:
    hashes = []
    for place in ([], ["--cluster", address_of(two)]):
        command = [sys.executable, "-m", "experiments", "run", "hands", "--smoke", "--results", str(tmp_path), *place]
        subprocess.run(command, cwd=ROOT, capture_output=True, timeout=GUARD, check=True)
        text = (tmp_path / "hands.json").read_text(encoding="utf-8")
        hashes.append([line for line in text.splitlines() if "outcome_hash" in line])
    assert hashes[0] == hashes[1] != []


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nonsense", "http://here:1"])
def test_where_no_scheduler_answers(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "PATIENCE", 0.5)
    with pytest.raises(ClusterError, match=r"no scheduler answers at .*; start one with") as caught:
        dicesim.cluster(address).__enter__()
    assert "\n" not in str(caught.value)


def test_the_command_line_says_so_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(clusters, "PATIENCE", 0.5)
    assert cli.main(["throw", "--cluster", "127.0.0.1:9"]) == 1
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith("dicesim: no scheduler answers at '127.0.0.1:9'; start one with `dask scheduler`")


def test_workers_of_another_version_are_refused(two: Executor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "__version__", "9.0")
    with pytest.raises(ClusterError, match=rf"the worker tcp://.* needs dicesim 9\.0; it has {dicesim.__version__}"):
        dicesim.cluster(address_of(two)).__enter__()


def test_workers_without_dicesim_are_refused() -> None:
    class Client:
        def run(self, function: Any, *arguments: Any, on_error: str) -> dict[str, Any]:
            return {"tcp://far:1": ModuleNotFoundError("No module named 'dicesim'")}

    with pytest.raises(ClusterError, match=r"the worker tcp://far:1 needs .*; it says: No module named 'dicesim'"):
        clusters._require_same_version(Client())


# Without dask


def test_without_dask_the_way_to_it_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert cli.main(["throw", "--cluster"]) == 1
    err = capsys.readouterr().err
    assert err.endswith("a cluster needs dask: pip install 'fairdice[cluster]'\n")
    assert err.count("\n") == 1


# Loss


@dataclass(frozen=True)
class Deadly(Shaken):
    """Kills whoever draws its last block, but for the process that made it."""

    spared: int = os.getpid()

    def sample(self, n: int, *, rng: Any = None) -> States:
        if n == 100 and os.getpid() != self.spared:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().sample(n, rng=rng)


def test_a_block_that_kills_workers_is_given_up_and_the_others_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES", "1")
    path = tmp_path / "a.json"
    with (
        pytest.raises(ClusterError, match="one block killed every worker that tried it; it was given up"),
        dicesim.cluster(workers=1) as executor,
    ):
        count(3 * BLOCK + 100, Deadly(), rng=1, executor=executor, checkpoint=path)
    # What was not fetched when its worker died is lost with it; the deadly block is never kept.
    assert not path.exists() or any(first <= 3 < end for first, end in Tally.read(path).missing())


def test_a_scheduler_that_is_lost_is_said_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "a.json"

    def strike_the_scheduler() -> None:
        with dicesim.cluster(workers=1) as executor:
            workshop = client_of(executor).run_on_scheduler(os.getpid)
            striking = Striking(executor, lambda: os.kill(workshop, signal.SIGKILL))
            count(1000 * BLOCK, LOW, rng=2, executor=striking, checkpoint=path)

    with pytest.raises(ClusterError, match=r"the scheduler at tcp://.* was lost") as caught:
        strike_the_scheduler()
    assert "\n" not in str(caught.value)
    assert Tally.read(path).n >= BLOCK


# A cluster of one's own leaves nothing behind


SCRIPT = """
print("the script runs", flush=True)
import os, sys
import dicesim

class Mine(dicesim.Shaken):
    pass

with dicesim.cluster(workers=1) as executor:
    print(*executor._client.run(os.getpid).values(), executor._client.run_on_scheduler(os.getpid), flush=True)
    print(dicesim.count(9000, Mine(), rng=1, executor=executor).n, flush=True)
    sys.stdin.read()
"""


def is_gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    stat = Path(f"/proc/{pid}/stat")
    with contextlib.suppress(OSError):
        return stat.exists() and stat.read_text().rpartition(") ")[2][0] == "Z"
    return False


def wait_until_gone(pids: list[int]) -> None:
    watched, waiting = pids, threading.Event()
    for _ in range(GUARD * 20):
        if all(map(is_gone, watched)):
            return
        waiting.wait(0.05)
    raise AssertionError(f"of {pids} some are still there")


@pytest.mark.parametrize("end", ["leaves", "SIGINT", "SIGKILL"])
def test_a_script_runs_once_and_its_cluster_ends_with_it(tmp_path: Path, end: str) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    command = [sys.executable, "-W", "error", script]
    streams: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, cwd=tmp_path, text=True, start_new_session=True, **streams) as process:
        guard = threading.Timer(GUARD, process.kill)
        guard.start()
        assert process.stdout.readline() == "the script runs\n"
        pids = [int(word) for word in process.stdout.readline().split()]
        assert process.stdout.readline() == "9000\n"
        assert not any(map(is_gone, pids))
        if end == "leaves":
            process.stdin.close()
        else:
            process.send_signal(getattr(signal, end))
        assert process.stdout.read() == ""
        process.wait()
        guard.cancel()
    assert len(pids) == 2
    wait_until_gone(pids)
    assert list(tmp_path.iterdir()) == [script]


def test_one_worker_for_each_processor_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []

    def refuse(command: list[str], **options: Any) -> None:
        asked.append(command)
        raise OSError("not now")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    with pytest.raises(OSError, match="not now"):
        dicesim.cluster().__enter__()
    assert asked[0][3] == str(worker_count())


def test_a_cluster_that_does_not_start_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "worker_count", lambda: "many")
    with pytest.raises(ClusterError, match="the cluster on this machine did not start: ValueError: invalid literal"):
        dicesim.cluster().__enter__()
    assert np.all([thread.daemon for thread in threading.enumerate() if thread is not threading.main_thread()])
