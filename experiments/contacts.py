"""What contacts have to do with it: the scale of the vertical velocity over restitution, and over the contacts made."""

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from dicesim.crossings import crossing, half_rate_crossing, percentiles, resampled
from dicesim.curves import Estimate
from dicesim.decorrelation import HALF, around, flips
from dicesim.parameters import Setup
from dicesim.releases import Shaken
from dicesim.simulator import throw
from dicesim.stats import mean_interval
from experiments.experiment import Claim, Experiment, digest
from experiments.rows import at_restitution, estimated_scale

PART: Final = "velocity"
AXIS: Final = 2  # the number that is changed is the vertical velocity
FACTOR = 1.8  # the source's, by which the scale falls at each contact
Array = np.ndarray[Any, Any]


def falling(contacts: Array, scales: Array) -> tuple[float, float]:
    """The straight line through log scales: the scale at no contact, and the factor by which it falls at each."""
    slope, start = np.polyfit(contacts, scales, 1)
    return float(np.exp(start)), float(np.exp(-slope))


@dataclass(frozen=True)
class Lively:
    """Throws whose restitution alone is changed, and the scales about which flips are measured at each."""

    throws: int
    restitutions: tuple[tuple[float, float], ...] = (
        (0.0, 0.1),
        (0.1, 0.1),
        (0.2, 0.06),
        (0.3, 0.02),
        (0.36, 0.02),
        (0.45, 0.01),
        (0.5, 0.006),
        (0.6, 0.002),
        (0.7, 6e-4),
        (0.75, 3e-4),
        (0.85, 5e-5),
        (0.95, 6e-6),
    )
    decades: float = 1.5
    per_decade: int = 6
    resamples: int = 300
    time_limit: float = 60.0
    release: Shaken = field(default_factory=Shaken)
    setup: Setup = field(default_factory=Setup)


def measure_restitution(p: Lively, rng: np.random.Generator) -> dict[str, Any]:
    """Flip rates and contacts of the same releases at each restitution, and the fall of the scale at each contact."""
    seed = int(rng.integers(2**32))
    states = p.release.sample(p.throws, rng=seed)
    rows, tables, faces = [], [], []
    for restitution, about in p.restitutions:
        setup = at_restitution(p.setup, restitution, p.time_limit)
        rest = throw(states, setup=setup, until="rest")
        assert rest.contacts is not None
        eps = around(about, p.decades, p.per_decade)
        flipped = flips(states, PART, AXIS, eps, setup)
        scale = half_rate_crossing(eps, flipped, rng=seed, resamples=p.resamples)
        low, high = mean_interval(rest.contacts)
        contacts = {"value": float(rest.contacts.mean()), "low": low, "high": high}
        rows.append({"restitution": restitution, "contacts": contacts, "scale": estimated_scale(scale)})
        tables.append((np.log(eps), np.column_stack([rest.contacts, flipped])))
        faces.append(rest.face)
    return {"sweep": rows, **factor(tables, p.resamples, seed), "outcome_hash": digest(np.concatenate(faces))}


def factor(tables: list[tuple[Array, Array]], resamples: int, seed: int) -> dict[str, Any]:
    """The fall of the scale at each contact, with a bootstrap that draws a throw at every restitution at once."""
    ends = np.cumsum([table.shape[1] for _, table in tables])

    def fit(means: Array) -> tuple[float, float]:
        parts = np.split(means, ends[:-1])
        scales = [crossing(where, part[1:], HALF) for (where, _), part in zip(tables, parts, strict=True)]
        return falling(np.array([part[0] for part in parts]), np.array(scales))

    whole = np.hstack([table for _, table in tables])
    start, value = fit(whole.mean(axis=0))
    drawn = np.array([fit(means)[1] for means in resampled(whole, resamples, seed)])
    low, high = percentiles(drawn, 0.95)
    return {"at_no_contact": start, "factor": {"value": value, "low": low, "high": high}}


def decades(rows: Any, last: float) -> float:
    """How many powers of ten the scale spans, from no restitution up to a last one."""
    scales = [row["scale"]["value"] for row in rows["sweep"] if row["restitution"] <= last]
    return float(np.log10(max(scales) / min(scales)))


def at(rows: Any, restitution: float) -> dict[str, Any]:
    """The row of one restitution."""
    found: dict[float, dict[str, Any]] = {row["restitution"]: row for row in rows["sweep"]}
    return found[restitution]


def amplified(rows: Any) -> Estimate:
    """What the contacts at the shipped restitution come to, at the fitted factor for each."""
    contacts = at(rows, 0.36)["contacts"]["value"]
    return Estimate(*(rows["factor"][key] ** contacts for key in ("value", "low", "high")))


def draw_restitution(rows: Any, ax: Any) -> Any:
    """The scale against the contacts, a point for each restitution."""
    from dicesim.plots import scale_against_contacts

    sweep = rows["sweep"]
    return scale_against_contacts(
        [row["contacts"]["value"] for row in sweep],
        [row["scale"] for row in sweep],
        (rows["at_no_contact"], rows["factor"]["value"]),
        [f"{row['restitution']:g}" for row in sweep],
        "Restitution alone buys four decades of sensitivity",
        "a point for each restitution",
        ax,
    )


RESTITUTION = Experiment(
    name="restitution",
    question="What does restitution alone do to the scale of the vertical velocity, and to the contacts?",
    claims=(
        Claim(
            "Restitution alone moves the scale over two decades up to 0.7, below which the source settles, and "
            "over four up to 0.95",
            "the source",
            lambda rows: 2 < decades(rows, 0.7) < 3 and 4 < decades(rows, 0.95) < 5,
            published="four and a half decades",
            ours=lambda rows: (
                f"{decades(rows, 0.7):.1f} decades from restitution 0 to 0.7, {decades(rows, 0.95):.1f} to 0.95"
            ),
            verdict="not reproduced",
            why="over restitutions that the source can have had, about half as many decades",
        ),
        Claim(
            "Across the sweep the scale falls by less at each contact than the source found",
            "the source",
            lambda rows: rows["factor"]["low"] > 1.4 and rows["factor"]["high"] < FACTOR,
            published="a factor of about 1.8 a contact",
            ours=lambda rows: f"a factor of {Estimate(**rows['factor'])}",
            verdict="not reproduced",
            why="a smaller factor, and a line that is only roughly straight; the source's restitutions are lost",
        ),
        Claim(
            "The fitted factor, raised to the contacts of a throw as the source does, comes to some hundred, not "
            "to 10¹⁵",
            "the source",
            lambda rows: amplified(rows).low > 30 and amplified(rows).high < 1000,
            published="11.6 contacts multiply by roughly 10³, not 10¹⁵",
            ours=lambda rows: f"{at(rows, 0.36)['contacts']['value']:.1f} contacts by {amplified(rows)}",
            verdict="not reproduced",
            why="the smaller factor once more; what contacts do to a small change is told by `amplification`",
        ),
        Claim(
            "At restitution 0.75 and above, where the source quotes none, there is a scale too",
            "the source, left open",
            lambda rows: all(at(rows, e)["scale"]["high"] < 1e-3 for e in (0.75, 0.85, 0.95)),
            published="no scale quoted at 0.75, where throws do not settle",
            ours=lambda rows: (
                f"{Estimate(**at(rows, 0.75)['scale'])} m/s at 0.75, {Estimate(**at(rows, 0.95)['scale'])} at 0.95"
            ),
            verdict="not comparable",
            why="the source has no value",
        ),
    ),
    full=Lively(3_000),
    smoke=Lively(
        100,
        restitutions=((0.0, 0.1), (0.36, 0.02), (0.7, 6e-4), (0.75, 3e-4), (0.85, 5e-5), (0.95, 6e-6)),
        per_decade=2,
        resamples=100,
    ),
    seed=27,
    measure=measure_restitution,
    figure=draw_restitution,
)


@dataclass(frozen=True)
class Bins:
    """Throws sorted by the contacts they make, and the changes under which each bin's flips are measured."""

    throws: int
    first: int = 7
    last: int = 16
    about: float = 0.02
    decades: float = 1.75
    per_decade: int = 4
    resamples: int = 300
    release: Shaken = field(default_factory=Shaken)
    setup: Setup = field(default_factory=Setup)


def measure_bins(p: Bins, rng: np.random.Generator) -> dict[str, Any]:
    """Throw to rest, sort by contacts, and find the scale of each bin, and its fall from bin to bin."""
    seed = int(rng.integers(2**32))
    states = p.release.sample(p.throws, rng=seed)
    rest = throw(states, setup=p.setup, until="rest")
    assert rest.contacts is not None
    eps = around(p.about, p.decades, p.per_decade)
    flipped = flips(states, PART, AXIS, eps, p.setup)
    rows: list[dict[str, Any]] = []
    drawn = []
    for contacts in range(p.first, p.last + 1):
        chosen = flipped[rest.contacts == contacts]
        scale = half_rate_crossing(eps, chosen, rng=seed, resamples=p.resamples)
        rows.append({"contacts": contacts, "throws": len(chosen), "scale": estimated_scale(scale)})
        again = resampled(chosen.astype(float), p.resamples, seed + contacts)
        drawn.append([crossing(np.log(eps), rates, HALF) for rates in again])
    where = np.arange(p.first, p.last + 1)
    start, value = falling(where, np.log([row["scale"]["value"] for row in rows]))
    low, high = percentiles(np.array([falling(where, scales)[1] for scales in np.array(drawn).T]), 0.95)
    factor = {"value": value, "low": low, "high": high}
    return {"bins": rows, "at_no_contact": start, "factor": factor, "outcome_hash": digest(rest.face)}


def binned(rows: Any, contacts: int) -> Estimate:
    """The scale of the throws with so many contacts."""
    found: dict[int, dict[str, float]] = {row["contacts"]: row["scale"] for row in rows["bins"]}
    return Estimate(**found[contacts])


def draw_bins(rows: Any, ax: Any) -> Any:
    """The scale against the contacts, a point for each bin."""
    from dicesim.plots import scale_against_contacts

    bins = rows["bins"]
    return scale_against_contacts(
        [row["contacts"] for row in bins],
        [row["scale"] for row in bins],
        (rows["at_no_contact"], rows["factor"]["value"]),
        title="At one restitution more contacts do not mean more sensitivity",
        points="a point for all throws with so many contacts",
        ax=ax,
    )


CONTACT_BINS = Experiment(
    name="contact_bins",
    question="At one restitution, are throws with more contacts more sensitive?",
    claims=(
        Claim(
            "The scale is between 1 and 3 cm/s in every bin",
            "the source",
            lambda rows: all(row["scale"]["low"] > 0.01 and row["scale"]["high"] < 0.03 for row in rows["bins"]),
            published="2.5·10⁻² at 8 contacts, 6.6·10⁻³ at 14",
            ours=lambda rows: f"{binned(rows, 8)} m/s at 8 contacts, {binned(rows, 14)} at 14",
            verdict="not reproduced",
            why="of the same order, but it does not fall: here throws with more contacts are no more sensitive",
        ),
        Claim(
            "From bin to bin the scale does not fall as it does across restitutions; from 7 to 16 contacts it "
            "rises a little",
            "the source",
            lambda rows: rows["factor"]["high"] < 1,
            published="a weaker slope than across restitutions",
            ours=lambda rows: f"a factor of {Estimate(**rows['factor'])} a contact",
            verdict="not reproduced",
            why="weaker it is, but with the other sign; neither is it steady from bin to bin",
        ),
    ),
    full=Bins(200_000),
    smoke=Bins(1_000, first=8, last=14, resamples=100),
    seed=28,
    measure=measure_bins,
    figure=draw_bins,
)

EXPERIMENTS = (RESTITUTION, CONTACT_BINS)
