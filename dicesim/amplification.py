"""How a tiny separation of two throws grows, contact by contact.

Two releases a tiny step apart make the same contacts, for a while, with states a tiny step apart. What counts is the
state just after a contact: the moment of the contact does not (nothing depends on time), nor the place on the table
(nothing depends on it either). So the separation has ten numbers: height, velocity, angular velocity and a turn.

How it is followed
    Each leg, from one contact to the next, is thrown twice: from the state of the throw, and from that state moved by a
    separation of a fixed small size, in the direction in which the leg before had left it. The growth of a leg is the
    logarithm of what the separation has become over what it was. Put back to its size at every contact it never leaves
    the linear range, and growths of legs add up; that is the usual way to Lyapunov exponents, here over a finite time.

    A twin whose leg is of another kind (it is carried by the table where the throw is not, or lands on another corner,
    edge or side) has no linear separation any more: there the throw is left, and counted as such.

Natural units
    Lengths in edges, times in sqrt(edge / gravity), angles in rad. The size is the root of the sum of the squares.
    Over many contacts the growth does not depend on the choice: `Growth.per_contact` takes others, to show it.
"""

import math
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from dicesim.events import Course, axes_of, landings, places, recorded
from dicesim.parameters import Setup, require_kind
from dicesim.releases import Seed, standard_normals
from dicesim.simulator import check_releases, kernel_parameters, to_rows
from dicesim.states import States

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

#: The numbers of a separation.
NUMBERS: Final = ("z", "vx", "vy", "vz", "wx", "wy", "wz", "turn x", "turn y", "turn z")
#: Which of the four parts of a state each number belongs to: height, velocity, angular velocity, orientation.
PARTS: Final = np.array([0, 1, 1, 1, 2, 2, 2, 3, 3, 3])
#: Size of the separation at the start of each leg, natural units: far above what rounding and the error of a landing
#: make of it, and so small that no curvature is seen.
SIZE: Final = 1e-6


class Metric(NamedTuple):
    """Weights of the parts of a separation, and whether a turn of the whole throw about the vertical counts.

    Parameters
    ----------
    height, velocity, spin, turn : float
        Weights.
    about_vertical : bool
        Whether it does; as nothing depends on such a turn, it need not.

    Examples
    --------
    >>> Metric(velocity=2.0).velocity
    2.0
    """

    height: float = 1.0
    velocity: float = 1.0
    spin: float = 1.0
    turn: float = 1.0
    about_vertical: bool = True

    def size(self, separations: Floats, symmetry: Floats) -> Floats:
        """Size of separations.

        Parameters
        ----------
        separations : array (..., 10)
            Separations in natural units.
        symmetry : array (..., 10)
            What a turn about the vertical makes of the state they are at.

        Returns
        -------
        array (...)
            Their sizes.

        Examples
        --------
        >>> float(Metric().size(np.full(10, 2.0), np.zeros(10)).round(3))
        6.325
        """
        weights = np.array(self[:4], dtype=np.float64)[PARTS]
        left = weights * separations
        if not self.about_vertical:
            along = weights * symmetry
            share = (left * along).sum(axis=-1) / (along * along).sum(axis=-1)
            left = left - share[..., None] * along
        size: Floats = np.sqrt((left * left).sum(axis=-1))
        return size


NATURAL: Final = Metric()


@dataclass(frozen=True, eq=False)
class Growth:
    """What became of a separation in n throws of up to k contacts; NaN where there was no contact, or no twin any more.

    Parameters
    ----------
    start : array (n, 10)
        The separation at the release, of size 1.
    landed, struck : array (n, k, 10)
        The separation just before and just after each contact, per size at the start of its leg.
    symmetry : array (n, k + 1, 10)
        What a turn about the vertical makes of the state at release, and after each contact.
    impulse : array (n, k)
        Normal impulse of each contact, natural units.
    carried : array of bool (n, k)
        Whether the table carried the die on the way to it.
    contacts : array of int (n,)
        Contacts until the die rests.
    decided : array of int (n,)
        Contacts until its face is certain.
    followed : array of int (n,)
        Contacts up to which the twin was of the same kind.

    Examples
    --------
    >>> from dicesim import Shaken
    >>> found = growth(Shaken().sample(3, rng=1), rng=1)
    >>> bool((found.followed <= found.contacts).all())
    True
    """

    start: Floats
    landed: Floats
    struck: Floats
    symmetry: Floats
    impulse: Floats
    carried: npt.NDArray[np.bool_]
    contacts: Ints
    decided: Ints
    followed: Ints

    def __len__(self) -> int:
        return len(self.contacts)

    def per_contact(self, metric: Metric = NATURAL) -> Floats:
        """Growth from each contact to the next, the first from the release.

        Parameters
        ----------
        metric : Metric
            How separations are measured; in natural units if not given.

        Returns
        -------
        array (n, k)
            Natural logarithms; NaN where there is none.

        Examples
        --------
        >>> from dicesim import Shaken
        >>> found = growth(Shaken().sample(3, rng=1), rng=1)
        >>> bool((np.isfinite(found.per_contact()).sum(axis=1) == found.followed).all())
        True
        """
        grown: Floats = np.log(metric.size(self.struck, self.symmetry[:, 1:])) - self._before(metric)
        return grown

    def underway(self) -> Floats:
        """The part of the growth that comes before the impact, in flight or carried by the table.

        Returns
        -------
        array (n, k)
            Natural logarithms; what is left of `per_contact` is the impact's own.

        Examples
        --------
        >>> from dicesim import Shaken
        >>> growth(Shaken().sample(3, rng=1), rng=1).underway().shape[0]
        3
        """
        grown: Floats = np.log(NATURAL.size(self.landed, self.symmetry[:, 1:]))
        return grown

    def total(self, contacts: npt.ArrayLike | None = None) -> Floats:
        """Growth of each throw from the release on.

        Parameters
        ----------
        contacts : array_like of int (n,), optional
            How many contacts count; by default those until the face is certain.

        Returns
        -------
        array (n,)
            Natural logarithms; NaN for a throw whose twin was left before.

        Examples
        --------
        >>> from dicesim import Shaken
        >>> growth(Shaken().sample(3, rng=1), rng=1).total().shape
        (3,)
        """
        last = self.decided if contacts is None else np.asarray(contacts)
        grown = self.per_contact()
        counted = np.arange(grown.shape[1]) < last[:, None]
        total: Floats = np.where(counted, grown, 0.0).sum(axis=1)
        return total

    def _before(self, metric: Metric) -> Floats:
        """Size of each leg's separation at its start, by a metric other than the one that it was put back in."""
        begun = np.concatenate([self.start[:, None], self.struck[:, :-1]], axis=1)
        begun = begun / NATURAL.size(begun, begun)[..., None]
        before: Floats = np.log(metric.size(begun, self.symmetry[:, :-1]))
        return before


def growth(
    states: States,
    setup: Setup = Setup(),
    *,
    along: str | None = None,
    size: float = SIZE,
    rng: Seed = None,
) -> Growth:
    """Follow a tiny separation through throws.

    Parameters
    ----------
    states : States
        The n releases.
    setup : Setup
        Die, table, solver and gravity.
    along : str, optional
        Which number of the release the twin differs in, one of ``NUMBERS``; all of them, at random, if not given.
    size : float
        How large the separation is at the start of each leg, natural units.
    rng : Generator, SeedSequence, int or None
        Where random directions come from.

    Returns
    -------
    Growth
        The separations, contact by contact.

    Raises
    ------
    ValueError
        If there is no such number, the size is not a small positive one, or a die starts inside the table.

    Examples
    --------
    >>> from dicesim import Shaken
    >>> found = growth(Shaken().sample(20, rng=1), along="vz")
    >>> bool(found.total().mean() > 1.0)
    True
    """
    require_kind("setup", setup, Setup)
    if along is not None and along not in NUMBERS:
        raise ValueError(f"a twin differs along one of {', '.join(NUMBERS)}, not along {along!r}")
    if not 0 < size <= 1e-3:
        raise ValueError(f"the size of a tiny separation is above 0 and at most 1e-3, not {size!r}")
    check_releases(states, setup)
    if along is None:
        start = standard_normals(len(states), len(NUMBERS), rng)
    else:
        start = np.tile(np.eye(len(NUMBERS))[NUMBERS.index(along)], (len(states), 1))
    return _followed(to_rows(states), setup, start / np.linalg.norm(start, axis=1)[:, None], size)


def unit_of_speed(setup: Setup) -> float:
    """Give the natural unit of speed, in which separations of velocities are measured.

    Parameters
    ----------
    setup : Setup
        Die and gravity.

    Returns
    -------
    float
        The square root of gravity times edge, m/s.

    Examples
    --------
    >>> round(unit_of_speed(Setup()), 3)
    0.432
    """
    return math.sqrt(setup.gravity * setup.die.edge)


class _Units(NamedTuple):
    """Natural units, SI."""

    length: float
    speed: float
    spin: float

    @classmethod
    def of(cls, setup: Setup) -> "_Units":
        return cls(setup.die.edge, unit_of_speed(setup), math.sqrt(setup.gravity / setup.die.edge))


def _difference(a: Floats, b: Floats, units: _Units) -> Floats:
    """The separation of rows b from rows a; of small turns the vector, half the sum of u x u' over the axes."""
    turned = 0.5 * np.cross(axes_of(a), axes_of(b)).sum(axis=1)
    parts = (b[:, 2:3] - a[:, 2:3]) / units.length, (b[:, 3:6] - a[:, 3:6]) / units.speed
    return np.concatenate([*parts, (b[:, 6:9] - a[:, 6:9]) / units.spin, turned], axis=1)


def _moved(a: Floats, by: Floats, units: _Units) -> Floats:
    """Rows a moved by separations; the turns are so small that their cosine is 1."""
    moved = a[:, :18].copy()
    moved[:, 2] += by[:, 0] * units.length
    moved[:, 3:6] += by[:, 1:4] * units.speed
    moved[:, 6:9] += by[:, 4:7] * units.spin
    moved[:, 9:18] += np.cross(by[:, None, 7:10], axes_of(a)).reshape(-1, 9)
    return moved


def _symmetry(a: Floats, units: _Units) -> Floats:
    """What a turn about the vertical makes of rows."""
    turn = np.zeros((len(a), 10))
    turn[:, 1], turn[:, 2] = -a[:, 4] / units.speed, a[:, 3] / units.speed
    turn[:, 4], turn[:, 5] = -a[:, 7] / units.spin, a[:, 6] / units.spin
    turn[:, 9] = 1.0
    return turn


def _followed(rows: Floats, setup: Setup, start: Floats, size: float) -> Growth:
    """Follow the separation through all throws."""
    from dicesim import kernel

    units, p = _Units.of(setup), kernel_parameters(setup, "rest")
    course = recorded(rows, p)
    landed, struck, followed = _legs(course, p, units, start, size)
    n, k = course.carried.shape
    after = course.after.reshape(n * (k + 1), kernel.NOTED)
    decided = kernel.simulate(rows, kernel_parameters(setup, "face"))[:, 19].astype(np.int64)
    return Growth(
        start=start,
        landed=landed,
        struck=struck,
        symmetry=_symmetry(after, units).reshape(n, k + 1, len(NUMBERS)),
        impulse=course.after[:, 1:, kernel.PUSH] / units.speed,
        carried=course.carried,
        contacts=course.contacts,
        decided=decided,
        followed=followed,
    )


def _legs(course: Course, p: Any, units: _Units, start: Floats, size: float) -> tuple[Floats, Floats, Ints]:
    """The separations before and after each contact, one contact of all throws after the other."""
    n, k = course.carried.shape
    landed, struck = np.full((2, n, k, len(NUMBERS)), np.nan)
    followed, twins = np.zeros(n, dtype=np.int64), start
    for c in range(k):
        left = np.flatnonzero((course.contacts > c) & (followed == c))
        base, before, after = course.after[left, c], course.before[left, c], course.after[left, c + 1]
        # A twin that comes much later is none; with two steps to spare, the end of its time changes nothing before.
        limits = after[:, 18] - base[:, 18] + 2 * p.time_step
        twin_before, twin_after, carried = landings(_moved(base, size * twins[left], units), p, limits)
        same = carried == course.carried[left, c]
        same &= (places(twin_before, twin_after, p.half) == places(before, after, p.half)).all(axis=1)
        kept = left[same]
        landed[kept, c] = _difference(before[same], twin_before[same], units) / size
        struck[kept, c] = _difference(after[same], twin_after[same], units) / size
        followed[kept] += 1
        twins = struck[:, c] / np.linalg.norm(struck[:, c], axis=1)[:, None]
    return landed, struck, followed
