"""The notebooks: stories told from kept results, and machinery that builds them the same way each time."""

import ast
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest

from experiments import notebooks
from experiments.fairness import FAIRNESS
from experiments.notebooks import FOLDER, METADATA, execute, main, read, sources

ROOT = Path(__file__).parents[1]
NAMES = list(sources())

# What a notebook reads and draws. What it would define, or choose, belongs to an experiment.
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def broken_rules(text: str) -> list[str]:
    """Definitions in a source, and numbers that are more than an index or a number of digits."""
    nodes = list(ast.walk(ast.parse(text)))
    defined = [f"line {node.lineno}: a definition" for node in nodes if isinstance(node, DEFINITIONS)]
    numbers = [node for node in nodes if isinstance(node, ast.Constant) and type(node.value) in (int, float, complex)]
    return defined + [
        f"line {node.lineno}: {node.value}" for node in numbers if not (type(node.value) is int and node.value < 10)
    ]


@pytest.mark.parametrize(
    "text", ["def f():\n  pass", "f = lambda x: x", "class A:\n  pass", "x = 0.36", "x = 2000", "x = 1e3", "f(n=-50)"]
)
def test_a_rule_that_is_broken_is_seen(text: str) -> None:
    assert len(broken_rules(text)) == 1
    assert broken_rules("rows['counts'][0].round(3)  # 2000") == []


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_defines_nothing_and_chooses_no_numbers(name: str) -> None:
    assert broken_rules(sources()[name].read_text(encoding="utf-8")) == []


def shown(notebook: Any) -> list[tuple[str, str, list[Any]]]:
    """What a reader sees of each cell, pictures and the layout of tables apart."""
    return [(cell.id, cell.source, [words(output) for output in cell.get("outputs", [])]) for cell in notebook.cells]


def words(output: Any) -> Any:
    return output.get("text") or {kind: output.data.get(kind) for kind in ("text/plain", "text/markdown")}


@pytest.mark.parametrize("name", NAMES)
def test_a_kept_notebook_is_what_its_source_shows_today(name: str) -> None:
    path = FOLDER / f"{name}.ipynb"
    kept = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    nbformat.validate(kept)
    assert shown(kept) == shown(execute(sources()[name])), "stale: make notebooks once more"
    assert kept.metadata == METADATA
    assert path.stat().st_size < 2**20


def test_every_kept_notebook_has_a_source() -> None:
    assert {path.stem for path in FOLDER.glob("*.ipynb")} == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_pictures_that_a_notebook_links_to_are_there(name: str) -> None:
    for alt, link in re.findall(r"!\[(.*?)\]\((.*?)\)", sources()[name].read_text(encoding="utf-8")):
        assert (FOLDER / link).is_file()
        assert alt


def test_the_throw_that_is_told_is_the_one_that_is_filmed() -> None:
    portrait = re.search(r"^PORTRAIT := (\d+)$", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.M)
    assert portrait
    assert int(portrait[1]) == FAIRNESS.seed


# Building


def test_cells_are_numbered_and_nothing_else_is_kept_about_them(tmp_path: Path) -> None:
    source = tmp_path / "toy.py"
    source.write_text('# %% [markdown]\n# Text.\n\n# %% tags=["a"]\n1 + 1\n', encoding="utf-8")
    notebook = read(source)
    assert [(cell.id, cell.cell_type, cell.source, cell.metadata) for cell in notebook.cells] == [
        ("cell-01", "markdown", "Text.", {}),
        ("cell-02", "code", "1 + 1", {}),
    ]
    assert notebook.metadata == METADATA


@pytest.mark.parametrize(
    ("cell", "complaint"),
    [
        ("1 / 0", "notebooks: toy.py: a cell fails: ZeroDivisionError: division by zero\n"),
        ("import sys; print('so\\nlong', file=sys.stderr)", "notebooks: toy.py: cell-01 writes to stderr: so long\n"),
    ],
)
def test_a_cell_that_fails_or_complains_leaves_the_old_notebook(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], cell: str, complaint: str
) -> None:
    (tmp_path / "toy.py").write_text(f"# %%\n{cell}\n", encoding="utf-8")
    (tmp_path / "toy.ipynb").write_text("old", encoding="utf-8")
    assert main([], tmp_path) == 1
    assert capsys.readouterr().err == complaint
    assert (tmp_path / "toy.ipynb").read_text(encoding="utf-8") == "old"


def test_what_is_built_has_the_same_bytes_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "toy.py").write_text("# %%\nx = 1\n", encoding="utf-8")
    monkeypatch.setattr(notebooks, "execute", read)
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        assert main(["toy", "--into", str(tmp_path / folder)], tmp_path) == 0
    first, second = ((tmp_path / folder / "toy.ipynb").read_bytes() for folder in ("a", "b"))
    assert first == second
    assert first.endswith(b"}\n")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["dice"], "notebooks: no notebook is called 'dice'; there are: toy\n"),
        (["--into", "/nowhere"], "notebooks: /nowhere: there is no such folder\n"),
    ],
)
def test_bad_input_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], complaint: str
) -> None:
    (tmp_path / "toy.py").write_text("# %%\n1\n", encoding="utf-8")
    assert main(arguments, tmp_path) == 2
    assert capsys.readouterr().err == complaint
