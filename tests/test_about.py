"""The command line: ``dicesim info`` and ``dicesim cite``."""

import re
import sys
from functools import partial
from importlib import metadata
from typing import Any

import numpy as np
import pytest

import dicesim
from dicesim import _about
from tests.commands import ROOT, Ask, Say, in_json, in_process


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> Say:
    return partial(in_process, capsys)


@pytest.fixture
def ask(say: Say) -> Ask:
    return partial(in_json, say)


def test_info(say: Say, ask: Ask) -> None:
    found = ask("info")
    assert found["dicesim"] == dicesim.__version__
    assert found["python"] == sys.version.split()[0]
    assert found["packages"]["numpy"] == np.__version__
    assert found["packages"]["numba"] == metadata.version("numba")
    assert found["processors"] >= 1
    assert found["cpu"]
    assert found["compiler"]["works"] is True
    assert found["compiler"]["seconds"] > 0
    status, out, err = say("info")
    assert (status, err) == (0, "")
    lines = {line[:12].strip(): line[12:] for line in out.splitlines()}
    assert lines["numpy"] == np.__version__
    assert re.fullmatch(r"(works|off); the first throw took \d+\.\d\d s", lines["compiler"])


def test_the_cache_folder_is_where_numba_writes(ask: Ask) -> None:
    from dicesim import kernel

    found = ask("info")
    if not hasattr(kernel.simulate, "stats"):
        assert found["compiler"]["state"] == "off"
        assert found["cache"] == {"state": "off", "folder": None, "problem": None}
        return
    assert found["compiler"]["state"] == "works"
    assert found["cache"]["folder"] == kernel.simulate.stats.cache_path


def test_info_does_not_need_what_is_missing(say: Say, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    def broken(*arguments: Any, **options: Any) -> None:
        raise ImportError("Numba needs NumPy 2.5 or less.\nGot NumPy 2.9.")

    monkeypatch.setattr(_about, "version", missing)
    monkeypatch.setattr(dicesim, "throw", broken, raising=False)
    status, out, err = say("info")
    assert (status, err) == (0, "")
    assert re.search(r"^trimesh +not installed$", out, flags=re.M)
    assert "fails; Numba needs NumPy 2.5 or less. Got NumPy 2.9." in out
    assert ask("info")["compiler"]["works"] is False


def test_cite_agrees_with_the_citation_file(say: Say, ask: Ask) -> None:
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    filed = dict(re.findall(r'^(title|version|license): "?(.*?)"?$', text, flags=re.M))
    author = re.search(r"^authors:\n  - name: (.*)$", text, flags=re.M)
    released = re.search(r"^date-released: (\d{4})-\d\d-\d\d$", text, flags=re.M)
    assert author
    assert released
    filed |= {"author": author[1], "year": released[1]}
    assert ask("cite") == filed
    status, out, _ = say("cite")
    assert status == 0
    assert out.startswith("@software{fairdice,\n")
    assert dict(re.findall(r"^  (\w+) = \{\{(.*)\}\},?$", out, flags=re.M)) == filed
