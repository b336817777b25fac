"""The page of a comparison: its parts in order, intervals as they are, both runs in each chart."""

from __future__ import annotations

import re
from xml.etree import ElementTree as xml

import pytest

from harness.compare import html, overlay, page
from harness.compare.allowance import allowances
from harness.compare.comparison import Comparison, compare
from tests.unit.compare.pairs import run
from tests.unit.invariants.histories import Tale

SLOW = [1.2, 1.21, 1.19, 1.2, 1.22, 1.18]


@pytest.fixture
def comparison() -> Comparison:
    verdicts = [{"x": "PASS", "y": "PASS"}, {"x": "FAIL", "y": "PASS"}]
    pairs = [
        (run(verdicts[0], {"latency.p95": 1.0}), run(verdicts[1], {"latency.p95": value}, knobs={"lease": 5.0}))
        for value in SLOW
    ]
    allowed = allowances(["latency.p95=5%"])
    return compare(pairs, a="as it is", b="lease=5s", allowed=allowed, warnings=["beware"], command="harness compare s")


def drawn() -> str:
    a = Tale().done("x", at=0, finish=1).fault("cut", 2, healed=4).done("y", at=5, finish=6).ended()
    b = Tale().done("x", at=0, finish=2).done("y", at=5, finish=9).ended()
    return overlay.render(a, b)


def test_claims_stand_before_figures_and_those_before_charts(comparison: Comparison) -> None:
    text = html.render(comparison, drawn(), shown=("folder", "folder"))
    assert re.findall(r'<section id="(\w+)">', text) == ["claims", "figures", "charts", "settings", "again"]
    assert "REGRESSION: x, latency.p95" in text and "beware" in text and "harness compare s" in text
    assert "worse beyond 5%" in text and "between +184 ms and +216 ms" in text
    assert "The same in every run of A and B: y (PASS)." in text
    assert "<code>lease</code>" in text


def test_the_page_needs_nothing_but_itself(comparison: Comparison) -> None:
    text = html.render(comparison, drawn())
    assert "http" not in text.replace("http-equiv", "") and "<script" not in text and "src=" not in text
    body = text[text.index("<main>") : text.index("</main>") + len("</main>")].replace("&ndash;", "")
    xml.fromstring(body)


def test_an_interval_is_drawn_where_it_lies() -> None:
    pairs = [(run(measured={"drain": 1.0}), run(measured={"drain": value})) for value in SLOW]
    text = html.render(compare(pairs, a="", b="", allowed={}))
    found = re.search(r'aria-label="drain: \+18\.\d% to \+21\.\d% of A".*?M([\d.]+) 13M[\d.]+ 13H([\d.]+)"', text)
    assert found and 500 < float(found[1]) < float(found[2]) <= 1000
    assert "no interval yet" in html.render(compare(pairs[:2], a="", b="", allowed={}))


def test_both_runs_are_in_every_chart_and_are_told_apart_by_shape_and_dash() -> None:
    text = drawn()
    assert text.count("<figure") == 4
    for figure in text.split("<figure")[1:]:
        assert 'class="line a"' in figure and 'class="line b"' in figure
        assert "\u25cf" in figure and "\u25a0" in figure
        assert figure.count('class="fault a"') == 1 and 'class="fault b"' not in figure
    assert "Faults: <b>A</b> cut at 2.0 s to 4.0 s." in text
    assert ".line.b { stroke: var(--b); stroke-dasharray" in page.render(title="", kind="", header="", body="")


def test_a_history_of_nothing_is_drawn_too() -> None:
    assert "no data" in overlay.render(Tale().ended(at=1), Tale().ended(at=1))
