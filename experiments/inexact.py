"""What breaks the symmetry of a die's names where arithmetic does not keep it: chaos, or a branch.

The shipped kernel is exact. Here its mutant `INEXACT` is thrown, whose axes are rounded to a number of bits in a way
that depends on their names, and throws are counted whose face a relabelling does not permute. Three tolerances are
tried, below which a pressed corner's approach is none: the shipped one; none at all, so that the sign of a rounding
error decides; and a wide one, so that rounding errors decide nothing.
"""

import math
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from dicesim import kernel
from dicesim.ensembles import worker_count
from dicesim.events import events
from dicesim.parameters import Setup
from dicesim.releases import Shaken
from dicesim.simulator import from_rows, kernel_parameters, throw, to_rows
from dicesim.solids import relabel_axes, relabel_faces, up_face
from dicesim.states import States
from dicesim.stats import proportion_interval
from experiments.experiment import Claim, Experiment, digest
from tests.mutants import INEXACT, broken, inexact

Floats = npt.NDArray[np.float64]
SOURCE = 5 / 12_000  # share of the source's throws that break the symmetry
HALF_TURN = 23  # swaps the first axis for the third; half turns that leave the third in place change no bit here either
SHIPPED, NONE, WIDE = kernel.STILL, 0.0, 1e-2


@dataclass(frozen=True)
class Inexact:
    """How many throws, at which precisions, and how many of them are looked into."""

    throws: int
    looked_into: int
    shipped: tuple[int, ...]
    none: tuple[int, ...]
    wide: tuple[int, ...]
    branch_bits: int
    boundary_bits: int
    release: Shaken = field(default_factory=Shaken)
    setup: Setup = field(default_factory=Setup)


Faces = Callable[[States, Any], npt.NDArray[np.int8]]


def faces_of(module: ModuleType, states: States, p: Any) -> npt.NDArray[np.int8]:
    """Throw with a kernel of its own, on all processors."""
    parts = np.array_split(to_rows(states), 4 * worker_count())
    with ThreadPoolExecutor(worker_count()) as threads:
        rows = np.concatenate(list(threads.map(lambda part: module.simulate(part, p), parts)))
    return up_face(from_rows(rows).axes)


def failures(module: ModuleType, states: States, p: Any) -> npt.NDArray[np.bool_]:
    """Whether the relabelling does not permute the face."""
    named, renamed = faces_of(module, states, p), faces_of(module, states.relabelled(HALF_TURN), p)
    return renamed != relabel_faces(HALF_TURN)[named]


def point(bits: int, failed: npt.NDArray[np.bool_]) -> dict[str, Any]:
    """The share of one precision, with its interval."""
    low, high = proportion_interval(int(failed.sum()), len(failed))
    count = int(failed.sum())
    return {"bits": bits, "throws": len(failed), "failures": count, "share": count / len(failed), "low": low, "high": high}


def series(
    module: ModuleType, p: Inexact, still: float, precisions: tuple[int, ...], rng: np.random.Generator
) -> list[dict[str, Any]]:
    """Failures against precision at one tolerance; releases are new at each."""
    base, rows = module_parameters(p), []
    for bits in precisions:
        states = p.release.sample(p.throws, rng=rng)
        rows.append(point(bits, failures(module, states, inexact(base, bits, still))))
    return rows


def module_parameters(p: Inexact) -> Any:
    """Parameters of the kernel that is in place now."""
    return kernel_parameters(p.setup, "face")


def exponent(points: list[dict[str, Any]]) -> dict[str, float]:
    """Fit failures = throws c 2^(-alpha bits), counts after Poisson, by the likelihood; 95 % from its curvature.

    `bits_of_source` is the precision at which the fit fails as often as the source, `at_double` the share it gives at
    53 bits.
    """
    bits, counts, throws = (np.array([row[key] for row in points], float) for key in ("bits", "failures", "throws"))
    x = np.column_stack([np.ones_like(bits), -math.log(2) * (bits - bits.mean())])
    beta = np.array([math.log(counts.sum() / throws.sum()), 1.0])
    for _ in range(50):
        expected = throws * np.exp(x @ beta)
        spread = np.linalg.inv(x.T @ (expected[:, None] * x))
        beta = beta + np.clip(spread @ x.T @ (counts - expected), -1.0, 1.0)
    error = 1.96 * math.sqrt(spread[1, 1])
    alpha, level = float(beta[1]), float(beta[0])
    above = (level - math.log(SOURCE)) / (alpha * math.log(2))
    return {
        "alpha": alpha,
        "low": alpha - error,
        "high": alpha + error,
        "bits_of_source": float(bits.mean() + above),
        "at_double": math.exp(level - alpha * math.log(2) * (53 - float(bits.mean()))),
    }
