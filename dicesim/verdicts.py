"""What the counts of a real die say about its fairness, and what they cannot say.

No number of rolls shows that a die is fair: it can only come out that it is not, or that it is nearly so. What "nearly"
means is the margin, which the asker states. The verdict compares it with intervals of the shares that are exact and
hold together, so that whatever the die and however few its rolls, the verdict is wrong at most as often as the
confidence allows. That is also true of a margin chosen with the counts at hand, because the intervals do not depend
on it. The price is caution: a die whose worst face is off by just the margin is called equivalent far more rarely.

Rolls are taken to be independent and their number to be fixed beforehand. Who looks after every hundred rolls, and
stops when a sign of bias shows, will see one of a fair die sooner or later.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from html import escape
from typing import Any, Literal, TypeAlias

from dicesim.multinomials import Tails, tails
from dicesim.powers import detectable_bias, rolls_needed
from dicesim.rolls import named_counts
from dicesim.stats import ChiSquare, chi_square, proportion_intervals

__all__ = ["FairnessTest", "Verdict", "fairness_test"]

Verdict: TypeAlias = Literal["equivalent within the margin", "biased by more than the margin", "cannot tell"]

MARGIN = 0.1  # of the share of a fair die, if the asker states none
TOO_EVEN = 1e-3  # chance below which a fair die would not give counts so even
MOST_ROLLS = 10**15  # floats count as far as that without a gap


@dataclass(frozen=True)
class FairnessTest:
    """What counts of a die say about its fairness.

    Parameters
    ----------
    faces : tuple of str
        Names of the faces.
    counts : tuple of int
        How often each came up.
    chi_square : ChiSquare
        Statistic, degrees of freedom and effect size against equal shares. Its p-value is always the asymptotic one.
    tails : Tails
        How likely counts as uneven, and as even, are from a fair die, and how that was found.
    intervals : tuple of (float, float)
        Lower and upper end for the share of each face: Clopper and Pearson's with Bonferroni's correction.
    margin : float
        Deviation of a share that does not matter, as a probability.
    confidence : float
        Chance, at least, that all the intervals cover their shares.
    power : float
        Chance with which a bias is said to be seen.
    detectable_bias : float or None
        The smallest deviation of one face that so many rolls would have shown; None if they are too few to show any.
    rolls_needed : int
        Number of rolls that would show one face off by the margin.

    Examples
    --------
    >>> fairness_test([17, 21, 18, 15, 24, 25]).verdict
    'cannot tell'
    """

    faces: tuple[str, ...]
    counts: tuple[int, ...]
    chi_square: ChiSquare
    tails: Tails
    intervals: tuple[tuple[float, float], ...]
    margin: float
    confidence: float
    power: float
    detectable_bias: float | None
    rolls_needed: int

    @property
    def n(self) -> int:
        """Number of rolls.

        Examples
        --------
        >>> fairness_test([72, 61, 70, 59, 68, 70]).n
        400
        """
        return sum(self.counts)

    @property
    def shares(self) -> tuple[float, ...]:
        """Share of each face.

        Examples
        --------
        >>> fairness_test([3, 1]).shares
        (0.75, 0.25)
        """
        return tuple(count / self.n for count in self.counts)

    @property
    def p_value(self) -> float:
        """Chance that a fair die gives counts at least as uneven.

        Examples
        --------
        >>> round(fairness_test([4, 0]).p_value, 6)
        0.125
        """
        return self.tails.upper

    @property
    def too_even(self) -> bool:
        """Whether the counts are more even than a fair die gives one time in a thousand.

        Examples
        --------
        >>> fairness_test([200] * 6).too_even
        True
        """
        return self.tails.lower < TOO_EVEN

    @property
    def reach(self) -> float:
        """The largest deviation of a share that the intervals leave open: the least margin to be equivalent within.

        Examples
        --------
        >>> round(fairness_test([498_000, 502_000]).reach, 4)
        0.0031
        """
        fair = 1 / len(self.counts)
        return max(max(fair - low, high - fair) for low, high in self.intervals)

    @property
    def beyond(self) -> tuple[str, ...]:
        """The faces that are off by more than the margin: their whole intervals are.

        Examples
        --------
        >>> fairness_test([3246, 3449, 2897, 2841, 3635, 3932]).beyond
        ('4', '6')
        """
        low, high = 1 / len(self.counts) - self.margin, 1 / len(self.counts) + self.margin
        off = (interval[0] > high or interval[1] < low for interval in self.intervals)
        return tuple(face for face, is_off in zip(self.faces, off, strict=True) if is_off)

    @property
    def verdict(self) -> Verdict:
        """Whether every share is within the margin of a fair one, or some share is not, or neither is sure.

        Examples
        --------
        >>> fairness_test([72, 61, 70, 59, 68, 70], margin=0.08).verdict
        'equivalent within the margin'
        """
        if self.reach <= self.margin:
            return "equivalent within the margin"
        return "biased by more than the margin" if self.beyond else "cannot tell"

    def __str__(self) -> str:
        return " ".join(filter(None, (_evidence(self), _evenness(self), _sight(self), _closeness(self))))

    def _repr_html_(self) -> str:
        rows = zip(self.faces, self.counts, self.shares, self.intervals, strict=True)
        cells = "".join(
            f"<tr><th>{escape(face)}</th><td>{count:,}</td><td>{share:.2%}</td><td>{low:.2%} to {high:.2%}</td></tr>"
            for face, count, share, (low, high) in rows
        )
        heads = "".join(f"<th>{head}</th>" for head in ("face", "count", "share", interval_heading(self)))
        return f"<p>{escape(str(self))}</p><table><thead><tr>{heads}</tr></thead><tbody>{cells}</tbody></table>"


def fairness_test(
    counts: Any,
    *,
    margin: float | None = None,
    confidence: float = 0.95,
    power: float = 0.9,
    sides: int | None = None,
    rng: Any = None,
) -> FairnessTest:
    """Say what the counts of a die's faces tell about its fairness.

    Parameters
    ----------
    counts : array_like, mapping or Series
        How often each face came up: in the order 1, 2, …, or by face, such as a Counter of rolls.
    margin : float, optional
        Deviation of a share that does not matter, as a probability: 0.02 is two percentage points. A tenth of a
        fair share if not given.
    confidence : float
        Chance, at least, that all that is said of shares is right; 1 - confidence is the chance of a false alarm.
    power : float
        Chance with which a bias is said to be seen, above that of a false alarm.
    sides : int, optional
        Number of faces; with it, numbered faces without a count have a count of 0.
    rng : Generator, SeedSequence, int or None
        Where the draws are from, if the p-value is simulated, as for fewer than five rolls a face of a d100.

    Returns
    -------
    FairnessTest
        Chi-square, p-value, intervals, verdict and what the rolls could have seen; printed, a few plain sentences.

    Raises
    ------
    ValueError
        If the counts are not whole numbers from 0 up, one for each face, or another argument is out of range.

    Examples
    --------
    >>> print(fairness_test([72, 61, 70, 59, 68, 70]))
    400 rolls of a d6 show no sign of bias: chi-square 2.15 on 5 degrees of freedom, p = 0.828 (asymptotic), effect
    size w = 0.0733. They would have shown a face off by about 7.6 percentage points with a chance of 90 %. Whether
    every face is within 1.67 points of 1/6 cannot be told: the intervals, which all hold at 95 % confidence, reach up
    to 6.92 points from it. To see one face off by 1.67 points takes about 8,235 rolls.
    >>> fairness_test({"heads": 498_000, "tails": 502_000}, margin=0.01).verdict
    'equivalent within the margin'
    """
    named = named_counts(counts, sides)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that counts are few is taken care of here: the p-value is another
        test = chi_square(list(named.values()))
    numbers, alpha = tuple(map(int, named.values())), 1 - confidence
    margin = _margin(margin, len(numbers))
    if test.n > MOST_ROLLS:
        raise ValueError(f"counts add up to {MOST_ROLLS:.0e} at most, not {test.n:.3g}")
    return FairnessTest(
        faces=tuple(named),
        counts=numbers,
        chi_square=test,
        tails=tails(numbers, rng=rng),
        intervals=tuple((float(low), float(high)) for low, high in proportion_intervals(numbers, confidence, "exact")),
        margin=margin,
        confidence=confidence,
        power=power,
        detectable_bias=_seen(test.n, power, alpha, len(numbers)),
        rolls_needed=rolls_needed(margin, power, alpha, len(numbers)),
    )


def interval_heading(test: FairnessTest) -> str:
    """Head a column of intervals.

    Parameters
    ----------
    test : FairnessTest
        Whose intervals.

    Returns
    -------
    str
        What they are.

    Examples
    --------
    >>> interval_heading(fairness_test([30, 31, 39]))
    '95 % intervals of all 3 together'
    """
    return f"{_percent(test.confidence)} intervals of all {len(test.faces)} together"


def _margin(margin: float | None, sides: int) -> float:
    if margin is None:
        return MARGIN / sides
    if not 0 < margin < 1 - 1 / sides:
        most = f"0 and {1 - 1 / sides:.3g} for {sides} faces"
        raise ValueError(f"a margin is a probability between {most}, such as 0.02, not {margin:g}")
    return margin


def _seen(n: int, power: float, alpha: float, sides: int) -> float | None:
    detectable_bias(10**12, power, alpha, sides)  # refuses what is out of range, so that only the number can fail
    try:
        return detectable_bias(n, power, alpha, sides)
    except ValueError:
        return None


# The sentences


def _evidence(test: FairnessTest) -> str:
    sign = "a sign" if test.p_value < 1 - test.confidence else "no sign"
    chi, plural = test.chi_square, "" if test.chi_square.degrees_of_freedom == 1 else "s"
    return (
        f"{_rolls(test.n)} of a d{len(test.counts)} show{'s' * (test.n == 1)} {sign} of bias: chi-square "
        f"{chi.statistic:.2f} on {chi.degrees_of_freedom} degree{plural} of freedom, {test.tails}, "
        f"effect size w = {chi.effect_size:.3g}."
    )


def _evenness(test: FairnessTest) -> str:
    if not test.too_even:
        return ""
    chance = f"a chance of {test.tails.lower:.1g}" if test.tails.lower > 0 else "hardly any chance"
    return f"They are suspiciously even, which has {chance} with a fair die: are these really its rolls, one by one?"


def _sight(test: FairnessTest) -> str:
    if test.detectable_bias is None:
        return "They are too few to say which bias they would have shown."
    bias = f"a face off by about {_points(test.detectable_bias, 2)} percentage points"
    return f"They would have shown {bias} with a chance of {_percent(test.power)}."


def _closeness(test: FairnessTest) -> str:
    margin, fair = _points(test.margin), f"1/{len(test.counts)}"
    surely = f"at {_percent(test.confidence)} confidence"
    if test.verdict == "equivalent within the margin":
        return f"Every face is within {margin} points of {fair}, {surely} for all together."
    if test.beyond:
        faces = f"Face{'s' * (len(test.beyond) > 1)} {', '.join(test.beyond)}"
        return f"{faces} {'are' if len(test.beyond) > 1 else 'is'} off by more than {margin} points, {surely}."
    doubt = (
        f"Whether every face is within {margin} points of {fair} cannot be told: the intervals, which all hold "
        f"{surely}, reach up to {_points(test.reach)} points from it."
    )
    more = f" To see one face off by {margin} points takes about {test.rolls_needed:,} rolls."
    return doubt + more * (test.rolls_needed > test.n)


def _rolls(n: int) -> str:
    return f"{n:,} roll{'' if n == 1 else 's'}"


def _points(share: float, digits: int = 3) -> str:
    return f"{100 * share:.{digits}g}"


def _percent(share: float) -> str:
    return f"{100 * share:g} %"
