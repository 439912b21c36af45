"""Ways to let go: their distributions, their checks, and draws that depend on nothing but the seed.

Draws have fixed seeds; the chance that such a test fails for a right library, had the seed been drawn afresh,
stands beside it.
"""

import random
from dataclasses import FrozenInstanceError, fields, replace
from typing import Any

import numpy as np
import pytest
import scipy.stats
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from dicesim import Die, Lowered, Release, Shaken, States, SteadyHand
from dicesim.releases import standard_normals

RELEASES = [Shaken(), SteadyHand(), Lowered()]
PARTS = [field.name for field in fields(States)]
MANY = 20_000
ALARM = 1e-5  # false-alarm rate of each comparison of a distribution

every_release = pytest.mark.parametrize("release", RELEASES, ids=lambda release: type(release).__name__)


def same(a: States, b: States) -> bool:
    return all(getattr(a, name).tobytes() == getattr(b, name).tobytes() for name in PARTS)


def message(make: Any, *arguments: Any, **keywords: Any) -> str:
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        make(*arguments, **keywords)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def turn_p_value(axes: NDArray[np.float64]) -> float:
    """How well the angles of rotations follow the uniform law, whose distribution is (t - sin t) / pi."""
    cosines = np.clip((np.trace(axes, axis1=1, axis2=2) - 1) / 2, -1, 1)
    return float(scipy.stats.kstest(np.arccos(cosines), lambda t: (t - np.sin(t)) / np.pi).pvalue)


def normal_p_value(values: NDArray[np.float64]) -> float:
    return float(scipy.stats.kstest(values.ravel(), "norm").pvalue)


# Normal deviates


def test_normals_are_normal() -> None:
    normals = standard_normals(MANY, 10, rng=1)
    assert normal_p_value(normals) > ALARM
    assert min(normal_p_value(column) for column in normals.T) > ALARM / 10
    # 45 correlations, each normal with standard deviation 1 / sqrt(n): false alarm 45 x 6e-7.
    assert np.abs(np.corrcoef(normals.T) - np.eye(10)).max() < 5 / np.sqrt(MANY)
    # Radius and angle of a pair come from one logarithm and one sine; their squares must not correlate either.
    assert np.abs(np.corrcoef(normals.T**2) - np.eye(10)).max() < 6 / np.sqrt(MANY)


def test_the_tail_is_there() -> None:
    """Of 2 million, 126.7 are expected beyond 4: 11.2 is one standard deviation. False alarm 6e-7."""
    beyond = (np.abs(standard_normals(200_000, 10, rng=2)) > 4).sum()
    assert abs(int(beyond) - 126.7) < 5 * 11.3


@pytest.mark.jit_off
@pytest.mark.parametrize("columns", [1, 2, 3, 4, 7])
def test_any_number_of_columns(columns: int) -> None:
    normals = standard_normals(5, columns, rng=3)
    assert normals.shape == (5, columns)
    assert np.isfinite(normals).all()
    assert standard_normals(0, columns, rng=3).shape == (0, columns)


def test_the_largest_uniform_still_gives_a_finite_number() -> None:
    from dicesim import kernel

    extremes = np.array([[0.0, 0.0], [1 - 2.0**-53, 0.0], [1 - 2.0**-53, 0.5], [0.5, 1 - 2.0**-53]])
    normals = kernel.normals(extremes)
    assert np.isfinite(normals).all()
    assert np.allclose(normals[1], [np.sqrt(106 * np.log(2)), 0], rtol=1e-15)
    radius, angle = np.sqrt(-2 * np.log1p(-extremes[:, 0])), 2 * np.pi * extremes[:, 1]
    assert np.allclose(normals, np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), atol=1e-14)


# Draws depend on the seed alone


@pytest.mark.jit_off
@every_release
@pytest.mark.parametrize("n", [0, 1, 2, 31, 100])
def test_the_first_of_more_are_the_same(release: Release, n: int) -> None:
    assert same(release.sample(n, rng=4), release.sample(101, rng=4)[:n])


@pytest.mark.jit_off
@every_release
def test_every_kind_of_seed(release: Release) -> None:
    whole = release.sample(20, rng=5)
    assert same(whole, release.sample(20, rng=np.int64(5)))
    assert same(whole, release.sample(20, rng=np.random.SeedSequence(5)))
    assert same(whole, release.sample(20, rng=np.random.default_rng(5)))
    assert not same(whole, release.sample(20, rng=6))
    assert not same(release.sample(20), release.sample(20))


@pytest.mark.jit_off
@every_release
def test_a_generator_moves_on(release: Release) -> None:
    generator = np.random.default_rng(5)
    first, second = release.sample(10, rng=generator), release.sample(10, rng=generator)
    assert not same(first, second)


@pytest.mark.jit_off
@every_release
def test_global_random_states_are_neither_asked_nor_touched(release: Release) -> None:
    np.random.seed(1)  # noqa: NPY002
    random.seed(1)
    before = release.sample(20, rng=5)
    following = (np.random.random(), random.random())  # noqa: NPY002
    np.random.seed(2)  # noqa: NPY002
    random.seed(2)
    assert same(before, release.sample(20, rng=5))
    np.random.seed(1)  # noqa: NPY002
    random.seed(1)
    assert following == (np.random.random(), random.random())  # noqa: NPY002


# Distributions


@pytest.mark.parametrize("release", [Shaken(), Lowered()], ids=["Shaken", "Lowered"])
def test_orientations_are_uniform(release: Release) -> None:
    axes = release.sample(MANY, rng=1).axes
    assert turn_p_value(axes) > ALARM
    # Uniform stays uniform when everything is turned, from either side.
    for turn in Rotation.random(5, rng=2).as_matrix():
        assert turn_p_value(turn @ axes) > ALARM
        assert turn_p_value(axes @ turn) > ALARM
    for column in axes.reshape(MANY, 9).T:  # a coordinate of a uniform direction is uniform
        assert scipy.stats.kstest(column, "uniform", args=(-1, 2)).pvalue > ALARM


def test_orientations_that_are_not_uniform_are_told_apart() -> None:
    angles = np.random.default_rng(1).uniform(-np.pi, np.pi, (MANY, 3))
    assert turn_p_value(Rotation.from_euler("xyz", angles).as_matrix()) < ALARM
    assert turn_p_value(Rotation.from_rotvec(angles).as_matrix()) < ALARM


def test_shaken_speeds_and_spins() -> None:
    release = Shaken(height=0.4, speed=1.2, spin=30.0)
    states = release.sample(MANY, rng=3)
    assert np.array_equal(states.position, np.tile([0.0, 0.0, 0.4], (MANY, 1)))
    assert normal_p_value(states.velocity / (1.2 / np.sqrt(3))) > ALARM
    assert normal_p_value(states.angular_velocity / 30.0) > ALARM
    # The root mean square of the speed: its relative standard deviation is 1 / sqrt(6 n). False alarm 6e-7.
    speed = np.sqrt((states.velocity**2).sum(axis=1).mean())
    assert abs(speed / 1.2 - 1) < 5 / np.sqrt(6 * MANY)
    # Orientation, velocity and spin know nothing of one another: 36 correlations, false alarm 36 x 6e-7.
    both = np.hstack([states.axes[:, 2], states.velocity, states.angular_velocity])
    assert np.abs(np.corrcoef(both.T) - np.eye(9)).max() < 5 / np.sqrt(MANY)


@pytest.mark.parametrize("wobble", [0.3, 0.01])
def test_a_steady_hand_wobbles_in_velocity_and_ten_times_in_spin(wobble: float) -> None:
    release = SteadyHand(wobble, velocity=(0.5, 0.1, -0.2), angular_velocity=(1.0, 20.0, -3.0))
    states = release.sample(MANY, rng=4)
    assert normal_p_value((states.velocity - release.velocity) / wobble) > ALARM
    assert normal_p_value((states.angular_velocity - release.angular_velocity) / (10 * wobble)) > ALARM
    assert np.array_equal(states.axes, np.repeat(states.axes[:1], MANY, axis=0))
    assert (states.position == [0.0, 0.0, release.height]).all()


def test_wobble_is_a_scale() -> None:
    still, one, two = (SteadyHand(wobble).sample(50, rng=5) for wobble in (0.0, 0.25, 0.5))
    assert np.array_equal(still.velocity, np.tile(SteadyHand().velocity, (50, 1)))
    assert np.allclose(two.velocity - still.velocity, 2 * (one.velocity - still.velocity), atol=1e-15)
    assert np.allclose(two.angular_velocity, 2 * one.angular_velocity - still.angular_velocity, atol=1e-13)


@pytest.mark.jit_off
def test_a_steady_hand_holds_the_quaternion_it_is_given() -> None:
    states = SteadyHand(quaternion=(2.0, 0.0, 0.0, 2.0)).sample(3, rng=1)  # normalised: a quarter turn about z
    assert np.allclose(states.axes[0], [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=1e-15)


@pytest.mark.jit_off
@pytest.mark.parametrize(("gap", "edge"), [(0.001, 0.01905), (1e-6, 0.01905), (0.05, 0.3), (0.001, 0.002)])
def test_a_lowered_die_hangs_so_far_above_the_table_at_rest(gap: float, edge: float) -> None:
    states = Lowered(gap, Die(edge)).sample(200, rng=6)
    assert np.allclose(states.clearance(Die(edge)), gap, rtol=0, atol=1e-15)
    assert not states.velocity.any()
    assert not states.angular_velocity.any()
    assert not states.position[:, :2].any()


# Checks


@pytest.mark.parametrize(
    ("make", "names"),
    [(Shaken, ["height"]), (SteadyHand, ["height"]), (Lowered, ["gap"])],
)
def test_heights_are_above_zero(make: Any, names: list[str]) -> None:
    for name in names:
        for value in (0.0, -0.1):
            assert message(make, **{name: value}) == f"{name} must be above 0 m, not {value!r}"
        for value in (np.nan, np.inf, True, "1", None):
            assert message(make, **{name: value}) == f"{name} must be a finite number, not {value!r}"


@pytest.mark.parametrize(
    ("make", "name", "most"), [(Shaken, "speed", 100), (Shaken, "spin", 1000), (SteadyHand, "wobble", 100)]
)
def test_spreads_are_neither_negative_nor_wild(make: Any, name: str, most: float) -> None:
    for value in (-1.0, most * 1.001, 1e300):
        assert message(make, **{name: value}) == f"{name} must be from 0 to {most}, not {value!r}"
    for value in (np.nan, np.inf, True, "1"):
        assert message(make, **{name: value}) == f"{name} must be a finite number, not {value!r}"
    assert [getattr(make(**{name: value}), name) for value in (0, most)] == [0, most]


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"quaternion": (0, 0, 0, 0)}, "quaternion must not be zero"),
        ({"quaternion": (1, 0, 0)}, "quaternion must have shape"),
        ({"quaternion": (1, 0, np.nan, 0)}, "quaternion must be finite"),
        ({"velocity": (1, 0)}, "velocity must have shape"),
        ({"velocity": 1.0}, "velocity must have shape"),
        ({"angular_velocity": (0, np.inf, 0)}, "angular_velocity must be finite"),
    ],
)
def test_a_steady_hand_checks_its_vectors(parts: Any, said: str) -> None:
    assert message(SteadyHand, **parts).startswith(said)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_a_quaternion_of_any_length_is_normalised(scale: float) -> None:
    assert np.array_equal(SteadyHand(quaternion=(scale, 0, 0, 0)).sample(1).axes[0], np.eye(3))


@every_release
@pytest.mark.parametrize("n", [-1, 1.5, "3", None, True, np.float64(2)])
def test_how_many_must_be_a_whole_number(release: Release, n: Any) -> None:
    assert message(release.sample, n) == f"the number of throws must be a whole number, 0 or more, not {n!r}"


@every_release
@pytest.mark.parametrize("n", [0, np.int64(3), np.uint8(3)])
def test_whole_numbers_of_any_kind_are_taken(release: Release, n: Any) -> None:
    assert len(release.sample(n, rng=1)) == n


@pytest.mark.parametrize("rng", ["1", 1.5, -1, object()])
def test_a_wrong_seed_is_refused_in_one_line(rng: Any) -> None:
    with pytest.raises((ValueError, TypeError)) as caught:
        Shaken().sample(2, rng=rng)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("rng", [True, [1, 2], np.random.RandomState(1)])
def test_sample_takes_the_kinds_of_seeds_that_throw_takes(rng: Any) -> None:
    assert message(Shaken().sample, 2, rng=rng).startswith("rng must be ")


@every_release
def test_they_are_frozen_and_can_be_pasted_back(release: Any) -> None:
    with pytest.raises(FrozenInstanceError):
        setattr(release, fields(release)[0].name, 1.0)
    assert eval(repr(release)) == release
    assert replace(release) == release
    assert hash(replace(release)) == hash(release)


def test_a_lowered_die_must_be_a_die() -> None:
    assert "die must be a Die" in message(Lowered, die=0.02)
