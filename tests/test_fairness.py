"""Hands dealt from faces."""

import numpy as np
import pytest

from dicesim.fairness import wild_counts
from dicesim.solids import STANDARD


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
