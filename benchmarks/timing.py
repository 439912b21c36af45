"""Timing several pieces of work against each other, so that a disturbance of the machine meets all of them."""

import logging
import statistics
import time
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, Self, TypeVar

Key = TypeVar("Key")
Result = TypeVar("Result")

log = logging.getLogger("benchmarks")


class Spread(NamedTuple):
    """Median and range of a figure over the passes."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Self:
        """Give median and range of values."""
        listed = list(values)
        return cls(statistics.median(listed), min(listed), max(listed))


def interleaved(
    works: Mapping[Key, Callable[[], Result]], passes: int, clock: Callable[[], float] = time.process_time
) -> tuple[dict[Key, list[float]], dict[Key, Result]]:
    """Do every piece of work once a pass, one after the other.

    Parameters
    ----------
    works : mapping
        Pieces of work by name; each has been done once before, so that nothing is compiled or loaded on the clock.
    passes : int
        How many passes.
    clock : callable
        Gives a time in seconds: CPU time of this process, all its threads together, unless told otherwise.

    Returns
    -------
    seconds : dict
        What each took, pass by pass.
    results : dict
        What each gave in the last pass.
    """
    seconds: dict[Key, list[float]] = {name: [] for name in works}
    results: dict[Key, Result] = {}
    for number in range(1, passes + 1):
        log.info("pass %d of %d over %d rows", number, passes, len(works))
        for name, work in works.items():
            start = clock()
            results[name] = work()
            seconds[name].append(clock() - start)
    return seconds, results
