"""The decorator of compiled functions, and what becomes of the kernel that it compiles."""

import inspect
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from numba.core.caching import NullCache

from dicesim import kernel
from dicesim._cache import Cache
from tests.commands import program
from tests.fresh import file_of, files, run, write


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("toy"))


def test_numba_has_what_the_cache_is_built_on() -> None:
    """It fails with a numba that changed: see what became of the names, then put the new ones here."""
    assert isinstance(kernel.simulate._cache, Cache)  # type: ignore[attr-defined]
    public = {name for name in vars(NullCache) if not name.startswith("_")}
    assert public == {"cache_path", "disable", "enable", "flush", "load_overload", "save_overload"}
    assert list(inspect.signature(NullCache.load_overload).parameters) == ["self", "sig", "target_context"]
    assert list(inspect.signature(NullCache.save_overload).parameters) == ["self", "sig", "cres"]


def test_the_compiler_can_be_off(home: Path) -> None:
    done = run(home, None, "import toy; print(type(toy.answer).__name__, toy.answer(3.0))", NUMBA_DISABLE_JIT="1")
    assert (done.stdout, done.stderr) == ("function 7.0\n", "")


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_compiled_functions_go_to_other_processes(method: str, home: Path, tmp_path: Path) -> None:
    code = f"""
import multiprocessing, pickle, toy
if __name__ == "__main__":
    print(pickle.loads(pickle.dumps(toy.answer))(3.0))
    with multiprocessing.get_context("{method}").Pool(1) as pool:
        print(pool.map(toy.answer, [3.0, 4.0]))
"""
    done = run(home, tmp_path, code)
    assert (done.stdout, done.stderr) == ("7.0\n[7.0, 9.0]\n", "")


# The kernel


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A cache that one throw has filled, and what `dicesim info` said then."""
    cache = tmp_path_factory.mktemp("kernel")
    return cache, program("info", NUMBA_CACHE_DIR=str(cache)).stdout


def cache_line(text: str) -> str:
    return text.splitlines()[-1]


THROW = ("throw", "-n", "200", "--seed", "1", "--until", "rest", "--json")


def test_the_kernel_is_kept_and_loaded(filled: tuple[Path, str]) -> None:
    cache, told = filled
    folder = file_of("simulate", cache).parent
    kept = f"cache       works; the code was compiled now, and is kept for the next start in {folder}"
    assert cache_line(told) == kept
    loaded = f"cache       works; the compiled code was loaded from {folder}"
    assert cache_line(program("info", NUMBA_CACHE_DIR=str(cache)).stdout) == loaded


def test_a_kernel_of_which_parts_are_damaged(filled: tuple[Path, str], tmp_path: Path) -> None:
    cache = Path(shutil.copytree(filled[0], tmp_path / "cache"))
    for path in [file_of("simulate", cache), *files(cache)[::2]]:  # what is good is linked to what is compiled anew
        path.write_bytes(path.read_bytes()[:-1000])
    mended, good = (program(*THROW, NUMBA_CACHE_DIR=str(folder)) for folder in (cache, filled[0]))
    assert (mended.stdout, mended.stderr, mended.returncode) == (good.stdout, "", 0)
    assert "was loaded from" in cache_line(program("info", NUMBA_CACHE_DIR=str(cache)).stdout)


def test_a_kernel_that_cannot_be_kept(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("in the way")
    told = program("info", NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    assert (told.returncode, told.stderr) == (0, "")
    assert cache_line(told.stdout).startswith(f"cache       fails; every start compiles anew: {tmp_path / 'cache'}")
    assert cache_line(told.stdout).endswith("Not a directory; let NUMBA_CACHE_DIR name a folder that can be written")


def test_no_cache_with_the_compiler_off() -> None:
    assert cache_line(program("info", NUMBA_DISABLE_JIT="1").stdout) == "cache       not used"


@pytest.mark.slow
def test_eight_kernels_race(tmp_path: Path) -> None:
    arguments = [sys.executable, "-m", "dicesim", *THROW]
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    racers = [subprocess.Popen(arguments, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(8)]
    said = {racer.communicate()[0] for racer in racers}
    assert said == {program(*THROW, NUMBA_CACHE_DIR=str(tmp_path)).stdout}
    assert "was loaded from" in cache_line(program("info", NUMBA_CACHE_DIR=str(tmp_path)).stdout)
