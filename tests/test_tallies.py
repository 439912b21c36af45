"""Tallies add up in any order to the same bits, know what they hold, and keep it in files that can be trusted."""

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dicesim import Die, Lowered, Setup, Shaken, Solver, States, SteadyHand, Table, Tally, count, throw
from dicesim.declarations import declare, require_same
from dicesim.ensembles import BLOCK
from dicesim.stats import Sums, mean_interval

LOW = Shaken(height=0.02, speed=0.1, spin=10.0)
HASTY = Setup(solver=Solver(time_limit=0.15))  # some of these throws are at rest by then
N = 5 * BLOCK + 100


@pytest.fixture(scope="module")
def whole() -> Tally:
    return count(N, LOW, HASTY, rng=1, until="rest", allow_unsettled=True)


@pytest.fixture(scope="module")
def parts() -> list[Tally]:
    return [count(N, LOW, HASTY, rng=1, until="rest", allow_unsettled=True, blocks=(k, k + 1)) for k in range(6)]


def bytes_of(tally: Tally, folder: Path) -> bytes:
    tally.write(folder / "tally.json")
    return (folder / "tally.json").read_bytes()


# Adding


def test_blocks_add_up_in_any_order_to_the_same_bytes(whole: Tally, parts: list[Tally], tmp_path: Path) -> None:
    assert 0 < whole.unsettled < N
    wanted = bytes_of(whole, tmp_path)
    for order in np.random.default_rng(1).permuted(np.tile(np.arange(6), (20, 1)), axis=1):
        left = right = parts[order[0]]
        for number in order[1:]:
            left, right = left + parts[number], parts[number] + right
        assert left == right == whole
        assert bytes_of(left, tmp_path) == wanted


def test_groups_of_blocks_add_up_too(whole: Tally, parts: list[Tally]) -> None:
    a, b, c, d, e, f = parts
    assert (a + b) + ((c + d) + (e + f)) == whole
    assert (f + b) + (d + (a + e)) + c == whole


def test_an_empty_tally_adds_nothing(whole: Tally) -> None:
    empty = Tally.empty(whole.declaration)
    assert empty + whole == whole + empty == whole
    assert empty + empty == empty


def test_the_empty_run_is_an_empty_tally() -> None:
    assert count(0, rng=1) == Tally.empty(declare(0, Setup(), "face", Shaken(), 1))


def test_given_states_add_up_too() -> None:
    states = LOW.sample(BLOCK + 50, rng=3)
    assert count(states, blocks=(1, 2)) + count(states, blocks=(0, 1)) == count(states)


def test_sums_are_exact(whole: Tally) -> None:
    outcomes = throw(N, LOW, HASTY, rng=1, until="rest")
    for sums, values in ((whole.contacts, outcomes.contacts), (whole.settle_time, outcomes.settle_time)):
        assert sums is not None
        assert values is not None
        cuts = range(BLOCK, N, BLOCK)
        blocks = [
            part[keep] for part, keep in zip(np.split(values, cuts), np.split(outcomes.settled, cuts), strict=True)
        ]
        assert sums.n == sum(map(len, blocks))
        assert sums.total == sum(Fraction(math.fsum(block.tolist())) for block in blocks)
        squares = [(block.astype(float) ** 2).tolist() for block in blocks]
        assert sums.squares == sum(Fraction(math.fsum(block)) for block in squares)


def test_intervals_of_exact_sums_are_those_of_the_values() -> None:
    values = 1e6 + np.random.default_rng(1).random(1000)  # where floating-point sums of squares would lose digits
    exact = [Fraction(value) for value in values.tolist()]
    sums = Sums(1000, sum(exact, Fraction(0)), sum((value * value for value in exact), Fraction(0)))
    assert mean_interval(sums) == pytest.approx(mean_interval(values), rel=1e-14)
    assert sums.mean == pytest.approx(values.mean(), rel=1e-15)


def test_the_digest_is_the_sum_of_the_hashes_of_blocks(whole: Tally) -> None:
    faces = throw(N, LOW, HASTY, rng=1, until="rest").face
    blocks = [faces[start : start + BLOCK].tobytes() for start in range(0, N, BLOCK)]
    hashes = [sha256(number.to_bytes(8, "little") + block).digest() for number, block in enumerate(blocks)]
    assert int(whole.digest, 16) == sum(int.from_bytes(value, "big") for value in hashes) % 2**256
    assert len(whole.digest) == 64


def test_the_digest_knows_the_place_of_every_throw() -> None:
    states = LOW.sample(2 * BLOCK, rng=3)
    order = np.arange(2 * BLOCK)
    digests = {count(states[which]).digest for which in (order, np.roll(order, BLOCK), np.roll(order, 1))}
    assert len(digests) == 3


# Refusing


@dataclass(frozen=True)
class Wrapped:
    inner: Any = field(default_factory=Lowered)

    def sample(self, n: int, *, rng: Any = None) -> States:
        states: States = self.inner.sample(n, rng=rng)
        return states


@dataclass(frozen=True)
class Like(Lowered):
    """The same numbers under another name."""


def part(n: int = 2 * BLOCK, release: Any = None, setup: Setup | None = None, **options: Any) -> Tally:
    return count(n, release or Wrapped(), setup or Setup(), **{"rng": 1, "blocks": (0, 1)} | options)


OTHERS: dict[str, Callable[[], Tally]] = {
    "throws is 16384 and 16385": lambda: part(2 * BLOCK + 1, blocks=(1, 2)),
    "seed is 1 and 2": lambda: part(rng=2, blocks=(1, 2)),
    "until is face and rest": lambda: part(until="rest", blocks=(1, 2)),
    "setup table restitution is 0.36 and 0.5": lambda: part(setup=Setup(table=Table(0.5)), blocks=(1, 2)),
    "setup die edge is 0.01905 and 0.02": lambda: part(setup=Setup(die=Die(0.02)), blocks=(1, 2)),
    "release inner gap is": lambda: part(release=Wrapped(Lowered(gap=2e-4)), blocks=(1, 2)),
    "release inner class is dicesim.releases.Lowered and tests.test_tallies.Like": lambda: part(
        release=Wrapped(Like()), blocks=(1, 2)
    ),
    "release class is tests.test_tallies.Wrapped and dicesim.releases.Shaken": lambda: part(
        release=Shaken(), blocks=(1, 2)
    ),
}


@pytest.mark.parametrize("difference", OTHERS)
def test_other_runs_are_refused(difference: str) -> None:
    with pytest.raises(ValueError, match="these are of different runs: ") as caught:
        part() + OTHERS[difference]()
    assert difference in str(caught.value)
    assert "\n" not in str(caught.value)


def test_other_states_and_other_versions_are_refused() -> None:
    a, b = LOW.sample(2 * BLOCK, rng=1), LOW.sample(2 * BLOCK, rng=2)
    with pytest.raises(ValueError, match=r"states is .{64} and .{64}"):
        count(a, blocks=(0, 1)) + count(b, blocks=(1, 2))
    with pytest.raises(ValueError, match=r"states is .* and absent|seed is absent and 1"):
        count(a, blocks=(0, 1)) + part(blocks=(1, 2))
    old = replace(part(), declaration=part().declaration | {"dicesim": "0.0.9"})
    with pytest.raises(ValueError, match=r"dicesim is .* and 0\.0\.9"):
        part(blocks=(1, 2)) + old


@pytest.mark.parametrize(
    ("a", "b", "twice"), [((0, 3), (2, 4), "2:3"), ((1, 2), (0, 4), "1:2"), ((0, 1), (0, 1), "0:1")]
)
def test_blocks_are_not_counted_twice(a: Any, b: Any, twice: str) -> None:
    first, second = (count(4 * BLOCK, Lowered(), rng=1, blocks=blocks) for blocks in (a, b))
    with pytest.raises(ValueError, match=f"^blocks {twice} are in both$"):
        first + second


@pytest.mark.parametrize("blocks", [(0, 4), (-1, 2), (2, 2), (3, 1), (0,), 3, "ab", (0, 1.5), (True, 2)])
def test_there_are_no_other_blocks(blocks: Any) -> None:
    with pytest.raises(ValueError, match=r"has blocks 0:3, not |blocks must be two whole numbers") as caught:
        count(2 * BLOCK + 1, rng=1, blocks=blocks)
    assert "\n" not in str(caught.value)


class Nameless:
    def sample(self, n: int, *, rng: Any = None) -> States:
        return LOW.sample(n, rng=rng)


@dataclass(frozen=True)
class Opaque(Nameless):
    function: Any = len


@pytest.mark.parametrize("release", [Nameless(), Opaque()])
def test_a_release_that_cannot_be_written_down_is_counted_whole_alone(release: Any, tmp_path: Path) -> None:
    assert count(50, release, rng=1).counts == count(50, LOW, rng=1).counts
    for options in ({"blocks": (0, 1)}, {"checkpoint": tmp_path / "a.json"}):
        with pytest.raises(ValueError, match=f"a dataclass of plain values; {type(release).__name__} is none"):
            count(50, release, rng=1, **options)
    assert list(tmp_path.iterdir()) == []


def test_arrays_of_a_release_are_told_apart() -> None:
    @dataclass(frozen=True)
    class Resampled:
        states: Any

    a, b = (declare(10, Setup(), "face", Resampled(LOW.sample(5, rng=rng)), 1) for rng in (1, 2))
    with pytest.raises(ValueError, match=r"release states (position|velocity|axes)"):
        require_same(a, b)
    assert declare(10, Setup(), "face", Resampled(LOW.sample(5, rng=1)), 1) == a


# What a tally knows


def test_what_is_missing(parts: list[Tally]) -> None:
    some = parts[1] + parts[2] + parts[4]
    assert some.blocks == ((1, 3), (4, 5))
    assert some.missing() == [(0, 1), (3, 4), (5, 6)]
    assert some.missing((1, 3)) == []
    assert some.missing((2, 6)) == [(3, 4), (5, 6)]
    assert some.progress == "3 of 6 blocks"
    assert some.n == 3 * BLOCK == sum(some.counts) + some.unsettled


def test_the_last_block_is_short(parts: list[Tally]) -> None:
    assert parts[5].n == 100


@pytest.mark.parametrize(
    "seed", [5, np.int64(5), np.random.SeedSequence(5).spawn(1)[0], np.random.SeedSequence([1, 2])]
)
def test_every_seed_is_kept(seed: Any, tmp_path: Path) -> None:
    tally = count(50, LOW, rng=seed)
    tally.write(tmp_path / "a.json")
    again = Tally.read(tmp_path / "a.json")
    assert again == tally == count(50, LOW, rng=again.seed)


def test_tallies_are_values(whole: Tally) -> None:
    assert hash(whole) == hash(count(N, LOW, HASTY, rng=1, until="rest", allow_unsettled=True))
    assert "declaration" not in repr(whole)


# Files


@pytest.mark.parametrize("release", [LOW, SteadyHand(), Lowered(), Wrapped()])
@pytest.mark.parametrize("until", ["face", "rest"])
def test_a_file_brings_the_tally_back(release: Any, until: Any, tmp_path: Path) -> None:
    tally = count(BLOCK + 9, release, rng=1, until=until, blocks=(1, 2))
    tally.write(str(tmp_path / "a.json"))
    assert Tally.read(tmp_path / "a.json") == tally
    document = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))
    assert (document["partial"], document["n"]) == (True, 9)
    assert document["declaration"] == tally.declaration


def test_a_whole_run_is_not_partial(whole: Tally, tmp_path: Path) -> None:
    assert b'"partial": false' in bytes_of(whole, tmp_path)


@pytest.fixture
def kept(parts: list[Tally], tmp_path: Path) -> Path:
    (parts[0] + parts[2]).write(tmp_path / "kept.json")
    return tmp_path / "kept.json"


def test_a_truncated_file_is_refused(kept: Path) -> None:
    data = kept.read_bytes()
    for length in range(0, len(data) - 2, 41):
        kept.write_bytes(data[:length])
        with pytest.raises(ValueError, match=r"kept\.json is no whole tally: "):
            Tally.read(kept)


CHANGES: dict[str, Any] = {
    "format": 2,
    "partial": False,
    "n": 2 * BLOCK - 1,
    "unsettled": -1,
    "counts": [1, 2, 3, 4, 5, 6],
    "blocks": [[0, 3]],
    "digest": "00",
    "contacts": None,
    "settle_time": {"n": 1, "total": "1", "squares": "1"},
    "declaration": {},
    "more": 1,
}


@pytest.mark.parametrize("key", CHANGES)
def test_a_file_that_contradicts_itself_is_refused(kept: Path, key: str) -> None:
    document = json.loads(kept.read_text(encoding="utf-8"))
    kept.write_text(json.dumps(document | {key: CHANGES[key]}), encoding="utf-8")
    with pytest.raises(ValueError, match=r"kept\.json is no whole tally: "):
        Tally.read(kept)


@pytest.mark.parametrize(
    "blocks", [[[2, 3], [0, 1]], [[0, 1], [0, 1]], [[0, 1], [7, 8]], [[-1, 0], [2, 3]], [[0.0, 1]], 3]
)
def test_a_file_of_strange_blocks_is_refused(kept: Path, blocks: Any) -> None:
    document = json.loads(kept.read_text(encoding="utf-8"))
    kept.write_text(json.dumps(document | {"blocks": blocks}), encoding="utf-8")
    with pytest.raises(ValueError, match="is no whole tally"):
        Tally.read(kept)


@pytest.mark.parametrize("text", ["", "[]", "null", "{}", "NaN", "[" * 100_000, '{"format": 1}', "\x00", "\udcff"])
def test_what_is_no_tally_is_refused(kept: Path, text: str) -> None:
    kept.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(ValueError, match="is no whole tally"):
        Tally.read(kept)


@pytest.mark.parametrize("total", ["1e3", "0.5", "2/4", "1/0", "1e999999999", "x", 3, "1" * 5000])
def test_only_fractions_in_lowest_terms_are_sums(kept: Path, total: Any) -> None:
    document = json.loads(kept.read_text(encoding="utf-8"))
    document["settle_time"]["total"] = total
    kept.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(ValueError, match="is no whole tally"):
        Tally.read(kept)
