"""What runs follow, and the waves in which retries come back."""

from __future__ import annotations

import made
import pytest

from harness.history.events import End, Exit, Finish, OfJob, OfRun, Phase, Start
from harness.report import waves as drawn
from harness.report.repeated import Wave, largest, starts, waves


def failed(key: str, since: float, until: float, *, n: int = 1) -> list[OfJob | OfRun]:
    """A run that fails at `since`, and the next one at `until`."""
    return [
        Start(t=made.at(since - 0.1), worker="w", pid=1, key=key, run=f"{key}.{n}", attempt=n),
        Finish(t=made.at(since), worker="w", pid=1, key=key, run=f"{key}.{n}", outcome="failed"),
        Start(t=made.at(until), worker="w", pid=1, key=key, run=f"{key}.{n + 1}", attempt=n + 1),
    ]


def test_runs_are_told_apart_by_what_came_before() -> None:
    history = made.history(
        Phase(t=made.at(0), name="load", until=made.at(9)),
        *failed("retried", 1, 2),
        Start(t=made.at(1), worker="w", pid=7, key="killed", run="k1"),
        Exit(t=made.at(1.5), process="w", pid=7, code=-9),
        Start(t=made.at(3), worker="w", pid=8, key="killed", run="k2"),
        Start(t=made.at(4), worker="w", pid=8, key="overlapping", run="o1"),
        Start(t=made.at(5), worker="w", pid=9, key="overlapping", run="o2"),
        End(t=made.at(9)),
    )
    found = starts(history)
    assert sorted(found.first.tolist()) == [made.at(0.9), made.at(1), made.at(4)]
    assert found.retried.tolist() == [made.at(2)]
    assert found.redelivered.tolist() == [made.at(3)]
    assert found.again.tolist() == [made.at(5)]


def test_a_wave_ends_where_nothing_fails_for_a_while() -> None:
    together = [event for n in range(10) for event in failed(f"a{n}", 1 + n / 10, 3 + n / 10)]
    apart = [event for n in range(10) for event in failed(f"b{n}", 10 + n / 10, 12 + n / 2)]
    few = [event for n in range(4) for event in failed(f"c{n}", 30, 31)]
    history = made.history(Phase(t=made.at(0), name="load", until=made.at(40)), *together, *apart, *few)
    found = waves(history)
    assert [(wave.retry, wave.failed, len(wave.delays)) for wave in found] == [
        (1, pytest.approx((1, 1.9)), 10),
        (1, pytest.approx((10, 10.9)), 10),
    ]
    assert [wave.middle for wave in found] == [pytest.approx((2, 2)), pytest.approx((2.4, 5.2))]
    page = drawn.render(history)
    assert "retry 1, 10 jobs" in page and "within <b>3 s</b>" not in page and "within <b>2.8 s</b>" in page


def test_only_the_largest_waves_are_shown_in_their_order() -> None:
    made_up = tuple(Wave(1, (float(n), float(n)), [0.0] * size) for n, size in enumerate([5, 9, 6] + [7] * 20))  # type: ignore[arg-type]
    assert [wave.failed[0] for wave in largest(made_up)] == [1.0, *map(float, range(3, 14))]


def test_a_history_without_retries_has_no_waves() -> None:
    assert (waves(made.history()), drawn.render(made.history())) == ((), "")
