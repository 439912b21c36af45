"""Perturbed releases."""

import numpy as np
import pytest

from dicesim import Setup, Shaken, Table, throw
from dicesim.decorrelation import flips

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
