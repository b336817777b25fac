"""A sweep as pictures for a wiki or a pull request, drawn by matplotlib."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from harness.compare.text import amount
from harness.problems import refuse
from harness.sweep.panels import Panel, panels
from harness.sweep.ranking import Ranking
from harness.sweep.sweep import Sweep
from harness.sweep.text import mark, verdict
from harness.sweep.tones import tones

KINDS = ("png", "svg")
WIDE, HIGH = 1.35, 0.75
"""Inches of a tile."""


def possible() -> None:
    """Raise `Problems` where matplotlib is not installed."""
    from importlib.util import find_spec

    if find_spec("matplotlib") is None:
        raise refuse("--figures", "matplotlib is not installed", "pip install 'jobharness[analysis]'")


def write(sweep: Sweep, folder: str) -> list[str]:
    """Write each measurement as PNG and SVG into the folder; their paths."""
    os.makedirs(folder, exist_ok=True)
    paths = []
    for ranking in sweep.rankings:
        figure = drawn(sweep, ranking)
        for kind in KINDS:
            paths.append(os.path.join(folder, f"{ranking.name}.{kind}"))
            figure.savefig(paths[-1], dpi=150, metadata={"Date": None} if kind == "svg" else None)
    return paths


def drawn(sweep: Sweep, ranking: Ranking) -> Any:
    """A matplotlib figure: a panel of tiles for each value of the third axis."""
    from matplotlib.figure import Figure

    every = list(panels(sweep))
    rows, columns = len(every[0].rows), len(every[0].columns)
    figure = Figure(figsize=(max(6.0, len(every) * (columns * WIDE + 1.2)), rows * HIGH + 1.5), layout="constrained")
    figure.suptitle(f"{ranking.name}, {ranking.better} is better: {sweep.scenario} on {sweep.target}")
    figure.supxlabel(f"* best, = not told from it; {verdict(ranking)}", fontsize=8)
    for axes, panel in zip(figure.subplots(1, len(every), squeeze=False)[0], every, strict=True):
        _panel(axes, sweep, ranking, panel)
    return figure


def _panel(axes: Any, sweep: Sweep, ranking: Ranking, panel: Panel) -> None:
    found = tones(sweep, ranking)
    shades = [[found.get(point, 0.0) for point in points] for _, points in panel.rows]
    axes.imshow(shades, cmap="Blues", vmin=0, vmax=1.8, aspect="auto")
    axes.set_xticks(range(len(panel.columns)), panel.columns)
    axes.set_yticks(range(len(panel.rows)), [name for name, _ in panel.rows])
    axes.set_title(panel.title, fontsize=10)
    for y, (_, points) in enumerate(panel.rows):
        for x, point in enumerate(points):
            axes.text(x, y, _told(sweep, ranking, point), ha="center", va="center", fontsize=9)


def _told(sweep: Sweep, ranking: Ranking, point: Sequence[str]) -> str:
    standing = sweep.at(tuple(point))
    found = standing.figures.get(ranking.name)
    figure = amount(ranking.unit, found.mean) if found else ""
    spread = f"\n\u00b1{found.share:.0%}" if found and len(standing.runs) > 1 else ""
    return f"{mark(standing, ranking)} {figure}{spread}".strip()
