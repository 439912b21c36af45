"""Short checks of the physics, for proving that a broken kernel is caught.

Each is true of the shipped kernel and false of the mutants beside it in `CHECKS`. They keep to short time limits,
because a broken kernel may crawl.
"""

import math
from collections.abc import Callable

import numpy as np

import dicesim
from dicesim import Setup, Shaken, Solver, States, Table
from dicesim.solids import relabel_faces
from tests.mutants import DROPPED_TERM, OVERSHOT_BUDGET, PENETRATION_ONLY

RELEASES = Shaken().sample(24, rng=1)


def flight_is_closed() -> bool:
    """0.2 s of free flight end where the formula says."""
    setup = Setup(solver=Solver(time_limit=0.2))
    end = dicesim.throw(RELEASES, setup=setup, until="rest").states.position[:, 2]
    formula = RELEASES.position[:, 2] + 0.2 * RELEASES.velocity[:, 2] - 0.5 * setup.gravity * 0.2**2
    return bool(np.abs(end - formula).max() < 1e-12)


def limit_is_kept() -> bool:
    """No throw runs longer than an odd limit."""
    outcomes = dicesim.throw(RELEASES, setup=Setup(solver=Solver(time_limit=0.4321)), until="rest")
    assert outcomes.settle_time is not None
    return bool(outcomes.settle_time.max() <= 0.4321)


def throws_settle() -> bool:
    """Every throw rests within 8 s."""
    return bool(dicesim.throw(RELEASES, until="rest").settled.all())


def flat_drop_rebounds() -> bool:
    """A die dropped flat rebounds at e times its speed, without spin."""
    setup, drop, limit = Setup(solver=Solver(time_limit=0.102)), 0.05, 0.102
    landing = math.sqrt(2 * drop / setup.gravity)  # 0.10098 s
    still = np.zeros((1, 3))
    release = States(np.array([[0, 0, setup.die.edge / 2 + drop]]), np.eye(3)[None], still, still)
    end = dicesim.throw(release, setup=setup, until="rest").states
    rebound = end.velocity[0, 2] + setup.gravity * (limit - landing)
    return bool(abs(rebound - 0.36 * setup.gravity * landing) < 1e-9 and not end.angular_velocity.any())


def ledgers_are_sound() -> bool:
    """Energy never rises, no contact pulls, and friction keeps to its cone."""
    for k in range(len(RELEASES)):
        path = dicesim.trajectory(RELEASES[k], Setup(table=Table(restitution=0.6), solver=Solver(time_limit=0.4)))
        tangential = np.sqrt((path.tangential_impulse**2).sum(axis=1))
        if np.diff(path.energy).max() > 1e-12 or path.normal_impulse.min() < 0:
            return False
        if (tangential > 0.34 * path.normal_impulse + 1e-15).any():
            return False
    return True


def shift_changes_nothing() -> bool:
    """A metre sideways changes no height and no face."""
    moved = dicesim.throw(RELEASES.replace(position=RELEASES.position + np.array([1.0, 0, 0])))
    stayed = dicesim.throw(RELEASES)
    return bool((moved.face == stayed.face).all() and (moved.states.velocity == stayed.states.velocity).all())


def relabelling_permutes() -> bool:
    """Renaming the sides permutes the face."""
    faces = dicesim.throw(RELEASES).face
    return all((dicesim.throw(RELEASES.relabelled(k)).face == relabel_faces(k)[faces]).all() for k in range(24))


def passes(check: Callable[[], bool]) -> bool:
    """Whether a check passes; a state that the simulator itself refuses does not."""
    try:
        return check()
    except ValueError:
        return False


CHECKS: dict[str, Callable[[], bool]] = {
    DROPPED_TERM.name: flight_is_closed,
    OVERSHOT_BUDGET.name: limit_is_kept,
    PENETRATION_ONLY.name: throws_settle,
    "one corner at a time": flat_drop_rebounds,
    "energetic restitution": flat_drop_rebounds,
    "boundless friction": ledgers_are_sound,
    "driving friction": ledgers_are_sound,
    "tilted table": shift_changes_nothing,
    "numbered axes": relabelling_permutes,
}
