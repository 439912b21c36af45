"""A steady hand, labels and a lowered die, at small sizes and with results known beforehand."""

import numpy as np

from dicesim import Lowered, Setup, Table, draw, throw
from experiments.labelling import LABELLED, carried, read
from experiments.lowered import readable
from experiments.wobble import row


def test_the_commonest_face_and_its_share() -> None:
    found = row(np.array([10, 60, 10, 10, 10, 0]))
    assert found["commonest"]["value"] == 0.6
    assert found["commonest"]["low"] < 0.6 < found["commonest"]["high"]


def test_faces_are_read_off_the_release_or_not() -> None:
    flat = Setup(table=Table(restitution=0.0))
    releases = draw(200, Lowered(), rng=1)
    assert readable(throw(releases, setup=flat), releases.axes)["same"] == 200
    others = draw(200, rng=1)
    found = readable(throw(others), others.axes)
    assert 10 < found["same"] < 80  # a thrown die tells little; 1 in 10^6 beyond these bounds
    assert found["readable"]["value"] == found["same"] / 200


def test_rotations_carry_labels_by_hand() -> None:
    assert carried((0,)) == [[int(value == label) for value in range(1, 7)] for label in (1, 6, 2, 5, 3, 4)]
    assert carried(tuple(range(24))) == [[4] * 6] * 6
    assert all(sum(face) == 4 for face in carried((0, 1, 2, 3)))


def test_a_hand_of_one_face_read_three_ways() -> None:
    found = read(LABELLED.smoke, LABELLED.smoke.hand, 1)
    n = LABELLED.smoke.throws
    assert found["faces"]["counts"].count(0) == found["fixed"]["counts"].count(0) == 5
    assert found["faces"]["statistic"] == found["fixed"]["statistic"] == 5 * n
    assert found["few"]["counts"].count(0) == 4
    assert 0 not in found["drawn"]["counts"]
