"""Tails of counts of equally likely cells: by hand, by enumeration, and against SciPy."""

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
import scipy.stats

from dicesim import multinomials
from dicesim.multinomials import Tails, tails
from dicesim.stats import chi_square


@pytest.fixture
def simulating(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multinomials, "MOST_STEPS", 0)


def tables(cells: int, n: int) -> Iterator[tuple[int, ...]]:
    """All counts of so many cells that add up to n."""
    if cells == 1:
        yield (n,)
        return
    for first in range(n + 1):
        yield from ((first, *rest) for rest in tables(cells - 1, n - first))


# Of the 216 sequences of three rolls 6 show one face thrice, 90 one face twice, and 120 three faces.
@pytest.mark.parametrize(
    ("counts", "upper", "lower"),
    [
        ([1, 0, 0, 0, 0, 0], 1, 1),
        ([0, 2, 0, 0, 0, 0], 6 / 36, 1),
        ([1, 1, 0, 0, 0, 0], 1, 30 / 36),
        ([0, 0, 3, 0, 0, 0], 6 / 216, 1),
        ([2, 0, 0, 0, 0, 1], 96 / 216, 210 / 216),
        ([1, 0, 1, 0, 1, 0], 1, 120 / 216),
    ],
)
def test_few_rolls_by_hand(counts: list[int], upper: float, lower: float) -> None:
    found = tails(counts)
    assert (found.upper, found.lower) == pytest.approx((upper, lower), rel=1e-12)
    assert (found.method, found.standard_error) == ("exact", None)


@pytest.mark.parametrize(("cells", "n"), [(2, 9), (3, 6), (4, 5), (6, 5)])
def test_every_sequence_is_enumerated(cells: int, n: int) -> None:
    rolled = np.array(list(product(range(cells), repeat=n)))
    squares = sum((rolled == face).sum(axis=1) ** 2 for face in range(cells))
    for counts in tables(cells, n):
        observed = sum(count * count for count in counts)
        expected = (squares >= observed).mean(), (squares <= observed).mean()
        found = tails(counts)
        assert (found.upper, found.lower) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("n", [1, 2, 10, 37])
def test_a_coin_agrees_with_scipy(n: int) -> None:
    ours = [tails([heads, n - heads]).upper for heads in range(n + 1)]
    theirs = [scipy.stats.binomtest(heads, n, 0.5).pvalue for heads in range(n + 1)]
    assert ours == pytest.approx(theirs, rel=1e-10)


def test_small_chances_are_precise() -> None:
    assert tails([60, 0, 0]).upper == pytest.approx(3.0**-59, rel=1e-10)
    assert tails([1] * 60).lower == pytest.approx(np.prod(np.arange(1, 61) / 60), rel=1e-10)


def test_a_fair_die_is_accused_no_more_often_than_said() -> None:
    """Exactly, over all counts of 12 rolls of a d3."""
    found = {
        counts: (tails(counts).upper, scipy.stats.multinomial.pmf(counts, 12, [1 / 3] * 3)) for counts in tables(3, 12)
    }
    for alpha in (0.01, 0.05, 0.2):
        assert sum(chance for p, chance in found.values() if p <= alpha) <= alpha * (1 + 1e-9)


def test_of_many_rolls_it_is_that_of_chi_square() -> None:
    counts = [3246, 3449, 2897, 2841, 3635, 3932]
    found = tails(counts)
    assert found.method == "asymptotic"
    assert found.upper == pytest.approx(scipy.stats.chisquare(counts).pvalue, rel=1e-9)
    assert found.upper == pytest.approx(scipy.stats.power_divergence(counts, lambda_="pearson").pvalue, rel=1e-9)
    assert tails([3333] * 6).lower == 0
    even = [3330, 3340, 3320, 3345, 3335, 3330]
    assert tails(even).upper + tails(even).lower == pytest.approx(1)


def test_exact_and_asymptotic_meet() -> None:
    for counts in ([20, 30, 25, 25, 27, 23], [33, 18, 20, 35, 19, 25], [40, 20, 20, 18, 30, 22]):
        assert tails(counts).method == "exact"
        assert tails(counts).upper == pytest.approx(chi_square(counts).p_value, rel=0.06)


@pytest.mark.usefixtures("simulating")
@pytest.mark.parametrize("counts", [[3, 1, 0, 2, 0, 4], [2, 0, 1] * 6, [5, 0, 0]])
def test_simulated_chances_are_the_exact_ones_within_their_error(
    counts: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each fails about once in ten thousand: further off than four standard errors."""
    found = tails(counts, rng=1)
    monkeypatch.undo()
    exact = tails(counts)
    assert (found.method, exact.method) == ("simulated", "exact")
    assert found.standard_error is not None
    assert 0 < abs(found.upper - exact.upper) < 4 * found.standard_error
    assert found.standard_error == pytest.approx((exact.upper * (1 - exact.upper) / 20_000) ** 0.5, rel=0.15)
    assert found.lower == pytest.approx(exact.lower, abs=0.015)


@pytest.mark.usefixtures("simulating")
def test_a_simulated_chance_has_a_seed_and_is_never_nothing() -> None:
    assert tails([2, 0, 1] * 6, rng=1) == tails([2, 0, 1] * 6, rng=1) != tails([2, 0, 1] * 6, rng=2)
    assert tails([14, 0, 0, 0, 0, 0], rng=1).upper == 1 / 20_001


FULL_D100 = [4] * 50 + [3] * 50


@pytest.mark.parametrize(
    ("counts", "method"),
    [
        ([25] * 6, "exact"),
        ([50] * 6, "asymptotic"),
        ([8] * 20, "exact"),
        (FULL_D100, "simulated"),
        ([10] * 100, "asymptotic"),
    ],
)
def test_it_says_which_was_used(counts: list[int], method: str) -> None:
    found = tails(counts, rng=1)
    assert found.method == method
    assert (found.standard_error is not None) == (method == "simulated")
    assert f"({method}" in str(found)


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (Tails(0.04567, 0.97, "exact"), "p = 0.0457 (exact)"),
        (Tails(0.0456, 0.97, "simulated", 0.00147), "p = 0.0456 (simulated, standard error 0.001)"),
        (Tails(0.0, 1.0, "asymptotic"), "p < 1e-300 (asymptotic)"),
    ],
)
def test_the_text(found: Tails, text: str) -> None:
    assert str(found) == text
