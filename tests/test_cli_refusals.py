"""The command line where something is wrong: bad input, bad luck, poor consoles, missing packages."""

import subprocess
import sys
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

import dicesim
from tests.commands import ROOT, Say, in_process, program


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> Say:
    return partial(in_process, capsys)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("", "the following arguments are required: throw | merge | fairness | info | cite; see dicesim --help"),
        ("roll", "argument throw | merge | fairness | info | cite: invalid choice: 'roll'"),
        ("throw -n 0", "argument -n: '0' is no number of throws; give a whole number, 1 to 10,000,000,000"),
        ("throw -n -5", "argument -n: '-5' is no number of throws; give"),
        ("throw -n 2.5", "argument -n: '2.5' is no number of throws; give"),
        ("throw -n 10000000001", "argument -n: '10000000001' is no number of throws; give"),
        (f"throw -n {'9' * 5000}", "argument -n: '9999"),
        ("throw -n ٣", "argument -n: '٣' is no number"),
        ("throw --seed -1", "argument --seed: '-1' is no seed; give a whole number from 0 up"),
        ("throw --seed one", "argument --seed: 'one' is no seed; give"),
        ("throw --until floor", "argument --until: invalid choice: 'floor' (choose from"),
        ("throw --edge wide", "argument --edge: 'wide' is no number; give one such as 0.5"),
        ("throw --edge nan", "edge must be a finite number, not nan"),
        ("throw --restitution 2", "restitution must be from 0 to 1, not 2.0"),
        ("throw --friction -1", "friction must be 0 or more, not -1.0"),
        ("throw --height 0.001", "every die must start above the table"),
        ("throw --spin 1e308 -n 50 --seed 1", "spin must be from 0 to 1000, not 1e+308"),
        ("throw --speed 1000", "speed must be from 0 to 100, not 1000.0"),
        ("throw --rest 0.5", "unrecognized arguments: --rest 0.5; see dicesim --help"),
        ("throw --gif a.mp4", "argument --gif: 'a.mp4' does not end in .gif; give a name that does"),
        ("throw --png no/where/a.png", "there is no folder 'no/where'; make it, or name another"),
        ("throw -n 5 --gif a.gif", "--gif shows one throw, not 5; leave out -n"),
        ("throw -n 60 --time-limit 0.01 --png a.png", "counts are all 0"),
        ("throw --out a.csv", "argument --out: 'a.csv' does not end in .json; give a name that does"),
        ("throw --resume", "--resume goes on with a file; name it with --out"),
        ("throw -n 20000 --blocks 0:1 --out a.json", "--blocks makes a shard: it needs --out, and the --seed that all"),
        ("throw -n 20000 --blocks 0:1 --seed 1", "--blocks makes a shard: it needs --out, and the --seed that all"),
        ("throw --blocks 3", "argument --blocks: '3' are no blocks; give the first and the end, such as 0:100"),
        ("throw --blocks 3:3", "argument --blocks: '3:3' are no blocks; give"),
        ("throw --blocks 0:-1", "argument --blocks: '0:-1' are no blocks; give"),
        ("throw -n 20000 --seed 1 --blocks 2:4 --out a.json", "a run of 20,000 throws has blocks 0:3, not 2:4"),
        (
            "throw --cluster here",
            "argument --cluster: 'here' is no address of a scheduler; give one such as tcp://host:",
        ),
        ("merge", "the following arguments are required: SHARD"),
        ("merge a.json", "argument SHARD: there is no file 'a.json'"),
        ("cite please", "unrecognized arguments: please; see dicesim --help"),
    ],
)
def test_bad_input_is_said_in_one_line(
    say: Say, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    status, _, err = say(*arguments.split())
    assert status == 2
    assert err.startswith("dicesim: ")
    assert err.count("\n") == 1
    assert message in err
    assert list(tmp_path.iterdir()) == []


def test_a_line_feed_in_an_argument_stays_in_one_line(say: Say) -> None:
    assert say("throw", "a\nb") == (2, "", "dicesim: unrecognized arguments: a b; see dicesim --help\n")


def test_interrupted(say: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*arguments: Any, **options: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(dicesim, "throw", interrupted, raising=False)
    assert say("throw") == (130, "", "dicesim: interrupted\n")


def test_a_reader_that_leaves_is_no_error() -> None:
    command = [sys.executable, "-m", "dicesim", "cite"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stdout
        assert running.stderr
        running.stdout.close()
        assert running.stderr.read() == ""
    assert running.returncode == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_a_full_device_is_said_in_one_line() -> None:
    command = [sys.executable, "-m", "dicesim", "cite"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert done.stderr.startswith("dicesim: output: No space left on device")


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_consoles_that_lack_letters(encoding: str) -> None:
    done = program("throw", "-n", "100", "--seed", "1", encoding=encoding, PYTHONIOENCODING=encoding)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.isascii()
    done = program("throw", "--png", "würfel.jpg", encoding=encoding, PYTHONIOENCODING=encoding, PYTHONUTF8="0")
    assert done.returncode == 2
    assert done.stderr.endswith("does not end in .png; give a name that does\n")


def test_the_module_is_the_program(say: Say) -> None:
    done = program("throw", "-n", "5", "--seed", "1", "--json")
    assert (done.returncode, done.stdout, done.stderr) == say("throw", "-n", "5", "--seed", "1", "--json")
    assert program("--version").stdout == f"dicesim {dicesim.__version__}\n"


def loaded(arguments: list[str], modules: set[str]) -> list[str]:
    """Those of some modules that a command loads."""
    text = f"""
import sys
from dicesim.cli import main
try:
    main({arguments})
except SystemExit:
    pass
print("loaded", *sorted({modules} & set(sys.modules)), file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", text], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stderr.splitlines()[-1].split()[1:]


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["throw", "--help"], ["cite"], ["throw", "-n", "0"]])
def test_help_loads_none_of_the_heavy_libraries(arguments: list[str]) -> None:
    heavy = {"numba", "scipy", "pandas", "matplotlib", "tqdm", "distributed", "asyncio"}
    assert loaded(arguments, heavy) == []


@pytest.mark.parametrize("arguments", [["info"], ["throw", "-n", "5"], ["throw", "-n", "100", "--until", "rest"]])
def test_a_throw_loads_no_more_than_it_needs(arguments: list[str]) -> None:
    assert loaded(
        [*arguments, "--json"], {"numba", "scipy.stats", "scipy.spatial", "pandas", "matplotlib", "tqdm"}
    ) == ["numba"]


def test_a_numpy_that_numba_does_not_take_is_named(tmp_path: Path) -> None:
    (tmp_path / "numba.py").write_text("raise ImportError('Numba needs NumPy 2.5 or less. Got NumPy 2.9.')")
    done = program("throw", PYTHONPATH=str(tmp_path))
    assert done.returncode == 1
    installed = f"numba {metadata.version('numba')} and numpy {metadata.version('numpy')}"
    said = f"Numba needs NumPy 2.5 or less. Got NumPy 2.9; installed are {installed}: install versions that fit"
    assert done.stderr.startswith(f"dicesim: {said}")
    assert done.stderr.count("\n") == 1
    assert "fails; Numba needs NumPy 2.5 or less" in program("info", PYTHONPATH=str(tmp_path)).stdout
