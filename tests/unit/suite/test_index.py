"""The index: every run, its trends, what is flaky; nothing in it acts, and it filters in a real browser."""

from __future__ import annotations

import base64
import hashlib
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as xml

import pytest

from harness.cell import Cell
from harness.report.suite import index
from harness.report.suite.spark import Dot, spark
from harness.suite.journal import Ended, Journal
from tests.unit.archive.folders import begun, run

HOSTILE = "</td><script>alert(1)</script>|`x`\x1b[31m\u202e\"'"
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or ""


class Read(HTMLParser):
    """The rows of the page's tables: of each table the text of each cell of its body."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tables: list[list[list[str]]] = []
        self.tags: list[str] = []
        self.links: list[str] = []
        self._in_body = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self._in_body = self._in_body or tag == "tbody"
        self.links += [value or "" for name, value in attrs if name == "href"]
        if tag == "tbody":
            self.tables.append([])
        elif tag in ("tr", "td") and self._in_body:
            self.tables[-1].append([]) if tag == "tr" else self.tables[-1][-1].append("")

    def handle_endtag(self, tag: str) -> None:
        self._in_body = self._in_body and tag != "tbody"

    def handle_data(self, data: str) -> None:
        if self._in_body and self.tables[-1] and self.tables[-1][-1]:
            self.tables[-1][-1][-1] += data.rstrip("\n")


def at(hour: int) -> dict[str, object]:
    return {"started": f"2026-11-18T{hour:02}:00:00+0000"}


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    """Two runs of a kind that is flaky, a broken variant that was caught, and one that was killed."""
    run(tmp_path, "a", **at(10))
    run(tmp_path, "b", **at(11), value="FAIL", says="1 job was lost.", measurements={"throughput": 10.0, "drain": 0.5})
    run(tmp_path, "c", **at(12), value="FAIL", target="rq", command="harness run kill.yaml --variant broken --quick")
    begun(tmp_path, "20261118T130000-kill-memory-0000ad")
    with Journal(str(tmp_path)) as journal:
        cell = Cell("kill.yaml", "rq", variant="broken")
        journal.write(Ended(cell, "d", 1, "pass", 0, "", run="c", value="FAIL", beside=1))
    return tmp_path


def test_the_index_has_every_run_newest_first_with_its_figures(reports: Path) -> None:
    page = Read(Path(index.write(str(reports))).read_text())
    assert page.tables[1] == [
        [
            *("! interrupted", "kill", "memory", "", "", "", "", "", ""),
            *("It was killed before it came to a result.", "", "3", "2026-11-18 13:00:00"),
        ],
        [
            *("\u2717 FAIL as expected beside 1 other", "kill broken quick", "rq", "20", "50 ms", "2 s", "", "", "0"),
            *("All held.", "2 s", "1", "2026-11-18 12:00:00"),
        ],
        [
            *("\u2717 FAIL \u2248 flaky", "kill", "memory", "10", "", "", "500 ms", "", ""),
            *("1 job was lost.", "2 s", "1", "2026-11-18 11:00:00"),
        ],
        [
            *("\u2713 PASS \u2248 flaky", "kill", "memory", "20", "50 ms", "2 s", "", "", "0"),
            *("All held.", "2 s", "1", "2026-11-18 10:00:00"),
        ],
    ]
    assert page.links == ["20261118T130000-kill-memory-0000ad/", *(f"{name}/report.html" for name in "cba")]


def test_a_kind_that_was_judged_twice_has_a_trend(reports: Path) -> None:
    page = Read(Path(index.write(str(reports))).read_text())
    ((kind, target, verdicts, throughput, *_),) = page.tables[0]
    assert (kind, target, verdicts) == ("kill", "memory", "\u2713\u2717 \u2248 flaky")
    assert throughput == "10jobs completed a second, 2 runs: 10 to 20, last 10"


def test_a_line_breaks_where_the_scenario_or_the_target_was_changed() -> None:
    drawn = xml.fromstring(spark("drain", [Dot(1, "x"), Dot(2, "x"), Dot(4, "y", bad=True), Dot(4, "y"), Dot(1, "z")]))
    lines = [one.attrib["points"] for one in drawn if one.tag == "polyline"]
    assert lines == ["4,17.5 30,13.0", "55,4.0 80,4.0"]
    assert [one.attrib["class"] for one in drawn if one.tag == "circle"] == ["last", "bad", "last"]
    assert drawn.attrib["aria-label"] == "time to drain after load and faults, 5 runs: 1 s to 4 s, last 1 s"


@pytest.mark.parametrize("values", [[], [3.0], [0.0, 0.0]])
def test_where_there_is_no_trend_nothing_is_drawn(values: list[float]) -> None:
    assert spark("lost", [Dot(value) for value in values]) == ""


def test_a_very_long_list_says_what_it_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "MOST", 2)
    for hour in range(5):
        run(tmp_path, f"{hour}", **at(hour))
    page = Path(index.write(str(tmp_path))).read_text()
    assert "3 older runs are left out" in page
    assert [row[-1][11:13] for row in Read(page).tables[1]] == ["04", "03"]


def test_nothing_in_the_index_acts_or_loads(tmp_path: Path) -> None:
    every = {name: HOSTILE for name in ("scenario", "target", "preset", "says", "started", "fingerprint")}
    command = "harness run x --variant '<img src=x>' --set '<img src=y>'"
    for name in ('x"><img src=x onerror=alert(1)>', "y"):
        run(tmp_path, name, **every, command=command)
    begun(tmp_path, "<svg onload=alert(1)>")
    page = Path(index.write(str(tmp_path))).read_text()
    read = Read(page)
    assert set(read.tags) >= {"svg", "form"} and "img" not in read.tags and read.tags.count("script") == 1
    assert not re.search(r"[\x00-\x09\x0b-\x1f\u202e]", page)
    assert "http://" not in page and "https://" not in page
    assert "prefers-color-scheme: dark" in page


def test_the_one_script_is_the_one_that_the_page_allows() -> None:
    page = index.render([])
    script = page.split("<script>")[1].split("</script>")[0]
    assert f"sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}" in page


@pytest.mark.skipif(not BROWSER, reason="no chromium here")
@pytest.mark.parametrize(
    ("chosen", "shown"),
    [
        ("", ["interrupted", "FAIL", "FAIL", "PASS"]),
        ("#verdict=flaky&target=memory", ["FAIL", "PASS"]),
        ("#scenario=kill&target=nobody&words=lost+job", ["FAIL"]),
    ],
)
def test_a_browser_filters_by_scenario_target_verdict_and_words(
    reports: Path, chosen: str, shown: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    page = Path(index.write(str(reports))).as_uri()
    profile = tmp_path_factory.mktemp("profile")
    quiet = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
    words = [BROWSER, *quiet.split(), "--disable-component-update", "--disable-sync", f"--user-data-dir={profile}"]
    words += ["--dump-dom", page + chosen]
    ended = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True)
    rows = re.findall(r"<tr ([^>]*)>", ended.stdout.split('<tbody id="runs"')[1])
    verdicts = [re.search(r'data-verdicts="([^"|]*)', row) for row in rows if " hidden" not in f" {row}"]
    assert [found[1] for found in verdicts if found] == shown
    assert f'aria-live="polite">{len(shown)}<' in ended.stdout
    assert '<form id="filter">' in ended.stdout
