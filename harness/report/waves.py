"""Waves of retries as HTML: for each, how long after their failures the jobs came back, and how far apart."""

from __future__ import annotations

import numpy as np

from harness.history.history import History
from harness.report.repeated import Wave, largest, waves
from harness.report.text import escape, lasting, plural

WIDE, HIGH, COLUMNS = 400, 30, 80


def render(history: History) -> str:
    """A row for each of the largest waves; empty where nothing was retried together."""
    found = waves(history)
    shown = largest(found)
    if not shown:
        return ""
    more = f" The {len(shown)} largest of {len(found):,} waves are shown." if len(shown) < len(found) else ""
    rows = "".join(map(_row, shown))
    return (
        "<h3>Retry waves</h3><p>Jobs that failed without a pause, and how long each then waited for its next run. "
        "One narrow column means that they came back together, and the load of the outage with them."
        f'{more}</p><table class="waves"><thead><tr><th>Wave</th><th>Failed</th><th>Came back after</th>'
        f"<th>The middle four fifths</th></tr></thead><tbody>{rows}</tbody></table>"
    )


def _row(wave: Wave) -> str:
    low, high = wave.middle
    since, until = wave.failed
    return (
        f'<tr><td data-label="Wave">retry {wave.retry}, {plural(len(wave.delays), "job")}</td><td class="num" '
        f'data-label="Failed">{since:.2f} to {until:.2f}&nbsp;s</td><td data-label="Came back after">{_drawing(wave)}'
        f'</td><td data-label="Middle">from {escape(lasting(low))} on, within <b>{escape(lasting(high - low))}</b>'
        "</td></tr>"
    )


def _drawing(wave: Wave) -> str:
    """The waits as columns, on a scale of the wave's own: what counts is the width beside the wait."""
    longest = max(float(wave.delays[-1]), 1e-9)
    counts = np.histogram(wave.delays, COLUMNS, (0.0, longest))[0]
    tall = np.ceil(counts / counts.max() * (HIGH - 1))
    step = WIDE / COLUMNS
    columns = "".join(f"M{n * step:g} {HIGH}v-{high:g}h{step:g}v{high:g}z" for n, high in enumerate(tall) if high)
    title = f"Waits from 0 to {lasting(longest)}; half of the jobs waited {lasting(float(np.median(wave.delays)))}"
    return (
        f'<svg class="hist" viewBox="0 0 {WIDE} {HIGH}" preserveAspectRatio="none" role="img"><title>{escape(title)}'
        f'</title><path class="grid" d="M0 {HIGH}H{WIDE}"/><path class="column" d="{columns}"/></svg>'
        f'<span class="ends" aria-hidden="true"><span>0 s</span><span>{escape(lasting(longest))}</span></span>'
    )
