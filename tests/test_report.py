"""What people read of results."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from experiments.answers import answers_list
from experiments.experiment import (
    Experiment,
    run,
    save,
)
from experiments.registry import EXPERIMENTS
from experiments.report import describe, draw, reproduction_table, with_table
from tests.toys import BOTH, COINS, EVEN, bars, claiming

ROOT = Path(__file__).parents[1]


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A folder that holds the result of COINS."""
    save(run(COINS), tmp_path)
    return tmp_path


def test_the_main_numbers() -> None:
    rows: dict[str, Any] = {
        "n": 2_000_000,
        "share": 1 / 6,
        "fair": True,
        "none": None,
        "counts": [1, 2],
        "long": [0] * 99,
        "deep": {},
    }
    assert describe(rows).splitlines() == [
        "  n:       2,000,000",
        "  share:   0.166667",
        "  fair:    yes",
        "  none:    -",
        "  counts:  1, 2",
    ]
    table = describe([{"eps": 10.0**-k, "flips": k} for k in range(14)]).splitlines()
    assert table[:3] == ["  eps     flips", "  1       0", "  0.1     1"]
    assert table[-1] == "… 2 more rows"
    assert describe({}) == describe([]) == ""


def test_the_reproduction_table(kept: Path) -> None:
    table = reproduction_table(BOTH, kept).splitlines()
    heads = run(COINS).rows["heads"]
    assert table == [
        "| experiment | claim | source | source value | ours | verdict |",
        "| --- | --- | --- | --- | --- | --- |",
        f"| coins | {EVEN.text} | a toy | 50 % | {heads / 10:.1f} % | reproduced |",
    ]


def test_the_table_says_what_cannot_be_said(kept: Path) -> None:
    def verdict(experiment: Experiment[Any], folder: Path = kept) -> str:
        return reproduction_table([experiment], folder).splitlines()[2].split(" | ")[-1]

    assert verdict(COINS, kept / "empty") == "not run yet |"
    assert verdict(replace(COINS, seed=8)) == "stale: run it again |"
    assert verdict(claiming(replace(EVEN, holds=lambda rows: False))) == "the claim fails |"
    other = claiming(replace(EVEN, verdict="not comparable", why="a | toy"))
    save(run(other), kept)
    assert verdict(other) == r"not comparable: a \| toy |"
    (kept / "coins.json").write_text("{")
    assert verdict(COINS) == "unreadable: run it again |"


def test_a_figure_has_the_same_bytes_each_time() -> None:
    drawn = replace(COINS, figure=bars)
    rows = run(drawn).rows
    image = draw(drawn, rows)
    assert image
    assert image.startswith(b"\x89PNG")
    assert draw(drawn, rows) == image
    assert draw(COINS, rows) is None


def test_drawing_leaves_pyplot_and_settings_alone() -> None:
    program = (
        "import sys, matplotlib as m; m.rcParams['font.size'] = 20\n"
        "from dataclasses import replace\n"
        "from experiments.report import draw\n"
        "from tests.toys import COINS, bars\n"
        "draw(replace(COINS, figure=bars), {'heads': 1, 'throws': 3})\n"
        "print('matplotlib.pyplot' in sys.modules, m.rcParams['font.size'])"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "20.0"]


def test_the_table_goes_between_the_marks_of_a_page() -> None:
    page = "before\n<!-- report -->\nold\n<!-- end of report -->\nafter\n"
    assert with_table(page, "new") == "before\n<!-- report -->\nnew\n<!-- end of report -->\nafter\n"


@pytest.mark.parametrize("page", ["", "<!-- report -->", "<!-- end of report --><!-- report -->"])
def test_a_page_without_marks_is_refused(page: str) -> None:
    with pytest.raises(ValueError, match=r"^the page must have the marks"):
        with_table(page, "new")


def test_the_readme_quotes_the_kept_results() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert with_table(readme, reproduction_table(EXPERIMENTS)) == readme
    assert with_table(readme, answers_list(), "answers") == readme
