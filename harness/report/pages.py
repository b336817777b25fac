"""The reports in a run's folder: written when the run ends, and again whenever asked."""

from __future__ import annotations

import os

from harness.history.history import History
from harness.report import html, junit
from harness.result import Result


def write(result: Result, history: History, folder: str) -> str:
    """Write `junit.xml` and `report.html` into the folder; returns the page's path."""
    page = os.path.join(folder, "report.html")
    text = html.render(result, history, scenario=_scenario(folder))
    for path, content in ((os.path.join(folder, "junit.xml"), junit.render(result)), (page, text)):
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)
    return page


def _scenario(folder: str) -> str:
    """The resolved scenario as the run kept it; empty where it kept none."""
    path = os.path.join(folder, "scenario.yaml")
    if not os.path.isfile(path):
        return ""
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()
