"""Figures and films to files."""

import os
from pathlib import Path

from matplotlib.axes import Axes

from dicesim._drawing import root_figure
from dicesim._files import write_whole
from dicesim._film import Film


def save(picture: Axes | Film, path: str | os.PathLike[str]) -> None:
    """Write a figure or a film to a file, which appears whole or not at all.

    Parameters
    ----------
    picture : matplotlib Axes or film
        What a function of this module returned.
    path : str or path-like
        Where to; a film goes to a ``.gif``, a figure to a ``.png``, ``.svg`` or ``.pdf``.

    Raises
    ------
    ValueError
        If the ending is another.
    OSError
        If the file cannot be written, or a frame of a film was lost.

    Examples
    --------
    >>> from dicesim.plots import face_counts
    >>> save(face_counts([35, 36, 37, 38, 39, 40]), "counts.gif")
    Traceback (most recent call last):
    ValueError: a figure is written to .png, .svg or .pdf, not to 'counts.gif'
    """
    target = Path(path)
    film = isinstance(picture, Film)
    endings = (".gif",) if film else (".png", ".svg", ".pdf")
    if target.suffix.lower() not in endings:
        what = "a film is written to .gif" if film else "a figure is written to .png, .svg or .pdf"
        raise ValueError(f"{what}, not to {target.name!r}")
    write_whole(target, picture.write_gif if isinstance(picture, Film) else root_figure(picture).savefig)
