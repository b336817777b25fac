"""The measurements that a list of runs shows beside each verdict: their headings, and how a value is written."""

from __future__ import annotations

from harness.report.text import lasting, number

HEADINGS = {
    "throughput": "jobs/s",
    "latency.p95": "p95",
    "recovery": "recovery",
    "drain": "drain",
    "duplicates": "doubled",
    "lost": "lost",
}
ABOUT = {
    "throughput": "jobs completed a second",
    "latency.p95": "latency of 95 in 100 jobs",
    "recovery": "time to recover from the worst fault",
    "drain": "time to drain after load and faults",
    "duplicates": "executions after the side effect was done",
    "lost": "acked jobs that vanished",
}
_PLAIN = {"throughput", "duplicates", "lost"}


def written(name: str, value: float | None) -> str:
    """The value with its unit, short; empty where there is none."""
    if value is None:
        return ""
    return number(round(value, 1)) if name in _PLAIN else lasting(value)
