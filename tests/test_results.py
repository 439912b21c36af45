"""Result files: whole, strict, and traceable to the code and the machine that made them."""

import json
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dicesim._json import from_json, to_json
from experiments.experiment import (
    Experiment,
    load,
    run,
    save,
)
from experiments.provenance import commit, provenance
from experiments.registry import EXPERIMENTS
from tests.toys import COINS

ROOT = Path(__file__).parents[1]


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A folder that holds the result of COINS."""
    save(run(COINS), tmp_path)
    return tmp_path


def test_a_kept_result_comes_back(tmp_path: Path) -> None:
    result = run(COINS)
    assert save(result, tmp_path / "new" / "folder") == tmp_path / "new" / "folder" / "coins.json"
    assert load("coins", tmp_path / "new" / "folder") == result


def test_two_runs_differ_in_nothing_but_when(tmp_path: Path) -> None:
    texts = [save(run(COINS), tmp_path).read_text(encoding="utf-8") for _ in range(2)]
    first, second = map(from_json, texts)
    assert first.pop("when").keys() == second.pop("when").keys() == {"date", "seconds"}
    assert first == second
    assert list(json.loads(texts[0])) == sorted(json.loads(texts[0]))


def test_a_failed_write_leaves_the_old_file(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = (kept / "coins.json").read_bytes()

    def fail(*arguments: Any) -> None:
        raise KeyboardInterrupt

    for step in ("os.fsync", "pathlib.Path.replace"):
        with monkeypatch.context() as patched:
            patched.setattr(step, fail)
            with pytest.raises(KeyboardInterrupt):
                save(run(COINS, seed=8), kept)
        assert [path.name for path in kept.iterdir()] == ["coins.json"]
        assert (kept / "coins.json").read_bytes() == old
    with pytest.raises(ValueError, match="not JSON compliant"):
        save(replace(run(COINS), rows={"value": float("nan")}), kept)
    assert (kept / "coins.json").read_bytes() == old


def test_a_missing_result_says_how_to_make_it(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="coins: no result yet: python -m experiments run coins"):
        load("coins", tmp_path)


DAMAGED = [
    "",
    "{",
    "[]",
    "null",
    "{}",
    '{"format": 0}',
    '{"format": 1}',
    "[" * 100_000,
    '{"format": NaN}',
    "\x00",
]


@pytest.mark.parametrize("text", DAMAGED)
def test_a_damaged_result_is_refused(kept: Path, text: str) -> None:
    (kept / "coins.json").write_text(text)
    with pytest.raises(ValueError, match="is not a whole result file"):
        load("coins", kept)


@pytest.mark.parametrize("change", [{"format": 2}, {"declaration": []}, {"declaration": {"name": "x"}}, {"more": 1}])
def test_a_strange_result_is_refused(kept: Path, change: dict[str, Any]) -> None:
    content = from_json((kept / "coins.json").read_text(encoding="utf-8"))
    (kept / "coins.json").write_text(to_json(content | change), encoding="utf-8")
    with pytest.raises(ValueError, match="run coins again"):
        load("coins", kept)


def test_a_truncated_result_is_refused(kept: Path) -> None:
    whole = (kept / "coins.json").read_bytes()
    for length in range(0, len(whole) - 2, 97):
        (kept / "coins.json").write_bytes(whole[:length])
        with pytest.raises(ValueError, match="run coins again"):
            load("coins", kept)


def test_the_provenance_says_what_made_it() -> None:
    block = provenance()
    assert {"python", "numpy", "numba", "scipy", "fairdice", "cpu", "workers", "code"} <= set(block)
    assert block["numpy"] == np.__version__
    assert block["workers"] >= 1
    assert from_json(to_json(block)) == block


def test_the_commit_and_whether_files_changed(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        who = ["-c", "user.name=n", "-c", "user.email=e@x", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", "-C", tmp_path, *who, *arguments], check=True, capture_output=True)

    assert commit(tmp_path) is None
    git("init")
    assert commit(tmp_path) is None
    (tmp_path / "code.py").write_text("x = 1\n")
    git("add", ".")
    git("commit", "-m", "first")
    first = commit(tmp_path)
    assert first
    assert (len(first["commit"]), first["changed"]) == (40, False)
    results = tmp_path / "experiments" / "results"
    results.mkdir(parents=True)
    assert commit(results) is None  # a folder inside somebody else's checkout
    (results / "coins.json").write_text("{}")
    assert commit(tmp_path) == first  # a result does not change the code that made it
    (tmp_path / "code.py").write_text("x = 2\n")
    assert commit(tmp_path) == first | {"changed": True}


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda experiment: experiment.name)
def test_a_kept_result_names_the_code_that_made_it(experiment: Experiment[Any]) -> None:
    result = load(experiment.name)
    assert result.provenance["code"]["changed"] is False
    assert result.golden or experiment.name == "mesh"  # which throws nothing
