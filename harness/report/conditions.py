"""The conditions of a run as HTML: all that is needed to run it again, and to know on what it ran."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from harness.history.events import Config
from harness.history.history import History
from harness.report.broken import plain
from harness.report.text import clip, escape, lasting, number
from harness.result import Result

MOST_SCENARIO = 40_000
"""Characters of a scenario that are shown."""
MOST_VALUES = 300


def render(result: Result, history: History, scenario: str) -> str:
    """Command, seed, knobs, versions, measurements, how servers were set, and the resolved scenario."""
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
    folded = _measurements(result) + _servers(history) + _scenario(scenario)
    return f'{_command(result)}<div class="facts">{facts}</div>{folded}'


def _command(result: Result) -> str:
    if not result.command:
        return '<p class="none">The command was not recorded.</p>'
    return f'<pre class="command"><code>{escape(result.command)}</code></pre>'


def _facts(title: str, facts: Iterable[tuple[str, str]]) -> str:
    rows = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in facts)
    return f'<section><h3>{title}</h3><dl class="facts-of">{rows}</dl></section>' if rows else ""


def _measurements(result: Result) -> str:
    values = {name: number(value) for name, value in result.measurements.items()}
    return _folded(f"All {len(values)} measurements", "Measurement", values)


def _servers(history: History) -> str:
    """How each server was really set, as it said when it had last started."""
    last = {config.server: config.settings for config in history.of(Config)}
    return "".join(
        _folded(f"{server}: its {len(settings)} settings, read from it", "Setting", settings)
        for server, settings in last.items()
    )


def _folded(title: str, what: str, values: Mapping[str, str]) -> str:
    shown = list(values.items())[:MOST_VALUES]
    rows = "".join(f"<tr><td>{escape(name)}</td><td>{escape(clip(value, 300))}</td></tr>" for name, value in shown)
    more = f'<p class="more">and {len(values) - MOST_VALUES} more</p>' if len(values) > MOST_VALUES else ""
    table = f'<table class="moments"><thead><tr><th>{what}</th><th>Value</th></tr></thead><tbody>{rows}</tbody></table>'
    return f"<details><summary>{escape(title)}</summary>{table}{more}</details>" if rows else ""


def _scenario(text: str) -> str:
    if not text:
        return '<p class="none">The resolved scenario was not kept.</p>'
    lines = "\n".join(escape(line) for line in text[:MOST_SCENARIO].splitlines())
    lines += f"\n({len(text) - MOST_SCENARIO:,} more characters)" if len(text) > MOST_SCENARIO else ""
    return (
        "<details><summary>The resolved scenario, with every default filled in: <code>scenario.yaml</code> of the run"
        f'</summary><pre class="scenario"><code>{lines}</code></pre></details>'
    )
