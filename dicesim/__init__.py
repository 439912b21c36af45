"""Thrown dice: a rigid-body simulator, fast and the same to the last bit everywhere, and experiments on it.

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

if TYPE_CHECKING:
    from dicesim.outcomes import Outcomes, Tally, UnsettledError
    from dicesim.parameters import Die, Setup, Solver, Table
    from dicesim.releases import Lowered, Release, Shaken, SteadyHand
    from dicesim.simulator import count, throw
    from dicesim.states import States
    from dicesim.trajectories import Trajectory, trajectory

__version__ = "0.1.0"

_HOMES = {
    "Die": "parameters",
    "Table": "parameters",
    "Solver": "parameters",
    "Setup": "parameters",
    "States": "states",
    "Release": "releases",
    "Shaken": "releases",
    "SteadyHand": "releases",
    "Lowered": "releases",
    "Outcomes": "outcomes",
    "Tally": "outcomes",
    "UnsettledError": "outcomes",
    "throw": "simulator",
    "count": "simulator",
    "Trajectory": "trajectories",
    "trajectory": "trajectories",
}

__all__ = [
    "Die",
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
    "count",
    "throw",
    "trajectory",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'dicesim' has no attribute {name!r}")
    return getattr(import_module(f"dicesim.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
