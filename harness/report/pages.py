"""The reports in a run's folder: written when the run ends, and again whenever asked."""

from __future__ import annotations

import os

from harness.history.history import History
from harness.report import html, junit
from harness.result import Result


def write(result: Result, history: History, folder: str) -> str:
    """Write `junit.xml` and `report.html` into the folder; returns the page's path."""
    page = os.path.join(folder, "report.html")
    for path, text in ((os.path.join(folder, "junit.xml"), junit.render(result)), (page, html.render(result, history))):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    return page
