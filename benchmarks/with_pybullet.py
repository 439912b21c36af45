"""PyBullet as it is raced: one die in a loop, and many dice in one world."""

from functools import partial
from typing import Any

import numpy as np
import pybullet

from benchmarks.contenders import Floats, Form
from benchmarks.stage import SPELL, Places, Stage, heights_on, throw_on
from dicesim.parameters import Setup
from dicesim.states import States

HOW = (
    "box on a plane as plain rigid bodies (maximal coordinates), restitution and friction as they are, damping 0 "
    "instead of 0.04, restitution from 0.01 m/s on instead of 0.2; all steps between two looks in one call as substeps"
)

APART = 1.0  # m between neighbouring places, more than two dice can come near each other
ROW = 32  # places in a row
BOUNCE_FROM = 0.01  # m/s; below, an impact is plastic
PLANE = {"restitution": 1.0, "lateralFriction": 1.0}  # the engine multiplies the two bodies' values


class World(Stage):
    """Dice in one world."""

    def __init__(self, setup: Setup, step: float, dice: int, *, spell: float = SPELL) -> None:
        super().__init__(setup, step, dice, spell)
        self.engine = pybullet.connect(pybullet.DIRECT)
        self._configure(setup, step)
        self._add(pybullet.GEOM_PLANE, 0.0, **PLANE)
        half, surface = setup.die.edge / 2, {"restitution": setup.table.restitution}
        surface |= {"lateralFriction": setup.table.friction, "linearDamping": 0.0, "angularDamping": 0.0}
        self.dice = [
            self._add(pybullet.GEOM_BOX, 1.0, shape={"halfExtents": [half] * 3}, **surface) for _ in range(dice)
        ]
        self.corners = APART * np.stack(np.divmod(np.arange(dice), ROW), axis=1)

    def _configure(self, setup: Setup, step: float) -> None:
        pybullet.setGravity(0, 0, -setup.gravity, physicsClientId=self.engine)
        pybullet.setPhysicsEngineParameter(
            fixedTimeStep=self.steps * step,
            numSubSteps=self.steps if self.steps > 1 else 0,
            restitutionVelocityThreshold=BOUNCE_FROM,
            physicsClientId=self.engine,
        )

    def _add(self, kind: int, mass: float, shape: Any = {}, **surface: float) -> int:  # noqa: B006
        client = {"physicsClientId": self.engine}
        form = pybullet.createCollisionShape(kind, **shape, **client)
        body: int = pybullet.createMultiBody(mass, form, useMaximalCoordinates=True, **client)
        never = pybullet.ACTIVATION_STATE_DISABLE_SLEEPING  # it would wait for 2 s of rest
        pybullet.changeDynamics(body, -1, activationState=never, **surface, **client)
        return body

    def close(self) -> None:
        """End the engine."""
        pybullet.disconnect(self.engine)

    def lay_out(self, releases: States) -> Floats:
        """A row as everywhere."""
        return np.hstack([releases.position, releases.quaternions, releases.velocity, releases.angular_velocity])

    def put(self, places: Places, rows: Floats) -> None:
        """Move the dice to above their places."""
        for place, row in zip(places.tolist(), rows.tolist(), strict=True):
            (x, y), (px, py, pz, w, i, j, k) = self.corners[place].tolist(), row[:7]
            position, turn, die = (px + x, py + y, pz), (i, j, k, w), self.dice[place]
            pybullet.resetBasePositionAndOrientation(die, position, turn, physicsClientId=self.engine)
            pybullet.resetBaseVelocity(die, row[7:10], row[10:], physicsClientId=self.engine)

    def advance(self, places: Places) -> None:
        """All steps of the spell in one call."""
        pybullet.stepSimulation(physicsClientId=self.engine)

    def look(self, places: Places) -> Floats:
        """Ask for each die; there is no call for many."""
        return np.asarray([self._row(self.dice[place]) for place in places.tolist()])

    def _row(self, die: int) -> list[float]:
        position, (i, j, k, w) = pybullet.getBasePositionAndOrientation(die, physicsClientId=self.engine)
        velocity, spin = pybullet.getBaseVelocity(die, physicsClientId=self.engine)
        return [*position, w, i, j, k, *velocity, *spin]


def _form(name: str, dice: int, slow: int, fast: int) -> Form:
    return Form(name, partial(throw_on, partial(World, dice=dice)), {1 / 2000: slow, 1 / 240: fast})


FORMS = (_form("one die in a loop", 1, 800, 2500), _form("20 dice in one world", 20, 1000, 3000))
heights = partial(heights_on, partial(World, dice=1, spell=0))
