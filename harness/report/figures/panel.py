"""Charts, retry waves and processes as figures."""

from __future__ import annotations

from typing import Any

import numpy as np

from harness.report.charts import Chart
from harness.report.repeated import Wave
from harness.report.spans import Span
from harness.report.text import clip, lasting, visible
from harness.report.usage import MEGABYTE, Usage

FAULT, QUIET = "#d9480f", "#5a6572"
_PHASE = "#1f6fb2"
_COLOURS = ("#1f6fb2", "#c2540a", "#146b4f", "#8e3a9d", "#6b5b00", "#a3214f")
_DASHES: tuple[Any, ...] = ("-", (0, (6, 3)), (0, (1.5, 2)), (0, (9, 3, 2, 3)), (0, (12, 4)), (0, (3, 3)))


def short(text: str) -> str:
    """A name as it fits beside a drawing."""
    return clip(visible(text), 28)


def empty(wide: float, high: float) -> Any:
    """A figure of so many inches."""
    from matplotlib.figure import Figure

    return Figure(figsize=(wide, high), layout="constrained")


def chart(chart: Chart, seconds: float, faults: tuple[Span, ...], phases: tuple[Span, ...]) -> Any:
    """The lines of a chart, with faults and phases shaded."""
    figure = empty(7.5, 3.2)
    axes = figure.subplots()
    for n, line in enumerate(chart.lines):
        axes.plot(line.at, line.values, color=_COLOURS[n], linestyle=_DASHES[n], linewidth=1.5, label=short(line.name))
    axes.set_ylim(bottom=0)
    _shaded(axes, seconds, faults, phases)
    axes.set_title(chart.title, loc="left", fontweight="bold", pad=22)
    axes.set(xlabel="seconds since the run began", ylabel=chart.unit)
    figure.legend(loc="outside lower center", ncols=len(chart.lines), frameon=False)
    return figure


def _shaded(
    axes: Any, seconds: float, faults: tuple[Span, ...], phases: tuple[Span, ...], *, named: bool = True
) -> None:
    for phase in phases[1::2]:
        axes.axvspan(phase.start, phase.end, color=_PHASE, alpha=0.06, linewidth=0)
    for n, fault in enumerate(faults):
        axes.axvspan(fault.start, fault.end, color=FAULT, alpha=0.12, linewidth=0)
        axes.axvline(fault.start, color=FAULT, linestyle=":", linewidth=1)
        if named and n < 6:
            flag(axes, fault, 2 + 9 * (n % 2))
    axes.set_xlim(0, seconds)
    axes.grid(axis="y", color="#dfe3e8", linewidth=0.6)


def flag(axes: Any, fault: Span, above: float) -> None:
    """A fault's name above the drawing."""
    place = (fault.start, 1)
    axes.annotate(
        short(fault.name),
        place,
        (2, above),
        xycoords=("data", "axes fraction"),
        textcoords="offset points",
        color=FAULT,
        fontsize=7,
        annotation_clip=False,
    )


def waves(shown: tuple[Wave, ...]) -> Any:
    """How long each wave's jobs waited for their next run."""
    figure = empty(7.5, 0.6 + 0.7 * len(shown))
    for axes, wave in zip(np.atleast_1d(figure.subplots(len(shown))), shown, strict=True):
        low, high = wave.middle
        axes.hist(wave.delays, bins=80, range=(0, max(float(wave.delays[-1]), 1e-9)), color=_COLOURS[0])
        axes.set_ylabel(
            f"retry {wave.retry}\n{len(wave.delays):,} jobs", rotation=0, ha="right", va="center", fontsize=8
        )
        axes.set_title(f"four fifths within {lasting(high - low)}", loc="right", fontsize=7, color=QUIET, pad=1)
        axes.tick_params(labelsize=7)
        axes.set_yticks([])
    figure.suptitle("Retry waves: the wait after a failure", x=0.01, ha="left", fontweight="bold")
    figure.supxlabel("seconds from the failure to the next run, on a scale of each wave's own", fontsize=8)
    return figure


def processes(used: tuple[Usage, ...], seconds: float, faults: tuple[Span, ...]) -> Any:
    """What each process used over time."""
    figure = empty(7.5, 0.8 + 0.6 * len(used))
    rows = figure.subplots(len(used), 2, sharex=True, squeeze=False)
    for (left, right), usage in zip(rows, used, strict=True):
        left.plot(usage.at, usage.cpu, color=_COLOURS[0], linewidth=1.2)
        right.plot(usage.at, usage.rss / MEGABYTE, color=_COLOURS[2], linewidth=1.2)
        left.set_ylabel(short(usage.process), rotation=0, ha="right", va="center", fontsize=8)
        for axes in (left, right):
            _shaded(axes, seconds, faults, (), named=False)
            axes.set_ylim(bottom=0)
            axes.tick_params(labelsize=7)
    rows[0][0].set_title("CPU, cores", loc="left", fontsize=9, fontweight="bold")
    rows[0][1].set_title("Memory, MB", loc="left", fontsize=9, fontweight="bold")
    figure.supxlabel("seconds since the run began", fontsize=8)
    return figure
