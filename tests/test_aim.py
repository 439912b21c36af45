"""What a varying hand leaves of its aim: estimators on known chances, hands that vary as they say."""

import math
from typing import Any

import numpy as np
import pytest

from dicesim import Setup, Shaken, Table, plots, throw
from dicesim.aim import (
    FAIR,
    Hand,
    aimed,
    best_aimed,
    counted,
    differing,
    entropy,
    entropy_by_jackknife,
    min_entropy,
    repeated,
    spread_at,
)
from dicesim.crossings import NoCrossing
from dicesim.releases import standard_normals

SHARES = np.array([0.5, 0.2, 0.15, 0.1, 0.04, 0.01])
BITS = float(-(SHARES * np.log2(SHARES)).sum())
MEANT = Shaken().sample(40, rng=1)


def drawn(throws: int, rows: int, shares: Any = SHARES, seed: int = 1) -> Any:
    return np.random.default_rng(seed).choice(6, size=(rows, throws), p=shares)


# Entropy


def test_entropy_is_as_by_hand() -> None:
    assert entropy([[8, 0, 0], [4, 4, 0]]).tolist() == pytest.approx([0.0, 1 + 1 / (16 * math.log(2))])
    # Four and four; each of eight throws left out leaves 3 and 4, of 0.98523 bits.
    left = -(3 / 7 * math.log2(3 / 7) + 4 / 7 * math.log2(4 / 7))
    assert entropy_by_jackknife([[4, 4]])[0] == pytest.approx(8 - 7 * left)


@pytest.mark.parametrize("estimate", [entropy, entropy_by_jackknife])
def test_entropy_is_right_on_the_average_where_the_plain_one_is_not(estimate: Any) -> None:
    """200 throws of known chances, 10,000 times: the standard error is 0.001, the plain estimate is 0.018 too low.

    Fails about once in 10,000 seeds if the bias that remains is below 0.001.
    """
    counts = counted(drawn(200, 10_000))
    shares = counts / 200
    plain = -(shares * np.log2(np.where(shares > 0, shares, 1))).sum(axis=1).mean()
    assert plain < BITS - 0.012
    assert estimate(counts).mean() == pytest.approx(BITS, abs=0.005)


# Aim


def test_the_aimed_face_is_not_chosen_on_the_throws_that_score_it() -> None:
    """40 throws of a fair die: whatever face is chosen comes up once in six; the largest share would be 0.28.

    The standard error is 0.001; fails about once in 10,000 seeds.
    """
    faces = drawn(40, 10_000, np.full(6, 1 / 6))
    assert (counted(faces).max(axis=1) / 40).mean() > 0.25
    assert aimed(faces).mean() == pytest.approx(1 / 6, abs=0.004)


def test_the_chance_of_the_aimed_face_is_found() -> None:
    """The standard error is 0.001; fails about once in 10,000 seeds."""
    assert aimed(drawn(100, 3_000)).mean() == pytest.approx(0.5, abs=0.004)
    assert aimed(drawn(100, 3_000)[:, ::-1]).mean() == pytest.approx(0.5, abs=0.004)


def test_by_hand() -> None:
    # Chosen on the even throws, 1, it scores 1 of 2; chosen on the odd ones, 0 or 1 as they come, 0 first: 0 of 2.
    assert aimed([[1, 0, 1, 1]]).tolist() == [0.25]
    assert counted([[0, 0, 5], [1, 2, 2]]).tolist() == [[2, 0, 0, 0, 0, 1], [0, 1, 2, 0, 0, 0]]
    assert differing([[3, 1]])[0] == pytest.approx(1 / 2)  # 3 of the 6 pairs


@pytest.mark.parametrize("faces", [[[1]], [[1, 2, 3]]])
def test_an_odd_number_of_copies_is_refused(faces: Any) -> None:
    with pytest.raises(ValueError, match="even number of copies"):
        aimed(faces)


def test_pairs_differ_as_often_as_chances_say() -> None:
    """The standard error is 0.001; fails about once in 10,000 seeds."""
    assert differing(counted(drawn(10, 20_000))).mean() == pytest.approx(1 - (SHARES**2).sum(), abs=0.005)


# Crossings


def test_the_interval_covers_a_known_spread() -> None:
    """Fails about once in a thousand: under 51 of 60 for intervals that cover 95 times in a hundred."""
    found = []
    for seed in range(60):
        # What a release is inclined to is the same at all spreads.
        inclined = np.random.default_rng(seed).normal(0, 0.1, size=(100, 1))
        found.append(spread_at([1e-3, 1e-2, 1e-1], inclined + np.array([0.1, 0.4, 0.8]), 0.6, resamples=200, rng=seed))
    assert sum(each.low <= 10**-1.5 <= each.high for each in found) >= 51
    assert np.mean([math.log10(each.value) for each in found]) == pytest.approx(-1.5, abs=0.015)


def test_a_curve_that_does_not_cross_is_refused() -> None:
    with pytest.raises(NoCrossing, match=r"does not cross 0\.5"):
        spread_at([1e-3, 1e-2], [[0.1, 0.2], [0.1, 0.3]], 0.5)


# Hands


def test_a_hand_varies_as_it_says() -> None:
    """Standard deviations of 20,000 numbers, each within 4 standard errors; fails about once in 1,000 seeds."""
    meant = MEANT[:1]
    copies = Hand((1.0, 0.0, 2.0), 10.0, 0.5).repeat(meant, 0.01, 20_000, rng=1)
    across = (copies.velocity - meant.velocity).std(axis=0)
    assert across == pytest.approx([0.01, 0.0, 0.02], rel=0.02)
    assert (copies.angular_velocity - meant.angular_velocity).std(axis=0) == pytest.approx([0.1] * 3, rel=0.02)
    turned = copies.axes @ meant.axes[0].T  # nearly 1 + the turn as a skew matrix
    assert turned[:, [2, 0, 1], [1, 2, 0]].std(axis=0) == pytest.approx([0.005] * 3, rel=0.02)
    assert (copies.position == meant.position[0]).all()


def test_a_turn_is_by_the_angle_and_about_the_axis_of_the_world_that_is_said() -> None:
    meant = MEANT[:1]
    copies = Hand((0.0, 0.0, 0.0), 0.0, 1.0).repeat(meant, 0.5, 50, rng=3)
    turns = 0.5 * standard_normals(50, 9, 3)[:, 6:]
    sizes = np.linalg.norm(turns, axis=1, keepdims=True)
    found = (copies.rotation * meant.rotation.inv()).as_rotvec()
    assert found == pytest.approx(2 * np.arctan(sizes / 2) * turns / sizes)
    assert (copies.velocity == meant.velocity).all()


def test_copies_of_one_release_stay_together() -> None:
    faces = repeated(MEANT, Hand(), 0.0, 4, rng=1)
    assert (faces == throw(MEANT).face[:, None]).all()


def test_a_steady_hand_aims_and_an_unsteady_one_does_not() -> None:
    steady, unsteady = (aimed(repeated(MEANT, Hand(turn=1.0), spread, 50, rng=1)).mean() for spread in (1e-5, 3.0))
    assert steady > 0.95
    assert unsteady < 0.25


def test_the_setup_counts() -> None:
    dull = repeated(MEANT, Hand(), 1e-2, 20, Setup(table=Table(restitution=0.0)), rng=1)
    assert aimed(dull).mean() > aimed(repeated(MEANT, Hand(), 1e-2, 20, rng=1)).mean()


@pytest.mark.parametrize("bad", [{"velocity": (1.0, 2.0)}, {"spin": -1.0}, {"turn": float("nan")}])
def test_a_hand_that_cannot_be_is_refused_in_one_line(bad: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"^[^\n]+$"):
        Hand(**bad)


# Bits


def test_min_entropy_is_that_of_the_largest_share() -> None:
    found = min_entropy([500, 100, 100, 100, 100, 100])
    assert found.value == pytest.approx(1.0)
    assert found.low < 1.0 < found.high < 1.2
    assert min_entropy([1_000] * 6).high == FAIR


def test_min_entropy_covers_a_fair_die() -> None:
    """Intervals that cover 95 times in a hundred or more: under 93 of 100 about once in 100 seeds."""
    counts = np.random.default_rng(1).multinomial(6_000, np.full(6, 1 / 6), size=100)
    assert sum(found.low <= FAIR <= found.high + 1e-12 for found in map(min_entropy, counts)) >= 93


# Figure


def test_the_figure_shows_the_points_of_every_hand() -> None:
    hand = {
        "name": "a hand",
        "spreads": [0.01, 0.1],
        "aimed": [[0.9, 0.8, 1.0], [0.3, 0.2, 0.4]],
        "entropy": [[0.5, 0.4, 0.6], [2.0, 1.9, 2.1]],
        "half_aimed": [0.05, 0.04, 0.06],
        "half_entropy": [0.03, 0.02, 0.04],
    }
    left = plots.aim_curves([hand, hand | {"name": "another"}])
    right = left.figure.axes[-1]  # type: ignore[union-attr]
    assert [list(line.get_ydata()) for line in left.lines[2:]] == [[0.9, 0.3], [0.9, 0.3]]
    assert list(right.lines[2].get_ydata()) == [0.5, 2.0]
    assert [text.get_text() for text in left.get_legend().get_texts()] == ["a hand", "another"]


def test_rows_are_chosen_on_one_half_and_scored_on_the_other() -> None:
    # Even copies choose, odd ones score: row 0 is sure, row 1 is sure and wrong, row 2 is spread.
    faces = [[1, 1, 1, 1], [3, 5, 3, 5], [0, 0, 1, 0]]
    assert best_aimed(faces, 1 / 3).tolist() == [1.0, 0.0]
    assert best_aimed(faces, 1.0).tolist() == [1.0, 0.0, 1.0]
    fair = np.random.default_rng(1).integers(6, size=(2000, 40))
    assert abs(best_aimed(fair, 0.05).mean() - 1 / 6) < 0.04  # no luck of choosing: 1 in 10^6 beyond
    with pytest.raises(ValueError, match="a share up to 1"):
        best_aimed(faces, 0.0)
