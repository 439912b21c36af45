"""The range of parameters that the tests of the physics run over, and releases to go with it."""

from dataclasses import replace
from itertools import product

import numpy as np
import numpy.typing as npt

from dicesim import Die, Setup, Shaken, Solver, States, Table
from dicesim.simulator import kernel_parameters

RESTITUTIONS = (0.0, 0.36, 0.6, 0.75, 0.85, 0.9, 0.95)
FRICTIONS = (0.0, 0.1, 0.34, 1.0, 1.5)
EDGES = (0.005, 0.01905, 0.1)
TIME_STEPS = (1 / 500, 1 / 2000, 1 / 8000)


def make(
    restitution: float = 0.36,
    friction: float = 0.34,
    edge: float = 0.01905,
    time_step: float = 1 / 2000,
    time_limit: float | None = None,
) -> Setup:
    """A setup whose time limit, unless given, is the one within which it promises to settle."""
    limit = time_limit or (8.0 if restitution <= 0.75 else 60.0)
    solver = Solver(time_step=time_step, time_limit=limit)
    return Setup(Die(edge), Table(restitution, friction), solver)


# Every restitution with every friction; edges and time steps take turns so that each pair of any two values occurs.
RANGE = [
    make(restitution, friction, EDGES[(i + j) % 3], TIME_STEPS[(i + 2 * j) % 3])
    for (i, restitution), (j, friction) in product(enumerate(RESTITUTIONS), enumerate(FRICTIONS))
]
# The other numbers of the solver, and gravity, at their ends.
RANGE += [
    replace(make(0.5), solver=replace(make(0.5).solver, contact_band=0.01)),
    replace(make(0.6), solver=replace(make(0.6).solver, turn=0.3, contact_band=0.0039)),
    replace(make(0.36), solver=replace(make(0.36).solver, turn=0.02, contact_band=2e-6)),
    replace(make(0.75), solver=replace(make(0.75).solver, spin_damping=0.0)),
    replace(make(0.36), solver=replace(make(0.36).solver, spin_damping=1e4)),
    replace(make(0.9), solver=replace(make(0.9).solver, micro_bounce_speed=1.0)),
    replace(make(0.6, time_limit=60.0), gravity=1.6),
    replace(make(0.36), gravity=60.0),
]
RUBBING = [setup for setup in RANGE if setup.table.friction > 0]


def cut(setup: Setup, time_limit: float) -> Setup:
    """The same setup with another time limit."""
    return replace(setup, solver=replace(setup.solver, time_limit=time_limit))


def label(value: object) -> str | None:
    """How pytest names a setup."""
    if not isinstance(value, Setup):
        return None
    table, solver = value.table, value.solver
    rest = f"band{solver.contact_band}-turn{solver.turn}-micro{solver.micro_bounce_speed}-damp{solver.spin_damping}"
    named = f"e{table.restitution}-mu{table.friction}-{value.die.edge}m-1/{1 / solver.time_step:.0f}s"
    return named if solver == Solver(solver.time_step, time_limit=solver.time_limit) else f"{named}-{rest}"


def band(setup: Setup) -> float:
    """Height under which a corner touches, m."""
    return float(kernel_parameters(setup, "rest").contact_band)


def above(states: States, setup: Setup, gap: npt.ArrayLike) -> States:
    """The same dice with their lowest corners at a height."""
    position = states.position.copy()
    position[:, 2] += gap - states.clearance(setup.die)
    return states.replace(position=position)


def releases(n: int, setup: Setup, seed: int, *, speed: float = 3.0) -> States:
    """Releases 1 mm to 2 m above the table, spinning at up to 200 rad/s, a tenth of them not at all.

    A third has no velocity, a third a tenth of `speed`, a third `speed`, as the deviation of each component.
    """
    rng = np.random.default_rng(seed)
    states = Shaken(speed=0.0, spin=1.0).sample(n, rng=seed)
    spin = rng.uniform(0, 200, n) * (rng.random(n) >= 0.1)
    length = np.linalg.norm(states.angular_velocity, axis=1)
    states = states.replace(
        velocity=speed * rng.normal(size=(n, 3)) * rng.choice([0.0, 0.1, 1.0], (n, 1)),
        angular_velocity=states.angular_velocity * (spin / length)[:, None],
    )
    return above(states, setup, 10 ** rng.uniform(-3, np.log10(2), n))


def single(axes: npt.ArrayLike, setup: Setup, gap: float = 0.0, **parts: npt.ArrayLike) -> States:
    """One die, at rest unless told otherwise, turned as given, its lowest corner at a height."""
    still = np.zeros((1, 3))
    states = States(still, np.asarray(axes, dtype=np.float64)[None], still, still)
    return above(states, setup, gap).replace(**parts)


def turn(axis: str, angle: float) -> npt.NDArray[np.float64]:
    """Rotation matrix about x, y or z; the zeros and ones are exact."""
    i, j = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
    matrix = np.eye(3)
    matrix[i, i] = matrix[j, j] = np.cos(angle)
    matrix[i, j], matrix[j, i] = -np.sin(angle), np.sin(angle)
    return matrix


# A die on a corner: its body diagonal is vertical, as exactly as floating point tells.
ON_CORNER = np.array(
    [
        [np.sqrt(2 / 3), -np.sqrt(1 / 6), -np.sqrt(1 / 6)],
        [0.0, np.sqrt(1 / 2), -np.sqrt(1 / 2)],
        [np.sqrt(1 / 3), np.sqrt(1 / 3), np.sqrt(1 / 3)],
    ]
)


def same_bits(a: States, b: States, parts: tuple[str, ...] = ("velocity", "angular_velocity", "axes")) -> bool:
    """Whether two sets of states agree to the last bit; 0 and -0 are the same."""
    return all(np.array_equal(getattr(a, part), getattr(b, part)) for part in parts)
