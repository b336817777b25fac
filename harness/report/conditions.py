"""The conditions of a run as HTML: all that is needed to run it again, and to know on what it ran."""

from __future__ import annotations

from collections.abc import Iterable

from harness.report.broken import plain
from harness.report.text import clip, escape, lasting, number
from harness.result import Result

MOST_SCENARIO = 40_000
"""Characters of a scenario that are shown."""


def render(result: Result, scenario: str) -> str:
    """Command, seed, knobs, versions, measurements and the resolved scenario."""
    run = {
        "run": result.run,
        "started": result.started,
        "lasted": lasting(result.seconds),
        "scenario": result.scenario,
        "target": result.target,
        "preset": result.preset or "none",
        "seed": str(result.seed),
        "machine": result.machine or "not recorded",
    }
    blocks = [
        ("Run and machine", run.items()),
        ("Knobs", ((name, plain(value)) for name, value in result.knobs.items())),
        ("Versions", result.versions.items()),
    ]
    facts = "".join(_facts(title, facts) for title, facts in blocks)
    return f'{_command(result)}<div class="facts">{facts}</div>{_measurements(result)}{_scenario(scenario)}'


def _command(result: Result) -> str:
    if not result.command:
        return '<p class="none">The command was not recorded.</p>'
    return f'<pre class="command"><code>{escape(result.command)}</code></pre>'


def _facts(title: str, facts: Iterable[tuple[str, str]]) -> str:
    rows = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in facts)
    return f'<section><h3>{title}</h3><dl class="facts-of">{rows}</dl></section>' if rows else ""


def _measurements(result: Result) -> str:
    rows = "".join(
        f'<tr><td>{escape(name)}</td><td class="num">{number(value)}</td></tr>'
        for name, value in result.measurements.items()
    )
    table = f'<table class="moments"><thead><tr><th>Measurement</th><th>Value</th></tr></thead><tbody>{rows}</tbody></table>'
    return f"<details><summary>All {len(result.measurements)} measurements</summary>{table}</details>" if rows else ""


def _scenario(text: str) -> str:
    if not text:
        return '<p class="none">The resolved scenario was not kept.</p>'
    lines = "\n".join(escape(line) for line in clip(text, MOST_SCENARIO).splitlines())
    return (
        "<details><summary>The resolved scenario, with every default filled in: <code>scenario.yaml</code> of the run"
        f'</summary><pre class="scenario"><code>{lines}</code></pre></details>'
    )
