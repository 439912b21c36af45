"""The hashes under every setting that could move a bit: ``python -m tests.golden.matrix`` writes report.json.

Each setting runs in fresh processes of the interpreter that runs this file; settings can be named, to run only
those. The report has one section for each combination of interpreter, NumPy, numba and processor, so that runs from
other environments add theirs; sections made for other golden hashes are dropped.
"""

import hashlib
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np

from dicesim._about import cpu_name
from tests.golden.__main__ import HASHES

ROOT = Path(__file__).parents[2]
REPORT = Path(__file__).with_name("report.json")


def dispatched() -> list[str]:
    """Name the CPU features that NumPy found here and can do without."""
    core: Any = __import__("numpy._core._multiarray_umath", fromlist=["__cpu_features__"])
    return [name for name in core.__cpu_dispatch__ if core.__cpu_features__.get(name)]


FEATURES = dispatched()
AVX512 = [name for name in FEATURES if "AVX512" in name or name == "X86_V4"]
FUSED = "FMA3" in FEATURES or "X86_V3" in FEATURES  # else there is nothing to switch off
GLIBC = platform.libc_ver()[0] == "glibc"

GENERIC = {"NUMBA_CPU_NAME": "generic"}
UNOPTIMISED = {"NUMBA_OPT": "0"}
COMPILER_OFF = {"NUMBA_DISABLE_JIT": "1"}
OLD_NUMPY = {"NPY_DISABLE_CPU_FEATURES": " ".join(FEATURES)}
OLD_LIBRARY = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-FMA,-AVX2"}
OLD = OLD_NUMPY | OLD_LIBRARY | {"OPENBLAS_CORETYPE": "Prescott"}
PREFIXES = ("NUMBA_", "NPY_", "OPENBLAS_", "GLIBC_")


class Setting(NamedTuple):
    """An environment, and who works."""

    environment: dict[str, str]
    workers: tuple[str, int] | None = None

    @property
    def size(self) -> str:
        """How much is hashed: little where nothing is compiled."""
        return "small" if "NUMBA_DISABLE_JIT" in self.environment else "full"

    @property
    def moves(self) -> set[str]:
        """Name the canaries that must notice on this machine."""
        library = {"C library"} if FUSED and GLIBC and "GLIBC_TUNABLES" in self.environment else set()
        ufuncs = {"NumPy"} if FUSED and "NPY_DISABLE_CPU_FEATURES" in self.environment else set()
        compiler = {"compiler"} if {*GENERIC, *UNOPTIMISED, *COMPILER_OFF} & set(self.environment) else set()
        return library | ufuncs | compiler


def crew(kind: str, workers: int) -> Setting:
    """Name a setting by who works alone."""
    return Setting({}, (kind, workers))


SETTINGS = {
    "plain": Setting({}),
    "numba for a generic CPU": Setting(GENERIC),
    "numba without optimisation": Setting(UNOPTIMISED),
    "numba without vectors": Setting({"NUMBA_LOOP_VECTORIZE": "0", "NUMBA_SLP_VECTORIZE": "0"}),
    "numba with more vectors": Setting({"NUMBA_SLP_VECTORIZE": "1"}),
    "numba checking bounds": Setting({"NUMBA_BOUNDSCHECK": "1"}),
    "compiler off": Setting(COMPILER_OFF),
    "NumPy without AVX-512": Setting({"NPY_DISABLE_CPU_FEATURES": " ".join(AVX512)} if AVX512 else {}),
    "NumPy at its baseline": Setting(OLD_NUMPY),
    "C library without FMA and AVX2": Setting(OLD_LIBRARY),
    "an old machine": Setting(GENERIC | OLD),
    "an old machine, not optimised": Setting(GENERIC | UNOPTIMISED | OLD),
    "an old machine, compiler off": Setting(COMPILER_OFF | OLD),
    "an old machine, 3 spawn": Setting(GENERIC | OLD, ("spawn", 3)),
    **{f"{n} {kind}": crew(kind, n) for kind in ("threads", "spawn", "fork") for n in (1, 2, 3, 7)},
}


class Verdict(NamedTuple):
    """The hashes that are not the golden ones, and what the canaries say."""

    different: list[str]
    canaries: dict[str, str]


def run(setting: Setting, caches: Path | None = None) -> Verdict:
    """Compute the hashes in a fresh process under a setting.

    Nothing that was compiled before may serve: each setting of the compiler has a cache of its own in `caches`.
    """
    numba_says = sorted(f"{k}={v}" for k, v in setting.environment.items() if k.startswith("NUMBA_"))
    environment = {k: v for k, v in os.environ.items() if not k.startswith(PREFIXES)} | setting.environment
    if caches:
        environment["NUMBA_CACHE_DIR"] = str(caches / (" ".join(numba_says) or "plain"))
    command = [sys.executable, "-m", "tests.golden", "--size", setting.size]
    if setting.workers:
        command += ["--workers", *map(str, setting.workers)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    found = json.loads(done.stdout)
    golden = json.loads(HASHES.read_text(encoding="utf-8"))[setting.size]
    names = golden.keys() | found["hashes"].keys()
    different = sorted(name for name in names if found["hashes"].get(name) != golden.get(name))
    return Verdict(different, found["canaries"])


def run_all(names: Iterable[str] = (), say: Callable[[str], Any] = print) -> dict[str, dict[str, Any]]:
    """Run the settings named, or all; tell which hashes differ, and which canaries noticed the setting."""
    chosen = {"plain": SETTINGS["plain"]} | ({name: SETTINGS[name] for name in names} or SETTINGS)
    rows: dict[str, dict[str, Any]] = {}
    usual: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, setting in chosen.items():
            verdict = run(setting, Path(folder))
            usual = usual or verdict.canaries
            moved = sorted(canary for canary in usual if verdict.canaries[canary] != usual[canary])
            rows[name] = {"environment": setting.environment, "workers": setting.workers, "size": setting.size}
            rows[name] |= {"different": verdict.different, "canaries moved": moved}
            say(f"{name}: {'the same' if not verdict.different else f'DIFFERENT {verdict.different}'}")
    return rows


def golden_digest() -> str:
    """Name the golden hashes that a report is about."""
    return hashlib.sha256(HASHES.read_bytes()).hexdigest()


def write(rows: dict[str, dict[str, Any]]) -> None:
    """Put the section of this environment into report.json."""
    known = json.loads(REPORT.read_text(encoding="utf-8")) if REPORT.exists() else {}
    kept = {name: part for name, part in known.items() if part["golden"] == golden_digest()}
    versions = f"Python {platform.python_version()}, NumPy {np.__version__}, numba {numba.__version__}"
    kept[f"{versions}, {cpu_name()}"] = {
        "golden": golden_digest(),
        "system": f"{platform.system()} {platform.machine()}, {' '.join(platform.libc_ver())}",
        "features": FEATURES,
        "settings": rows,
    }
    REPORT.write_text(json.dumps(dict(sorted(kept.items())), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    verdicts = run_all(sys.argv[1:])
    write(verdicts)
    sys.exit(any(row["different"] for row in verdicts.values()))
