"""Thrown dice: a rigid-body simulator, fast and the same to the last bit everywhere, and the statistics of its throws.

Units are SI. The z axis points up and the table is the plane z = 0. Quaternions are scalar first and turn body
vectors into world vectors; angular velocity is in world axes. Faces 0 to 5 are the sides +x -x +y -y +z -z of the
die, and the face of a throw is the side that ends up on top.

Examples
--------
>>> import dicesim
>>> outcomes = dicesim.throw(5, rng=1)
>>> len(outcomes.face)
5
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from dicesim._version import __version__ as __version__

if TYPE_CHECKING:
    from dicesim.clusters import ClusterError, cluster
    from dicesim.outcomes import Outcomes, UnsettledError
    from dicesim.parameters import Die, Setup, Solver, Table
    from dicesim.powers import rolls_needed
    from dicesim.releases import Lowered, Release, Shaken, SteadyHand
    from dicesim.rolls import counts_of
    from dicesim.simulator import count, draw, throw
    from dicesim.states import States
    from dicesim.tallies import Tally
    from dicesim.trajectories import Trajectory, trajectory
    from dicesim.verdicts import FairnessTest, fairness_test

_HOMES = {
    "clusters": ("ClusterError", "cluster"),
    "parameters": ("Die", "Setup", "Solver", "Table"),
    "states": ("States",),
    "releases": ("Lowered", "Release", "Shaken", "SteadyHand"),
    "outcomes": ("Outcomes", "UnsettledError"),
    "tallies": ("Tally",),
    "simulator": ("count", "draw", "throw"),
    "trajectories": ("Trajectory", "trajectory"),
    "powers": ("rolls_needed",),
    "rolls": ("counts_of",),
    "verdicts": ("FairnessTest", "fairness_test"),
}
_MODULES = (
    "aim",
    "amplification",
    "basins",
    "classics",
    "convergence",
    "crossings",
    "curves",
    "decorrelation",
    "ensembles",
    "events",
    "fairness",
    "meshes",
    "plots",
    "roughness",
    "solids",
    "stats",
)
_PLACES = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "ClusterError",
    "Die",
    "FairnessTest",
    "Lowered",
    "Outcomes",
    "Release",
    "Setup",
    "Shaken",
    "Solver",
    "States",
    "SteadyHand",
    "Table",
    "Tally",
    "Trajectory",
    "UnsettledError",
    "cluster",
    "count",
    "counts_of",
    "draw",
    "fairness_test",
    "rolls_needed",
    "throw",
    "trajectory",
]


def __getattr__(name: str) -> Any:
    """Import what is asked for, on first use."""
    if name in _MODULES:
        return import_module(f"dicesim.{name}")
    if name not in _PLACES:
        raise AttributeError(f"module 'dicesim' has no attribute {name!r}")
    return getattr(import_module(f"dicesim.{_PLACES[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, *_MODULES, "__doc__", "__version__"]
