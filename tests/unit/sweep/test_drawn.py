"""A sweep as people see it: on a terminal, on a page, in a spreadsheet, as pictures."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from xml.etree import ElementTree as xml

import msgspec

from harness.sweep import figures, html, pages, spreadsheet, text
from harness.sweep.axis import Axis
from harness.sweep.grid import Point
from harness.sweep.sweep import Sweep
from harness.sweep.tones import tones
from tests.unit.sweep.swept import grid, swept

TWO = grid(Axis("lease", ("1s", "2s")), Axis("workers", ("1", "4")))
THREE = grid(*TWO.axes, Axis("ack", ("early", "late")))


def took(point: Point, turn: int) -> float:
    return (0.1 if point[0] == "1s" else 0.3) / int(point[1]) * (1 + ((turn + int(point[1])) % 3) / 100)


def test_the_table() -> None:
    shown = swept(TWO, took, values={("2s", "4"): "FAIL"})
    assert text.lines(shown, colour=False) == [
        "kill on memory, lease x workers: 4 points, 3 runs each",
        "  * best   = not told from the best   the spread of repeats is given as \u00b1 half of it",
        "",
        "latency.p95, less is better; points further apart than 0.0% are told apart",
        "             lease=1s       2s",
        "  workers=1    101 ms \u00b11%     303 ms \u00b11%",
        "  workers=4  * 25.2 ms \u00b11%  FAIL 75.7 ms \u00b11%",
        "",
        "FAIL  lease=2s workers=4",
        "  it came to FAIL.",
        "",
        "4 points: 3 PASS, 1 FAIL",
    ]


def test_the_page_has_a_tile_for_each_point_with_its_number_and_its_verdict() -> None:
    page = html.render(swept(TWO, took, values={("2s", "4"): "FAIL"}))
    tiles = re.findall(r'<td class="(\w*)"[^>]*><a href="([^"]*)"><b>(.*?)</b>.*?<span class="how">(.*?)</span>', page)
    assert tiles == [
        ("", "runs/0/report.html", "101 ms", ""),
        ("", "runs/0/report.html", "303 ms", ""),
        ("best", "runs/0/report.html", "25.2 ms", "\u2605 best"),
        ("out", "runs/0/report.html", "75.7 ms", "\u2717 FAIL"),
    ]
    assert "best at <b>lease=1s workers=4</b>" in page
    assert "http" not in page.replace("http-equiv", "") and "<script" not in page and "src=" not in page
    body = page[page.index("<main>") : page.index("</main>") + 7]
    xml.fromstring(body.replace("&ndash;", "").replace("&plusmn;", ""))


def test_a_third_axis_makes_a_panel_for_each_of_its_values() -> None:
    shown = swept(THREE, took)
    assert [line for line in text.lines(shown, colour=False) if line.startswith("  ack=")] == [
        "  ack=early",
        "  ack=late",
    ]
    assert re.findall(r"<h3>(.*?)</h3>", html.render(shown)) == ["ack=early", "ack=late"]


def test_one_axis_is_one_row() -> None:
    shown = swept(grid(), lambda point, turn: int(point[0][0]) + turn / 10, values={("5s",): "INCONCLUSIVE"})
    assert "    lease=1s     2s           5s" in text.lines(shown, colour=False)
    assert 'scope="row"' not in html.render(shown)


def test_only_what_passed_is_coloured_and_the_best_most() -> None:
    shown = swept(TWO, took, values={("2s", "4"): "FAIL"})
    found = {point: round(tone, 3) for point, tone in tones(shown, shown.rankings[0]).items()}
    assert found == {("1s", "1"): 0.442, ("2s", "1"): 0.0, ("1s", "4"): 1.0}


def test_the_spreadsheet_has_a_row_for_each_run() -> None:
    rows = list(csv.DictReader(io.StringIO(spreadsheet.render(swept(TWO, took, values={("2s", "4"): "FAIL"})))))
    assert len(rows) == 12
    assert {name: rows[-1][name] for name in ("lease", "workers", "turn", "seed", "verdict", "failing", "drain")} == {
        "lease": "2s",
        "workers": "4",
        "turn": "3",
        "seed": "9",
        "verdict": "FAIL",
        "failing": "no_lost_jobs",
        "drain": "",
    }
    assert float(rows[-1]["latency.p95"]) == took(("2s", "4"), 2)


def test_nothing_that_is_asked_or_said_acts_on_its_reader() -> None:
    hostile = "</td><script>\x1b[31m\u202e"
    shown = swept(grid(Axis("lease", (hostile, "1s"))), lambda point, turn: 1.0, values={(hostile,): "FAIL"})
    for said in ("\n".join(text.lines(shown, colour=False)), html.render(shown)):
        assert "\x1b" not in said and "\u202e" not in said
    assert "<script>" not in html.render(shown)


def test_pictures_are_drawn_of_every_number_of_axes(tmp_path: Path) -> None:
    for n, of in enumerate((grid(), TWO, THREE)):
        paths = figures.write(swept(of, lambda point, turn: 1.0 + turn), str(tmp_path / str(n)))
        assert [Path(path).name for path in paths] == ["latency.p95.png", "latency.p95.svg"]
    assert (
        "FAIL"
        in figures.drawn(shown := swept(TWO, took, values={("1s", "1"): "FAIL"}), shown.rankings[0])
        .axes[0]
        .texts[0]
        .get_text()
    )


def test_the_sweep_is_kept_whole(tmp_path: Path) -> None:
    shown = swept(TWO, took)
    pages.write(shown, str(tmp_path))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["sweep.csv", "sweep.html", "sweep.json"]
    assert msgspec.json.decode((tmp_path / "sweep.json").read_bytes(), type=Sweep) == shown
