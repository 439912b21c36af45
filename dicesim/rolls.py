"""Rolls of a real die, and the counts that they make, in whatever form they come."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["counts_of", "named_counts", "read_counts"]


def counts_of(rolls: npt.ArrayLike, sides: int = 6) -> npt.NDArray[np.int64]:
    """Count how often a die showed each of its faces.

    Parameters
    ----------
    rolls : array_like of int
        What was rolled, each from 1 up to the number of sides; in any shape, as dice by rounds.
    sides : int
        Number of faces, at least 2.

    Returns
    -------
    ndarray of int64, shape (sides,)
        Counts of the faces 1, 2, … in order.

    Raises
    ------
    ValueError
        If a roll is none of the faces.

    Examples
    --------
    >>> counts_of([3, 6, 3, 1]).tolist()
    [1, 0, 2, 0, 0, 1]
    """
    _refuse_sides(sides)
    values = np.asarray(rolls).ravel()
    if values.dtype.kind not in "iuf" and values.size:
        raise ValueError(f"rolls are whole numbers from 1 to {sides}, not {values.dtype.type.__name__}")
    wrong = np.flatnonzero(~np.isin(values, np.arange(1, sides + 1)))
    if wrong.size:
        raise ValueError(f"roll {wrong[0] + 1:,} is {values[wrong[0]]}, no face of a d{sides}; {_hint(sides)}")
    counts: npt.NDArray[np.int64] = np.bincount(values.astype(np.int64), minlength=sides + 1)[1:]
    return counts


def named_counts(counts: Any, sides: int | None = None) -> dict[str, Any]:
    """Give counts of faces by the names of these, in order.

    Parameters
    ----------
    counts : array_like, mapping or Series
        Counts of the faces 1, 2, … in order; or counts by face, a Counter of rolls for instance. Faces that are
        whole numbers are put in order, and must not have gaps, from 1 on, or from 0; other names stay as they are.
    sides : int, optional
        Number of faces. With it, numbered faces that have no count have a count of 0.

    Returns
    -------
    dict
        Counts by name.

    Raises
    ------
    ValueError
        If a face is missing, or there is one too many.

    Examples
    --------
    >>> named_counts({2: 7, 1: 5, 4: 6}, sides=4)
    {'1': 5, '2': 7, '3': 0, '4': 6}
    >>> named_counts([12, 9])
    {'1': 12, '2': 9}
    """
    if sides is not None:
        _refuse_sides(sides)
    by_face = _by_face(counts)
    pairs = list(enumerate(_row(counts), 1)) if by_face is None else by_face
    if len({face for face, _ in pairs}) < len(pairs) or any(face != face for face, _ in pairs):
        raise ValueError(f"each face needs one name of its own, not {', '.join(str(face) for face, _ in pairs)}")
    if by_face and all(isinstance(face, int) and face >= 0 for face, _ in pairs):
        pairs = _in_order(dict(pairs), sides)
    if sides not in (None, len(pairs)):
        raise ValueError(f"these are counts of {len(pairs)} faces, not of {sides}")
    return {str(face): count for face, count in pairs}


def _by_face(counts: Any) -> list[tuple[Any, Any]] | None:
    """Faces with their counts, or None for what is no more than a row; a Series without faces is such."""
    series = hasattr(counts, "items") and getattr(counts, "ndim", 0) == 1
    if not series and not isinstance(counts, Mapping):
        return None
    if series and list(counts.keys()) == list(range(len(counts))):
        return None
    return [(face if (number := _number(str(face))) is None else number, count) for face, count in counts.items()]


def _row(counts: Any) -> list[Any]:
    values = np.asarray(counts)
    if values.ndim != 1:
        raise ValueError(f"counts are one row, a count for each face, not an array of shape {values.shape}")
    row: list[Any] = values.tolist()
    return row


def _number(face: str) -> int | None:
    """The number that a face is named by: "3" or "3.0"."""
    digits = face.removesuffix(".0")
    return int(digits) if digits.isascii() and digits.isdecimal() and len(digits) < 10 else None


def _in_order(counts: Mapping[int, Any], sides: int | None) -> list[tuple[Any, Any]]:
    """Numbered faces with their counts, from the first to the last, none of them missing."""
    first = 0 if 0 in counts else 1
    faces = range(first, first + sides if sides else max(counts) + 1)
    if strange := [face for face in counts if face not in faces]:
        raise ValueError(f"face {strange[0]} is none of the {len(faces)} from {first} to {faces[-1]}")
    missing = next((face for face in faces if face not in counts), None)
    if missing is not None and sides is None:
        raise ValueError(f"face {missing} has no count; give it one, 0 if it never came up, or say sides=")
    return [(face, counts.get(face, 0)) for face in faces]


def read_counts(lines: Iterable[str], sides: int = 6) -> npt.NDArray[np.int64]:
    """Count the rolls that are written in a text or a CSV file.

    Every value in it is a roll, in however many columns, apart by commas, semicolons, tabs or blanks. A first line
    that begins with a word is a heading. Empty fields and lines, and lines that begin with #, hold no roll.

    Parameters
    ----------
    lines : iterable of str
        The lines of the file.
    sides : int
        Number of faces, at least 2.

    Returns
    -------
    ndarray of int64, shape (sides,)
        Counts of the faces 1, 2, … in order.

    Raises
    ------
    ValueError
        If a value is none of the faces, with the number of its line, or there are no rolls.

    Examples
    --------
    >>> read_counts(["red,white", "3,6", "3,1"]).tolist()
    [1, 0, 2, 0, 0, 1]
    """
    _refuse_sides(sides)
    counts, begun = np.zeros(sides, dtype=np.int64), False
    for number, line in enumerate(lines, 1):
        words = [] if line.startswith("#") else re.findall(r"[^\s,;\"']+", line)
        heading = not begun and bool(words) and words[0][0].isalpha()
        begun = begun or bool(words)
        for word in words if not heading else ():
            counts[_face(word, sides, number) - 1] += 1
    if not counts.any():
        raise ValueError("there are no rolls; give at least one")
    return counts


def _face(word: str, sides: int, line: int) -> int:
    face = _number(word)
    if face is None or not 1 <= face <= sides:
        raise ValueError(f"line {line}: {word!r} is no face of a d{sides}; {_hint(sides)}")
    return face


def _hint(sides: int) -> str:
    return f"give whole numbers from 1 to {sides}, or say how many sides there are"


def _refuse_sides(sides: int) -> None:
    if sides < 2 or sides != int(sides):
        raise ValueError(f"a die has a whole number of sides, 2 or more, not {sides}")
