"""The command line: results in files, shards that merge, and runs that are gone on with."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import dicesim
from dicesim import Shaken, Tally, count
from dicesim.ensembles import BLOCK
from tests.commands import Ask, Say, in_json, in_process

LOW = ("--height", "0.02", "--speed", "0.1", "--spin", "10")
RUN = ("throw", "-n", "30000", "--seed", "1", *LOW)  # of four blocks
RELEASE = Shaken(height=0.02, speed=0.1, spin=10.0)


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Say:
    monkeypatch.chdir(tmp_path)
    return partial(in_process, capsys)


@pytest.fixture
def ask(say: Say) -> Ask:
    return partial(in_json, say)


# Files


def test_a_result_is_kept_and_printed_as_without(say: Say) -> None:
    plain = say(*RUN)
    assert say(*RUN, "--out", "a.json") == plain
    assert Tally.read("a.json") == count(30_000, RELEASE, rng=1)
    assert say("merge", "a.json") == plain


def test_few_throws_are_counted_too_if_they_are_kept(say: Say) -> None:
    _, out, _ = say("throw", "-n", "5", "--seed", "1", "--out", "a.json")
    assert "5 throws, seed 1" in out
    assert Tally.read("a.json") == count(5, rng=1)


def test_a_file_is_strict_json_with_all_that_decides_it(say: Say) -> None:
    say(*RUN, "--out", "a.json", "--restitution", "0.5", "--until", "rest")
    document = json.loads(Path("a.json").read_text(encoding="utf-8"), parse_constant=lambda constant: 1 / 0)
    declaration = document["declaration"]
    assert declaration["setup"]["table"]["restitution"] == 0.5
    assert declaration["release"]["height"] == 0.02
    assert (declaration["throws"], declaration["seed"], declaration["until"]) == (30_000, 1, "rest")
    assert declaration["dicesim"] == dicesim.__version__
    assert (document["blocks"], document["partial"]) == ([[0, 4]], False)


def test_a_complete_file_is_replaced(say: Say) -> None:
    say(*RUN, "--out", "a.json")
    assert say("throw", "-n", "60", "--seed", "2", "--out", "a.json")[0] == 0
    assert Tally.read("a.json") == count(60, rng=2)


# Shards


@pytest.mark.parametrize("until", ["face", "rest"])
def test_shards_merge_to_the_same_bytes_and_text(say: Say, until: str) -> None:
    run = (*RUN, "--until", until)
    whole = say(*run, "--out", "whole.json")
    for name, blocks in (("c", "3:4"), ("a", "0:1"), ("b", "1:3")):
        assert say(*run, "--blocks", blocks, "--out", f"{name}.json")[0] == 0
    assert say("merge", "b.json", "c.json", "a.json", "--out", "merged.json") == whole
    assert Path("merged.json").read_bytes() == Path("whole.json").read_bytes()
    assert say("merge", "c.json", "merged.json")[0] == 2


def test_a_shard_says_what_it_is(say: Say, ask: Ask) -> None:
    _, out, _ = say(*RUN, "--blocks", "1:3", "--out", "a.json")
    assert out.splitlines()[-2:] == ["partial: 2 of 4 blocks", "16,384 throws, seed 1"]
    document = ask("merge", "a.json")
    assert (document["partial"], document["blocks"], document["counted"]) == (True, "2 of 4 blocks", 2 * BLOCK)
    assert document["throws"] == 30_000


def test_shards_of_shards_merge_in_steps(say: Say) -> None:
    for name in "0123":
        say(*RUN, "--blocks", f"{name}:{int(name) + 1}", "--out", f"{name}.json")
    assert "partial: 2 of 4 blocks" in say("merge", "0.json", "2.json", "--out", "even.json")[1]
    assert "partial: 3 of 4 blocks" in say("merge", "even.json", "1.json", "--out", "even.json")[1]  # into a shard
    assert say("merge", "3.json", "even.json")[1] == say(*RUN)[1]


def test_given_releases_can_be_merged_too(say: Say) -> None:
    states = RELEASE.sample(2 * BLOCK, rng=1)
    for block in range(2):
        count(states, blocks=(block, block + 1)).write(f"{block}.json")
    assert say("merge", "0.json", "1.json")[1].endswith("16,384 throws, of given releases\n")


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--seed", "2"), "a.json ... b.json: these are of different runs: seed is 1 and 2"),
        (("--edge", "0.02"), "a.json ... b.json: these are of different runs: setup die edge is 0.01905 and 0.02"),
        (("-n", "30001"), "a.json ... b.json: these are of different runs: throws is 30000 and 30001"),
        (("--blocks", "0:2"), "a.json ... b.json: blocks 1:2 are in both"),
    ],
)
def test_what_does_not_fit_is_not_merged(say: Say, options: tuple[str, ...], complaint: str) -> None:
    say(*RUN, "--blocks", "1:2", "--out", "a.json")
    say(*RUN, "--blocks", "2:3", "--out", "b.json", *options)
    assert say("merge", "a.json", "b.json", "--out", "c.json") == (2, "", f"dicesim: {complaint}\n")
    assert not Path("c.json").exists()


def test_what_is_no_tally_is_not_merged(say: Say) -> None:
    Path("a.json").write_text("{}")
    status, _, err = say("merge", "a.json")
    assert (status, err.count("\n")) == (2, 1)
    assert err.startswith("dicesim: a.json is no whole tally")


def test_a_merge_does_not_replace_a_part_of_another_run(say: Say) -> None:
    say(*RUN, "--blocks", "0:1", "--out", "a.json")
    say(*RUN, "--blocks", "1:2", "--out", "b.json")
    old = Path("a.json").read_bytes()
    status, out, err = say("merge", "b.json", "--out", "a.json")
    assert (status, out) == (2, "")
    assert err == "dicesim: a.json holds 1 of 4 blocks of a run; resume that, or remove the file\n"
    assert Path("a.json").read_bytes() == old


# Going on


@pytest.fixture
def part(say: Say) -> bytes:
    say(*RUN, "--blocks", "1:3", "--out", "a.json")
    return Path("a.json").read_bytes()


@pytest.mark.parametrize("seed", [("--seed", "1"), ()])
def test_a_partial_file_is_gone_on_with(say: Say, part: bytes, seed: tuple[str, ...]) -> None:
    again = say("throw", "-n", "30000", *LOW, *seed, "--out", "a.json", "--resume")
    assert again == say(*RUN, "--out", "b.json")
    assert Path("a.json").read_bytes() == Path("b.json").read_bytes() != part


@pytest.mark.parametrize("blocks", [(), ("--blocks", "0:3")])
def test_a_complete_file_says_so_and_is_printed(say: Say, blocks: tuple[str, ...]) -> None:
    first = say(*RUN, *blocks, "--out", "a.json")
    before = Path("a.json").stat()
    assert say(*RUN, *blocks, "--out", "a.json", "--resume") == (0, first[1], "dicesim: a.json is complete\n")
    assert Path("a.json").stat() == before


def test_no_file_is_a_new_run(say: Say) -> None:
    assert say(*RUN, "--out", "a.json", "--resume") == say(*RUN)


@pytest.mark.parametrize(
    ("options", "difference"),
    [
        (("--seed", "2"), "seed is 1 and 2"),
        (("-n", "40000"), "throws is 30000 and 40000"),
        (("--until", "rest"), "until is face and rest"),
        (("--friction", "0.1"), "setup table friction is 0.34 and 0.1"),
        (("--spin", "11"), "release spin is 10.0 and 11.0"),
    ],
)
def test_another_run_is_refused_and_the_file_left_alone(
    say: Say, part: bytes, options: tuple[str, ...], difference: str
) -> None:
    status, out, err = say(*RUN, *options, "--out", "a.json", "--resume")
    refusal = f"a.json and what is asked for: these are of different runs: {difference}; name another file"
    assert (status, out, err) == (2, "", f"dicesim: {refusal}\n")
    assert Path("a.json").read_bytes() == part


def test_a_partial_file_is_not_replaced_unasked(say: Say, part: bytes) -> None:
    for options in ((), ("--seed", "2"), ("-n", "60"), ("--blocks", "0:1")):
        status, out, err = say(*RUN, *options, "--out", "a.json")
        assert (status, out) == (2, "")
        assert err == "dicesim: a.json holds 2 of 4 blocks of a run; resume that, or remove the file\n"
        assert Path("a.json").read_bytes() == part


def test_a_damaged_file_is_not_gone_on_with(say: Say) -> None:
    Path("a.json").write_text('{"format": 1')
    status, _, err = say(*RUN, "--out", "a.json", "--resume")
    assert (status, err.count("\n")) == (2, 1)
    assert "a.json is no whole tally" in err


def test_bad_releases_leave_the_old_file_alone(say: Say) -> None:
    say("throw", "-n", "60", "--seed", "1", "--out", "a.json")
    old = Path("a.json").read_bytes()
    assert say("throw", "-n", "60", "--height", "0.001", "--out", "a.json")[0] == 2
    assert Path("a.json").read_bytes() == old


def test_interrupted_in_this_process(say: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = dicesim.count

    def interrupted(*arguments: Any, **options: Any) -> None:
        whole(*arguments, **options | {"blocks": (0, 3)})
        raise KeyboardInterrupt

    monkeypatch.setattr(dicesim, "count", interrupted, raising=False)
    kept = "dicesim: interrupted: 3 of 4 blocks kept in a.json; go on with --resume\n"
    assert say(*RUN, "--out", "a.json") == (130, "", kept)
    assert say(*RUN) == (130, "", "dicesim: interrupted\n")
