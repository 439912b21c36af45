"""A die that is perfectly fair and perfectly predictable: lowered to a table that does not bounce."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from dicesim.curves import Estimate
from dicesim.outcomes import Outcomes
from dicesim.parameters import Setup, Table
from dicesim.releases import Lowered, Shaken
from dicesim.simulator import draw, throw
from dicesim.solids import up_face
from experiments.experiment import Claim, Experiment, digest
from experiments.fairness import FALSE_ALARM, chi_row, chi_text
from experiments.rows import estimated_share


@dataclass(frozen=True)
class Drops:
    """Dice let go at rest, some gaps above the table, and thrown ones beside them."""

    throws: int
    gaps: tuple[float, ...] = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2)
    lowered: Lowered = field(default_factory=Lowered)
    shaken: Shaken = field(default_factory=Shaken)
    setup: Setup = field(default_factory=lambda: Setup(table=Table(restitution=0.0)))
    shipped: Setup = field(default_factory=Setup)


def readable(outcomes: Outcomes, axes: np.ndarray[Any, Any]) -> dict[str, Any]:
    """How often the face is the one that was up when the die was let go."""
    same = int((outcomes.face == up_face(axes)).sum())
    return {"readable": estimated_share(same, len(outcomes)), "same": same}


def measure(p: Drops, rng: np.random.Generator) -> dict[str, Any]:
    """Lower from the shipped gap and from others, and throw."""
    seed = int(rng.integers(2**32))
    releases = draw(p.throws, p.lowered, rng=seed)
    dropped = throw(releases, setup=p.setup)
    rows = []
    for gap in p.gaps:
        states = draw(p.throws, replace(p.lowered, gap=gap), rng=seed)
        rows.append({"gap": gap, **readable(throw(states, setup=p.setup), states.axes)})
    thrown = draw(p.throws, p.shaken, rng=seed)
    return {
        **chi_row(dropped.counts()),
        **readable(dropped, releases.axes),
        "throws": p.throws,
        "gaps": rows,
        "shaken": readable(throw(thrown, setup=p.shipped), thrown.axes),
        "outcome_hash": digest(dropped.face),
    }


LOWERED = Experiment(
    name="lowered",
    question="Can a die be fair and yet known before it is let go?",
    claims=(
        Claim(
            "A die lowered from any orientation at all is fair",
            "the source",
            lambda rows: rows["p_value"] > FALSE_ALARM,
            published="chi-square 2.06 on 5 d.f.",
            ours=chi_text,
            verdict="reproduced",
        ),
        Claim(
            "Every one of its faces can be read off the release",
            "the source",
            lambda rows: rows["same"] == rows["throws"] and all(row["same"] == rows["throws"] for row in rows["gaps"]),
            published="100.00 % of 20,000",
            ours=lambda rows: (
                f"{rows['same']:,} of {rows['throws']:,} [{100 * rows['readable']['low']:.2f} %, 100 %], "
                f"from 1 μm up to 1 cm"
            ),
            verdict="reproduced",
        ),
        Claim(
            "Of a thrown die the face that is up at release comes up a little more often than one time in six",
            "this project",
            lambda rows: rows["shaken"]["readable"]["low"] > 1 / 6 and rows["shaken"]["readable"]["high"] < 0.25,
            ours=lambda rows: f"{Estimate(**rows['shaken']['readable'])}",
        ),
    ),
    full=Drops(20_000),
    smoke=Drops(300, gaps=(1e-3,)),
    seed=24,
    measure=measure,
)

EXPERIMENTS = (LOWERED,)
