"""How far a run of experiments is: a bar for a person at a terminal, a line each for a log.

The bar counts expected seconds, since one experiment takes a hundred times as long as another: those that it took when
its result was kept, or as many as a middling one took where there is none yet. While one runs the bar moves with the
clock, up to the end of its share; what is long inside it draws a bar of its own below.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from statistics import median
from threading import Event, Thread
from typing import Any

from experiments.experiment import Experiment, Size, load

TICK = 0.5  # seconds between two movements of the bar
FORMAT = "{desc} {percentage:3.0f} % |{bar}| {elapsed}, about {remaining} left"


def expected_seconds(experiments: Sequence[Experiment[Any]], folder: Path) -> list[float | None]:
    """Say how long experiments will take, from their kept results.

    Parameters
    ----------
    experiments : sequence of Experiment
        What will be run.
    folder : Path
        Where results are kept.

    Returns
    -------
    list of float or None
        Seconds, or None where nothing was kept.
    """
    return [_kept_seconds(experiment.name, folder) for experiment in experiments]


def _kept_seconds(name: str, folder: Path) -> float | None:
    try:
        return float(load(name, folder).when["seconds"])
    except (OSError, ValueError, LookupError, TypeError):
        return None


def followed(
    experiments: Sequence[Experiment[Any]], size: Size, expected: Sequence[float | None], *, bars: bool
) -> Generator[Experiment[Any]]:
    """Hand experiments over, and tell on stderr how far we are. Whoever stops earlier closes this.

    Parameters
    ----------
    experiments : sequence of Experiment
        What is run.
    size : {"full", "smoke"}
        At which size.
    expected : sequence of float or None
        How long each will take, s, where it is known.
    bars : bool
        Whether to draw a bar; a line each otherwise.

    Yields
    ------
    Experiment
        Each in turn.
    """
    labels = [f"[{number}/{len(experiments)}] {experiment.name}" for number, experiment in enumerate(experiments, 1)]
    if bars:
        yield from _with_bar(experiments, labels, _weights(expected))
        return
    for experiment, label, seconds in zip(experiments, labels, expected, strict=True):
        about = f", about {seconds:.0f} s" if seconds and seconds >= 1 else ""
        print(f"{label}, {size} size{about}", file=sys.stderr, flush=True)
        yield experiment


def _weights(expected: Sequence[float | None]) -> list[float]:
    """Every experiment has a share of the bar, and an unknown one that of a middling one."""
    known = [seconds for seconds in expected if seconds is not None]
    return [max(median(known or [1.0]) if seconds is None else seconds, 0.1) for seconds in expected]


def _with_bar(
    experiments: Sequence[Experiment[Any]], labels: Sequence[str], weights: Sequence[float]
) -> Iterator[Experiment[Any]]:
    from tqdm import tqdm

    class Bar(tqdm):  # type: ignore[type-arg]
        monitor_interval = 0  # no thread that would outlive the bar and hinder a later fork

    with Bar(total=sum(weights), bar_format=FORMAT, leave=False) as bar:
        done = 0.0
        for experiment, label, weight in zip(experiments, labels, weights, strict=True):
            bar.set_description_str(label)
            began = time.monotonic()

            def move(done: float = done, weight: float = weight, began: float = began) -> None:
                bar.n = done + min(time.monotonic() - began, weight)
                bar.refresh()

            with ticking(move):
                yield experiment
            done += weight
            bar.n = done


@contextmanager
def ticking(move: Callable[[], object], interval: float = TICK) -> Iterator[None]:
    """Call something again and again while the context lasts, in a thread that ends with it.

    Parameters
    ----------
    move : callable
        What is called.
    interval : float
        Time between two calls, s.

    Yields
    ------
    None
        Nothing.
    """
    over = Event()

    def keep_moving() -> None:
        while not over.wait(interval):
            move()

    thread = Thread(target=keep_moving, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def say(text: str, *, error: bool = False) -> None:
    """Print above the bars, if there are any.

    Parameters
    ----------
    text : str
        What to print.
    error : bool
        Whether to print on stderr.
    """
    with _above_bars():
        print(text, file=sys.stderr if error else sys.stdout, flush=True)


def _above_bars() -> AbstractContextManager[object]:
    """The bars give way and come back; without them tqdm is not even loaded."""
    if "tqdm" not in sys.modules:
        return nullcontext()
    from tqdm import tqdm

    return tqdm.external_write_mode()
