"""Every experiment of the study, in the order in which they run."""

from importlib import import_module
from typing import Any, Final

from experiments.experiment import Experiment

#: Modules that declare experiments, each as a tuple named EXPERIMENTS.
MODULES: Final = (
    "calibration",
    "numerics",
    "mesh",
    "fairness",
    "wobble",
    "labelling",
    "lowered",
    "symmetry",
    "inexact",
    "certainty",
    "decorrelation",
    "contacts",
    "amplification",
    "aim",
    "basins",
    "convergence",
    "classics",
    "faults",
    "cost",
    "stages",
)


def gather(modules: tuple[str, ...]) -> tuple[Experiment[Any], ...]:
    """Collect the experiments that modules declare.

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
    found = [import_module(f"experiments.{name}") for name in modules]
    experiments = tuple(experiment for module in found for experiment in module.EXPERIMENTS)
    names = [experiment.name for experiment in experiments]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"experiments need names of their own; used twice: {', '.join(twice)}")
    return experiments


EXPERIMENTS: Final = gather(MODULES)
