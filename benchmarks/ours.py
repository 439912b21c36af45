"""`dicesim` as it is raced: on one thread, to a certain face and to rest."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

import numpy as np

from benchmarks.contenders import Floats, Form, Thrown
from dicesim.parameters import Setup
from dicesim.simulator import Until, throw
from dicesim.states import States
from dicesim.trajectories import trajectory

STEP = 1 / 2000
CERTAIN = "to a certain face"
HOW = "Moreau's contact law and Coulomb friction; flight is a closed form, so that the step is that on the table"


def throw_alone(until: Until, releases: States, setup: Setup, step: float) -> Thrown:
    """Throw with one worker, whatever the machine has."""
    with ThreadPoolExecutor(1) as one:
        outcomes = throw(releases, setup=_stepping(setup, step), until=until, executor=one)
    return Thrown(outcomes.face, outcomes.settled)


def heights(state: States, setup: Setup, step: float, seconds: float) -> Floats:
    """Height of the centre at release and after every time step, m."""
    times = np.arange(round(seconds / step) + 1) * step
    return trajectory(state, _stepping(setup, step)).at(times).position[:, 2]


def _stepping(setup: Setup, step: float) -> Setup:
    return replace(setup, solver=replace(setup.solver, time_step=step))


FORMS = (
    Form(CERTAIN, partial(throw_alone, "face"), {STEP: 300_000}),
    Form("to rest", partial(throw_alone, "rest"), {STEP: 100_000}),
)
