"""Compute the hashes in this process: ``python -m tests.golden [--size small] [--workers spawn 3]``.

With ``--write`` the hashes of all sizes become the golden ones.
"""

import argparse
import hashlib
import json
import math
import multiprocessing
import struct
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit

from tests.golden.cases import SIZES, hashes, sha256

HASHES = Path(__file__).with_name("hashes.json")


def pool(kind: str | None, workers: int) -> AbstractContextManager[Executor | None]:
    """Make the executor that is asked for, or none."""
    if kind is None:
        return nullcontext()
    if kind == "threads":
        return ThreadPoolExecutor(workers)
    return ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context(kind))


@njit(fastmath=True)
def hurried_squares(values: Any) -> Any:
    """Add squares in any order, rounded or not, as the compiler likes."""
    total = 0.0
    for i in range(values.size):
        total += values[i] * values[i]
    return total


def canaries() -> dict[str, str]:
    """Hash what a setting should move, to show that it bites: each sings differently under another sky."""
    numbers = np.random.default_rng(1).random(20_000) * 10
    listed = numbers.tolist()
    functions = (math.sin, math.exp, lambda x: x**3)
    packed = [struct.pack(f"{len(listed)}d", *map(function, listed)) for function in functions]
    return {
        "C library": hashlib.sha256(b"".join(packed)).hexdigest(),
        "NumPy": sha256(np.sin(numbers), np.exp(numbers), np.log(numbers)),
        "compiler": float(hurried_squares(numbers)).hex(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.golden", description=__doc__)
    parser.add_argument("--size", choices=SIZES, default="full")
    parser.add_argument("--workers", nargs=2, metavar=("KIND", "N"), help="threads, spawn or fork; how many")
    parser.add_argument("--write", action="store_true", help="make the hashes of all sizes the golden ones")
    arguments = parser.parse_args()
    if arguments.write:
        golden = {size: hashes(size) for size in SIZES}
        HASHES.write_text(json.dumps(golden, indent=1) + "\n", encoding="utf-8")
        return
    kind, workers = arguments.workers or (None, 0)
    with pool(kind, int(workers)) as executor:
        found = hashes(arguments.size, executor)
    print(json.dumps({"hashes": found, "canaries": canaries()}))


if __name__ == "__main__":
    main()
