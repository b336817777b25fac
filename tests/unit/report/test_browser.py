"""Reports in a real browser, as people open them: on a phone or a desk, light or dark, with or without scripts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import made
import msgspec
import pytest
from test_html import HOSTILE, hostile_history, hostile_result

from harness.history.events import End, Fault
from harness.history.history import History
from harness.report import html
from harness.report.text import visible
from harness.result import Result
from harness.unfinished import NOTE
from tests import browser
from tests.browser import Browser, Tab

pytestmark = [
    pytest.mark.xdist_group("browser"),
    pytest.mark.skipif(
        browser.program() is None, reason="no Chromium on PATH or in HARNESS_CHROMIUM: apt install chromium"
    ),
]
WIDTHS = (375, 1440)


def cut_short() -> History:
    """A run that was interrupted after its first fault."""
    whole = made.worker_kill()
    notes = tuple(note for note in whole.columns.notes if note.t < made.at(12) and not isinstance(note, End))
    early = whole.columns.t < made.at(12)
    columns = {name: getattr(whole.columns, name)[early] for name in ("t", "kind", "job", "who", "run", "num", "text")}
    return History(msgspec.structs.replace(whole.columns, notes=notes, **columns))


def missed() -> History:
    fault = Fault(t=made.at(3), n=0, fault="kill_worker", state="missed", says="there was no effect")
    return made.history(fault, End(t=made.at(9)))


def reports() -> dict[str, tuple[Result, History]]:
    """A report of each kind of run."""
    held, failed, undecided, *_ = made.verdicts()
    lost = msgspec.structs.replace(failed, invariant="no_lost_jobs")
    return {
        "passing": (made.result(held), made.worker_kill()),
        "failing": (made.result(), made.worker_kill()),
        "inconclusive": (made.result(undecided), missed()),
        "interrupted": (msgspec.structs.replace(made.result(undecided, lost), notes=(NOTE,)), cut_short()),
        "hostile": (hostile_result(), hostile_history()),
    }


REPORTS = reports()


@pytest.fixture(scope="module")
def running() -> Iterator[Browser]:
    with browser.browser(browser.program() or "") as one:
        yield one


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pages = tmp_path_factory.mktemp("pages")
    for name, (result, history) in REPORTS.items():
        (pages / f"{name}.html").write_text(
            html.render(result, history, scenario=HOSTILE if name == "hostile" else "a: 1")
        )
    return pages


def shown(tab: Tab, selector: str) -> str:
    """The text of an element as it is seen: an element of no size shows nothing."""
    return str(
        tab.evaluate(
            "(one => one && one.offsetWidth && one.offsetHeight ? one.innerText : '')"
            f"(document.querySelector('{selector}'))"
        )
    )


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", REPORTS)
def test_a_report_opens_whole_at_every_width(running: Browser, folder: Path, name: str, width: int, dark: bool) -> None:
    tab = running.tab()
    tab.open(folder / f"{name}.html", width=width, dark=dark)
    result = REPORTS[name][0]
    assert tab.evaluate("[document.documentElement.scrollWidth, innerWidth]") == [width, width]
    assert result.value in shown(tab, "h1 .badge")
    assert shown(tab, ".says") == visible(result.says)
    assert tab.errors == []
    assert [url for url in tab.requests if not url.startswith("file:")] == [] and len(tab.requests) == 1


@pytest.mark.parametrize("name", ["failing", "hostile"])
def test_everything_can_be_read_without_scripts(running: Browser, folder: Path, name: str) -> None:
    tab = running.tab()
    tab.open(folder / f"{name}.html", width=375, script=False)
    text = shown(tab, "body")
    for expected in ("What was broken", "Expected", "Observed", "Examined", "Witnesses", "Over time", "Run it again"):
        assert expected in text
    assert tab.evaluate("document.querySelectorAll('.chart path.line').length") > 0
    assert "Look closer" not in text


def test_a_hostile_key_is_text_and_runs_nothing(running: Browser, folder: Path) -> None:
    tab = running.tab()
    tab.call("Page.enable")
    tab.call("Page.addScriptToEvaluateOnNewDocument", source="window.alert = () => { window.struck = true; };")
    tab.open(folder / "hostile.html", width=1440)
    assert tab.evaluate("[document.scripts.length, document.images.length, window.struck === true]") == [1, 0, False]
    assert visible(HOSTILE) in shown(tab, ".witness h5")
    assert visible(HOSTILE) in str(tab.evaluate("document.querySelector('.strip').getAttribute('aria-label')"))
    tab.evaluate(
        "document.querySelector('#chart-downstream .plot').dispatchEvent(pointed())".replace("pointed()", POINTED)
    )
    assert visible(HOSTILE) in shown(tab, "#chart-downstream .tip")
    assert (tab.errors, tab.evaluate("document.images.length")) == ([], 0)


POINTED = "new PointerEvent('pointermove', {clientX: 400, clientY: 400, bubbles: true})"


def test_pointing_reads_values_and_a_fault_is_looked_at_closer(running: Browser, folder: Path) -> None:
    tab = running.tab()
    tab.open(folder / "failing.html", width=1440)
    assert "Look closer: whole run 1 kill_worker 2 downstream_refuses" in " ".join(shown(tab, ".tools").split())
    tab.evaluate(f"document.querySelector('#chart-jobs .plot').dispatchEvent({POINTED})")
    assert re.fullmatch(r"[\d.]+ s: offered 20, acked 20, completed \d+", shown(tab, "#chart-jobs .tip"))
    labels = "[...document.querySelectorAll('#chart-jobs .xs .x')].map(one => one.textContent)"
    assert tab.evaluate(labels) == ["0", "10", "20", "30", "40"]
    tab.evaluate("[...document.querySelectorAll('.tools button')].find(one => one.textContent.startsWith('2')).click()")
    assert tab.evaluate(labels) == ["20", "25", "30"]
    box = tab.evaluate("document.querySelector('#chart-jobs .plot svg').getAttribute('viewBox').split(' ').map(Number)")
    assert 400 < box[0] < 22 / 46.5 * 1000 < 27 / 46.5 * 1000 < box[0] + box[2] < 800
    tab.evaluate(
        "document.querySelector('#chart-jobs .plot').dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape'}))"
    )
    assert (tab.evaluate(labels)[0], tab.errors) == ("0", [])


def test_a_printed_report_has_everything_open_and_no_buttons(running: Browser, folder: Path) -> None:
    tab = running.tab()
    tab.open(folder / "failing.html", width=1440)
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    tab.call("Emulation.setEmulatedMedia", media="print")
    assert tab.evaluate("[...document.querySelectorAll('details')].every(one => one.open)")
    assert shown(tab, ".tools") == shown(tab, "nav") == ""
    printed = tab.call("Page.printToPDF", printBackground=False)["data"]
    assert len(printed) > 10_000


def test_each_report_can_be_told_by_a_screen_reader(running: Browser, folder: Path) -> None:
    tab = running.tab()
    tab.open(folder / "failing.html", width=1440)
    tab.call("Accessibility.enable")
    nodes = tab.call("Accessibility.getFullAXTree")["nodes"]
    roles = [node["role"]["value"] for node in nodes if not node["ignored"]]
    assert {"banner", "main", "navigation", "heading", "table", "columnheader"} <= set(roles)
    named = [
        node["name"]["value"] for node in nodes if not node["ignored"] and node["role"]["value"] in ("image", "img")
    ]
    assert len(named) > 10 and all(named)
    regions = {node["name"]["value"] for node in nodes if not node["ignored"] and node["role"]["value"] == "region"}
    assert {"What was broken", "Invariants", "Over time", "Run it again"} <= regions
