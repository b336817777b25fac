"""The pages of a suite in the folder of reports, written when it ends."""

from __future__ import annotations

import os
from collections.abc import Sequence

from harness.report.suite import index, junit, markdown
from harness.suite.standing import Standing


def write(standings: Sequence[Standing], seconds: float, reports: str, suffix: str = "") -> None:
    """Write `junit.xml`, `summary.md` and `index.html`; a CI job's own summary gets what `summary.md` has."""
    summary = markdown.render(standings, seconds)
    places = [
        (os.path.join(reports, f"summary{suffix}.md"), "w", summary),
        (os.path.join(reports, f"junit{suffix}.xml"), "w", junit.render(standings)),
    ]
    if step := os.environ.get("GITHUB_STEP_SUMMARY"):
        places.append((step, "a", summary))
    for path, mode, text in places:
        with open(path, mode, encoding="utf-8") as file:
            file.write(text)
    index.write(reports)
