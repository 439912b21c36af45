"""The command line of the study."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import experiments.cli as cli
from dicesim import Shaken, count
from experiments.experiment import Experiment, load
from experiments.registry import EXPERIMENTS
from tests.toys import BOTH, COINS, EVEN, NEVER, SIDES, Coins, bars, claiming, measuring, toss

ROOT = Path(__file__).parents[1]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The command line's own results folder, an empty one."""
    monkeypatch.setattr(cli, "RESULTS", tmp_path / "results")
    return tmp_path / "results"


def test_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["list"], BOTH) == 0
    assert capsys.readouterr().out == "coins  Do coins fall evenly?\nsides  How many sides?\n"


def test_run_prints_claims_and_numbers_and_keeps_the_result(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["run"], BOTH) == 0
    out, err = capsys.readouterr()
    assert sorted(path.name for path in home.iterdir()) == ["coins.json", "sides.json"]
    heads = load("coins", home).rows["heads"]
    assert "coins: Do coins fall evenly?\n" in out
    assert f"heads:         {heads}\n" in out
    assert f"holds  {EVEN.text}\n         ours: {heads / 10:.1f} %; source: 50 %; verdict: reproduced\n" in out
    assert f"seed 7, kept in {home / 'coins.json'}\n" in out
    assert err == "[1/2] coins, full size\n[2/2] sides, full size\n"


def test_run_some(home: Path) -> None:
    assert cli.main(["run", "sides", "sides"], BOTH) == 0
    assert [path.name for path in home.iterdir()] == ["sides.json"]


@pytest.mark.parametrize("options", [["--smoke"], ["--throws", "100"], ["--seed", "3"]])
def test_another_size_never_replaces_the_kept_results(
    home: Path, capsys: pytest.CaptureFixture[str], options: list[str]
) -> None:
    assert cli.main(["run", "coins"], BOTH) == 0
    old = (home / "coins.json").read_bytes()
    assert cli.main(["run", "coins", *options], (claiming(NEVER),)) == 0  # fails, and decides nothing
    out = capsys.readouterr().out
    assert "its claims are asked, but decide nothing" in out
    assert "FAILS  heads never come up" in out
    assert (home / "coins.json").read_bytes() == old
    assert (home / "scratch" / "coins.json").exists()
    assert cli.main(["run", "coins", *options, "--results", str(home)], BOTH) == 2
    assert "keeps results of the declared size and seed" in capsys.readouterr().err
    assert (home / "coins.json").read_bytes() == old


def test_results_go_where_they_are_asked_to(home: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "a" / "b"
    assert cli.main(["run", "coins", "--smoke", "--results", str(elsewhere)], BOTH) == 0
    assert load("coins", elsewhere).rows["throws"] == 50
    assert not home.exists()


def test_a_figure_is_kept_beside_the_result(home: Path) -> None:
    assert cli.main(["run"], (replace(COINS, figure=bars),)) == 0
    assert (home / "coins.png").read_bytes().startswith(b"\x89PNG")


def test_a_claim_that_fails_is_status_1(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = (claiming(EVEN, NEVER),)
    assert cli.main(["run"], wrong) == 1
    assert "FAILS  heads never come up" in capsys.readouterr().out


def test_report(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["report"], BOTH) == 0
    assert capsys.readouterr().out.splitlines()[2].endswith("| not run yet |")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "the following arguments are required: list | run | check | report"),
        (["throw"], "invalid choice: 'throw'"),
        (["run", "dice"], "no experiment is called 'dice'; there are: coins, sides"),
        (["check", "dice"], "there are: coins, sides"),
        (["run", "--throws", "0"], "'0' is not a number of throws: a whole number from 1 to 10**12"),
        (["run", "--throws", "-5"], "'-5' is not a number of throws"),
        (["run", "--throws", "2e6"], "'2e6' is not a number of throws"),
        (["run", "--throws", "1.5"], "'1.5' is not a number of throws"),
        (["run", "--throws", "1000000000001"], "is not a number of throws"),
        (["run", "--throws", "9" * 5000], "is not a number of throws"),
        (["run", "--throws"], "expected one argument"),
        (["run", "--seed", "-1"], "'-1' is not a seed: a whole number from 0 up"),
        (["run", "--seed", "abc"], "'abc' is not a seed"),
        (["run", "--cluster", "coins"], "'coins' is no address of a scheduler; give one such as tcp://host:8786"),
        (["run", "--smok"], "unrecognized arguments: --smok"),
        (["run", "sides", "--throws", "9"], "sides has no parameter 'throws'; it has: sides"),
        (["run", "--throws", "13"], "13 throws are unlucky; take 12 or 14"),
        (["run", "--results", __file__], "name a folder to write to"),
    ],
)
def test_bad_input_is_one_line_and_status_2(
    home: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], complaint: str
) -> None:
    try:
        status = cli.main(arguments, BOTH)
    except SystemExit as end:
        status = int(str(end.code))
    out, err = capsys.readouterr()
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert complaint in err
    assert not home.exists()


@pytest.mark.parametrize("refusal", [ValueError("3 throws never settled"), KeyError("heads"), ZeroDivisionError("x")])
def test_a_measurement_that_refuses_is_one_line(
    home: Path, capsys: pytest.CaptureFixture[str], refusal: Exception
) -> None:
    def refuse(parameters: Coins, rng: np.random.Generator) -> None:
        raise refusal

    assert cli.main(["run"], (measuring(refuse), SIDES)) == 1
    err = capsys.readouterr().err
    assert f"{refusal}" in err
    assert err.count("\n") == 3  # and the other experiment is run all the same
    assert [path.name for path in home.iterdir()] == ["sides.json"]


def test_ctrl_c_keeps_what_is_finished(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupt(parameters: Coins, rng: np.random.Generator) -> None:
        raise KeyboardInterrupt

    assert cli.main(["run"], (SIDES, measuring(interrupt))) == 130
    assert "experiments: interrupted; finished: sides; go on with --resume\n" in capsys.readouterr().err
    assert [path.name for path in home.iterdir()] == ["sides.json"]


# Going on


@pytest.fixture
def code(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The commit that everything is made by, for the test to change."""
    known = {"commit": "0" * 40, "changed": False}
    for module in ("experiments.cli", "experiments.provenance"):
        monkeypatch.setattr(f"{module}.commit", lambda: dict(known))
    return known


def counting(runs: list[int]) -> Experiment[Coins]:
    def measure(parameters: Coins, rng: np.random.Generator) -> Any:
        runs.append(parameters.throws)
        return toss(parameters, rng)

    return replace(COINS, measure=measure)


def test_what_this_code_has_made_is_not_run_again(
    home: Path, code: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    runs: list[int] = []
    assert cli.main(["run"], (counting(runs),)) == 0
    first, old = capsys.readouterr().out, (home / "coins.json").read_bytes()
    done = len(runs)
    assert cli.main(["run", "--resume"], (counting(runs), SIDES)) == 0
    assert capsys.readouterr().out.startswith(first)  # it is shown all the same
    assert len(runs) == done
    assert (home / "coins.json").read_bytes() == old
    assert (home / "sides.json").exists()
    assert cli.main(["run"], (counting(runs),)) == 0
    assert len(runs) > done


def test_a_claim_that_fails_fails_again(home: Path, code: dict[str, Any]) -> None:
    wrong = (claiming(NEVER),)
    assert [cli.main(["run", *resume], wrong) for resume in ([], ["--resume"])] == [1, 1]


@pytest.mark.parametrize(
    ("change", "options"),
    [
        ({"commit": "1" * 40}, []),
        ({"changed": True}, []),
        ({}, ["--seed", "3"]),
        ({}, ["--throws", "90"]),
    ],
)
def test_what_other_code_or_another_size_has_made_is_run_again(
    tmp_path: Path, code: dict[str, Any], change: dict[str, Any], options: list[str]
) -> None:
    runs: list[int] = []
    run = ["run", "--smoke", "--results", str(tmp_path)]
    assert cli.main(run, (counting(runs),)) == 0
    code.update(change)
    done = len(runs)
    assert cli.main([*run, *options, "--resume"], (counting(runs),)) == 0
    assert len(runs) > done


@pytest.mark.parametrize("spoil", ["claims", "file", "changed"])
def test_what_is_not_what_the_code_declares_is_run_again(home: Path, code: dict[str, Any], spoil: str) -> None:
    runs: list[int] = []
    code["changed"] = spoil == "changed"
    assert cli.main(["run"], (counting(runs),)) == 0
    done = len(runs)
    experiment = counting(runs)
    if spoil == "claims":
        experiment = replace(experiment, claims=(EVEN, EVEN))
    if spoil == "file":
        (home / "coins.json").write_text("{")
    assert cli.main(["run", "--resume"], (experiment,)) == 0
    assert len(runs) > done


def test_without_git_everything_is_run_again(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("experiments.cli", "experiments.provenance"):
        monkeypatch.setattr(f"{module}.commit", lambda: None)
    runs: list[int] = []
    for resume in ([], ["--resume"]):
        assert cli.main(["run", *resume], (counting(runs),)) == 0
    assert runs == [1000, 50] * 2


# Progress


def test_a_person_sees_a_bar(home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert cli.main(["run"], BOTH) == 0
    assert "[1/2] coins   0 % |" in capsys.readouterr().err
    assert cli.main(["run", "--plain"], BOTH) == 0
    assert capsys.readouterr().err == "[1/2] coins, full size\n[2/2] sides, full size\n"


@pytest.mark.parametrize("plain", [False, True])
def test_a_person_sees_a_bar_for_a_long_count(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], plain: bool
) -> None:
    def long(parameters: Coins, rng: np.random.Generator) -> dict[str, int]:
        return {"n": count(20_000, Shaken(height=0.02, speed=0.1, spin=10.0), rng=rng).n}

    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert cli.main(["run", *["--plain"] * plain], (measuring(long),)) == 0
    assert ("throws/s" in capsys.readouterr().err) is not plain


def as_a_program(*arguments: str, **environment: str) -> "subprocess.CompletedProcess[bytes]":
    command = [sys.executable, "-m", "experiments", *arguments]
    return subprocess.run(command, cwd=ROOT, env=os.environ | environment, capture_output=True, check=False)


def test_it_is_a_program() -> None:
    done = as_a_program("list", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == len(EXPERIMENTS)
    done = as_a_program("run", "no-such-experiment")
    assert done.returncode == 2
    assert done.stderr.startswith(b"experiments: no experiment is called 'no-such-experiment'; there are: ")
    assert done.stderr.count(b"\n") == 1


def test_a_reader_that_goes_away_is_no_error() -> None:
    command = f"{sys.executable} -m experiments report | true"
    done = subprocess.run(command, shell=True, cwd=ROOT, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
