"""asynq behind the seam, in whole runs on real servers; and the promises of the Go kit that it is made with."""

from __future__ import annotations

import asyncio
import subprocess
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from harness import binaries
from harness.downstream.behaviour import Behaviour
from harness.history.events import Finish, Start
from harness.toolchains import go
from tests.conformance.bench import SLACK, Bench, bench
from tests.integration.conftest import ROOT, Harness
from tests.integration.one_fault import one_fault

SCENARIO = one_fault("asynq", "no_overlapping_runs")
KILL = SCENARIO.replace("FAULT", "kill_worker: {when: effect, nth: 30}")
TERM = SCENARIO.replace("FAULT", "kill_worker: {at: 1s, signal: TERM}").replace("work: 20ms", "work: 150ms")
CUT = SCENARIO.replace("FAULT", "cut_link: {link: redis, at: 500ms, for: 500ms}")
OUTAGE = SCENARIO.replace("FAULT", 'break_downstream: {how: "503", at: 500ms, for: 2s}')


def test_a_killed_workers_job_is_done_once(harness: Harness) -> None:
    ended = harness(KILL)
    assert (ended.code, ended.result["value"]) == (0, "PASS"), ended.out + ended.err
    assert max(event["attempt"] for event in ended.events("start")) == 2


def test_a_plain_handler_does_it_twice(harness: Harness) -> None:
    ended = harness(KILL, "--set", "idempotency=none")
    assert (ended.code, ended.values("FAIL")) == (1, ["no_duplicate_effects"]), ended.out + ended.err


def test_without_retries_a_killed_workers_job_is_archived_and_not_run_again(harness: Harness) -> None:
    ended = harness(KILL, "--set", "max_retry=0")
    held = ended.events("held")
    assert held and {event["where"] for event in held} == {"dead"}, ended.out + ended.err
    assert max(event["attempt"] for event in ended.events("start")) == 1


@pytest.mark.parametrize(("handled", "attempts"), [("true", 1), ("false", 2)])
def test_sigterm_waits_for_what_runs_if_it_is_handled(harness: Harness, handled: str, attempts: int) -> None:
    ended = harness(TERM, "--set", f"handle_sigterm={handled}")
    assert (ended.code, ended.result["value"]) == (0, "PASS"), ended.out + ended.err
    assert max(event["attempt"] for event in ended.events("start")) == attempts


def test_an_enqueue_that_was_never_sent_is_rejected(harness: Harness) -> None:
    ended = harness(CUT)
    assert (ended.code, ended.result["value"]) == (0, "PASS"), ended.out + ended.err
    assert sum("connection refused" in event["why"] for event in ended.events("reject")) > 10


def test_a_job_out_of_retries_is_dead_and_held(harness: Harness) -> None:
    ended = harness(OUTAGE, "--set", "max_retry=1", "--set", "retry_delay=100ms")
    ends = Counter(event["outcome"] for event in ended.events("finish"))
    held = Counter(event["where"] for event in ended.events("held"))
    assert held == {"dead": ends["dead"]} and ends["dead"] > 10, ended.out + ended.err


def test_a_producer_that_tries_again_waits_for_redis(harness: Harness) -> None:
    cut = CUT.replace("link: redis", "link: producer:redis").replace("for: 500ms", "for: 2s")
    ended = harness(cut, "--preset", "waits_for_broker")
    assert (ended.code, ended.result["value"]) == (0, "PASS"), ended.out + ended.err
    offered = {event["key"]: event["t"] for event in ended.events("offer")}
    waited = [(event["t"] - offered[event["key"]]) / 1e9 for event in ended.events("ack")]
    assert not ended.events("reject") and max(waited) > 1.0


@pytest.mark.parametrize(("preset", "classes"), [
    ("quick_retries", {"a": "Unclassified", "b": "Permanent"}),
    ("bare_letters", {"a": None, "b": None}),
])  # fmt: skip
def test_the_archive_has_an_errors_class_if_its_text_does(
    tmp_path: Path, preset: str, classes: dict[str, str | None]
) -> None:
    async def trial(on: Bench) -> None:
        await on.work()
        await on.enqueue("a", poison="unknown")
        await on.enqueue("b", poison="permanent")
        letters = {letter.key: letter for letter in await on.letters(2)}
        assert {key: letter.error for key, letter in letters.items()} == classes
        assert (letters["b"].id, letters["b"].attempts, letters["b"].message) == ("b", 1, "no retry can help")

    on_bench(trial, tmp_path, preset)


def test_what_was_revoked_left_no_trace(tmp_path: Path) -> None:
    async def trial(on: Bench) -> None:
        await on.work()
        await on.enqueue("a", poison="unknown")
        await on.done("a")
        await on.empty()
        assert (await on.held(), await on.letters(0)) == ({}, [])

    on_bench(trial, tmp_path, "silent_failures")


def test_only_what_is_in_the_archive_is_replayed_or_discarded(tmp_path: Path) -> None:
    async def trial(on: Bench) -> None:
        events = on.watch()
        await on.work()
        await on.system.downstream.behave(Behaviour(how="503"))
        await on.enqueue("a")
        (letter,) = await on.letters(1)
        assert await on.revive("replay", [letter]) == ["replayed"]
        await on.until(lambda: ends(events) == ["failed", "failed", "dead", "dead"])
        (letter,) = await on.letters(1)
        assert letter.attempts == 3  # a task that is run again keeps its count of retries
        await on.system.downstream.behave_well()
        assert await on.revive("replay", [letter]) == ["replayed"]
        await on.until(lambda: "done" in ends(events))
        await on.empty()
        assert await on.revive("discard", [letter]) == ["missing"]
        await on.enqueue("a", delay=3600.0)
        assert await on.revive("discard", [letter]) == ["missing"]
        assert await on.held() == {"a": "delayed"}

    on_bench(trial, tmp_path, "quick_retries")


def test_a_second_that_asynq_cuts_off_is_added_before(tmp_path: Path) -> None:
    async def trial(on: Bench) -> None:
        events = on.watch()
        await on.work()
        offered = {}
        for n in range(8):
            offered[f"job-{n}"] = time.time_ns()
            await on.enqueue(f"job-{n}", delay=1.3)
        await on.done(*offered)
        began = {event.key: event.t for event in events if isinstance(event, Start)}
        assert min(began[key] - offered[key] for key in offered) >= 1.3e9

    on_bench(trial, tmp_path)


@pytest.mark.parametrize(("preset", "effects"), [("dedups", 1), ("forgets_ids", 2)])
def test_a_key_that_the_queue_knows_is_not_run_again(tmp_path: Path, preset: str, effects: int) -> None:
    async def trial(on: Bench) -> None:
        await on.work()
        for _ in range(2):
            assert await on.enqueue("a") == ["acked"]
            await on.done("a")
            await on.empty()
        await on.enqueue("b")
        await on.done("b")
        assert (await on.system.downstream.counts()).effects == effects + 1

    on_bench(trial, tmp_path, preset)


def test_a_handler_that_heeds_no_context_goes_on_beside_the_next_attempt(tmp_path: Path) -> None:
    async def trial(on: Bench) -> None:
        events = on.watch()
        await on.work()
        await on.enqueue("a", work=3.0)
        await on.until(lambda: bool(ends(events)))
        assert [event.attempt for event in events if isinstance(event, Start)][:2] == [1, 2]
        await on.empty()
        assert (await on.system.downstream.counts()).effects == 1

    on_bench(trial, tmp_path, "short_lease")


def test_a_handler_that_computes_does_not_keep_its_lease_from_being_extended(tmp_path: Path) -> None:
    async def trial(on: Bench) -> None:
        events = on.watch()
        await on.work()
        await on.enqueue("a", busy=on.waits.lease + 2)
        await on.until(lambda: bool(ends(events)), SLACK + on.waits.lease)
        await on.empty()
        assert (ends(events), len(events)) == (["done"], 2)

    on_bench(trial, tmp_path, lease_duration="6s")


def ends(events: list[Start | Finish]) -> list[str]:
    return [event.outcome for event in events if isinstance(event, Finish)]


def on_bench(trial: Callable[[Bench], Awaitable[None]], reports: Path, preset: str = "", **knobs: str) -> None:
    async def whole() -> None:
        async with bench("asynq", reports, preset=preset, **knobs) as on:
            await trial(on)

    asyncio.run(whole())


def test_the_kit_keeps_its_promises() -> None:
    done = subprocess.run([binaries.go(), "test", "./..."], cwd=ROOT / "targets" / "kit" / "go", timeout=170)
    assert done.returncode == 0


@pytest.mark.parametrize("line", ["replace kit => ../kit", "replace (\n\tkit v1.0.0 => ../kit // ours\n)"])
def test_a_change_to_the_kit_builds_anew(tmp_path: Path, line: str) -> None:
    for folder in ("target", "kit"):
        (tmp_path / folder).mkdir()
    (tmp_path / "target" / "go.mod").write_text(f"module target\n{line}\n")
    (tmp_path / "kit" / "kit.go").write_text("package kit\n")
    (tmp_path / "kit" / "kit_test.go").write_text("package kit\n")
    decides = go._sources(str(tmp_path / "target" / "go.mod"))
    assert str(tmp_path / "kit" / "kit.go") in decides and str(tmp_path / "kit" / "kit_test.go") not in decides
