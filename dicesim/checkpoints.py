"""Long work that can be gone on with: a tally that is kept in a file while it grows."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dicesim.declarations import require_same
from dicesim.tallies import Tally

SECONDS = 5.0  # of work between two writings; so much is lost if the machine stops


def begin(path: str | os.PathLike[str] | None, declaration: dict[str, Any], *, resume: bool = True) -> Tally:
    """Begin a run, or go on with one that was interrupted.

    Parameters
    ----------
    path : path, optional
        The file of the tally; nothing is kept if there is none.
    declaration : dict
        Of the run.
    resume : bool
        Whether to go on from the file, if it is there; else it will be replaced.

    Returns
    -------
    Tally
        The blocks that are done.

    Raises
    ------
    ValueError
        If the file is of another run, no tally at all, or partial and not to be gone on with.

    Examples
    --------
    >>> from dicesim import Setup, Shaken
    >>> from dicesim.declarations import declare
    >>> begin(None, declare(10, Setup(), "face", Shaken(), 1)).n
    0
    """
    empty = Tally.empty(declaration)
    if path is None or not Path(path).exists():
        return empty
    if not resume:
        refuse_to_lose(path, empty)
        return empty
    kept = Tally.read(path)
    try:
        require_same(kept.declaration, declaration)
    except ValueError as reason:
        raise ValueError(f"{os.fspath(path)} and what is asked for: {reason}; name another file") from None
    return kept


def refuse_to_lose(path: str | os.PathLike[str], tally: Tally) -> None:
    """Refuse to replace the file of an unfinished run by a tally that does not hold its blocks.

    Parameters
    ----------
    path : path
        A file that may be there.
    tally : Tally
        What is to replace it.

    Raises
    ------
    ValueError
        If blocks would be lost.

    Examples
    --------
    >>> from dicesim import count
    >>> refuse_to_lose("no such file", count(10, rng=1))
    """
    try:
        kept = Tally.read(path)
    except (FileNotFoundError, ValueError):
        return  # what else is there, its owner has asked to replace
    same = kept.declaration == tally.declaration
    if kept.missing() and not (same and all(not tally.missing(blocks) for blocks in kept.blocks)):
        raise ValueError(f"{os.fspath(path)} holds {kept.progress} of a run; resume that, or remove the file")


@contextmanager
def keeping(path: str | os.PathLike[str] | None, tally: Tally) -> Iterator[Callable[[Tally], None]]:
    """Keep a growing tally in a file: after the first block, then every few seconds, and when the context is left.

    Parameters
    ----------
    path : path, optional
        The file; nothing is kept if there is none.
    tally : Tally
        What the file holds already, or an empty one.

    Yields
    ------
    callable
        To be called with the tally whenever it has grown.

    Examples
    --------
    >>> from dicesim import count
    >>> with keeping(None, count(10, rng=1)) as keep:
    ...     keep(count(10, rng=1))
    """
    kept = latest = tally
    due = 0.0

    def keep(grown: Tally) -> None:
        nonlocal latest
        latest = grown
        if time.monotonic() >= due:
            write()

    def write() -> None:
        nonlocal kept, due
        if path is not None and latest is not kept:
            latest.write(path)
            kept, due = latest, time.monotonic() + SECONDS

    try:
        yield keep
    finally:
        write()
