"""One throw, step by step: the same step of the same kernel, with everything it did kept."""

from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from dicesim.ensembles import aside
from dicesim.parameters import Setup, require_kind
from dicesim.simulator import Until, check_releases, from_rows, kernel_parameters, to_rows
from dicesim.solids import up_face
from dicesim.states import Floats, States

RELEASED, FLIGHT, IMPACT, CARRIED, SLIDE = range(5)
KINDS = ("released", "flight", "impact", "carried", "slide")


@dataclass(frozen=True, eq=False)
class Trajectory:
    """Every step of one throw, m of them, the release first.

    Energies and impulses are per unit mass.

    Parameters
    ----------
    times : array (m,)
        Time after release at the end of each step, s. An impact takes no time.
    states : States
        The state at the end of each step.
    kind : array of int8 (m,)
        What the step was: index into ``KINDS``, released, flight, impact, carried by the table, or the slide to rest.
    contact_point : array (m, 3)
        Centre of pressure, m; NaN where nothing touched. Of a slide the place where it ends.
    normal_impulse : array (m,)
        Upward impulse, m/s.
    tangential_impulse : array (m, 2)
        Friction along x and y, m/s.
    kinetic, potential : array (m,)
        Energy at the end of each step, J/kg.
    lost_normal, lost_friction : array (m,)
        Energy taken by the normal and the tangential impulses of the step, J/kg.
    settled : bool
        Whether the throw ended within the time limit.
    setup : Setup
        What was thrown onto what.

    Examples
    --------
    >>> from dicesim import Shaken, trajectory
    >>> path = trajectory(Shaken().sample(1, rng=1))
    >>> bool((np.diff(path.energy) < 1e-12).all())
    True
    """

    times: Floats
    states: States
    kind: npt.NDArray[np.int8]
    contact_point: Floats
    normal_impulse: Floats
    tangential_impulse: Floats
    kinetic: Floats
    potential: Floats
    lost_normal: Floats
    lost_friction: Floats
    settled: bool
    setup: Setup

    def __post_init__(self) -> None:
        for part in fields(self):
            array = getattr(self, part.name)
            if isinstance(array, np.ndarray):
                array.flags.writeable = False

    def __len__(self) -> int:
        return len(self.times)

    def __repr__(self) -> str:
        end = "settled" if self.settled else "unsettled"
        return f"<Trajectory of {len(self)} steps, {self.contacts} contacts, {end} after {self.times[-1]:.3f} s>"

    @property
    def energy(self) -> Floats:
        """Kinetic plus potential energy, J/kg; it never rises.

        Examples
        --------
        >>> from dicesim import Shaken, trajectory
        >>> path = trajectory(Shaken().sample(1, rng=1))
        >>> bool(path.energy[0] > path.energy[-1])
        True
        """
        return self.kinetic + self.potential

    @property
    def lost_otherwise(self) -> Floats:
        """Energy that no impulse explains, J/kg.

        Of carried moves: spin damping and the price of lifts, less the kick of gravity that an impulse takes again;
        negative where the kick is the larger.

        Examples
        --------
        >>> from dicesim import Shaken, trajectory
        >>> path = trajectory(Shaken().sample(1, rng=1))
        >>> bool(abs(path.lost_otherwise[path.kind == FLIGHT]).max() < 1e-12)
        True
        """
        lost: Floats = -np.diff(self.energy, prepend=self.energy[0]) - self.lost_normal - self.lost_friction
        return lost

    @property
    def contacts(self) -> int:
        """Number of impacts.

        Examples
        --------
        >>> from dicesim import Shaken, trajectory
        >>> path = trajectory(Shaken().sample(1, rng=1))
        >>> path.contacts > 0
        True
        """
        return int((self.kind == IMPACT).sum())

    @property
    def face(self) -> int:
        """The side that ended up on top, 0 to 5.

        Examples
        --------
        >>> from dicesim import Shaken, trajectory
        >>> path = trajectory(Shaken().sample(1, rng=1))
        >>> path.face in range(6)
        True
        """
        return int(up_face(self.states.axes[-1]))

    def at(self, times: npt.ArrayLike) -> States:
        """The state at any times, exact between steps.

        Parameters
        ----------
        times : array_like (k,)
            Times after release, s; before the release and after the end the die stays.

        Returns
        -------
        States
            The states at these times.

        Examples
        --------
        >>> from dicesim import Shaken, trajectory
        >>> path = trajectory(Shaken().sample(1, rng=1))
        >>> len(path.at([0.0, 0.1, 0.2]))
        3
        """
        asked = np.atleast_1d(np.asarray(times, dtype=np.float64))
        if asked.ndim != 1 or not np.isfinite(asked).all():
            raise ValueError(f"times must be finite numbers in one row, not {times!r}")
        asked = np.clip(asked, 0.0, self.times[-1])
        after = np.searchsorted(self.times, asked, side="left")
        states = _before(self, after, self.times[after] - asked)
        return _sliding(self, after, asked, states) if self.kind[-1] == SLIDE else states


def _before(path: Trajectory, step: npt.NDArray[np.intp], left: Floats) -> States:
    """Go back from the end of each step by the time that is left of it, as the step itself moved."""
    from scipy.spatial.transform import Rotation

    end = path.states[step]
    fall = np.where(path.kind[step] == FLIGHT, path.setup.gravity, 0.0) * left
    position, velocity = end.position - left[:, None] * end.velocity, end.velocity.copy()
    position[:, 2] -= 0.5 * fall * left
    velocity[:, 2] += fall
    turns = Rotation.from_rotvec(-end.angular_velocity * left[:, None]).as_matrix()
    return States(position, turns @ end.axes, velocity, end.angular_velocity)


def _sliding(path: Trajectory, step: npt.NDArray[np.intp], asked: Floats, states: States) -> States:
    """The states with those inside the slide, the last step, put right: forward from its start, slowed steadily."""
    from scipy.spatial.transform import Rotation

    inside = (step == len(path) - 1) & (asked < path.times[-1])
    start, since = path.states[-2], (asked[inside] - path.times[-2])[:, None]
    slowing = path.setup.table.friction * path.setup.gravity
    drag = slowing * 3 * np.sqrt(2) / path.setup.die.edge
    way, left = _slowed(start.velocity, slowing, since)
    turn, spin = _slowed(start.angular_velocity, drag, since)
    parts = {name: getattr(states, name).copy() for name in ("position", "axes", "velocity", "angular_velocity")}
    parts["position"][inside] = start.position + way
    parts["axes"][inside] = Rotation.from_rotvec(turn).as_matrix() @ start.axes
    parts["velocity"][inside], parts["angular_velocity"][inside] = left, spin
    return States(**parts)


def _slowed(rate: Floats, slowing: float, since: Floats) -> tuple[Floats, Floats]:
    """How far something came that is slowed steadily until it stops, and its rate then."""
    size = float(np.linalg.norm(rate))
    time = np.minimum(since, size / slowing) if slowing else since
    left = 1 - time * slowing / size if size else 0 * time
    return rate * time * (1 + left) / 2, rate * left


def trajectory(state: States, setup: Setup = Setup(), *, until: Until = "rest") -> Trajectory:
    """Record one throw.

    Parameters
    ----------
    state : States
        One release.
    setup : Setup
        Die, table, solver and gravity.
    until : {"face", "rest"}
        When to stop, as in `throw`.

    Returns
    -------
    Trajectory
        Every step; the last state is that of `throw`, bit for bit.

    Raises
    ------
    ValueError
        If there is not exactly one release, or it starts inside the table.

    Examples
    --------
    >>> from dicesim import Shaken, throw, trajectory
    >>> state = Shaken().sample(1, rng=1)
    >>> trajectory(state).face == throw(state).face[0]
    np.True_
    """
    from dicesim import kernel

    require_kind("setup", setup, Setup)
    require_kind("state", state, States)
    if len(state) != 1:
        raise ValueError(f"a trajectory follows one throw, not {len(state)}; pick one with states[i]")
    check_releases(state, setup)
    rows = aside(kernel.record, to_rows(state)[0], kernel_parameters(setup, until))
    return _read(rows, setup)


def _read(rows: Floats, setup: Setup) -> Trajectory:
    from dicesim import kernel

    states = from_rows(rows)
    inertia = setup.die.edge * setup.die.edge / 6
    kind = (rows[:, kernel.HOW] + FLIGHT).astype(np.int8)
    kind[0] = RELEASED
    point = np.column_stack([rows[:, [kernel.AT_X, kernel.AT_Y]], np.zeros(len(rows))])
    point[rows[:, kernel.PUSH] == 0] = np.nan
    speed, spin = (states.velocity**2).sum(axis=1), (states.angular_velocity**2).sum(axis=1)
    return Trajectory(
        times=rows[:, 18].copy(),
        states=states,
        kind=kind,
        contact_point=point,
        normal_impulse=rows[:, kernel.PUSH].copy(),
        tangential_impulse=rows[:, [kernel.PULL_X, kernel.PULL_Y]],
        kinetic=0.5 * speed + 0.5 * inertia * spin,
        potential=setup.gravity * states.position[:, 2],
        lost_normal=rows[:, kernel.LOST_NORMAL].copy(),
        lost_friction=rows[:, kernel.LOST_FRICTION].copy(),
        settled=bool(rows[-1, 20] == kernel.SETTLED),
        setup=setup,
    )
