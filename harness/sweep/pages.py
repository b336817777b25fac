"""The files of a sweep: HTML for eyes, JSON for programs, CSV for spreadsheets, and pictures where they are wanted."""

from __future__ import annotations

import os

import msgspec

from harness.sweep import html, spreadsheet
from harness.sweep.sweep import Sweep


def write(sweep: Sweep, folder: str, *, figures: bool = False) -> None:
    """Write `sweep.html`, `sweep.json` and `sweep.csv` into the folder, and `figures/` if asked."""
    texts = {"sweep.html": html.render(sweep), "sweep.csv": spreadsheet.render(sweep), "sweep.json": as_json(sweep)}
    for name, text in texts.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    if figures:
        from harness.sweep import figures as pictures

        pictures.write(sweep, os.path.join(folder, "figures"))


def as_json(sweep: Sweep) -> str:
    """The sweep as JSON."""
    return msgspec.json.format(msgspec.json.encode(sweep), indent=2).decode() + "\n"
