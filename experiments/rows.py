"""Parts of rows that several experiments write: numbers with their intervals, and the setups of a sweep."""

from dataclasses import replace
from typing import Any

import numpy as np

from dicesim.crossings import Crossing
from dicesim.parameters import Setup
from dicesim.stats import proportion_interval


def at_restitution(setup: Setup, restitution: float, time_limit: float) -> Setup:
    """The same setup with another restitution, and as much time as lively throws take."""
    solver = replace(setup.solver, time_limit=time_limit)
    return replace(setup, solver=solver, table=replace(setup.table, restitution=restitution))


def share(hits: Any) -> dict[str, float]:
    """How often something happened, with an interval."""
    low, high = proportion_interval(int(np.sum(hits)), len(hits))
    return {"share": float(np.mean(hits)), "low": low, "high": high}


def estimated_share(count: int, of: int, confidence: float = 0.95) -> dict[str, float]:
    """A share with its interval, as an estimate."""
    low, high = proportion_interval(count, of, confidence)
    return {"value": count / of, "low": low, "high": high}


def estimated_scale(found: Crossing) -> dict[str, float]:
    """A scale with its interval, as an estimate."""
    return {"value": found.scale, "low": found.low, "high": found.high}
