"""The scale against contacts: the line and its interval on data made by hand."""

import numpy as np
import pytest

from experiments.contacts import factor, falling


def test_a_line_through_points_that_halve() -> None:
    start, fall = falling(np.array([2.0, 3.0, 5.0]), np.log([0.4, 0.2, 0.05]))
    assert start == pytest.approx(1.6)
    assert fall == pytest.approx(2.0)


def table(contacts: int, scale: float, first: float = 0.0, throws: int = 400) -> tuple[np.ndarray, np.ndarray]:
    """Throws whose flip rate rises from 0 to 5/6 in proportion to the log of the change, half of it at the scale."""
    eps = scale * np.logspace(-1, 1, 5)
    thresholds = (first + np.arange(throws) * 0.381966) % 1
    rates = 5 / 6 * (np.arange(5) / 4)
    return np.log(eps), np.column_stack([np.full(throws, contacts), thresholds[:, None] < rates])


def test_a_throw_is_drawn_at_every_restitution_at_once() -> None:
    same = factor([table(8, 1e-2), table(10, 1e-2 / 4), table(12, 1e-2 / 16)], 200, 1)["factor"]
    assert list(same.values()) == pytest.approx([2.0] * 3)  # what all share moves all scales alike
    apart = factor([table(8, 1e-2, 0.3), table(10, 1e-2 / 4, 0.5), table(12, 1e-2 / 16)], 200, 1)["factor"]
    assert apart["low"] < apart["value"] < apart["high"]
    assert 0.9 < apart["low"] / 2 < 1 < apart["high"] / 2 < 1.1
