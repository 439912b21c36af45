"""Running the command line ``dicesim``, in this process or in one of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from dicesim import cli

ROOT = Path(__file__).parents[1]

Say: TypeAlias = Callable[..., tuple[int, str, str]]
Ask: TypeAlias = Callable[..., dict[str, Any]]


def in_process(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Run a command here: its status, stdout and stderr."""
    try:
        status = cli.main(arguments)
    except SystemExit as exit:
        status = int(exit.code or 0)
    return status, *capsys.readouterr()


def in_json(say: Say, *arguments: str) -> dict[str, Any]:
    """Run a command with --json, and read the one document that it prints."""
    status, out, err = say(*arguments, "--json")
    assert (status, err) == (0, "")
    document: dict[str, Any] = json.loads(out, parse_constant=_refuse)
    return document


def _refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is not JSON")


def program(*arguments: str, encoding: str = "utf-8", **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "dicesim", *arguments],
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        encoding=encoding,
        timeout=120,
    )
