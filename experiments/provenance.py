"""What a result owes to the machine and the code that made it."""

import platform
import subprocess
from pathlib import Path
from typing import Any

from dicesim._about import cpu_name, package_version
from dicesim.ensembles import worker_count

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
        **{name: package_version(name) for name in PACKAGES},
        "system": platform.system(),
        "machine": platform.machine(),
        "cpu": cpu_name(),
        "workers": worker_count(),
        "code": commit(),
    }


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
    results = [f":(exclude){folder}/results" for folder in ("experiments", "benchmarks")]
    status = _git(root, "status", "--porcelain", "--", ".", *results)
    return {"commit": known[1], "changed": bool(status)}


def _git(root: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *arguments], capture_output=True, text=True, timeout=30, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()
