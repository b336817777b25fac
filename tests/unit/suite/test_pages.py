"""JUnit, Markdown, text and the index say the same of a suite, and no name can act on their reader."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as xml

from harness.cell import Cell
from harness.report.suite import index, junit, markdown, text
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


def run_folder(reports: Path, name: str, **result: object) -> None:
    (reports / name / "events").mkdir(parents=True)
    if result:
        (reports / name / "result.json").write_text(json.dumps({"run": name, **result}))
        (reports / name / "report.html").write_text("x")


def test_the_index_has_every_run_of_the_folder_newest_first(tmp_path: Path) -> None:
    passed = {"scenario": "kill", "target": "celery", "value": "PASS", "says": "held", "seconds": 2.0}
    run_folder(tmp_path, "2026-a", **passed)
    caught = passed | {"value": "FAIL", "command": "harness run kill.yaml --variant broken"}
    run_folder(tmp_path, "2026-b", **caught)
    run_folder(tmp_path, "2026-c")
    (tmp_path / "latest").symlink_to("2026-b")
    (tmp_path / "2026-a" / "events" / "x.jsonl").write_text("")
    journal = [Ended(Cell("kill.yaml", "celery"), "d", 1, "pass", 0, "", run="2026-b", value="FAIL")]
    page = Path(index.write(str(tmp_path), journal)).read_text()
    rows = page.split("<tbody")[1].split("<tr>")[1:]
    assert [row.count("as expected") for row in rows] == [0, 1, 0]
    assert "did not come to a result" in rows[0] and 'href="2026-c/"' in rows[0]
    assert 'href="2026-b/report.html">kill broken<' in rows[1]
    assert "PASS" in rows[2] and "2 s" in rows[2]


def test_nothing_in_the_index_acts_or_loads(tmp_path: Path) -> None:
    hostile = {"scenario": HOSTILE, "target": HOSTILE, "value": "FAIL", "says": HOSTILE, "command": HOSTILE}
    run_folder(tmp_path, 'x"><img src=x onerror=alert(1)>', **hostile)
    page = Path(index.write(str(tmp_path))).read_text()
    assert page.count("<script>") == 1 and "<img" not in page and "\x1b" not in page
    assert (
        "http://" not in page and "https://" not in page and "src=" not in page.replace("src%3D", "").split("<tbody")[0]
    )
    assert "prefers-color-scheme: dark" in page


def test_the_one_script_is_the_one_that_the_page_allows() -> None:
    import base64
    import hashlib

    page = index.render([])
    script = page.split("<script>")[1].split("</script>")[0]
    assert f"sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}" in page
