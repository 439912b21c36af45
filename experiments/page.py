"""The report as one page, in Markdown and in HTML: what was asked, what came out, what it corrects, what it leaves out.

The Markdown links to the figures beside the results; the HTML is made from it and holds its figures itself, so that it
can be kept, sent and printed as one file. Both have the same bytes each time they are made of the same results.
"""

from __future__ import annotations

import os
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it import MarkdownIt

from dicesim._files import write_whole
from experiments.answers import ANSWERS, said
from experiments.check import check
from experiments.corrections import CORRECTIONS
from experiments.experiment import RESULTS, Experiment, Judged, Result, Rows, load
from experiments.limits import LIMITS
from experiments.report import claims_table, markdown, number_tables, reproductions

TITLE = "Report of the study"
NAME = "report"
PORTRAIT = "throw.png"
SPECIAL = r"\`*_[]<>#"


@dataclass(frozen=True)
class Section:
    """What the page says of one experiment.

    Parameters
    ----------
    name, question : str
        Of the experiment.
    trouble : str
        Why nothing can be said; empty where all is well.
    claims : str
        Table of the claims, in Markdown.
    numbers : tuple of (str, str)
        Names and tables of the main numbers, in Markdown.
    figure, alt : str
        Link to the figure, empty if there is none, and what it shows.
    provenance : str
        What made the result, and when.
    judged : tuple of Judged
        Each claim, and whether it holds.
    """

    name: str
    question: str
    trouble: str = ""
    claims: str = ""
    numbers: tuple[tuple[str, str], ...] = ()
    figure: str = ""
    alt: str = ""
    provenance: str = ""
    judged: tuple[Judged, ...] = ()


def write_page(experiments: Sequence[Experiment[Any]], target: Path, folder: Path = RESULTS) -> tuple[Path, Path]:
    """Write the page in Markdown and in HTML.

    Parameters
    ----------
    experiments : sequence of Experiment
        What it tells of.
    target : Path
        Folder to write to, which is there.
    folder : Path
        Where results and figures are kept.

    Returns
    -------
    tuple of Path
        The page in Markdown, and in HTML.
    """
    text = page(experiments, target, folder)
    made = {f"{NAME}.md": text, f"{NAME}.html": as_html(text, target)}
    for name, content in made.items():
        write_whole(target / name, lambda part, content=content: part.write_text(content, encoding="utf-8"))  # type: ignore[misc]
    return target / f"{NAME}.md", target / f"{NAME}.html"


def page(experiments: Sequence[Experiment[Any]], target: Path, folder: Path = RESULTS) -> str:
    """Write the page as Markdown.

    Parameters
    ----------
    experiments : sequence of Experiment
        What it tells of.
    target : Path
        Folder that links to figures start from.
    folder : Path
        Where results and figures are kept.

    Returns
    -------
    str
        The text.
    """
    sections = [_section(experiment, target, folder) for experiment in experiments]
    template = _templates({section.name: section for section in sections}).get_template(f"{NAME}.md")
    return template.render(
        summary=_summary(sections),
        portrait=_link(folder / PORTRAIT, target),
        reproductions=_table(reproductions(experiments, folder)),
        sections=sections,
        answers=[(answer, said(answer, folder)) for answer in ANSWERS],
        corrections=CORRECTIONS,
        limits=LIMITS,
    )


def as_html(text: str, base: Path) -> str:
    """Turn the page into HTML that needs no other file.

    Parameters
    ----------
    text : str
        The page, in Markdown.
    base : Path
        Folder that its links to figures start from.

    Returns
    -------
    str
        A document.
    """
    parser = MarkdownIt("commonmark", {"html": False, "xhtmlOut": False}).enable("table")
    tokens = parser.parse(text)
    for i, token in enumerate(tokens):
        if token.type == "heading_open":
            token.attrSet("id", slug(tokens[i + 1].content))
        for child in token.children or []:
            if child.type == "image":
                child.attrSet("src", _embedded(base / str(child.attrGet("src"))))
    body = parser.renderer.render(tokens, parser.options, {})
    body = body.replace("<table>", '<div class="table">\n<table>').replace("</table>", "</table>\n</div>")
    return _templates({}).get_template(f"{NAME}.html").render(title=TITLE, body=body)


def slug(heading: str) -> str:
    """Give the anchor of a heading, as the well-known hosts of Markdown do.

    Parameters
    ----------
    heading : str
        Its text.

    Returns
    -------
    str
        Lower case, hyphens for spaces, letters, digits and underscores.

    Examples
    --------
    >>> slug("The source's figures and ours")
    'the-sources-figures-and-ours'
    """
    return "".join(c for c in heading.lower().replace(" ", "-") if c.isalnum() or c in "-_")


def plain(text: str) -> str:
    """Escape what Markdown would take for more than text.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    str
        On one line.

    Examples
    --------
    >>> print(plain("a*b <c>"))
    a\\*b \\<c\\>
    """
    return "".join(f"\\{c}" if c in SPECIAL else c for c in " ".join(text.split()))


def _table(lines: Sequence[Sequence[str]]) -> str:
    return markdown([[plain(cell) for cell in line] for line in lines])


def _templates(known: dict[str, Section]) -> Environment:
    templates = Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        autoescape=lambda name: str(name).endswith(".html"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    templates.filters |= {
        "plain": plain,
        "reference": lambda name: _reference(name, known),
        "standing": lambda name: _standing(name, known),
    }
    return templates


def _reference(name: str, known: dict[str, Section]) -> str:
    return f"[{plain(name)}](#{name})" if name in known else plain(name)


def _standing(name: str, known: dict[str, Section]) -> str:
    """An experiment, and how its claims fared."""
    if name not in known:
        return f"{plain(name)} (not in this report)"
    judged = known[name].judged
    if known[name].trouble:
        return f"{_reference(name, known)} (no valid result)"
    return f"{_reference(name, known)} ({sum(holds for _, holds in judged)} of {len(judged)} claims hold)"


def _section(experiment: Experiment[Any], target: Path, folder: Path) -> Section:
    try:
        result = load(experiment.name, folder)
        judged = check(experiment, result)
    except (FileNotFoundError, ValueError) as reason:
        return Section(experiment.name, experiment.question, trouble=_shortened(reason, folder))
    return Section(
        experiment.name,
        experiment.question,
        claims=_table(claims_table(judged, result.rows)),
        numbers=tuple((name, _table(table)) for name, table in number_tables(result.rows)),
        figure=_link(folder / f"{experiment.name}.png", target),
        alt=" ".join([experiment.question, *(f"{claim.text}." for claim, holds in judged if holds)]),
        provenance=_provenance(result),
        judged=judged,
    )


def _shortened(reason: Exception, folder: Path) -> str:
    """A complaint without the place of this checkout."""
    return str(reason).replace(f"{folder}{os.sep}", "")


def _summary(sections: Sequence[Section]) -> str:
    judged = [judgement for section in sections for judgement in section.judged]
    holding = [claim for claim, holds in judged if holds]
    verdicts = Counter(claim.verdict for claim in holding if claim.verdict)
    figures = ", ".join(f"{n} {verdict}" for verdict, n in verdicts.most_common()) or "none compared"
    troubled = [section.name for section in sections if section.trouble]
    lacking = f" Without a valid result: {', '.join(map(plain, troubled))}." if troubled else ""
    return (
        f"{len(sections)} experiments make {len(judged)} claims, of which {len(holding)} hold. Figures that the source "
        f"gives: {figures}.{lacking}"
    )


def _provenance(result: Result) -> str:
    made, when = result.provenance, result.when
    code = made.get("code") or {"commit": "no commit", "changed": False}
    versions = ", ".join(f"{name} {made[name]}" for name in ("fairdice", "python", "numba", "numpy", "scipy"))
    parts = [
        f"Seed {result.declaration['seed']}",
        f"{when['date'][:10]}, {when['seconds']:g} s with {made['workers']} workers on {made['cpu']}",
        f"commit {code['commit'][:12]}{', changed since' if code['changed'] else ''}",
        versions,
        *_outcomes(result.rows),
    ]
    return "; ".join(parts) + "."


def _outcomes(rows: Rows) -> Iterator[str]:
    if isinstance(rows, dict) and "outcome_hash" in rows:
        yield f"outcomes {rows['outcome_hash'][:12]}"


def _link(image: Path, target: Path) -> str:
    """The way from a folder to a picture, if that is there."""
    return Path(os.path.relpath(image, target)).as_posix() if image.is_file() else ""


def _embedded(image: Path) -> str:
    return f"data:image/png;base64,{b64encode(image.read_bytes()).decode()}"
