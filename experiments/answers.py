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


def _share(row: Mapping[str, float]) -> str:
    share, low, high = (100 * row[key] for key in ("share", "low", "high"))
    return f"{share:.2f} % [{low:.2f}, {high:.2f}]"


def _symmetry(found: Found) -> str:
    exact, inexact = found["relabelling"], found["inexact"]
    double, sign = inexact["curves"]["shipped"][-1], inexact["groups"]["sign"]
    none = inexact["curves"]["none"]
    return (
        f"Here the relabelling is exact: {exact['same_bits']:,} of {exact['thrown']:,} throws under all 24 names "
        "agree in every bit. A kernel that is spoilt so that names round differently fails in "
        f"{double['failures']} of {double['throws']:,} throws at double precision [0, {double['high']:.1g}]. If "
        f"the sign of a rounding error may decide a branch besides, it fails in {_share(none[-1])}, and about as "
        f"often from {none[0]['bits']} bits to {none[-1]['bits']}; these failures lie not 1e-13 but typically "
        f"{sign['median']:.0e} natural units from a basin boundary, a tenth of them within {sign['tenth']:.0e}, "
        "and first differ in whether the table still carries the die. What the source's five hung on cannot be "
        "told from outside."
    )


def _settling(found: Found) -> str:
    certainty, sweep = found["certainty"]["sweep"], {row["restitution"]: row for row in found["restitution"]["sweep"]}
    unsettled = sum(row["unsettled"] for row in certainty)  # of throws to rest and again until certain
    return (
        f"Every throw settles: {unsettled} of {found['certainty']['thrown']:,} did not, over restitutions "
        f"from 0 to 0.95. The scale of the vertical velocity is {_three(sweep[0.75]['scale'])} m/s at 0.75 and "
        f"{_three(sweep[0.95]['scale'])} m/s at 0.95."
    )


def _step(found: Found) -> str:
    series, roots = found["time_step"]["series"], found["root_finding"]
    return (
        f"Halving the time step changes the face of {_share(series['step']['next'][0])} of the throws. A second "
        "program of the same model, which shares no code with the first, finds its contacts as roots and has no "
        f"contact band, gives another face in {_share(roots['against'][0])} of them, and in "
        f"{_share(roots['against'][-1])} once step and band of ours are refined to a 32nd. So of a hundred faces "
        "about three are the solver's and not the model's; nothing shows that more go one way than the other, "
        "and the shares of the faces are even in both."
    )


def _amplification(found: Found) -> str:
    grown = found["amplification"]
    ways = [way["per_contact"]["value"] for way in grown["ways"]]
    fits = grown["fits"]
    quarter = fits["by_number"]["value"] / (fits["by_number"]["value"] + fits["by_growth"]["value"])
    return (
        f"Within a throw a contact multiplies a tiny separation by {_factor(grown['shipped']['per_contact'])} on "
        f"average ({exp(min(ways)):.2f} to {exp(max(ways)):.2f} by how it is measured), after a first fall and "
        f"contact that multiply it by {_factor(grown['shipped']['first'])} in natural units. Across restitutions "
        f"the growth over whole throws rises by a factor of {_three(fits['growth'])} for each further contact, as "
        f"the scale falls by {_three(fits['scale'])}: {100 * quarter:.0f} % of that is the number of contacts, the "
        "rest that livelier ones each grow more. At one restitution growth rises by "
        f"{_three(grown['shipped']['factor'])} a contact on average, which does not explain why the scale rises too "
        "there: it is not the number of contacts that makes a throw sensitive."
    )


def _aim(found: Found) -> str:
    aim = found["aim"]
    hand = aim["hands"][0]
    best = hand["aimed_at_best"][hand["spreads"].index(5.623e-2)]
    return (
        "Take a shaken throw and repeat it with each component of the velocity varying by "
        f"{_three(hand['half_aimed'])} m/s, the spin by ten times as much in rad/s, and the orientation exact: on "
        "average over throws its likeliest face comes up every second time. Half of the entropy of a fair die is "
        f"there at {_three(hand['half_entropy'])} m/s. Who may choose the throw does better: in the best of a "
        f"hundred the likeliest face still comes up with a chance of {_three(best)} at 0.056 m/s. To somebody who "
        f"sees nothing of it a shaken throw has {_three(aim['min_entropy'])} bits of min-entropy."
    )


def _basins(found: Found) -> str:
    basins = found["basins"]
    coarse, fine = basins["zooms"][0], basins["zooms"][-1]
    return (
        f"Over two spins of a release boxes of {min(coarse['scales']):.2g} rad/s or more nearly all hold a "
        f"boundary (box-counting dimension {_three(coarse['boxes'])}, the basins being finer than the boxes); "
        f"boxes below a thousandth of a rad/s see smooth lines, {_three(fine['boxes'])}, and 2 - α from pairs of "
        f"throws is {_three(fine['pairs'])} there. The dimension passes 1.5 at boxes of "
        f"{_three(basins['change']['boxes'])} rad/s."
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
        "step",
        "Is a face the model's or the time step's?",
        ("time_step", "root_finding"),
        _step,
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
