"""What was broken in a run, as HTML: each fault, when, and the proof that it took hold and was healed."""

from __future__ import annotations

import json

from harness.history.events import Fault
from harness.history.history import History
from harness.report import spans
from harness.report.spans import FaultStory
from harness.report.text import clip, escape, plural

MOST_FAULTS = 100
_SYMBOLS = {"injected": "\u25cf", "healed": "\u2713"}
_WIDEST = 300


def render(history: History) -> str:
    """Every fault that the history tells of, and whether all that were planned are among them."""
    told = spans.stories(history.faults)
    planned = history.planned.faults if history.planned else len(told)
    if not told and not planned:
        return '<p class="none">Nothing was broken in this run: no fault was injected.</p>'
    rows = "".join(_fault(history, story) for story in told[:MOST_FAULTS])
    table = (
        '<table class="faults"><thead><tr><th class="num">No.</th><th>Fault</th><th>What happened, and the proof</th>'
        f"</tr></thead><tbody>{rows}</tbody></table>"
    )
    return _counted(told, planned) + (table if told else "") + _unshown(len(told) - MOST_FAULTS)


def _counted(told: list[FaultStory], planned: int) -> str:
    struck = sum(story.injected is not None for story in told)
    unheard = max(planned - len(told), 0)
    rest = f" The history tells nothing of {'it' if planned == 1 else f'{unheard} of them'}." if unheard else ""
    said = f"{plural(planned, 'fault')} planned, {struck} took hold.{rest}"
    return f'<p class="{"all" if struck == planned else "bad"}">{said}</p>'


def _unshown(count: int) -> str:
    return f'<p class="more">and {plural(count, "more fault")}, in the history</p>' if count > 0 else ""


def _fault(history: History, story: FaultStory) -> str:
    events = "".join(f"<li>{_event(history, event)}</li>" for event in story.events)
    return (
        f'<tr><td class="num" data-label="No.">{story.n + 1}</td><td data-label="Fault"><code>{escape(story.name)}'
        f'</code></td><td data-label="Proof"><ul class="states">{events}</ul></td></tr>'
    )


def _event(history: History, event: Fault) -> str:
    return (
        f'<span class="state {event.state}"><span aria-hidden="true">{_SYMBOLS.get(event.state, "!")}</span> '
        f'{event.state}</span> <span class="num">{spans.since(history, event.t):.3f}&nbsp;s</span> '
        f"{escape(event.says)}{_evidence(event)}"
    )


def _evidence(event: Fault) -> str:
    facts = " ".join(
        f"<span>{escape(str(name).replace('_', ' '))}&nbsp;<b>{escape(clip(plain(value), _WIDEST))}</b></span>"
        for name, value in event.evidence.items()
        if not isinstance(value, dict | list)  # the sentence says it; the whole is in the history
    )
    return f'<div class="pairs">{facts}</div>' if facts else ""


def plain(value: object) -> str:
    """A value of evidence or of a knob as text."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
