"""The project as a whole: its credits, imports, sizes, examples and versions."""

import ast
import doctest
import re
import statistics
import subprocess
import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import pytest

import dicesim
from tests.credits import Credit, dataclasses_of, declared, faults, read, tally, unmarked
from tests.docstrings import complaints, public_names

ROOT = Path(__file__).parents[1]
CREDITS = (ROOT / "CREDITS.txt").read_text(encoding="utf-8")
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

# Where constants live: every number there says where it is from.
CONSTANT_MODULES = ("dicesim.parameters", "dicesim.releases")


def python_files(*folders: str) -> list[Path]:
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


# Credits


@pytest.fixture(scope="module")
def code() -> list[Credit]:
    return [credit for kind in dataclasses_of(dicesim) for credit in declared(kind)]


def test_credits_and_code_agree(code: list[Credit]) -> None:
    assert faults(CREDITS, code) == []


def test_the_constants_number_more_than_the_setup_has(code: list[Credit]) -> None:
    assert len(code) >= 9


def test_every_number_of_the_setup_says_where_it_is_from() -> None:
    kinds = [kind for kind in dataclasses_of(dicesim) if kind.__module__ in CONSTANT_MODULES]
    assert kinds
    assert [name for kind in kinds for name in unmarked(kind)] == []


EDGE = "dicesim.parameters.Die.edge | 0.01905 | m | qualified"
BREAKAGES: dict[str, Callable[[str], str]] = {
    "no line in CREDITS.txt": lambda text: re.sub(rf"^{re.escape(EDGE)}.*\n", "", text, flags=re.M),
    "no such constant": lambda text: text.replace("Die.edge |", "Die.side |"),
    "2 lines": lambda text: re.sub(rf"^({re.escape(EDGE)}.*\n)", r"\1\1", text, flags=re.M),
    "value is": lambda text: text.replace("| 0.01905 |", "| 0.01906 |"),
    "unit is": lambda text: text.replace("| 0.01905 | m |", "| 0.01905 | mm |"),
    "tag is": lambda text: text.replace(EDGE, EDGE.replace("qualified", "documented")),
    "unknown tag": lambda text: text.replace(EDGE, EDGE.replace("qualified", "guessed")),
    "source is": lambda text: text.replace(f"{EDGE} | ", f"{EDGE} | It is said that "),
    "tally:": lambda text: re.sub(r"^total +\d+", "total 1000", text, flags=re.M),
}


@pytest.mark.parametrize("complaint", BREAKAGES)
def test_a_broken_credit_is_reported(complaint: str, code: list[Credit]) -> None:
    broken = BREAKAGES[complaint](CREDITS)
    assert broken != CREDITS
    assert any(complaint in fault for fault in faults(broken, code))


class Mark(NamedTuple):
    unit: str
    tag: str
    source: str


@dataclass(frozen=True)
class Stub:
    length: Annotated[float, Mark("m", "derived", "a rule")] = 0.5
    rate: "Annotated[float, Mark('1/s', 'measured', 'a clock')]" = 2.0
    place: Annotated[tuple[float, float], Mark("m", "calibrated", "a fit")] = field(default_factory=lambda: (0, 1))
    bare: float = 3.0
    name: str = "stub"


@dataclass(frozen=True)
class Heir(Stub):
    rate: Annotated[float, Mark("1/s", "measured", "a better clock")] = 2.5


def test_marks_are_found_however_they_are_written() -> None:
    where = f"{__name__}.Stub"
    assert declared(Stub) == [
        Credit(f"{where}.length", 0.5, "m", "derived", "a rule"),
        Credit(f"{where}.rate", 2.0, "1/s", "measured", "a clock"),
        Credit(f"{where}.place", (0, 1), "m", "calibrated", "a fit"),
    ]
    assert declared(Heir) == [Credit(f"{__name__}.Heir.rate", 2.5, "1/s", "measured", "a better clock")]
    assert unmarked(Stub) == [f"{where}.bare"]


def test_values_are_read_as_they_are_written() -> None:
    lines = ["a.B.c | 1/2000 | s | derived | x", "a.B.d | (0, 0.5) | m | measured | y | z", "prose", ""]
    credits = read("\n".join(["Constants", "---------", *lines, "Tally", "-----"]))
    assert credits == [
        Credit("a.B.c", 1 / 2000, "s", "derived", "x"),
        Credit("a.B.d", (0, 0.5), "m", "measured", "y | z"),
    ]
    assert {tag: n for tag, n in tally(credits).items() if n} == {"measured": 1, "derived": 1, "total": 2}


# Docstrings (the package's own are a step of `make test`)


def poorly_documented(x: float) -> float:
    """double a number"""
    return 2 * x


def test_a_poor_docstring_is_reported() -> None:
    codes = {line.split()[1] for line in complaints([f"{__name__}.poorly_documented"])}
    assert codes == {"SS02", "SS03", "PR01", "RT01", "EX01"}


def test_public_names_are_found() -> None:
    assert {"dicesim.parameters.Die", "dicesim.solids.relabel_faces"} <= set(public_names(dicesim))


# Imports and sizes


def test_importing_dicesim_loads_none_of_the_heavy_libraries() -> None:
    heavy = {"numba", "numpy", "scipy", "matplotlib", "pandas", "tqdm", "distributed", "asyncio"}
    program = f"import sys, dicesim; print(*sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_no_file_has_a_second_noun_in_it() -> None:
    lengths = {
        path: len(path.read_text(encoding="utf-8").splitlines())
        for path in python_files("benchmarks", "dicesim", "experiments", "tests")
    }
    assert [
        f"{path.relative_to(ROOT)}: {n} lines" for path, n in lengths.items() if n > 400 and path.name != "kernel.py"
    ] == []


def length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Count the lines of a function from its `def` on, its docstring left out."""
    assert function.end_lineno is not None
    first = function.body[0]
    documented = ast.get_docstring(function, clean=False) is not None
    docstring = (first.end_lineno or 0) - first.lineno + 1 if documented else 0
    return function.end_lineno - function.lineno + 1 - docstring


def test_functions_are_short() -> None:
    trees = [
        ast.parse(path.read_text(encoding="utf-8")) for path in python_files("benchmarks", "dicesim", "experiments")
    ]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    lengths = [length(node) for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    assert statistics.median(lengths) < 10
    assert statistics.quantiles(lengths, n=10)[-1] < 30


# README


def python_blocks(text: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", text, flags=re.M | re.S)


def run_blocks(blocks: list[str]) -> doctest.TestResults:
    """Run the blocks in turn as one session; a block without prompts is run as it stands."""
    names: dict[str, Any] = {"__name__": "README"}
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    for number, block in enumerate(blocks, 1):
        if ">>>" not in block:
            exec(compile(block, f"README block {number}", "exec"), names)
            continue
        examples = doctest.DocTestParser().get_doctest(block, names, f"README block {number}", "README.md", 0)
        runner.run(examples, clear_globs=False)
        names.update(examples.globs)
    return runner.summarize(verbose=False)


def test_the_examples_of_the_readme_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    readme = ROOT / "README.md"
    blocks = python_blocks(readme.read_text(encoding="utf-8"))
    monkeypatch.chdir(tmp_path)  # what an example saves goes there
    assert run_blocks(blocks).failed == 0


def test_a_wrong_example_is_caught(capsys: pytest.CaptureFixture[str]) -> None:
    text = "```python\nx = 2\n```\nprose\n```python\n>>> x + 1\n3\n>>> x + 2\n5\n```\n"
    assert run_blocks(python_blocks(text))[:2] == (1, 2)
    assert "Expected:\n    5" in capsys.readouterr().out


# Versions and packaging


def test_one_version_everywhere() -> None:
    version = PROJECT["project"]["version"]
    cited = re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), flags=re.M)
    logged = re.search(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.M)
    assert cited
    assert cited[1] == version
    assert logged
    assert logged[1] in ("Unreleased", version)


def test_the_wheel_holds_the_typed_packages_alone() -> None:
    packages = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert set(packages) <= {"dicesim", "liarsdice"}
    assert all((ROOT / package / "py.typed").exists() for package in packages)
