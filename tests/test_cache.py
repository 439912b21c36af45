"""Whatever happens to the files of compiled code, the right code runs; and good files are used."""

import json
import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fresh import REPORT, Told, ask, command, file_of, files, run, settings, write

linux = pytest.mark.skipif(sys.platform != "linux", reason="takes capabilities away, as Linux can")


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the toy is."""
    return write(tmp_path_factory.mktemp("toy"))


@pytest.fixture(scope="session")
def warm(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that the toy has filled."""
    cache = tmp_path_factory.mktemp("cache")
    told = ask(home, cache)
    assert told == Told(7.0, 0, 1, told.folder, None)
    assert told.folder is not None
    assert Path(told.folder).parent == cache
    return cache


@pytest.fixture
def cache(warm: Path, tmp_path: Path) -> Path:
    """A copy of it, to be damaged."""
    return Path(shutil.copytree(warm, tmp_path / "cache"))


# What is found on disk


def test_the_next_process_loads(home: Path, cache: Path) -> None:
    assert ask(home, cache) == Told(7.0, 1, 0, str(file_of("answer", cache).parent), None)


def altered(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


CONTENTS: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda content: b"",
    "cut in its seal": lambda content: content[:16],
    "cut after its seal": lambda content: content[:32],
    "cut in half": lambda content: content[: len(content) // 2],
    "cut by a byte": lambda content: content[:-1],
    "longer by a byte": lambda content: content + b"\0",
    "altered in one bit": altered,
    "never written to its end": lambda content: content[: len(content) // 2] + bytes(len(content) - len(content) // 2),
    "garbage": lambda content: bytes(range(256)) * 64,
    "another pickle": lambda content: pickle.dumps({"a": 1}),
    "another pickle behind the seal": lambda content: content[:32] + pickle.dumps({"a": 1}),
}


@pytest.mark.parametrize("damage", CONTENTS)
def test_a_file_that_is(damage: str, home: Path, cache: Path) -> None:
    for path in files(cache):
        path.write_bytes(CONTENTS[damage](path.read_bytes()))
    told = ask(home, cache)
    assert (told.value, told.loaded, told.compiled, told.problem) == (7.0, 0, 1, None)
    assert told.folder is not None  # which says that a good file is there again


def test_a_damaged_file_is_replaced(home: Path, cache: Path) -> None:
    for path in files(cache):
        path.write_bytes(b"")
    assert ask(home, cache).compiled == 1
    assert ask(home, cache).loaded == 1


def test_a_file_that_is_missing(home: Path, cache: Path) -> None:
    for path in files(cache):
        path.unlink()
    assert ask(home, cache).compiled == 1
    assert ask(home, cache).loaded == 1


def test_one_file_that_is_missing(home: Path, cache: Path) -> None:
    file_of("doubled", cache).unlink()
    assert ask(home, cache).loaded == 1  # its code is in that of `answer` too
    file_of("answer", cache).unlink()
    assert ask(home, cache) == Told(7.0, 0, 1, str(next(cache.iterdir())), None)


def test_files_that_are_exchanged(home: Path, cache: Path) -> None:
    answer, doubled = file_of("answer", cache), file_of("doubled", cache)
    answer.write_bytes(doubled.read_bytes())
    told = ask(home, cache)
    assert (told.value, told.compiled) == (7.0, 1)


def test_a_folder_in_place_of_a_file(home: Path, cache: Path) -> None:
    path = file_of("answer", cache)
    path.unlink()
    path.mkdir()
    told = ask(home, cache)
    assert (told.value, told.compiled, told.folder) == (7.0, 1, None)
    assert told.problem == (
        f"{path} cannot be written: Is a directory; let NUMBA_CACHE_DIR name a folder that can be written"
    )


def test_a_link_to_nowhere_in_place_of_a_file(home: Path, cache: Path) -> None:
    path = file_of("answer", cache)
    path.unlink()
    path.symlink_to(cache / "nowhere")
    told = ask(home, cache)
    assert (told.value, told.compiled, told.problem) == (7.0, 1, None)
    assert not path.is_symlink()


# Where nothing can be written or read


@linux
def test_a_read_only_cache_is_used(home: Path, cache: Path) -> None:
    folder = file_of("answer", cache).parent
    folder.chmod(0o555)
    assert ask(home, cache, bound=True) == Told(7.0, 1, 0, str(folder), None)


@linux
@pytest.mark.parametrize("mode", [0o555, 0o000])
def test_a_cache_that_cannot_be_filled(mode: int, home: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    cache.chmod(mode)
    told = ask(home, cache, bound=True)
    assert (told.value, told.compiled, told.folder) == (7.0, 1, None)
    assert told.problem is not None
    assert "cannot be written: Permission denied" in told.problem
    cache.chmod(0o755)
    assert list(cache.iterdir()) == []


@linux
def test_a_file_that_cannot_be_read(home: Path, cache: Path) -> None:
    for path in files(cache):
        path.chmod(0o000)
    told = ask(home, cache, bound=True)
    assert (told.value, told.compiled, told.problem) == (7.0, 1, None)
    assert ask(home, cache, bound=True).loaded == 1


@linux
def test_a_folder_made_read_only_after_the_import(home: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    told = ask(home, tmp_path / "cache", f"import toy, os; os.chmod({str(tmp_path / 'cache')!r}, 0o555)", bound=True)
    assert (told.value, told.compiled, told.folder) == (7.0, 1, None)


def test_a_folder_deleted_after_the_import(home: Path, cache: Path) -> None:
    told = ask(home, cache, f"import toy, shutil; shutil.rmtree({str(cache)!r})")
    assert (told.value, told.compiled, told.problem) == (7.0, 1, None)
    assert ask(home, cache).loaded == 1


@linux
def test_a_disk_that_is_full(home: Path, tmp_path: Path) -> None:
    told = ask(home, tmp_path, "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))")
    assert (told.value, told.compiled, told.folder) == (7.0, 1, None)
    assert files(tmp_path) == []


def test_a_file_in_place_of_the_folder(home: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("mine")
    told = ask(home, tmp_path / "cache")
    assert (told.value, told.compiled, told.folder) == (7.0, 1, None)
    assert told.problem is not None
    assert "Not a directory" in told.problem
    assert (tmp_path / "cache").read_text() == "mine"


@linux
def test_a_folder_that_cannot_be_made(home: Path) -> None:
    told = ask(home, "/proc/nowhere")
    assert (told.value, told.compiled, told.folder) == (7.0, 1, None)


def test_a_folder_that_is_made(home: Path, tmp_path: Path) -> None:
    assert ask(home, tmp_path / "new" / "deep").problem is None
    assert ask(home, tmp_path / "new" / "deep").loaded == 1


# The usual folders


def test_the_folder_beside_the_module_is_usual(tmp_path: Path) -> None:
    home = write(tmp_path / "home")
    assert ask(home, None, XDG_CACHE_HOME=str(tmp_path / "user")).folder == str(home / "__pycache__")
    assert ask(home, None, XDG_CACHE_HOME=str(tmp_path / "user")).loaded == 1
    assert not (tmp_path / "user").exists()


def test_the_users_folder_is_next(tmp_path: Path) -> None:
    home = write(tmp_path / "home")
    (home / "__pycache__").write_text("in the way")
    told = ask(home, None, XDG_CACHE_HOME=str(tmp_path / "user"))
    assert told.folder is not None
    assert Path(told.folder).parent == tmp_path / "user" / "dicesim"
    assert ask(home, None, XDG_CACHE_HOME=str(tmp_path / "user")).loaded == 1


def test_a_user_without_any_folder(tmp_path: Path) -> None:
    home = write(tmp_path / "home")
    (home / "__pycache__").write_text("in the way")
    told = ask(home, None, XDG_CACHE_HOME=str(home / "toy.py"))
    assert (told.value, told.compiled, told.folder) == (7.0, 1, None)
    assert told.problem is not None
    assert told.problem.count("cannot be written: ") == 2


# What code was made from


def edit(home: Path, old: str, new: str) -> None:
    """Edit the toy, and leave its size and times as they were."""
    path, text = home / "toy.py", (home / "toy.py").read_text()
    assert len(old) == len(new)
    assert text.count(old) == 1
    before = path.stat()
    path.write_text(text.replace(old, new))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_an_edited_helper_runs(tmp_path: Path) -> None:
    home, cache = write(tmp_path / "home"), tmp_path / "cache"
    no_bytecode = {"PYTHONDONTWRITEBYTECODE": "1"}
    assert ask(home, cache, **no_bytecode).value == 7.0
    edit(home, "2.0 * x", "5.0 * x")
    told = ask(home, cache, **no_bytecode)
    assert (told.value, told.compiled) == (16.0, 1)
    edit(home, "5.0 * x", "2.0 * x")
    assert ask(home, cache, **no_bytecode).value == 7.0


def test_an_edit_that_python_does_not_see_leaves_no_trace(tmp_path: Path) -> None:
    home, cache = write(tmp_path / "home"), tmp_path / "cache"
    assert ask(home, cache).value == 7.0
    edit(home, "2.0 * x", "5.0 * x")
    shutil.rmtree(cache)
    assert ask(home, cache) == Told(7.0, 0, 1, str(next(cache.iterdir())), None)  # from bytecode of the old text
    shutil.rmtree(home / "__pycache__")
    assert ask(home, cache).value == 16.0


def test_bytecode_and_source_are_the_same_code(tmp_path: Path) -> None:
    home, cache = write(tmp_path / "home"), tmp_path / "cache"
    assert ask(home, cache, PYTHONDONTWRITEBYTECODE="1", PYTHONHASHSEED="1").compiled == 1
    assert ask(home, cache, PYTHONHASHSEED="2").loaded == 1
    assert (home / "__pycache__").is_dir()
    assert ask(home, cache, PYTHONHASHSEED="3").loaded == 1


def without(owner: str, name: str, stand_in: str | None = None) -> str:
    """Code that imports the toy while numba, once it is imported, lacks a name or has another thing by that name."""
    change = f"del {owner}.{name}" if stand_in is None else f"{owner}.{name} = {stand_in}"
    return f"import numba, {owner.split('.')[0]}; kept = {owner}.{name}; {change}; import toy; {owner}.{name} = kept\n"


@pytest.mark.parametrize("package", ["numba", "llvmlite", "numpy"])
def test_another_version_compiles_anew(package: str, home: Path, cache: Path) -> None:
    told = ask(home, cache, without(package, "__version__", "'0.0'"))
    assert (told.value, told.loaded, told.compiled) == (7.0, 0, 1)


def test_other_options_compile_anew(home: Path, tmp_path: Path) -> None:
    numpys = run(home, tmp_path, "import toy; print(toy.inverse(0.0))")
    assert numpys.stdout == "inf\n"
    change = "from dicesim import _compiler; _compiler.OPTIONS['error_model'] = 'python'\n"
    pythons = run(home, tmp_path, f"{change}import toy; toy.inverse(0.0)")
    assert pythons.stderr.endswith("ZeroDivisionError: division by zero\n")


def test_another_decorator_compiles_anew(home: Path, cache: Path) -> None:
    told = ask(home, cache, "from dicesim import _compiler; _compiler.HERE = (lambda: 'another').__code__\n")
    assert (told.value, told.loaded, told.compiled) == (7.0, 0, 1)


def test_other_settings_compile_anew(home: Path, tmp_path: Path) -> None:
    look = "import toy, numpy; toy.at(numpy.zeros(9)[:3], 5); print(sum(toy.at.stats.cache_hits.values()))"
    assert run(home, tmp_path, look).stdout == "0\n"
    assert run(home, tmp_path, look).stdout == "1\n"
    checked = run(home, tmp_path, look, NUMBA_BOUNDSCHECK="1")
    assert checked.stderr.endswith("IndexError: index is out of bounds\n")


def test_another_processor_has_files_of_its_own(home: Path, cache: Path) -> None:
    told = ask(home, cache, NUMBA_CPU_NAME="generic")
    assert (told.value, told.loaded, told.compiled) == (7.0, 0, 1)
    assert ask(home, cache, NUMBA_CPU_NAME="generic").loaded == 1
    assert ask(home, cache).loaded == 1
    assert len(files(cache)) == 4
    elsewhere = "import numba; numba.core.codegen.CPUCodegen.magic_tuple = lambda self: ('another processor',)\n"
    assert ask(home, cache, elsewhere).compiled == 1


def test_without_optimisation_nothing_is_kept_or_said(home: Path, tmp_path: Path) -> None:
    told = ask(home, tmp_path, NUMBA_OPT="0")
    assert (told.value, told.compiled, told.folder) == (7.0, 1, None)
    assert told.problem == "numba gives no code that outlives its process, as with NUMBA_OPT=0"


# Processes that race


def test_eight_processes_race(home: Path, tmp_path: Path) -> None:
    wait = "import toy, sys; sys.stdin.readline()"
    racers = [
        subprocess.Popen(
            command(wait + REPORT),
            env=settings(home, tmp_path),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(8)
    ]
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write("go\n")
        racer.stdin.flush()
    ends = [racer.communicate() for racer in racers]
    assert [(json.loads(out)["value"], json.loads(out)["problem"], err) for out, err in ends] == [(7.0, None, "")] * 8
    assert {path.suffix for path in tmp_path.rglob("*") if path.is_file()} == {".code"}
    assert ask(home, tmp_path).loaded == 1


# A numba that has changed


def test_a_numba_without_the_base_of_the_cache_keeps_nothing(home: Path, cache: Path) -> None:
    told = ask(home, cache, without("numba.core.caching", "NullCache"))
    assert told == Told(7.0, 0, 1, None, None)


@pytest.mark.parametrize(
    "method", ["compiler.CompileResult._reduce", "compiler.CompileResult._rebuild", "codegen.CPUCodegen.magic_tuple"]
)
def test_a_numba_that_lacks_a_method_compiles_anew(method: str, home: Path, cache: Path, tmp_path: Path) -> None:
    loss = f"import numba; del numba.core.{method}\n"
    assert ask(home, cache, loss).value == 7.0
    assert ask(home, tmp_path / "new", loss).value == 7.0
