"""What the program can say about itself: where it runs, whether it works, and how to cite it."""

import platform
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import dicesim
from dicesim.ensembles import worker_count

CITATION = {
    "title": "fairdice: dice that are thrown, and the study of their fairness",
    "author": "the fairdice authors",
    "version": dicesim.__version__,
    "year": "2026",
    "license": "MIT",
}
PACKAGES = ("numpy", "numba", "llvmlite", "scipy", "matplotlib", "pandas", "pillow", "tqdm", "trimesh")
CACHE_STATES = {
    "loaded": "works; the compiled code was loaded from {folder}",
    "kept": "works; the code was compiled now, and is kept for the next start in {folder}",
    "fails": "fails; every start compiles anew: {problem}",
    "off": "not used",
}


def citation() -> str:
    """Give the citation as a BibTeX entry, which reads as plain text too."""
    lines = [f"  {name} = {{{{{text}}}}}" for name, text in CITATION.items()]
    return "@software{fairdice,\n" + ",\n".join(lines) + "\n}"


def package_version(name: str) -> str | None:
    """Give the version of an installed package without importing it, or None."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def environment() -> dict[str, Any]:
    """Give versions, processor, whether the compiler works and where it keeps its code, as JSON values."""
    compiler = _try_compiler()
    return {
        "dicesim": dicesim.__version__,
        "python": platform.python_version(),
        "system": platform.platform(),
        "cpu": cpu_name(),
        "processors": worker_count(),
        "packages": {name: package_version(name) for name in PACKAGES},
        "compiler": compiler,
        "cache": _cache(),
    }


def describe(found: dict[str, Any]) -> str:
    """Lay out an environment as text."""
    compiler, cache = found["compiler"], found["cache"]
    seconds = f"the first throw took {compiler['seconds']:.2f} s" if compiler["works"] else compiler["problem"]
    plain = {name: found[name] for name in ("dicesim", "python", "system", "cpu", "processors")}
    packages = {name: number or "not installed" for name, number in found["packages"].items()}
    said = {"compiler": f"{compiler['state']}; {seconds}", "cache": CACHE_STATES[cache["state"]].format(**cache)}
    return "\n".join(f"{name:<12}{text}" for name, text in (plain | packages | said).items())


def cpu_name() -> str:
    """Give the processor's name as its maker writes it, or the best that the system tells."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        text = ""
    names = [line.split(":", 1)[1].strip() for line in text.splitlines() if line.startswith("model name")]
    return next(iter(names), "") or platform.processor() or platform.machine()


def _try_compiler() -> dict[str, Any]:
    start = time.perf_counter()
    try:
        dicesim.throw(1, rng=0)
    except Exception as reason:  # whatever is wrong with it is what is asked for
        return {"works": False, "state": "fails", "seconds": None, "problem": " ".join(str(reason).split())}
    seconds, state = round(time.perf_counter() - start, 3), "works" if hasattr(_simulate(), "stats") else "off"
    return {"works": True, "state": state, "seconds": seconds, "problem": None}


def _simulate() -> Any:
    """Give the compiled function that throws; None if it cannot be loaded."""
    try:
        from dicesim import kernel
    except ImportError:
        return None
    return kernel.simulate


def _cache() -> dict[str, Any]:
    """Tell what became of the machine code of the throw that was just made."""
    simulate = _simulate()
    cache = getattr(simulate, "_cache", None)
    folder, problem = getattr(cache, "cache_path", None), getattr(cache, "problem", None)
    state = "fails" if problem else "off"
    if folder:
        state = "loaded" if simulate.stats.cache_hits else "kept"
    return {"state": state, "folder": folder, "problem": problem}
