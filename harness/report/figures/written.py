"""The figures in a run's folder, each as PNG and SVG; matplotlib is imported here and nowhere else."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

from harness.history.history import History
from harness.report import spans
from harness.report.charts import charts
from harness.report.figures import panel, timeline
from harness.report.lanes import strip
from harness.report.repeated import largest, waves
from harness.report.usage import usages
from harness.result import Result

FOLDER = "figures"
FORMATS = ("png", "svg")
MOST_WITNESSES = 3
MOST_PROCESSES = 12
_STYLE: Any = {
    "font.size": 9,
    "svg.hashsalt": "harness",
    "text.parse_math": False,  # keys are text: a `$` in one begins no formula
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def lacks() -> str:
    """What is missing to draw, and the remedy; empty where nothing is."""
    if find_spec("matplotlib"):
        return ""
    return "figures are drawn by matplotlib, which is not installed: pip install 'jobharness[analysis]'"


def write(result: Result, history: History, folder: str) -> list[str]:
    """Draw everything into the folder's `figures`; returns the paths."""
    import matplotlib

    os.makedirs(os.path.join(folder, FOLDER), exist_ok=True)
    paths = []
    with matplotlib.rc_context(_STYLE):
        for name, figure in _figures(result, history):
            for kind in FORMATS:
                path = os.path.join(folder, FOLDER, f"{name}.{kind}")
                figure.savefig(path, dpi=144, metadata={"Date": None} if kind == "svg" else {"Software": None})
                paths.append(path)
    return paths


def _figures(result: Result, history: History) -> Iterator[tuple[str, Any]]:
    drawn = charts(history)
    faults, phases = spans.faults(history), spans.phases(history)
    for chart in drawn.drawn:
        yield chart.name, panel.chart(chart, drawn.seconds, faults, phases)
    if shown := largest(waves(history)):
        yield "retry-waves", panel.waves(shown)
    if used := usages(history)[:MOST_PROCESSES]:
        yield "processes", panel.processes(used, drawn.seconds, faults)
    failed = [verdict for verdict in result.verdicts if verdict.value == "FAIL"]
    keys = list(dict.fromkeys(witness.key for verdict in failed for witness in verdict.witnesses))
    strips = [found for key in keys[:MOST_WITNESSES] if (found := strip(history, key))]
    for n, found in enumerate(strips, 1):
        yield f"witness-{n}", timeline.figure(found)
