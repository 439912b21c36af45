"""What must not matter: the names of the sides, where the table's origin lies, left and right, the unit of length."""

import numpy as np
import pytest

from dicesim import Die, Outcomes, Setup, Shaken, Solver, States, throw
from dicesim.solids import relabel_axes, relabel_faces
from tests.ranges import ON_CORNER, RANGE, above, cut, label, make, releases, same_bits, single, turn

EVERY_SETUP = pytest.mark.parametrize("setup", RANGE, ids=label)
A_FEW_SETUPS = pytest.mark.parametrize("setup", RANGE[::4], ids=label)
MOTION = ("position", "velocity", "angular_velocity")


def test_relabelling_renames_the_face_and_nothing_else(size):
    assert_all_24_alike(releases(size(500, 2), make(), seed=1), make())


@pytest.mark.slow
def test_relabelling_renames_the_face_and_nothing_else_12000_times():
    assert_all_24_alike(Shaken().sample(12_000, rng=1), make())


@A_FEW_SETUPS
def test_relabelling_holds_for_every_setup(setup):
    assert_all_24_alike(releases(30, setup, seed=2), cut(setup, 2.0))


def assert_all_24_alike(states: States, setup: Setup, until: str = "rest") -> None:
    """Throw under all 24 names of the sides."""
    named = throw(states, setup=setup, until=until)
    for k in range(24):
        renamed = throw(states.relabelled(k), setup=setup, until=until)
        assert same_bits(renamed.states, named.states, MOTION)
        assert np.array_equal(renamed.states.axes, relabel_axes(named.states.axes, k))
        assert np.array_equal(renamed.settled, named.settled)
        tie = balanced(named)
        assert np.array_equal(renamed.face[~tie], relabel_faces(k)[named.face[~tie]])
        if until == "rest":
            assert np.array_equal(renamed.contacts, named.contacts)
            assert np.array_equal(renamed.settle_time, named.settle_time)


def balanced(outcomes: Outcomes) -> np.ndarray:
    """Dice left on an edge or a corner: no face is up."""
    heights = np.sort(np.abs(outcomes.states.axes[:, 2, :]), axis=1)
    return heights[:, 2] == heights[:, 1]


TIES = {
    "flat": np.eye(3),
    "flat, turned": turn("z", 0.7),
    "flat, half a right angle": turn("z", np.pi / 4),
    "on an edge": turn("x", np.pi / 4),
    "on an edge, turned": turn("z", 1.1) @ turn("x", np.pi / 4),
    "on a corner": ON_CORNER,
    "one axis level": turn("x", 0.3),
    "two axes equally steep": turn("z", 0.4) @ turn("x", np.pi / 4) @ turn("z", 0.2),
}


@pytest.mark.jit_off
@pytest.mark.parametrize("axes", TIES.values(), ids=TIES.keys())
@pytest.mark.parametrize("until", ["face", "rest"])
def test_relabelling_holds_where_axes_tie(axes, until, size):
    setup = make(time_limit=size(1.0, 0.01))
    motions = [(0.0, 0.0, 0.0), (0.0, [0.5, 0.3, 0], [0, 0, 9]), (1e-3, -0.0, -0.0), (1e-3, [0.3, 0, -1], 2.0)]
    for gap, velocity, spin in motions:
        state = single(axes, setup, gap, velocity=velocity, angular_velocity=spin)
        assert_all_24_alike(state, setup, until)


@EVERY_SETUP
@pytest.mark.parametrize("distance", [1.0, 1e6])
def test_sideways_shift_changes_nothing_but_the_place(setup, distance):
    states = releases(40, setup, seed=3)
    here = throw(states, setup=cut(setup, 2.0), until="rest")
    sideways = np.array([distance, -distance, 0.0])
    moved = states.replace(position=states.position + sideways)
    there = throw(moved, setup=cut(setup, 2.0), until="rest")
    assert same_bits(here.states, there.states)
    assert np.array_equal(here.states.position[:, 2], there.states.position[:, 2])
    assert_same_course(here, there)
    far = np.abs(there.states.position).max()
    assert np.abs(there.states.position - here.states.position - sideways).max() <= 1e-12 * far


def assert_same_course(a: Outcomes, b: Outcomes) -> None:
    """The same faces, contacts and times."""
    for part in ("face", "settled", "contacts", "settle_time"):
        assert np.array_equal(getattr(a, part), getattr(b, part)), part


QUARTER = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])


def turned(states: States) -> States:
    """A quarter turn about the vertical, exactly."""
    vectors = (states.position, states.velocity, states.angular_velocity)
    position, velocity, spin = (vector @ QUARTER.T for vector in vectors)
    return States(position, QUARTER @ states.axes, velocity, spin)


@EVERY_SETUP
def test_quarter_turn_about_the_vertical_turns_the_outcome(setup):
    states = releases(40, setup, seed=4)
    first = throw(states, setup=cut(setup, 2.0), until="rest")
    second = throw(turned(states), setup=cut(setup, 2.0), until="rest")
    assert same_bits(turned(first.states), second.states, (*MOTION, "axes"))
    assert_same_course(first, second)


def mirrored(states: States) -> States:
    """The image in the plane x = 0, with body axis x reversed so that the axes stay right-handed.

    The image of a rotation turns the other way round, hence the signs of the angular velocity.
    """
    flip = np.array([-1.0, 1, 1])
    axes = states.axes * flip[:, None] * flip
    return States(states.position * flip, axes, states.velocity * flip, states.angular_velocity * -flip)


MIRRORED_FACE = np.array([1, 0, 2, 3, 4, 5])


@EVERY_SETUP
def test_mirrored_release_has_the_mirrored_outcome(setup):
    states = releases(40, setup, seed=5)
    left = throw(states, setup=cut(setup, 2.0), until="rest")
    right = throw(mirrored(states), setup=cut(setup, 2.0), until="rest")
    assert same_bits(mirrored(left.states), right.states, (*MOTION, "axes"))
    assert np.array_equal(MIRRORED_FACE[left.face], right.face)
    assert np.array_equal(left.contacts, right.contacts)
    assert np.array_equal(left.settle_time, right.settle_time)


def scaled_setup(setup: Setup, scale: float) -> Setup:
    """Lengths times `scale` and times as its square root: the same gravity."""
    s, root = setup.solver, np.sqrt(scale)
    solver = Solver(
        time_step=s.time_step * root,
        contact_band=s.contact_band,
        micro_bounce_speed=s.micro_bounce_speed * root,
        spin_damping=s.spin_damping / root,
        time_limit=s.time_limit * root,
        turn=s.turn,
    )
    return Setup(Die(setup.die.edge * scale), setup.table, solver, setup.gravity)


def scaled(states: States, scale: float) -> States:
    """The same releases, lengths times `scale` and times as its square root."""
    root = np.sqrt(scale)
    return States(states.position * scale, states.axes, states.velocity * root, states.angular_velocity / root)


@EVERY_SETUP
@pytest.mark.parametrize("scale", [4.0, 0.25])
def test_unit_of_length_is_arbitrary_to_the_last_bit(setup, scale):
    """Powers of four, because their roots are powers of two."""
    states = releases(40, setup, seed=6)
    assert_scales(states[states.angular_velocity.any(axis=1)], setup, scale)


def test_unit_of_length_is_arbitrary_without_spin():
    states = releases(1000, make(), seed=6).replace(angular_velocity=0.0)
    assert_scales(states, make(), 4.0)


def test_unit_of_length_may_be_a_thousand_times_as_large():
    for setup in RANGE:
        assert_scales(releases(20, setup, seed=6), setup, 2.0**10)


def assert_scales(states: States, setup: Setup, scale: float) -> None:
    """The same throws in another unit have the same bits, up to the power of two."""
    plain = throw(states, setup=cut(setup, 2.0), until="rest")
    large = throw(scaled(states, scale), setup=scaled_setup(cut(setup, 2.0), scale), until="rest")
    assert same_bits(scaled(plain.states, scale), large.states, (*MOTION, "axes"))
    assert np.array_equal(plain.settle_time * np.sqrt(scale), large.settle_time)
    assert np.array_equal(plain.face, large.face)
    assert np.array_equal(plain.contacts, large.contacts)


@pytest.mark.parametrize("scale", [0.1, 10.0])
def test_unit_of_length_changes_no_face(scale):
    """Here every number is rounded otherwise."""
    for restitution in (0.0, 0.36, 0.75):
        setup = make(restitution)
        states = releases(1000, setup, seed=7, speed=0.3)
        plain = throw(states, setup=setup)
        large = throw(scaled(states, scale), setup=scaled_setup(setup, scale))
        assert np.array_equal(plain.face, large.face)


@pytest.mark.parametrize("restitution", [0.0, 0.36, 0.75])
def test_rounding_decides_nothing(restitution):
    """A release changed in the last bits ends on the same face, in the same pose.

    Were it not so, the sign of a rounding error would steer the throw somewhere, and the share of faces that
    flip would not vanish with the size of the change.
    """
    setup = make(restitution)
    states = Shaken().sample(2000, rng=8)
    plain = throw(states, setup=setup, until="rest")
    nudged = throw(states.replace(velocity=states.velocity * (1 + 1e-15)), setup=setup, until="rest")
    assert np.array_equal(plain.face, nudged.face)
    apart = np.abs(plain.states.axes - nudged.states.axes).max(axis=(1, 2))
    assert (apart > 1e-4).mean() <= 0.005


def test_releases_a_bit_apart_in_height_stay_together():
    setup = make()
    states = above(Shaken().sample(1000, rng=9), setup, 0.01)
    plain = throw(states, setup=setup)
    raised = throw(states.replace(position=np.nextafter(states.position, 1)), setup=setup)
    assert np.array_equal(plain.face, raised.face)
