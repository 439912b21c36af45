"""The inexact kernel, and what is counted of its failures."""

import numpy as np
import pytest

from dicesim import Setup, Shaken, kernel, throw
from dicesim.simulator import kernel_parameters, to_rows
from experiments.inexact import (
    HALF_TURN,
    RISING,
    as_many,
    distances,
    exponent,
    failures,
    first_difference,
    flat,
    renamed,
    units,
)
from tests.mutants import INEXACT, broken, inexact

STATES = Shaken().sample(300, rng=8)


def test_the_inexact_kernel_differs_in_the_last_place_and_only_if_axes_are_crossed() -> None:
    rows, twins = to_rows(STATES), to_rows(STATES.relabelled(HALF_TURN))
    with broken(INEXACT) as module:
        p = kernel_parameters(Setup(), "face")
        plain, crossed = inexact(p, 53, crossed=False), inexact(p, 53)
        exact = kernel.simulate(rows, kernel.Parameters(*p[:11]))
        same = module.simulate(rows, plain)
        one, other = module.simulate(rows, crossed)[:, :9], module.simulate(twins, crossed)[:, :9]
        coarse = module.simulate(rows, inexact(p, 12))
        assert not failures(module, STATES, plain).any()
        assert failures(module, STATES, inexact(p, 8)).any()
    assert np.array_equal(same[:, :9], exact[:, :9])
    assert np.abs(one - other).max() > 0
    assert np.median(np.abs(one - other).max(axis=1)) < 1e-9
    assert np.median(np.abs(coarse[:, :9] - exact[:, :9]).max(axis=1)) > 1e-6


def test_precisions_that_no_double_has_are_refused() -> None:
    for bits in (1, 54):
        with pytest.raises(ValueError, match="a double has 53 bits"):
            inexact(None, bits)


def test_failures_that_halve_with_each_bit_have_exponent_one() -> None:
    points = [{"bits": bits, "failures": 1024 >> bits, "throws": 10_000} for bits in range(8)]
    fit = exponent(points)
    assert fit["alpha"]["value"] == pytest.approx(1.0, abs=1e-6)
    assert fit["alpha"]["low"] < 1 < fit["alpha"]["high"]
    assert fit["bits_of_source"] == pytest.approx(np.log2(0.1024 / (5 / 12_000)), abs=1e-5)
    assert fit["at_double"] == pytest.approx(0.1024 * 2.0**-53, rel=1e-4)
    steeper = [row | {"failures": 1024 >> 2 * row["bits"]} for row in points[:5]]
    assert exponent(steeper)["alpha"]["value"] == pytest.approx(2.0, abs=1e-6)


def test_no_exponent_without_failures() -> None:
    with pytest.raises(ValueError, match="throw more"):
        exponent([{"bits": bits, "failures": 0, "throws": 10} for bits in (16, 18)])


def test_a_distance_is_where_the_face_first_changes() -> None:
    """Raising or lowering the vertical velocity by less than the distance changes no face; every distance is tried."""
    setup, some = Setup(), STATES
    far = distances(some, setup)
    assert set(far) <= {*RISING, np.inf}
    face, unit = throw(some, setup=setup).face, units(setup)["velocity"]
    for size in RISING[-12:]:
        for sign in (-1, 1):
            moved = some.replace(velocity=some.velocity + sign * size * unit * np.eye(3)[2])
            assert (far[throw(moved, setup=setup).face != face] <= size).all()
    assert (far < np.inf).mean() > 0.9


EVENT = np.array([1.0, 1, -1, 1, 0])


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ([0, 0, 0, 0, 0], "values only"),
        ([1, 0, 0, 0, 0], "carried or impact"),
        ([-1, 0, 0, 0, 1], "flight or impact"),
        ([0, 0, 2, 0, 1], "place"),
        ([0, 0, 0, 0, 1], "stick or slip"),
    ],
)
def test_the_first_difference_is_named(change: list[float], kind: str) -> None:
    one = np.stack([EVENT, EVENT, EVENT])
    other = one + np.outer([0, 1, 0], change)
    assert first_difference(one, other) == kind
    assert first_difference(other, one) == kind


def test_a_course_that_ends_sooner_differs_at_its_end() -> None:
    assert first_difference(np.stack([EVENT, EVENT]), EVENT[None]) == "end"


def test_renamed_axes_are_those_of_the_renamed_release() -> None:
    rows, twins = to_rows(STATES), to_rows(STATES.relabelled(HALF_TURN))
    assert np.array_equal(renamed(rows), twins)
    assert not np.array_equal(rows, twins)


def test_shares_are_compared_with_the_source() -> None:
    points = [{"bits": bits, "share": share} for bits, share in ((16, 0.01), (24, 1e-3), (25, 1e-4))]
    assert as_many(points) == 24
    assert as_many(points[2:]) == 0
    assert flat(points) == pytest.approx(100)
