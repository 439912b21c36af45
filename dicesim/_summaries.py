"""What is printed of throws and of a die's counts: documents for JSON, and their text."""

import json
import warnings
from collections.abc import Sequence
from dataclasses import asdict
from textwrap import fill
from typing import Any

from dicesim.outcomes import Outcomes
from dicesim.solids import FACES, STANDARD, pips
from dicesim.sums import Sums
from dicesim.tallies import Tally
from dicesim.verdicts import FairnessTest, interval_heading


def in_json(document: dict[str, Any]) -> str:
    """Write a document as strict JSON, in its own order."""
    return json.dumps(document, allow_nan=False, indent=1)


def listed(outcomes: Outcomes) -> dict[str, Any]:
    """Give each throw's pip value: None if it did not settle."""
    values = zip(pips(outcomes.face).tolist(), outcomes.settled, strict=True)
    rows: dict[str, Any] = {"pips": [value if settled else None for value, settled in values]}
    if outcomes.contacts is not None and outcomes.settle_time is not None:
        rows |= {"contacts": outcomes.contacts.tolist(), "settle_times": outcomes.settle_time.tolist()}
    return rows


def counted(tally: Tally) -> dict[str, Any]:
    """Give the counts of a tally with what they say about the die."""
    rows = tally.declaration | {"counted": tally.n, "partial": bool(tally.missing()), "blocks": tally.progress}
    rows |= {"unsettled": tally.unsettled, "digest": tally.digest, **_judged(tally.counts)}
    if tally.contacts and tally.settle_time:
        rows |= {"contacts": _mean(tally.contacts), "settle_time": _mean(tally.settle_time)}
    return rows


def _judged(counts: Sequence[int]) -> dict[str, Any]:
    from dicesim.stats import chi_square, proportion_intervals

    n = sum(counts)
    named = sorted(zip(STANDARD.tolist(), FACES, counts, strict=True))
    rows: list[dict[str, Any]] = [{"pip": pip, "face": face, "count": count} for pip, face, count in named]
    if n == 0:
        return {"faces": rows, "chi_square": None, "note": "no throw settled: there is nothing to judge"}
    intervals = proportion_intervals([row["count"] for row in rows]).tolist()
    for row, interval in zip(rows, intervals, strict=True):
        row |= {"share": row["count"] / n, "interval": interval}
    with warnings.catch_warnings(record=True) as cautions:
        warnings.simplefilter("always")
        test = chi_square(counts)
    return {"faces": rows, "chi_square": asdict(test), "note": str(cautions[0].message) if cautions else None}


def _mean(sums: Sums) -> dict[str, Any]:
    from dicesim.stats import mean_interval

    return {"mean": sums.mean if sums.n else None, "interval": mean_interval(sums) if sums.n > 1 else None}


def list_text(thrown: dict[str, Any]) -> str:
    """Lay out listed throws as text."""
    values = ["?" if value is None else str(value) for value in thrown["pips"]]
    if "contacts" not in thrown:
        lines = [" ".join(values)]
    else:
        rows = zip(values, thrown["contacts"], thrown["settle_times"], strict=True)
        lines = ["pip  contacts  settle time", *(f"{p:>3}  {c:>8}  {t:>9.3f} s" for p, c, t in rows)]
    return "\n".join([*lines, *_unsettled(values.count("?"), thrown), f"seed {thrown['seed']}"])


def count_text(thrown: dict[str, Any]) -> str:
    """Lay out counted throws as text."""
    from dicesim.stats import ChiSquare

    lines = ["pip  face           count     share  95 % intervals of all six together"]
    lines += [_count_line(**row) for row in thrown["faces"]]
    if thrown["chi_square"]:
        lines.append(str(ChiSquare(**thrown["chi_square"])))
    lines += [thrown["note"]] if thrown["note"] else []
    lines += _unsettled(thrown["unsettled"], thrown)
    for key, name, unit in (("contacts", "contacts", ""), ("settle_time", "settle time", " s")):
        if key in thrown and thrown[key]["interval"]:
            low, high = thrown[key]["interval"]
            lines.append(f"mean {name} {thrown[key]['mean']:.5g}{unit}, 95 % interval {low:.5g} to {high:.5g}{unit}")
    lines += [f"partial: {thrown['blocks']}"] if thrown["partial"] else []
    source = f"seed {thrown['seed']}" if "seed" in thrown else "of given releases"
    return "\n".join([*lines, f"{thrown['counted']:,} throws, {source}"])


def _count_line(pip: int, face: str, count: int, share: float = 0.0, interval: tuple[float, float] = (0.0, 1.0)) -> str:
    low, high = interval
    return f"{pip:>3}  {face:>4}  {count:>14,}  {share:>8.3%}  {low:.3%} to {high:.3%}"


def _unsettled(number: int, thrown: dict[str, Any]) -> list[str]:
    limit = thrown["setup"]["solver"]["time_limit"]
    n = thrown.get("counted", thrown["throws"])
    return [f"{number:,} of {n:,} throws did not settle within {limit:g} s"] if number else []


def face_counts(thrown: dict[str, Any]) -> list[int]:
    """Counts of faces 0 to 5, whichever way the throws were kept."""
    if "faces" in thrown:
        counts = {row["pip"]: row["count"] for row in thrown["faces"]}
        return [counts[int(value)] for value in STANDARD]
    return [thrown["pips"].count(int(value)) for value in STANDARD]


def judged(test: FairnessTest) -> dict[str, Any]:
    """Give what counts of a die say, as a document."""
    columns = zip(test.faces, test.counts, test.shares, test.intervals, strict=True)
    names = ("face", "count", "share", "interval")
    return {
        "rolls": test.n,
        "sides": len(test.faces),
        "faces": [dict(zip(names, row, strict=True)) for row in columns],
        "chi_square": asdict(test.chi_square),
        "p_value": asdict(test.tails),
        "too_even": test.too_even,
        "confidence": test.confidence,
        "margin": test.margin,
        "verdict": test.verdict,
        "beyond": test.beyond,
        "reach": test.reach,
        "power": test.power,
        "detectable_bias": test.detectable_bias,
        "rolls_needed": test.rolls_needed,
        "text": str(test),
    }


def verdict_text(test: FairnessTest) -> str:
    """Lay out what counts of a die say, as text."""
    width = max(4, *map(len, test.faces))
    rows = zip(test.faces, test.counts, test.shares, test.intervals, strict=True)
    lines = [f"{'face':>{width}}  {'count':>14}  {'share':>8}  {interval_heading(test)}"]
    lines += [f"{f:>{width}}  {n:>14,}  {share:>8.3%}  {low:.3%} to {high:.3%}" for f, n, share, (low, high) in rows]
    return "\n".join([*lines, *fill(str(test), 100).splitlines(), f"verdict, margin {test.margin:.3%}: {test.verdict}"])
