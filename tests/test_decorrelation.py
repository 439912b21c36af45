"""Perturbed releases."""

import numpy as np
import pytest

from dicesim import Setup, Shaken, Solver, Table, UnsettledError, throw
from dicesim.decorrelation import COORDINATES, around, flips, perturbed

RELEASES = Shaken().sample(200, rng=1)


def test_each_column_is_its_own_perturbation() -> None:
    eps = [1e-6, 1e-2, 1.0]
    changed = flips(RELEASES, "velocity", 2, eps)
    assert changed.shape == (200, 3)
    shifted = RELEASES.replace(velocity=RELEASES.velocity + np.array([0, 0, 1e-2]))
    assert (changed[:, 1] == (throw(shifted).face != throw(RELEASES).face)).all()


def test_nothing_changes_without_a_perturbation_and_most_after_a_large_one() -> None:
    changed = flips(RELEASES, "angular_velocity", 1, [0.0, 30.0])
    assert not changed[:, 0].any()
    assert 0.6 < changed[:, 1].mean() < 0.95  # 5/6 for unrelated throws; 1 in 10^6 beyond these bounds


@pytest.mark.parametrize("axis", [0, 1])
def test_sideways_is_a_symmetry(axis: int) -> None:
    assert not flips(RELEASES, "position", axis, [1e-9, 1.0]).any()


def test_the_setup_counts() -> None:
    lively, dull = (Setup(table=Table(restitution=e)) for e in (0.8, 0.0))
    a, b = (flips(RELEASES, "velocity", 2, [1e-3], setup).mean() for setup in (lively, dull))
    assert a > b


@pytest.mark.parametrize(
    ("part", "axis", "eps"),
    [("height", 2, [1.0]), ("velocity", 5, [1.0]), ("velocity", 0, []), ("velocity", 0, [[1.0]])],
)
def test_what_cannot_be_perturbed_is_refused_in_one_line(part: str, axis: int, eps: list[float]) -> None:
    with pytest.raises(ValueError, match=r"^(perturb|eps must)[^\n]*$"):
        flips(RELEASES, part, axis, eps)  # type: ignore[arg-type]


def test_an_orientation_is_turned_about_an_axis_of_the_world() -> None:
    from scipy.spatial.transform import Rotation

    for axis in range(3):
        turned = perturbed(RELEASES, "orientation", axis, 0.3)
        expected = Rotation.from_rotvec(0.3 * np.eye(3)[axis]).as_matrix() @ RELEASES.axes
        np.testing.assert_allclose(turned.axes, expected, atol=1e-15)
        assert (turned.velocity == RELEASES.velocity).all()
    quarter = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])  # x to y about z, by hand
    turned = perturbed(RELEASES, "orientation", 2, np.pi / 2)
    np.testing.assert_allclose(turned.axes, quarter @ RELEASES.axes, atol=1e-15)


def test_turning_the_whole_throw_about_the_vertical_changes_little() -> None:
    angle = 0.7
    turned = perturbed(RELEASES, "orientation", 2, angle)
    c, s = np.cos(angle), np.sin(angle)
    matrix = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    whole = turned.replace(velocity=RELEASES.velocity @ matrix.T, angular_velocity=RELEASES.angular_velocity @ matrix.T)
    assert (throw(whole).face == throw(RELEASES).face).all()  # but for roundings, a symmetry
    assert (throw(turned).face != throw(RELEASES).face).any()


def test_the_smallest_change_is_a_change() -> None:
    for coordinate in COORDINATES:
        part = "axes" if coordinate.part == "orientation" else coordinate.part
        changed = perturbed(RELEASES, coordinate.part, coordinate.axis, 1e-14 * coordinate.largest)
        assert (getattr(changed, part) != getattr(RELEASES, part)).any()


def test_unsettled_throws_have_no_face_to_compare() -> None:
    with pytest.raises(UnsettledError):
        flips(RELEASES, "velocity", 2, [1e-3], Setup(solver=Solver(time_limit=0.1)))


def test_changes_around_a_scale() -> None:
    assert around(0.02, 1, 2).tolist() == [0.002, 0.006325, 0.02, 0.06325, 0.2]
