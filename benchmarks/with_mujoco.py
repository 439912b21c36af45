"""MuJoCo as it is raced: one die in a loop, independent worlds in a batch or in rollouts, many dice in one world."""

from functools import partial
from typing import Any

import mujoco
import numpy as np
from mujoco import batch, rollout

from benchmarks.contenders import Floats, Form
from benchmarks.stage import SPELL, Places, Stage, heights_on, throw_on
from dicesim.parameters import Setup
from dicesim.states import States

HOW = (
    "box on a plane, pyramidal friction cone, Newton's method, Euler steps; its contact is a spring and damper: "
    "solref is 4 time steps and a damping ratio of 0.34, fitted in the drop (the default, 0.02 s and 1, gives 0.00); "
    "unused stages and the warm start are off"
)

STIFFNESS_STEPS = 4  # time constant of a contact; from 2 down it may give back more energy than it got
DAMPING_RATIO = 0.34  # gives about 0.36 in the median over how a landing falls between two steps
SLEEPY = 0.05  # m/s and rad/s; with the default, 1e-3, dice creep and none falls asleep within 8 s
UNUSED = ("actuation", "damper", "equality", "frictionloss", "limit", "midphase", "sensor", "spring", "warmstart")


def model(setup: Setup, step: float, dice: int, *, sleep: bool = False) -> Any:
    """Build a world: a plane, and dice that touch it and not each other."""
    if setup.table.restitution != 0.36:
        raise ValueError(f"the contact was fitted to restitution 0.36, not {setup.table.restitution:g}")
    half = setup.die.edge / 2
    flags = " ".join(f'{name}="disable"' for name in UNUSED) + ' sleep="enable"' * sleep
    die = f'<body pos="0 0 1"><freejoint/><geom type="box" size="{half} {half} {half}" conaffinity="0"/></body>'
    return mujoco.MjModel.from_xml_string(
        f"""<mujoco>
          <option timestep="{step!r}" gravity="0 0 {-setup.gravity!r}" sleep_tolerance="{SLEEPY}">
            <flag {flags}/>
          </option>
          <default><geom friction="{setup.table.friction!r}"
            solref="{STIFFNESS_STEPS * step!r} {DAMPING_RATIO}"/></default>
          <worldbody><geom type="plane" size="9 9 1" contype="0"/>{die * dice}</worldbody>
        </mujoco>"""
    )


class MujocoStage(Stage):
    """What all forms share: a row is MuJoCo's own qpos and qvel of a free body."""

    def lay_out(self, releases: States) -> Floats:
        """MuJoCo wants the angular velocity about body axes."""
        spin = np.einsum("nij,ni->nj", releases.axes, releases.angular_velocity)
        return np.hstack([releases.position, releases.quaternions, releases.velocity, spin])


class World(MujocoStage):
    """Dice in one world."""

    def __init__(self, setup: Setup, step: float, dice: int, *, sleep: bool = False, spell: float = SPELL) -> None:
        super().__init__(setup, step, dice, spell)
        self.model = model(setup, step, dice, sleep=sleep)
        self.data = mujoco.MjData(self.model)
        self.pose, self.motion = self.data.qpos.reshape(dice, 7), self.data.qvel.reshape(dice, 6)

    def put(self, places: Places, rows: Floats) -> None:
        """Overwrite the dice."""
        self.pose[places], self.motion[places] = rows[:, :7], rows[:, 7:]

    def advance(self, places: Places) -> None:
        """All steps of the spell in one call."""
        mujoco.mj_step(self.model, self.data, nstep=self.steps)

    def look(self, places: Places) -> Floats:
        """Copy the dice."""
        return np.concatenate([self.pose[places], self.motion[places]], axis=1)


class SleepyWorld(World):
    """Dice in one world that are over when the engine puts them to sleep.

    It asks for their speed alone, so that some fall asleep in the air or on an edge; they count as not settled.
    """

    def __init__(self, setup: Setup, step: float, dice: int) -> None:
        super().__init__(setup, step, dice, sleep=True)

    def over(self, places: Places, rows: Floats) -> Any:
        """Ask the engine."""
        return self.data.tree_asleep[places] >= 0


class Independent(MujocoStage):
    """Worlds of one die in a batch, on the calling thread."""

    def __init__(self, setup: Setup, step: float, worlds: int) -> None:
        super().__init__(setup, step, worlds)
        self.batch = batch.Batch(model(setup, step, 1), worlds, 1)
        self.pose, self.motion = self.batch.bind("qpos"), self.batch.bind("qvel")

    def put(self, places: Places, rows: Floats) -> None:
        """Overwrite the dice."""
        self.pose[places], self.motion[places] = rows[:, :7], rows[:, 7:]

    def advance(self, places: Places) -> None:
        """Step the worlds that are in use."""
        self.batch.step(places.astype(np.int32), nstep=self.steps)

    def look(self, places: Places) -> Floats:
        """Copy the dice."""
        return np.concatenate([self.pose[places], self.motion[places]], axis=1)


class Rollouts(MujocoStage):
    """Worlds of one die, rolled out spell by spell on the calling thread."""

    def __init__(self, setup: Setup, step: float, worlds: int) -> None:
        super().__init__(setup, step, worlds)
        self.model = model(setup, step, 1)
        self.data, self.pool = mujoco.MjData(self.model), rollout.Rollout(nthread=0)
        self.state = np.zeros((worlds, 14))  # time, then the row

    def close(self) -> None:
        """Close the pool."""
        self.pool.close()

    def put(self, places: Places, rows: Floats) -> None:
        """Overwrite the dice."""
        self.state[places, 1:] = rows

    def advance(self, places: Places) -> None:
        """Roll out the worlds that are in use, and keep the last state."""
        states, _ = self.pool.rollout(self.model, [self.data], self.state[places], nstep=self.steps)
        self.state[places] = states[:, -1]

    def look(self, places: Places) -> Floats:
        """Copy the dice."""
        return self.state[places, 1:]


def _form(name: str, make: Any, slow: int, fast: int) -> Form:
    return Form(name, partial(throw_on, make), {1 / 2000: slow, 1 / 500: fast})


FORMS = (
    _form("one die in a loop", partial(World, dice=1), 500, 1500),
    _form("Batch of 100 worlds", partial(Independent, worlds=100), 500, 1500),
    _form("rollout of 100 worlds", partial(Rollouts, worlds=100), 500, 1500),
    _form("20 dice in one world", partial(World, dice=20), 1200, 2500),
    _form("50 dice in one world, to its sleep", partial(SleepyWorld, dice=50), 1200, 2500),
)
heights = partial(heights_on, partial(World, dice=1, spell=0))
