"""The benchmark: drops, bars and tables, without the peers; and what is kept, held to its claims."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import ours
from benchmarks.__main__ import MARK, main
from benchmarks.drops import bounce, drop
from benchmarks.peers import PEERS, RESULTS, better_peer
from benchmarks.processes import BARS, Bar, cost
from benchmarks.report import as_markdown, as_text, process_table, race_table
from dicesim import Setup
from experiments.check import check
from experiments.experiment import Claim, Result, load
from experiments.report import draw, with_table

ROOT = Path(__file__).parents[1]

# Drops


def hops(restitution: float, sinks: float = 0.0) -> Any:
    """Heights of a drop from 1 m and what follows, every hundredth of its fall."""
    fall = 1 - np.linspace(0, 1, 101) ** 2
    rise = np.linspace(-1, 1, 201) * restitution
    return np.concatenate([fall, [-sinks], restitution**2 - rise**2])


@pytest.mark.parametrize("restitution", [0.0, 0.1, 0.36, 1.0])
def test_restitution_is_read_from_the_rebound(restitution: float) -> None:
    assert bounce(hops(restitution, sinks=0.01)) == pytest.approx((restitution, 0.01))


def test_a_die_that_never_comes_up_again_has_no_restitution() -> None:
    assert bounce(np.array([1.0, 0.5, 0.0, -0.2, -0.2, -0.1])) == (0.0, 0.2)
    assert bounce(np.array([1.0, 0.5, 0.0, 0.0])) == (0.0, 0.0)


def test_our_drops_rebound_as_they_are_told() -> None:
    found = drop(ours.heights, Setup(), ours.STEP)
    assert found["corner"] == pytest.approx((0.36, 0.36, 0.36), abs=1e-3)
    assert found["flat"] == pytest.approx((0.36, 0.36, 0.36), abs=1e-3)
    assert found["sinks"] < 0.02


# Whole processes


def test_a_bar_is_judged_by_the_best_run() -> None:
    most, least = Bar("s", 10), Bar("times", 1.9, least=True)
    assert [most.kept([12, 9]), most.kept([12, 11])] == [True, False]
    assert [least.kept([1.2, 1.95]), least.kept([1.2, 1.8])] == [True, False]
    assert Bar("s", None).kept([1e9])
    assert [str(most), str(least), str(Bar("s", None))] == ["at most 10 s", "at least 1.9 times", "none"]


def test_the_cost_of_a_process_is_its_own() -> None:
    idle, busy = cost("-c", "pass"), cost("-c", "full = b'x' * 200_000_000")
    assert busy["peak"] > 200 > 100 > idle["peak"] > 1
    assert idle["wall"] > 0 < idle["cpu"]


def test_a_process_that_fails_is_told_in_its_own_words() -> None:
    with pytest.raises(ChildProcessError, match=r"failed: ValueError: no such die$"):
        cost("-c", "raise ValueError('no such die')")


# What is read


def result(**changes: Any) -> Result:
    """A result of two contenders and no surprises."""
    base = {"engine": "dicesim", "form": ours.CERTAIN, "step": 1 / 2000, "throws": 300_000, "counts": [1] * 6}
    first = base | {"settled": 1.0, "p_value": 0.5, "per_second": [123456.0, 110000.0, 130000.0], "ratio": [1, 1, 1]}
    peer = {"engine": "Toy", "form": "slowly", "throws": 500, "settled": 0.984, "per_second": [617.0, 600.0, 625.0]}
    drops = {"engine": "Toy", "step": 1 / 2000, "corner": [0.36, 0.25, 0.48], "flat": [0.2, 0.2, 0.2], "sinks": 1.84}
    true = {"engine": "dicesim", "step": 1 / 2000, "corner": [0.36] * 3, "flat": [0.36] * 3, "sinks": 0.0}
    rows = {
        "race": [first, first | peer | {"ratio": [200.0, 190.0, 210.0]} | changes],
        "drops": [drops, true],
        "load": 0.25,
        "processes": {name: [5.0, 4.0, 6.0] for name in BARS},
        "engines": [{"name": "Toy", "version": "1.2", "how": "rubber on glass"}],
    }
    made = {"cpu": "a processor", "workers": 2, "numba": "0", "numpy": "1", "python": "3"}
    parameters = {"passes": 3, "throws": 1000}
    return Result({"name": "peers", "parameters": parameters}, rows, {}, made, {"date": "2026-01-02T03", "seconds": 1})


def test_the_race_as_a_table() -> None:
    table = race_table(result().rows)
    assert [len(line) for line in table] == [11] * 3
    speed, worth = "617 (600–625)", "200 (190–210)"
    figures = ["98.4 %", "0.5", "0.36 (0.25–0.48)", "0.20", "1.8 mm"]
    assert table[2] == ["Toy", "slowly", "1/2000 s", "500", speed, worth, *figures]
    assert table[1][3:6] == ["300,000", "123,000 (110,000–130,000)", "1"]


def test_whole_processes_as_a_table() -> None:
    table = {line[0]: line[1:] for line in process_table(result().rows)}
    assert table["a large run, drawn, thrown, counted and written, wall"] == [
        "4 s",
        "5",
        "4 to 6",
        "at most 15 s",
        "yes",
    ]
    assert table["the same, CPU of all threads"][-2:] == ["none", "-"]
    assert table["a process that does no more than import dicesim"][-1] == "no"
    assert table["two workers against one, throws per wall second"][0] == "6 times"


def test_the_text_says_where_and_how() -> None:
    for text in (as_text(result()), as_markdown(result())):
        assert (
            "Measured on 2026-01-02, a processor, 2 processors, load 0.2 before; Toy 1.2, numba 0, numpy 1, python 3."
            in text
        )
        assert "Median and range of 3 passes" in text
        assert "Toy: rubber on glass." in text


def test_the_better_peer_is_the_fastest_row_at_our_step() -> None:
    rows = result().rows
    quicker = rows["race"][1] | {"form": "quickly", "per_second": [900.0] * 3}
    coarse = rows["race"][1] | {"form": "coarsely", "per_second": [9000.0] * 3, "step": 1 / 240}
    assert better_peer({"race": [*rows["race"], quicker, coarse]})["form"] == "quickly"


@pytest.mark.parametrize(("ratio", "holds"), [(100.0, True), (99.9, False)])
def test_the_bar_against_the_peers(ratio: float, holds: bool) -> None:
    claim = PEERS.claims[0]
    assert claim.holds(result(ratio=[ratio, 1, 1000]).rows) is holds
    assert "Toy, slowly" in (claim.ours or str)(result().rows)


def test_the_figure_has_a_bar_a_row() -> None:
    from matplotlib.figure import Figure

    ax = Figure().add_subplot()
    assert PEERS.figure
    PEERS.figure(result().rows, ax)
    assert [label.get_text() for label in ax.get_yticklabels()] == [
        "dicesim, to a certain face, 1/2000 s",
        "Toy, slowly, 1/2000 s",
    ]
    assert ax.get_xscale() == "log"


# The command line


@pytest.fixture
def shown(tmp_path: Path) -> Callable[..., tuple[int, Path]]:
    """Run the command line on a benchmark that takes no time."""
    benchmark = replace(PEERS, measure=lambda p, rng: result().rows)

    def run_it(*arguments: str) -> tuple[int, Path]:
        return main(["--results", str(tmp_path), *arguments], benchmark), tmp_path

    return run_it


def test_a_run_is_kept_with_its_figure_and_shown_again(
    shown: Callable[..., tuple[int, Path]], capsys: pytest.CaptureFixture[str]
) -> None:
    status, folder = shown("--smoke")
    first = capsys.readouterr().out
    assert (status, sorted(path.name for path in folder.iterdir())) == (0, ["peers.json", "peers.png"])
    assert "holds  A throw to a certain face" in first
    assert "FAILS  a process that does no more than import dicesim" in first
    assert shown("--kept")[0] == 0
    assert capsys.readouterr().out == first


def test_tables_go_into_a_page(shown: Callable[..., tuple[int, Path]], tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- benchmarks -->\nold\n<!-- end of benchmarks -->\nb\n")
    assert shown("--into", str(page))[0] == 0
    text = page.read_text(encoding="utf-8")
    assert "old" not in text
    assert "| Toy | slowly |" in text
    assert text.endswith("<!-- end of benchmarks -->\nb\n")


@pytest.mark.parametrize(
    ("arguments", "status", "complaint"),
    [
        (["--kept"], 1, r"benchmarks: .*peers\.json: no result yet; make bench"),
        (["--smoke", "--into", "nowhere.md"], 1, r"benchmarks: .*nowhere\.md.*"),
        (["--smoke", "--kept"], 2, r"benchmarks: argument --kept: not allowed with argument --smoke"),
        (["--fast"], 2, r"benchmarks: unrecognized arguments: --fast"),
    ],
)
def test_bad_input_gets_one_line(
    shown: Callable[..., tuple[int, Path]],
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    status: int,
    complaint: str,
) -> None:
    try:
        found = shown(*arguments)[0]
    except SystemExit as exit:
        found = int(exit.code or 0)
    said = capsys.readouterr().err
    assert found == status
    assert re.fullmatch(complaint, said.strip())


# What is kept


@pytest.fixture(scope="module")
def kept() -> Result:
    return load("peers", RESULTS)


@pytest.mark.parametrize("claim", PEERS.claims, ids=lambda claim: claim.text)
def test_the_kept_result_keeps_its_bars(kept: Result, claim: Claim) -> None:
    check(PEERS, kept)  # it is not stale
    assert claim.holds(kept.rows), (claim.ours or str)(kept.rows)


def test_the_kept_result_names_the_code_that_made_it(kept: Result) -> None:
    assert kept.provenance["code"]["changed"] is False


def test_the_kept_result_has_every_engine_at_two_steps(kept: Result) -> None:
    steps = {(row["engine"], row["step"]) for row in kept.rows["race"]}
    assert steps == {
        ("dicesim", 1 / 2000),
        ("MuJoCo", 1 / 2000),
        ("MuJoCo", 1 / 500),
        ("PyBullet", 1 / 2000),
        ("PyBullet", 1 / 240),
    }
    assert all(len(row["seconds"]) >= 5 for row in kept.rows["race"])


def test_the_readme_quotes_the_kept_benchmark(kept: Result) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert with_table(readme, as_markdown(kept), MARK) == readme


def test_the_kept_figure_is_of_the_kept_rows(kept: Result) -> None:
    assert draw(PEERS, kept.rows)
    assert (RESULTS / "peers.png").read_bytes().startswith(b"\x89PNG")
