"""How many items become work: blocks, seeds, executors, progress. Knows no physics.

Items are cut into blocks of fixed size, and each block draws from a generator of its own, seeded by the block's
number. Results therefore depend neither on the number of workers nor on who does which block, and the first items
of a longer run are the items of a shorter one.
"""

import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np

BLOCK = 8192  # items; part of the reproducibility promise, since draws depend on it

Result = TypeVar("Result")


def root_seed(rng: Any) -> np.random.SeedSequence:
    """The seed of a whole run.

    Parameters
    ----------
    rng : Generator, SeedSequence, int or None
        A generator gives 128 of its bits, so that a second run with it differs; None asks the system.

    Returns
    -------
    SeedSequence
        Where all blocks' seeds come from.

    Raises
    ------
    ValueError
        If it is anything else, or a negative number.

    Examples
    --------
    >>> root_seed(7).entropy
    7
    """
    if isinstance(rng, np.random.SeedSequence):
        return rng
    if isinstance(rng, np.random.Generator):
        return np.random.SeedSequence(int.from_bytes(rng.bytes(16), "little"))
    if rng is None or (isinstance(rng, int | np.integer) and not isinstance(rng, bool) and rng >= 0):
        return np.random.SeedSequence(None if rng is None else int(rng))
    raise ValueError(f"rng must be a Generator, a SeedSequence, a whole number from 0 or None, not {rng!r}")


def generator(rng: Any) -> np.random.Generator:
    """The generator to draw from.

    Parameters
    ----------
    rng : Generator, SeedSequence, int or None
        A generator is taken as it is; anything else seeds a new one.

    Returns
    -------
    Generator
        Where random numbers come from.

    Raises
    ------
    ValueError
        If it is of another kind.

    Examples
    --------
    >>> float(generator(7).random()) == float(np.random.default_rng(7).random())
    True
    """
    return rng if isinstance(rng, np.random.Generator) else np.random.default_rng(root_seed(rng))


def block_generator(root: np.random.SeedSequence, block: int) -> np.random.Generator:
    """The generator of one block.

    Parameters
    ----------
    root : SeedSequence
        Seed of the run.
    block : int
        Number of the block, from 0.

    Returns
    -------
    Generator
        Philox, seeded by the run and the block.

    Examples
    --------
    >>> float(block_generator(root_seed(7), 0).random()) != float(block_generator(root_seed(7), 1).random())
    True
    """
    seed = np.random.SeedSequence(root.entropy, spawn_key=(*root.spawn_key, block), pool_size=root.pool_size)
    return np.random.Generator(np.random.Philox(seed))


def blocks(n: int) -> Iterator[tuple[int, int, int]]:
    """Cut n items into blocks.

    Parameters
    ----------
    n : int
        How many items.

    Yields
    ------
    tuple of int
        Number, first item and end of each block.

    Examples
    --------
    >>> list(blocks(10_000))
    [(0, 0, 8192), (1, 8192, 10000)]
    """
    for number, start in enumerate(range(0, n, BLOCK)):
        yield number, start, min(start + BLOCK, n)


def worker_count() -> int:
    """Count the processors this process may use.

    Returns
    -------
    int
        At least 1.

    Examples
    --------
    >>> worker_count() >= 1
    True
    """
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def _pool(executor: Executor | None) -> Iterator[Executor]:
    if executor is not None:
        yield executor
        return
    own = ThreadPoolExecutor(worker_count())
    try:
        yield own
    finally:
        own.shutdown(cancel_futures=True)


@contextmanager
def _bar(total: int, progress: bool) -> Iterator[Callable[[int], Any]]:
    if not progress:
        yield lambda done: None
        return
    from tqdm.auto import tqdm

    with tqdm(total=total, unit=" throws", unit_scale=True) as bar:
        yield bar.update


def map_blocks(
    work: Callable[..., Result],
    n: int,
    *,
    executor: Executor | None = None,
    progress: bool = False,
) -> Iterator[Result]:
    """Do every block, and hand the results over in order.

    Only a few blocks are ahead of the one handed over, so that memory does not grow with n.

    Parameters
    ----------
    work : callable
        Called with number, first item and end of a block; picklable if the executor uses processes.
    n : int
        How many items.
    executor : concurrent.futures.Executor, optional
        Who works; threads on all processors by default.
    progress : bool
        Whether to draw a bar on stderr.

    Yields
    ------
    Result
        What `work` returned, block by block.

    Examples
    --------
    >>> list(map_blocks(lambda number, start, end: end - start, 10_000))
    [8192, 1808]
    """
    if executor is not None and not isinstance(executor, Executor):
        raise ValueError(f"executor must be a concurrent.futures.Executor, not {executor!r}")
    with _bar(n, progress) as advance:
        if n <= BLOCK and executor is None:
            for block in blocks(n):
                yield work(*block)
                advance(n)
            return
        with _pool(executor) as pool:
            yield from _in_order(pool, work, n, advance)


def _in_order(pool: Executor, work: Callable[..., Result], n: int, advance: Callable[[int], Any]) -> Iterator[Result]:
    ahead = 4 * worker_count()
    waiting: deque[tuple[Future[Result], int]] = deque()
    try:
        for number, start, end in blocks(n):
            waiting.append((pool.submit(work, number, start, end), end - start))
            if len(waiting) >= ahead:
                yield _take(waiting, advance)
        while waiting:
            yield _take(waiting, advance)
    finally:
        for future, _ in waiting:
            future.cancel()


def _take(waiting: deque[tuple[Future[Result], int]], advance: Callable[[int], Any]) -> Result:
    future, items = waiting.popleft()
    result = future.result()
    advance(items)
    return result
