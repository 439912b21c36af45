"""What the faces of many throws say about fairness."""

import numpy as np
import numpy.typing as npt

from dicesim.solids import pips

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
