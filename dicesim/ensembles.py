"""How many items become work: blocks, seeds, executors, progress. Knows no physics.

Items are cut into blocks of fixed size, and each block draws from a generator of its own, seeded by the block's
number. Results therefore depend neither on the number of workers nor on who does which block, and the first items
of a longer run are the items of a shorter one.

The caller's own thread never works: it waits, so that Ctrl-C reaches it at once, however long a block takes.
"""

import os
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import islice
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple, TypeVar

import numpy as np

BLOCK = 8192  # items; part of the reproducibility promise, since draws depend on it
GLANCE = 0.2  # seconds between two looks at what has happened
AHEAD = 4  # blocks in flight for each worker: none waits for its next one, and memory does not grow with the run

Result = TypeVar("Result")
Ranges = Sequence[tuple[int, int]]


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


def block_count(n: int) -> int:
    """Count the blocks of n items.

    Parameters
    ----------
    n : int
        How many items.

    Returns
    -------
    int
        How many blocks; the last may be short.

    Examples
    --------
    >>> block_count(10_000)
    2
    """
    return -(-n // BLOCK)


def blocks(n: int, ranges: Ranges | None = None) -> Iterator[tuple[int, int, int]]:
    """Cut n items into blocks.

    Parameters
    ----------
    n : int
        How many items.
    ranges : sequence of (int, int), optional
        First number and end of the blocks that are wanted, if not all are.

    Yields
    ------
    tuple of int
        Number, first item and end of each block.

    Examples
    --------
    >>> list(blocks(10_000))
    [(0, 0, 8192), (1, 8192, 10000)]
    >>> list(blocks(10_000, [(1, 2)]))
    [(1, 8192, 10000)]
    """
    for first, end in [(0, block_count(n))] if ranges is None else ranges:
        for number in range(first, end):
            yield number, number * BLOCK, min((number + 1) * BLOCK, n)


def items_in(n: int, ranges: Ranges) -> int:
    """Count the items of some blocks.

    Parameters
    ----------
    n : int
        How many items all blocks have.
    ranges : sequence of (int, int)
        First number and end of the blocks.

    Returns
    -------
    int
        How many items these have.

    Examples
    --------
    >>> items_in(10_000, [(1, 2)])
    1808
    """
    return sum(min(end * BLOCK, n) - min(first * BLOCK, n) for first, end in ranges)


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


class _Surroundings(NamedTuple):
    executor: Executor | None = None
    progress: bool = False


_HERE = _Surroundings()
_SURROUNDINGS: ContextVar[_Surroundings] = ContextVar("surroundings", default=_HERE)


@contextmanager
def working(executor: Executor | None = None, *, progress: bool = False) -> Iterator[None]:
    """Say who works, for all that is thrown while the context lasts and does not say so itself.

    Parameters
    ----------
    executor : concurrent.futures.Executor, optional
        Who works; threads of this process if not given.
    progress : bool
        Whether to draw a bar on stderr for what is longer than a block.

    Yields
    ------
    None
        Nothing.

    Examples
    --------
    >>> with ThreadPoolExecutor(2) as executor, working(executor):
    ...     sorted(map_blocks(lambda number, start, end: end - start, 10_000))
    [(0, 8192), (1, 1808)]
    """
    token = _SURROUNDINGS.set(_Surroundings(_checked(executor), progress))
    try:
        yield
    finally:
        _SURROUNDINGS.reset(token)


def _checked(executor: Executor | None) -> Executor | None:
    if executor is not None and not isinstance(executor, Executor):
        raise ValueError(f"executor must be a concurrent.futures.Executor, not {executor!r}")
    return executor


@contextmanager
def _pool(executor: Executor | None, most: int) -> Iterator[Executor]:
    """The executor that is given, or threads: as many as there are processors, and no more than there is to do."""
    if executor is not None:
        yield executor
        return
    own = ThreadPoolExecutor(max(1, min(worker_count(), most)))
    try:
        yield own
    except BaseException:  # whoever is interrupted does not wait for what still runs
        own.shutdown(wait=False, cancel_futures=True)
        raise
    own.shutdown()


def aside(work: Callable[..., Result], *arguments: Any) -> Result:
    """Do one long piece of work in a thread of its own, so that Ctrl-C reaches the caller meanwhile.

    Parameters
    ----------
    work : callable
        What to do.
    *arguments : object
        What it is called with.

    Returns
    -------
    Result
        What it returned.

    Examples
    --------
    >>> aside(max, 2, 3)
    3
    """
    with _pool(None, 1) as pool:
        return next(_as_finished(pool, work, [(None, arguments)]))[1]


def _workers(executor: Executor) -> int:
    """How many blocks an executor does at once, as far as it tells: pools know, and so does a cluster's client."""
    client = getattr(executor, "_client", None)
    told = sum(client.nthreads().values()) if client else getattr(executor, "_max_workers", None)
    return max(told or 0, worker_count())


@contextmanager
def _bar(total: int, progress: bool) -> Iterator[Callable[[int], Any]]:
    if not progress:
        yield lambda done: None
        return
    from tqdm.auto import tqdm

    class Bar(tqdm):  # type: ignore[type-arg]
        monitor_interval = 0  # no thread that would outlive the bar and hinder a later fork

    with Bar(total=total, unit=" throws", unit_scale=True, miniters=1, leave=None) as bar:
        yield bar.update


def map_blocks(
    work: Callable[..., Result],
    n: int,
    *,
    given: Any = None,
    ranges: Ranges | None = None,
    executor: Executor | None = None,
    progress: bool | None = None,
) -> Generator[tuple[int, Result]]:
    """Do every block, and hand the results over as they are finished.

    Only a few blocks for each worker are ahead of those handed over, so that memory does not grow with n. Whoever
    stops listening stops the work: blocks that have not begun are dropped, and those that run are not waited for.

    Parameters
    ----------
    work : callable
        Called with number, first item and end of a block; picklable if the executor uses processes.
    n : int
        How many items.
    given : sequence, optional
        The items, if they are there already: `work` gets those of its block as a fourth argument, and no others are
        sent to it.
    ranges : sequence of (int, int), optional
        First number and end of the blocks that are wanted, if not all are.
    executor : concurrent.futures.Executor, optional
        Who works; by default whoever `working` says, or else threads on all processors.
    progress : bool, optional
        Whether to draw a bar on stderr; by default as `working` says, or else not.

    Yields
    ------
    tuple of int and Result
        Number of a block and what `work` returned for it, in the order in which blocks are finished.

    Examples
    --------
    >>> sorted(map_blocks(lambda number, start, end: end - start, 10_000))
    [(0, 8192), (1, 1808)]
    """
    here = _SURROUNDINGS.get()
    wanted = [(0, block_count(n))] if ranges is None else ranges
    many = sum(end - first for first, end in wanted)
    calls = ((block, block if given is None else (*block, given[block[1] : block[2]])) for block in blocks(n, wanted))
    with (
        _bar(items_in(n, wanted), progress if progress is not None else here.progress and many > 1) as advance,
        _pool(_checked(executor) or here.executor, many) as pool,
    ):
        for (number, start, end), result in _as_finished(pool, work, calls):
            advance(end - start)
            yield number, result


def _as_finished(
    pool: Executor, work: Callable[..., Result], calls: Iterable[tuple[Any, tuple[Any, ...]]]
) -> Iterator[tuple[Any, Result]]:
    """Make calls, each known by a key, some of them ahead; keys and results as they come."""
    finished: SimpleQueue[Future[Result]] = SimpleQueue()
    running: dict[Future[Result], Any] = {}
    coming = iter(calls)

    def submit(most: int) -> None:
        for key, arguments in islice(coming, most):
            future = pool.submit(work, *arguments)
            running[future] = key
            future.add_done_callback(finished.put)

    try:
        submit(AHEAD * _workers(pool))
        while running:
            future = _awaited(finished)
            key, result = running.pop(future), future.result()
            submit(1)
            yield key, result
    finally:
        for future in running:
            future.cancel()


def _awaited(queue: SimpleQueue[Result]) -> Result:
    """Wait, but not for ever at once: a signal that comes just before a wait is heard of after it."""
    while True:
        try:
            return queue.get(timeout=GLANCE)
        except Empty:
            continue
