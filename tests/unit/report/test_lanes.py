"""A job's lanes: what it waited for, who ran it, what was done, on a scale that shows both."""

from __future__ import annotations

from itertools import pairwise

import made
import pytest

from harness.history.events import (
    Ack,
    Change,
    Effect,
    End,
    Exit,
    Fault,
    Finish,
    Offer,
    OfJob,
    OfRun,
    Phase,
    Revive,
    Start,
)
from harness.report import strip as drawn
from harness.report.lanes import MOST_RUNS, Bar, Lane, Mark, Strip, strip
from harness.report.spans import Span

KILLED: tuple[OfJob | OfRun, ...] = (
    Phase(t=made.at(0), name="load", until=made.at(9)),
    Offer(t=made.at(1), key="a", intended=made.at(1)),
    Ack(t=made.at(1.25), key="a"),
    Start(t=made.at(1.5), worker="w", pid=1, key="a", run="1"),
    Effect(t=made.at(1.75), key="a", worker="w"),
    Exit(t=made.at(2), process="w", pid=1, code=-9),
)


def found(*events: OfJob | OfRun) -> Strip:
    made_of_them = strip(made.history(*events), "a")
    assert made_of_them is not None
    return made_of_them


def test_a_redelivery_and_its_second_effect_are_seen() -> None:
    again = (
        Start(t=made.at(4), worker="v", pid=2, key="a", run="2", attempt=2),
        Effect(t=made.at(4.25), key="a", worker="v"),
        Finish(t=made.at(4.5), worker="v", pid=2, key="a", run="2", outcome="done"),
    )
    fault = Fault(t=made.at(1.9), n=0, fault="kill_worker", state="injected")
    shown = found(*KILLED, *again, fault, End(t=made.at(9)))
    assert shown.lanes == (
        Lane("load", marks=(Mark(1.0, "offer", "", "offer"), Mark(1.25, "ack", "", "ack"))),
        Lane(
            "queue",
            (
                Bar(1.25, 1.5, "queued", "waits 250 ms", "250 ms", "waits 250 ms"),
                Bar(2.0, 4.0, "redelivery", "2 s until redelivered", "2 s", "2 s until redelivered"),
            ),
        ),
        Lane(
            "w pid 1",
            (Bar(1.5, 2.0, "death", "attempt 1", "1", "attempt 1, 500 ms: the process died"),),
            (Mark(2.0, "death"),),
        ),
        Lane("v pid 2", (Bar(4.0, 4.5, "done", "attempt 2", "2", "attempt 2, 500 ms: done"),), (Mark(4.5, "done"),)),
        Lane(
            "downstream",
            marks=(Mark(1.75, "effect", "effect 1", "side effect 1"), Mark(4.25, "again", "effect 2", "side effect 2")),
        ),
    )
    assert shown.faults == (Span("1 kill_worker", 1.9, 1.9),)


def test_a_lost_job_is_not_seen_again() -> None:
    shown = found(*KILLED, End(t=made.at(9)))
    assert shown.lanes[1].bars[-1] == Bar(2.0, 9.0, "never", "not seen again 7 s", "7 s", "not seen again 7 s")


def test_a_failed_run_is_retried_and_a_run_without_an_end_lasts() -> None:
    runs = (
        Ack(t=made.at(1), key="a"),
        Start(t=made.at(1), worker="w", pid=1, key="a", run="1"),
        Finish(t=made.at(2), worker="w", pid=1, key="a", run="1", outcome="failed"),
        Start(t=made.at(4), worker="w", pid=1, key="a", run="2", attempt=2),
        End(t=made.at(9)),
    )
    shown = found(*runs)
    assert [(bar.start, bar.end, bar.kind) for lane in shown.lanes for bar in lane.bars] == [
        (1.0, 3.0, "retry"),
        (0.0, 1.0, "failed"),
        (3.0, 8.0, "open"),
    ]


def test_a_record_that_changed_and_a_letter_put_back_are_marked() -> None:
    shown = found(
        *KILLED,
        Change(t=made.at(3), key="a", version=2),
        Revive(t=made.at(5), key="a", id="7", who="me"),
        End(t=made.at(9)),
    )
    marks = [mark for lane in shown.lanes for mark in lane.marks if mark.kind in ("change", "revive")]
    assert marks == [
        Mark(5.0, "revive", "replayed", "dead letter replayed by me"),
        Mark(3.0, "change", "version 2", "change"),
    ]


def test_time_goes_on_and_a_long_wait_takes_less_room_than_its_share() -> None:
    shown = found(*KILLED, Start(t=made.at(100), worker="v", pid=2, key="a", run="2"), End(t=made.at(101)))
    assert all(before < after for before, after in pairwise(shown.places))
    assert (shown.places[0], shown.places[-1]) == pytest.approx((0.02, 0.97))
    assert 0.5 < shown.share(100) - shown.share(2) < 0.7


def test_a_job_with_very_many_runs_is_drawn_in_part_and_says_so() -> None:
    runs = [
        event
        for n in range(MOST_RUNS + 5)
        for event in (
            Start(t=made.at(n), worker="w", pid=n, key="a", run=f"{n}", attempt=n),
            Finish(t=made.at(n + 0.5), worker="w", pid=n, key="a", run=f"{n}", outcome="failed"),
        )
    ]
    shown = found(*runs)
    page = drawn.render(shown)
    assert shown.left_out == "5 later runs"
    assert f"Not drawn: {len(shown.lanes) - drawn.MOST_LANES} more processes and 5 later runs." in page
    assert len(page) < 60_000


def test_a_job_without_events_has_no_strip() -> None:
    assert strip(made.history(), "a") is None
