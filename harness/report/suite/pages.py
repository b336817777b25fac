"""The pages of a suite in the folder of reports, written when it ends."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from harness.report.suite import index, junit, markdown
from harness.suite.standing import Standing


def write(standings: Sequence[Standing], seconds: float, reports: str, suffix: str = "") -> None:
    """Write `junit.xml`, `summary.md` and `index.html`; a CI job's own summary gets what `summary.md` has."""
    summary = markdown.render(standings, seconds)
    for name, text in ((f"summary{suffix}.md", summary), (f"junit{suffix}.xml", junit.render(standings))):
        with open(os.path.join(reports, name), "w", encoding="utf-8") as file:
            file.write(text)
    index.write(reports)
    if step := os.environ.get("GITHUB_STEP_SUMMARY"):
        _add(step, summary)


def _add(step: str, summary: str) -> None:
    """The job's own summary is CI's file: that it cannot be written changes nothing of what the suite came to."""
    try:
        with open(step, "a", encoding="utf-8") as file:
            file.write(summary)
    except OSError as error:
        print(f"harness: nothing was added to GITHUB_STEP_SUMMARY: {error}", file=sys.stderr)
