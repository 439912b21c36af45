"""CREDITS.txt as a machine reads it, beside the constants that the code declares.

A constant of the code is a dataclass field with a default and a mark in its annotation, a named tuple of
unit, tag and source. ``python -m tests.credits`` prints the lines that CREDITS.txt owes the code.
"""

import ast
import dataclasses
import importlib
import inspect
import pkgutil
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from fractions import Fraction
from itertools import pairwise
from types import ModuleType
from typing import Any, NamedTuple

TAGS = ("documented", "qualified", "measured", "derived", "calibrated", "reconstructed")


class Credit(NamedTuple):
    """One constant: where it stands, what it is, and where it is from."""

    name: str
    value: object
    unit: str
    tag: str
    source: str

    def __str__(self) -> str:
        return " | ".join(map(str, self))


# The file


def sections(text: str) -> dict[str, list[str]]:
    """Part the text at its headings, which are the lines with a row of dashes under them."""
    found: dict[str, list[str]] = {"": []}
    for line, below in pairwise([*text.splitlines(), ""]):
        if set(below) == {"-"}:
            found[line] = []
        elif set(line) != {"-"}:
            found[next(reversed(found))].append(line)
    return found


def read(text: str) -> list[Credit]:
    """Read the lines of the section Constants: name | value | unit | tag | source."""
    rows = [line.split(" | ", 4) for line in sections(text)["Constants"] if " | " in line]
    return [Credit(name, _value(value), unit, tag, source) for name, value, unit, tag, source in rows]


def read_tally(text: str) -> dict[str, int]:
    """Read the section Tally: a number for each tag, and the total."""
    rows = [line.split() for line in sections(text)["Tally"] if line]
    return {name: int(number) for name, number in rows}


def tally(credits: Iterable[Credit]) -> dict[str, int]:
    """Count the constants of each tag, and all of them."""
    counts = Counter(credit.tag for credit in credits)
    return {**{tag: counts[tag] for tag in TAGS}, "total": counts.total()}


def _value(text: str) -> object:
    with suppress(ValueError):
        return float(Fraction(text))
    with suppress(ValueError, SyntaxError):
        return ast.literal_eval(text)
    return text


# The code


def modules(package: ModuleType) -> Iterator[ModuleType]:
    """Import the modules of a package and of the packages in it, its program left out."""
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if not found.name.endswith(".__main__"):
            yield importlib.import_module(found.name)


def dataclasses_of(package: ModuleType) -> Iterator[type[Any]]:
    """Find the dataclasses that the modules of a package define."""
    for module in modules(package):
        for kind in vars(module).values():
            if inspect.isclass(kind) and dataclasses.is_dataclass(kind) and kind.__module__ == module.__name__:
                yield kind


def declared(kind: type[Any]) -> list[Credit]:
    """List the marked fields of one dataclass, those it inherits left out."""
    where = f"{kind.__module__}.{kind.__qualname__}"
    return [
        Credit(f"{where}.{field.name}", _default(field), *mark)
        for field in _own_fields(kind)
        for mark in _marks(kind, field)
    ]


def unmarked(kind: type[Any]) -> list[str]:
    """Name the fields of one dataclass that default to a number and say nothing of its origin."""
    return [
        f"{kind.__module__}.{kind.__qualname__}.{field.name}"
        for field in _own_fields(kind)
        if type(field.default) in (int, float, tuple) and not _marks(kind, field)
    ]


def _own_fields(kind: type[Any]) -> list[dataclasses.Field[Any]]:
    own = inspect.get_annotations(kind)
    return [field for field in dataclasses.fields(kind) if field.name in own]


def _marks(kind: type[Any], field: dataclasses.Field[Any]) -> list[tuple[str, str, str]]:
    annotation = field.type
    if isinstance(annotation, str) and "Annotated" in annotation:
        annotation = eval(annotation, vars(sys.modules[kind.__module__]))
    marks = getattr(annotation, "__metadata__", ())
    return [mark for mark in marks if getattr(mark, "_fields", ()) == ("unit", "tag", "source")]


def _default(field: dataclasses.Field[Any]) -> object:
    return field.default if field.default_factory is dataclasses.MISSING else field.default_factory()


# The two beside each other


def faults(text: str, code: list[Credit]) -> list[str]:
    """Say, a line each, where CREDITS.txt and the code differ; empty where they agree.

    Parameters
    ----------
    text : str
        The whole of CREDITS.txt.
    code : list of Credit
        The constants that the code declares.

    Returns
    -------
    list of str
        One sentence a fault.
    """
    lines, constants = read(text), {credit.name: credit for credit in code}
    times = Counter(line.name for line in lines)
    said, true = read_tally(text), tally(lines)
    return [
        *(f"{name}: no line in CREDITS.txt" for name in constants if name not in times),
        *(f"{name}: no such constant in the code" for name in times if name not in constants),
        *(f"{name}: {n} lines in CREDITS.txt" for name, n in times.items() if n > 1),
        *(f"{line.name}: unknown tag {line.tag}" for line in lines if line.tag not in TAGS),
        *(fault for line in lines if line.name in constants for fault in _differ(line, constants[line.name])),
        *([] if said == true else [f"tally: {said} in CREDITS.txt, {true} counted"]),
    ]


def _differ(line: Credit, constant: Credit) -> list[str]:
    return [
        f"{line.name}: {part} is {said!r} in CREDITS.txt, {true!r} in the code"
        for part, said, true in zip(Credit._fields, line, constant, strict=True)
        if said != true
    ]


def main() -> None:
    """Print the Constants and the Tally that the code asks for."""
    import dicesim

    code = [credit for kind in dataclasses_of(dicesim) for credit in declared(kind)]
    print(*code, "", *(f"{name:<13} {number:>3}" for name, number in tally(code).items()), sep="\n")


if __name__ == "__main__":
    main()
