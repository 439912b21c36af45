"""How items become work: blocks, seeds, executors, order, memory, faults and progress."""

import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest

from dicesim import ensembles
from dicesim.ensembles import BLOCK, block_generator, blocks, map_blocks, root_seed, worker_count


class Now(Executor):
    """Works at once, in the caller's thread, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[int] = []
        self.shut = False

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.asked.append(args[0])
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self.shut = True


def span(number: int, start: int, end: int) -> tuple[int, int, int]:
    return number, start, end


def late_first(number: int, start: int, end: int) -> int:
    time.sleep(0.05 * (number == 0))
    return number


def stumble(number: int, start: int, end: int) -> int:
    if number == 2:
        raise LookupError("the third block is missing")
    return number


# Blocks


@pytest.mark.parametrize("n", [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 5 * BLOCK + 7])
def test_blocks_cover_every_item_once(n: int) -> None:
    cut = list(blocks(n))
    assert [number for number, _, _ in cut] == list(range(-(-n // BLOCK)))
    assert [item for _, start, end in cut for item in range(start, end)] == list(range(n))
    assert all(end - start == BLOCK for _, start, end in cut[:-1])


def test_the_size_of_a_block_is_a_promise() -> None:
    assert BLOCK == 8192


# Seeds


def test_every_block_has_a_generator_of_its_own() -> None:
    first = {block_generator(root_seed(1), block).bytes(8) for block in range(2000)}
    others = {block_generator(root_seed(2), block).bytes(8) for block in range(2000)}
    assert len(first | others) == 4000


def test_a_blocks_generator_depends_on_nothing_else() -> None:
    a, b = (block_generator(root_seed(1), 7) for _ in range(2))
    assert a.bytes(32) == b.bytes(32)
    assert isinstance(a.bit_generator, np.random.Philox)


def test_a_block_is_the_child_that_numpy_would_spawn() -> None:
    children = np.random.SeedSequence(9).spawn(4)
    generator = np.random.Generator(np.random.Philox(children[3]))
    assert generator.bytes(32) == block_generator(root_seed(9), 3).bytes(32)


def test_spawn_keys_are_kept() -> None:
    parent = np.random.SeedSequence(9, spawn_key=(4, 2))
    assert root_seed(parent) is parent
    child = np.random.SeedSequence(9, spawn_key=(4, 2, 5))
    wanted = np.random.Generator(np.random.Philox(child)).bytes(32)
    assert block_generator(root_seed(parent), 5).bytes(32) == wanted
    assert block_generator(root_seed(9), 5).bytes(32) != wanted


def test_the_pool_size_is_kept() -> None:
    wide = np.random.SeedSequence(9, pool_size=8)
    assert block_generator(wide, 0).bytes(8) != block_generator(root_seed(9), 0).bytes(8)


def test_asking_for_generators_spawns_nothing() -> None:
    parent = np.random.SeedSequence(9)
    block_generator(root_seed(parent), 0)
    assert parent.n_children_spawned == 0


def test_a_generator_gives_numbers_and_moves_on() -> None:
    generator = np.random.default_rng(3)
    first, second = root_seed(generator), root_seed(generator)
    assert first.entropy != second.entropy
    assert first.entropy == root_seed(np.random.default_rng(3)).entropy


def test_none_asks_the_system() -> None:
    assert root_seed(None).entropy != root_seed(None).entropy


@pytest.mark.parametrize("rng", [0, 5, np.int64(5), np.uint8(5), 2**200])
def test_whole_numbers_are_seeds(rng: Any) -> None:
    assert root_seed(rng).entropy == int(rng)


@pytest.mark.parametrize("rng", [-1, np.int64(-1), 1.5, "1", True, [1], np.random.Philox(1)])
def test_nothing_else_is_a_seed(rng: Any) -> None:
    with pytest.raises(ValueError, match="rng must be a Generator, a SeedSequence, a whole number") as caught:
        root_seed(rng)
    assert "\n" not in str(caught.value)


# Order, workers, memory


def test_results_come_in_order_however_long_each_takes() -> None:
    with ThreadPoolExecutor(4) as executor:
        assert list(map_blocks(late_first, 6 * BLOCK, executor=executor)) == list(range(6))


@pytest.mark.parametrize("n", [0, 1, BLOCK, BLOCK + 1, 40 * BLOCK])
def test_every_block_is_done_once(n: int) -> None:
    assert list(map_blocks(span, n)) == list(blocks(n))
    assert list(map_blocks(span, n, executor=Now())) == list(blocks(n))


def test_processes_work_too() -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as executor:
        assert list(map_blocks(span, 3 * BLOCK, executor=executor)) == list(blocks(3 * BLOCK))


def test_only_a_few_blocks_are_ahead() -> None:
    executor = Now()
    results = map_blocks(span, 1000 * BLOCK, executor=executor)
    assert executor.asked == []  # nothing is done before it is wanted
    for taken in range(1, 50):
        next(results)
        assert len(executor.asked) - taken < 4 * worker_count()


def test_blocks_ahead_keep_all_workers_busy() -> None:
    executor = Now()
    next(map_blocks(span, 1000 * BLOCK, executor=executor))
    assert len(executor.asked) > worker_count()


def test_one_block_needs_no_threads() -> None:
    def who(number: int, start: int, end: int) -> threading.Thread:
        return threading.current_thread()

    assert list(map_blocks(who, BLOCK)) == [threading.current_thread()]
    assert threading.current_thread() not in list(map_blocks(who, 2 * BLOCK))


def test_an_executor_that_is_given_works_even_on_one_block_and_is_not_shut_down() -> None:
    executor = Now()
    assert list(map_blocks(span, 5, executor=executor)) == [(0, 0, 5)]
    assert (executor.asked, executor.shut) == ([0], False)


def test_worker_count_is_what_this_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ensembles.os, "sched_getaffinity", lambda pid: {0, 3, 5}, raising=False)
    assert worker_count() == 3
    monkeypatch.delattr(ensembles.os, "sched_getaffinity")
    monkeypatch.setattr(ensembles.os, "cpu_count", lambda: None)
    assert worker_count() == 1


# Faults and stopping


@pytest.mark.parametrize("given", [False, True])
def test_a_fault_comes_out_as_it_is(given: bool) -> None:
    executor = ThreadPoolExecutor(2) if given else None
    results = map_blocks(stumble, 40 * BLOCK, executor=executor)
    assert [next(results), next(results)] == [0, 1]
    with pytest.raises(LookupError, match="the third block is missing"):
        next(results)
    assert list(results) == []
    if executor:
        assert executor.submit(int).result() == 0  # still open
        executor.shutdown()


def test_a_fault_cancels_what_waits() -> None:
    done: list[int] = []
    gate = threading.Event()

    def work(number: int, start: int, end: int) -> None:
        if number == 0:
            raise LookupError
        gate.wait(5)
        done.append(number)

    with ThreadPoolExecutor(1) as executor:
        with pytest.raises(LookupError):
            list(map_blocks(work, 1000 * BLOCK, executor=executor))
        gate.set()
    assert done in ([], [1])  # at most the one that was under way


def test_whoever_stops_listening_stops_the_work() -> None:
    done: list[int] = []

    def work(number: int, start: int, end: int) -> int:
        time.sleep(0.01)
        done.append(number)
        return number

    results = map_blocks(work, 1000 * BLOCK)
    next(results)
    results.close()  # type: ignore[attr-defined]
    finished = len(done)
    assert finished <= 4 * worker_count()
    time.sleep(0.05)
    assert len(done) == finished


# Progress


@pytest.mark.parametrize("n", [100, 3 * BLOCK + 1])
def test_progress_goes_to_stderr_and_ends_full(n: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert list(map_blocks(span, n, progress=True)) == list(blocks(n))
    out, err = capsys.readouterr()
    assert out == ""
    assert "100%" in err


def test_without_progress_nothing_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    list(map_blocks(span, 3 * BLOCK))
    assert tuple(capsys.readouterr()) == ("", "")


def test_without_progress_tqdm_is_not_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    assert list(map_blocks(span, 5)) == [(0, 0, 5)]
