"""The command line of the study: ``python -m experiments list | run | check | report``."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

from dicesim._entry import signal_of
from dicesim._files import write_whole
from dicesim._options import add_cluster_option, workers
from dicesim.clusters import ClusterError
from dicesim.ensembles import working
from experiments.answers import answers_list
from experiments.check import REFUSALS, examine
from experiments.experiment import (
    RESULTS,
    Experiment,
    Result,
    Size,
    ask,
    configure,
    declare,
    load,
    run,
    save,
)
from experiments.progress import expected_seconds, followed, say
from experiments.provenance import commit
from experiments.report import describe, draw, reproduction_table, verdicts, with_table

Experiments: TypeAlias = Sequence[Experiment[Any]]

MOST_THROWS = 10**12
SCRATCH = "scratch"  # below the results: runs of another size or seed, kept out of git


class BadInput(ValueError):
    """Something on the command line, said in one line."""


class Parser(argparse.ArgumentParser):
    """A parser that says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}\n")


def main(arguments: Sequence[str] | None = None, experiments: Experiments | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        What follows the program's name; from the command line if not given.
    experiments : sequence of Experiment, optional
        What there is to run; all of the study if not given.

    Returns
    -------
    int
        Exit status: 0, 1 if a claim fails, a result is stale or a cluster cannot be used, 2 for bad input, 130 when
        interrupted, 143 when terminated.
    """
    options = _parser().parse_args(arguments)
    try:
        known = _study() if experiments is None else experiments
        status = int(options.command(options, _chosen(options.names, known)))
        if sys.stdout is not None:  # closed by whoever started us
            sys.stdout.flush()
        return status
    except BadInput as reason:
        return _complain(str(reason), 2)
    except ClusterError as reason:
        return _complain(str(reason), 1)
    except KeyboardInterrupt as stopped:
        return _complain("interrupted", 128 + signal_of(stopped))
    except BrokenPipeError:  # the reader, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as reason:
        return _complain(f"{reason.filename}: {reason.strerror}; no file is half written", 1)


def list_all(options: argparse.Namespace, experiments: Experiments) -> int:
    """Print every name and question."""
    width = max((len(experiment.name) for experiment in experiments), default=0)
    for experiment in experiments:
        print(f"{experiment.name:<{width}}  {experiment.question}")
    return 0


def run_each(options: argparse.Namespace, experiments: Experiments) -> int:
    """Run experiments one after the other, print what came out, and keep it."""
    overrides = {} if options.throws is None else {"throws": options.throws}
    size: Size = "smoke" if options.smoke else "full"
    for experiment in experiments:  # all are looked at before the first is run
        _refuse_bad_parameters(experiment, size, overrides)
    as_declared = not (options.smoke or overrides) and options.seed is None
    folder = _folder(options.results, as_declared)
    bars = sys.stderr.isatty() and not options.plain
    expected = expected_seconds(experiments, RESULTS) if as_declared else [None] * len(experiments)
    statuses: dict[str, int] = {}
    try:
        with (
            workers(options.cluster) as executor,
            working(executor, progress=bars),
            closing(followed(experiments, size, expected, bars=bars)) as turns,
        ):
            for experiment in turns:
                statuses[experiment.name] = _run_one(experiment, size, overrides, options, folder)
    except KeyboardInterrupt as stopped:
        finished = f"finished: {', '.join(statuses) or 'none'}; go on with --resume"
        return _complain(f"interrupted; {finished}", 128 + signal_of(stopped))
    return max(statuses.values(), default=0)


def check_each(options: argparse.Namespace, experiments: Experiments) -> int:
    """Hold the kept results against the code, whose smoke sizes are run for it, and ask every claim."""
    folder, began = options.results or RESULTS, time.perf_counter()
    wrong = [experiment.name for experiment in experiments if not _stands(experiment, folder)]
    spent = time.perf_counter() - began
    verdict = f"not in order: {', '.join(wrong)}" if wrong else "all belong to this code, all claims hold"
    print(f"{len(experiments)} results looked at in {spent:.1f} s: {verdict}")
    return 1 if wrong else 0


def report(options: argparse.Namespace, experiments: Experiments) -> int:
    """Print the reproduction table in Markdown, put it and the answers into a page, or write the page of all."""
    folder = options.results or RESULTS
    if options.page is not None:
        _write_page(experiments, options.page, folder)
    if options.into is not None:
        _fill(options.into, {"report": reproduction_table(experiments, folder), "answers": answers_list(folder)})
    if options.page is None and options.into is None:
        print(reproduction_table(experiments, folder))
    return 0


def _write_page(experiments: Experiments, target: Path, folder: Path) -> None:
    if not target.is_dir():
        raise BadInput(f"--page {target}: there is no such folder")
    from experiments.page import write_page

    for path in write_page(experiments, target, folder):
        print(path)


def _fill(target: Path, parts: dict[str, str]) -> None:
    try:
        text = target.read_text(encoding="utf-8")
        for name, part in parts.items():
            text = with_table(text, part, name)
    except (OSError, ValueError) as reason:
        raise BadInput(f"{target}: {reason}") from None
    write_whole(target, lambda part: part.write_text(text, encoding="utf-8"))


def _study() -> Experiments:
    from experiments.registry import EXPERIMENTS

    return EXPERIMENTS


def _parser() -> Parser:
    parser = Parser(prog="experiments", description="The measurements of the study.", allow_abbrev=False)
    commands = parser.add_subparsers(required=True, metavar="list | run | check | report")
    _command(commands, list_all, "list", "names and questions").set_defaults(names=[])
    running = _command(commands, run_each, "run", "run experiments, all of them if none is named")
    checking = _command(commands, check_each, "check", "hold the kept results against the code and its claims")
    reporting = _command(commands, report, "report", "the reproduction table, in Markdown")
    for command in (running, checking, reporting):
        command.add_argument("names", nargs="*", metavar="NAME", help="an experiment")
        command.add_argument("--results", type=Path, metavar="DIR", help="folder of the result files")
    reporting.add_argument("--into", type=Path, metavar="PAGE", help="put table and answers between this page's marks")
    page = "write report.md and report.html, to the results or to DIR"
    reporting.add_argument("--page", type=Path, nargs="?", const=RESULTS, metavar="DIR", help=page)
    running.add_argument("--resume", action="store_true", help="keep results that this very code has made already")
    running.add_argument("--plain", action="store_true", help="no progress bar, but a line for each experiment")
    add_cluster_option(running)
    running.add_argument("--smoke", action="store_true", help="the size that takes a second")
    running.add_argument("--throws", type=_throws, metavar="N", help="another number of throws")
    running.add_argument("--seed", type=_seed, metavar="S", help="another seed")
    return parser


def _command(commands: Any, function: Any, name: str, text: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(name, help=text, description=text, allow_abbrev=False)
    parser.set_defaults(command=function)
    return parser


def _throws(text: str) -> int:
    if text.isdecimal() and len(text) <= 13 and 1 <= int(text) <= MOST_THROWS:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not a number of throws: a whole number from 1 to 10**12")


def _seed(text: str) -> int:
    if text.isdecimal() and len(text) <= 39:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not a seed: a whole number from 0 up")


def _chosen(names: Sequence[str], known: Experiments) -> Experiments:
    by_name = {experiment.name: experiment for experiment in known}
    for name in names:
        if name not in by_name:
            raise BadInput(f"no experiment is called {name!r}; there are: {', '.join(by_name) or 'none'}")
    return [by_name[name] for name in dict.fromkeys(names)] or known


def _refuse_bad_parameters(experiment: Experiment[Any], size: Size, overrides: dict[str, int]) -> None:
    try:
        configure(experiment, size, overrides)
    except ValueError as reason:
        raise BadInput(str(reason)) from reason


def _folder(asked: Path | None, as_declared: bool) -> Path:
    folder = asked or (RESULTS if as_declared else RESULTS / SCRATCH)
    if not as_declared and folder.resolve() == RESULTS.resolve():
        raise BadInput(f"{folder} keeps results of the declared size and seed; name another folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as reason:
        raise BadInput(f"--results {folder}: {reason.strerror or reason}; name a folder to write to") from reason
    return folder


def _run_one(
    experiment: Experiment[Any], size: Size, overrides: dict[str, int], options: argparse.Namespace, folder: Path
) -> int:
    try:
        declaration = declare(experiment, configure(experiment, size, overrides), options.seed)
        if options.resume and (kept := _kept(experiment, declaration, folder)):
            return _show(experiment, kept, folder / f"{experiment.name}.json")
        result = run(experiment, size, overrides, seed=options.seed)
        path = _keep(experiment, result, folder)
        return _show(experiment, result, path)
    except REFUSALS as reason:
        return _complain(_one_line(experiment, reason), 1)


def _kept(experiment: Experiment[Any], declaration: dict[str, Any], folder: Path) -> Result | None:
    """The result in the folder, if this very code has made it: the same commit, with nothing changed since."""
    try:
        result = load(experiment.name, folder)
    except (OSError, ValueError):
        return None
    code = commit()
    same = code is not None and not code["changed"] and result.provenance.get("code") == code
    return result if same and result.declaration == declaration else None


def _keep(experiment: Experiment[Any], result: Result, folder: Path) -> Path:
    path = save(result, folder)
    if image := draw(experiment, result.rows):
        write_whole(path.with_suffix(".png"), lambda part: part.write_bytes(image))
    return path


def _show(experiment: Experiment[Any], result: Result, path: Path) -> int:
    judged = ask(experiment, result.rows)
    as_declared = result.declaration == declare(experiment)
    lines = [
        f"{experiment.name}: {experiment.question}",
        describe(result.rows),
        "" if as_declared else "  (another size or seed than declared: its claims are asked, but decide nothing)",
        verdicts(judged, result.rows),
        f"  {result.when['seconds']} s, seed {result.declaration['seed']}, kept in {path}",
    ]
    say("\n".join(line for line in lines if line) + "\n")
    return 1 if as_declared and not all(judgement.holds for judgement in judged) else 0


def _stands(experiment: Experiment[Any], folder: Path) -> bool:
    try:
        standing = examine(experiment, folder)
    except (OSError, ValueError) as reason:
        _complain(_one_line(experiment, reason), 1)
        return False
    for text in standing.failing:
        _complain(f"{experiment.name}: the claim fails: {text}", 1)
    print(standing, flush=True)
    return not standing.failing


def _one_line(experiment: Experiment[Any], reason: BaseException) -> str:
    text = " ".join(str(reason).split())
    if not isinstance(reason, ValueError | OSError):  # a bare KeyError says nothing but the key
        text = f"{type(reason).__name__} {text}"
    return text if text.startswith(f"{experiment.name}:") else f"{experiment.name}: {text}"


def _complain(text: str, status: int) -> int:
    say(f"experiments: {text}", error=True)
    return status
