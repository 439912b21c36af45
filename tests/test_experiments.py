"""Experiments: how they are declared, run and judged; and the study's own, held to their results."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from experiments.experiment import RESULTS, ask, run
from experiments.registry import EXPERIMENTS, MODULES, gather
from tests.toys import BOTH, COINS, EVEN, NEVER, SIDES, Shape, claiming, measuring

ROOT = Path(__file__).parents[1]


# Declarations


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"name": "../coins"}, "lower-case word"),
        ({"name": "Coins"}, "lower-case word"),
        ({"smoke": Shape(6)}, "two instances of one frozen dataclass"),
        ({"full": 5, "smoke": 6}, "two instances of one frozen dataclass"),
        ({"seed": -1}, "a seed is a whole number from 0 up, not -1"),
    ],
)
def test_a_bad_declaration_is_refused(change: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        replace(COINS, **change)


def test_a_published_figure_needs_a_verdict() -> None:
    with pytest.raises(ValueError, match="come together"):
        replace(EVEN, verdict=None)
    with pytest.raises(ValueError, match="say why"):
        replace(EVEN, verdict="not comparable")


def test_names_are_unique(monkeypatch: pytest.MonkeyPatch) -> None:
    module = type(sys)("experiments.toys")
    monkeypatch.setattr("experiments.registry.import_module", lambda name: module)
    module.EXPERIMENTS = BOTH  # type: ignore[attr-defined]
    assert gather(("toys",)) == BOTH
    with pytest.raises(ValueError, match="used twice: coins, sides"):
        gather(("toys", "toys"))


# Running


def test_a_run_is_repeatable() -> None:
    first, second = run(COINS), run(COINS)
    assert (first.rows, first.golden, first.declaration) == (second.rows, second.golden, second.declaration)
    assert first.provenance == second.provenance
    assert run(COINS, seed=8).rows != first.rows


def test_rows_are_what_the_file_will_hold() -> None:
    rows = {"n": np.int64(3), "share": np.float64(0.5), "counts": np.arange(3), "pair": (1, 2)}
    result = run(measuring(lambda p, rng: rows))
    assert result.rows == {"n": 3, "share": 0.5, "counts": [0, 1, 2], "pair": [1, 2]}
    assert type(result.rows["n"]) is int


@pytest.mark.parametrize("rows", [None, 3, [1, 2], "rows", ({},)])
def test_rows_are_a_dict_or_a_list_of_dicts(rows: Any) -> None:
    with pytest.raises(ValueError, match="rows are a dict or a list of dicts, not"):
        run(measuring(lambda p, rng: rows))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), np.array([np.nan]), object(), {1, 2}])
def test_rows_that_json_cannot_say_are_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="coins: its rows are not plain JSON values"):
        run(measuring(lambda p, rng: {"value": value}))


def test_sizes_and_overrides() -> None:
    assert run(COINS, "smoke").rows["throws"] == 50
    assert run(COINS, overrides={"throws": 10}).declaration["parameters"] == {"bias": 0.5, "throws": 10}
    with pytest.raises(ValueError, match="sides has no parameter 'throws'; it has: sides"):
        run(SIDES, overrides={"throws": 10})


# Judging


def test_claims_are_asked_of_the_rows() -> None:
    result = run(COINS)
    assert ask(COINS, result.rows) == ((EVEN, True),)
    assert [holds for _, holds in ask(claiming(EVEN, NEVER), result.rows)] == [True, False]


# The study's own experiments


def test_every_declaring_module_is_registered() -> None:
    declaring = {
        path.stem for path in (ROOT / "experiments").glob("*.py") if "\nEXPERIMENTS" in path.read_text("utf-8")
    }
    assert declaring - {"registry"} <= set(MODULES)


def test_every_result_has_its_experiment() -> None:
    assert {path.stem for path in RESULTS.glob("*.json")} <= {experiment.name for experiment in EXPERIMENTS}
