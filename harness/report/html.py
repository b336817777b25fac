"""The report of a run as one HTML file that needs no network."""

from __future__ import annotations

import base64
import hashlib
import os
from collections import Counter
from string import Template

from harness.history.history import History
from harness.report import broken, conditions, glance, plot, processes, verdicts, waves
from harness.report.charts import charts
from harness.report.text import escape, lasting
from harness.result import Result
from harness.verdict import WORST

_WORDS = {"FAIL": "failed", "INCONCLUSIVE": "undecided", "PASS": "passed", "NOT APPLICABLE": "not applicable"}


def render(result: Result, history: History, *, scenario: str = "") -> str:
    """The whole page: verdict and reason, what was broken, the invariants with their witnesses, the charts, how to
    run it again; `scenario` is the text of the resolved scenario."""
    body = [
        _section("broken", "What was broken", broken.render(history)),
        _section("invariants", "Invariants", verdicts.render(result, history)),
        _section("charts", "Over time", _over_time(history)),
        _section("again", "Run it again", conditions.render(result, history, scenario)),
    ]
    script = _file("page.js")
    return Template(_file("page.html")).substitute(
        title=escape(f"{result.value}: {result.scenario} on {result.target}"),
        style=_file("page.css"),
        script=script,
        digest=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        value=result.value.split()[0].lower(),
        header=_header(result) + glance.render(history) + _contents(result),
        body="".join(body),
    )


def _file(name: str) -> str:
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
        return file.read()


def _section(name: str, title: str, content: str) -> str:
    heading = f'<h2 id="{name}-title">{title}</h2>'
    return f'<section id="{name}" aria-labelledby="{name}-title">{heading}\n{content}</section>\n'


def _over_time(history: History) -> str:
    drawn = charts(history)
    more = {"Retry waves": waves.render(history), "Processes": processes.render(history, drawn.seconds)}
    absent = (*drawn.absent, *(title for title, text in more.items() if not text))
    below = "".join(f'<div class="block">{text}</div>' for text in more.values() if text)
    return plot.render(drawn, history, absent) + below


def _header(result: Result) -> str:
    facts = [result.started, lasting(result.seconds), f"seed {result.seed}", result.run]
    about = f'<p class="about">{escape(result.about)}</p>' if result.about else ""
    notes = "".join(f'<p class="note"><b>Note</b> {escape(note)}</p>' for note in result.notes)
    return (
        f'<h1>{verdicts.badge(result.value)} {escape(result.scenario)} <span class="on">on '
        f"{escape(_target(result))}</span></h1>"
        f'<p class="says">{escape(result.says)}</p>{about}<p '
        f'class="meta">{" ".join(f"<span>{escape(fact)}</span>" for fact in facts if fact)}</p>{notes}'
    )


def _target(result: Result) -> str:
    return f"{result.target} ({result.preset})" if result.preset else result.target


def _contents(result: Result) -> str:
    counts = Counter(verdict.value for verdict in result.verdicts)
    judged = ", ".join(f"{counts[value]} {_WORDS[value]}" for value in WORST if counts[value]) or "none"
    return (
        '<nav aria-label="Sections"><a href="#broken">What was broken</a> <a href="#invariants">Invariants: '
        f'{judged}</a> <a href="#charts">Over time</a> <a href="#again">Run it again</a></nav>'
    )
