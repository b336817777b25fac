"""A job's lanes as a figure."""

from __future__ import annotations

from typing import Any

from harness.report.figures.panel import FAULT, QUIET, empty, flag, short
from harness.report.lanes import Bar, Lane, Strip
from harness.report.spans import Span
from harness.report.text import clip, visible

_BARS = {"death": "#b3261e", "open": "#b3261e", "failed": "#c2540a", "dead": "#b3261e", "done": "#1f6fb2"}
_MARKS = {"offer": ">", "ack": ">", "effect": "D", "again": "D", "replay": "d", "refuse": "x", "death": "X"}


def figure(strip: Strip) -> Any:
    """The lanes of one job, with the faults across them."""
    drawn = empty(7.5, 1.3 + 0.34 * len(strip.lanes))
    axes = drawn.subplots()
    for row, lane in enumerate(strip.lanes):
        _lane(axes, strip, row, lane)
    for n, fault in enumerate(strip.faults):
        start, end = strip.share(fault.start), strip.share(fault.end)
        axes.axvspan(start, end, color=FAULT, alpha=0.12, linewidth=0)
        axes.axvline(start, color=FAULT, linestyle=":", linewidth=1)
        flag(axes, Span(fault.name, start, end), 2 + 9 * (n % 2))
    axes.set_yticks(range(len(strip.lanes)), [short(lane.name) for lane in strip.lanes])
    axes.set_ylim(len(strip.lanes) - 0.5, -0.5)
    axes.set_xlim(0, 1)
    ends = (strip.stops[0], strip.stops[-1])
    axes.set_xticks([strip.share(at) for at in ends], [f"{at:.3f} s" for at in ends])
    axes.set_title(clip(visible(strip.key), 80), loc="left", fontweight="bold", pad=22)
    axes.set_xlabel("long waits are drawn shorter", fontsize=7, color=QUIET)
    return drawn


def _lane(axes: Any, strip: Strip, row: int, lane: Lane) -> None:
    axes.axhline(row, color="#dfe3e8", linewidth=0.6, zorder=0)
    for bar in lane.bars:
        _bar(axes, strip, row, bar)
    for mark in lane.marks:
        colour = "#b3261e" if mark.kind in ("again", "death", "refuse") else "#1b2129"
        axes.plot([strip.share(mark.at)], [row], marker=_MARKS.get(mark.kind, "s"), color=colour, markersize=5)
        if mark.label:
            place = (strip.share(mark.at), row)
            axes.annotate(short(mark.label), place, (0, 5), textcoords="offset points", fontsize=7, ha="center")


def _bar(axes: Any, strip: Strip, row: int, bar: Bar) -> None:
    start, end = strip.share(bar.start), strip.share(bar.end)
    ran = bar.kind in _BARS
    axes.barh(
        row,
        end - start,
        left=start,
        height=0.55 if ran else 0.25,
        color="#e9eff6" if ran else "#eceff3",
        edgecolor=_BARS.get(bar.kind, QUIET),
        hatch="///" if bar.kind in ("death", "open") else None,
        linewidth=0.9,
        linestyle="-" if ran else ":",
    )
    if end - start > 0.012 * len(bar.label):
        ground = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
        axes.annotate(short(bar.label), ((start + end) / 2, row), ha="center", va="center", fontsize=7, bbox=ground)
