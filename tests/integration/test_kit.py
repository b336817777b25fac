"""What the kit of Python does for every handler and every producer, on the memory target."""

import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.integration.by_hand import TARGETS, Stack, eventually

Start = Callable[..., Stack]


@pytest.mark.parametrize(("poison", "classify", "ends"), [
    ("permanent", True, [("dead", "Permanent")]),
    ("permanent", False, [("failed", "Permanent"), ("failed", "Permanent"), ("dead", "Permanent")]),
    ("unknown", True, [("failed", "Unclassified"), ("failed", "Unclassified"), ("dead", "Unclassified")]),
    ("transient", True, [("failed", "Transient"), ("failed", "Transient"), ("done", None)]),
])  # fmt: skip
def test_a_poison_job_fails_as_it_says(stack: Start, poison: str, classify: bool, ends: list[Any]) -> None:
    running = stack(max_retries=2, classify=classify)
    running.enqueue("a", poison=poison)
    eventually(lambda: len(running.ends("a")) == len(ends))
    assert running.ends("a") == ends
    assert running.downstream.calls == ({"a": 1} if poison == "transient" else {})


def test_a_dead_letter_tells_all_and_can_be_replayed_or_discarded(stack: Start) -> None:
    running = stack(max_retries=1)
    before = time.time()
    running.enqueue("a", poison="unknown", version=3)
    eventually(lambda: len(running.letters()) == 1)
    (letter,) = running.letters()
    first, died = letter.pop("id"), letter.pop("died")
    assert before < died < time.time()
    assert letter == {
        "key": "a",
        "payload": {"key": "a", "work": 0, "poison": "unknown", "version": 3},
        "attempts": 2,
        "error": "Unclassified",
        "message": "a is poison: attempt 2 cannot succeed",
    }
    assert running.settle("replay", first, "nobody") == ["replayed", "missing"]
    eventually(lambda: len(running.ends("a")) == 4 and len(running.letters()) == 1)
    assert [event["attempt"] for event in running.lines() if event["e"] == "start"] == [1, 2, 1, 2]
    second = running.letters()[0]["id"]
    assert running.settle("discard", first, second) == ["missing", "discarded"]
    assert running.letters() == []
    assert running.ask("POST", "/letters/replay", b'{"ids": 1}')[0] == 400


@pytest.mark.parametrize(("kept", "names"), [("keys", [["id", "key"]]), ("none", [])])
def test_what_is_kept_of_a_dead_job_is_a_knob(stack: Start, kept: str, names: list[list[str]]) -> None:
    running = stack(dead_letters=kept)
    running.enqueue("a", poison="permanent")
    eventually(lambda: running.ends("a") == [("dead", "Permanent")] and running.state()["active"] == 0)
    assert [sorted(letter) for letter in running.letters()] == names


@pytest.mark.parametrize(("looks_every", "least"), [(0.0, 0.3), (1.0, 0.3)])
def test_a_delayed_job_waits(stack: Start, looks_every: float, least: float) -> None:
    running = stack(looks_every=looks_every)
    before = time.time()
    running.enqueue("a", delay=least)
    assert running.state()["delayed"] == 1
    eventually(lambda: running.ends("a") == [("done", None)])
    (start,) = [event["t"] / 1e9 for event in running.lines() if event["e"] == "start"]
    assert start - before >= least


@pytest.mark.parametrize(("honour", "least"), [(True, 1.0), (False, 0.0)])
def test_a_retry_waits_for_as_long_as_it_was_asked_to(stack: Start, honour: bool, least: float) -> None:
    running = stack(429, honour_retry_after=honour, workers=0)
    running.downstream.retry_after = "1"
    running.start_worker(1)
    running.enqueue("a")
    eventually(lambda: len(running.ends("a")) == 2)
    first, second = [event["t"] / 1e9 for event in running.lines() if event["e"] == "start"]
    assert (second - first >= 1.0) is honour, second - first


@pytest.mark.parametrize(("record", "version"), [("current", 2), ("snapshot", 1)])
def test_a_job_acts_on_the_record_as_it_is_or_as_it_was(stack: Start, record: str, version: int) -> None:
    running = stack(record=record, workers=0)
    running.downstream.record = 2
    running.enqueue("a", version=1)
    running.enqueue("b")
    running.start_worker(1)
    eventually(lambda: running.ends("a") == running.ends("b") == [("done", None)])
    assert running.downstream.versions == {"a": version, "b": None}


def test_a_fresh_key_is_another_one_each_time(stack: Start) -> None:
    running = stack(503, idempotency="fresh")
    running.enqueue("a")
    eventually(lambda: len(running.ends("a")) == 2)
    assert len(running.downstream.keys) == 2 and None not in running.downstream.keys


def test_a_reconciling_handler_asks_before_it_does_it_again(stack: Start) -> None:
    running = stack(503, idempotency="reconcile")
    running.enqueue("a")
    eventually(lambda: len(running.ends("a")) == 2)
    assert running.ends("a") == [("failed", "DownstreamFailed"), ("done", "dedup")]
    assert (running.downstream.calls, running.downstream.headers) == ({"a": 1}, {"a": None})


@pytest.mark.parametrize(("unique", "runs"), [(True, 1), (False, 2)])
def test_a_known_key_is_ignored_if_keys_are_unique(stack: Start, unique: bool, runs: int) -> None:
    running = stack(unique=unique)
    assert running.enqueue("a", "a") == ["acked", "acked"]
    running.enqueue("b")
    eventually(lambda: running.ends("b") == [("done", None)] and running.state()["active"] == 0)
    assert running.downstream.calls == {"a": runs, "b": 1}


@pytest.mark.parametrize(("extend", "runs"), [(True, 1), (False, 2)])
def test_a_lease_is_extended_while_the_handler_works(stack: Start, extend: bool, runs: int) -> None:
    running = stack(extend=extend)
    running.enqueue("a", work=1.6)
    eventually(lambda: len(running.ends("a")) == runs and running.state()["active"] == 0)
    assert len([event for event in running.lines() if event["e"] == "start"]) == runs


def test_a_job_that_computes_keeps_every_other_thread_waiting(stack: Start) -> None:
    running = stack()
    running.enqueue("a", busy=1.6)
    eventually(lambda: len([event for event in running.lines() if event["e"] == "start"]) == 2)


def test_computing_holds_the_gil_all_the_time() -> None:
    program = (
        "import threading, time, workload\n"
        "ticks = []\n"
        "def tick():\n"
        "    while True: time.sleep(0.01); ticks.append(time.monotonic())\n"
        "threading.Thread(target=tick, daemon=True).start()\n"
        "time.sleep(0.1)\n"
        "workload.compute(0.5); time.sleep(0.1)\n"
        "print(max(later - tick for tick, later in zip(ticks, ticks[1:])))"
    )
    environment = {"PYTHONPATH": str(TARGETS / "kit" / "python")}
    answer = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=60
    )
    assert float(answer.stdout) >= 0.5, answer.stderr


def test_a_producer_that_publishes_in_the_background_answers_before(stack: Start) -> None:
    running = stack(publish="background")
    assert running.enqueue("a", "b") == ["acked", "acked"]
    eventually(lambda: running.ends("a") == running.ends("b") == [("done", None)])
