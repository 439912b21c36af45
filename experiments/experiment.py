"""What an experiment is, how it is run, and how its result is kept."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeAlias, TypeVar

import numpy as np

from dicesim._files import write_whole
from dicesim._json import from_json, to_json
from experiments.provenance import provenance

if TYPE_CHECKING:
    from _typeshed import DataclassInstance
    from matplotlib.axes import Axes

#: What a measurement gives: plain JSON values.
Rows: TypeAlias = Any
Size: TypeAlias = Literal["full", "smoke"]
Verdict: TypeAlias = Literal["reproduced", "not reproduced", "not comparable"]
P = TypeVar("P", bound="DataclassInstance")

#: Where the committed results are.
RESULTS = Path(__file__).with_name("results")
FORMAT = 1


def digest(array: np.ndarray[Any, Any]) -> str:
    """Hash the bytes of outcomes, for rows to hold as ``outcome_hash``.

    Parameters
    ----------
    array : ndarray
        Faces, positions or the like.

    Returns
    -------
    str
        SHA-256, hexadecimal.
    """
    return sha256(np.ascontiguousarray(array).tobytes()).hexdigest()


@dataclass(frozen=True)
class Claim:
    """One sentence of the study and the predicate over rows that decides it.

    Parameters
    ----------
    text : str
        The sentence.
    source : str
        Where the question comes from.
    holds : callable
        Predicate over the rows.
    published : str, optional
        The source's figure; claims that have one make the reproduction table.
    ours : callable, optional
        Our figure with its interval, as text, from the rows.
    verdict : {"reproduced", "not reproduced", "not comparable"}, optional
        What the claim, if it holds, says about the source's figure.
    why : str
        The reason of a verdict that is not "reproduced".
    """

    text: str
    source: str
    holds: Callable[[Rows], bool]
    published: str | None = None
    ours: Callable[[Rows], str] | None = None
    verdict: Verdict | None = None
    why: str = ""

    def __post_init__(self) -> None:
        if (self.published is None) != (self.verdict is None):
            raise ValueError(f"claim {self.text!r}: a published figure and a verdict come together")
        if self.verdict == "not comparable" and not self.why:
            raise ValueError(f"claim {self.text!r}: say why it is not comparable")


@dataclass(frozen=True)
class Experiment(Generic[P]):
    """A question, its claims, and the measurement that answers it, at two sizes.

    Parameters
    ----------
    name : str
        Lower-case word, also the name of its result file.
    question : str
        What it asks, in one sentence.
    claims : tuple of Claim
        What the study says about the rows of the full size.
    full, smoke : frozen dataclass
        The parameters at the size of the study, and at one that takes a second.
    seed : int
        Seed of the generator that the measurement gets.
    measure : callable
        Pure function of parameters and generator that gives the rows: a dict or a list of dicts. A dict
        may hold an `outcome_hash`, by which a change of the outcomes is noticed.
    figure : callable, optional
        Draws the rows on given Axes and returns these.
    figure_size : (float, float)
        Width and height of the figure, inches.
    """

    name: str
    question: str
    claims: tuple[Claim, ...]
    full: P
    smoke: P
    seed: int
    measure: Callable[[P, np.random.Generator], Rows]
    figure: Callable[[Rows, Axes], Axes] | None = None
    figure_size: tuple[float, float] = (7.0, 4.5)

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z][a-z0-9_]*", self.name):
            raise ValueError(f"an experiment's name is a lower-case word, such as fairness, not {self.name!r}")
        traits = getattr(self.full, "__dataclass_params__", None)
        if traits is None or not traits.frozen or type(self.full) is not type(self.smoke):
            raise ValueError(f"{self.name}: full and smoke are two instances of one frozen dataclass")
        if self.seed < 0:
            raise ValueError(f"{self.name}: a seed is a whole number from 0 up, not {self.seed}")


class Judged(NamedTuple):
    """A claim, and whether it holds of some rows."""

    claim: Claim
    holds: bool


@dataclass(frozen=True)
class Result:
    """What came out of one run.

    Parameters
    ----------
    declaration : dict
        Name, question, claims, seed and parameters.
    rows : dict or list of dict
        The measurement.
    golden : dict
        Hash of the outcomes by size, where the measurement gives one.
    provenance : dict
        Versions, CPU, workers and commit.
    when : dict
        Date and seconds, which every run changes.
    """

    declaration: dict[str, Any]
    rows: Rows
    golden: dict[str, str]
    provenance: dict[str, Any]
    when: dict[str, Any]


def configure(experiment: Experiment[P], size: Size = "full", overrides: Mapping[str, Any] | None = None) -> P:
    """Give an experiment's parameters at a size, some of them changed.

    Parameters
    ----------
    experiment : Experiment
        The experiment.
    size : {"full", "smoke"}
        Which of its two sizes.
    overrides : mapping, optional
        Parameters by name that take other values.

    Returns
    -------
    frozen dataclass
        The parameters.

    Raises
    ------
    ValueError
        If the experiment has no such parameter, or it refuses the value.
    """
    parameters = experiment.full if size == "full" else experiment.smoke
    names = [field.name for field in fields(parameters)]
    for name in overrides or {}:
        if name not in names:
            has = ", ".join(names) or "none"
            raise ValueError(f"{experiment.name} has no parameter {name!r}; it has: {has}")
    return replace(parameters, **(overrides or {}))


def declare(experiment: Experiment[P], parameters: P | None = None, seed: int | None = None) -> dict[str, Any]:
    """Write down what decides an experiment's rows and what is said of them, as plain JSON values.

    Parameters
    ----------
    experiment : Experiment
        The experiment.
    parameters : frozen dataclass, optional
        Its parameters, of the full size if not given.
    seed : int, optional
        Its seed, as declared if not given.

    Returns
    -------
    dict
        Name, question, claims, seed and parameters.
    """
    declaration = {
        "name": experiment.name,
        "question": experiment.question,
        "claims": [_wording(claim) for claim in experiment.claims],
        "seed": experiment.seed if seed is None else seed,
        "parameters": asdict(experiment.full if parameters is None else parameters),
    }
    plain: dict[str, Any] = _plain(declaration)
    return plain


def run(
    experiment: Experiment[P],
    size: Size = "full",
    overrides: Mapping[str, Any] | None = None,
    *,
    seed: int | None = None,
) -> Result:
    """Run an experiment.

    Parameters
    ----------
    experiment : Experiment
        The experiment.
    size : {"full", "smoke"}
        Which of its two sizes.
    overrides : mapping, optional
        Parameters by name that take other values.
    seed : int, optional
        Another seed than the declared one.

    Returns
    -------
    Result
        Its rows, with all that is needed to judge them later.

    Raises
    ------
    ValueError
        If a parameter is refused, or the rows are not plain JSON values.
    """
    parameters = configure(experiment, size, overrides)
    start, began = datetime.now(UTC), time.perf_counter()
    rows = _measure(experiment, parameters, seed)
    when = {"date": start.isoformat(timespec="seconds"), "seconds": round(time.perf_counter() - began, 1)}
    golden = _golden(experiment, size, rows)
    return Result(declare(experiment, parameters, seed), rows, golden, provenance(), when)


def ask(experiment: Experiment[Any], rows: Rows) -> tuple[Judged, ...]:
    """Ask every claim of rows.

    Parameters
    ----------
    experiment : Experiment
        The experiment.
    rows : dict or list of dict
        Rows of its measurement.

    Returns
    -------
    tuple of Judged
        Each claim, and whether it holds.
    """
    return tuple(Judged(claim, bool(claim.holds(rows))) for claim in experiment.claims)


def save(result: Result, folder: Path = RESULTS) -> Path:
    """Write a result file: the old one or the new one is there at every moment, never a part.

    Parameters
    ----------
    result : Result
        The result.
    folder : Path
        Where to; made if it is not there.

    Returns
    -------
    Path
        The file.
    """
    path = folder / f"{result.declaration['name']}.json"
    data = to_json({"format": FORMAT, **vars(result)}).encode()
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(path, lambda part: part.write_bytes(data))
    return path


def load(name: str, folder: Path = RESULTS) -> Result:
    """Read a result file.

    Parameters
    ----------
    name : str
        Name of the experiment.
    folder : Path
        Where it is kept.

    Returns
    -------
    Result
        The result.

    Raises
    ------
    FileNotFoundError
        If there is none.
    ValueError
        If the file is not a result file, or is of another format.
    """
    path = folder / f"{name}.json"
    try:
        content = from_json(path.read_text(encoding="utf-8"))
        if (content.pop("format"), content["declaration"]["name"]) != (FORMAT, name):
            raise ValueError("it is of another format or name")
        return Result(**content)
    except FileNotFoundError:
        raise FileNotFoundError(f"{name}: no result yet: python -m experiments run {name}") from None
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as reason:
        raise ValueError(f"{path} is not a whole result file ({reason}); run {name} again") from reason


def _wording(claim: Claim) -> dict[str, Any]:
    words = (claim.text, claim.source, claim.published, claim.verdict, claim.why)
    return dict(zip(("text", "source", "published", "verdict", "why"), words, strict=True))


def _plain(value: Any) -> Any:
    """Turn a value into what a reader of the file will see."""
    return from_json(to_json(value))


def _measure(experiment: Experiment[P], parameters: P, seed: int | None = None) -> Rows:
    rng = np.random.Generator(np.random.Philox(experiment.seed if seed is None else seed))
    rows = experiment.measure(parameters, rng)
    if not (isinstance(rows, dict) or (isinstance(rows, list) and all(isinstance(row, dict) for row in rows))):
        raise ValueError(f"{experiment.name}: rows are a dict or a list of dicts, not {type(rows).__name__}")
    try:
        return _plain(rows)
    except (ValueError, TypeError) as reason:
        raise ValueError(f"{experiment.name}: its rows are not plain JSON values: {reason}") from reason


def _golden(experiment: Experiment[Any], size: Size, rows: Rows) -> dict[str, str]:
    """Hash of the outcomes, and beside the full one that of the smoke size, which is quick to run again."""
    if not (isinstance(rows, dict) and "outcome_hash" in rows):
        return {}
    smoke = rows if size == "smoke" else _measure(experiment, experiment.smoke)
    return {size: str(rows["outcome_hash"]), "smoke": str(smoke["outcome_hash"])}
