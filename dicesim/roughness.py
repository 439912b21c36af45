"""How rough the boundaries in a plane are, told in two ways that share nothing but the plane.

A plane is anything that gives a number, here called a face, for each of some places; the window is the square from -1
to 1. How much of it lies near a boundary between faces is seen in boxes and in pairs.

*Boxes.* Cut a window into boxes of side s and count those that hold more than one face, N(s). A smooth boundary passes
through N ~ 1/s boxes, a boundary that fills the plane through N ~ 1/s^2, so that the dimension at a scale is

    D = log2(N(s) / N(2s)).

The share of the window that these boxes take, N(s) s^2, grows as s^(2 - D).

*Pairs.* Take pairs of places a distance s apart and the share f(s) of them whose faces differ. A pair differs if a
boundary passes between the two, that is if they lie within about s of it; the share of the window where that is so is
that of the boxes. So f(s) ~ s^a, with the uncertainty exponent a = 2 - D, and D = 2 - log2(f(2s) / f(s)) for both.

Both are laws of one scale at a time: what fills the plane at one scale can be a smooth line at the next. D and a are
therefore given scale by scale.
"""

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from dicesim.curves import Estimate
from dicesim.ensembles import generator
from dicesim.parameters import require_positive
from dicesim.releases import Seed, standard_normals
from dicesim.states import Floats, row_lengths
from dicesim.stats import mean_interval

Faces: TypeAlias = npt.NDArray[np.int8]
#: What gives the faces of places (n, 2); the window is the square from -1 to 1.
Plane: TypeAlias = Callable[[Floats], Faces]


def box_counts(faces: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Count the boxes of each size that a boundary passes through.

    The places of the map are corners of boxes. Boxes share the places on their common edge, so that no boundary slips
    between two of them.

    Parameters
    ----------
    faces : array_like of int (n + 1, n + 1)
        A map, n a power of two.

    Returns
    -------
    array of int64
        Boxes that hold more than one face, of side 1, 2, 4 … n steps of the map.

    Raises
    ------
    ValueError
        If the map is not a square of such a size.

    Examples
    --------
    >>> box_counts([[0, 0, 1], [0, 0, 1], [0, 0, 1]]).tolist()
    [2, 1]
    """
    grid = np.asarray(faces)
    n = len(grid) - 1 if grid.ndim == 2 else 0
    if n < 1 or grid.shape != (n + 1, n + 1) or n & (n - 1):
        raise ValueError(f"a map for boxes is a square of 2, 3, 5, 9, … 2^k + 1 places a side, not {grid.shape}")
    corners = np.stack([grid[:-1, :-1], grid[:-1, 1:], grid[1:, :-1], grid[1:, 1:]])
    least, most = corners.min(axis=0), corners.max(axis=0)
    counts = [np.count_nonzero(least != most)]
    while len(least) > 1:
        least, most = _quartered(least).min(axis=(1, 3)), _quartered(most).max(axis=(1, 3))
        counts.append(np.count_nonzero(least != most))
    return np.array(counts, dtype=np.int64)


def _quartered(boxes: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Boxes (2n, 2n) as n by n groups of four."""
    half = len(boxes) // 2
    return boxes.reshape(half, 2, half, 2)


def uncertainty(plane: Plane, distance: float, pairs: int, *, rng: Seed = None) -> float:
    """Give the share of pairs of places, a distance apart in any direction, whose faces differ.

    Parameters
    ----------
    plane : Plane
        A slice, or anything that gives the faces of places.
    distance : float
        How far the two of a pair are apart, in half widths.
    pairs : int
        How many pairs, at least 1; the first of each is anywhere in the window.
    rng : Generator, SeedSequence, int or None
        Where they are drawn from.

    Returns
    -------
    float
        The share.

    Raises
    ------
    ValueError
        If the distance or the number of pairs is not positive.

    Examples
    --------
    >>> left_or_right = lambda places: (places[:, 0] > 0).astype(np.int8)
    >>> abs(uncertainty(left_or_right, 0.1, 20_000, rng=1) - 0.1 / np.pi) < 0.004
    True
    """
    require_positive("distance", distance, "half widths")
    if pairs < 1:
        raise ValueError(f"a share needs at least 1 pair, not {pairs}")
    draws = generator(rng)
    first = 2 * draws.random((pairs, 2)) - 1
    normals = standard_normals(pairs, 2, draws)  # a direction whose bits are the same on every machine
    second = first + distance * normals / row_lengths(normals)[:, None]
    return float(np.mean(plane(first) != plane(second)))


def jackknife(statistic: Callable[[npt.NDArray[Any]], float], samples: npt.ArrayLike) -> Estimate:
    """Estimate a number from samples taken together, with the interval of leaving out each in turn.

    What a sample adds to the estimate is n times the estimate less (n - 1) times the one without it; of these
    Student's interval is taken.

    Parameters
    ----------
    statistic : callable
        Gives the number from samples, an array with a sample in each row.
    samples : array_like (n, …)
        At least two.

    Returns
    -------
    Estimate
        The estimate from all, and its 95 % interval.

    Raises
    ------
    ValueError
        If there are fewer than two samples, or a statistic is not finite.

    Examples
    --------
    >>> print(jackknife(lambda rows: float(rows.mean()), [9.0, 10.0, 11.0]))
    10 [7.52, 12.5]
    """
    rows = np.asarray(samples)
    n, value = len(rows), statistic(rows)
    left_out = np.array([statistic(np.delete(rows, i, axis=0)) for i in range(n)])
    if not (math.isfinite(value) and np.isfinite(left_out).all()):
        raise ValueError("the statistic is not finite for all samples together, or for all but one; take more samples")
    return Estimate(value, *mean_interval(n * value - (n - 1) * left_out))


def box_shares(counts: npt.ArrayLike) -> Floats:
    """Turn counts of boxes into the share of the window that they take.

    Parameters
    ----------
    counts : array_like of int (k + 1,)
        As `box_counts` gives them, all sizes up to the whole window.

    Returns
    -------
    array (k + 1,)
        Shares, 1 where every box has a boundary.

    Examples
    --------
    >>> box_shares([2, 1]).tolist()
    [0.5, 1.0]
    """
    boxes = np.asarray(counts)
    shares: Floats = boxes / 4.0 ** np.arange(len(boxes))[::-1]
    return shares


def dimension(shares: npt.ArrayLike, octaves: int = 1) -> Estimate:
    """Give the dimension of a boundary between two scales, from boxes or pairs in several windows.

    Parameters
    ----------
    shares : array_like of float (windows, 2)
        Shares of boxes with a boundary, or of pairs with two faces, at one scale and at one 2^octaves times as large.
    octaves : int
        How many doublings lie between the two.

    Returns
    -------
    Estimate
        The dimension, from all windows together, and its 95 % interval.

    Raises
    ------
    ValueError
        If no boundary was met at one of the scales in all windows but one.

    Examples
    --------
    >>> line = box_shares(box_counts(np.repeat([[0, 0, 0, 0, 0, 0, 0, 0, 1]], 9, axis=0)))
    >>> dimension([line[:2], line[:2]]).value
    1.0
    """
    return jackknife(lambda rows: roughness(rows[:, 0].sum(), rows[:, 1].sum(), octaves), shares)


def roughness(near: float, far: float, octaves: int = 1) -> float:
    """Give the dimension that two shares say, without an interval.

    Parameters
    ----------
    near, far : float
        Shares, or sums of shares, at one scale and at one 2^octaves times as large.
    octaves : int
        How many doublings lie between the two.

    Returns
    -------
    float
        2 less the exponent with which the share grows.

    Raises
    ------
    ValueError
        If a share is 0.

    Examples
    --------
    >>> roughness(0.1, 0.2), roughness(0.8, 0.8)
    (1.0, 2.0)
    """
    if not (near > 0 and far > 0):
        raise ValueError("no boundary was met at one of the scales; count more boxes or throw more pairs")
    return 2 - math.log2(far / near) / octaves
