"""Small experiments to try the framework with."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from experiments.experiment import Claim, Experiment


@dataclass(frozen=True)
class Coins:
    throws: int
    bias: float = 0.5

    def __post_init__(self) -> None:
        if self.throws == 13:
            raise ValueError("coins: 13 throws are unlucky; take 12 or 14")


@dataclass(frozen=True)
class Shape:
    sides: int


def toss(parameters: Coins, rng: np.random.Generator) -> dict[str, Any]:
    heads = rng.random(parameters.throws) < parameters.bias
    return {"heads": heads.sum(), "throws": parameters.throws, "outcome_hash": heads.tobytes().hex()[:16]}


EVEN = Claim(
    "heads come up about half the time",
    "a toy",
    holds=lambda rows: bool(abs(rows["heads"] / rows["throws"] - 0.5) < 0.1),
    published="50 %",
    ours=lambda rows: f"{100 * rows['heads'] / rows['throws']:.1f} %",
    verdict="reproduced",
)
NEVER = Claim("heads never come up", "a toy", holds=lambda rows: bool(rows["heads"] == 0))
COINS = Experiment("coins", "Do coins fall evenly?", (EVEN,), Coins(1000), Coins(50), 7, toss)
SIDES = Experiment("sides", "How many sides?", (), Shape(6), Shape(2), 1, lambda shape, rng: [{"n": shape.sides}])
BOTH = (COINS, SIDES)


def claiming(*claims: Claim) -> Experiment[Coins]:
    return replace(COINS, claims=claims)


def measuring(measure: Callable[[Coins, np.random.Generator], Any]) -> Experiment[Coins]:
    return replace(COINS, claims=(), measure=measure)


def bars(rows: Any, ax: Any) -> Any:
    ax.bar([0, 1], [rows["heads"], rows["throws"] - rows["heads"]])
    ax.set_title("heads and tails")
    return ax
