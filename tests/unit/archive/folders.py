"""Folders of reports made by hand: runs that were judged, and all else that may be found in one."""

from __future__ import annotations

import json
from pathlib import Path

from harness.result import VERSION

MEASURED = {"throughput": 20.0, "latency.p95": 0.05, "recovery": 2.0, "drain": None, "no_lost_jobs.lost": 0.0}


def run(reports: Path, name: str, **result: object) -> Path:
    """A run that was judged; what is not said of it is that of a run that passed."""
    folder = reports / name
    (folder / "events").mkdir(parents=True)
    told = {
        "run": "r",
        "scenario": "kill",
        "target": "memory",
        "seed": 1,
        "started": "2026-11-18T10:00:00+0000",
        "seconds": 2.0,
        "value": "PASS",
        "says": "All held.",
        "measurements": MEASURED,
        "fingerprint": "f",
        "version": VERSION,
    }
    (folder / "result.json").write_text(json.dumps(told | result))
    (folder / "report.html").write_text("x")
    return folder


def begun(reports: Path, name: str) -> Path:
    """A run that has only begun."""
    folder = reports / name
    (folder / "events").mkdir(parents=True)
    line = {"e": "run", "id": name, "scenario": "kill", "target": "memory", "seed": 3, "t": 1}
    (folder / "events" / "harness.jsonl").write_text(json.dumps(line) + "\n")
    return folder
