"""Compiled toys in processes of their own, each of which tells what its cache did."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]

TOY = """
from dicesim._compiler import jit

@jit
def doubled(x):
    return 2.0 * x

@jit
def answer(x):
    return doubled(x) + 1.0

@jit
def inverse(x):
    return 1.0 / x

@jit
def at(values, i):
    return values[i]
"""

# What a process does after `prepare`: it calls `answer` and tells how it came by its code.
REPORT = """
import json, toy
value = toy.answer(3.0)
statistics, problem = toy.answer.stats, getattr(toy.answer._cache, "problem", None)
print(json.dumps({"value": value, "loaded": sum(statistics.cache_hits.values()),
                  "compiled": sum(statistics.cache_misses.values()), "folder": statistics.cache_path,
                  "problem": problem}))
"""

# Root may do what permissions forbid. A process that gives two of its capabilities up is bound by them as all are.
BOUND = """
import ctypes, os, sys
for capability in (1, 2):  # to override the permission to write, and to read
    ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""


@dataclass(frozen=True)
class Told:
    """What a process told: the value, how often code was loaded and compiled, where it is kept or why it is not."""

    value: float
    loaded: int
    compiled: int
    folder: str | None
    problem: str | None


def command(code: str) -> list[str]:
    return [sys.executable, "-W", "error", "-c", code]


def settings(home: Path, cache: Path | str | None, **others: str) -> dict[str, str]:
    """The environment of a process that finds the toy in a folder; without a cache's folder it takes the usual one."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "PYTHON", "XDG_"))}
    chosen = {} if cache is None else {"NUMBA_CACHE_DIR": str(cache)}
    return plain | chosen | {"PYTHONPATH": os.pathsep.join((str(home), str(ROOT)))} | others


def write(home: Path, text: str = TOY) -> Path:
    home.mkdir(exist_ok=True)
    (home / "toy.py").write_text(text, encoding="utf-8")
    return home


def run(
    home: Path, cache: Path | str | None, code: str, *, bound: bool = False, **others: str
) -> subprocess.CompletedProcess[str]:
    """Run code beside the toy; `bound` by permissions, even as root."""
    wrapped = [sys.executable, "-c", BOUND, *command(code)] if bound else command(code)
    return subprocess.run(
        wrapped, cwd=home, env=settings(home, cache, **others), capture_output=True, text=True, check=False
    )


def ask(home: Path, cache: Path | str | None, prepare: str = "", **options: Any) -> Told:
    """Call the toy in a process of its own, which must end well and without a word on stderr."""
    done = run(home, cache, prepare + REPORT, **options)
    assert (done.returncode, done.stderr) == (0, "")
    return Told(**json.loads(done.stdout))


def files(cache: Path) -> list[Path]:
    return sorted(path for path in cache.rglob("*") if path.is_file())


def file_of(name: str, cache: Path) -> Path:
    found = [path for path in files(cache) if f".{name}." in path.name]
    assert len(found) == 1
    return found[0]
