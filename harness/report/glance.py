"""A run's key figures at a glance."""

from __future__ import annotations

import numpy as np

from harness.history import columns as c
from harness.history.history import History
from harness.measurements import measure
from harness.report.text import escape, lasting, number

_WAITS = {"latency.p95": "latency p95", "recovery": "recovery", "drain": "drain"}


def render(history: History) -> str:
    """What became of the jobs and how long it took; nothing where no job was offered."""
    figures = _figures(history)
    rows = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in figures.items())
    return f'<dl class="glance">{rows}</dl>' if rows else ""


def _figures(history: History) -> dict[str, str]:
    if not history.offered.any():
        return {}
    counts = {
        "offered": history.offered,
        "acked": history.acked,
        "completed": history.acked & history.completed,
        "given up": history.dead,
        "outstanding": history.outstanding,
        "effect twice": history.count(c.EFFECT) > 1,
    }
    always = ("offered", "acked", "completed", "outstanding")
    figures = {name: int(np.count_nonzero(jobs)) for name, jobs in counts.items()}
    shown = {name: f"{count:,}" for name, count in figures.items() if count or name in always}
    measured = measure(history)
    shown |= {word: lasting(measured[name]) for name, word in _WAITS.items() if name in measured}
    if "amplification" in measured:
        shown["runs per job"] = number(round(measured["amplification"], 2))
    return shown
