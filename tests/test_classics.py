"""Classical data: what was published of them, by SciPy."""

import numpy as np
import pytest
import scipy.stats

from dicesim import classics
from dicesim.classics import LABBY, LABBY_SHARES, WELDON, WOLF_RED, WOLF_WHITE, Classic
from experiments.classics import CLASSICS, Question, measure_classics

DATA = [thing for thing in vars(classics).values() if isinstance(thing, Classic)]


def test_totals_are_those_published() -> None:
    assert [data.n for data in (WOLF_WHITE, WOLF_RED, WELDON, LABBY)] == [20_000, 20_000, 26_306, 315_671]
    assert sum(LABBY_SHARES) == pytest.approx(1)
    rounded = np.round(np.array(LABBY_SHARES) * 315_672).astype(int)
    assert tuple(rounded.tolist()) == LABBY.counts
    assert np.round(np.array(LABBY.counts) / LABBY.n, 4).tolist() == list(LABBY_SHARES)


@pytest.mark.parametrize("data", DATA, ids=lambda data: data.name)
def test_each_says_where_it_is_from(data: Classic) -> None:
    assert any(year in data.citation for year in ("19th century", "1900", "2009"))
    assert data.note.endswith(".")


def test_scipy_finds_the_published_statistics() -> None:
    assert scipy.stats.chisquare(WOLF_WHITE.counts).statistic == pytest.approx(270.96, abs=0.005)
    assert scipy.stats.chisquare(WOLF_RED.counts).statistic == pytest.approx(94.19, abs=0.005)
    labby = 315_672 * np.array(LABBY_SHARES)
    assert scipy.stats.chisquare(labby, [315_672 / 6] * 6).statistic == pytest.approx(24.8, abs=0.05)
    twelve = scipy.stats.binom.pmf(range(13), 12, 1 / 3)
    expected = WELDON.n * np.array([*twelve[:10], twelve[10:].sum()])
    assert scipy.stats.chisquare(WELDON.counts, expected).statistic == pytest.approx(35.49, abs=0.005)


def test_the_experiment_finds_them_too() -> None:
    rows = measure_classics(Question(), np.random.default_rng(1))
    assert [claim.text for claim in CLASSICS.claims if not claim.holds(rows)] == []
    theirs = scipy.stats.power_divergence(WOLF_RED.counts, lambda_="pearson")
    assert rows["wolf_red"]["p_value"] == pytest.approx(theirs.pvalue)


@pytest.mark.parametrize("name", ["wolf_white", "wolf_red", "labby", "weldon"])
def test_other_counts_would_fail_its_claims(name: str) -> None:
    rows = measure_classics(Question(), np.random.default_rng(1))
    rows[name] |= {"statistic": 20.0, "p_value": 0.5}
    assert not all(claim.holds(rows) for claim in CLASSICS.claims)


def test_rounding_bounds_the_statistic() -> None:
    """Over all 64 ways of rounding every share the most, up or down."""
    row = measure_classics(Question(), np.random.default_rng(1))["labby_rounded"]
    signs = np.array(np.meshgrid(*[[-1, 1]] * 6)).reshape(6, -1).T
    statistics = 315_672 * 6 * ((np.array(LABBY_SHARES) + 5e-5 * signs - 1 / 6) ** 2).sum(axis=1)
    assert (row["low"], row["high"]) == pytest.approx((statistics.min(), statistics.max()))
