"""What people read of the benchmark: its tables as text and in Markdown, and what is said under them."""

from collections.abc import Mapping
from typing import Any

from benchmarks.figure import step_name
from benchmarks.processes import BARS
from benchmarks.timing import Spread
from experiments.experiment import Result, Rows
from experiments.report import aligned, markdown

RACE = [
    "engine",
    "form",
    "step",
    "throws",
    "throws per CPU-second",
    "ours, face certain: times as fast",
    "settled",
    "faces even: p",
    "restitution, corner",
    "flat",
    "sinks",
]
PROCESSES = ["whole processes", "best", "median", "range", "bar", "kept"]


def race_table(rows: Rows) -> list[list[str]]:
    """Lay out the race, with what the engine makes of a drop at that step.

    Parameters
    ----------
    rows : dict
        Rows of the benchmark.

    Returns
    -------
    list of list of str
        Headings, then a line a contender.
    """
    drops = {(row["engine"], row["step"]): row for row in rows["drops"]}
    return [RACE, *(_contender(row, drops[row["engine"], row["step"]]) for row in rows["race"])]


def _contender(row: Mapping[str, Any], drop: Mapping[str, Any]) -> list[str]:
    return [
        row["engine"],
        row["form"],
        step_name(row["step"]),
        f"{row['throws']:,}",
        _spread(row["per_second"], _rounded),
        _spread(row["ratio"], "{:.3g}".format),
        f"{100 * row['settled']:.4g} %",
        f"{row['p_value']:.2g}",
        _spread(drop["corner"], "{:.2f}".format),
        _spread(drop["flat"], "{:.2f}".format),
        f"{drop['sinks']:.2g} mm",
    ]


def process_table(rows: Rows) -> list[list[str]]:
    """Lay out the whole processes with their bars.

    Parameters
    ----------
    rows : dict
        Rows of the benchmark.

    Returns
    -------
    list of list of str
        Headings, then a line a figure.
    """
    return [PROCESSES, *(_process(name, rows["processes"][name]) for name in BARS)]


def _process(name: str, values: list[float]) -> list[str]:
    bar, (median, low, high) = BARS[name], Spread.of(values)
    kept = "-" if bar.limit is None else "yes" if bar.kept(values) else "no"
    return [name, f"{bar.best(values):.3g} {bar.unit}", f"{median:.3g}", f"{low:.3g} to {high:.3g}", str(bar), kept]


def notes(result: Result) -> list[str]:
    """Say where and how it was measured.

    Parameters
    ----------
    result : Result
        A kept result.

    Returns
    -------
    list of str
        A paragraph each.
    """
    made, rows, p = result.provenance, result.rows, result.declaration["parameters"]
    packages = [(engine["name"], engine["version"]) for engine in rows["engines"]]
    packages += [(name, made[name]) for name in ("numba", "numpy", "python")]
    return [
        f"Measured on {result.when['date'][:10]}, {made['cpu']}, {made['workers']} processors, "
        f"load {rows['load']:.1f} before; "
        + ", ".join(f"{name} {version}" for name, version in packages)
        + f". Median and range of {p['passes']} passes in which all rows took turns; CPU time of one thread, first "
        f"calls before it. The large run is of {p['throws']:,} throws.",
        *(f"{engine['name']}: {engine['how']}." for engine in rows["engines"]),
    ]


def as_text(result: Result) -> str:
    """Lay out a result for a terminal.

    Parameters
    ----------
    result : Result
        A kept result.

    Returns
    -------
    str
        Both tables and the notes.
    """
    tables = ["\n".join(aligned(table(result.rows))) for table in (race_table, process_table)]
    return "\n\n".join([*tables, "\n".join("  " + note for note in notes(result))])


def as_markdown(result: Result) -> str:
    """Lay out a result for the README.

    Parameters
    ----------
    result : Result
        A kept result.

    Returns
    -------
    str
        Both tables and the notes.
    """
    return "\n\n".join([markdown(race_table(result.rows)), *notes(result), markdown(process_table(result.rows))])


def _spread(spread: list[float], text: Any) -> str:
    median, low, high = map(text, spread)
    return f"{median} ({low}–{high})" if low != high else str(median)


def _rounded(rate: float) -> str:
    return f"{float(f'{rate:.3g}'):,.0f}"
