"""The report as one page: made of the kept results, whole, readable without another file, and the same each time."""

from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import experiments.cli as cli
from experiments.corrections import CORRECTIONS, Correction
from experiments.experiment import RESULTS, Experiment, run, save
from experiments.limits import LIMITS, Limit
from experiments.page import as_html, page, write_page
from experiments.registry import EXPERIMENTS
from experiments.report import draw, number_tables
from tests.toys import BOTH, COINS, EVEN, NEVER, bars, claiming

VOID = {"meta", "img", "br", "hr"}


class Document(HTMLParser):
    """The tags of a document, which must close what they open."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def all(self, tag: str, attribute: str) -> list[str | None]:
        return [attributes[attribute] for name, attributes in self.seen if name == tag and attribute in attributes]


DRAWN = replace(COINS, figure=bars)


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A folder that holds the result of DRAWN and its figure."""
    result = run(DRAWN)
    image = draw(DRAWN, result.rows)
    assert image
    (save(result, tmp_path).with_suffix(".png")).write_bytes(image)
    return tmp_path


def written(experiments: Any, target: Path, folder: Path) -> tuple[str, str]:
    text, html = write_page(experiments, target, folder)
    return text.read_text(encoding="utf-8"), html.read_text(encoding="utf-8")


def test_a_section_tells_what_was_asked_and_what_came_out(kept: Path) -> None:
    text = page([DRAWN], kept, kept)
    result = run(DRAWN)
    section = text[text.index("### coins") :]
    for part in (
        "**Do coins fall evenly?**",
        f"| {EVEN.text} | a toy | 50 % | {result.rows['heads'] / 10:.1f} % | reproduced |",
        "![Do coins fall evenly? heads come up about half the time.](coins.png)",
        f"| heads | {result.rows['heads']} |",
        "Seed 7; ",
        f"numpy {result.provenance['numpy']}",
        f"outcomes {result.rows['outcome_hash'][:12]}.",
    ):
        assert part in section
    assert "1 experiments make 1 claims, of which 1 hold. Figures that the source gives: 1 reproduced." in text


def test_what_cannot_be_told_is_said_and_decides_no_number(kept: Path) -> None:
    text = page([replace(DRAWN, seed=8), BOTH[1]], kept, kept)
    assert r"coins: stale: run it again (seed changed since)" in text
    assert "sides: no result yet: python -m experiments run sides" in text
    assert "Without a valid result: coins, sides." in text
    assert "| heads |" not in text
    (kept / "coins.json").write_text("{")
    assert str(kept) not in page([DRAWN], kept, kept).replace("\\", "")  # where this checkout is does not matter


def test_a_claim_that_fails_is_told_and_not_counted(kept: Path) -> None:
    wrong = claiming(EVEN, NEVER)
    save(run(wrong), kept)
    text = page([wrong], kept, kept)
    assert "| the claim fails |" in text
    assert "2 claims, of which 1 hold" in text


def test_both_pages_have_the_same_bytes_each_time(kept: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    first = written([DRAWN], kept, kept)
    assert written([DRAWN], kept, kept) == first
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    text, html = written([DRAWN], elsewhere, kept)
    assert f"](../{kept.name}/coins.png)" in text
    assert html == first[1]


def test_words_are_never_taken_for_markup(kept: Path) -> None:
    odd = claiming(replace(EVEN, text="a*b*c | <script>c</script> `d` [e](f)", why="<b>"))
    odd = replace(odd, question="Is *this* <em>so</em>?")
    save(run(odd), kept)
    html = as_html(page([odd], kept, kept), kept)
    document = Document(html)
    assert {"script", "em", "b"} & {tag for tag, _ in document.seen} == set()
    assert document.all("a", "href").count("f") == 0
    assert "&lt;script&gt;c&lt;/script&gt;" in html
    assert "Is *this* &lt;em&gt;so&lt;/em&gt;?" in html


# The study's own


@pytest.fixture(scope="module")
def study() -> tuple[str, str]:
    text = page(EXPERIMENTS, RESULTS)
    return text, as_html(text, RESULTS)


def test_the_page_is_whole_and_needs_no_other_file(study: tuple[str, str]) -> None:
    document = Document(study[1])
    ids = [attributes["id"] for _, attributes in document.seen if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = document.all("a", "href")
    assert len(links) > len(EXPERIMENTS)
    assert {link for link in links if link and link.removeprefix("#") not in ids} == set()
    assert all(alt and len(alt) > 20 for alt in document.all("img", "alt"))
    sources = document.all("img", "src")
    assert len(sources) == len(document.all("img", "alt")) == study[0].count("\n![")
    assert all(str(source).startswith("data:image/png;base64,") for source in sources)
    assert [tag for tag, _ in document.seen if tag in ("script", "link", "iframe")] == []
    assert document.all("html", "lang") == ["en"]
    assert len(study[1]) < 3_000_000


@pytest.mark.parametrize("ending", ["md", "html"])
def test_the_kept_page_tells_of_the_kept_results(study: tuple[str, str], ending: str) -> None:
    kept = (RESULTS / f"report.{ending}").read_text(encoding="utf-8")
    same = kept == study[ending == "html"]
    assert same, "stale: python -m experiments report --page experiments/results"


def test_every_experiment_has_its_section(study: tuple[str, str]) -> None:
    names = [line[4:].replace("\\", "") for line in study[0].splitlines() if line.startswith("### ")]
    assert names[len(CORRECTIONS) :] == [experiment.name for experiment in EXPERIMENTS]


def test_corrections_and_limits_name_experiments() -> None:
    declared = {experiment.name for experiment in EXPERIMENTS}
    shown = {name for correction in CORRECTIONS for name in correction.shown_by}
    named = shown | {name for limit in LIMITS for name in limit.see}
    assert named - declared == set()
    assert len(CORRECTIONS) == 3


def test_a_correction_or_limit_that_nothing_bears_on_is_refused() -> None:
    with pytest.raises(ValueError, match="name the experiments that show it, or say what will"):
        Correction("So it is.", "someone", "imprecise", "It is not.")
    with pytest.raises(ValueError, match="name the experiments that show it, or say what will"):
        Correction("So it is.", "someone", "imprecise", "It is not.", ("coins",), "soon")
    with pytest.raises(ValueError, match="name an experiment that bears on it"):
        Limit("There is no air", "Nothing.", ())


# Numbers


def test_main_numbers_are_laid_out_in_tables() -> None:
    rows = {
        "n": 3,
        "outcome_hash": "ab",
        "mean": {"value": 0.5, "low": 0.25},
        "long": [0] * 99,
        "sweep": [{"e": 0.5, "by": {"x": 1}}, {"e": 1}],
        "none": [],
    }
    single = [["number", "value"], ["n", "3"], ["mean, value", "0.5"], ["mean, low", "0.25"], ["none", ""]]
    assert number_tables(rows) == [("", single), ("sweep", [["e", "by, x"], ["0.5", "1"], ["1", "-"]])]
    assert number_tables([{"n": k} for k in range(30)])[0][1][-2:] == [["23"], ["… 6 more"]]
    assert number_tables({}) == number_tables([]) == []


# The command


def test_report_writes_the_page(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    experiments: tuple[Experiment[Any], ...] = (DRAWN,)
    assert cli.main(["report", "--page", str(kept), "--results", str(kept)], experiments) == 0
    assert capsys.readouterr().out.splitlines() == [str(kept / "report.md"), str(kept / "report.html")]
    Document((kept / "report.html").read_text(encoding="utf-8"))
    assert cli.main(["report", "--page", str(kept / "none")], experiments) == 2
    assert capsys.readouterr().err == f"experiments: --page {kept / 'none'}: there is no such folder\n"
