"""JUnit, Markdown and text say the same of a suite, and no name can act on their reader."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as xml

import pytest

from harness.cell import Cell
from harness.report.suite import junit, markdown, pages, text
from harness.suite.entries import Entry
from harness.suite.journal import Ended, Mark
from harness.suite.standing import Standing, standing

HOSTILE = "</td><script>alert(1)</script>|`x`\x1b[31m\u202e\"'"
CODE: dict[Mark, int] = {"pass": 0, "FAIL": 1, "INCONCLUSIVE": 3, "ERROR": 4}


def cell(target: str, *marks: Mark, scenario: str = "kill.yaml", says: str = "why") -> Standing:
    one = Cell(scenario, target)
    runs = [Ended(one, "d", n, mark, CODE[mark], says, run=f"run-{n}") for n, mark in enumerate(marks, 1)]
    return standing(Entry(one, "d"), runs)


ASIDE = standing(Entry(Cell("kill.yaml", "asynq"), "d", aside="skipped", reason="install go"), [])
STANDINGS = [cell("a", "pass", "pass"), cell("b", "pass", "FAIL"), cell("c", "ERROR"), cell("d"), ASIDE]


def test_every_run_has_a_case_and_what_was_not_run_is_not_green() -> None:
    root = xml.fromstring(junit.render(STANDINGS))
    cases = [(case.attrib["name"], [child.tag for child in case]) for case in root.iter("testcase")]
    assert cases == [
        ("kill on a", []),
        ("kill on a, repeat 2", []),
        ("kill on b", []),
        ("kill on b, repeat 2", ["failure"]),
        ("kill on c", ["error"]),
        ("kill on d", ["error"]),
        ("kill on asynq", ["skipped"]),
    ]
    counts = {"tests": "7", "failures": "1", "errors": "2", "skipped": "1"}
    assert {name: root.attrib[name] for name in counts} == counts


def test_the_table_and_the_troubles() -> None:
    assert text.table(STANDINGS, colour=False) == [
        "      a     asynq    b      c      d",
        "kill  pass  skipped  FLAKY  ERROR  not run",
    ]
    assert list(text.troubles(STANDINGS, "reports", colour=False)) == [
        "",
        "ERROR  kill on c",
        "  why",
        "  report  reports/run-1/report.html",
        "  again   harness run kill.yaml --target c",
        "",
        "FLAKY  kill on b",
        "  of 2 runs: 1 pass, 1 FAIL; why",
        "  report  reports/run-2/report.html",
        "  again   harness run kill.yaml --target b",
    ]
    assert text.passed_over(STANDINGS) == ["skipped  asynq: install go"]
    said = text.total(STANDINGS, 3.0)
    assert said == "5 cells, 5 runs in 3 s: 1 ERROR, 1 FLAKY, 1 not run, 1 pass, 1 skipped"


def test_names_and_reasons_are_shown_and_do_nothing() -> None:
    hostile = [cell(HOSTILE, "FAIL", scenario=f"{HOSTILE}.yaml", says=HOSTILE)]
    summary = markdown.render(hostile, 1.0)
    prose = "\n".join(line for line in summary.splitlines() if not line.startswith("    "))
    assert "<script>" not in prose and "<td>" not in prose
    assert xml.fromstring(junit.render(hostile).encode()) is not None
    shown = "\n".join([*text.table(hostile, False), *text.troubles(hostile, "r", False), summary])
    assert "\x1b" not in shown and "\u202e" not in shown


def test_runs_that_had_others_beside_them_are_told() -> None:
    one = Cell("kill.yaml", "a")
    runs = [Ended(one, "d", n, "pass", 0, "", seconds=2.0, beside=n - 1) for n in (1, 2, 3)]
    beside = [standing(Entry(one, "d"), runs)]
    said = "2 runs had up to 2 beside them: their figures may have been disturbed"
    assert (text.disturbed(beside), text.disturbed(STANDINGS)) == (said, "")
    assert f"\n{said}.\n" in markdown.render(beside, 3.0)
    assert text.total(beside, 0.0) == "1 cell, 3 runs of 6 s together: 1 pass"


def test_a_step_summary_that_cannot_be_written_costs_no_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "none" / "step.md"))
    pages.write(STANDINGS, 3.0, str(tmp_path))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["index.html", "junit.xml", "summary.md"]
    assert capsys.readouterr().err.startswith("harness: nothing was added to GITHUB_STEP_SUMMARY: ")
