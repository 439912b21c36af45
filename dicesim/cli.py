"""The command line: ``dicesim throw | merge | fairness | info | cite``.

Results go to stdout, as text or with ``--json`` as one strict JSON document; everything else goes to stderr.
"""

import argparse
import os
import secrets
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import dicesim
from dicesim import _about
from dicesim._entry import signal_of
from dicesim._options import (
    MOST_LISTED,
    Parser,
    add_fairness_options,
    add_throw_options,
    file_there,
    json_file,
    made,
    rolled,
    setup,
    workers,
)
from dicesim._summaries import count_text, counted, face_counts, in_json, judged, list_text, listed, verdict_text
from dicesim.checkpoints import refuse_to_lose
from dicesim.clusters import ClusterError
from dicesim.declarations import declare
from dicesim.releases import Shaken
from dicesim.tallies import Tally


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        What follows the program's name; from the command line if not given.

    Returns
    -------
    int
        Exit status: 0, 1 if a file could not be written, a package not be loaded or a cluster not be used, 2 for bad
        input, 130 when interrupted, 143 when terminated. Bad options leave through SystemExit with the same status 2.

    Examples
    --------
    >>> main(["throw", "-n", "3", "--seed", "1", "--time-limit", "0.01"])  # which is too short
    ? ? ?
    3 of 3 throws did not settle within 0.01 s
    seed 1
    0
    """
    options = argparse.Namespace()
    try:
        _parser().parse_args(arguments, options)
        options.command(options)
        print(end="", flush=True)
        return 0
    except KeyboardInterrupt as stopped:
        return _complain(_interrupted(getattr(options, "out", None)), 128 + signal_of(stopped))
    except BrokenPipeError:  # the reader, such as head, has seen enough
        _abandon_stdout()
        return 0
    except ValueError as reason:
        return _complain(reason, 2)
    except ClusterError as reason:
        return _complain(reason, 1)
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


def _interrupted(out: Path | None) -> str:
    """What is left of a run that was stopped."""
    try:
        kept = Tally.read(out) if out else None
    except (OSError, ValueError):
        kept = None
    if kept is None or not kept.missing():
        return "interrupted"
    return f"interrupted: {kept.progress} kept in {out}; go on with --resume"


# What can be asked


def _parser() -> Parser:
    parser = Parser(prog="dicesim", description="Throw dice that are simulated.", allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"dicesim {dicesim.__version__}")
    commands = parser.add_subparsers(required=True, metavar="throw | merge | fairness | info | cite")
    add_throw_options(_command(commands, _throw, "throw", "throw dice and show their pip values, or count them"))
    merging = _command(commands, _merge, "merge", "add up shards, or show what a file holds")
    merging.add_argument("shards", nargs="+", type=file_there, metavar="SHARD", help="a file of dicesim throw --out")
    merging.add_argument("--out", type=json_file, metavar="FILE", help="keep the sum in this .json file")
    add_fairness_options(_command(commands, _fairness, "fairness", "say what the counts of a real die tell"))
    _command(commands, _info, "info", "versions, processor, cache folder, and whether the compiler works")
    _command(commands, _cite, "cite", "how to cite this software")
    return parser


def _command(commands: Any, function: Any, name: str, text: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(name, help=text, description=text, allow_abbrev=False)
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    parser.set_defaults(command=function)
    return parser


# dicesim info, dicesim cite


def _info(options: argparse.Namespace) -> None:
    found = _about.environment()
    print(in_json(found) if options.json else _about.describe(found))


def _cite(options: argparse.Namespace) -> None:
    print(in_json(_about.CITATION) if options.json else _about.citation())


# dicesim throw, dicesim merge


def _throw(options: argparse.Namespace) -> None:
    options.setup, options.release = setup(options), made(Shaken, options)
    _refuse_contradictions(options)
    options.seed = _seed(options)
    with workers(options.cluster) as executor:
        counting = options.counts or options.out or options.n > MOST_LISTED
        thrown = counted(_count(options, executor)) if counting else _list(options, executor)
    _print(thrown, options.json)
    _draw(options, thrown)


def _refuse_contradictions(options: argparse.Namespace) -> None:
    if options.gif and options.n != 1:
        raise ValueError(f"--gif shows one throw, not {options.n:,}; leave out -n")
    if options.resume and not options.out:
        raise ValueError("--resume goes on with a file; name it with --out")
    if options.blocks and not (options.out and options.seed is not None):
        raise ValueError("--blocks makes a shard: it needs --out, and the --seed that all shards share")


def _seed(options: argparse.Namespace) -> int:
    """The seed that is given, or that of the run to go on with, or a new one."""
    if options.seed is None and options.resume and options.out.exists():
        options.seed = Tally.read(options.out).seed
    if isinstance(options.seed, int):
        return options.seed
    return secrets.randbits(53)  # no more digits than any reader of JSON keeps


def _list(options: argparse.Namespace, executor: Any) -> dict[str, Any]:
    release, setup, until = options.release, options.setup, options.until
    outcomes = dicesim.throw(options.n, release, setup, rng=options.seed, until=until, executor=executor)
    return declare(options.n, setup, until, release, options.seed) | listed(outcomes)


def _count(options: argparse.Namespace, executor: Any) -> Tally:
    if options.resume and options.out.exists() and not Tally.read(options.out).missing(options.blocks):
        print(f"dicesim: {options.out} is complete", file=sys.stderr)
    return dicesim.count(
        options.n,
        options.release,
        options.setup,
        rng=options.seed,
        until=options.until,
        executor=executor,
        progress=sys.stderr.isatty() and not options.plain,
        allow_unsettled=True,
        blocks=options.blocks,
        checkpoint=options.out,
        resume=options.resume,
    )


def _merge(options: argparse.Namespace) -> None:
    whole = Tally.read(options.shards[0])
    for shard in options.shards[1:]:
        try:
            whole += Tally.read(shard)
        except ValueError as reason:
            raise ValueError(f"{options.shards[0]} ... {shard}: {reason}") from None
    if options.out:
        refuse_to_lose(options.out, whole)
        whole.write(options.out)
    _print(counted(whole), options.json)


def _print(thrown: dict[str, Any], json: bool) -> None:
    text = in_json(thrown) if json else count_text(thrown) if "faces" in thrown else list_text(thrown)
    print(text, flush=True)


def _draw(options: argparse.Namespace, thrown: dict[str, Any]) -> None:
    """Write the pictures that are asked for."""
    if not (options.gif or options.png):
        return
    from dicesim import plots

    pictures: list[tuple[Any, Path]]
    if options.n > 1:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that the counts are few is said already
            pictures = [(plots.face_counts(face_counts(thrown)), options.png)]
    else:
        path = dicesim.trajectory(dicesim.draw(1, options.release, rng=options.seed), options.setup)
        makers = ((plots.throw_picture, options.png), (plots.animate, options.gif))
        pictures = [(make(path), target) for make, target in makers if target]
    for picture, target in pictures:
        plots.save(picture, target)
        print(f"dicesim: wrote {target}", file=sys.stderr)


# dicesim fairness


def _fairness(options: argparse.Namespace) -> None:
    asked = {"margin": options.margin, "confidence": options.confidence, "sides": options.sides, "rng": options.seed}
    test = dicesim.fairness_test(rolled(options), **asked)
    print(in_json({"dicesim": dicesim.__version__, **judged(test)}) if options.json else verdict_text(test), flush=True)
    if options.png:
        from dicesim import plots

        plots.save(plots.fairness_verdict(test), options.png)
        print(f"dicesim: wrote {options.png}", file=sys.stderr)
