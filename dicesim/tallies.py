"""What is kept of throws that are only counted: tallies, which add up, and the files they are kept in.

A tally says of which run it is, by a declaration, and which blocks of that run it holds. Tallies of one run add up
in any order to the same bits: counts are whole numbers, sums are exact fractions, and the digest is a sum too. So a
shard, the checkpoint of an interrupted run and a finished result are one kind of file.
"""

import math
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from dicesim._files import write_whole
from dicesim._json import from_json, to_json
from dicesim.declarations import require_same
from dicesim.ensembles import Ranges, block_count, items_in
from dicesim.outcomes import Outcomes
from dicesim.sums import Sums

FORMAT = 1


# Ranges of blocks: sorted, disjoint, half-open, and never two that touch


def _united(ranges: Ranges) -> tuple[tuple[int, int], ...]:
    united: list[tuple[int, int]] = []
    for first, end in sorted(ranges):
        last = united[-1][1] if united else -1
        if first < last:
            raise ValueError(f"blocks {first}:{min(end, last)} are in both")
        united[-1:] = [(united[-1][0], end)] if first == last else [*united[-1:], (first, end)]
    return tuple(united)


def _without(first: int, end: int, ranges: Ranges) -> Ranges:
    """What of first:end is in none of the ranges."""
    edges = [first, *(min(max(edge, first), end) for pair in ranges for edge in pair), end]
    return [(a, b) for a, b in zip(edges[::2], edges[1::2], strict=True) if a < b]


# Tallies


@dataclass(frozen=True)
class Tally:
    """Counts of a run that kept no throw, or of some of its blocks.

    ``a + b`` holds the blocks of both, if they are of the same run and share none.

    Parameters
    ----------
    declaration : dict
        What decides every bit of the run, as `declare` writes it down.
    blocks : tuple of (int, int)
        First number and end of the blocks held; a block is 8192 throws, the last one of a run what is left.
    n : int
        How many throws that is.
    counts : tuple of 6 ints
        How often each face came up, among settled throws.
    unsettled : int
        Throws that did not end within the time limit.
    contacts, settle_time : Sums or None
        Sums over settled throws, for `dicesim.stats.mean_interval`: the fractions that blocks' sums, each correctly
        rounded, add up to. Absent unless thrown to rest.
    digest : str
        Sum over the blocks, modulo 2²⁵⁶, of SHA-256(the block's number in 8 bytes, the least significant first, and
        its faces, one byte a throw); as 64 hexadecimal digits.

    Examples
    --------
    >>> from dicesim import count
    >>> tally = count(20_000, rng=1)
    >>> sum(tally.counts), tally.unsettled, tally.blocks
    (20000, 0, ((0, 3),))
    >>> count(20_000, rng=1, blocks=(1, 3)) + count(20_000, rng=1, blocks=(0, 1)) == tally
    True
    """

    declaration: dict[str, Any] = field(hash=False, repr=False)
    blocks: tuple[tuple[int, int], ...]
    n: int
    counts: tuple[int, ...]
    unsettled: int
    contacts: Sums | None
    settle_time: Sums | None
    digest: str

    @classmethod
    def empty(cls, declaration: dict[str, Any]) -> Self:
        """Begin a run: a tally that holds no block.

        Parameters
        ----------
        declaration : dict
            Of the run.

        Returns
        -------
        Tally
            What blocks are added to.

        Examples
        --------
        >>> from dicesim import Setup, Shaken
        >>> from dicesim.declarations import declare
        >>> Tally.empty(declare(10, Setup(), "face", Shaken(), 1)).n
        0
        """
        sums = Sums(0, Fraction(0), Fraction(0)) if declaration["until"] == "rest" else None
        return cls(declaration, (), 0, (0,) * 6, 0, sums, sums, "0" * 64)

    @classmethod
    def of_block(cls, declaration: dict[str, Any], number: int, outcomes: Outcomes) -> Self:
        """Count the outcomes of one block.

        Parameters
        ----------
        declaration : dict
            Of the run.
        number : int
            Of the block.
        outcomes : Outcomes
            Of all throws of the block.

        Returns
        -------
        Tally
            Of this block.

        Examples
        --------
        >>> from dicesim import Setup, Shaken, throw
        >>> from dicesim.declarations import declare
        >>> Tally.of_block(declare(10, Setup(), "face", Shaken(), 1), 0, throw(10, rng=1)).blocks
        ((0, 1),)
        """
        settled = outcomes.settled
        return cls(
            declaration,
            ((number, number + 1),),
            len(outcomes),
            tuple(outcomes.counts(allow_unsettled=True).tolist()),
            int((~settled).sum()),
            None if outcomes.contacts is None else _sums(outcomes.contacts[settled]),
            None if outcomes.settle_time is None else _sums(outcomes.settle_time[settled]),
            sha256(number.to_bytes(8, "little") + outcomes.face.tobytes()).hexdigest(),
        )

    @property
    def seed(self) -> Any:
        """What the releases were drawn with, as in `Outcomes`.

        Returns
        -------
        int, SeedSequence or None
            A seed for `rng`; none of given releases.

        Examples
        --------
        >>> from dicesim import count
        >>> count(10, rng=1).seed
        1
        """
        seed = self.declaration.get("seed")
        return np.random.SeedSequence(**seed) if isinstance(seed, dict) else seed

    def missing(self, blocks: tuple[int, int] | None = None) -> Ranges:
        """Tell which blocks are not held.

        Parameters
        ----------
        blocks : (int, int), optional
            First number and end of those that are asked about, if not all of the run are.

        Returns
        -------
        sequence of (int, int)
            First number and end of those that are not held.

        Raises
        ------
        ValueError
            If the run has no such blocks.

        Examples
        --------
        >>> from dicesim import count
        >>> count(20_000, rng=1, blocks=(1, 2)).missing()
        [(0, 1), (2, 3)]
        """
        most = block_count(self.declaration["throws"])
        first, end = (0, most) if blocks is None else _pair(blocks)
        if blocks is not None and not 0 <= first < end <= most:
            raise ValueError(f"a run of {self.declaration['throws']:,} throws has blocks 0:{most}, not {first}:{end}")
        return _without(first, end, self.blocks)

    @property
    def progress(self) -> str:
        """How much of the run is held, in words.

        Returns
        -------
        str
            Such as "37 of 245 blocks".

        Examples
        --------
        >>> from dicesim import count
        >>> count(20_000, rng=1, blocks=(1, 3)).progress
        '2 of 3 blocks'
        """
        held = sum(end - first for first, end in self.blocks)
        return f"{held:,} of {block_count(self.declaration['throws']):,} blocks"

    def __add__(self, other: Self) -> Self:
        """Hold the blocks of both."""
        require_same(self.declaration, other.declaration)
        return type(self)(
            self.declaration,
            _united((*self.blocks, *other.blocks)),
            self.n + other.n,
            tuple(a + b for a, b in zip(self.counts, other.counts, strict=True)),
            self.unsettled + other.unsettled,
            self.contacts + other.contacts if self.contacts and other.contacts else None,
            self.settle_time + other.settle_time if self.settle_time and other.settle_time else None,
            f"{(int(self.digest, 16) + int(other.digest, 16)) % 2**256:064x}",
        )

    def write(self, path: str | os.PathLike[str]) -> None:
        """Keep the tally in a file; the old file or the new one is there at every moment, never a part.

        Parameters
        ----------
        path : path
            The file, in a folder that is there.

        Examples
        --------
        >>> import tempfile
        >>> from dicesim import count
        >>> tally = count(100, rng=1)
        >>> with tempfile.NamedTemporaryFile(suffix=".json") as file:
        ...     tally.write(file.name)
        ...     Tally.read(file.name) == tally
        True
        """
        text = to_json(_document(self))
        write_whole(Path(path), lambda part: part.write_text(text, encoding="utf-8", newline="\n"))

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """Read a tally that was kept in a file.

        Parameters
        ----------
        path : path
            The file.

        Returns
        -------
        Tally
            What it holds.

        Raises
        ------
        ValueError
            If it is not a whole file of a tally.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.NamedTemporaryFile("w") as file:
        ...     Tally.read(file.name)
        Traceback (most recent call last):
        ValueError: ... is no whole tally: Expecting value: line 1 column 1 (char 0)
        """
        try:
            return cls(**_fields(from_json(Path(path).read_text(encoding="utf-8"))))
        except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError) as reason:
            raise ValueError(f"{os.fspath(path)} is no whole tally: {reason}") from reason


def _pair(blocks: Any) -> tuple[int, int]:
    whole = isinstance(blocks, Sequence) and len(blocks) == 2 and all(type(number) is int for number in blocks)
    if not whole:
        raise ValueError(f"blocks must be two whole numbers, the first block and the end, not {blocks!r}")
    return blocks[0], blocks[1]


def _sums(values: npt.NDArray[Any]) -> Sums:
    """Correctly rounded for a block, so that the bits are the same everywhere; exact from there on."""
    listed = values.astype(np.float64)
    return Sums(len(listed), *(Fraction(math.fsum(part.tolist())) for part in (listed, listed * listed)))


# Files


def _document(tally: Tally) -> dict[str, Any]:
    document = {"format": FORMAT, "partial": bool(tally.missing()), **vars(tally)}
    for name in ("contacts", "settle_time"):
        sums: Sums | None = document[name]
        document[name] = sums and {"n": sums.n, "total": str(sums.total), "squares": str(sums.squares)}
    plain: dict[str, Any] = from_json(to_json(document))
    return plain


def _fields(document: dict[str, Any]) -> dict[str, Any]:
    """The fields of a tally, from a document that says no more and no less and whose numbers fit each other."""
    fields = {name: value for name, value in document.items() if name not in ("format", "partial")}
    fields["blocks"] = _united([_pair(pair) for pair in document["blocks"]])
    fields["counts"] = tuple(document["counts"])
    for name in ("contacts", "settle_time"):
        fields[name] = document[name] and _read_sums(**document[name])
    tally = Tally(**fields)
    if _document(tally) != document or not _fits(tally):
        raise ValueError("its numbers do not fit each other")
    return fields


def _read_sums(n: int, total: str, squares: str) -> Sums:
    if not re.fullmatch("[0-9/]+ [0-9/]+", f"{total} {squares}"):  # an exponent could be as large as it likes
        raise ValueError("its sums are no fractions")
    return Sums(n, Fraction(total), Fraction(squares))


def _fits(tally: Tally) -> bool:
    """Whether the numbers of a tally are of the right kind and agree."""
    settled = sum(tally.counts)
    sums = (tally.contacts, tally.settle_time)
    rest = tally.declaration["until"] == "rest"
    return (
        all(type(number) is int and number >= 0 for number in (tally.n, tally.unsettled, *tally.counts))
        and settled + tally.unsettled == tally.n == items_in(tally.declaration["throws"], tally.blocks)
        and all((part.n == settled if part else False) == rest for part in sums)
        and re.fullmatch("[0-9a-f]{64}", tally.digest) is not None
    )
