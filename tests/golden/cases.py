"""What is hashed: draws, releases, throws, a tally, trajectories."""

import hashlib
from collections.abc import Iterator
from concurrent.futures import Executor
from typing import Any, NamedTuple

import numpy as np

from dicesim import (
    Die,
    Lowered,
    Outcomes,
    Release,
    Setup,
    Shaken,
    Solver,
    States,
    SteadyHand,
    Table,
    Trajectory,
    count,
    throw,
    trajectory,
)
from dicesim.ensembles import BLOCK, block_generator, root_seed
from dicesim.releases import standard_normals

SEED = 2026

RELEASES: dict[str, Release] = {
    "Shaken": Shaken(),
    "SteadyHand": SteadyHand(),
    "Lowered": Lowered(),
    "Lowered, another die": Lowered(gap=1e-4, die=Die(edge=0.016)),
}


class Size(NamedTuple):
    """How much is hashed."""

    draws: int
    throws: int
    restitutions: tuple[float, ...]
    shaken: Shaken


# The small size is for a kernel without a compiler: few throws, let go low; yet more of them than there are lanes.
SIZES = {
    "full": Size(20_000, 2 * BLOCK + 1000, (0.0, 0.36, 0.75, 0.95), Shaken()),
    "small": Size(100, 40, (0.36,), Shaken(height=0.02, speed=0.1, spin=10.0)),
}


def sha256(*arrays: Any) -> str:
    """Hash type, shape and bytes of arrays; the bytes in little-endian order on every machine."""
    digest = hashlib.sha256()
    for array in map(np.asarray, arrays):
        if array.dtype.hasobject:
            raise TypeError(f"only numbers have bytes to hash, not {array!r}")
        little = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
        digest.update(f"{little.dtype.str} {array.shape} ".encode())
        digest.update(little.tobytes())
    return digest.hexdigest()


def arrays_of(thing: States | Outcomes | Trajectory) -> list[Any]:
    """Collect all that is an array, or a truth value, in the order of the fields."""
    arrays: list[Any] = []
    for value in vars(thing).values():
        if isinstance(value, States):
            arrays += arrays_of(value)
        elif isinstance(value, np.ndarray | bool):
            arrays.append(value)
    return arrays


def draws(n: int) -> Iterator[tuple[str, str]]:
    """Hash what the generators of blocks give, plain and as normal deviates."""
    for block in (0, 1, 1000):
        yield f"uniforms of block {block}", sha256(block_generator(root_seed(SEED), block).random((n, 10)))
        yield (
            f"normals of block {block}",
            sha256(standard_normals(n, 10, block_generator(root_seed(SEED), block))),
        )


def releases(n: int) -> Iterator[tuple[str, str]]:
    """Hash the states that each way to let go draws."""
    for name, release in RELEASES.items():
        yield f"releases, {name}", sha256(*arrays_of(release.sample(n, rng=SEED)))


def throws(size: Size, executor: Executor | None) -> Iterator[tuple[str, str]]:
    """Hash faces, and everything else, of throws from tame to wild."""
    solver = Solver(time_limit=60.0)
    setups = {f"restitution {e}": Setup(table=Table(restitution=e), solver=solver) for e in size.restitutions}
    setups["another die"] = Setup(die=Die(edge=0.012), table=Table(0.6, 0.9), gravity=3.71)
    for name, setup in setups.items():
        for until in ("face", "rest"):
            outcomes = throw(size.throws, size.shaken, setup, rng=SEED, until=until, executor=executor)
            yield f"faces, {name}, until {until}", sha256(outcomes.face)
            yield f"throws, {name}, until {until}", sha256(*arrays_of(outcomes))
    for release in (SteadyHand(height=size.shaken.height), Lowered()):
        outcomes = throw(size.throws // 2, release, rng=SEED, executor=executor)
        yield f"throws, {type(release).__name__}", sha256(*arrays_of(outcomes))


def others(size: Size, executor: Executor | None) -> Iterator[tuple[str, str]]:
    """Hash throws that spin wildly or run out of time, a tally with its sums, trajectories."""
    wild = Shaken(size.shaken.height, speed=size.shaken.speed, spin=8 * size.shaken.spin)
    yield "throws, wild", sha256(*arrays_of(throw(size.throws // 4, wild, rng=SEED, executor=executor)))
    hasty = Setup(solver=Solver(time_limit=0.1))
    cut = throw(size.throws // 4, size.shaken, hasty, rng=SEED, until="rest", executor=executor)
    yield "throws, out of time", sha256(*arrays_of(cut))
    tally = count(size.throws, size.shaken, rng=SEED, until="rest", executor=executor)
    said = (tally.n, tally.counts, tally.unsettled, tally.contacts, tally.settle_time, tally.digest)
    yield "tally", hashlib.sha256(repr(said).encode()).hexdigest()
    for until in ("face", "rest"):
        states = size.shaken.sample(3, rng=SEED)
        paths = [trajectory(states[k], until=until) for k in range(len(states))]
        yield f"trajectories until {until}", sha256(*(array for path in paths for array in arrays_of(path)))


def hashes(size: str, executor: Executor | None = None) -> dict[str, str]:
    """Compute every hash of a size, whoever works."""
    chosen = SIZES[size]
    parts = (draws(chosen.draws), releases(chosen.draws), throws(chosen, executor), others(chosen, executor))
    return {name: value for part in parts for name, value in part}
