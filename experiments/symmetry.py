"""Whether the 24 ways to name the sides of a die give the same throw."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dicesim.outcomes import Outcomes
from dicesim.parameters import Setup
from dicesim.releases import Shaken
from dicesim.simulator import throw
from dicesim.solids import relabel_axes, relabel_faces
from experiments.experiment import Claim, Experiment, digest


@dataclass(frozen=True)
class Relabelling:
    """Releases, each thrown under all 24 relabellings."""

    throws: int
    release: Shaken = field(default_factory=Shaken)
    setup: Setup = field(default_factory=Setup)


def _same_bits(a: Outcomes, b: Outcomes, k: int) -> Any:
    """Whether all but the names of the sides agree, bit for bit; one answer a throw."""
    pairs = [
        (getattr(a.states, part), getattr(b.states, part)) for part in ("position", "velocity", "angular_velocity")
    ]
    pairs += [(a.contacts, b.contacts), (a.settle_time, b.settle_time), (relabel_axes(a.states.axes, k), b.states.axes)]
    agree = [(left == right).reshape(len(a), -1).all(axis=1) for left, right in pairs]
    return np.logical_and.reduce(agree)


def measure(p: Relabelling, rng: np.random.Generator) -> dict[str, Any]:
    """Throw to rest under each name and compare with the first."""
    releases = p.release.sample(p.throws, rng=rng)
    first = throw(releases, setup=p.setup, until="rest")
    permuted, same = 0, 0
    for k in range(24):
        renamed = throw(releases.relabelled(k), setup=p.setup, until="rest")
        permuted += int((renamed.face == relabel_faces(k)[first.face]).sum())
        same += int(_same_bits(first, renamed, k).sum())
    return {"thrown": 24 * p.throws, "permuted": permuted, "same_bits": same, "outcome_hash": digest(first.face)}


RELABELLING = Experiment(
    name="relabelling",
    question="Does renaming the sides of a die permute the face and change nothing else?",
    claims=(
        Claim(
            "The face is permuted and every other bit the same, in every throw under all 24 relabellings",
            "the source, left open",
            lambda rows: rows["permuted"] == rows["same_bits"] == rows["thrown"],
            published="11,995 of 12,000 under one relabelling",
            ours=lambda rows: f"{rows['same_bits']:,} of {rows['thrown']:,} under 24",
            verdict="not reproduced",
            why="here the symmetry is exact",
        ),
    ),
    full=Relabelling(12_000),
    smoke=Relabelling(50),
    seed=9,
    measure=measure,
)

EXPERIMENTS = (RELABELLING,)
