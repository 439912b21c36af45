"""Hands dealt from faces."""

import numpy as np
import pytest

from dicesim.fairness import labelled, wild_counts
from dicesim.solids import STANDARD, labellings, pips
from dicesim.stats import chi_square


def test_hands_are_dealt_in_order_and_aces_help() -> None:
    face = {int(value): face for face, value in enumerate(STANDARD)}
    faces = [face[v] for v in (1, 1, 6, 6, 6, 2, 3, 4, 5, 1, 2, 2, 2, 2, 2)]
    assert wild_counts(faces, rank=6).tolist() == [1, 1, 0, 0, 0, 1]
    assert wild_counts(faces, rank=2).tolist() == [0, 0, 2, 0, 0, 1]


def test_every_throw_is_in_one_hand() -> None:
    faces = np.random.default_rng(1).integers(6, size=300)
    assert wild_counts(faces, rank=3, size=3).sum() == 100


@pytest.mark.parametrize("rank", [1, 7, 0])
def test_an_ace_is_not_boosted(rank: int) -> None:
    with pytest.raises(ValueError, match=r"^rank must be from 2 to 6, the ranks that aces boost, not \d$"):
        wild_counts([0] * 5, rank)


def test_an_unfilled_hand_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^7 throws do not fill hands of 5; throw a multiple of 5$"):
        wild_counts([0] * 7, 2)


def test_an_empty_hand_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^a hand must hold 1 die or more, not 0$"):
        wild_counts([0] * 7, 2, size=0)


def test_labels_drawn_from_all_rotations_are_even_and_from_few_are_not() -> None:
    faces = np.zeros(24_000, dtype=int)  # a hand that throws one face
    drawn = np.bincount(pips(faces, labelled(24_000, rng=1)), minlength=7)[1:]
    assert chi_square(drawn).p_value > 1e-6  # the false-alarm rate
    assert np.bincount(pips(faces, labelled(24_000, [0, 1, 2, 3], rng=1)), minlength=7)[1:].tolist().count(0) == 4
    assert set(pips(faces, labelled(24_000, [5], rng=1)).tolist()) == {int(labellings()[5][0])}


def test_each_labelling_is_drawn_as_often() -> None:
    rows = labelled(24_000, rng=2)
    keys, counts = np.unique(rows, axis=0, return_counts=True)
    assert sorted(map(tuple, keys)) == sorted(map(tuple, labellings()))
    assert chi_square(counts).p_value > 1e-6


@pytest.mark.parametrize("rotations", [[], [24], [-1], [[1]], [0.5]])
def test_what_is_no_rotation_is_refused(rotations: list[int]) -> None:
    with pytest.raises(ValueError, match=r"^rotations are one row of whole numbers from 0 to 23, at least one$"):
        labelled(3, rotations, rng=1)
