"""Machine code on disk, so that only the first process compiles; whatever is found there, no run is broken by it.

numba's own cache believes its files, and one that is torn ends every run until somebody deletes it. Here each file
starts with a seal: a digest of its name, of all that its code was made from, and of the code. A file that is cut,
altered, exchanged, of an older module or of another numba has a wrong seal, which is as good as no file: the function
is compiled anew and the file replaced, whole, if it can be. So processes that race replace good files by good ones.

A file holds one function for one kind of arguments, processor and set of NUMBA_ variables, as its name says. It is
kept in the folder of NUMBA_CACHE_DIR alone if that is set; else in `__pycache__` beside the module, or in a folder of
the user's if that cannot be written.
"""

import hashlib
import os
import pickle
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from types import CodeType
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from dicesim._files import write_whole

VERSIONS = (llvmlite.__version__, numba.__version__, np.__version__)
SEAL = hashlib.sha256().digest_size


class Cache(NullCache):
    """The files of one function; numba's dispatcher asks it before it compiles, and tells it afterwards.

    Parameters
    ----------
    function : callable
        What is compiled.
    modules : tuple of code
        What defines it and all that it calls, its own module first. The code that runs counts: its text may be newer.
    options : dict
        How it is compiled.

    Attributes
    ----------
    folder : Path or None
        Where code was found or is kept now.
    problem : str or None
        Why code could not be kept.
    """

    def __init__(self, function: Callable[..., Any], modules: tuple[CodeType, ...], options: dict[str, Any]) -> None:
        source = Path(os.path.abspath(modules[0].co_filename))
        self._function = f"{source.stem}.{function.__qualname__}.{sys.implementation.cache_tag}"
        self._origin = repr(([_meaning(module) for module in modules], options, VERSIONS)).encode()
        self._folders = _folders(source.parent)
        self.folder: Path | None = None
        self.problem: str | None = None

    @property
    def cache_path(self) -> str | None:
        """The folder, as numba's statistics show it."""
        return str(self.folder) if self.folder else None

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Give the code that is kept for a signature, or None."""
        with suppress(Exception):  # whatever is wrong with a file, the cure is to compile
            context.refresh()
            name = self._name(signature, context.codegen())
            folder, content = next(self._found(name))
            result = CompileResult._rebuild(context, *pickle.loads(content))  # type: ignore[no-untyped-call]
            self.folder = folder
            return result
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep the code for a signature, or say why not."""
        try:
            if result.lifted or result.library.has_dynamic_globals:
                raise ValueError("numba gives no code that outlives its process, as with NUMBA_OPT=0")
            content = dumps(result._reduce())  # type: ignore[no-untyped-call]
            self.folder = self._keep(self._name(signature, result.codegen), content)
        except Exception as reason:  # the function is compiled and works; nothing here is worth its loss
            self.problem = " ".join(str(reason).split())

    def _name(self, signature: Any, codegen: Any) -> str:
        settings = sorted((k, v) for k, v in os.environ.items() if k.startswith("NUMBA_") and k != "NUMBA_CACHE_DIR")
        return f"{self._function}.{_digest((signature, codegen.magic_tuple(), settings))}.code"

    def _seal(self, name: str, content: bytes) -> bytes:
        return hashlib.sha256(b"\n".join((name.encode(), self._origin, content))).digest()

    def _found(self, name: str) -> Iterator[tuple[Path, bytes]]:
        """Folders with a file of this name whose seal fits, and what it holds."""
        for folder in self._folders:
            with suppress(OSError):
                file = (folder / name).read_bytes()
                if file[:SEAL] == self._seal(name, file[SEAL:]):
                    yield folder, file[SEAL:]

    def _keep(self, name: str, content: bytes) -> Path:
        """Write a file into the first folder that takes it."""
        problems = []
        for folder in self._folders:
            try:
                folder.mkdir(parents=True, exist_ok=True)
                write_whole(folder / name, lambda part: part.write_bytes(self._seal(name, content) + content))
            except OSError as reason:
                problems.append(f"{folder / name} cannot be written: {reason.strerror}")
            else:
                return folder
        raise OSError("; ".join([*problems, "let NUMBA_CACHE_DIR name a folder that can be written"]))


def _digest(value: Any) -> str:
    return hashlib.sha256(repr(value).encode()).hexdigest()[:16]


def _folders(home: Path) -> list[Path]:
    """Where to look, in this order, for code of the modules of a folder."""
    label = f"{home.name}_{_digest(str(home))}"
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        return [Path(os.path.abspath(chosen), label)]
    folders = [home / "__pycache__"] if home.is_dir() else []  # it is none inside a zip file
    with suppress(RuntimeError):  # of a user without a home
        folders.append(Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "dicesim", label))
    return folders


@lru_cache
def _meaning(code: CodeType) -> str:
    """All that code does, functions inside it included; the same whether it was compiled now or loaded."""
    inner = [_meaning(value) if isinstance(value, CodeType) else repr(value) for value in code.co_consts]
    return repr((code.co_code, code.co_names, code.co_varnames, code.co_argcount, code.co_freevars, inner))
