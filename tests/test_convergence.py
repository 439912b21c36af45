"""Refinement, the observed order and the test of pairs, on numbers counted by hand; what experiments make of them."""

import numpy as np
import pytest

from dicesim import Setup, plots
from dicesim.convergence import PARTS, Order, observed_order, paired_shares, refined
from dicesim.parameters import landing_error
from experiments.convergence import by_contacts, falling, share, shares


@pytest.mark.parametrize("halvings", range(8))
def test_refinement_halves_and_stays_possible(halvings) -> None:
    both, step, band = (refined(Setup(), halvings, parts).solver for parts in (PARTS, PARTS[:1], PARTS[1:]))
    shipped = Setup().solver
    assert (both.time_step, both.contact_band) == (step.time_step, band.contact_band)
    assert step.time_step * 2**halvings == shipped.time_step
    assert band.contact_band * 2**halvings == shipped.contact_band
    assert (step.contact_band, step.turn, band.time_step) == (shipped.contact_band, shipped.turn, shipped.time_step)
    assert landing_error(band.turn) < band.contact_band
    assert band.turn**3 == pytest.approx(shipped.turn**3 / 2**halvings, rel=2e-3)


@pytest.mark.parametrize(("halvings", "parts"), [(-1, PARTS), (1, ("turn",))])
def test_what_cannot_be_refined_is_refused(halvings, parts) -> None:
    with pytest.raises(ValueError, match="refine time_step or contact_band"):
        refined(Setup(), halvings, parts)


def changed_by(shares_of: list[float], n: int) -> np.ndarray:
    rng = np.random.default_rng(7)
    return np.stack([rng.permutation(n) < round(rate * n) for rate in shares_of], axis=1)


@pytest.mark.parametrize("order", [0.5, 1.0, 2.0])
def test_the_order_of_shares_that_fall_by_it_is_found(order) -> None:
    found = observed_order(changed_by([0.1 * 2 ** (-order * k) for k in range(4)], 40_000), rng=1, resamples=200)
    assert found.order == pytest.approx(order, abs=0.01)
    assert found.low < order < found.high
    assert found.high - found.low < 0.3
    assert str(Order(1.0, 0.9, 1.1)) == "1.00 [0.90, 1.10]"


def test_an_orders_interval_covers_as_often_as_it_says() -> None:
    """Draws of 2,000 throws at order 1: of 60 intervals at 90 %, 46 or more hold it but for 1 case in 500."""
    rng, covered = np.random.default_rng(8), 0
    for seed in range(60):
        found = observed_order(rng.random((2_000, 3)) < [0.2, 0.1, 0.05], confidence=0.9, resamples=100, rng=seed)
        covered += found.low <= 1.0 <= found.high
    assert covered >= 46


@pytest.mark.parametrize("changed", [[[True], [False]], [[True, False], [True, False]], [True, False]])
def test_an_order_needs_changes_at_two_halvings(changed) -> None:
    with pytest.raises(ValueError, match="two or more halvings"):
        observed_order(changed)


def test_pairs_are_tested_as_stuart_and_maxwell_do() -> None:
    """Three cells by hand: n01 = 6, n10 = 2, n02 = 3, n20 = 1, n12 = 4, n21 = 4.

    Differences d = (6, -4, -2); covariance of the first two ((12, -8), (-8, 16)); its inverse ((16, 8), (8, 12)) / 128;
    so the statistic is (16 36 - 2 8 24 + 12 16) / 128 = 3.
    """
    cells = {(0, 1): 6, (1, 0): 2, (0, 2): 3, (2, 0): 1, (1, 2): 4, (2, 1): 4, (0, 0): 50}
    pairs = np.array([pair for pair, n in cells.items() for _ in range(n)])
    test = paired_shares(pairs[:, 0], pairs[:, 1], 3)
    assert (test.degrees_of_freedom, test.n) == (2, 70)
    assert test.statistic == pytest.approx(3.0)
    assert test.p_value == pytest.approx(np.exp(-1.5))


def test_pairs_that_all_agree_show_nothing() -> None:
    test = paired_shares([0, 1, 2], [0, 1, 2])
    assert (test.statistic, test.p_value) == (0.0, 1.0)
    with pytest.raises(ValueError, match="two rows of one length"):
        paired_shares([0, 1], [0])


def test_the_pairs_see_what_a_comparison_of_counts_would_not() -> None:
    """60 of 10,000 throws go one way only: beyond any chance, though no count moves by a standard deviation."""
    first = np.arange(10_000) % 6
    second = np.where((first == 2) & (np.arange(10_000) < 362), 3, first)
    assert paired_shares(first, second).p_value < 1e-12


def test_shares_that_fall_are_told_from_those_that_do_not() -> None:
    steps = [share(np.arange(1_000) < hits) for hits in (100, 50, 20)]
    assert falling(steps)
    assert not falling(steps[::-1])
    assert not falling([share(np.arange(100) < hits) for hits in (6, 5, 4)])  # they fall within their intervals
    assert [row["halvings"] for row in shares([[True], [False]])] == [0, 1]


def test_quarters_are_those_of_the_contacts() -> None:
    rows = by_contacts(np.array([4.0, 3, 2, 1, 8, 7, 6, 5]), np.array([0, 0, 1, 1, 0, 0, 0, 1], bool))
    assert [row["contacts"] for row in rows] == [1.5, 3.5, 5.5, 7.5]
    assert [row["differ"] for row in rows] == [2, 0, 1, 0]


def test_the_figure_shows_what_was_measured() -> None:
    points = [{"halvings": k, "share": s, "low": s / 2, "high": 2 * s + 1e-4} for k, s in enumerate((0.02, 0.01, 0.0))]
    ax = plots.step_convergence({"one": points}, "title", "below")
    (line,) = ax.lines
    assert line.get_ydata().tolist() == [0.02, 0.01]
    assert line.get_xdata().tolist() == [1.0, 0.5]
    arrow = ax.collections[1]
    assert arrow.get_offsets().tolist() == [[0.25, 1e-4]]
