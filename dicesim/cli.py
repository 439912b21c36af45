"""The command line: ``dicesim throw | info | cite``.

Results go to stdout, as text or with ``--json`` as one strict JSON document; everything else goes to stderr.
"""

import argparse
import io
import json
import os
import re
import secrets
import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, get_type_hints

import dicesim
from dicesim import _about
from dicesim.parameters import Die, Setup, Solver, Table, Tagged
from dicesim.releases import Shaken
from dicesim.solids import FACES, STANDARD, pips

if TYPE_CHECKING:
    from dicesim.stats import Sums

MOST_THROWS = 10**10
MOST_LISTED = 50  # throws up to which each is shown
PARTS = {"die": Die, "table": Table, "gravity": Setup, "release": Shaken, "solver": Solver}  # numbers are options


class _Parser(argparse.ArgumentParser):
    """A parser that says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        hint = "" if ";" in message else f"; see {self.prog} --help"
        self.exit(2, f"dicesim: {' '.join(message.split())}{hint}\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        What follows the program's name; from the command line if not given.

    Returns
    -------
    int
        Exit status: 0, 1 if a file could not be written or a package not be loaded, 2 for bad input, 130 when
        interrupted. Bad options leave through SystemExit with the same status 2.

    Examples
    --------
    >>> main(["throw", "-n", "3", "--seed", "1", "--time-limit", "0.01"])  # which is too short
    ? ? ?
    3 of 3 throws did not settle within 0.01 s
    seed 1
    0
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a console that lacks a letter shows a question mark
    try:
        options = _parser().parse_args(arguments)
        options.command(options)
        print(end="", flush=True)
        return 0
    except KeyboardInterrupt:
        return _complain("interrupted", 130)
    except BrokenPipeError:  # the reader, such as head, has seen enough
        _abandon_stdout()
        return 0
    except ValueError as reason:
        return _complain(reason, 2)
    except ImportError as reason:
        return _complain(f"{_one_line(reason)}; {_installed()}: install versions that fit each other", 1)
    except OSError as reason:
        if reason.filename is None:
            _abandon_stdout()
        return _complain(f"{reason.filename or 'output'}: {reason.strerror or reason}; no file is half written", 1)


def _abandon_stdout() -> None:
    """Let what is left to be written go nowhere, so that the interpreter does not stumble over it at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complain(reason: object, status: int) -> int:
    print(f"dicesim: {_one_line(reason)}", file=sys.stderr)
    return status


def _one_line(reason: object) -> str:
    return " ".join(str(reason).split()).rstrip(".")


def _installed() -> str:
    return f"installed are numba {_about.package_version('numba')} and numpy {_about.package_version('numpy')}"


def _json(document: dict[str, Any]) -> str:
    return json.dumps(document, allow_nan=False, indent=1)


# What can be asked


def _parser() -> _Parser:
    parser = _Parser(prog="dicesim", description="Throw dice that are simulated.", allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"dicesim {dicesim.__version__}")
    commands = parser.add_subparsers(required=True, metavar="throw | info | cite")
    throwing = _command(commands, _throw, "throw", "throw dice and show their pip values, or count them")
    _command(commands, _info, "info", "versions, processor, cache folder, and whether the compiler works")
    _command(commands, _cite, "cite", "how to cite this software")
    _add_throw_options(throwing)
    for title, part in PARTS.items():
        _add_numbers(throwing.add_argument_group(title), part)
    return parser


def _command(commands: Any, function: Any, name: str, text: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(name, help=text, description=text, allow_abbrev=False)
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    parser.set_defaults(command=function)
    return parser


def _add_throw_options(parser: argparse.ArgumentParser) -> None:
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
    parser.add_argument("--gif", type=_file(".gif"), metavar="FILE", help="write a film of the throw")
    parser.add_argument(
        "--png", type=_file(".png"), metavar="FILE", help="write a picture of the throw, or of the counts"
    )
    parser.add_argument("--plain", action="store_true", help="no progress bar")


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


def _made(part: Any, options: argparse.Namespace, **others: Any) -> Any:
    return part(**{name: getattr(options, name) for name, _, _ in _numbers(part)}, **others)


def _setup(options: argparse.Namespace) -> Setup:
    die, table, solver = (_made(part, options) for part in (Die, Table, Solver))
    setup: Setup = _made(Setup, options, die=die, table=table, solver=solver)
    return setup


def _whole(text: str) -> int | None:
    plain = text.replace("_", "").replace(",", "")
    return int(plain) if plain.isascii() and plain.isdecimal() and len(plain) < 100 else None


def _throws(text: str) -> int:
    n = _whole(text)
    if n is None or not 1 <= n <= MOST_THROWS:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of throws; give a whole number, 1 to {MOST_THROWS:,}")
    return n


def _seed(text: str) -> int:
    seed = _whole(text)
    if seed is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no seed; give a whole number from 0 up, such as 1")
    return seed


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no number; give one such as 0.5") from None


def _file(ending: str) -> Any:
    def checked(text: str) -> Path:
        path = Path(text)
        if path.suffix.lower() != ending:
            raise argparse.ArgumentTypeError(f"{text!r} does not end in {ending}; give a name that does")
        if not path.parent.is_dir():
            raise argparse.ArgumentTypeError(f"there is no folder {str(path.parent)!r}; make it, or name another")
        return path

    return checked


# dicesim info, dicesim cite


def _info(options: argparse.Namespace) -> None:
    found = _about.environment()
    print(_json(found) if options.json else _about.describe(found))


def _cite(options: argparse.Namespace) -> None:
    print(_json(_about.CITATION) if options.json else _about.citation())


# dicesim throw


def _throw(options: argparse.Namespace) -> None:
    options.setup, options.release = _setup(options), _made(Shaken, options)
    if options.gif and options.n != 1:
        raise ValueError(f"--gif shows one throw, not {options.n:,}; leave out -n")
    if options.seed is None:
        options.seed = secrets.randbits(53)  # no more digits than any reader of JSON keeps
    thrown = {
        "dicesim": dicesim.__version__,
        "throws": options.n,
        "seed": options.seed,
        "until": options.until,
        "setup": asdict(options.setup),
        "release": asdict(options.release),
    }
    counting = options.counts or options.n > MOST_LISTED
    thrown |= _counted(options) if counting else _listed(options)
    text = _json(thrown) if options.json else _count_text(thrown) if counting else _list_text(thrown)
    print(text, flush=True)
    _draw(options, thrown)


def _listed(options: argparse.Namespace) -> dict[str, Any]:
    """Throw, and give each throw's pip value: None if it did not settle."""
    outcomes = dicesim.throw(options.n, options.release, options.setup, rng=options.seed, until=options.until)
    values = zip(pips(outcomes.face).tolist(), outcomes.settled, strict=True)
    listed: dict[str, Any] = {"pips": [value if settled else None for value, settled in values]}
    if outcomes.contacts is not None and outcomes.settle_time is not None:
        listed |= {"contacts": outcomes.contacts.tolist(), "settle_times": outcomes.settle_time.tolist()}
    return listed


def _counted(options: argparse.Namespace) -> dict[str, Any]:
    """Throw, and give counts with what they say about the die."""
    tally = dicesim.count(
        options.n,
        options.release,
        options.setup,
        rng=options.seed,
        until=options.until,
        progress=sys.stderr.isatty() and not options.plain,
        allow_unsettled=True,
    )
    counted = {"unsettled": tally.unsettled, "digest": tally.digest, **_judged(tally.counts)}
    if tally.contacts and tally.settle_time:
        counted |= {"contacts": _mean(tally.contacts), "settle_time": _mean(tally.settle_time)}
    return counted


def _judged(counts: Sequence[int]) -> dict[str, Any]:
    from dicesim.stats import chi_square, proportion_intervals

    n = sum(counts)
    named = sorted(zip(STANDARD.tolist(), FACES, counts, strict=True))
    rows: list[dict[str, Any]] = [{"pip": pip, "face": face, "count": count} for pip, face, count in named]
    if n == 0:
        return {"faces": rows, "chi_square": None, "note": "no throw settled: there is nothing to judge"}
    intervals = proportion_intervals([row["count"] for row in rows]).tolist()
    for row, interval in zip(rows, intervals, strict=True):
        row |= {"share": row["count"] / n, "interval": interval}
    with warnings.catch_warnings(record=True) as cautions:
        warnings.simplefilter("always")
        test = chi_square(counts)
    return {"faces": rows, "chi_square": asdict(test), "note": str(cautions[0].message) if cautions else None}


def _mean(sums: "Sums") -> dict[str, Any]:
    from dicesim.stats import mean_interval

    mean = sums.total / sums.n if sums.n else None
    return {"mean": mean, "interval": mean_interval(sums) if sums.n > 1 else None}


def _list_text(thrown: dict[str, Any]) -> str:
    values = ["?" if value is None else str(value) for value in thrown["pips"]]
    if "contacts" not in thrown:
        lines = [" ".join(values)]
    else:
        rows = zip(values, thrown["contacts"], thrown["settle_times"], strict=True)
        lines = ["pip  contacts  settle time", *(f"{p:>3}  {c:>8}  {t:>9.3f} s" for p, c, t in rows)]
    return "\n".join([*lines, *_unsettled(values.count("?"), thrown), f"seed {thrown['seed']}"])


def _count_text(thrown: dict[str, Any]) -> str:
    from dicesim.stats import ChiSquare

    lines = ["pip  face           count     share  95 % intervals of all six together"]
    lines += [_count_line(**row) for row in thrown["faces"]]
    if thrown["chi_square"]:
        lines.append(str(ChiSquare(**thrown["chi_square"])))
    lines += [thrown["note"]] if thrown["note"] else []
    lines += _unsettled(thrown["unsettled"], thrown)
    for key, name, unit in (("contacts", "contacts", ""), ("settle_time", "settle time", " s")):
        if key in thrown and thrown[key]["interval"]:
            low, high = thrown[key]["interval"]
            lines.append(f"mean {name} {thrown[key]['mean']:.5g}{unit}, 95 % interval {low:.5g} to {high:.5g}{unit}")
    return "\n".join([*lines, f"{thrown['throws']:,} throws, seed {thrown['seed']}"])


def _count_line(pip: int, face: str, count: int, share: float = 0.0, interval: tuple[float, float] = (0.0, 1.0)) -> str:
    low, high = interval
    return f"{pip:>3}  {face:>4}  {count:>14,}  {share:>8.3%}  {low:.3%} to {high:.3%}"


def _unsettled(number: int, thrown: dict[str, Any]) -> list[str]:
    limit = thrown["setup"]["solver"]["time_limit"]
    return [f"{number:,} of {thrown['throws']:,} throws did not settle within {limit:g} s"] if number else []


def _draw(options: argparse.Namespace, thrown: dict[str, Any]) -> None:
    """Write the pictures that are asked for."""
    if not (options.gif or options.png):
        return
    from dicesim import plots

    pictures: list[tuple[Any, Path]]
    if options.n > 1:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that the counts are few is said already
            pictures = [(plots.face_counts(_face_counts(thrown)), options.png)]
    else:
        path = dicesim.trajectory(dicesim.draw(1, options.release, rng=options.seed), options.setup)
        makers = ((plots.throw_picture, options.png), (plots.animate, options.gif))
        pictures = [(make(path), target) for make, target in makers if target]
    for picture, target in pictures:
        plots.save(picture, target)
        print(f"dicesim: wrote {target}", file=sys.stderr)


def _face_counts(thrown: dict[str, Any]) -> list[int]:
    """Counts of faces 0 to 5, whichever way the throws were kept."""
    if "faces" in thrown:
        counts = {row["pip"]: row["count"] for row in thrown["faces"]}
        return [counts[int(value)] for value in STANDARD]
    return [thrown["pips"].count(int(value)) for value in STANDARD]
