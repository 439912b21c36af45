"""Ctrl-C, SIGTERM and kill -9, each at a moment that an event names, in processes of their own."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

from dicesim import Tally
from tests.commands import ROOT, program

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are POSIX's")

GUARD = 300  # seconds after which a process that hangs is killed
LOW = ["--height", "0.02", "--speed", "0.1", "--spin", "10"]  # quickly done
# A program that says when a block begins, and when one has been kept.
TELLING = """
import os, sys
from dicesim import kernel, tallies

def telling(word, function):
    def told(*arguments):
        result = function(*arguments) if word == "kept" else None
        os.write(2, f"{word}\\n".encode())  # in one piece, whatever other threads say
        return result if word == "kept" else function(*arguments)
    return told

tallies.Tally.write = telling("kept", tallies.Tally.write)
kernel.simulate, kernel.record = telling("begun", kernel.simulate), telling("begun", kernel.record)
"""
# The same with a kernel that is never done, compiled and deaf to signals as the real one is; it is under way when it
# says that it has begun.
ENDLESS = f"""{TELLING}
import threading, time
import numpy as np
from numba import njit

@njit("void(float64[::1])", nogil=True)
def endless(counter):
    while True:
        counter[0] += np.random.random()  # which no compiler moves out of the loop

def tell(counter):
    while counter[0] < 1000:
        time.sleep(0.001)
    os.write(2, b"begun\\n")

def forever(*arguments):
    counter = np.zeros(1)
    threading.Thread(target=tell, args=(counter,), daemon=True).start()
    endless(counter)

simulate = kernel.simulate
kernel.simulate = kernel.record = forever
"""
THROW = "from dicesim.__main__ import main; main()"
GATE = "import time\ndef write(*_):\n    print('kept', file=sys.stderr, flush=True)\n    time.sleep(3600)\n"


@contextmanager
def started(*command: str, **environment: str) -> Iterator["subprocess.Popen[str]"]:
    """A process in a group of its own, as a shell would start it."""
    with subprocess.Popen(
        [sys.executable, *command],
        cwd=ROOT,
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # which a background job has not
    ) as process:
        guard = Timer(GUARD, process.kill)
        guard.start()
        try:
            yield process
        finally:
            guard.cancel()
            process.kill()


def telling(*arguments: str, program: str = TELLING) -> Any:
    return started("-c", program + THROW, "throw", *arguments)


def await_line(process: "subprocess.Popen[str]", line: str) -> None:
    assert process.stderr is not None
    for said in process.stderr:
        if said.strip() == line:
            return
    raise AssertionError(f"it ended before {line!r}")


def stopped(process: "subprocess.Popen[str]", number: int = signal.SIGINT) -> tuple[int, str, list[str]]:
    """Send a signal to the group, as a terminal does; status, output and last lines on stderr."""
    os.killpg(process.pid, number)
    out, err = process.communicate()
    lines = err.replace("begun", "").splitlines()  # a block that begins at this moment may write into another's line
    return process.returncode, out, [line for line in lines if line not in ("", "kept")]


# Ctrl-C


@pytest.mark.parametrize("arguments", [["-n", "1000000"], ["-n", "3"]])
def test_a_block_that_takes_for_ever_does_not_hold_up_ctrl_c(arguments: list[str]) -> None:
    with telling(*arguments, program=ENDLESS) as process:
        await_line(process, "begun")
        assert stopped(process) == (130, "", ["dicesim: interrupted"])


def test_nor_a_picture(tmp_path: Path) -> None:
    program = f"{ENDLESS}kernel.simulate = simulate\n"
    with telling("--png", str(tmp_path / "a.png"), program=program) as process:
        await_line(process, "begun")  # with the throw
        await_line(process, "begun")  # with its trajectory
        status, _, err = stopped(process)
    assert (status, err) == (130, ["dicesim: interrupted"])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_finished_blocks_are_kept_and_resume_ends_in_the_same_bytes(tmp_path: Path, number: int, status: int) -> None:
    path, whole = tmp_path / "a.json", tmp_path / "whole.json"
    run = ["-n", "400000", "--out", str(path), *LOW]
    with telling(*run) as process:  # whose seed is drawn
        await_line(process, "kept")
        ended, out, err = stopped(process, number)
    kept = Tally.read(path)
    assert (ended, out) == (status, "")
    assert err == [f"dicesim: interrupted: {kept.progress} kept in {path}; go on with --resume"]
    assert 0 < kept.n < 400_000
    again = program("throw", *run, "--resume")
    assert (again.returncode, again.stderr) == (0, "")
    anew = program("throw", "-n", "400000", "--seed", str(kept.seed), "--out", str(whole), *LOW)
    assert again.stdout == anew.stdout
    assert path.read_bytes() == whole.read_bytes()


def test_ctrl_c_before_the_first_block_is_finished(tmp_path: Path) -> None:
    with telling("-n", "1000000", "--out", str(tmp_path / "a.json"), program=ENDLESS) as process:
        await_line(process, "begun")
        assert stopped(process) == (130, "", ["dicesim: interrupted"])
    assert list(tmp_path.iterdir()) == []


def test_who_asks_twice_does_not_wait_for_the_file(tmp_path: Path) -> None:
    program = f"{TELLING}{GATE}tallies.Tally.write = write\n"
    with telling("-n", "100000", "--out", str(tmp_path / "a.json"), program=program) as process:
        await_line(process, "kept")
        process.send_signal(signal.SIGINT)
        await_line(process, "kept")  # it keeps what is finished, which takes an hour
        assert stopped(process)[::2] == (130, ["dicesim: interrupted"])


# A module that stands for all that is slow to load: it tells that it is being loaded, and is never done.
ENDLESS_IMPORT = "import sys, time\nprint('loading', file=sys.stderr, flush=True)\nwhile True: time.sleep(60)\n"


@pytest.mark.parametrize("command", ["dicesim", "experiments"])
@pytest.mark.parametrize("module", ["numpy", "numba"])
def test_ctrl_c_while_modules_load_is_one_line(tmp_path: Path, command: str, module: str) -> None:
    (tmp_path / f"{module}.py").write_text(ENDLESS_IMPORT)
    arguments = {"dicesim": ["throw"], "experiments": ["run", "hands", "--smoke"]}[command]
    with started("-m", command, *arguments, PYTHONPATH=str(tmp_path)) as process:
        await_line(process, "loading")
        status, out, err = stopped(process)
    assert (status, out) == (130, "")
    assert err[-1].startswith(f"{command}: interrupted")
    assert not [line for line in err if "Traceback" in line]


def test_what_the_caller_ignores_is_ignored() -> None:
    ignoring = f"import signal; signal.signal(signal.SIGINT, signal.SIG_IGN){TELLING}"
    with telling("-n", "20000", "--seed", "1", program=ignoring) as process:
        await_line(process, "begun")
        status, out, _ = stopped(process)
    assert (status, out.splitlines()[-1]) == (0, "20,000 throws, seed 1")


CATCHING = f"""{ENDLESS}
import dicesim
try:
    CALL
except KeyboardInterrupt:
    print("caught", flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize("call", ["dicesim.throw(1)", "dicesim.count(10**6)", "dicesim.trajectory(dicesim.draw(1))"])
def test_a_program_that_throws_is_interrupted_at_once(call: str) -> None:
    with started("-c", CATCHING.replace("CALL", call)) as process:
        await_line(process, "begun")
        process.send_signal(signal.SIGINT)
        assert process.stdout is not None
        assert process.stdout.readline() == "caught\n"  # while the block goes on


# The study

STUDY = f"""{ENDLESS}
from dataclasses import replace
from dicesim import count
from experiments import cli
from tests.toys import COINS, SIDES, measuring

def main():
    long = measuring(lambda parameters, rng: count(10**6, rng=rng))
    return cli.main(["run", "--results", sys.argv[1]], (SIDES, replace(COINS, name="more"), long))
"""


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_the_study_keeps_what_is_finished(tmp_path: Path, number: int, status: int) -> None:
    (tmp_path / "study.py").write_text(STUDY)
    entering = "from dicesim._entry import enter; enter('study', 'experiments')"
    results = tmp_path / "results"
    with started("-c", entering, str(results), PYTHONPATH=f"{tmp_path}{os.pathsep}{ROOT}") as process:
        await_line(process, "begun")
        ended, _, err = stopped(process, number)
    assert (ended, err) == (status, ["experiments: interrupted; finished: sides, more; go on with --resume"])
    assert sorted(path.name for path in results.iterdir()) == ["more.json", "sides.json"]


# kill -9


def test_a_killed_run_leaves_nothing_or_a_whole_file(tmp_path: Path) -> None:
    """Killed at its first writings and between them: absent, old or new, and the next run sweeps up."""
    path = tmp_path / "a.json"
    eager = f"{TELLING}from dicesim import checkpoints; checkpoints.SECONDS = 0\n"
    run = ["-n", "300000", "--seed", "1", *LOW, "--out", str(path), "--resume"]
    for event, times in (("begun", 1), ("kept", 1), ("kept", 2), ("begun", 3), ("kept", 3), ("kept", 5)):
        before = Tally.read(path).n if path.exists() else 0
        with telling(*run, program=eager) as process:
            for _ in range(times):
                await_line(process, event)
            process.kill()
            process.wait()
        if path.exists():
            assert Tally.read(path).n >= before
    assert Tally.read(path).missing()
    done = program("throw", *run)
    assert (done.returncode, done.stderr) == (0, "")
    assert list(tmp_path.iterdir()) == [path]
    assert (
        program("throw", "-n", "300000", "--seed", "1", *LOW, "--out", str(tmp_path / "b.json")).stdout == done.stdout
    )
    assert path.read_bytes() == (tmp_path / "b.json").read_bytes()


def test_a_complete_file_survives_a_run_that_is_killed_before_its_first_block(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    assert program("throw", "-n", "9000", "--seed", "1", "--out", str(path)).returncode == 0
    old = path.read_bytes()
    with telling("-n", "1000000", "--seed", "2", "--out", str(path), program=ENDLESS) as process:
        await_line(process, "begun")
        process.kill()
        process.wait()
    assert path.read_bytes() == old


def test_parts_of_writers_that_were_killed_are_swept_up_and_no_others(tmp_path: Path) -> None:
    writer = """
import os, signal, sys
from pathlib import Path
from dicesim._files import write_whole
def write(part):
    part.write_bytes(b"half")
    os.kill(os.getpid(), signal.SIGKILL)
write_whole(Path(sys.argv[1]), write)
"""
    for name in ("a[1].json", "a1.json"):
        subprocess.run([sys.executable, "-c", writer, tmp_path / name], cwd=ROOT, check=False)
    left = {path.name.split(".json")[0] for path in tmp_path.iterdir()}
    assert left == {".a[1]", ".a1"}
    script = """
import sys
from pathlib import Path
from dicesim._files import write_whole
target = Path(sys.argv[1])
def write(part):
    write_whole(target, lambda inner: inner.write_bytes(b"first"))  # while another writer is at work
    part.write_bytes(b"second")
write_whole(target, write)
"""
    subprocess.run([sys.executable, "-c", script, tmp_path / "a[1].json"], cwd=ROOT, check=True)
    assert sorted(path.name.split(".json")[0] for path in tmp_path.iterdir()) == [".a1", "a[1]"]
    assert (tmp_path / "a[1].json").read_bytes() == b"second"
