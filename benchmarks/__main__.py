"""The command line of the benchmark: ``python -m benchmarks``."""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.peers import PEERS, RESULTS
from benchmarks.report import as_markdown, as_text
from dicesim._files import write_whole
from experiments.cli import Parser
from experiments.experiment import Experiment, Result, ask, load, run, save
from experiments.report import draw, verdicts, with_table

SCRATCH = "scratch"  # below the results: runs of the small size, kept out of git
MARK = "benchmarks"


def main(arguments: Sequence[str] | None = None, benchmark: Experiment[Any] = PEERS) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        What follows the program's name; from the command line if not given.
    benchmark : Experiment
        What is run.

    Returns
    -------
    int
        Exit status: 0, whether bars are kept or not; 1 if something cannot be measured, read or written; 2 for bad
        input; 130 when interrupted.
    """
    options = _parser().parse_args(arguments)
    logging.basicConfig(format="%(message)s", level=logging.INFO)
    folder = options.results or (RESULTS / SCRATCH if options.smoke else RESULTS)
    try:
        result = load(benchmark.name, folder) if options.kept else _measured(benchmark, options.smoke, folder)
        _show(benchmark, result)
        if options.into is not None:
            _fill(options.into, result)
    except KeyboardInterrupt:
        return _complain("interrupted; nothing is half written", 130)
    except FileNotFoundError as reason:
        return _complain(f"{folder / benchmark.name}.json: no result yet; make bench" if options.kept else reason, 1)
    except (ValueError, OSError) as reason:
        return _complain(reason, 1)
    return 0


def _parser() -> Parser:
    parser = Parser(prog="benchmarks", description="Throws per CPU-second, here and elsewhere.", allow_abbrev=False)
    parser.add_argument("--results", type=Path, metavar="DIR", help="folder of the result file")
    parser.add_argument("--into", type=Path, metavar="PAGE", help="put the tables between the marks of this page")
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--smoke", action="store_true", help="a small size, to see that it works")
    size.add_argument("--kept", action="store_true", help="measure nothing, show what is kept")
    return parser


def _measured(benchmark: Experiment[Any], smoke: bool, folder: Path) -> Result:
    result = run(benchmark, "smoke" if smoke else "full")
    path = save(result, folder)
    if image := draw(benchmark, result.rows):
        write_whole(path.with_suffix(".png"), lambda part: part.write_bytes(image))
    return result


def _show(benchmark: Experiment[Any], result: Result) -> None:
    print(f"{benchmark.question}\n\n{as_text(result)}\n")
    print(verdicts(ask(benchmark, result.rows), result.rows), flush=True)


def _fill(page: Path, result: Result) -> None:
    text = with_table(page.read_text(encoding="utf-8"), as_markdown(result), MARK)
    write_whole(page, lambda part: part.write_text(text, encoding="utf-8"))


def _complain(reason: object, status: int) -> int:
    print(f"benchmarks: {' '.join(str(reason).split())}", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
