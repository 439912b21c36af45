"""What the source left open, and the answer to each in a sentence whose numbers are read from kept results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import exp
from pathlib import Path
from typing import Any, Final

from dicesim.curves import Estimate
from experiments.check import check
from experiments.experiment import RESULTS, Rows, load

Found = Mapping[str, Rows]


@dataclass(frozen=True)
class Answer:
    """A question, and how its answer is read from results.

    Parameters
    ----------
    name : str
        One word.
    question : str
        What was left open.
    shown_by : tuple of str
        The experiments whose results it is read from.
    words : callable
        The answer, from the rows of these experiments by name.
    """

    name: str
    question: str
    shown_by: tuple[str, ...]
    words: Callable[[Found], str]


def _three(values: Any, scale: float = 1.0) -> str:
    """A number and its interval, kept as a list or by name, the number first."""
    numbers = [values[key] for key in ("value", "low", "high")] if isinstance(values, dict) else values
    return str(Estimate(*(scale * number for number in numbers)))


def _factor(logs: Mapping[str, float]) -> str:
    value, low, high = (exp(logs[key]) for key in ("value", "low", "high"))
    return f"{value:.4g} [{low:.4g}, {high:.4g}]"


def _symmetry(found: Found) -> str:
    exact, inexact = found["relabelling"], found["inexact"]
    double, sign = inexact["curves"]["shipped"][-1], inexact["groups"]["sign"]
    return (
        f"Here the relabelling is exact: {exact['same_bits']:,} of {exact['thrown']:,} throws under all 24 names "
        "agree in every bit. A kernel that is spoilt so that names round differently fails in "
        f"{double['failures']} of {double['throws']:,} throws at double precision [0, {double['high']:.1g}]. To "
        "fail more often a branch must hang on the sign of a rounding error; it then fails at any precision, and "
        f"its failures lie not 1e-13 but typically {sign['median']:.0e} natural units from a basin boundary, a "
        f"tenth of them within {sign['tenth']:.0e}. They first differ in whether the table still carries the die."
    )


def _settling(found: Found) -> str:
    certainty, sweep = found["certainty"]["sweep"], {row["restitution"]: row for row in found["restitution"]["sweep"]}
    unsettled = sum(row["unsettled"] for row in certainty)
    return (
        f"Every throw settles: {unsettled} of {2 * found['certainty']['thrown']:,} did not, over restitutions "
        f"from 0 to 0.95. The scale of the vertical velocity is {_three(sweep[0.75]['scale'])} m/s at 0.75 and "
        f"{_three(sweep[0.95]['scale'])} m/s at 0.95."
    )


def _amplification(found: Found) -> str:
    grown = found["amplification"]
    return (
        f"Within a throw a contact multiplies a tiny separation by {_factor(grown['shipped']['per_contact'])}, "
        f"after a first fall and contact that multiply it by {_factor(grown['shipped']['first'])}. Across "
        f"restitutions the growth over whole throws rises by a factor of {_three(grown['fits']['growth'])} for "
        f"each further contact, as the scale falls by {_three(grown['fits']['scale'])}: that line is steep "
        "because livelier contacts each grow more, and only a part of it is their number. At one restitution the "
        f"growth hardly depends on the number of contacts (a factor of {_three(grown['shipped']['factor'])} for "
        "each), because throws with more of them meet gentler ones."
    )


def _aim(found: Found) -> str:
    aim = found["aim"]
    hand = aim["hands"][0]
    return (
        "A hand that knows everything about its throw gets the face it wants every second time as long as each "
        f"component of its velocity varies by {_three(hand['half_aimed'])} m/s, and its spin by ten times as much "
        f"in rad/s; half of the entropy of a fair die is reached at {_three(hand['half_entropy'])} m/s. A shaken "
        f"throw has at least {_three(aim['min_entropy'])} bits."
    )


def _basins(found: Found) -> str:
    basins = found["basins"]
    coarse, fine = basins["zooms"][0], basins["zooms"][-1]
    return (
        f"Seen within {coarse['half_width']:g} rad/s of spin the boundaries of the basins nearly fill the plane, "
        f"with a box-counting dimension of {_three(coarse['boxes'])}; within {fine['half_width']:g} rad/s they "
        f"are lines, {_three(fine['boxes'])}, and 2 - α from pairs of throws is {_three(fine['pairs'])} there. "
        f"Half way is {_three(basins['change']['boxes'])} rad/s."
    )


ANSWERS: Final = (
    Answer(
        "symmetry",
        "Why do five throws in 12,000 break the symmetry?",
        ("relabelling", "inexact"),
        _symmetry,
    ),
    Answer(
        "settling",
        "What about a restitution of 0.75, which did not settle?",
        ("certainty", "restitution"),
        _settling,
    ),
    Answer(
        "amplification",
        "By how much does a contact amplify a small change?",
        ("amplification",),
        _amplification,
    ),
    Answer(
        "aim",
        "How steady must a hand be to aim a die?",
        ("aim",),
        _aim,
    ),
    Answer(
        "basins",
        "What do the basins look like?",
        ("basins",),
        _basins,
    ),
)


def said(answer: Answer, folder: Path = RESULTS) -> str:
    """Give an answer from kept results.

    Parameters
    ----------
    answer : Answer
        The answer.
    folder : Path
        Where results are kept.

    Returns
    -------
    str
        A few sentences, or what is lacking.
    """
    from experiments.registry import EXPERIMENTS

    known = {experiment.name: experiment for experiment in EXPERIMENTS}
    try:
        results = {name: load(name, folder) for name in answer.shown_by}
        for name, result in results.items():
            check(known[name], result)
    except (FileNotFoundError, ValueError) as reason:
        return f"No answer yet: {' '.join(str(reason).split())}"
    return answer.words({name: result.rows for name, result in results.items()})


def answer_named(name: str, folder: Path = RESULTS) -> str:
    """Give an answer by its name.

    Parameters
    ----------
    name : str
        Its name.
    folder : Path
        Where results are kept.

    Returns
    -------
    str
        A few sentences, or what is lacking.

    Raises
    ------
    ValueError
        If there is no such answer.
    """
    known = {answer.name: answer for answer in ANSWERS}
    if name not in known:
        raise ValueError(f"no answer is called {name!r}; there are: {', '.join(known)}")
    return said(known[name], folder)


def answers_list(folder: Path = RESULTS) -> str:
    """Write all answers as a list in Markdown.

    Parameters
    ----------
    folder : Path
        Where results are kept.

    Returns
    -------
    str
        The list.
    """
    return "\n".join(
        f"- **{answer.question}** {said(answer, folder)} ({', '.join(f'`{name}`' for name in answer.shown_by)})"
        for answer in ANSWERS
    )
