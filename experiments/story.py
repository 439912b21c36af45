"""What a notebook tells of an experiment: its claims with their verdicts, its numbers, its figure, and a run of today.

A notebook reads what was kept and measures nothing itself::

    from experiments.story import story

    fairness = story("fairness")
    fairness                             # question, claims, verdicts
    fairness.rows["counts"]              # the numbers that were kept
    fairness.figure()                    # drawn from them
    fairness.rerun()                     # the smoke size, run again and compared
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from dicesim._drawing import own_axes, root_figure
from experiments.check import check, replay
from experiments.experiment import RESULTS, Experiment, Result, Rows, load
from experiments.report import claims_table, markdown


class Prose(str):
    """Markdown that a notebook shows as text."""

    __slots__ = ()

    def _repr_markdown_(self) -> str:
        return str(self)


@dataclass(frozen=True, repr=False)
class Story:
    """An experiment and its kept result, as a notebook shows them.

    Parameters
    ----------
    experiment : Experiment
        The experiment.
    result : Result
        Its kept result, which belongs to the declaration.

    Raises
    ------
    Stale
        If it does not.
    """

    experiment: Experiment[Any]
    result: Result

    def __post_init__(self) -> None:
        check(self.experiment, self.result)

    @property
    def rows(self) -> Rows:
        """What was measured, as it was kept."""
        return self.result.rows

    @property
    def parameters(self) -> Any:
        """The parameters of the full size."""
        return self.experiment.full

    @property
    def seed(self) -> int:
        """The seed of the measurement."""
        return self.experiment.seed

    def figure(self) -> Figure:
        """Draw the kept rows.

        Returns
        -------
        matplotlib Figure
            One that a notebook shows.

        Raises
        ------
        ValueError
            If the experiment has no figure.
        """
        if self.experiment.figure is None:
            raise ValueError(f"{self.experiment.name} has no figure; its numbers are in rows")
        ax = own_axes(None, *self.experiment.figure_size)
        return root_figure(self.experiment.figure(self.rows, ax))

    def rerun(self) -> Prose:
        """Run the smoke size again, and hold the kept result against it.

        Returns
        -------
        Prose
            What was found.

        Raises
        ------
        Stale
            If the outcomes are not the same.
        """
        found = replay(self.experiment, self.result)
        return Prose(f"`{self.experiment.name}`, run again at its smoke size: **{found}**.")

    def __repr__(self) -> str:
        judged = check(self.experiment, self.result)
        return f"<Story of {self.experiment.name}: {sum(holds for _, holds in judged)} of {len(judged)} claims hold>"

    def _repr_markdown_(self) -> str:
        table = markdown(claims_table(check(self.experiment, self.result), self.rows))
        return f"**{self.experiment.question}** (experiment `{self.experiment.name}`)\n\n{table}"


def story(name: str, folder: Path = RESULTS) -> Story:
    """Read the kept result of an experiment of the study.

    Parameters
    ----------
    name : str
        Name of the experiment.
    folder : Path
        Where results are kept.

    Returns
    -------
    Story
        The experiment and its result.

    Raises
    ------
    FileNotFoundError
        If it has not been run.
    ValueError
        If there is no such experiment, or its result is stale or damaged.
    """
    from experiments.registry import EXPERIMENTS

    known = {experiment.name: experiment for experiment in EXPERIMENTS}
    if name not in known:
        raise ValueError(f"no experiment is called {name!r}; there are: {', '.join(known)}")
    return Story(known[name], load(name, folder))
