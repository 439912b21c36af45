"""Files that are never half written."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dicesim._files import write_whole

ROOT = Path(__file__).parents[1]


@pytest.fixture
def target(tmp_path: Path) -> Path:
    path = tmp_path / "data.json"
    path.write_bytes(b"old")
    return path


def assert_old_and_alone(target: Path) -> None:
    assert [(path.name, path.read_bytes()) for path in target.parent.iterdir()] == [(target.name, b"old")]


def test_a_file_is_written_and_written_over(tmp_path: Path) -> None:
    path = tmp_path / "new.txt"
    for content in (b"first", b"", b"second"):
        write_whole(path, lambda part, content=content: part.write_bytes(content))
        assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


def test_writers_see_the_name_and_the_old_file(target: Path) -> None:
    def write(part: Path) -> None:
        assert part.name == target.name
        assert part != target
        part.write_bytes(b"new")
        assert target.read_bytes() == b"old"

    write_whole(target, write)
    assert target.read_bytes() == b"new"


@pytest.mark.skipif(os.name != "posix", reason="there are no such permissions")
def test_a_file_has_the_permissions_of_any_other(tmp_path: Path) -> None:
    plain, whole = tmp_path / "plain", tmp_path / "whole"
    plain.write_bytes(b"")
    write_whole(whole, lambda part: part.write_bytes(b""))
    assert whole.stat().st_mode == plain.stat().st_mode


@pytest.mark.parametrize("failure", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_a_failure_leaves_the_old_file_alone(target: Path, failure: BaseException) -> None:
    def write(part: Path) -> None:
        part.write_bytes(b"half")
        raise failure

    with pytest.raises(type(failure)):
        write_whole(target, write)
    assert_old_and_alone(target)


@pytest.mark.parametrize("step", ["os.fsync", "pathlib.Path.replace"])
def test_a_failure_after_the_writing_does_too(target: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    def fail(*arguments: object) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(step, fail)
    with pytest.raises(OSError, match="Input/output error"):
        write_whole(target, lambda part: part.write_bytes(b"new"))
    assert_old_and_alone(target)


def test_a_writer_that_writes_nothing_is_a_failure(target: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write_whole(target, lambda part: None)
    assert_old_and_alone(target)


def test_a_missing_folder_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write_whole(tmp_path / "missing" / "data", lambda part: part.write_bytes(b""))
    assert list(tmp_path.iterdir()) == []


def test_the_content_is_on_the_disk_before_the_name_changes(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []
    fsync, replace = os.fsync, Path.replace
    monkeypatch.setattr(os, "fsync", lambda number: order.append("fsync") or fsync(number))
    monkeypatch.setattr(Path, "replace", lambda path, new: order.append("replace") or replace(path, new))
    write_whole(target, lambda part: part.write_bytes(b"new"))
    assert order == ["fsync", "replace"]


def test_a_killed_writer_leaves_a_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "data.json"
    path.write_bytes(b"0" * 1_000_000)
    program = """
import itertools, pathlib, sys
from dicesim._files import write_whole
print(flush=True)
for i in itertools.count():
    write_whole(pathlib.Path(sys.argv[1]), lambda part: part.write_bytes(b"%d" % (i % 10) * 1_000_000))
"""
    for delay in (0, 0.01, 0.03, 0.05):
        with subprocess.Popen([sys.executable, "-c", program, path], cwd=ROOT, stdout=subprocess.PIPE) as writer:
            assert writer.stdout
            writer.stdout.readline()
            try:
                writer.wait(delay)
            except subprocess.TimeoutExpired:
                writer.kill()
        data = path.read_bytes()
        assert data == data[:1] * 1_000_000
