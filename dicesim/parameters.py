"""What a throw depends on besides its release: the die, the table, the solver and gravity.

All values are SI, frozen and checked when made. Each default carries its unit, its tag and its source;
CREDITS.txt lists the same lines, and a test compares the two.
"""

import math
from dataclasses import dataclass, field
from numbers import Real
from typing import Annotated, Any, NamedTuple

CALIBRATED = "the source, tuned until throws looked and settled like real ones"


class Tagged(NamedTuple):
    """Where a constant comes from.

    Parameters
    ----------
    unit : str
        SI unit, "1" for a pure number.
    tag : str
        One of documented, qualified, measured, derived, calibrated, reconstructed.
    source : str
        One line: who says so, or why.

    Examples
    --------
    >>> Tagged("m", "documented", "a ruler").tag
    'documented'
    """

    unit: str
    tag: str
    source: str


def _number(name: str, value: Any) -> float:
    try:
        number = math.nan if isinstance(value, bool) or not isinstance(value, Real) else float(value)
    except OverflowError:
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"{name} must be a finite number, not {value!r}")
    return number


def require_kind(name: str, value: Any, kind: type) -> None:
    """Refuse a part of another kind.

    Parameters
    ----------
    name : str
        What the part is, for the message.
    value : object
        The part.
    kind : type
        What it must be.

    Raises
    ------
    ValueError
        If it is not.

    Examples
    --------
    >>> require_kind("die", 0.02, Die)
    Traceback (most recent call last):
    ValueError: die must be a Die, not 0.02
    """
    if not isinstance(value, kind):
        raise ValueError(f"{name} must be a {kind.__name__}, not {value!r}")


def require_positive(name: str, value: float, unit: str) -> None:
    """Refuse anything but a finite number above zero.

    Parameters
    ----------
    name : str
        What the number is, for the message.
    value : float
        The number.
    unit : str
        Its unit, for the message.

    Raises
    ------
    ValueError
        If the value is not a finite number above zero.

    Examples
    --------
    >>> require_positive("edge", -1.0, "m")
    Traceback (most recent call last):
    ValueError: edge must be above 0 m, not -1.0
    """
    if not _number(name, value) > 0:
        raise ValueError(f"{name} must be above 0{' ' * (unit != '1')}{unit * (unit != '1')}, not {value!r}")


def require_between(name: str, value: float, low: float, high: float) -> None:
    """Refuse anything but a finite number in a closed range.

    Parameters
    ----------
    name : str
        What the number is, for the message.
    value : float
        The number.
    low, high : float
        The range, ends included.

    Raises
    ------
    ValueError
        If the value is not a finite number in the range.

    Examples
    --------
    >>> require_between("restitution", 1.2, 0, 1)
    Traceback (most recent call last):
    ValueError: restitution must be from 0 to 1, not 1.2
    """
    if not low <= _number(name, value) <= high:
        above = f"0 or more, not {value!r}" if high == math.inf else f"from {low} to {high}, not {value!r}"
        raise ValueError(f"{name} must be {above}")


@dataclass(frozen=True)
class Die:
    """A homogeneous cube; its mass cancels and is not asked for.

    Parameters
    ----------
    edge : float
        Length of an edge, m.

    Raises
    ------
    ValueError
        If the edge is not from 1e-5 to 1e4 m.

    Examples
    --------
    >>> Die()
    Die(edge=0.01905)
    """

    edge: Annotated[
        float,
        Tagged(
            "m",
            "qualified",
            "regulations on casino dice, 0.750 in or more; none gives a size for Liar's Dice",
        ),
    ] = 0.01905

    def __post_init__(self) -> None:
        require_positive("edge", self.edge, "m")
        require_between("edge", self.edge, 1e-5, 1e4)


@dataclass(frozen=True)
class Table:
    """An unbounded plane at z = 0.

    Parameters
    ----------
    restitution : float
        Ratio of the normal speeds after and before an impact, 0 to 1.
    friction : float
        Coulomb coefficient, 0 to 1000. Without friction a sliding die never rests.

    Raises
    ------
    ValueError
        If a value is out of its range.

    Examples
    --------
    >>> Table(restitution=0.5)
    Table(restitution=0.5, friction=0.34)
    """

    restitution: Annotated[float, Tagged("1", "calibrated", CALIBRATED)] = 0.36
    friction: Annotated[float, Tagged("1", "calibrated", CALIBRATED)] = 0.34

    def __post_init__(self) -> None:
        require_between("restitution", self.restitution, 0, 1)
        require_between("friction", self.friction, 0, math.inf)
        require_between("friction", self.friction, 0, 1e3)


def landing_error(turn: float) -> float:
    """How far from the table a corner may be when its path over a turn is taken for a parabola.

    With w the spin, R a corner's distance from the centre and L the time of the turn, the height of a corner is a cubic
    with a third derivative of at most w^3 R, give or take R (w t)^4 / 24. The parabola that meets the cubic and its
    slope at 0, and the cubic at L, is off by w^3 R t^2 (L - t) / 6, at most 4 / 27 of w^3 R L^3 / 6.

    Parameters
    ----------
    turn : float
        Angle, rad.

    Returns
    -------
    float
        Height, as a share of the edge.

    Examples
    --------
    >>> round(landing_error(0.17), 6)
    0.000135
    """
    return math.sqrt(3) / 2 * turn * turn * turn * (4 / 27 / 6 + turn / 24)


@dataclass(frozen=True)
class Solver:
    """How the motion is computed.

    Parameters
    ----------
    time_step : float
        Longest move of a die that the table carries, s. Free flight takes exact arcs whatever the step, and a die that
        slides on its face is brought to rest by formula.
    contact_band : float
        Height under which a corner counts as touching, and depth beyond which a sunk one is lifted, as a share of
        the edge.
    micro_bounce_speed : float
        Approach speed up to which a contact is plastic, m/s; at least what gravity gives in one step.
    spin_damping : float
        Relative loss of spin per second while the table carries the die, 1/s; not in the slide to rest, where
        friction alone slows it.
    time_limit : float
        Simulated time at which a throw is given up as unsettled, s; never overshot.
    turn : float
        Longest turn over which the path of a corner is taken for a parabola when its landing is sought, rad.

    Raises
    ------
    ValueError
        If a value is out of its range.

    Examples
    --------
    >>> Solver(time_step=1 / 4000).time_step
    0.00025
    """

    time_step: Annotated[float, Tagged("s", "documented", "the source")] = 1 / 2000
    contact_band: Annotated[
        float,
        Tagged("1", "derived", "just above the error of a landing, sqrt(3) / 2 x turn^3 x (2 / 81 + turn / 24) edges"),
    ] = 1.5e-4
    micro_bounce_speed: Annotated[
        float,
        Tagged("m/s", "calibrated", "experiment calibration: 11.4 contacts a throw"),
    ] = 0.036
    spin_damping: Annotated[float, Tagged("1/s", "reconstructed", "the source says a little and gives no number")] = 1.0
    time_limit: Annotated[float, Tagged("s", "documented", "the source")] = 8.0
    turn: Annotated[
        float,
        Tagged("rad", "reconstructed", "chosen here: lands a corner of the shipped die within 2.6e-6 m"),
    ] = 0.17

    def __post_init__(self) -> None:
        require_positive("time_step", self.time_step, "s")
        require_between("time_step", self.time_step, 1e-7, 1)
        require_positive("micro_bounce_speed", self.micro_bounce_speed, "m/s")
        require_between("micro_bounce_speed", self.micro_bounce_speed, 1e-6, 1e3)
        require_between("spin_damping", self.spin_damping, 0, math.inf)
        require_positive("time_limit", self.time_limit, "s")
        require_between("turn", self.turn, 1e-3, 0.3)
        require_between("contact_band", self.contact_band, landing_error(self.turn), 0.01)


@dataclass(frozen=True)
class Setup:
    """All that stays the same from throw to throw.

    Parameters
    ----------
    die : Die
        The cube.
    table : Table
        The plane.
    solver : Solver
        How the motion is computed.
    gravity : float
        Acceleration, m/s2.

    Raises
    ------
    ValueError
        If gravity is not a finite number above zero, or the parts do not fit one another.

    Examples
    --------
    >>> Setup(table=Table(restitution=0.75)).table.restitution
    0.75
    """

    die: Die = field(default_factory=Die)
    table: Table = field(default_factory=Table)
    solver: Solver = field(default_factory=Solver)
    gravity: Annotated[float, Tagged("m/s2", "documented", "standard gravity, CGPM 1901")] = 9.80665

    def __post_init__(self) -> None:
        for name, kind in (("die", Die), ("table", Table), ("solver", Solver)):
            require_kind(name, getattr(self, name), kind)
        require_positive("gravity", self.gravity, "m/s2")
        require_between("gravity", self.gravity, 1e-3, 1e4)
        kick = self.gravity * self.solver.time_step
        if self.solver.micro_bounce_speed < kick:
            raise ValueError(
                f"micro_bounce_speed must be at least what gravity gives in one time step, {kick:.3g} m/s, "
                f"not {self.solver.micro_bounce_speed!r}"
            )

    @property
    def trap_energy(self) -> float:
        """Energy per unit mass under which the face is certain, J/kg; derived in `dicesim.kernel`.

        Examples
        --------
        >>> 0.99 < Setup().trap_energy / (9.80665 * 0.01905 / 2**0.5) < 1
        True
        """
        half, step = self.die.edge / 2, self.solver.time_step
        steepest = self.gravity * (1 + 3 * math.sqrt(3) * (math.sqrt(2) - 1))
        band, landing = self.solver.contact_band, landing_error(self.solver.turn)
        depth = steepest * step * step + (band + landing) * self.die.edge
        return self.gravity * (half * math.sqrt(2) - depth)
