"""What an engine makes of a die that is dropped: the restitution it gives, and how far it lets the die sink."""

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.contenders import Floats
from benchmarks.timing import Spread
from dicesim.parameters import Setup
from dicesim.states import States

SPEED = 1.2  # m/s, on landing
PHASES = 8  # where a landing falls between two steps, evenly

# A die that stands on a corner, its diagonal upright, and one that lies flat, as quaternions.
_TILT = math.acos(1 / math.sqrt(3)) / 2
POSES = {
    "corner": (math.cos(_TILT), math.sin(_TILT) / math.sqrt(2), -math.sin(_TILT) / math.sqrt(2), 0.0),
    "flat": (1.0, 0.0, 0.0, 0.0),
}

Heights = Callable[[States, Setup, float, float], Floats]


def drop(heights: Heights, setup: Setup, step: float) -> dict[str, Any]:
    """Drop a die on a corner and flat, so that it lands with `SPEED`, and look how high it comes back.

    Parameters
    ----------
    heights : callable
        Follows one die, as `benchmarks.contenders.Engine` says.
    setup : Setup
        Die, table and gravity.
    step : float
        Time step, s.

    Returns
    -------
    dict
        By pose the restitution, the root of rebound height over drop height, as median, low and high over the
        landings; and ``sinks``, the depth in mm that the lowest point reached in any.
    """
    bounces = {pose: list(_bounces(heights, setup, step, pose)) for pose in POSES}
    spreads = {pose: Spread.of(bounce for bounce, _ in found) for pose, found in bounces.items()}
    return {**spreads, "sinks": 1e3 * max(depth for found in bounces.values() for _, depth in found)}


def _bounces(heights: Heights, setup: Setup, step: float, pose: str) -> Iterator[tuple[float, float]]:
    state = States.from_quaternions([[0, 0, 0]], [POSES[pose]], [[0, 0, 0]], [[0, 0, 0]])
    touching = -float(state.clearance(setup.die)[0])  # height of the centre when it touches
    for phase in range(PHASES):
        fall = SPEED**2 / (2 * setup.gravity) + SPEED * step * phase / PHASES
        released = state.replace(position=[[0, 0, touching + fall]])
        seconds = 2 * math.sqrt(2 * fall / setup.gravity)
        yield bounce(heights(released, setup, step, seconds) - touching)


def bounce(clearance: Floats) -> tuple[float, float]:
    """Restitution and depth of a drop from rest.

    Parameters
    ----------
    clearance : array
        Height over touching, at release and after every step.

    Returns
    -------
    tuple of float
        The root of rebound height over drop height, and how far below touching it came.
    """
    rising = np.diff(clearance) > 0
    lowest = int(np.argmax(rising)) if rising.any() else len(clearance) - 1
    falls_again = np.flatnonzero(~rising[lowest:])
    highest = lowest + int(falls_again[0]) if falls_again.size else len(clearance) - 1
    rebound = max(float(clearance[highest]), 0.0)
    return math.sqrt(rebound / float(clearance[0])), max(-float(clearance.min()), 0.0)
