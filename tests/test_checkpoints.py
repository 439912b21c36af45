"""Long counts: what is finished is kept in a file, and going on from it ends in the same bytes."""

import errno
import os
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from dicesim import Setup, Shaken, Solver, States, Table, Tally, checkpoints, count
from dicesim.ensembles import BLOCK
from dicesim.outcomes import UnsettledError

LOW = Shaken(height=0.02, speed=0.1, spin=10.0)
N = 5 * BLOCK + 100


class Stopping(Executor):
    """Works in the caller's thread, and stops at the block that comes after `blocks` others."""

    def __init__(self, blocks: int = 1000, reason: BaseException | None = None) -> None:
        self.left, self.reason = blocks, reason
        self.done: list[int] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        if len(self.done) == self.left:
            future.set_exception(self.reason)
        else:
            self.done.append(args[0])
            future.set_result(fn(*args, **kwargs))
        return future


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("whole") / "a.json"
    count(N, LOW, rng=1, checkpoint=path)
    return path.read_bytes()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.json"


def stop(path: Path, after: int, reason: BaseException, **options: Any) -> None:
    with pytest.raises(type(reason)):
        count(N, LOW, rng=1, checkpoint=path, executor=Stopping(after, reason), **options)


REASONS = [KeyboardInterrupt(), ValueError("a bad block"), OSError(errno.EIO, "Input/output error")]


@pytest.mark.parametrize("reason", REASONS, ids=lambda reason: type(reason).__name__)
@pytest.mark.parametrize("blocks", [1, 3, 5])
def test_whatever_stops_a_count_what_is_finished_is_kept(
    path: Path, whole: bytes, blocks: int, reason: BaseException
) -> None:
    stop(path, blocks, reason)
    kept = Tally.read(path)
    assert kept.blocks == ((0, blocks),)
    assert kept == count(N, LOW, rng=1, blocks=(0, blocks))
    rest = Stopping()
    tally = count(N, LOW, rng=1, checkpoint=path, executor=rest)
    assert rest.done == list(range(blocks, 6))  # and no more
    assert path.read_bytes() == whole
    assert tally == Tally.read(path)
    assert list(path.parent.iterdir()) == [path]


def test_a_count_may_be_stopped_many_times(path: Path, whole: bytes) -> None:
    for _ in range(5):
        stop(path, 1, KeyboardInterrupt())
        assert Tally.read(path).missing()
    count(N, LOW, rng=1, checkpoint=str(path))
    assert path.read_bytes() == whole


def test_stopped_before_anything_is_finished_nothing_is_written(path: Path) -> None:
    stop(path, 0, KeyboardInterrupt())
    assert list(path.parent.iterdir()) == []


def test_a_complete_run_is_not_thrown_or_written_again(path: Path, whole: bytes) -> None:
    path.write_bytes(whole)
    before, idle = path.stat(), Stopping(0, AssertionError())
    assert count(N, LOW, rng=1, checkpoint=path, executor=idle) == Tally.read(path)
    assert path.stat() == before


def test_shards_are_gone_on_with_too(path: Path, whole: bytes) -> None:
    stop(path, 1, KeyboardInterrupt(), blocks=(2, 5))
    assert Tally.read(path).blocks == ((2, 3),)
    assert count(N, LOW, rng=1, checkpoint=path, blocks=(2, 5)).blocks == ((2, 5),)
    assert Tally.read(path) == count(N, LOW, rng=1, blocks=(2, 5))
    count(N, LOW, rng=1, checkpoint=path)  # and a shard may become the whole
    assert path.read_bytes() == whole


def test_given_states_are_gone_on_with(path: Path) -> None:
    states = LOW.sample(BLOCK + 9, rng=4)
    with pytest.raises(KeyboardInterrupt):
        count(states, checkpoint=path, executor=Stopping(1, KeyboardInterrupt()))
    assert count(states, checkpoint=path) == count(states)
    with pytest.raises(ValueError, match="these are of different runs: states is"):
        count(LOW.sample(BLOCK + 9, rng=5), checkpoint=path)


def test_unsettled_throws_are_told_of_at_the_end_and_kept(path: Path) -> None:
    hurried = Setup(solver=Solver(time_limit=0.1))
    with pytest.raises(UnsettledError) as caught:
        count(N, LOW, hurried, rng=1, checkpoint=path)
    assert caught.value.partial == Tally.read(path)
    assert not Tally.read(path).missing()


# Refusing


OTHERS: dict[str, Callable[..., Tally]] = {
    "throws is 41060 and 41061": lambda **options: count(N + 1, LOW, rng=1, **options),
    "seed is 1 and 2": lambda **options: count(N, LOW, rng=2, **options),
    "seed is 1 and ": lambda **options: count(N, LOW, **options),
    "until is face and rest": lambda **options: count(N, LOW, rng=1, until="rest", **options),
    "setup table friction": lambda **options: count(N, LOW, Setup(table=Table(friction=0.1)), rng=1, **options),
    "release height": lambda **options: count(N, rng=1, **options),
}


@pytest.mark.parametrize("blocks", [2, 6])
@pytest.mark.parametrize("difference", OTHERS)
def test_the_file_of_another_run_is_refused_and_left_alone(path: Path, difference: str, blocks: int) -> None:
    count(N, LOW, rng=1, checkpoint=path, blocks=(0, blocks))
    old = path.read_bytes()
    with pytest.raises(ValueError, match=r"^.*a\.json and what is asked for: these are of different runs: ") as caught:
        OTHERS[difference](checkpoint=path)
    assert difference in str(caught.value)
    assert path.read_bytes() == old


def test_the_file_of_another_version_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    count(N, LOW, rng=1, checkpoint=path, blocks=(0, 1))
    monkeypatch.setattr("dicesim.declarations.__version__", "9.0")
    with pytest.raises(ValueError, match=r"dicesim is .* and 9\.0; name another file"):
        count(N, LOW, rng=1, checkpoint=path)


def test_a_file_that_is_no_tally_is_not_gone_on_with(path: Path) -> None:
    path.write_text("{}")
    with pytest.raises(ValueError, match=r"a\.json is no whole tally"):
        count(50, rng=1, checkpoint=path)
    assert path.read_text() == "{}"


# Not going on


def test_what_is_complete_is_replaced_if_it_is_not_to_be_gone_on_with(path: Path, whole: bytes) -> None:
    for old in (whole, b"{}"):
        path.write_bytes(old)
        tally = count(N, LOW, rng=2, checkpoint=path, resume=False)
        assert Tally.read(path) == tally
        assert path.read_bytes() != old


def test_the_old_file_stays_until_a_block_is_finished(path: Path, whole: bytes) -> None:
    path.write_bytes(whole)
    stop(path, 0, KeyboardInterrupt(), resume=False)
    assert path.read_bytes() == whole
    stop(path, 1, KeyboardInterrupt(), resume=False)
    assert Tally.read(path).blocks == ((0, 1),)


@pytest.mark.parametrize("rng", [1, 2])
def test_what_is_partial_is_never_replaced_unasked(path: Path, rng: int) -> None:
    stop(path, 2, KeyboardInterrupt())
    old = path.read_bytes()
    with pytest.raises(ValueError, match=r"a\.json holds 2 of 6 blocks of a run; resume that, or remove the file"):
        count(N, LOW, rng=rng, checkpoint=path, resume=False)
    assert path.read_bytes() == old


def test_only_a_tally_that_holds_its_blocks_may_replace_a_partial_one(path: Path) -> None:
    stop(path, 2, KeyboardInterrupt())
    for blocks in ((0, 2), (0, 6)):
        checkpoints.refuse_to_lose(path, count(N, LOW, rng=1, blocks=blocks))
    for other in (count(N, LOW, rng=1, blocks=(1, 6)), count(N, LOW, rng=2)):
        with pytest.raises(ValueError, match="holds 2 of 6 blocks"):
            checkpoints.refuse_to_lose(path, other)


# When it is written


@pytest.mark.parametrize(("seconds", "writings"), [(0.0, 6), (1e9, 2)])
def test_it_is_written_after_the_first_block_then_now_and_then_and_at_the_end(
    path: Path, monkeypatch: pytest.MonkeyPatch, seconds: float, writings: int
) -> None:
    written: list[int] = []
    write = Tally.write
    monkeypatch.setattr(Tally, "write", lambda tally, where: written.append(tally.n) or write(tally, where))
    monkeypatch.setattr(checkpoints, "SECONDS", seconds)
    count(N, LOW, rng=1, checkpoint=path)
    assert len(written) == writings
    assert written[0] in (BLOCK, 100)
    assert written[-1] == N


def test_a_short_run_is_written_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[int] = []
    monkeypatch.setattr(Tally, "write", lambda tally, where: written.append(tally.n))
    count(50, LOW, rng=1, checkpoint=path)
    assert written == [50]


@dataclass(frozen=True)
class Counted(Shaken):
    """Writes a line for each block that is drawn."""

    log: str = os.devnull

    def sample(self, n: int, *, rng: Any = None) -> States:
        with Path(self.log).open("a") as log:
            log.write(f"{n}\n")
        return super().sample(n, rng=rng)


def test_a_file_that_cannot_be_written_is_known_after_the_first_block(tmp_path: Path) -> None:
    release = Counted(log=str(tmp_path / "log"))
    with pytest.raises(FileNotFoundError):
        count(10**9, release, rng=1, checkpoint=tmp_path / "no" / "where.json")
    assert len((tmp_path / "log").read_text().splitlines()) < 100
