"""Every experiment of the study, in the order in which they run."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from experiments.experiment import Experiment

#: Modules that declare experiments, each as a tuple named EXPERIMENTS.
MODULES: Final = ("calibration", "numerics", "mesh", "fairness")


def gather(modules: tuple[str, ...]) -> tuple[Experiment[Any], ...]:
    """Collect the experiments that modules declare; a module still to be written has none.

    Parameters
    ----------
    modules : tuple of str
        Names of modules of this package.

    Returns
    -------
    tuple of Experiment
        Their experiments, in order.

    Raises
    ------
    ValueError
        If two experiments share a name, and so a result file.
    """
    found = [f"experiments.{name}" for name in modules if find_spec(f"experiments.{name}")]
    experiments = tuple(experiment for name in found for experiment in import_module(name).EXPERIMENTS)
    names = [experiment.name for experiment in experiments]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"experiments need names of their own; used twice: {', '.join(twice)}")
    return experiments


EXPERIMENTS: Final = gather(MODULES)
