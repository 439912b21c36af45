"""What can be asked on the command line of ``dicesim``, and how it is read."""

import argparse
import re
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import fields
from pathlib import Path
from typing import Any, NoReturn, get_type_hints

from dicesim.clusters import cluster
from dicesim.parameters import Die, Setup, Solver, Table, Tagged
from dicesim.releases import Shaken
from dicesim.rolls import read_counts

MOST_THROWS = 10**10
MOST_SIDES = 1000
STDIN = Path("-")
MOST_LISTED = 50  # throws up to which each is shown
PARTS = {"die": Die, "table": Table, "gravity": Setup, "release": Shaken, "solver": Solver}  # numbers are options


class Parser(argparse.ArgumentParser):
    """A parser that says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        hint = "" if ";" in message else f"; see {self.prog} --help"
        self.exit(2, f"dicesim: {' '.join(message.split())}{hint}\n")


def add_throw_options(parser: argparse.ArgumentParser) -> None:
    """Add all options of ``dicesim throw``."""
    _add_plain(parser)
    _add_long(parser.add_argument_group("long runs and many machines"))
    for title, part in PARTS.items():
        _add_numbers(parser.add_argument_group(title), part)


def _add_plain(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-n", type=_throws, default=1, metavar="N", help="number of throws (default 1)")
    parser.add_argument("--seed", type=_seed, metavar="S", help="seed of the draws; drawn and shown if not given")
    parser.add_argument(
        "--until",
        choices=("face", "rest"),
        default="face",
        help="stop when the face is certain, or at rest, with contacts and settle time (default face)",
    )
    parser.add_argument(
        "--counts", action="store_true", help=f"count faces, as is always done for more than {MOST_LISTED} throws"
    )
    parser.add_argument("--gif", type=file_ending(".gif"), metavar="FILE", help="write a film of the throw")
    parser.add_argument(
        "--png", type=file_ending(".png"), metavar="FILE", help="write a picture of the throw, or of the counts"
    )
    parser.add_argument("--plain", action="store_true", help="no progress bar")


def _add_long(group: Any) -> None:
    group.add_argument(
        "--out",
        type=json_file,
        metavar="FILE",
        help="count faces, and keep the tally in this .json file, while it grows too",
    )
    group.add_argument("--resume", action="store_true", help="go on with the run that FILE holds a part of")
    group.add_argument(
        "--blocks",
        type=_blocks,
        metavar="A:B",
        help="make a shard: count blocks A up to B alone, 8192 throws each; needs --seed and --out",
    )
    add_cluster_option(group)


def add_fairness_options(parser: argparse.ArgumentParser) -> None:
    """Add all options of ``dicesim fairness``."""
    parser.add_argument("counts", nargs="*", type=_count, metavar="COUNT", help="how often face 1, 2, ... came up")
    parser.add_argument(
        "--rolls", type=file_or_stdin, metavar="FILE", help="count the rolls in a text or CSV file, or -"
    )
    parser.add_argument("--sides", type=_sides, metavar="K", help="faces of the die (default 6, or one a count)")
    parser.add_argument(
        "--margin", type=_number, metavar="P", help="deviation of a share that does not matter (default a tenth of 1/K)"
    )
    parser.add_argument("--confidence", type=_number, default=0.95, metavar="P", help="of all intervals (default 0.95)")
    parser.add_argument("--seed", type=_seed, default=1, metavar="S", help="of a p-value by simulation (default 1)")
    parser.add_argument("--png", type=file_ending(".png"), metavar="FILE", help="write a picture of the shares")


def rolled(options: argparse.Namespace) -> list[int]:
    """Give the counts that are asked about: those of the command line, or of the rolls in a file."""
    if bool(options.counts) == bool(options.rolls):
        raise ValueError("give the count of each face, such as 72 61 70 59 68 70, or --rolls FILE, not both")
    if len(options.counts) == 1:
        raise ValueError("one count is no die; give a count for each face, two or more")
    return options.counts or _read(options.rolls, options.sides or 6)


def _read(path: Path, sides: int) -> list[int]:
    try:
        with nullcontext(sys.stdin) if path == STDIN else path.open(encoding="utf-8-sig") as lines:
            counts: list[int] = read_counts(lines, sides).tolist()
            return counts
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not text in UTF-8; save it as such") from None
    except ValueError as reason:
        raise ValueError(f"{path}: {reason}") from None


def add_cluster_option(group: Any) -> None:
    """Add ``--cluster [ADDRESS]``."""
    group.add_argument(
        "--cluster",
        nargs="?",
        const=True,
        type=address,
        metavar="ADDRESS",
        help="work on a dask cluster: the one whose scheduler is at this address, or one on this machine",
    )


def workers(asked: str | bool | None) -> AbstractContextManager[Any]:
    """Give who works, as ``--cluster`` asks: an executor on a cluster, or None for this process."""
    if asked is None:
        return nullcontext()
    return cluster(asked if isinstance(asked, str) else None)


def _add_numbers(group: Any, part: type) -> None:
    """Make an option of every number of a part: its name, unit, meaning and default are already written there."""
    for name, mark, default in _numbers(part):
        text = f"{_meaning(part, name)} (default {default:g})".replace("%", "%%")
        unit = "X" if mark.unit == "1" else mark.unit
        group.add_argument(f"--{name.replace('_', '-')}", type=_number, default=default, metavar=unit, help=text)


def _meaning(part: type, name: str) -> str:
    """What the docstring of a part says of one of its numbers, up to the first full stop."""
    entry = re.search(rf"^ *{name} : float\n((?:        .*\n)+)", part.__doc__ or "", flags=re.M)
    return " ".join(entry[1].split()).split(". ")[0].rstrip(".") if entry else name


def _numbers(part: type) -> Iterator[tuple[str, Tagged, Any]]:
    hints = get_type_hints(part, include_extras=True)
    for field in fields(part):
        marks = getattr(hints[field.name], "__metadata__", ())
        if marks:
            yield field.name, marks[0], field.default


def made(part: Any, options: argparse.Namespace, **others: Any) -> Any:
    """Make a part from the options that are its numbers."""
    return part(**{name: getattr(options, name) for name, _, _ in _numbers(part)}, **others)


def setup(options: argparse.Namespace) -> Setup:
    """Make the setup that is asked for."""
    die, table, solver = (made(part, options) for part in (Die, Table, Solver))
    whole: Setup = made(Setup, options, die=die, table=table, solver=solver)
    return whole


def _whole(text: str) -> int | None:
    plain = text.replace("_", "").replace(",", "")
    return int(plain) if plain.isascii() and plain.isdecimal() and len(plain) < 100 else None


def _throws(text: str) -> int:
    n = _whole(text)
    if n is None or not 1 <= n <= MOST_THROWS:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of throws; give a whole number, 1 to {MOST_THROWS:,}")
    return n


def _count(text: str) -> int:
    count = _whole(text)
    if count is None or count > MOST_THROWS:
        raise argparse.ArgumentTypeError(f"{text!r} is no count; give a whole number, 0 to {MOST_THROWS:,}")
    return count


def _sides(text: str) -> int:
    sides = _whole(text)
    if sides is None or not 2 <= sides <= MOST_SIDES:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of sides; give a whole number, 2 to {MOST_SIDES:,}")
    return sides


def _seed(text: str) -> int:
    seed = _whole(text)
    if seed is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no seed; give a whole number from 0 up, such as 1")
    return seed


def _blocks(text: str) -> tuple[int, int]:
    ends = [_whole(part) for part in text.split(":")]
    if len(ends) != 2 or None in ends or not ends[0] < ends[1]:  # type: ignore[operator]
        raise argparse.ArgumentTypeError(f"{text!r} are no blocks; give the first and the end, such as 0:100")
    return ends[0], ends[1]  # type: ignore[return-value]


def address(text: str) -> str:
    """Read the address of a scheduler."""
    if not re.fullmatch(r"([a-z]+://)?[^/\s]+:[0-9]+", text):
        raise argparse.ArgumentTypeError(f"{text!r} is no address of a scheduler; give one such as tcp://host:8786")
    return text


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no number; give one such as 0.5") from None


def file_ending(ending: str) -> Any:
    """Make a reader of file names that end so, in folders that are there."""

    def checked(text: str) -> Path:
        path = Path(text)
        if path.suffix.lower() != ending:
            raise argparse.ArgumentTypeError(f"{text!r} does not end in {ending}; give a name that does")
        if not path.parent.is_dir():
            raise argparse.ArgumentTypeError(f"there is no folder {str(path.parent)!r}; make it, or name another")
        return path

    return checked


def file_there(text: str) -> Path:
    """Read the name of a file that is there."""
    if not Path(text).is_file():
        raise argparse.ArgumentTypeError(f"there is no file {text!r}")
    return Path(text)


def file_or_stdin(text: str) -> Path:
    """Read the name of a file that is there, or ``-`` for the standard input."""
    return STDIN if text == str(STDIN) else file_there(text)


json_file = file_ending(".json")
