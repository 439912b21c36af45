"""What the source left open: every answer stands on results that are there, and says so when they are not."""

from pathlib import Path

import pytest

from experiments.answers import ANSWERS, answer_named, answers_list, said
from experiments.registry import EXPERIMENTS


def test_every_answer_is_read_from_results_that_hold() -> None:
    for answer in ANSWERS:
        words = said(answer)
        assert not words.startswith("No answer yet"), words
        assert "[" in words  # a number has its interval


def test_an_answer_without_its_result_says_what_is_lacking(tmp_path: Path) -> None:
    assert said(ANSWERS[0], tmp_path).startswith("No answer yet: relabelling: no result yet: python -m experiments run")
    assert len(answers_list(tmp_path).splitlines()) == len(ANSWERS)


def test_answers_name_experiments_and_are_found_by_name() -> None:
    names = {experiment.name for experiment in EXPERIMENTS}
    assert all(set(answer.shown_by) <= names for answer in ANSWERS)
    assert len({answer.name for answer in ANSWERS}) == len(ANSWERS)
    with pytest.raises(ValueError, match=r"^no answer is called 'weather'; there are: symmetry, settling"):
        answer_named("weather")
