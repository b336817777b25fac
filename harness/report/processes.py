"""What each process used as HTML: a row each, with its CPU and its memory over time."""

from __future__ import annotations

import numpy as np

from harness.history.history import History
from harness.report import marks, spans
from harness.report.plot import path
from harness.report.series import Floats
from harness.report.spans import Span
from harness.report.text import escape, number
from harness.report.usage import MEGABYTE, Usage, usages

WIDE, HIGH = marks.WIDE, marks.HIGH
MOST_PROCESSES = 40


def render(history: History, seconds: float) -> str:
    """A row for each process that was sampled; empty where none was."""
    found = usages(history)
    if not found:
        return ""
    busiest = max((float(np.nanmax(usage.cpu)) for usage in found if not np.isnan(usage.cpu).all()), default=0.0)
    faults = spans.faults(history)[:MOST_PROCESSES]
    rows = "".join(_row(usage, seconds, max(busiest, 0.01), faults) for usage in found[:MOST_PROCESSES])
    more = len(found) - MOST_PROCESSES
    left_out = f'<p class="more">and {more:,} more, in the history</p>' if more > 0 else ""
    return (
        "<h3>Processes</h3><p>CPU is in cores, on one scale for all; memory is what was resident, on a scale of each "
        'process\'s own. Each drawing spans the whole run, and faults are shaded.</p><table class="processes"><thead>'
        f"<tr><th>Process</th><th>CPU, cores</th><th>Memory, MB</th></tr></thead><tbody>{rows}</tbody></table>"
        f"{left_out}"
    )


def _row(usage: Usage, seconds: float, busiest: float, faults: tuple[Span, ...]) -> str:
    cpu, memory = usage.cpu[~np.isnan(usage.cpu)], usage.rss / MEGABYTE
    used = f"mean {number(_round(cpu.mean()))}, peak {number(_round(cpu.max()))}" if len(cpu) else "one sample"
    held = f"{number(_round(memory[0]))} to {number(_round(memory[-1]))}, peak {number(_round(memory.max()))}"
    name = escape(usage.process)
    return (
        f'<tr><th scope="row">{name}</th><td data-label="CPU">'
        f"{_spark(f'CPU of {name}: {used}', usage.at, usage.cpu, seconds, busiest, faults)}{used}</td>"
        f'<td data-label="Memory">{_spark(f"Memory of {name}: {held}", usage.at, memory, seconds, 0, faults)}{held}'
        "</td></tr>"
    )


def _round(value: float) -> float:
    return float(f"{float(value):.2g}") if value < 100 else round(float(value))


def _spark(title: str, at: Floats, values: Floats, seconds: float, top: float, faults: tuple[Span, ...]) -> str:
    """A small drawing from 0 to the top, or to the highest value where that is 0."""
    known = values[~np.isnan(values)]
    highest = top or max(float(known.max()) if len(known) else 0.0, 1e-9)
    shades = marks.shades(lambda moment: moment / seconds, faults, ())
    drawn = path(at / seconds * WIDE, HIGH - values / (highest * 1.05) * HIGH)
    return (
        f'<svg class="spark" viewBox="0 0 {WIDE} {HIGH}" preserveAspectRatio="none" role="img"><title>{title}</title>'
        f'{shades}<path class="grid" d="M0 {HIGH}H{WIDE}"/><path class="line line0" d="{drawn}"/></svg>'
    )
