"""Boxes and pairs: counted by hand, on sets of known dimension, and where there is nothing to count."""

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from dicesim.roughness import box_counts, box_shares, dimension, jackknife, roughness, uncertainty


def cantor(digits: int, keep: tuple[int, ...] = (0, 3)) -> Any:
    """Whether each whole number below 4^digits has none but the kept digits in base 4, and one more, which has not."""
    inside = np.ones(1, dtype=bool)
    for _ in range(digits):
        inside = np.concatenate([inside if digit in keep else np.zeros_like(inside) for digit in range(4)])
    return np.append(inside, False)


def slopes(faces: Any) -> list[float]:
    """The dimension in every octave of one map, from the finest on."""
    shares = box_shares(box_counts(faces))
    return [roughness(near, far) for near, far in pairwise(shares)]


# Boxes, by hand


def test_boxes_are_counted_as_by_hand() -> None:
    # Of the four unit boxes the two on the right have both faces, at their corners; and so has the whole.
    assert box_counts([[0, 0, 1], [0, 0, 1], [0, 0, 1]]).tolist() == [2, 1]
    assert box_counts([[5, 5, 5], [5, 5, 5], [5, 5, 5]]).tolist() == [0, 0]
    assert box_counts([[0, 0, 0], [0, 4, 0], [0, 0, 0]]).tolist() == [4, 1]  # a point in the middle is in all four
    assert box_counts([[0, 0, 0], [0, 0, 0], [0, 0, 2]]).tolist() == [1, 1]


def test_a_boundary_between_two_boxes_is_not_lost() -> None:
    # The faces change between columns 4 and 5: no column of boxes of side 4 may miss it.
    faces = np.repeat([[0, 0, 0, 0, 0, 1, 1, 1, 1]], 9, axis=0)
    assert box_counts(faces).tolist() == [8, 4, 2, 1]


def test_three_faces_are_no_more_than_two() -> None:
    assert (
        box_counts([[0, 0, 1], [0, 0, 1], [2, 2, 3]]).tolist() == box_counts([[0, 0, 1], [0, 0, 1], [1, 1, 1]]).tolist()
    )


# Sets of known dimension


def test_a_straight_line_has_dimension_one() -> None:
    faces = np.repeat([np.arange(257) > 100], 257, axis=0)
    assert slopes(faces) == [1.0] * 8


def test_a_slanted_line_has_nearly_dimension_one() -> None:
    # 257 steps of a slope of 2 / 3; the ends of the line add a box or so to every count.
    across, up = np.meshgrid(np.arange(257), np.arange(257))
    assert slopes(3 * up > 2 * across + 50)[:4] == pytest.approx([1.0] * 4, abs=0.05)


def test_a_checkerboard_fills_the_plane() -> None:
    faces = np.indices((65, 65)).sum(axis=0) % 2
    assert slopes(faces) == [2.0] * 6


def test_a_cantor_set_of_lines_has_dimension_one_and_a_half() -> None:
    # Half of the digits are kept at every fourfold refinement: log 2 / log 4 across, and 1 along. By hand: each of
    # 2^5 places kept is alone, and the corner of two boxes, but for the first; so are 2^4 groups of four; and so on.
    counts = box_counts(np.repeat([cantor(5)], 4**5 + 1, axis=0))
    assert (counts[::2] / 4 ** np.arange(5, -1, -1)).tolist() == [63, 31, 15, 7, 3, 1]
    shares = box_shares(counts)
    assert roughness(shares[0], shares[4], 4) == pytest.approx(1.5, abs=0.02)


def test_a_product_of_cantor_sets_has_the_sum_of_their_dimensions() -> None:
    # Three of four digits kept, in both directions: 2 log 3 / log 4 = 1.585.
    inside = cantor(5, (0, 1, 3))
    shares = box_shares(box_counts(inside[:, None] & inside))
    assert roughness(shares[2], shares[6], 4) == pytest.approx(math.log2(3), abs=0.08)


def test_the_shares_of_boxes_are_those_of_the_window() -> None:
    assert box_shares([16, 4, 1]).tolist() == [1.0, 1.0, 1.0]
    assert box_shares([4, 2, 1]).tolist() == [0.25, 0.5, 1.0]


# Pairs


def test_pairs_across_a_line_differ_as_geometry_says() -> None:
    """The line is crossed if the first place is within |cos| times the distance: on the average distance / pi of 2.

    Fails about once in 10,000 seeds.
    """
    share = uncertainty(lambda places: (places[:, 0] > 0.1).astype(np.int8), 0.2, 100_000, rng=1)
    expected = 0.2 / math.pi
    assert share == pytest.approx(expected, abs=4 * math.sqrt(expected / 100_000))


def test_pairs_find_the_dimension_of_lines_and_of_noise() -> None:
    """Fails about once in 1,000 seeds: the exponent's standard error is about 0.02."""

    def line(places: Any) -> Any:
        return (places[:, 0] > 0).astype(np.int8)

    def stripes(places: Any) -> Any:
        return (np.floor(places[:, 0] * 1e6) % 2).astype(np.int8)

    for plane, expected in ((line, 1.0), (stripes, 2.0)):
        near, far = (uncertainty(plane, distance, 50_000, rng=2) for distance in (0.05, 0.2))
        assert roughness(near, far, 2) == pytest.approx(expected, abs=0.06)


def gaps(places: Any) -> Any:
    """Whether a place leaves the Cantor set of the digits 0 and 3 at an even step: the faces of its gaps."""
    rest = (places[:, 0] + 1) / 2 % 1
    left = np.full(len(rest), 12)
    for step in range(12):
        rest = 4 * rest
        digit, rest = np.floor(rest), rest % 1
        left = np.where((left == 12) & ((digit == 1) | (digit == 2)), step, left)
    return (left % 2).astype(np.int8)


def test_pairs_find_the_dimension_of_a_cantor_set_of_lines() -> None:
    """The standard error of the pairs is about 0.005; fails about once in 1,000 seeds."""
    near, far = (uncertainty(gaps, distance, 100_000, rng=3) for distance in (2 / 4**5, 2 / 4**3))
    assert roughness(near, far, 4) == pytest.approx(1.5, abs=0.03)


# Intervals


def test_the_jackknife_of_a_mean_is_student_s() -> None:
    found = jackknife(lambda rows: float(rows.mean()), [9.0, 10.0, 11.0])
    assert found == pytest.approx((10.0, 7.516, 12.484), abs=1e-3)


def test_windows_are_taken_together() -> None:
    found = dimension([[0.1, 0.2], [0.3, 0.6], [0.2, 0.4]])
    assert found == pytest.approx((1.0, 1.0, 1.0))
    mixed = dimension([[0.1, 0.2], [0.1, 0.1]])
    assert mixed.value == pytest.approx(2 - math.log2(1.5))
    assert mixed.low < mixed.value < mixed.high


# What cannot be counted


@pytest.mark.parametrize(
    "faces", [[0, 1], [[0, 1, 0], [1, 0, 1]], np.zeros((4, 4)), np.zeros((1, 1)), np.zeros((7, 7))]
)
def test_maps_that_do_not_halve_are_refused(faces: Any) -> None:
    with pytest.raises(ValueError, match=r"^a map for boxes is a square of 2, 3, 5, 9, [^\n]*$"):
        box_counts(faces)


def test_no_boundary_no_dimension() -> None:
    with pytest.raises(ValueError, match="no boundary was met"):
        dimension(np.zeros((3, 2)))
    with pytest.raises(ValueError, match="not finite"):
        jackknife(lambda rows: math.inf, [1.0, 2.0])


@pytest.mark.parametrize(("distance", "pairs"), [(0.0, 10), (-1.0, 10), (math.nan, 10), (0.1, 0)])
def test_bad_pairs_are_refused(distance: float, pairs: int) -> None:
    with pytest.raises(ValueError, match=r"^(distance must|a share needs)[^\n]*$"):
        uncertainty(lambda places: places[:, 0], distance, pairs, rng=1)
