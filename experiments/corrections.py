"""The three sentences that the source corrects, what is true instead, and the experiments that show it."""

from dataclasses import dataclass
from typing import Final, Literal


@dataclass(frozen=True)
class Correction:
    """A sentence that was put to the test.

    Parameters
    ----------
    sentence : str
        What is said.
    said_by : str
        Who says it.
    verdict : {"falsified", "upheld, with a qualification", "imprecise"}
        What became of it.
    instead : str
        What is true.
    shown_by : tuple of str
        Experiments that show it.
    later : str
        What will show it, if no experiment does yet.
    """

    sentence: str
    said_by: str
    verdict: Literal["falsified", "upheld, with a qualification", "imprecise"]
    instead: str
    shown_by: tuple[str, ...] = ()
    later: str = ""

    def __post_init__(self) -> None:
        if bool(self.shown_by) == bool(self.later):
            raise ValueError(f"correction of {self.sentence!r}: name the experiments that show it, or say what will")


CORRECTIONS: Final = (
    Correction(
        "A symmetric die should land each face with probability 1/6 however it is thrown.",
        "the source, as its own starting hypothesis and a common assumption",
        "falsified",
        "The symmetry of a die says that a release turned onto itself gives the same throw with its faces renamed. It "
        "does not say that faces are equally likely. For that the orientation at release must be spread evenly over "
        "all 24 turns of the cube, as a shaken cup spreads it and a steady hand does not: thrown from one orientation "
        "the same perfect die stays biased, even if its velocity wobbles by as much as the whole throw.",
        shown_by=("wobble", "fairness", "relabelling"),
    ),
    Correction(
        "A bid of the expected quantity (or twice the expected value when playing with wilds), rounded down, has a "
        "greater than 50% chance of being correct and the highest chance of being exactly correct.",
        "Wikipedia, on Dudo",
        "upheld, with a qualification",
        "The source found it true in all of 120 cases, in 30 of which another bid is exactly as likely; and it owes "
        "its truth to 1/6 and 1/3 being reciprocals of whole numbers.",
        later="comes with the odds",
    ),
    Correction(
        "the symmetry of the die is broken when it is thrown, effectively yielding a random number",
        "Wikipedia, on dice",
        "imprecise",
        "A throw cannot touch the symmetry of the die: rename its sides, and every bit of every throw stays as it was "
        "but the name of the face. What a throw does is to spread releases that nobody can tell apart over regions of "
        "different faces.",
        shown_by=("relabelling", "decorrelation", "basins"),
    ),
)
