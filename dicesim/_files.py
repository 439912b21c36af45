"""Files that are never half written."""

import os
from collections.abc import Callable
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
    # A folder beside the target, because a rename across file systems is a copy.
    with TemporaryDirectory(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent) as folder:
        part = Path(folder, path.name)
        write(part)
        with part.open("rb+") as file:
            os.fsync(file.fileno())
        part.replace(path)
