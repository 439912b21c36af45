"""What a result owes to the machine and the code that made it."""

import os
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PACKAGES = ("fairdice", "numba", "numpy", "scipy")


def provenance() -> dict[str, Any]:
    """Give versions, processor, workers and commit.

    Returns
    -------
    dict
        Plain JSON values; two runs of the same code on the same machine give the same.
    """
    return {
        "python": platform.python_version(),
        **{name: _version(name) for name in PACKAGES},
        "system": platform.system(),
        "machine": platform.machine(),
        "cpu": cpu_name(),
        "workers": worker_count(),
        "code": commit(),
    }


def cpu_name() -> str:
    """Give the processor's name as its maker writes it, or the best that the system tells.

    Returns
    -------
    str
        The name.
    """
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return next(iter(names), "") or platform.processor() or platform.machine()


def worker_count() -> int:
    """Give the number of processors that this process may use.

    Returns
    -------
    int
        At least 1.
    """
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def commit(root: Path = ROOT) -> dict[str, Any] | None:
    """Give the commit of a checkout, and whether its files have changed since, results apart.

    Parameters
    ----------
    root : Path
        Top folder of the checkout.

    Returns
    -------
    dict or None
        Keys `commit` and `changed`; None where there is no git, no commit, or no checkout.
    """
    known = _git(root, "rev-parse", "--show-toplevel", "HEAD").split("\n")
    if len(known) != 2 or Path(known[0]).resolve() != root.resolve():
        return None
    status = _git(root, "status", "--porcelain", "--", ".", ":(exclude)experiments/results")
    return {"commit": known[1], "changed": bool(status)}


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _git(root: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *arguments], capture_output=True, text=True, timeout=30, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()
