"""Each figure of a history, from histories told by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.history.events import Sample
from harness.measurements import BY_NAME, measure
from tests.unit.invariants.histories import Tale, ns


def test_a_healthy_run() -> None:
    tale = Tale()
    for n in range(100):
        tale.done(f"job-{n}", at=n / 10, start=n / 10, finish=n / 10 + (n + 1) / 1000)
    for process, rss in (("worker-1", 30), ("worker-1", 50), ("producer", 20)):
        tale.tell(Sample(t=ns(1), process=process, cpu=0.0, rss=rss))
    found = measure(tale.ended())
    assert found == {
        "throughput": pytest.approx(10.0),
        "latency.p50": 0.05,
        "latency.p95": 0.095,
        "latency.p99": 0.099,
        "drain": 0.1,
        "age": 0.1,
        "amplification": 1.0,
        "calls": 1.0,
        "calls.peak": pytest.approx(0.99),
        "duplicates": 0.0,
        "memory": 70.0,
    }
    assert list(found) == [name for name in BY_NAME if name in found]


def test_a_fault_has_a_recovery_and_the_worst_counts() -> None:
    tale = Tale().done("early", at=0, finish=0.5)
    tale.acked("x", at=1).fault("cut", 2, healed=4).ran("x", 4, 7).fault("kill", 10, n=1).done("y", at=11, finish=12)
    found = measure(tale.ended())
    assert (found["recovery"], found["recovery.first"], found["drain"]) == (3.0, 3.0, 1.0)


def test_the_pace_is_back_with_the_first_second_as_fast_as_before() -> None:
    tale = Tale()
    for n in range(50):
        tale.done(f"before-{n}", at=n / 10, finish=n / 10 + 0.05)
    tale.fault("cut", 5, healed=8)
    for n in range(5):
        tale.done(f"slow-{n}", at=5, finish=8.5 + n)
    for n in range(50):
        tale.done(f"after-{n}", at=5, finish=14 + n / 10)
    found = measure(tale.ended())
    assert found["recovery.first"] == pytest.approx(0.5)
    assert found["recovery.pace"] == pytest.approx(6.0)


def test_calls_of_the_provider_are_counted_and_their_busiest_second() -> None:
    tale = Tale().acked("a", at=0).acked("b", at=9)
    for n in range(20):
        tale.refused("a", 1 + n / 20)
    found = measure(tale.effect("a", 5).effect("b", 9).ended())
    assert (found["calls"], found["calls.peak"]) == (11.0, 20.0)


def test_what_ran_again_is_amplified_and_what_was_done_again_is_a_duplicate() -> None:
    tale = Tale().acked("a", "b", "c")
    tale.ran("a", 0, 1, "failed").ran("a", 2, 3).effect("a", 3)
    tale.ran("b", 0, 1).effect("b", 1).replay("b", 2).effect("b", 3)
    tale.refused("c", 1)
    found = measure(tale.ended())
    assert (found["amplification"], found["duplicates"]) == (1.5, 2.0)


def test_a_job_that_is_never_done_has_waited_until_the_history_stops() -> None:
    found = measure(Tale().done("a").acked("lost", at=10).ended(at=60))
    assert (found["latency.p99"], found["drain"]) == (50.0, 50.0)


def test_the_page_on_scenarios_says_what_each_means() -> None:
    page = (Path(__file__).parents[3] / "docs" / "scenarios.md").read_text()
    told = [
        one for one in BY_NAME.values() if f"`{one.name}`" in page and (one.about in page or "the same" in one.about)
    ]
    assert told == list(BY_NAME.values())


def test_nothing_is_measured_of_nothing() -> None:
    assert measure(Tale().rejected("a").ended()) == {}
