"""Whether a kept result still belongs to the code, and whether its claims hold.

A result belongs to the code if two things agree. Its declaration, word for word and number for number, is the one of
today. And the smoke size, run again, gives the outcomes whose hash was kept: so a changed kernel, release or seed makes
a result stale, a comment or a renamed variable does not. What was computed from the outcomes, and CPU times above all,
is not compared, because it may differ from machine to machine in its last digits or altogether: it counts as it was
kept, with its provenance, and the claims are asked of it. A measurement that has no outcomes, but whose smoke size is
its full size, is made again instead, and its claims are asked of both.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.experiment import RESULTS, Experiment, Judged, Result, Rows, ask, declare, load, run

# What a measurement raises instead of giving a number.
REFUSALS = (ValueError, ArithmeticError, LookupError, MemoryError)


class Stale(ValueError):
    """A kept result is not what the code declares, or would give, today."""


@dataclass(frozen=True)
class Standing:
    """A kept result that belongs to the code.

    Parameters
    ----------
    experiment : Experiment
        Whose result it is.
    judged : tuple of Judged
        Each claim, and whether it holds.
    replayed : str
        What was run again to find out, in a few words.
    """

    experiment: Experiment[Any]
    judged: tuple[Judged, ...]
    replayed: str

    @property
    def failing(self) -> list[str]:
        """The claims that do not hold."""
        return [claim.text for claim, holds in self.judged if not holds]

    def __str__(self) -> str:
        holding = len(self.judged) - len(self.failing)
        return f"{self.experiment.name}: {holding} of {len(self.judged)} claims hold; {self.replayed}"


def examine(experiment: Experiment[Any], folder: Path = RESULTS) -> Standing:
    """Run an experiment's smoke size, hold its kept result against that and the declaration, and ask its claims.

    Parameters
    ----------
    experiment : Experiment
        The experiment.
    folder : Path
        Where its result is kept.

    Returns
    -------
    Standing
        What came out.

    Raises
    ------
    FileNotFoundError
        If there is no result.
    ValueError
        If its file is not a whole result file; as `Stale` if it does not belong to the code.
    """
    result = load(experiment.name, folder)
    judged = check(experiment, result)  # before anything is run
    return Standing(experiment, judged, replay(experiment, result))


def check(experiment: Experiment[Any], result: Result) -> tuple[Judged, ...]:
    """Hold a kept result against the declaration, without running anything, and ask every claim of its rows.

    Parameters
    ----------
    experiment : Experiment
        The experiment.
    result : Result
        Its kept result.

    Returns
    -------
    tuple of Judged
        Each claim, and whether it holds.

    Raises
    ------
    Stale
        If the declaration differs, or the rows lack what a claim asks for.
    """
    declared = declare(experiment)
    if differing := sorted(key for key in declared if declared[key] != result.declaration.get(key)):
        raise _stale(experiment, f"{', '.join(differing)} changed since")
    return _asked(experiment, result.rows)


def replay(experiment: Experiment[Any], result: Result) -> str:
    """Run an experiment's smoke size, and hold its kept result against the outcomes.

    Parameters
    ----------
    experiment : Experiment
        The experiment.
    result : Result
        Its kept result.

    Returns
    -------
    str
        What was found, in a few words.

    Raises
    ------
    Stale
        If the outcomes differ, or the smoke size does not run.
    """
    try:
        today = run(experiment, "smoke")
    except REFUSALS as reason:
        raise _stale(experiment, f"its smoke size does not run: {_what(reason)}") from reason
    if today.golden or result.golden:
        if result.golden != _golden_of(result.rows) | today.golden:
            raise _stale(experiment, "the outcomes changed since")
        return "same outcomes"
    if experiment.full != experiment.smoke:
        return "no outcomes to compare"
    if not all(holds for _, holds in _asked(experiment, today.rows)):
        raise _stale(experiment, "measured today, a claim fails")
    return "measured again"


def _golden_of(rows: Rows) -> dict[str, str]:
    return {"full": rows["outcome_hash"]} if isinstance(rows, dict) and "outcome_hash" in rows else {}


def _asked(experiment: Experiment[Any], rows: Rows) -> tuple[Judged, ...]:
    try:
        return ask(experiment, rows)
    except (LookupError, TypeError) as reason:
        raise _stale(experiment, f"a claim does not find what it asks for: {_what(reason)}") from reason


def _stale(experiment: Experiment[Any], why: str) -> Stale:
    return Stale(f"{experiment.name}: stale: run it again ({why})")


def _what(reason: BaseException) -> str:
    return f"{type(reason).__name__} {reason}"
