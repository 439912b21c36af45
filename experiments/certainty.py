"""Over restitution: whether every throw settles, and whether stopping when the face is certain is right."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dicesim.parameters import Setup
from dicesim.releases import Shaken
from dicesim.simulator import throw
from experiments.experiment import Claim, Experiment, digest
from experiments.rows import at_restitution


@dataclass(frozen=True)
class Sweep:
    """Throws at each restitution; only restitution is changed."""

    throws: int
    restitutions: tuple[float, ...] = (0.0, 0.2, 0.36, 0.5, 0.6, 0.75, 0.85, 0.95)
    time_limit: float = 60.0
    release: Shaken = field(default_factory=Shaken)
    setup: Setup = field(default_factory=Setup)


def measure(p: Sweep, rng: np.random.Generator) -> dict[str, Any]:
    """Throw the same releases to rest and until the face is certain."""
    releases = p.release.sample(p.throws, rng=rng)
    rows, faces = [], []
    for restitution in p.restitutions:
        setup = at_restitution(p.setup, restitution, p.time_limit)
        rest, certain = throw(releases, setup=setup, until="rest"), throw(releases, setup=setup)
        assert rest.settle_time is not None
        assert rest.contacts is not None
        rows.append(
            {
                "restitution": restitution,
                "unsettled": int((~rest.settled).sum() + (~certain.settled).sum()),
                "longest": float(rest.settle_time.max()),
                "contacts": float(rest.contacts.mean()),
                "other_face": int((rest.face != certain.face).sum()),
            }
        )
        faces.append(rest.face)
    return {"sweep": rows, "thrown": p.throws * len(rows), "outcome_hash": digest(np.concatenate(faces))}


CERTAINTY = Experiment(
    name="certainty",
    question="Does every throw settle, and does the certain face stay, at every restitution?",
    claims=(
        Claim(
            "Up to restitution 0.75 every throw rests within 8 s, up to 0.95 within 60 s",
            "the source, left open",
            lambda rows: all(
                row["unsettled"] == 0 and (row["longest"] <= 8 or row["restitution"] > 0.75) for row in rows["sweep"]
            ),
            published="0.75 does not settle within 8 s",
            ours=lambda rows: "all settle; at 0.75 the longest takes {longest:.1f} s".format(
                **next(row for row in rows["sweep"] if row["restitution"] == 0.75)
            ),
            verdict="not reproduced",
            why="here the contact law settles every throw",
        ),
        Claim(
            "The face that the energy argument calls certain is the face at rest, in every throw",
            "this project",
            lambda rows: all(row["other_face"] == 0 for row in rows["sweep"]),
        ),
    ),
    full=Sweep(25_000),
    smoke=Sweep(50),
    seed=10,
    measure=measure,
)

EXPERIMENTS = (CERTAINTY,)
