"""Figures of the study: what is in the Axes is what was measured."""

from typing import Any

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from dicesim import plots
from dicesim._drawing import panels
from dicesim.stats import proportion_interval, proportion_intervals

ROW: dict[str, Any] = {
    "coordinate": "velocity z",
    "unit": "m/s",
    "flipped": 120,
    "of": 400,
    "eps": [1e-4, 1e-3, 1e-2, 1e-1],
    "flips": [0, 8, 42, 70],
    "scale": {"value": 0.01, "low": 0.008, "high": 0.0125},
    "asymptote": {"value": 0.8, "low": 0.7, "high": 0.9},
    "exponent": {"value": 0.9, "low": 0.8, "high": 1.0},
    "bend": {"value": 2.0, "low": 1.0, "high": 3.0},
}
IDLE: dict[str, Any] = {"coordinate": "position x", "unit": "m", "largest": 1.0, "flipped": 0, "of": 93_000}


def points(ax: Any) -> list[list[float]]:
    return [list(map(float, point)) for collection in ax.collections for point in collection.get_offsets()]


def segments(ax: Any) -> list[Any]:
    lines = [collection for collection in ax.collections if isinstance(collection, LineCollection)]
    return [segment for collection in lines for segment in collection.get_segments()]


def test_rates_are_shares_with_their_intervals() -> None:
    left = plots.flip_rates([ROW, IDLE], 100)
    rates = [point for point in points(left) if point in ([1e-3, 0.08], [1e-2, 0.42], [1e-1, 0.7])]
    assert len(rates) == 3  # what never flipped has no place on a logarithmic axis
    assert [0.01, pytest.approx(proportion_interval(42, 100)[0])] in [list(end) for s in segments(left) for end in s]
    curve = next(line for line in left.lines if len(line.get_xdata()) > 100)
    at = np.interp(0.01, curve.get_xdata(), curve.get_ydata())
    assert at == pytest.approx(5 / 12, rel=1e-2)


def test_scales_stand_at_their_place_and_what_does_nothing_says_so() -> None:
    left = plots.flip_rates([IDLE, ROW], 100)
    assert left.figure is not None
    right = left.figure.axes[-1]
    assert [0.01, 0.0] in points(right)
    assert [[0.008, 0.0], [0.0125, 0.0]] in [segment.tolist() for segment in segments(right)]
    words = [text.get_text() for text in right.texts]
    assert "no effect up to 1 m: 0 of 93,000" in words
    assert [label.get_text() for label in right.get_yticklabels()] == ["velocity z", "position x"]


def test_a_line_falls_by_its_factor() -> None:
    scales = [{"value": 1e-2, "low": 9e-3, "high": 1.1e-2}, {"value": 2.5e-3, "low": 2e-3, "high": 3e-3}]
    ax = plots.scale_against_contacts([8, 10], scales, (2.56, 2.0), ["a", "b"])
    x, y = ax.lines[0].get_data()
    assert y[1] / y[0] == pytest.approx(2.0 ** -(x[1] - x[0]))
    assert np.interp(8, x, np.log(y)) == pytest.approx(np.log(0.01))
    assert [8.0, 0.01] in points(ax)
    assert [segment[:, 1].tolist() for segment in segments(ax)] == [[9e-3, 1.1e-2], [2e-3, 3e-3]]


def test_shares_of_each_face_at_each_wobble() -> None:
    counts = [[60, 0, 0, 0, 0, 0], [20, 8, 8, 8, 8, 8]]
    ax = plots.wobble_shares([1e-3, 1e-1], counts, [10] * 6)
    lines = {str(line.get_label()): list(map(float, line.get_ydata())) for line in ax.lines}
    assert lines["+x"] == pytest.approx([1.0, 1 / 3])
    assert lines["-z"] == pytest.approx([0.0, 8 / 60])
    drawn = [segment[:, 1].tolist() for segment in segments(ax)]
    assert proportion_intervals(counts[1])[0].tolist() in drawn
    assert sum(point[1] == pytest.approx(1 / 6) for point in points(ax)) == 6


def test_a_place_is_divided_row_by_row() -> None:
    figure = Figure(figsize=(6, 4), layout="constrained")
    made = panels(figure.add_subplot(), 2, 3)
    figure.draw_without_rendering()
    boxes = [ax.get_position() for ax in made]
    assert len(made) == 6
    assert boxes[0].x0 < boxes[1].x0 < boxes[2].x0
    assert boxes[0].y0 == pytest.approx(boxes[1].y0)
    assert boxes[3].y1 < boxes[0].y0
    with pytest.raises(ValueError, match="part of a grid"):
        panels(figure.add_axes((0, 0, 1, 1)), 1, 2)
