"""Files that are never half written."""

import os
import platform
import shutil
from collections.abc import Callable
from glob import escape
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Write a file so that the old one or the new one is there at every moment, never a part.

    Parameters
    ----------
    path : Path
        The file, in a folder that is there.
    write : callable
        Given a path of the same name elsewhere, it writes all of the content there.

    Raises
    ------
    OSError
        If it cannot be written. The old file is left then, and after anything else that `write` raises.
    """
    machine = sha256(platform.node().encode()).hexdigest()[:8]
    writer = f".{path.name}.{machine}-"
    _sweep(path.parent, writer)
    # A folder beside the target, because a rename across file systems is a copy.
    with TemporaryDirectory(prefix=f"{writer}{os.getpid()}-", suffix=".tmp", dir=path.parent) as folder:
        part = Path(folder, path.name)
        write(part)
        with part.open("rb+") as file:
            os.fsync(file.fileno())
        part.replace(path)


def _sweep(parent: Path, writer: str) -> None:
    """Remove what writers of the same file on this machine have left behind who were killed."""
    for folder in parent.glob(f"{escape(writer)}*.tmp"):
        owner = folder.name.removeprefix(writer).split("-")[0]
        if owner.isdecimal() and not _runs(int(owner)):
            shutil.rmtree(folder, ignore_errors=True)


def _runs(process: int) -> bool:
    if os.name != "posix":
        return True  # to ask would be to stop it
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
