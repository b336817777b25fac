"""What processes used."""

from __future__ import annotations

import made
import numpy as np

from harness.history.events import Phase, Sample
from harness.report.charts import charts
from harness.report.usage import MEGABYTE, MOST_POINTS, usages


def test_cpu_is_what_was_used_since_the_sample_before_and_unknown_across_a_restart() -> None:
    used = [(0, 1.0), (1, 1.5), (2, 2.5), (3, 0.2), (4, 0.4)]
    samples = [Sample(t=made.at(at), process="w", cpu=cpu, rss=at * MEGABYTE) for at, cpu in used]
    (usage,) = usages(made.history(Phase(t=made.at(0), name="load", until=made.at(4)), *samples))
    assert usage.at.tolist() == [0, 1, 2, 3, 4]
    assert np.round(usage.cpu, 6).tolist()[1:3] + np.round(usage.cpu, 6).tolist()[4:] == [0.5, 1.0, 0.2]
    assert np.isnan(usage.cpu[[0, 3]]).all()
    assert (usage.rss / MEGABYTE).tolist() == [0, 1, 2, 3, 4]


def test_a_long_run_is_thinned_out_and_keeps_the_peak_of_its_memory() -> None:
    sizes = [10**9 if n == 500 else 1 for n in range(3 * MOST_POINTS + 7)]
    samples = [Sample(t=made.at(n), process="w", cpu=n / 2, rss=size) for n, size in enumerate(sizes)]
    (usage,) = usages(made.history(*samples))
    assert len(usage.at) == len(usage.rss) == len(usage.cpu) <= MOST_POINTS
    assert (usage.rss.max(), set(usage.cpu[1:].tolist())) == (10**9, {0.5})


def test_the_memory_of_redis_is_drawn_resident_and_as_data() -> None:
    samples = [
        Sample(t=made.at(n), process="redis", cpu=0, rss=(9 + n) * MEGABYTE, used=n * MEGABYTE) for n in range(3)
    ]
    drawn = charts(made.history(*samples, Sample(t=made.at(1), process="worker-1", cpu=0, rss=1)))
    (chart,) = drawn.drawn
    assert [(line.name, line.values.tolist()) for line in chart.lines] == [
        ("redis resident", [9, 10, 11]),
        ("redis data", [0, 1, 2]),
    ]
    assert "Redis memory" not in drawn.absent and "Jobs" in drawn.absent
