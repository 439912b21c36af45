"""Docstrings of public names, held against numpydoc's rules: ``python -m tests.docstrings dicesim``.

The objects are asked, not their source: a dataclass documents the parameters that it truly takes.
"""

import importlib
import inspect
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType

from numpydoc.hooks.validate_docstrings import parse_config
from numpydoc.validate import validate

from tests.credits import modules

RULES = parse_config(Path(__file__).parents[1])


def public_names(package: ModuleType) -> Iterator[str]:
    """Name what the modules of a package, and their classes, define."""
    for module in modules(package):
        for name, thing in vars(module).items():
            if callable(thing) and getattr(thing, "__module__", None) == module.__name__:
                yield f"{module.__name__}.{name}"
                yield from (f"{module.__name__}.{name}.{method}" for method in _methods(thing))


def _methods(thing: object) -> list[str]:
    kinds = (property, classmethod, staticmethod)
    members = vars(thing).items() if inspect.isclass(thing) else ()
    return [name for name, member in members if inspect.isfunction(member) or isinstance(member, kinds)]


def complaints(names: Iterable[str]) -> list[str]:
    """Say, a line each, what numpydoc finds at fault; names that pyproject.toml excludes are left out."""
    return [
        f"{name}: {code} {text}"
        for name in names
        if not RULES["exclude"].search(name)
        for code, text in validate(name)["errors"]
        if code in RULES["checks"]
    ]


if __name__ == "__main__":
    names = list(public_names(importlib.import_module(sys.argv[1])))
    found = complaints(names)
    print(*found, f"{len(names)} names, {len(found)} faults", sep="\n")
    sys.exit(bool(found))
