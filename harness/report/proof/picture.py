"""Proofs as a picture: failure modes down, targets across, a mark in each cell that needs no colour to be read."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from harness.modes import GROUPS, MODES
from harness.proof import Mark, Proven
from harness.report.proof.table import modes

LOOK: dict[Mark, tuple[str, str, str]] = {
    "caught": ("#1a7f37", "#ffffff", "✓ caught"),
    "held": ("#ddf4dd", "#1a4d1a", "held"),
    "WRONG": ("#cf222e", "#ffffff", "✗ WRONG"),
    "ERROR": ("#8250df", "#ffffff", "! ERROR"),
    "n/a": ("#f2f2f2", "#666666", "n/a"),
}
LEFT, CELL, ROW, TOP = 560, 92, 26, 54


def svg(proven: Sequence[Proven]) -> str:
    """The whole picture, in one self-contained file."""
    marks, names = modes(proven), sorted({one.target for one in proven})
    rows = [mode for mode in MODES if any(mode.id == row for row, _ in marks)]
    groups = list(dict.fromkeys(mode.id[0] for mode in rows))
    height, width = TOP + ROW * (len(rows) + len(groups)) + 34, LEFT + CELL * len(names) + 12
    parts = [_head(width, height), *_names(names)]
    y = TOP
    for group in groups:
        parts.append(_text(12, y + 18, GROUPS[group], "bold"))
        y += ROW
        for mode in (mode for mode in rows if mode.id[0] == group):
            parts += [_text(12, y + 17, mode.id), _text(52, y + 17, mode.says)]
            parts += [_cell(LEFT + CELL * n, y, marks.get((mode.id, name))) for n, name in enumerate(names)]
            y += ROW
    legend = "caught: the broken variant failed its claims, the mended one passed. held: only mended ones. n/a: none"
    return "\n".join([*parts, _text(12, y + 22, legend, "small"), "</svg>", ""])


def _head(width: int, height: int) -> str:
    style = "text{font:13px system-ui,sans-serif;fill:#1f2328}.bold{font-weight:700}.small{font-size:11px;fill:#59636e}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'role="img" aria-label="Failure modes by target"><style>{style}</style>'
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>'
    )


def _names(names: Sequence[str]) -> list[str]:
    return [_text(LEFT + CELL * n + CELL // 2, 34, name, "bold", middle=True) for n, name in enumerate(names)]


def _cell(x: int, y: int, mark: Mark | None) -> str:
    if mark is None:
        return ""
    fill, ink, word = LOOK[mark]
    return (
        f'<rect x="{x + 2}" y="{y + 2}" width="{CELL - 4}" height="{ROW - 4}" rx="3" fill="{fill}"/>'
        f'<text x="{x + CELL // 2}" y="{y + 17}" text-anchor="middle" style="fill:{ink}">{escape(word)}</text>'
    )


def _text(x: int, y: int, text: str, kind: str = "", *, middle: bool = False) -> str:
    anchor = ' text-anchor="middle"' if middle else ""
    return f'<text x="{x}" y="{y}"{anchor} class="{kind}">{escape(text)}</text>'
