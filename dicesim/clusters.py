"""Many machines: executors on a dask cluster, this machine's own or somebody's."""

import logging
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import CancelledError, Executor
from contextlib import contextmanager, nullcontext
from pathlib import Path
from threading import Timer
from typing import Any

from dicesim._version import __version__
from dicesim.ensembles import aside, worker_count

PATIENCE = 10.0  # seconds that a scheduler may take to answer
START = 120.0  # seconds that a cluster of this machine may take to start


class ClusterError(RuntimeError):
    """A cluster cannot be used, or was lost.

    Examples
    --------
    >>> ClusterError("no scheduler answers")
    ClusterError('no scheduler answers')
    """


@contextmanager
def cluster(address: str | None = None, *, workers: int | None = None) -> Iterator[Executor]:
    """Work on a dask cluster; it needs the extra ``fairdice[cluster]``.

    Blocks whose worker dies are done again by another, and give the same bits. A block that kills four workers one
    after the other is given up (dask's ``distributed.scheduler.allowed-failures``).

    Parameters
    ----------
    address : str, optional
        Of a scheduler, such as tcp://10.0.0.1:8786; every worker has to have this version of dicesim. Without one, a
        cluster is started on this machine and ended with the context.
    workers : int, optional
        How many processes work if the cluster is this machine's own; one for each processor by default.

    Yields
    ------
    concurrent.futures.Executor
        For `executor=`, or for `dicesim.ensembles.working`.

    Raises
    ------
    ClusterError
        If distributed is not installed, no scheduler answers, a worker has another dicesim, the scheduler is lost or
        a block is given up.

    Examples
    --------
    >>> from dicesim import count
    >>> with cluster(workers=2) as executor:  # doctest: +SKIP
    ...     tally = count(10_000_000, rng=1, executor=executor)
    """
    try:
        import distributed
        from distributed.utils import silence_logging_cmgr
    except ImportError as reason:
        raise ClusterError(f"{reason}; a cluster needs dask: pip install 'fairdice[cluster]'") from reason
    place = nullcontext(address) if address is not None else _own(worker_count() if workers is None else workers)
    with silence_logging_cmgr(logging.CRITICAL), place as where, _connected(where) as client:
        try:
            yield client.get_executor()
        except distributed.KilledWorker as reason:
            raise ClusterError("one block killed every worker that tried it; it was given up") from reason
        except CancelledError as reason:
            raise ClusterError(f"the scheduler at {where} was lost") from reason


@contextmanager
def _connected(address: str) -> Iterator[Any]:
    from distributed import Client

    try:
        aside(_knock, address)
        client = Client(address, timeout=PATIENCE, set_as_default=False)
    except Exception as reason:  # whatever answers there, or nothing at all
        advice = "start one with `dask scheduler`, or leave the address out for a cluster on this machine"
        raise ClusterError(f"no scheduler answers at {address!r}; {advice}") from reason
    try:
        _require_same_version(client)
        yield client
    finally:
        client.close()


def _knock(address: str) -> None:
    """See whether a scheduler is there at all: a client that finds none is slow to give up."""
    import asyncio

    from distributed.comm.core import connect

    async def knock() -> None:
        comm = await asyncio.wait_for(connect(address), PATIENCE)
        comm.abort()

    asyncio.run(knock())


def _require_same_version(client: Any) -> None:
    """Refuse workers of other code, which could give other bits; asked in text, for they may have no dicesim at all."""
    for worker, version in client.run(eval, "__import__('dicesim').__version__", on_error="return").items():
        if version != __version__:
            found = f"it says: {version}" if isinstance(version, Exception) else f"it has {version}"
            raise ClusterError(f"the worker {worker} needs dicesim {__version__}; {found}")


@contextmanager
def _own(workers: int) -> Iterator[str]:
    """A cluster on this machine, in a process tree of its own that ends when we do, however we do.

    Workers are started from there and not from here, so that they do not run our caller's script again, and out of
    the reach of Ctrl-C, so that it is for us to stop them.
    """
    path = os.pathsep.join(folder or str(Path.cwd()) for folder in sys.path)  # what we can import, workers can
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        complaints = Path(folder, "complaints")
        with complaints.open("w") as stderr:
            process = subprocess.Popen(
                [sys.executable, "-m", "dicesim._workshop", str(workers), folder],
                env=os.environ | {"PYTHONPATH": path},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                text=True,
                start_new_session=True,
            )
        with process:
            try:
                yield _address(process) or _failed(complaints)
            finally:
                process.kill()


def _address(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    timer = Timer(START, process.kill)
    timer.start()
    try:
        return process.stdout.readline().strip()
    finally:
        timer.cancel()


def _failed(complaints: Path) -> str:
    said = complaints.read_text(errors="replace").strip().splitlines() or ["it did not answer"]
    raise ClusterError(f"the cluster on this machine did not start: {said[-1]}")
