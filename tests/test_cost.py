"""What the experiments on cost count by themselves."""

import pytest

from experiments.cost import cpu_microseconds
from experiments.stages import _longest_loop, idle_share


def test_idle_lanes_are_counted() -> None:
    assert idle_share([4, 4], 2) == 0
    assert idle_share([4, 2], 2) == 0.25
    assert idle_share([5], 4) == 0.75
    # Lane 1 takes 3 and then 1, lane 2 takes 2 and then 2: both end after 4 steps. In the other order lane 2 takes
    # 2 and then 1, and lane 1 takes 3 and then 2, while lane 2 waits for 2.
    assert idle_share([3, 2, 2, 1], 2) == 0
    assert idle_share([3, 2, 1, 2], 2) == pytest.approx(2 / 10)
    assert idle_share([1, 1, 6], 2) == pytest.approx(1 - 8 / 14)


def test_the_longest_loop_is_found() -> None:
    assembly = "start:\n\tmov a, b\n\tjmp .L1\n.L1:\n\tvmulpd x\n\tvaddpd y\n\tvdivpd z\n\tjne .L1\n.L2:\n\tret\n"
    assert [line.split()[0] for line in _longest_loop(assembly)] == ["vmulpd", "vaddpd", "vdivpd", "jne"]


def test_time_is_that_of_the_work_and_not_of_the_first_call() -> None:
    calls: list[int] = []
    spent = cpu_microseconds(lambda: calls.append(sum(range(20_000 if len(calls) else 2_000_000))), 10, 3)
    assert len(calls) == 4
    assert spent > 0
