"""A sweep as CSV: a row for each run."""

from __future__ import annotations

import csv
import io

from harness.measurements import MEASUREMENTS
from harness.sweep.sweep import Sweep


def render(sweep: Sweep) -> str:
    """Every run with its settings, verdict and figures; a figure that a run lacks is empty."""
    names = [one.name for one in MEASUREMENTS]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(
        [*(axis.name for axis in sweep.axes), "turn", "seed", "verdict", "failing", "seconds", *names, "run"]
    )
    for one in sweep.standings:
        for run in one.runs:
            figures = [run.measured.get(name, "") for name in names]
            failing = " ".join(run.failing)
            writer.writerow([*one.point, run.turn + 1, run.seed, run.value, failing, run.seconds, *figures, run.run])
    return text.getvalue()
