"""How items become work: blocks, seeds, executors, order, memory, faults and progress."""

import sys
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest

from dicesim import ensembles
from dicesim.ensembles import (
    AHEAD,
    BLOCK,
    aside,
    block_count,
    block_generator,
    blocks,
    items_in,
    map_blocks,
    root_seed,
    worker_count,
    working,
)


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


def part(number: int, start: int, end: int, given: Any) -> Any:
    return given


def stumble(number: int, start: int, end: int) -> int:
    if number == 2:
        raise LookupError("the third block is missing")
    return number


def in_order(results: Iterable[tuple[int, Any]]) -> list[Any]:
    return [result for _, result in sorted(results)]


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


@pytest.mark.parametrize("n", [0, 1, BLOCK, BLOCK + 1, 5 * BLOCK + 7])
def test_ranges_of_blocks_are_blocks(n: int) -> None:
    every = list(blocks(n))
    assert block_count(n) == len(every)
    for middle in range(len(every) + 1):
        ranges = [(0, middle), (middle, len(every))]
        assert list(blocks(n, ranges)) == every
        assert [items_in(n, [pair]) for pair in ranges] == [
            sum(end - start for _, start, end in every[a:b]) for a, b in ranges
        ]


# Order, workers, memory


def test_results_come_as_they_are_finished() -> None:
    others = threading.Barrier(4)

    def work(number: int, start: int, end: int) -> int:
        others.wait(60) if number in (0, 1, 2) else None  # the first three wait until somebody has heard of the fourth
        return number

    with ThreadPoolExecutor(4) as executor:
        results = map_blocks(work, 4 * BLOCK, executor=executor)
        assert next(results) == (3, 3)
        others.wait(60)
        assert in_order(results) == [0, 1, 2]


@pytest.mark.parametrize("n", [0, 1, BLOCK, BLOCK + 1, 40 * BLOCK])
def test_every_block_is_done_once(n: int) -> None:
    for executor in (None, Now()):
        results = dict(map_blocks(span, n, executor=executor))
        assert [results[number] for number in sorted(results)] == list(blocks(n))
        assert all(number == result[0] for number, result in results.items())


def test_only_the_blocks_that_are_wanted_are_done() -> None:
    executor = Now()
    ranges = [(1, 3), (5, 6)]
    assert in_order(map_blocks(span, 6 * BLOCK, ranges=ranges, executor=executor)) == list(blocks(6 * BLOCK, ranges))
    assert executor.asked == [1, 2, 5]


def test_a_block_gets_its_part_of_what_is_given_and_no_more() -> None:
    given = np.arange(2 * BLOCK + 5)
    for executor in (None, Now()):
        parts = in_order(map_blocks(part, len(given), given=given, executor=executor))
        assert [len(array) for array in parts] == [BLOCK, BLOCK, 5]
        assert np.array_equal(np.concatenate(parts), given)


def test_processes_work_too() -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as executor:
        assert in_order(map_blocks(span, 3 * BLOCK, executor=executor)) == list(blocks(3 * BLOCK))


def test_only_a_few_blocks_are_ahead() -> None:
    executor = Now()
    results = map_blocks(span, 1000 * BLOCK, executor=executor)
    assert executor.asked == []  # nothing is done before it is wanted
    for taken in range(1, 50):
        next(results)
        assert len(executor.asked) - taken <= AHEAD * worker_count()


class Client:
    def nthreads(self) -> dict[str, int]:
        return {"one machine": 20, "another": 30}


@pytest.mark.parametrize(("told", "workers"), [({"_max_workers": 50}, 50), ({"_client": Client()}, 50), ({}, 1)])
def test_blocks_ahead_keep_all_workers_of_an_executor_busy(told: dict[str, Any], workers: int) -> None:
    executor = Now()
    vars(executor).update(told)
    next(map_blocks(span, 1000 * BLOCK, executor=executor))
    assert max(workers, worker_count()) < len(executor.asked) <= AHEAD * max(workers, worker_count()) + 1


def who(*block: int) -> threading.Thread:
    return threading.current_thread()


@pytest.mark.parametrize("n", [1, BLOCK, 2 * BLOCK])
def test_the_callers_thread_waits_and_never_works(n: int) -> None:
    assert threading.current_thread() not in dict(map_blocks(who, n)).values()
    assert threading.current_thread() is not aside(who)


def test_no_thread_is_left() -> None:
    before = threading.enumerate()
    list(map_blocks(span, 5 * BLOCK, progress=True))
    assert threading.enumerate() == before


def test_an_executor_that_is_given_works_even_on_one_block_and_is_not_shut_down() -> None:
    executor = Now()
    assert list(map_blocks(span, 5, executor=executor)) == [(0, (0, 0, 5))]
    assert (executor.asked, executor.shut) == ([0], False)


def test_who_works_can_be_said_for_all_that_follows() -> None:
    outer, inner, named = Now(), Now(), Now()
    with working(outer):
        list(map_blocks(span, 5))
        with working(inner):
            list(map_blocks(span, 2 * BLOCK))
            list(map_blocks(span, 5, executor=named))
        with working():
            list(map_blocks(span, 5))
        list(map_blocks(span, 3 * BLOCK))
    list(map_blocks(span, 5))
    assert (outer.asked, inner.asked, named.asked) == ([0, 0, 1, 2], [0, 1], [0])


@pytest.mark.parametrize("executor", [3, "threads", ThreadPoolExecutor])
def test_nothing_but_an_executor_works(executor: Any) -> None:
    with pytest.raises(ValueError, match=r"executor must be a concurrent\.futures\.Executor, not "):
        list(map_blocks(span, 5, executor=executor))
    with pytest.raises(ValueError, match="executor must be"), working(executor):
        pass


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
    with pytest.raises(LookupError, match="the third block is missing"):
        list(results)
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


def test_whoever_stops_listening_stops_the_work_and_does_not_wait_for_it() -> None:
    begun: list[int] = []
    gate = threading.Event()

    def work(number: int, start: int, end: int) -> int:
        if number:
            gate.wait(60)
        begun.append(number)
        return number

    before = threading.enumerate()
    results = map_blocks(work, 1000 * BLOCK)
    assert next(results) == (0, 0)
    started = [thread for thread in threading.enumerate() if thread not in before]
    results.close()  # blocks wait at the gate still
    gate.set()
    for thread in started:
        thread.join()
    assert len(begun) <= 1 + worker_count()  # those that were under way


# Progress


@pytest.mark.parametrize("n", [100, 3 * BLOCK + 1])
def test_progress_goes_to_stderr_and_ends_full(n: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert in_order(map_blocks(span, n, progress=True)) == list(blocks(n))
    out, err = capsys.readouterr()
    assert out == ""
    assert "100%" in err


def test_the_surroundings_ask_for_bars_of_what_is_long(capsys: pytest.CaptureFixture[str]) -> None:
    with working(progress=True):
        list(map_blocks(span, BLOCK))
        list(map_blocks(span, 3 * BLOCK, progress=False))
        assert capsys.readouterr().err == ""
        list(map_blocks(span, 3 * BLOCK))
        assert "100%" in capsys.readouterr().err


def test_the_bar_is_as_long_as_what_is_left(capsys: pytest.CaptureFixture[str]) -> None:
    list(map_blocks(span, 30 * BLOCK, ranges=[(29, 30)], progress=True))
    assert "100%" in capsys.readouterr().err


def test_without_progress_nothing_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    list(map_blocks(span, 3 * BLOCK))
    assert tuple(capsys.readouterr()) == ("", "")


def test_without_progress_tqdm_is_not_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    assert list(map_blocks(span, 5)) == [(0, (0, 0, 5))]
