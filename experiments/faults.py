"""Whether the checks of the physics can fail: each broken kernel is caught, and the shipped one is not."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dicesim.simulator import throw
from experiments.experiment import Claim, Experiment, digest
from tests.checks import CHECKS, RELEASES, passes
from tests.mutants import MUTANTS, broken


@dataclass(frozen=True)
class Faults:
    """Which mutants are tried."""

    names: tuple[str, ...]


def measure(p: Faults, rng: np.random.Generator) -> dict[str, Any]:
    """Put each mutant in the kernel's place and ask its check; the releases are the checks' own."""
    rows = []
    for mutant in MUTANTS:
        if mutant.name in p.names:
            check = CHECKS[mutant.name]
            sound = passes(check)
            with broken(mutant):
                caught = not passes(check)
            rows.append(
                {"mutant": mutant.name, "check": check.__name__, "shipped_passes": sound, "mutant_caught": caught}
            )
    return {"mutants": rows, "outcome_hash": digest(throw(RELEASES, until="rest").states.position)}


FAULTS = Experiment(
    name="faults",
    question="Do the checks of the physics pass the shipped kernel and catch broken ones?",
    claims=(
        Claim(
            "Every check passes the shipped kernel and catches its mutant",
            "this project",
            lambda rows: all(row["shipped_passes"] and row["mutant_caught"] for row in rows["mutants"]),
        ),
        Claim(
            "The three faults that the source met are among them, and caught",
            "the source, its three bugs",
            lambda rows: (
                {"dropped term", "overshot budget", "penetration only"}
                <= {row["mutant"] for row in rows["mutants"] if row["mutant_caught"]}
            ),
            published="found by its harness",
            ours=lambda rows: (
                f"{sum(row['mutant_caught'] for row in rows['mutants'])} of {len(rows['mutants'])} mutants caught"
            ),
            verdict="reproduced",
        ),
    ),
    full=Faults(tuple(mutant.name for mutant in MUTANTS)),
    smoke=Faults(("overshot budget",)),
    seed=8,
    measure=measure,
)

EXPERIMENTS = (FAULTS,)
