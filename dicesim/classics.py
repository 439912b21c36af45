"""Classical dice data, with where they are from: to try the statistics on, and to test them with.

Wolf's and Weldon's are counts as their authors, or those who kept the data, give them. Of Labby's only shares rounded
to four places were found; whole counts made of them are off by 16 at most.
"""

from dataclasses import dataclass
from typing import Final

__all__ = ["LABBY", "LABBY_SHARES", "WELDON", "WOLF_RED", "WOLF_WHITE", "Classic"]


@dataclass(frozen=True)
class Classic:
    """Counts that somebody once made.

    Parameters
    ----------
    name : str
        What they are called.
    counts : tuple of int
        The counts; what of is said in the note.
    citation : str
        Where they are from.
    note : str
        What is counted, and what to know of it.

    Examples
    --------
    >>> WOLF_WHITE.n, WOLF_WHITE.counts[5]
    (20000, 3932)
    """

    name: str
    counts: tuple[int, ...]
    citation: str
    note: str

    @property
    def n(self) -> int:
        """Total of the counts.

        Examples
        --------
        >>> WELDON.n
        26306
        """
        return sum(self.counts)


_WOLF = "R. Wolf, 19th century, as kept by E. T. Jaynes in his papers on maximum entropy"
_LABBY = "Z. Labby, Weldon's Dice, Automated, Chance 22 (4), 2009, doi 10.1080/09332480.2009.10722977"

WOLF_WHITE: Final = Classic(
    "Wolf's white die", (3246, 3449, 2897, 2841, 3635, 3932), _WOLF, "Faces 1 to 6 of one die thrown by hand."
)
WOLF_RED: Final = Classic(
    "Wolf's red die", (3407, 3631, 3176, 2916, 3448, 3422), _WOLF, "Faces 1 to 6 of the die thrown with the white one."
)
#: Of 315,672 rolls, faces 1 to 6, as published.
LABBY_SHARES: Final = (0.1686, 0.1651, 0.1662, 0.1658, 0.1655, 0.1688)
LABBY: Final = Classic(
    "Labby's dice",
    (53222, 52117, 52465, 52338, 52244, 53285),
    _LABBY,
    "Faces 1 to 6 of twelve dice thrown 26,306 times by a machine; 315,672 times the published shares, rounded, "
    "which leaves one roll out.",
)
WELDON: Final = Classic(
    "Weldon's dice",
    (185, 1149, 3265, 5475, 6114, 5194, 3067, 1331, 403, 105, 18),
    "W. F. R. Weldon to F. Galton, 1894; K. Pearson, Phil. Mag. 50 (1900) 157; as the data set WeldonDice of the "
    "R package vcd",
    "Throws of twelve dice by how many showed a five or a six: 0, 1, … 9, and in the last cell 10 or more.",
)
