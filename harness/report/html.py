"""The report of a run as one HTML file that needs no network."""

from __future__ import annotations

import os
from string import Template

from harness.history.history import History
from harness.report import charts, sections
from harness.report.text import escape, lasting
from harness.result import Result


def render(result: Result, history: History) -> str:
    """The whole page: verdict and reason, what was broken, the invariants, the witnesses, the charts, how to run it
    again."""
    body = [
        _section("broken", "What was broken", sections.faults(history)),
        _section("invariants", "Invariants", sections.verdicts(result)),
        _section("witnesses", "Witnesses", sections.witnesses(result, history)),
        _section("charts", "Over time", f'<div class="charts">{charts.render(history)}</div>'),
        _section("again", "Run it again", sections.conditions(result)),
    ]
    return Template(_file("page.html")).substitute(
        title=escape(f"{result.value}: {result.scenario} on {result.target}"),
        style=_file("page.css"),
        value=result.value.split()[0].lower(),
        header=_header(result),
        body="".join(body),
    )


def _file(name: str) -> str:
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
        return file.read()


def _section(name: str, title: str, content: str) -> str:
    return f'<section id="{name}"><h2>{title}</h2>\n{content}</section>\n' if content else ""


def _header(result: Result) -> str:
    facts = [result.started, lasting(result.seconds), f"seed {result.seed}", result.run]
    about = f'<p class="about">{escape(result.about)}</p>' if result.about else ""
    notes = "".join(f'<p class="note"><b>Note</b> {escape(note)}</p>' for note in result.notes)
    return (
        f'<h1>{sections.badge(result.value)} {escape(result.scenario)} <span class="on">on '
        f"{escape(_target(result))}</span></h1>"
        f'<p class="says">{escape(result.says)}</p>{about}<p '
        f'class="meta">{" ".join(f"<span>{escape(fact)}</span>" for fact in facts if fact)}</p>{notes}'
    )


def _target(result: Result) -> str:
    return f"{result.target} ({result.preset})" if result.preset else result.target
