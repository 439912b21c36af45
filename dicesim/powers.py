"""How many rolls it takes to see a bias, and how likely some are to see it."""

import math

import numpy as np
from numpy.typing import ArrayLike

from dicesim.stats import fraction

__all__ = ["detectable_bias", "detection_power", "rolls_needed"]

MANY = 10**12


def detectable_bias(n: int, power: float = 0.9, alpha: float = 0.05, cells: int = 6) -> float:
    """Give the smallest deviation of one cell that a chi-square test of n counts would see.

    One cell is off by d and the others share the difference; the test against equal probabilities at
    level alpha then rejects with the power asked.

    Parameters
    ----------
    n : int
        Total of the counts, at least 1.
    power : float
        Chance of seeing the deviation, between alpha and 1.
    alpha : float
        Chance of a false alarm, between 0 and 1.
    cells : int
        Number of cells, at least 2.

    Returns
    -------
    float
        The deviation d, as a probability.

    Raises
    ------
    ValueError
        If an argument is out of range, or n is so small that no deviation would be seen.

    Examples
    --------
    >>> f"{detectable_bias(2_000_000):.2e}"
    '1.07e-03'
    """
    from scipy.special import chdtri, chndtrinc

    if n < 1 or cells < 2:
        raise ValueError(f"a detectable bias needs n >= 1 and cells >= 2, not n = {n} and cells = {cells}")
    if not fraction("alpha", alpha) < fraction("power", power):
        raise ValueError(f"power lies between alpha and 1, but {power} is not above alpha = {alpha}")
    noncentrality = float(chndtrinc(chdtri(cells - 1, alpha), cells - 1, 1 - power))
    # It is n · w²; and one cell of k off by d, the others sharing it, gives w² = d² · k² / (k - 1).
    deviation = math.sqrt(noncentrality / n * (cells - 1)) / cells
    if deviation > 1 - 1 / cells:
        raise ValueError(f"n = {n} is too few to see any deviation of one of {cells} cells; take more")
    return deviation


def rolls_needed(bias: float, power: float = 0.9, alpha: float = 0.05, cells: int = 6) -> int:
    """Give the number of rolls in which a chi-square test would see one face off by so much.

    One face is off by the bias and the others share the difference, as in `detectable_bias`, whose
    inverse this is.

    Parameters
    ----------
    bias : float
        How far the face is off, as a probability: 0.01 is one percentage point.
    power : float
        Chance of seeing it, between alpha and 1.
    alpha : float
        Chance of a false alarm, between 0 and 1.
    cells : int
        Number of faces, at least 2.

    Returns
    -------
    int
        The number of rolls.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> rolls_needed(0.01)
    22875
    """
    seen = detectable_bias(MANY, power, alpha, cells)
    if not 0 < bias <= 1 - 1 / cells:
        raise ValueError(f"the bias of one of {cells} faces lies between 0 and {1 - 1 / cells:.3g}, not {bias}")
    return max(1, math.ceil(MANY * (seen / bias) ** 2))  # what n rolls can see falls as one over the root of n


def detection_power(shares: ArrayLike, n: int, alpha: float = 0.05) -> float:
    """Give the chance that a chi-square test against equal shares sees that they are not.

    Parameters
    ----------
    shares : array_like of float, shape (k,)
        True probability of each face, summing to 1.
    n : int
        Number of rolls, at least 1.
    alpha : float
        Chance of a false alarm, between 0 and 1.

    Returns
    -------
    float
        The chance, by the noncentral chi-square distribution: rough if a face expects fewer than five.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    Half the faces of a d20 come up a tenth more often than they should, half a tenth less:

    >>> biased = [0.055] * 10 + [0.045] * 10
    >>> [round(detection_power(biased, n), 2) for n in (200, 1000, 5000)]
    [0.1, 0.41, 1.0]
    """
    from scipy.special import chdtri, chndtr

    true = np.asarray(shares, dtype=float)
    if true.ndim != 1 or true.size < 2 or not (true >= 0).all() or abs(true.sum() - 1) > 1e-6:
        raise ValueError("shares are probabilities of two or more faces that sum to 1, such as [0.5, 0.3, 0.2]")
    if n < 1 or not 0 < alpha < 1:
        raise ValueError(f"a power needs n >= 1 and alpha between 0 and 1, not n = {n} and alpha = {alpha}")
    noncentrality = n * true.size * float(((true - 1 / true.size) ** 2).sum())
    return 1 - float(chndtr(chdtri(true.size - 1, alpha), true.size - 1, noncentrality))
