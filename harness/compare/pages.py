"""The files of a comparison: Markdown for a pull request, JSON for programs, HTML for eyes."""

from __future__ import annotations

import os
from collections.abc import Sequence

import msgspec

from harness.compare import html, markdown, overlay
from harness.compare.comparison import Comparison
from harness.compare.typical import Pair, typical


def write(comparison: Comparison, pairs: Sequence[Pair], folder: str) -> None:
    """Write `compare.md`, `compare.json` and `compare.html` into the folder."""
    with open(os.path.join(folder, "compare.md"), "w", encoding="utf-8") as text:
        text.write(markdown.render(comparison))
    with open(os.path.join(folder, "compare.json"), "wb") as file:
        file.write(as_json(comparison))
    write_html(comparison, pairs, os.path.join(folder, "compare.html"))


def write_html(comparison: Comparison, pairs: Sequence[Pair], path: str) -> None:
    """Write the page, with the charts of the pair that stands for all."""
    from harness.history.history import read

    chosen = typical(pairs)
    a, b = (run.folder for run in chosen)
    charts = overlay.render(read(a), read(b))
    with open(path, "w", encoding="utf-8") as file:
        file.write(html.render(comparison, charts, shown=(a, b), beside=os.path.dirname(os.path.abspath(path))))


def as_json(comparison: Comparison) -> bytes:
    """The comparison as JSON."""
    return msgspec.json.format(msgspec.json.encode(comparison), indent=2) + b"\n"
