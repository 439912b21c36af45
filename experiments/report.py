"""What people read of results: claims with their verdicts, numbers, the reproduction table, figures."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from experiments.check import Stale, check
from experiments.experiment import RESULTS, Claim, Experiment, Judged, Rows, load

CLAIM = ["claim", "source", "source value", "ours", "verdict"]
HEADINGS = ["experiment", *CLAIM]
ROWS_SHOWN = 12
ITEMS_SHOWN = 8
LETTERS_SHOWN = 100
LINES_SHOWN = 24


def describe(rows: Rows) -> str:
    """Show the main numbers of rows: what is a number, a word or a short list.

    Parameters
    ----------
    rows : dict or list of dict
        Rows of a measurement.

    Returns
    -------
    str
        A line a value for a dict; a table for a list, its first rows if it is long.
    """
    if isinstance(rows, dict):
        shown = {key: _text(value) for key, value in rows.items() if _is_short(value)}
        return "\n".join(aligned([[f"{key}:", value] for key, value in shown.items()]))
    if not rows:
        return ""
    columns = [key for key in rows[0] if all(_is_short(row.get(key)) for row in rows)]
    table = [columns, *([_text(row.get(key)) for key in columns] for row in rows[:ROWS_SHOWN])]
    more = [f"… {len(rows) - ROWS_SHOWN} more rows"] if len(rows) > ROWS_SHOWN else []
    return "\n".join([*aligned(table), *more])


def number_tables(rows: Rows) -> list[tuple[str, list[list[str]]]]:
    """Lay out the main numbers of rows: one table of all that stands by itself, and one for each list of rows.

    Parameters
    ----------
    rows : dict or list of dict
        Rows of a measurement.

    Returns
    -------
    list of (str, list of list of str)
        Name, empty for the first, and lines, the headings first; of a long table its first lines.
    """
    if isinstance(rows, list):
        return [("", _columns(rows))] if rows else []
    lists = {key: value for key, value in rows.items() if _is_table(value)}
    single = _flat({key: value for key, value in rows.items() if key not in lists and key != "outcome_hash"})
    first = [("", [["number", "value"], *_first([[key, _text(value)] for key, value in single.items()])])]
    return (first if single else []) + [(key, _columns(value)) for key, value in lists.items()]


def verdicts(judged: Iterable[Judged], rows: Rows) -> str:
    """Say of each claim whether it holds, with our figure and the source's where there are such.

    Parameters
    ----------
    judged : iterable of Judged
        Claims that were asked.
    rows : dict or list of dict
        The rows that they were asked of.

    Returns
    -------
    str
        A line a claim, and one more for its figures.
    """
    return "\n".join(line for judgement in judged for line in _verdict(judgement, rows))


def reproduction_table(experiments: Iterable[Experiment[Any]], folder: Path = RESULTS) -> str:
    """Set the source's figures and ours side by side, from the kept results.

    Parameters
    ----------
    experiments : iterable of Experiment
        Whose results to show.
    folder : Path
        Where these are kept.

    Returns
    -------
    str
        A table in Markdown.
    """
    return markdown(reproductions(experiments, folder))


def reproductions(experiments: Iterable[Experiment[Any]], folder: Path = RESULTS) -> list[list[str]]:
    """Lay out the source's figures and ours.

    Parameters
    ----------
    experiments : iterable of Experiment
        Whose results to show.
    folder : Path
        Where these are kept.

    Returns
    -------
    list of list of str
        Headings, then a line a claim that has a published figure.
    """
    return [HEADINGS, *(line for experiment in experiments for line in _reproductions(experiment, folder))]


def claims_table(judged: Iterable[Judged], rows: Rows) -> list[list[str]]:
    """Lay out claims with their figures and verdicts.

    Parameters
    ----------
    judged : iterable of Judged
        Claims that were asked.
    rows : dict or list of dict
        The rows that they were asked of.

    Returns
    -------
    list of list of str
        Headings, then a line a claim.
    """
    return [CLAIM, *(_line(claim, _ours(claim, rows), _said(claim, holds)) for claim, holds in judged)]


def markdown(table: Sequence[Sequence[str]]) -> str:
    """Write a table in Markdown.

    Parameters
    ----------
    table : sequence of sequence of str
        Its lines, the headings first.

    Returns
    -------
    str
        The text, without a line feed at its end.
    """
    lines = [table[0], ["---"] * len(table[0]), *table[1:]]
    return "\n".join("| " + " | ".join(_cell(text) for text in line) + " |" for line in lines)


def aligned(table: Sequence[Sequence[str]]) -> list[str]:
    """Lay out a table as plain text.

    Parameters
    ----------
    table : sequence of sequence of str
        Its lines, the headings first.

    Returns
    -------
    list of str
        As many lines, columns under each other.
    """
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        "  " + "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip() for line in table
    ]


def with_table(page: str, table: str, name: str = "report") -> str:
    """Put a table between the marks of a page, in the place of the one that is there.

    Parameters
    ----------
    page : str
        Text with the two marks.
    table : str
        What goes between them.
    name : str
        Which marks: ``<!-- name -->`` and ``<!-- end of name -->``.

    Returns
    -------
    str
        The new page.

    Raises
    ------
    ValueError
        If the marks are not there, once each and in order.
    """
    marks = f"<!-- {name} -->", f"<!-- end of {name} -->"
    before, begin, rest = page.partition(marks[0])
    _, end, after = rest.partition(marks[1])
    if not begin or not end or marks[0] in rest:
        raise ValueError(f"the page must have the marks {marks[0]} and {marks[1]}, once and in this order")
    return f"{before}{begin}\n{table}\n{end}{after}"


def draw(experiment: Experiment[Any], rows: Rows) -> bytes | None:
    """Draw an experiment's figure; the same rows give the same bytes.

    Parameters
    ----------
    experiment : Experiment
        The experiment.
    rows : dict or list of dict
        Rows of its measurement.

    Returns
    -------
    bytes or None
        A PNG image, or None if the experiment has no figure.
    """
    if experiment.figure is None:
        return None
    from matplotlib import style
    from matplotlib.figure import Figure

    image = io.BytesIO()
    # No pyplot: no window, no backend chosen for the caller, nobody's settings.
    with style.context("default"):
        figure = Figure(figsize=experiment.figure_size, dpi=150, layout="constrained")
        experiment.figure(rows, figure.add_subplot())
        figure.savefig(image, format="png", metadata={"Software": None})
    return image.getvalue()


def _verdict(judgement: Judged, rows: Rows) -> Iterator[str]:
    claim, holds = judgement
    yield f"  {'holds' if holds else 'FAILS'}  {claim.text}"
    figures = {"ours": claim.ours and claim.ours(rows), "source": claim.published, "verdict": claim.verdict}
    if said := [f"{name}: {figure}" for name, figure in figures.items() if figure]:
        yield f"         {'; '.join(said)}"


def _reproductions(experiment: Experiment[Any], folder: Path) -> Iterator[list[str]]:
    published = [claim for claim in experiment.claims if claim.published]
    try:
        result = load(experiment.name, folder)
        judged = [judgement for judgement in check(experiment, result) if judgement.claim.published]
    except FileNotFoundError:
        lines = [_line(claim, "", "not run yet") for claim in published]
    except ValueError as reason:
        word = "stale: run it again" if isinstance(reason, Stale) else "unreadable: run it again"
        lines = [_line(claim, "", word) for claim in published]
    else:
        _, *lines = claims_table(judged, result.rows)
    yield from ([experiment.name, *line] for line in lines)


def _line(claim: Claim, ours: str, verdict: str) -> list[str]:
    return [claim.text, claim.source, claim.published or "", ours, verdict]


def _ours(claim: Claim, rows: Rows) -> str:
    return claim.ours(rows) if claim.ours else ""


def _said(claim: Claim, holds: bool) -> str:
    if not holds:
        return "the claim fails"
    return f"{claim.verdict or 'holds'}: {claim.why}" if claim.why else claim.verdict or "holds"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", r"\|")


def _columns(rows: Sequence[dict[str, Any]]) -> list[list[str]]:
    flat = [_flat(row) for row in rows]
    names = list(dict.fromkeys(name for row in flat for name in row))
    return [names, *_first([[_text(row.get(name)) for name in names] for row in flat])]


def _first(lines: list[list[str]]) -> list[list[str]]:
    if len(lines) <= LINES_SHOWN:
        return lines
    return [*lines[:LINES_SHOWN], [f"… {len(lines) - LINES_SHOWN} more", *[""] * (len(lines[0]) - 1)]]


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """The short values of a row, those inside it named by their way."""
    found: dict[str, Any] = {}
    for key, value in row.items():
        inner = {f"{key}, {name}": below for name, below in _flat(value).items()} if isinstance(value, dict) else {}
        found |= inner or ({key: value} if _is_short(value) else {})
    return found


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)


def _is_short(value: Any) -> bool:
    if isinstance(value, list):
        return len(value) <= ITEMS_SHOWN and all(not isinstance(item, list | dict) for item in value)
    if isinstance(value, str):
        return len(value) <= LETTERS_SHOWN  # a packed picture says nothing to a reader
    return not isinstance(value, dict)


def _text(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_text, value))
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, bool):
        return {True: "yes", False: "no", None: "-"}[value]
    return f"{value:,}" if isinstance(value, int) else f"{value:.6g}"
