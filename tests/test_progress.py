"""What is told of how far a run of experiments is."""

import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from threading import Event, active_count

import pytest

import experiments.progress as progress
from experiments.experiment import Result, run, save
from experiments.progress import expected_seconds, followed, say, ticking
from tests.toys import BOTH, COINS, SIDES


def taking(seconds: float) -> Result:
    return replace(run(COINS), when={"date": "2026-12-01", "seconds": seconds})


def test_a_kept_result_says_how_long_it_takes(tmp_path: Path) -> None:
    save(taking(40.0), tmp_path)
    (tmp_path / "sides.json").write_text("{")
    assert expected_seconds(BOTH, tmp_path) == [40.0, None]
    save(replace(taking(40.0), when={}), tmp_path)
    assert expected_seconds([COINS], tmp_path) == [None]


def test_a_log_gets_a_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(followed((*BOTH, COINS), "full", [40.4, None, 0.2], bars=False)) == [COINS, SIDES, COINS]
    assert capsys.readouterr() == (
        "",
        "[1/3] coins, full size, about 40 s\n[2/3] sides, full size\n[3/3] coins, full size\n",
    )


def test_the_bar_counts_seconds_and_names_what_runs(capsys: pytest.CaptureFixture[str]) -> None:
    named = [replace(COINS, name=name) for name in ("a", "b", "c")]
    told = []
    for _ in followed(named, "full", [30.0, None, 10.0], bars=True):
        told.append(capsys.readouterr().err.split("\r")[-1].partition("|")[0])
    assert told == ["[1/3] a   0 % ", "[2/3] b  50 % ", "[3/3] c  83 % "]  # of 30, 20 and 10 s


def test_the_bar_moves_while_one_experiment_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The clock stands at 6 s of 10 from the second look on: nothing here waits for it."""
    times = iter([0.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(times, 6.0))
    moves = []

    class Once(progress.Event):  # type: ignore[misc, name-defined]
        def wait(self, timeout: float | None = None) -> bool:
            moves.append(timeout)
            return len(moves) > 1

    monkeypatch.setattr(progress, "Event", Once)
    with closing(followed([COINS], "full", [10.0], bars=True)) as turns:
        next(turns)
    assert " 60 % |" in capsys.readouterr().err


def test_ticking_ends_with_its_context() -> None:
    before, moved = active_count(), Event()
    with ticking(moved.set, interval=1e-3):
        moved.wait()
        assert active_count() == before + 1
    assert active_count() == before


def test_whoever_stops_earlier_leaves_no_bar_and_no_thread(capsys: pytest.CaptureFixture[str]) -> None:
    before = active_count()
    with closing(followed(BOTH, "full", [None, None], bars=True)) as turns:
        next(turns)
        assert active_count() == before + 1
    assert active_count() == before
    assert capsys.readouterr().err.rpartition("\r")[0].split("\r")[-1].strip() == ""


def test_words_come_above_the_bars(capsys: pytest.CaptureFixture[str]) -> None:
    with closing(followed(BOTH, "full", [None, None], bars=True)) as turns:
        next(turns)
        capsys.readouterr()
        say("so it is")
        out, err = capsys.readouterr()
    assert out == "so it is\n"
    wiped, bar = err.rsplit("\r", 1)
    assert (wiped.strip(), bar.split("|")[0]) == ("", "[1/2] coins   0 % ")


def test_without_bars_tqdm_is_not_needed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delitem(sys.modules, "tqdm")
    assert list(followed(BOTH, "smoke", [None, None], bars=False)) == list(BOTH)
    say("so it is", error=True)
    assert "tqdm" not in sys.modules
    assert capsys.readouterr().err.endswith("so it is\n")
