"""Kept results held against the code: what makes one stale, what does not, and the study's own."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import experiments.cli as cli
from experiments.check import Stale, check, examine
from experiments.experiment import RESULTS, Experiment, Result, load, run, save
from experiments.fairness import FAIRNESS
from experiments.numerics import FLIGHT
from experiments.registry import EXPERIMENTS
from experiments.report import describe
from tests.mutants import DROPPED_TERM, OVERSHOT_BUDGET, Mutant, broken
from tests.toys import BOTH, COINS, EVEN, NEVER, SIDES, Coins, claiming, measuring, toss


def kept(experiment: Experiment[Any], folder: Path, **changes: Any) -> Result:
    """Run an experiment and keep its result, parts of it altered."""
    result = replace(run(experiment), **changes)
    save(result, folder)
    return result


# The declaration


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"full": Coins(2000)}, "parameters"),
        ({"full": Coins(1000, bias=0.5000001)}, "parameters"),
        ({"seed": 8}, "seed"),
        ({"question": "Do they?"}, "question"),
        ({"claims": (EVEN, NEVER)}, "claims"),
        ({"claims": (replace(EVEN, published="49 %"),), "seed": 8}, "claims, seed"),
    ],
)
def test_another_declaration_makes_a_result_stale(change: dict[str, Any], what: str) -> None:
    with pytest.raises(Stale, match=rf"coins: stale: run it again \({what} changed since\)"):
        check(replace(COINS, **change), run(COINS))


def test_another_size_is_not_the_result() -> None:
    with pytest.raises(Stale, match="parameters changed since"):
        check(COINS, run(COINS, "smoke"))


def test_rows_without_what_a_claim_asks_for_are_stale() -> None:
    result = replace(run(COINS), rows={"tails": 3})
    with pytest.raises(Stale, match="does not find what it asks for: KeyError 'heads'"):
        check(COINS, result)


# The outcomes


def test_a_result_of_the_same_outcomes_stands(tmp_path: Path) -> None:
    kept(COINS, tmp_path)
    assert str(examine(COINS, tmp_path)) == "coins: 1 of 1 claims hold; same outcomes"
    assert examine(replace(COINS, measure=lambda p, rng: {**toss(p, rng), "more": 1}), tmp_path).failing == []


def test_other_outcomes_make_a_result_stale(tmp_path: Path) -> None:
    kept(COINS, tmp_path)
    other = replace(COINS, measure=lambda p, rng: toss(p, np.random.default_rng(rng.integers(9))))
    assert check(other, run(COINS)) == ((EVEN, True),)  # nothing is run for it, so that nothing is noticed
    with pytest.raises(Stale, match=r"coins: stale: run it again \(the outcomes changed since\)"):
        examine(other, tmp_path)


@pytest.mark.parametrize(
    "golden", [{}, {"full": "0", "smoke": "0"}, {"full": "0"}, {"smoke": "0"}], ids=["none", "others", "full", "smoke"]
)
def test_a_hash_that_is_not_that_of_the_rows_and_the_replay_is_stale(tmp_path: Path, golden: dict[str, str]) -> None:
    sound = run(COINS).golden
    kept(COINS, tmp_path, golden=golden and sound | golden)
    with pytest.raises(Stale, match="the outcomes changed since"):
        examine(COINS, tmp_path)


def test_outcomes_that_are_no_longer_told_are_stale(tmp_path: Path) -> None:
    kept(COINS, tmp_path)
    silent = measuring(lambda p, rng: {"heads": 3})
    with pytest.raises(Stale, match="the outcomes changed since"):
        examine(replace(silent, claims=COINS.claims), tmp_path)


def test_a_measurement_that_refuses_today_is_stale(tmp_path: Path) -> None:
    def refuse(parameters: Coins, rng: np.random.Generator) -> None:
        raise ZeroDivisionError("no coins")

    kept(COINS, tmp_path)
    with pytest.raises(Stale, match="its smoke size does not run: ZeroDivisionError no coins"):
        examine(replace(COINS, measure=refuse), tmp_path)


# Measurements without outcomes


def test_without_outcomes_what_takes_a_second_is_measured_again(tmp_path: Path) -> None:
    whole = replace(COINS, smoke=COINS.full, measure=lambda p, rng: {"heads": 500, "throws": 1000})
    kept(whole, tmp_path)
    assert examine(whole, tmp_path).replayed == "measured again"
    with pytest.raises(Stale, match="measured today, a claim fails"):
        examine(replace(whole, measure=lambda p, rng: {"heads": 1000, "throws": 1000}), tmp_path)


def test_what_cannot_be_compared_is_said(tmp_path: Path) -> None:
    kept(SIDES, tmp_path)
    assert str(examine(SIDES, tmp_path)) == "sides: 0 of 0 claims hold; no outcomes to compare"


# The command


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(cli, "RESULTS", tmp_path)
    return tmp_path


def test_check_says_a_line_each_and_the_time(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for experiment in BOTH:
        kept(experiment, home)
    assert cli.main(["check"], BOTH) == 0
    out, err = capsys.readouterr()
    assert re.sub(r"[\d.]+ s", "0 s", out).splitlines() == [
        "coins: 1 of 1 claims hold; same outcomes",
        "sides: 0 of 0 claims hold; no outcomes to compare",
        "2 results looked at in 0 s: all belong to this code, all claims hold",
    ]
    assert err == ""


def test_check_tells_of_what_is_stale_missing_or_damaged(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept(COINS, home)
    assert cli.main(["check"], (replace(COINS, seed=8), SIDES)) == 1
    out, err = capsys.readouterr()
    assert err.splitlines() == [
        "experiments: coins: stale: run it again (seed changed since)",
        "experiments: sides: no result yet: python -m experiments run sides",
    ]
    assert out.endswith(": not in order: coins, sides\n")
    (home / "coins.json").write_text("{")
    assert cli.main(["check", "coins"], BOTH) == 1
    assert "is not a whole result file" in capsys.readouterr().err


def test_a_claim_that_fails_is_told(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = claiming(EVEN, NEVER)
    kept(wrong, home)
    assert cli.main(["check"], (wrong,)) == 1
    out, err = capsys.readouterr()
    assert err == "experiments: coins: the claim fails: heads never come up\n"
    assert out.startswith("coins: 1 of 2 claims hold; same outcomes\n")


# The kernel

STOPS = "    share = 0.0 if stops else 1.0 - straight * slowing / nonzero(speed)"
COMMENT = Mutant("a comment", ((STOPS, f"{STOPS}  # it comes to rest"),), "nothing")


@pytest.mark.parametrize(
    ("mutant", "stale"),
    [(DROPPED_TERM, {"fairness", "flight"}), (OVERSHOT_BUDGET, {"flight"}), (COMMENT, set())],
    ids=["dropped term", "overshot budget", "a comment"],
)
def test_a_changed_kernel_makes_results_stale_and_a_comment_does_not(
    mutant: Mutant, stale: set[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """The faces of settled throws do not depend on the time limit, so that one fault is seen in flight alone."""
    with broken(mutant):
        status = cli.main(["check"], (FAIRNESS, FLIGHT))
    told = capsys.readouterr().err.splitlines()
    assert {line.split(": ")[1] for line in told if "(the outcomes changed since)" in line} == stale
    assert (status, len(told)) == (1 if stale else 0, len(stale))


# The study


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda experiment: experiment.name)
def test_every_kept_result_belongs_to_the_code_and_its_claims_hold(experiment: Experiment[Any]) -> None:
    """What ``python -m experiments check`` does; the smoke size of every experiment is run here and nowhere else."""
    standing = examine(experiment)
    assert standing.failing == []
    assert standing.replayed != "no outcomes to compare"
    assert describe(load(experiment.name, RESULTS).rows)
