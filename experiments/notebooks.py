"""Build the notebooks: each ``notebooks/NAME.py``, text and code in percent format, is run to ``notebooks/NAME.ipynb``.

What is built has the same bytes each time, as long as its cells show the same: numbered cells, no times of execution,
no versions. A cell that fails, or writes to stderr, ends the building, and the old notebook stays.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import jupytext
import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode
from traitlets.config import Config

from dicesim._files import write_whole

#: Where the notebooks are.
FOLDER = Path(__file__).parents[1] / "notebooks"
METADATA: dict[str, Any] = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


class Failed(ValueError):
    """A notebook that could not be built, said in one line."""


def sources(folder: Path = FOLDER) -> dict[str, Path]:
    """Give the sources of all notebooks.

    Parameters
    ----------
    folder : Path
        Where they are.

    Returns
    -------
    dict
        Path by name.
    """
    return {path.stem: path for path in sorted(folder.glob("*.py"))}


def read(source: Path) -> NotebookNode:
    """Read a source as a notebook whose cells have not been run.

    Parameters
    ----------
    source : Path
        In percent format.

    Returns
    -------
    NotebookNode
        Its cells are numbered.
    """
    notebook: NotebookNode = jupytext.read(source, fmt="py:percent")
    notebook.metadata = nbformat.from_dict(METADATA)  # type: ignore[no-untyped-call]
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    for number, cell in enumerate(notebook.cells, 1):
        cell.id, cell.metadata = f"cell-{number:02}", nbformat.from_dict({})  # type: ignore[no-untyped-call]
    return notebook


def execute(source: Path) -> NotebookNode:
    """Run a source's cells in a process of their own.

    Parameters
    ----------
    source : Path
        In percent format.

    Returns
    -------
    NotebookNode
        Its cells, with what they showed.

    Raises
    ------
    Failed
        If a cell fails or writes to stderr.
    """
    notebook = read(source)
    try:
        with _private() as config:
            NotebookClient(
                notebook,
                config=config,
                timeout=None,
                startup_timeout=600,
                record_timing=False,
                resources={"metadata": {"path": source.parent}},
            ).execute()
    except CellExecutionError as error:
        raise Failed(f"{source.name}: a cell fails: {error.ename}: {error.evalue}") from error
    except RuntimeError as error:
        raise Failed(f"{source.name}: its process died or never began: {error}") from error
    _refuse_complaints(notebook, source.name)
    notebook.metadata = nbformat.from_dict(METADATA)  # type: ignore[no-untyped-call]
    return notebook


@contextmanager
def _private() -> Iterator[Config]:
    """Speak to the process that runs the cells through files that nobody else can open, where there are such."""
    with TemporaryDirectory() as folder:
        yield Config(
            {"KernelManager": {"transport": "ipc", "ip": str(Path(folder, "cells"))}} if os.name == "posix" else {}
        )


def _refuse_complaints(notebook: NotebookNode, name: str) -> None:
    """Warnings and bars do not belong into a notebook that is kept."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if output.get("name") == "stderr":
                raise Failed(f"{name}: {cell.id} writes to stderr: {output.text}")


def build(source: Path, folder: Path) -> Path:
    """Run a source and write the notebook.

    Parameters
    ----------
    source : Path
        In percent format.
    folder : Path
        Where to.

    Returns
    -------
    Path
        The notebook.
    """
    target = folder / f"{source.stem}.ipynb"
    text = nbformat.writes(execute(source))  # type: ignore[no-untyped-call]
    write_whole(target, lambda part: part.write_text(text.rstrip("\n") + "\n", encoding="utf-8"))
    return target


def main(arguments: Sequence[str] | None = None, folder: Path = FOLDER) -> int:
    """Build the notebooks that are named, or all.

    Parameters
    ----------
    arguments : sequence of str, optional
        What follows the program's name; from the command line if not given.
    folder : Path
        Where the sources are.

    Returns
    -------
    int
        Exit status: 0, 1 if one fails, 2 for bad input.
    """
    parser = argparse.ArgumentParser(prog="notebooks", description="Build the notebooks.", allow_abbrev=False)
    parser.add_argument("names", nargs="*", metavar="NAME", help="a notebook; all of them if none is named")
    parser.add_argument("--into", type=Path, default=folder, metavar="DIR", help="where to write them")
    options, known = parser.parse_args(arguments), sources(folder)
    if unknown := [name for name in options.names if name not in known]:
        return _complain(f"no notebook is called {unknown[0]!r}; there are: {', '.join(known) or 'none'}", 2)
    if not options.into.is_dir():
        return _complain(f"{options.into}: there is no such folder", 2)
    try:
        for name in options.names or known:
            print(build(known[name], options.into), flush=True)
    except Failed as reason:
        return _complain(" ".join(str(reason).split()), 1)
    except OSError as reason:
        return _complain(f"{reason.filename}: {reason.strerror}", 1)
    except KeyboardInterrupt:
        return _complain("interrupted", 130)
    return 0


def _complain(text: str, status: int) -> int:
    print(f"notebooks: {text}", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
