"""Who is raced: engines by name, each a module that says how it throws dice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dicesim.parameters import Setup
from dicesim.states import States

Floats = npt.NDArray[np.float64]


class MissingEngine(ValueError):
    """Engines that are asked for are not installed."""


class Thrown(NamedTuple):
    """What became of some releases."""

    face: npt.NDArray[np.int8]
    settled: npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Form:
    """One way in which an engine throws many dice.

    Parameters
    ----------
    name : str
        What the row is called.
    throw : callable
        Throws releases in a setup at a time step, on one thread.
    throws : mapping
        How many make a pass of a second or more, by time step; the steps at which the form is raced.
    """

    name: str
    throw: Callable[[States, Setup, float], Thrown]
    throws: Mapping[float, int]


@dataclass(frozen=True)
class Engine:
    """An engine, as data.

    Parameters
    ----------
    name : str
        What people call it.
    module : str
        Module with ``FORMS``, a tuple of Form, ``HOW``, a sentence on its contact model, and ``heights``, which
        follows one die: a function of state, setup, time step and seconds that gives the height of its centre at
        release and after every step.
    package : str
        What is installed, and asked for its version.
    """

    name: str
    module: str
    package: str

    def load(self) -> ModuleType:
        """Import the module, and with it the engine."""
        return import_module(self.module)


ENGINES = (
    Engine("dicesim", "benchmarks.ours", "fairdice"),
    Engine("MuJoCo", "benchmarks.with_mujoco", "mujoco"),
    Engine("PyBullet", "benchmarks.with_pybullet", "pybullet"),
)


def load_engines(engines: Iterable[Engine] = ENGINES) -> dict[str, Any]:
    """Import every engine.

    Parameters
    ----------
    engines : iterable of Engine
        Which.

    Returns
    -------
    dict
        Their modules by the engines' names, in order.

    Raises
    ------
    MissingEngine
        If any is not installed; all that are missing are named.
    """
    loaded: dict[str, Any] = {}
    missing = []
    for engine in engines:
        try:
            loaded[engine.name] = engine.load()
        except ModuleNotFoundError:
            missing.append(engine.package)
    if missing:
        raise MissingEngine(
            f"not installed: {', '.join(missing)}; `make bench` installs what is raced, "
            "or do it with `pip install --group bench`"
        )
    return loaded
