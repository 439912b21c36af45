"""Die, table, solver and setup: their defaults, their checks, and the energy under which a face is certain."""

import math
from dataclasses import FrozenInstanceError, fields, replace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from dicesim import Die, Setup, Solver, Table
from dicesim.parameters import landing_error, require_between, require_positive

POSITIVE = [
    (Die, "edge"),
    (Setup, "gravity"),
    (Solver, "time_step"),
    (Solver, "micro_bounce_speed"),
    (Solver, "time_limit"),
]
NOT_NEGATIVE = [(Table, "friction"), (Solver, "spin_damping")]
RANGED = [(Table, "restitution", 0, 1), (Solver, "turn", 1e-3, 0.3), (Solver, "contact_band", 1.5e-4, 0.01)]
ALL = [(kind, name) for kind, name, *_ in (*POSITIVE, *NOT_NEGATIVE, *RANGED)]


def message(kind: Any, **values: Any) -> str:
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        kind(**values)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# Defaults


def test_the_shipped_values() -> None:
    assert Setup() == Setup(Die(), Table(), Solver(), 9.80665)
    assert (Die().edge, Table().restitution, Table().friction) == (0.01905, 0.36, 0.34)
    assert (Solver().time_step, Solver().time_limit) == (1 / 2000, 8.0)


@pytest.mark.parametrize("thing", [Die(), Table(), Solver(), Setup()])
def test_they_are_frozen_and_can_be_pasted_back(thing: Any) -> None:
    name = fields(thing)[0].name
    with pytest.raises(FrozenInstanceError):
        setattr(thing, name, 1.0)
    assert eval(repr(thing)) == thing
    assert hash(replace(thing)) == hash(thing)


# Checks


@pytest.mark.parametrize(("kind", "name"), ALL)
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, True, "1", None, [1.0], 1j, np.True_])
def test_only_finite_numbers_are_taken(kind: Any, name: str, value: Any) -> None:
    assert message(kind, **{name: value}) == f"{name} must be a finite number, not {value!r}"


@pytest.mark.parametrize(("kind", "name"), POSITIVE)
@pytest.mark.parametrize("value", [0, 0.0, -1, -1e-300])
def test_lengths_and_times_are_above_zero(kind: Any, name: str, value: float) -> None:
    said = message(kind, **{name: value})
    assert said.startswith(f"{name} must be above 0 ")
    assert said.endswith(f", not {value!r}")


@pytest.mark.parametrize(("kind", "name"), NOT_NEGATIVE)
def test_friction_and_damping_are_not_negative(kind: Any, name: str) -> None:
    assert message(kind, **{name: -0.1}) == f"{name} must be 0 or more, not -0.1"
    assert getattr(kind(**{name: 0}), name) == 0


@pytest.mark.parametrize(("kind", "name", "low", "high"), RANGED)
def test_ranges_hold_their_ends(kind: Any, name: str, low: float, high: float) -> None:
    for value in (math.nextafter(low, -1) if name != "contact_band" else 1e-5, math.nextafter(high, 2)):
        said = message(kind, **{name: value})
        assert said.startswith(f"{name} must be from ")
        assert said.endswith(f" to {high}, not {value!r}")
    wide = {} if name != "turn" else {"contact_band": 0.01}
    assert [getattr(kind(**wide, **{name: value}), name) for value in (low, high)] == [low, high]


@pytest.mark.parametrize("value", [np.float64(0.02), 1])
def test_numbers_of_other_kinds_are_taken(value: Any) -> None:
    assert Die(value).edge == value


@pytest.mark.parametrize("value", [np.float32(0.02), np.int64(1)])
def test_numpy_scalars_are_numbers(value: Any) -> None:
    assert Die(value).edge == value


def test_a_whole_number_beyond_all_floats_is_refused() -> None:
    assert "edge must be a finite number" in message(Die, edge=10**400)


def test_a_number_without_a_unit_is_refused_without_one() -> None:
    assert message(require_positive, name="ratio", value=0, unit="1") == "ratio must be above 0, not 0"
    assert message(require_between, name="x", value=3, low=0, high=2) == "x must be from 0 to 2, not 3"


# Parts that must fit one another


def test_gravity_must_not_outrun_the_micro_bounce() -> None:
    said = message(Setup, solver=Solver(micro_bounce_speed=0.004))
    assert said == ("micro_bounce_speed must be at least what gravity gives in one time step, 0.0049 m/s, not 0.004")
    assert message(Setup, gravity=100.0).startswith("micro_bounce_speed must be at least")
    assert Setup(solver=Solver(micro_bounce_speed=9.80665 / 2000)).gravity == 9.80665  # just enough


def test_a_long_turn_needs_a_wide_band() -> None:
    assert message(Solver, turn=0.3).startswith("contact_band must be from 0.00086")
    assert Solver(turn=0.3, contact_band=landing_error(0.3)).turn == 0.3
    assert Solver().contact_band > landing_error(Solver().turn)


@pytest.mark.parametrize("parts", [{"solver": 1}, {"solver": None}])
def test_a_solver_of_another_kind_is_refused(parts: Any) -> None:
    assert "solver must be a Solver" in message(Setup, **parts)


@pytest.mark.parametrize("parts", [{"die": 0.02}, {"table": 0.5}, {"die": Table()}])
def test_parts_of_another_kind_are_refused(parts: Any) -> None:
    assert " must be a " in message(Setup, **parts)


# The trap


def saddle_height() -> float:
    """Least height of the centre over an unturned-edge pose: two axes equally steep, in half edges.

    With the vertical (a, b, c) in body axes the centre is |a| + |b| + |c| above the lowest corner; the face on the
    table is the steepest axis, so a change of face passes through |a| = |b| >= |c|.
    """

    def height(c: float) -> float:
        return 2 * math.sqrt((1 - c * c) / 2) + c

    best = minimize(lambda x: height(x[0]), [0.2], bounds=[(0.0, 1 / math.sqrt(3))])
    return min(float(best.fun), height(0.0))


@pytest.mark.parametrize("edge", [0.003, 0.01905, 0.3])
def test_the_trap_lies_just_under_the_saddle(edge: float) -> None:
    setup = Setup(die=Die(edge))
    saddle = setup.gravity * edge / 2 * saddle_height()
    assert saddle == pytest.approx(setup.gravity * edge / math.sqrt(2), rel=1e-9)
    assert setup.gravity * edge / 2 < setup.trap_energy < saddle


def test_the_allowance_is_the_band_the_landing_and_what_a_corner_falls_in_a_step() -> None:
    """At the saddle's energy all of the rest may be spin: w^2 = 3 g (sqrt(2) - 1) / half, and R = sqrt(3) half."""
    setup = Setup()
    half, g, solver = setup.die.edge / 2, setup.gravity, setup.solver
    inertia = setup.die.edge**2 / 6
    spin_squared = 2 * g * half * (math.sqrt(2) - 1) / inertia
    fall = (g + spin_squared * math.sqrt(3) * half) * solver.time_step**2
    allowance = half * math.sqrt(2) - setup.trap_energy / g
    lengths = solver.contact_band + landing_error(solver.turn)
    assert allowance == pytest.approx(fall + lengths * setup.die.edge, rel=1e-9)
    assert 3.1 * g < fall / solver.time_step**2 < 3.2 * g


def test_the_trap_shrinks_with_a_longer_step_and_a_wider_band() -> None:
    energies = [Setup(solver=Solver(time_step=step)).trap_energy for step in (1e-4, 5e-4, 1e-3)]
    assert energies == sorted(energies, reverse=True)
    wide = Setup(solver=Solver(contact_band=0.01))
    assert wide.trap_energy < Setup().trap_energy


@pytest.mark.parametrize("turn", [0.02, 0.17, 0.3])
def test_a_corner_on_a_parabola_lands_within_its_error(turn: float) -> None:
    """A corner on a circle, its height and the parabola that meets its cubic at the end of the turn."""
    phases, angles = np.linspace(0, 2 * math.pi, 1000)[:, None], np.linspace(0, turn, 100)
    radius = math.sqrt(3) / 2
    true = radius * np.sin(phases + angles)
    acceleration = -np.sin(phases) - np.cos(phases) * turn / 3
    parabola = radius * (np.sin(phases) + angles * np.cos(phases) + angles**2 / 2 * acceleration)
    worst = np.abs(true - parabola).max()
    assert 0.6 * landing_error(turn) < worst <= landing_error(turn)


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        (Table, "friction", 1e4),
        (Setup, "gravity", 1e-12),
        (Setup, "gravity", 1e150),
        (Solver, "micro_bounce_speed", 1e-15),  # below the rounding of a fast approach impacts would never end
        (Die, "edge", 1e-170),
        (Solver, "time_step", 1e-300),
    ],
)
def test_what_no_die_has_is_refused(kind: Any, name: str, value: float) -> None:
    assert message(kind, **{name: value}).startswith(f"{name} must be from ")
