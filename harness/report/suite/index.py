"""The index of a folder of reports: every run in it on one page, newest first, that needs no server."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Collection, Iterable, Sequence
from string import Template
from urllib.parse import quote

from harness.archive.archive import runs as archived
from harness.archive.past import MEASURED, OTHERS, VALUES, Past, flaky
from harness.archive.reading import REPORT
from harness.report.measured import HEADINGS, written
from harness.report.suite import trends
from harness.report.text import SYMBOLS, escape, lasting
from harness.suite.journal import Ended, earlier
from harness.whole import write as write_whole

FILE = "index.html"
MOST = 2000
"""Rows of the page: beyond that it would be slow to open."""
MANY = 12
"""Trends that are shown without being asked for."""


def write(reports: str) -> str:
    """Write the page into the folder, whole or not at all; gives its path."""
    path = os.path.join(reports, FILE)
    write_whole(path, render(archived(reports), list(earlier(reports))).encode())
    return path


def render(runs: Sequence[Past], journal: Iterable[Ended] = ()) -> str:
    """The page; the suite's journal tells which failures were expected, and which runs had others beside them."""
    by_run = {ended.run: ended for ended in journal if ended.run}
    differing = flaky(runs)
    shown = runs[:MOST]
    drawn = [_drawn(run, by_run.get(run.run), run.run in differing) for run in shown]
    lines, script = trends.trends(runs, differing), _file("index.js")
    return Template(_file("index.html")).substitute(
        style=_file("../page.css") + _file("index.css"),
        script=script,
        hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        count=len(shown),
        left_out=_left_out(len(runs)),
        open=" open" if len(lines) <= MANY else "",
        kinds=len(lines),
        trend_head=trends.headings(),
        trends="\n".join(lines),
        head="".join(f'<th class="num" scope="col">{HEADINGS[name]}</th>' for name in MEASURED),
        rows="\n".join(drawn),
        **_choices(shown, differing),
    )


def _left_out(count: int) -> str:
    if count <= MOST:
        return ""
    return f"; {count - MOST:,} older runs are left out, <code>harness history</code> lists them"


def _choices(runs: Sequence[Past], differing: Collection[str]) -> dict[str, str]:
    """What each filter offers."""
    values = {run.value for run in runs}
    verdicts = [value for value in (*VALUES, *OTHERS) if value in values] + (["flaky"] if differing else [])
    every = {
        "scenarios": sorted({run.scenario for run in runs}),
        "targets": sorted({run.target for run in runs} - {""}),
        "verdicts": verdicts,
    }
    return {name: "".join(f"<option>{escape(one)}</option>" for one in some) for name, some in every.items()}


def _drawn(run: Past, ended: Ended | None, marked: bool) -> str:
    link = quote(os.fsencode(f"{run.run}/{REPORT if run.has_page else ''}"))
    return (
        f"<tr{trends.attributes(run, [run.value], marked)}>"
        f"<td>{_badge(run.value)}{trends.FLAKY if marked else ''}{_notes(ended)}</td>"
        f'<td data-label="Scenario">{trends.title(run, link)}</td>'
        f'<td data-label="Target">{trends.target(run)}</td>'
        + "".join(_figure(run, name) for name in MEASURED)
        + f'<td class="why" data-label="Reason">{escape(run.says)}</td>'
        f'<td class="num" data-label="Took">{lasting(run.seconds) if run.seconds else ""}</td>'
        f'<td class="num" data-label="Seed">{"" if run.seed is None else run.seed}</td>'
        f'<td data-label="Began">{escape(run.started[:19].replace("T", " "))}</td></tr>'
    )


def _figure(run: Past, name: str) -> str:
    value = written(name, run.measured.get(name))
    return f'<td class="num" data-label="{HEADINGS[name]}">{value}</td>'


def _notes(ended: Ended | None) -> str:
    """What the suite that made the run knows of it."""
    said = []
    if ended and ended.mark == "pass" and ended.value == "FAIL":
        said.append("as expected")
    if ended and ended.beside:
        said.append(f"beside {ended.beside} other" + ("s" if ended.beside > 1 else ""))
    return "".join(f' <span class="claim">{note}</span>' for note in said)


def _badge(value: str) -> str:
    kind, sign = _LOOKS.get(value, ("inconclusive", "!"))
    return f'<span class="badge {kind}"><span aria-hidden="true">{sign}</span> {escape(value)}</span>'


_LOOKS = {str(value): (value.split()[0].lower(), sign) for value, sign in SYMBOLS.items()}
_LOOKS |= {"ERROR": ("fail", "!"), "running": ("not", "\u2026")}


def _file(name: str) -> str:
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
        return file.read()
