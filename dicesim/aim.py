"""Aim: what a hand that varies leaves of the face it wants.

A hand repeats one release as well as it can. It is thrown many times over; the entropy of the faces, in bits, says how
much of the outcome the hand leaves open, and the chance of the likeliest face how well it can aim who knows the dice.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dicesim.crossings import NoCrossing, crossing, percentiles, resampled
from dicesim.curves import Estimate
from dicesim.parameters import Setup, require_between
from dicesim.releases import Seed, standard_normals
from dicesim.simulator import throw
from dicesim.states import Floats, States, as_rows, quaternions_to_axes, row_lengths
from dicesim.stats import proportion_intervals

#: The entropy of a die of which nothing is known, bits.
FAIR = math.log2(6)
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Hand:
    """How a hand varies: what the spread of a throw is multiplied with for each part of the release.

    Parameters
    ----------
    velocity : tuple of 3 floats
        Standard deviation along x, y and z, m/s for a spread of 1.
    spin : float
        Standard deviation about each axis, rad/s for a spread of 1.
    turn : float
        Standard deviation of the turn about each axis, rad for a spread of 1; it is by 2 arctan(|t| / 2) about t.

    Raises
    ------
    ValueError
        If a number is not finite or below 0.

    Examples
    --------
    >>> from dicesim import Shaken
    >>> copies = Hand().repeat(Shaken().sample(2, rng=1), 1e-3, 3, rng=1)
    >>> len(copies)
    6
    """

    velocity: tuple[float, float, float] = (1.0, 1.0, 1.0)
    spin: float = 10.0
    turn: float = 0.0

    def __post_init__(self) -> None:
        as_rows("velocity", [self.velocity], (3,))
        for name, size in (*zip("xyz", self.velocity, strict=True), ("spin", self.spin), ("turn", self.turn)):
            require_between(name, size, 0, 1000)

    def repeat(self, states: States, spread: float, copies: int, *, rng: Seed = None) -> States:
        """Repeat each of n releases as the hand does.

        Parameters
        ----------
        states : States
            What the hand means to do, n releases.
        spread : float
            How much it varies.
        copies : int
            How often each is repeated.
        rng : Generator, SeedSequence, int or None
            Where variation comes from.

        Returns
        -------
        States
            As many times n, the copies of one release together.

        Examples
        --------
        >>> from dicesim import Shaken
        >>> meant = Shaken().sample(1, rng=1)
        >>> bool((Hand().repeat(meant, 0.0, 5, rng=1).velocity == meant.velocity).all())
        True
        """
        many = states[np.repeat(np.arange(len(states)), copies)]
        normals = spread * standard_normals(len(many), 9, rng)
        return many.replace(
            velocity=many.velocity + np.array(self.velocity) * normals[:, :3],
            angular_velocity=many.angular_velocity + self.spin * normals[:, 3:6],
            axes=_turned(many.axes, self.turn * normals[:, 6:]) if self.turn else many.axes,
        )


def _turned(axes: Floats, turns: Floats) -> Floats:
    """Turn by the quaternion along (1, t / 2): rational, so that its bits are the same on every machine."""
    quaternions = np.concatenate([np.ones((len(turns), 1)), turns / 2], axis=1)
    by = quaternions_to_axes(quaternions / row_lengths(quaternions)[:, None])
    parts = [by[:, :, k, None] * axes[:, None, k, :] for k in range(3)]
    turned: Floats = parts[0] + parts[1] + parts[2]  # in a fixed order
    return turned


def repeated(
    states: States, hand: Hand, spread: float, copies: int, setup: Setup = Setup(), *, rng: Seed = None
) -> npt.NDArray[np.int8]:
    """Throw each of n releases many times, as a hand repeats it.

    Parameters
    ----------
    states : States
        What the hand means to do.
    hand : Hand
        How it varies.
    spread : float
        How much.
    copies : int
        How often each release is thrown.
    setup : Setup
        Die, table, solver and gravity.
    rng : Generator, SeedSequence, int or None
        Where variation comes from.

    Returns
    -------
    array of int8 (n, copies)
        Faces.

    Raises
    ------
    UnsettledError
        If a throw did not settle.

    Examples
    --------
    >>> from dicesim import Shaken
    >>> faces = repeated(Shaken().sample(3, rng=1), Hand(), 1e-9, 10, rng=1)
    >>> [len(set(row)) for row in faces.tolist()]
    [1, 1, 1]
    """
    outcomes = throw(hand.repeat(states, spread, copies, rng=rng), setup=setup)
    outcomes.counts()  # refuses unsettled throws
    return outcomes.face.reshape(len(states), copies)


def counted(faces: npt.ArrayLike) -> Ints:
    """Count the faces in each row.

    Parameters
    ----------
    faces : array_like of int (n, copies)
        Faces 0 to 5.

    Returns
    -------
    array of int (n, 6)
        How often each came up.

    Examples
    --------
    >>> counted([[0, 0, 5], [1, 2, 2]]).tolist()
    [[2, 0, 0, 0, 0, 1], [0, 1, 2, 0, 0, 0]]
    """
    rows = np.asarray(faces)
    return np.stack([np.count_nonzero(rows == face, axis=1) for face in range(6)], axis=1)


# Entropy is a bent function of shares, so that m throws show too little of it, by (cells - 1) / (2 m) nats to the first
# order in 1/m. Miller and Madow add that for the cells that were seen. The jackknife needs no formula: what the entropy
# of m throws lacks beside that of m - 1, taken m - 1 times more, is what m lack beside infinitely many.


def entropy(counts: npt.ArrayLike) -> Floats:
    """Estimate the entropy of each row of counts, with Miller and Madow's correction.

    Parameters
    ----------
    counts : array_like of int (n, k)
        How often each of k outcomes came up, at least once one of them.

    Returns
    -------
    array (n,)
        Bits; where all outcomes are about as likely a little above log2 k as often as below.

    Examples
    --------
    >>> entropy([[8, 0], [4, 4]]).round(3).tolist()
    [0.0, 1.09]
    """
    table = np.asarray(counts)
    seen = np.count_nonzero(table, axis=1)
    corrected: Floats = _plug_in(table) + (seen - 1) / (2 * math.log(2) * table.sum(axis=1))
    return corrected


def entropy_by_jackknife(counts: npt.ArrayLike) -> Floats:
    """Estimate the entropy of each row of counts by leaving out each throw in turn.

    Parameters
    ----------
    counts : array_like of int (n, k)
        How often each of k outcomes came up, two or more in all.

    Returns
    -------
    array (n,)
        Bits.

    Examples
    --------
    >>> entropy_by_jackknife([[8, 0], [4, 4]]).round(3).tolist()
    [0.0, 1.103]
    """
    table = np.asarray(counts)
    n = table.sum(axis=1)
    without = [table - np.eye(table.shape[1], dtype=table.dtype)[k] for k in range(table.shape[1])]
    left = sum(table[:, k] * _plug_in(np.maximum(fewer, 0)) for k, fewer in enumerate(without))
    estimate: Floats = n * _plug_in(table) - (n - 1) / n * left
    return estimate


def _plug_in(table: Ints) -> Floats:
    shares = table / table.sum(axis=1, keepdims=True)
    bits: Floats = -(shares * np.log2(np.where(shares > 0, shares, 1.0))).sum(axis=1)
    return bits + 0.0  # no negative zero


def aimed(faces: npt.ArrayLike) -> Floats:
    """Estimate the chance of the likeliest face in each row, without the luck of choosing it after the throws.

    The face is chosen on every other throw and its share taken among the rest, and the other way round.

    Parameters
    ----------
    faces : array_like of int (n, copies)
        Faces 0 to 5, an even number of copies.

    Returns
    -------
    array (n,)
        Chances.

    Raises
    ------
    ValueError
        If the copies cannot be halved.

    Examples
    --------
    >>> aimed([[1, 1, 1, 1], [0, 2, 0, 2]]).tolist()
    [1.0, 0.0]
    """
    rows = np.asarray(faces)
    if rows.shape[1] < 2 or rows.shape[1] % 2:
        raise ValueError(f"choosing and scoring need an even number of copies, not {rows.shape[1]}")
    halves = counted(rows[:, ::2]), counted(rows[:, 1::2])
    each = np.arange(len(rows))
    scored = sum(score[each, choose.argmax(axis=1)] for choose, score in (halves, halves[::-1]))
    chances: Floats = scored / rows.shape[1]
    return chances


def best_aimed(faces: npt.ArrayLike, share: float) -> Floats:
    """Estimate the chance of the likeliest face in the rows where it is likeliest, without the luck of choosing them.

    Rows and faces are chosen on every other throw, and their shares taken among the rest.

    Parameters
    ----------
    faces : array_like of int (n, copies)
        Faces 0 to 5, two copies or more.
    share : float
        The share of the rows that is chosen, above 0; two rows are at least.

    Returns
    -------
    array (m,)
        Chances in the rows that were chosen, the best first.

    Raises
    ------
    ValueError
        If the copies cannot be divided, or the share is not between 0 and 1.

    Examples
    --------
    >>> best_aimed([[1, 1, 1, 1], [0, 2, 0, 2], [0, 1, 2, 3]], 0.5).tolist()
    [1.0, 0.0]
    """
    rows = np.asarray(faces)
    if rows.shape[1] < 2 or not 0 < share <= 1:
        raise ValueError(f"choosing needs two copies or more and a share up to 1, not {rows.shape[1]} and {share}")
    choose, score = counted(rows[:, ::2]), counted(rows[:, 1::2])
    best = np.argsort(-choose.max(axis=1), kind="stable")[: max(round(share * len(rows)), 2)]
    chances: Floats = score[best, choose[best].argmax(axis=1)] / score[best].sum(axis=1)
    return chances


def differing(counts: npt.ArrayLike) -> Floats:
    """Estimate the chance that two throws of a row differ, from all pairs of its throws.

    Parameters
    ----------
    counts : array_like of int (n, k)
        How often each outcome came up, two or more in all.

    Returns
    -------
    array (n,)
        Chances, without bias.

    Examples
    --------
    >>> differing([[2, 0], [1, 1]]).tolist()
    [0.0, 1.0]
    """
    table = np.asarray(counts)
    n = table.sum(axis=1)
    chances: Floats = 1 - (table * (table - 1)).sum(axis=1) / (n * (n - 1))
    return chances


def spread_at(
    spreads: npt.ArrayLike, rows: npt.ArrayLike, level: float, *, resamples: int = 1000, rng: Seed = None
) -> Estimate:
    """Find the spread at which a mean over releases, which grows with the spread, reaches a level.

    Parameters
    ----------
    spreads : array_like (k,)
        Spreads, rising.
    rows : array_like (n, k)
        What is averaged, for each of n releases at each spread.
    level : float
        The level.
    resamples : int
        Bootstrap samples of releases behind the interval.
    rng : Generator, SeedSequence, int or None
        Source of the bootstrap's draws.

    Returns
    -------
    Estimate
        The spread with its 95 % interval.

    Raises
    ------
    NoCrossing
        If the mean, or too much of the bootstrap, stays on one side of the level.

    Examples
    --------
    >>> spread_at([0.01, 1.0], [[0.0, 1.0], [0.2, 0.8]], 0.5, resamples=100, rng=1).value.__round__(6)
    0.1
    """
    where, table = np.log(np.asarray(spreads, dtype=np.float64)), np.asarray(rows, dtype=np.float64)
    found = crossing(where, table.mean(axis=0), level)
    if not math.isfinite(found):
        raise NoCrossing(f"the mean does not cross {level:.4g} within the spreads measured; take others")
    generator = rng if isinstance(rng, np.random.Generator) else np.random.default_rng(rng)
    drawn = np.array([crossing(where, means, level) for means in resampled(table, resamples, generator)])
    return Estimate(*(math.exp(x) for x in (found, *percentiles(drawn, 0.95))))


def min_entropy(counts: npt.ArrayLike) -> Estimate:
    """Estimate the min-entropy of a die: the bits that even the best guess leaves open.

    Parameters
    ----------
    counts : array_like of int (6,)
        How often each face came up.

    Returns
    -------
    Estimate
        -log2 of the largest share, which is a little low, since it is the largest of six; its interval is that of the
        largest probability, from simultaneous 95 % intervals of all six, none of which can be below 1/6 alone.

    Examples
    --------
    >>> print(min_entropy([1000, 1000, 1000, 1000, 1000, 1000]))
    2.58 [2.48, 2.58]
    """
    table = np.asarray(counts)
    low, high = proportion_intervals(table).max(axis=0)
    largest = float(table.max() / table.sum())
    return Estimate(-math.log2(largest), -math.log2(high), min(FAIR, -math.log2(low)))
