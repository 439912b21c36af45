"""What is kept of a sample that is too long to keep."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Sums:
    """What is kept of a sample too long to keep: enough for its mean and the mean's interval.

    Sums of parts of a sample add up; exactly, and so in any order, if they are whole numbers or fractions.

    Parameters
    ----------
    n : int
        Number of values.
    total : float or Fraction
        Sum of the values.
    squares : float or Fraction
        Sum of their squares.

    Examples
    --------
    >>> Sums(2, total=19, squares=181) + Sums(1, total=11, squares=121)
    Sums(n=3, total=30, squares=302)
    """

    n: int
    total: float | Fraction
    squares: float | Fraction

    def __add__(self, other: Sums) -> Sums:
        """Add the sums of another part of the sample."""
        return Sums(self.n + other.n, self.total + other.total, self.squares + other.squares)

    @property
    def mean(self) -> float:
        """Mean of the values.

        Returns
        -------
        float
            The mean; there is none of no values.

        Examples
        --------
        >>> Sums(3, total=30, squares=302).mean
        10.0
        """
        return float(self.total / self.n)
