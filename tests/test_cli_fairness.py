"""The command line: ``dicesim fairness``."""

import io
import sys
from dataclasses import asdict
from functools import partial
from pathlib import Path

import pytest
from PIL import Image

import dicesim
from dicesim import fairness_test
from tests.commands import Ask, Say, in_json, in_process

FEW = ("72", "61", "70", "59", "68", "70")


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> Say:
    return partial(in_process, capsys)


@pytest.fixture
def ask(say: Say) -> Ask:
    return partial(in_json, say)


def test_counts_are_judged(say: Say) -> None:
    status, out, err = say("fairness", *FEW)
    test = fairness_test([int(count) for count in FEW])
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "face           count     share  95 % intervals of all 6 together"
    assert lines[1] == "   1              72   18.000%  13.234% to 23.584%"
    assert " ".join(lines[7:-1]) == str(test)
    assert lines[-1] == "verdict, margin 1.667%: cannot tell"


def test_options_are_those_of_the_library(ask: Ask) -> None:
    found = ask(
        "fairness", "3,246", "3449", "2897", "2841", "3635", "3_932", "--margin", "0.03", "--confidence", "0.99"
    )
    test = fairness_test([3246, 3449, 2897, 2841, 3635, 3932], margin=0.03, confidence=0.99)
    assert found["dicesim"] == dicesim.__version__
    assert (found["rolls"], found["sides"], found["margin"], found["confidence"]) == (20_000, 6, 0.03, 0.99)
    assert found["chi_square"] == asdict(test.chi_square)
    assert found["p_value"] == asdict(test.tails)
    assert [row["count"] for row in found["faces"]] == list(test.counts)
    assert [tuple(row["interval"]) for row in found["faces"]] == list(test.intervals)
    assert [row["share"] for row in found["faces"]] == list(test.shares)
    assert (found["verdict"], found["beyond"], found["reach"]) == (test.verdict, [], test.reach)
    assert (found["detectable_bias"], found["rolls_needed"]) == (test.detectable_bias, test.rolls_needed)
    assert (found["text"], found["too_even"], found["power"]) == (str(test), False, 0.9)


def test_few_rolls_are_strict_json_too(ask: Ask) -> None:
    assert ask("fairness", "1", "0")["detectable_bias"] is None


@pytest.mark.parametrize(("text", "sides"), [("roll\n1\n2\n\n2\n4\n", ()), ("1,2\n2,4\n", ("--sides", "4"))])
def test_rolls_are_read(
    ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, sides: tuple[str]
) -> None:
    path = tmp_path / "rolls.csv"
    path.write_text(text, encoding="utf-8-sig")  # as spreadsheets do
    found = ask("fairness", "--rolls", str(path), *sides)
    assert [row["count"] for row in found["faces"]] == [1, 2, 0, 1, 0, 0][: found["sides"]]
    assert found["sides"] == (4 if sides else 6)
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    assert ask("fairness", "--rolls", "-", *sides) == found


def test_a_simulated_chance_is_the_same_each_time(ask: Ask) -> None:
    counts = ["1", "3", "4", "6"] * 25
    assert (
        ask("fairness", *counts) == ask("fairness", *counts, "--seed", "1") != ask("fairness", *counts, "--seed", "2")
    )


def test_a_picture_is_written(say: Say, tmp_path: Path) -> None:
    path = tmp_path / "shares.png"
    status, out, err = say("fairness", *FEW, "--png", str(path))
    assert (status, err) == (0, f"dicesim: wrote {path}\n")
    assert "cannot tell" in out
    with Image.open(path) as image:
        assert image.format == "PNG"


COUNTS_OR_ROLLS = "give the count of each face, such as 72 61 70 59 68 70, or --rolls FILE, not both"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("", COUNTS_OR_ROLLS),
        ("5 6 --rolls rolls.csv", COUNTS_OR_ROLLS),
        ("5", "one count is no die; give a count for each face, two or more"),
        ("0 0 0", "counts are all 0: there is nothing to judge"),
        ("5 -6", "argument COUNT: '-6' is no count; give a whole number, 0 to 10,000,000,000"),
        ("5 6.5", "argument COUNT: '6.5' is no count; give a whole number"),
        ("5 six", "argument COUNT: 'six' is no count; give a whole number"),
        ("5 99999999999", "argument COUNT: '99999999999' is no count; give"),
        ("5 6 7 --sides 6", "these are counts of 3 faces, not of 6"),
        ("5 6 --sides 1", "argument --sides: '1' is no number of sides; give a whole number, 2 to 1,000"),
        ("5 6 --margin 2", "a margin is a probability between 0 and 0.5 for 2 faces, such as 0.02, not 2"),
        ("5 6 --margin wide", "argument --margin: 'wide' is no number"),
        ("5 6 --confidence 95", "confidence lies between 0 and 1, such as 0.95, not 95"),
        ("5 6 --confidence nan", "confidence lies between 0 and 1, such as 0.95, not nan"),
        ("5 6 --confidence 0.05", "power lies between alpha and 1, but 0.9 is not above alpha = 0.95"),
        ("5 6 --seed one", "argument --seed: 'one' is no seed"),
        ("5 6 --png a.jpg", "argument --png: 'a.jpg' does not end in .png; give a name that does"),
        ("--rolls none.csv", "argument --rolls: there is no file 'none.csv'"),
        ("--rolls .", "argument --rolls: there is no file '.'"),
        ("--rolls rolls.csv", "rolls.csv: line 4: '7' is no face of a d6; give whole numbers from 1 to 6, or say how"),
        ("--rolls rolls.csv --sides 4", "rolls.csv: line 2: '5' is no face of a d4"),
        ("--rolls empty.csv", "empty.csv: there are no rolls; give at least one"),
        ("--rolls heading.csv", "heading.csv: there are no rolls"),
        ("--rolls utf16.csv", "utf16.csv is not text in UTF-8; save it as such"),
    ],
)
def test_bad_input_is_said_in_one_line(
    say: Say, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    files = {"rolls.csv": b"roll\n5\n\n7\n", "empty.csv": b"", "heading.csv": b"roll\n", "utf16.csv": b"\xff\xfe1\x00"}
    for name, content in files.items():
        Path(name).write_bytes(content)
    status, out, err = say("fairness", *arguments.split())
    assert (status, out) == (2, "")
    assert err.startswith("dicesim: ")
    assert err.count("\n") == 1
    assert message in err
    assert {path.name for path in tmp_path.iterdir()} == set(files)


def test_an_unreadable_file_is_said_in_one_line(say: Say, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "rolls.csv"
    path.write_text("1\n")

    def refuse(self: Path, *arguments: object, **options: object) -> None:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "open", refuse)
    status, out, err = say("fairness", "--rolls", str(path))
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert err.startswith(f"dicesim: {path}: Permission denied")
