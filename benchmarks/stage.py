"""Throwing dice on another engine's stage: fill its places with releases, let it step, take off the dice that rest.

A row of numbers is one die: position, orientation as a quaternion with the scalar first, velocity, angular velocity
(about any axes, since only its size is asked for).
"""

import math
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from benchmarks.contenders import Floats, Thrown
from dicesim.parameters import Setup
from dicesim.solids import up_face
from dicesim.states import States, quaternions_to_axes

Places = npt.NDArray[np.intp]

SPELL = 0.02  # s between two looks at the dice: long enough for a look to cost little, short beside a throw


@dataclass(frozen=True)
class Rest:
    """When a die of another engine is at rest; the rule is cheap, and asks for the support and not for speed alone.

    A die rests if it lies within 3 degrees of flat, with its centre within a fiftieth of an edge of where it is at
    rest, and has less than a tenth of the kinetic energy that it takes to tip it over an edge. Contacts that yield
    make dice creep, so that a stricter rule would cost them much; of 1,000 throws by each peer at each step, 0 to 4
    ended on another face than by a rule of a 25th of that energy.
    """

    half: float
    inertia: float  # per unit mass
    most: float  # kinetic energy per unit mass, J/kg

    @classmethod
    def of(cls, setup: Setup) -> Self:
        """Give the rule for a die under gravity."""
        edge = setup.die.edge
        return cls(edge / 2, edge**2 / 6, 0.1 * setup.gravity * edge * (math.sqrt(0.5) - 0.5))

    def __call__(self, row: Any) -> Any:
        """Ask it of a row, as 13 numbers, or of many, as 13 arrays."""
        _, _, z, w, i, j, k, vx, vy, vz, wx, wy, wz = row
        a, b, c = i * k - w * j, j * k + w * i, 0.5 - i * i - j * j  # half of how far each body axis points up
        flat = 16 * (a**4 + b**4 + c**4) > 1 - 2 * math.radians(3) ** 2
        energy = (vx * vx + vy * vy + vz * vz + self.inertia * (wx * wx + wy * wy + wz * wz)) / 2
        return flat & (abs(z - self.half) < 0.04 * self.half) & (energy < self.most)


class Stage:
    """A world, or several, of an engine, with places for dice that do not meet each other.

    Parameters
    ----------
    setup : Setup
        Die, table and gravity.
    step : float
        Time step, s.
    places : int
        How many dice it holds.
    spell : float
        Time between two looks, s.
    """

    def __init__(self, setup: Setup, step: float, places: int, spell: float = SPELL) -> None:
        self.places = places
        self.steps = max(1, round(spell / step))
        self.rests = Rest.of(setup)

    def close(self) -> None:
        """Give the engine back what it holds."""

    def lay_out(self, releases: States) -> Floats:
        """Give releases as rows of this engine."""
        raise NotImplementedError

    def put(self, places: Places, rows: Floats) -> None:
        """Let dice go from places."""
        raise NotImplementedError

    def advance(self, places: Places) -> None:
        """Take a spell of steps, at least with the dice in these places."""
        raise NotImplementedError

    def look(self, places: Places) -> Floats:
        """Give the rows of dice."""
        raise NotImplementedError

    def over(self, places: Places, rows: Floats) -> Any:
        """Say which dice to take off: by the rule, unless the engine has one of its own."""
        return self.rests(rows.T)


def throw_on(make: Callable[[Setup, float], Stage], releases: States, setup: Setup, step: float) -> Thrown:
    """Throw releases on a stage.

    Parameters
    ----------
    make : callable
        Builds the stage for a setup and a time step; its building is part of the work.
    releases : States
        What is thrown.
    setup : Setup
        Die, table, gravity and time limit.
    step : float
        Time step, s.

    Returns
    -------
    Thrown
        Faces, and which dice rest by the rule of `Rest`.
    """
    with closing(make(setup, step)) as stage:
        spells = earliest_rest(releases, setup), setup.solver.time_limit
        first, limit = (round(time / (stage.steps * step)) for time in spells)
        throw = _one_by_one if stage.places == 1 else _in_places
        rows = throw(stage, stage.lay_out(releases), min(max(first, 1), limit), limit)
        return Thrown(up_face(quaternions_to_axes(rows[:, 3:7])), np.asarray(stage.rests(rows.T)))


def earliest_rest(releases: States, setup: Setup) -> float:
    """Time before which no die of these can have come to rest, s: when the first may reach the table."""
    speed, drop = releases.velocity[:, 2], releases.position[:, 2] - math.sqrt(3) / 2 * setup.die.edge
    fall: Floats = speed + np.sqrt(speed**2 + 2 * setup.gravity * np.maximum(drop, 0))
    return float(fall.min(initial=math.inf)) / setup.gravity if len(releases) else 0.0


def _one_by_one(stage: Stage, rows: Floats, first: int, limit: int) -> Floats:
    """Throw with one place, in plain numbers, because arrays of one element are slow."""
    only, final = np.zeros(1, np.intp), np.empty_like(rows)
    for number, row in enumerate(rows):
        stage.put(only, row[np.newaxis])
        for age in range(1, limit + 1):
            stage.advance(only)
            if age >= first and stage.rests(stage.look(only)[0].tolist()):
                break
        final[number] = stage.look(only)[0]
    return final


def _in_places(stage: Stage, rows: Floats, first: int, limit: int) -> Floats:
    """Throw in many places; each takes the next release as soon as its die rests."""
    n, final = len(rows), np.empty_like(rows)
    live = np.arange(min(stage.places, n))
    throws, ages, waiting = live.copy(), np.zeros(len(live), np.int64), len(live)
    stage.put(live, rows[live])
    while live.size:
        stage.advance(live)
        ages[live] += 1
        ripe = live[ages[live] >= first]
        if not ripe.size:
            continue
        now = stage.look(ripe)
        ended = stage.over(ripe, now) | (ages[ripe] >= limit)
        places = ripe[ended]
        final[throws[places]] = now[ended]
        fresh = np.arange(waiting, min(waiting + len(places), n))
        filled, emptied = np.split(places, [len(fresh)])
        stage.put(filled, rows[fresh])
        throws[filled], ages[filled], waiting = fresh, 0, waiting + len(fresh)
        live = np.setdiff1d(live, emptied)
    return final


def heights_on(
    make: Callable[[Setup, float], Stage], state: States, setup: Setup, step: float, seconds: float
) -> Floats:
    """Follow one die on a stage whose spell is a single step.

    Parameters
    ----------
    make : callable
        Builds the stage for a setup and a time step.
    state : States
        One release.
    setup : Setup
        Die, table and gravity.
    step : float
        Time step, s.
    seconds : float
        For how long.

    Returns
    -------
    array
        Height of the centre at release and after every step, m.
    """
    only = np.zeros(1, np.intp)
    with closing(make(setup, step)) as stage:
        stage.put(only, stage.lay_out(state))
        heights = [float(state.position[0, 2])]
        for _ in range(round(seconds / step)):
            stage.advance(only)
            heights.append(float(stage.look(only)[0, 2]))
    return np.asarray(heights)
