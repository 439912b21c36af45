"""The command line: ``dicesim throw``."""

import io
import sys
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import dicesim
from dicesim import Die, Setup, Shaken, Solver, Table, plots
from dicesim.solids import pips
from dicesim.stats import chi_square, mean_interval, proportion_intervals
from tests.commands import Ask, Say, in_json, in_process, program


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> Say:
    return partial(in_process, capsys)


@pytest.fixture
def ask(say: Say) -> Ask:
    return partial(in_json, say)


# Throws


def test_throw_shows_pip_values_and_the_seed(say: Say) -> None:
    values = pips(dicesim.throw(5, rng=1).face)
    assert say("throw", "-n", "5", "--seed", "1") == (0, f"{' '.join(map(str, values))}\nseed 1\n", "")


def test_throw_to_rest_shows_contacts_and_time(say: Say) -> None:
    outcomes = dicesim.throw(2, rng=1, until="rest")
    status, out, _ = say("throw", "-n", "2", "--seed", "1", "--until", "rest")
    rows = [line.split() for line in out.splitlines()]
    assert status == 0
    assert rows[0] == ["pip", "contacts", "settle", "time"]
    assert outcomes.contacts is not None
    assert outcomes.settle_time is not None
    for i in range(2):
        expected = [pips(outcomes.face)[i], outcomes.contacts[i], f"{outcomes.settle_time[i]:.3f}", "s"]
        assert rows[1 + i] == [str(part) for part in expected]
    assert rows[3] == ["seed", "1"]


def test_throw_as_json(ask: Ask) -> None:
    outcomes = dicesim.throw(3, rng=1, until="rest")
    assert outcomes.contacts is not None
    assert outcomes.settle_time is not None
    assert ask("throw", "-n", "3", "--seed", "1", "--until", "rest") == {
        "dicesim": dicesim.__version__,
        "throws": 3,
        "seed": 1,
        "until": "rest",
        "setup": asdict(Setup()),
        "release": {"class": "dicesim.releases.Shaken", **asdict(Shaken())},
        "pips": pips(outcomes.face).tolist(),
        "contacts": outcomes.contacts.tolist(),
        "settle_times": outcomes.settle_time.tolist(),
    }


def test_a_drawn_seed_is_shown_and_gives_the_same_again(ask: Ask) -> None:
    first, second = ask("throw", "-n", "20"), ask("throw", "-n", "20")
    assert first["seed"] != second["seed"]
    assert first["seed"] < 2**53  # readers that keep numbers as floats keep it
    assert ask("throw", "-n", "20", "--seed", str(first["seed"])) == first


def test_many_throws_are_counted(say: Say, ask: Ask) -> None:
    tally = dicesim.count(3000, rng=1, until="rest")
    counted = ask("throw", "-n", "3000", "--seed", "1", "--until", "rest")
    assert counted["digest"] == tally.digest
    assert counted["unsettled"] == 0
    faces = sorted(counted["faces"], key=lambda row: ("+x", "-x", "+y", "-y", "+z", "-z").index(row["face"]))
    assert tuple(row["count"] for row in faces) == tally.counts
    assert [row["pip"] for row in faces] == [1, 6, 2, 5, 3, 4]
    assert [row["interval"] for row in faces] == proportion_intervals(tally.counts).tolist()
    assert counted["chi_square"] == asdict(chi_square(tally.counts))
    assert tally.contacts is not None
    assert tuple(counted["contacts"]["interval"]) == mean_interval(tally.contacts)
    status, out, err = say("throw", "-n", "3,000", "--seed", "1", "--until", "rest")
    assert (status, err) == (0, "")
    assert str(chi_square(tally.counts)) in out
    assert [int(line.split()[2]) for line in out.splitlines()[1:7]] == [row["count"] for row in counted["faces"]]
    assert f"mean contacts {counted['contacts']['mean']:.5g}, 95 % interval" in out
    assert out.endswith("3,000 throws, seed 1\n")


def test_few_throws_are_counted_when_asked_with_a_caution(say: Say, ask: Ask) -> None:
    status, out, err = say("throw", "-n", "12", "--counts", "--seed", "1")
    assert (status, err) == (0, "")
    assert "a cell expects 2 counts; below 5 the p-value is rough" in out
    assert "below 5" in ask("throw", "-n", "12", "--counts", "--seed", "1")["note"]
    one = ask("throw", "-n", "1", "--counts", "--until", "rest", "--seed", "1")
    assert one["contacts"]["interval"] is None


def test_unsettled_throws_are_told(say: Say, ask: Ask) -> None:
    hurried = ("--time-limit", "0.01", "--seed", "1")
    assert ask("throw", "-n", "3", *hurried)["pips"] == [None] * 3
    assert say("throw", "-n", "3", *hurried)[1].startswith("? ? ?\n3 of 3 throws did not settle within 0.01 s\n")
    counted = ask("throw", "-n", "60", *hurried, "--until", "rest")
    assert counted["unsettled"] == 60
    assert counted["chi_square"] is None
    status, out, err = say("throw", "-n", "60", *hurried, "--until", "rest")
    assert (status, err) == (0, "")
    assert "no throw settled: there is nothing to judge\n60 of 60 throws did not settle within 0.01 s\n" in out


NUMBERS: dict[str, float] = {
    "edge": 0.016,
    "restitution": 0.5,
    "friction": 0.1,
    "gravity": 1.62,
    "time_step": 0.00025,
    "micro_bounce_speed": 0.05,
    "spin_damping": 0.5,
    "time_limit": 60,
    "turn": 0.09,
    "height": 0.3,
    "speed": 0.7,
    "spin": 40,
}


def test_every_number_can_be_given(ask: Ask) -> None:
    options = [part for name, value in NUMBERS.items() for part in (f"--{name.replace('_', '-')}", str(value))]
    given = ask("throw", "-n", "9", "--seed", "1", *options)
    setup = Setup(
        Die(0.016),
        Table(0.5, 0.1),
        Solver(time_step=0.00025, micro_bounce_speed=0.05, spin_damping=0.5, time_limit=60.0, turn=0.09),
        gravity=1.62,
    )
    release = Shaken(height=0.3, speed=0.7, spin=40.0)
    assert given["setup"] == asdict(setup)
    assert given["release"] == {"class": "dicesim.releases.Shaken", **asdict(release)}
    assert given["pips"] == pips(dicesim.throw(9, release, setup, rng=1).face).tolist()


def test_no_number_of_a_throw_is_without_an_option() -> None:
    parts = (Setup(), Setup().die, Setup().table, Setup().solver, Shaken())
    names = [name for part in parts for name, value in asdict(part).items() if isinstance(value, float)]
    usage = program("throw", "--help").stdout
    assert len(names) >= 12
    assert [name for name in names if f"--{name.replace('_', '-')} " not in usage] == []
    assert "Ratio of the normal speeds after and before an impact" in usage


# Pictures


def test_pictures_show_the_throw_that_was_thrown(say: Say, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = []

    def remembering(trajectory: Any, **options: Any) -> Any:
        shown.append(trajectory)
        return picture(trajectory, **options)

    picture = plots.throw_picture
    monkeypatch.setattr(plots, "throw_picture", remembering)
    png, gif = tmp_path / "throw.png", tmp_path / "throw.gif"
    numbers = ("--edge", "0.016", "--restitution", "0.5")
    status, out, err = say("throw", "--seed", "3", "--until", "rest", "--png", str(png), "--gif", str(gif), *numbers)
    assert (status, err) == (0, f"dicesim: wrote {png}\ndicesim: wrote {gif}\n")
    thrown = dicesim.throw(1, setup=Setup(Die(0.016), Table(0.5)), rng=3, until="rest")
    np.testing.assert_array_equal(shown[0].states.axes[-1], thrown.states.axes[0])
    assert shown[0].contacts == int(out.split("\n")[1].split()[1])
    with Image.open(png) as image, Image.open(gif) as film:
        assert (image.format, film.format) == ("PNG", "GIF")
        assert film.n_frames > 40
    assert sorted(file.name for file in tmp_path.iterdir()) == ["throw.gif", "throw.png"]


@pytest.mark.parametrize("n", [20, 60])
def test_the_picture_of_many_throws_is_of_their_counts(
    say: Say, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n: int
) -> None:
    drawn = []
    monkeypatch.setattr(plots, "face_counts", lambda counts: drawn.append(list(counts)) or None)
    monkeypatch.setattr(plots, "save", lambda picture, target: None)
    status, _, err = say("throw", "-n", str(n), "--seed", "1", "--png", str(tmp_path / "a.png"))
    assert (status, err) == (0, f"dicesim: wrote {tmp_path / 'a.png'}\n")
    assert drawn == [dicesim.throw(n, rng=1).counts().tolist()]


def test_a_picture_of_few_counts_is_drawn_without_a_warning(say: Say, tmp_path: Path) -> None:
    assert say("throw", "-n", "7", "--png", str(tmp_path / "a.png"))[0] == 0
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


def test_a_picture_that_cannot_be_written(say: Say, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(picture: Any, target: Path) -> None:
        raise OSError(28, "No space left on device", str(target))

    monkeypatch.setattr(plots, "save", full)
    status, out, err = say("throw", "--seed", "1", "--png", str(tmp_path / "a.png"))
    assert status == 1
    assert out.endswith("seed 1\n")  # the throw itself is not lost
    assert err == f"dicesim: {tmp_path / 'a.png'}: No space left on device; no file is half written\n"


# Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("options", "bar"), [((), True), (("--plain",), False)])
def test_the_bar_is_drawn_at_a_terminal_alone(
    say: Say, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], bar: bool
) -> None:
    status, out, err = say("throw", "-n", "100", "--seed", "1")
    assert (status, err) == (0, "")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert say("throw", "-n", "100", "--seed", "1", *options)[:2] == (0, out)
    assert ("throws/s" in terminal.getvalue()) == bar
