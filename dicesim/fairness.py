"""What the faces of many throws say about fairness."""

import numpy as np
import numpy.typing as npt

from dicesim.ensembles import generator
from dicesim.releases import Seed
from dicesim.solids import labellings, pips

ACE = 1  # the rank that is wild


def wild_counts(faces: npt.ArrayLike, rank: int, *, size: int = 5) -> npt.NDArray[np.int64]:
    """How many hands hold 0, 1, ... dice that count towards a rank, aces being wild.

    Successive throws are dealt into hands; the standard labelling turns faces into pip values.

    Parameters
    ----------
    faces : array_like of int (n,)
        Faces 0 to 5 of settled throws; n is a multiple of the size of a hand.
    rank : int
        The rank, 2 to 6.
    size : int
        Dice in a hand.

    Returns
    -------
    array of int64 (size + 1,)
        Number of hands by dice that show the rank or an ace.

    Raises
    ------
    ValueError
        If the rank is not boosted by aces, or the throws do not fill the last hand.

    Examples
    --------
    >>> wild_counts([0, 1, 2, 3, 4, 5], 6, size=3).tolist()
    [1, 0, 1, 0]
    """
    if size < 1:
        raise ValueError(f"a hand must hold 1 die or more, not {size!r}")
    values = pips(np.asarray(faces))
    if rank not in range(2, 7):
        raise ValueError(f"rank must be from 2 to 6, the ranks that aces boost, not {rank!r}")
    if len(values) % size:
        raise ValueError(f"{len(values)} throws do not fill hands of {size}; throw a multiple of {size}")
    hands = ((values == rank) | (values == ACE)).reshape(-1, size).sum(axis=1)
    counts: npt.NDArray[np.int64] = np.bincount(hands, minlength=size + 1)
    return counts


def labelled(n: int, rotations: npt.ArrayLike = range(24), *, rng: Seed = None) -> npt.NDArray[np.int8]:
    """Draw a labelling for each of n throws, evenly from those that some rotations of the cube give.

    All 24 rotations carry each face to each place 4 times, so pips read under a labelling drawn from all of them are
    uniform whatever the throw, by counting alone.

    Parameters
    ----------
    n : int
        How many throws.
    rotations : array_like of int (k,)
        Which rotations, 0 to 23; all if not given.
    rng : Generator, SeedSequence, int or None
        Where randomness comes from.

    Returns
    -------
    array of int8 (n, 6)
        Pip value of each face in each throw, for `dicesim.solids.pips`.

    Raises
    ------
    ValueError
        If there is no rotation, or one is not 0 to 23.

    Examples
    --------
    >>> labelled(2, [0], rng=1).tolist()
    [[1, 6, 2, 5, 3, 4], [1, 6, 2, 5, 3, 4]]
    """
    chosen = np.asarray(rotations)
    if chosen.ndim != 1 or not chosen.size or not np.isin(chosen, range(24)).all():
        raise ValueError("rotations are one row of whole numbers from 0 to 23, at least one")
    drawn = generator(rng).integers(chosen.size, size=n)
    drawn_labellings: npt.NDArray[np.int8] = labellings()[chosen[drawn]]
    return drawn_labellings
