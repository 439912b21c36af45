"""What a notebook is told of an experiment."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from experiments.check import Stale
from experiments.experiment import run, save
from experiments.story import Prose, Story, story
from tests.toys import COINS, EVEN, NEVER, SIDES, bars, claiming, toss


def test_a_story_shows_the_question_and_the_claims_with_their_verdicts() -> None:
    experiment = claiming(EVEN, NEVER)
    told = Story(experiment, run(experiment))
    heads = told.rows["heads"]
    assert told._repr_markdown_().splitlines() == [
        "**Do coins fall evenly?** (experiment `coins`)",
        "",
        "| claim | source | source value | ours | verdict |",
        "| --- | --- | --- | --- | --- |",
        f"| {EVEN.text} | a toy | 50 % | {heads / 10:.1f} % | reproduced |",
        f"| {NEVER.text} | a toy |  |  | the claim fails |",
    ]
    assert repr(told) == "<Story of coins: 1 of 2 claims hold>"
    assert (told.seed, told.parameters) == (COINS.seed, COINS.full)


def test_a_claim_that_the_source_says_nothing_of_holds() -> None:
    always = replace(NEVER, holds=lambda rows: True)
    assert "| a toy |  |  | holds |" in Story(claiming(always), run(claiming(always)))._repr_markdown_()


def test_a_stale_result_is_not_told() -> None:
    with pytest.raises(Stale, match="seed changed since"):
        Story(replace(COINS, seed=8), run(COINS))


def test_the_figure_is_drawn_from_the_kept_rows() -> None:
    drawn = replace(COINS, figure=bars)
    result = run(drawn)
    figure = Story(drawn, result).figure()
    assert figure.axes[0].patches[0].get_height() == result.rows["heads"]  # type: ignore[attr-defined]
    assert tuple(figure.get_size_inches()) == drawn.figure_size
    with pytest.raises(ValueError, match="coins has no figure; its numbers are in rows"):
        Story(COINS, run(COINS)).figure()


def test_a_run_of_today_is_held_against_the_kept_one() -> None:
    told = Story(COINS, run(COINS)).rerun()
    assert told._repr_markdown_() == "`coins`, run again at its smoke size: **same outcomes**."

    def other(parameters: Any, rng: np.random.Generator) -> Any:
        return toss(parameters, np.random.default_rng(rng.integers(9)))

    with pytest.raises(Stale, match="the outcomes changed since"):
        Story(replace(COINS, measure=other), run(COINS)).rerun()


def test_prose_is_shown_as_text() -> None:
    assert Prose("*so*")._repr_markdown_() == "*so*"


def test_an_experiment_of_the_study_is_found_by_its_name(tmp_path: Path) -> None:
    assert story("mesh").rows["triangles"] == 44
    with pytest.raises(ValueError, match=r"^no experiment is called 'dice'; there are: calibration, "):
        story("dice")
    save(run(SIDES), tmp_path)
    with pytest.raises(FileNotFoundError, match="mesh: no result yet"):
        story("mesh", tmp_path)
