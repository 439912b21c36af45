"""The mesh of the chamfered die, its normals audited two ways, and three broken copies."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dicesim.meshes import Chamfer, audit, broken_copies, chamfered_cube, chamfered_cube_moments, moments
from dicesim.parameters import Die
from experiments.experiment import Claim, Experiment


@dataclass(frozen=True)
class Solid:
    """The die and its chamfer."""

    die: Die = field(default_factory=Die)
    chamfer: Chamfer = field(default_factory=Chamfer)


def measure_mesh(p: Solid, rng: np.random.Generator) -> dict[str, Any]:
    """Audit the mesh and its broken copies; nothing is drawn."""
    mesh = chamfered_cube(p.die.edge, p.chamfer.width)
    exact, meshed = chamfered_cube_moments(p.die.edge, p.chamfer.width), moments(mesh)
    return {
        "triangles": len(mesh.triangles),
        "flagged": {name: list(audit(copy).flagged) for name, copy in {"sound": mesh, **broken_copies(mesh)}.items()},
        "volume_error": abs(meshed.volume / exact.volume - 1),
        "inertia_error": float(np.abs(meshed.inertia / exact.inertia[0, 0] - np.eye(3)).max()),
    }


MESH = Experiment(
    name="mesh",
    question="Do all triangles of the die's mesh face outward, and would the audit see it if not?",
    claims=(
        Claim(
            "All 44 triangles pass both tests",
            "the source",
            lambda rows: rows["triangles"] == 44 and rows["flagged"]["sound"] == [0, 0],
            published="44 triangles, all outward",
            ours=lambda rows: f"{rows['triangles']} triangles, {sum(rows['flagged']['sound'])} flagged",
            verdict="reproduced",
        ),
        Claim(
            "The inside-out mesh passes the winding test and fails the outward test 44 times",
            "the source",
            lambda rows: rows["flagged"]["inside out"] == [0, 44],
            published="winding sees none, the outward test all 44",
            ours=lambda rows: "winding {} of 44, outward {} of 44".format(*rows["flagged"]["inside out"]),
            verdict="reproduced",
        ),
        Claim(
            "One reversed winding and one reversed normal are each flagged, once",
            "the source",
            lambda rows: all(
                rows["flagged"][name] == [1, 1] for name in ("one winding reversed", "one normal reversed")
            ),
        ),
        Claim(
            "Volume and inertia agree with the closed form",
            "this project",
            lambda rows: max(rows["volume_error"], rows["inertia_error"]) < 1e-12,
        ),
    ),
    full=Solid(),
    smoke=Solid(),
    seed=6,
    measure=measure_mesh,
)

EXPERIMENTS = (MESH,)
