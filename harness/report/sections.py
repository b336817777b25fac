"""The tables of a report: verdicts, faults with their proof, witnesses, and the conditions of the run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from harness.history.events import Fault
from harness.history.history import History
from harness.report import spans, strip
from harness.report.spans import FaultStory
from harness.report.text import SYMBOLS, clip, escape, lasting, number, plural
from harness.result import Result
from harness.verdict import WORST, Value, Verdict, Witness

MOST_FAULTS = 100
MOST_MOMENTS = 200


def badge(value: Value) -> str:
    """The value as a word with its symbol: colour only adds to it."""
    return (
        f'<span class="badge {value.split()[0].lower()}"><span aria-hidden="true">{SYMBOLS[value]}</span> '
        f"{value}</span>"
    )


def verdicts(result: Result) -> str:
    """The table of invariants, worst first."""
    if not result.verdicts:
        return '<p class="none">No invariant was checked, so nothing is known.</p>'
    rows = "".join(map(_verdict, sorted(result.verdicts, key=lambda verdict: WORST.index(verdict.value))))
    return (
        '<table class="verdicts"><thead><tr><th>Verdict</th><th>Invariant</th><th>What was found</th><th '
        'class="num">Examined</th><th>Measured</th></tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )


def _verdict(verdict: Verdict) -> str:
    violations = f'<br><span class="bad">{plural(verdict.violations, "violation")}</span>' if verdict.violations else ""
    return (
        f'<tr><td>{badge(verdict.value)}</td><td data-label="Invariant"><code>{escape(verdict.invariant)}</code><p '
        f'class="claim">{escape(verdict.claim)}</p></td>'
        f'<td data-label="Found">{escape(verdict.says)}</td>'
        f'<td class="num" data-label="Examined">{verdict.examined:,} {escape(verdict.of)}{violations}</td><td '
        f'data-label="Measured">{_pairs(verdict.measured)}</td></tr>'
    )


def _pairs(measured: Mapping[str, float]) -> str:
    return (
        '<span class="pairs">'
        + " ".join(
            f"<span>{escape(_spaced(name))}&nbsp;<b>{number(value)}</b></span>" for name, value in measured.items()
        )
        + "</span>"
    )


def _spaced(name: str) -> str:
    return name.replace("_", " ")


def faults(history: History) -> str:
    """What was broken, and the proof that it was."""
    told = spans.stories(history.faults)
    if not told:
        return '<p class="none">Nothing was broken in this run: no fault was injected.</p>'
    rows = "".join(_fault(history, story) for story in told[:MOST_FAULTS])
    more = (
        f'<p class="more">and {plural(len(told) - MOST_FAULTS, "more fault")}, in the history</p>'
        if len(told) > MOST_FAULTS
        else ""
    )
    return (
        '<table class="faults"><thead><tr><th class="num">No.</th><th>Fault</th><th>State</th><th '
        'class="num">At</th><th>What happened, and the evidence</th></tr></thead>'
        f"<tbody>{rows}</tbody></table>{more}"
    )


def _fault(history: History, story: FaultStory) -> str:
    first, span = story.events[0], len(story.events)
    head = (
        f'<td class="num" rowspan="{span}" data-label="No.">{story.n + 1}</td><td rowspan="{span}" '
        f'data-label="Fault"><code>{escape(story.name)}</code></td>'
    )
    rows = [
        f'<tr class="first">{head}{_event(history, first)}</tr>',
        *(f"<tr>{_event(history, event)}</tr>" for event in story.events[1:]),
    ]
    return "".join(rows)


def _event(history: History, event: Fault) -> str:
    symbol = {"injected": "\u25cf", "healed": "\u2713"}.get(event.state, "!")
    return (
        f'<td data-label="State"><span class="state {event.state}"><span aria-hidden="true">{symbol}</span> '
        f"{event.state}</span></td>"
        f'<td class="num" data-label="At">{spans.since(history, event.t):.3f}&nbsp;s</td><td '
        f'data-label="Proof">{escape(event.says)}{_evidence(event)}</td>'
    )


def _evidence(event: Fault) -> str:
    facts = " ".join(
        f"<span>{escape(_spaced(str(name)))}&nbsp;<b>{escape(clip(_plain(value), 300))}</b></span>"
        for name, value in event.evidence.items()
        if not isinstance(value, dict | list)  # the sentence says it; the whole is in the history
    )
    return f'<div class="pairs">{facts}</div>' if facts else ""


def _plain(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def witnesses(result: Result, history: History) -> str:
    """Every witness of every verdict, drawn and told."""
    return "".join(_testimony(verdict, history) for verdict in result.verdicts if verdict.witnesses)


def _testimony(verdict: Verdict, history: History) -> str:
    told = "".join(_witness(witness, history) for witness in verdict.witnesses)
    unseen = verdict.violations - len(verdict.witnesses)
    more = f'<p class="more">and {plural(unseen, "more job")}</p>' if unseen > 0 else ""
    return (
        f"<h3>{badge(verdict.value)} "
        f"<code>{escape(verdict.invariant)}</code></h3><p>{escape(verdict.says)}</p>{told}{more}"
    )


def _witness(witness: Witness, history: History) -> str:
    drawn = strip.strip(history, witness.key)
    rows = "".join(
        f'<tr><td class="num">{moment.at:.3f}&nbsp;s</td><td>{escape(moment.what)}</td></tr>'
        for moment in witness.timeline[:MOST_MOMENTS]
    )
    more = (
        f'<p class="more">and {plural(len(witness.timeline) - MOST_MOMENTS, "more moment")}</p>'
        if len(witness.timeline) > MOST_MOMENTS
        else ""
    )
    return (
        f'<article class="witness"><h4>{escape(clip(witness.key, 200))}</h4>{strip.render(drawn) if drawn else ""}'
        f"<details open><summary>{plural(len(witness.timeline), 'moment')}</summary><table "
        f'class="moments"><tbody>{rows}</tbody></table>{more}</details></article>'
    )


def conditions(result: Result) -> str:
    """All that is needed to run it again: command, seed, knobs, versions."""
    run = {
        "run": result.run,
        "started": result.started,
        "lasted": lasting(result.seconds),
        "scenario": result.scenario,
        "target": result.target,
        "preset": result.preset or "none",
        "seed": str(result.seed),
    }
    blocks = [
        ("Run", run.items()),
        ("Knobs", ((name, _plain(value)) for name, value in result.knobs.items())),
        ("Versions", result.versions.items()),
        ("Measurements", ((_spaced(name), number(value)) for name, value in result.measurements.items())),
    ]
    command = f'<pre class="command"><code>{escape(result.command)}</code></pre>' if result.command else ""
    return command + '<div class="facts">' + "".join(_facts(title, facts) for title, facts in blocks) + "</div>"


def _facts(title: str, facts: Iterable[tuple[str, str]]) -> str:
    rows = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in facts)
    return f"<section><h3>{title}</h3><dl>{rows}</dl></section>" if rows else ""
