"""What every target on disk promises by being one; a new folder is tested by existing."""

from __future__ import annotations

import asyncio
import json
import signal
import time
from pathlib import Path

import pytest

from harness import target as targets
from harness import toolchains
from harness.downstream.behaviour import Behaviour
from harness.history.events import Finish, Start
from harness.substrate.process import send
from tests.conformance.bench import SLACK, Bench, bench, names

ODD = 'jöb "1" \\ \t <b>&amp;</b>'


@pytest.fixture(params=names())
def name(request: pytest.FixtureRequest) -> str:
    """Each target that this machine has the toolchain for."""
    target = targets.load(targets.find(request.param))
    if lacking := toolchains.lacks(target):
        pytest.skip(f"{request.param}: {lacking}")
    toolchains.install(target)
    return str(request.param)


def test_a_target_declares_what_scenarios_count_on(name: str) -> None:
    target = targets.load(targets.find(name))
    assert {"attempts", "state", "held"} <= set(target.reports)
    assert {"idempotency", "concurrency", "downstream_timeout"} <= set(target.knobs)
    assert "impatient" in target.presets, "a preset that gives up after two quick retries"
    assert all(knob.about for knob in target.knobs.values())


def test_a_target_of_ours_does_all_that_scenarios_may_ask(name: str) -> None:
    target = targets.load(targets.find(name))
    assert set(target.reports) == {"attempts", "state", "held", "letters"}
    assert {"retry", "dead_letter", "replay", "delay"} <= set(target.abilities)
    assert {"classify", "honour_retry_after", "record", "publish"} <= set(target.knobs)
    assert "quick_retries" in target.presets, "a preset that gives up after three quick attempts, careful in all else"


def test_jobs_are_acked_held_and_done(name: str, tmp_path: Path) -> None:
    async def trial(on: Bench) -> None:
        keys = [f"job-{n}" for n in range(30)]
        assert await on.enqueue(ODD) == ["acked"]
        assert await on.enqueue(*keys) == ["acked"] * 30
        assert set(await on.held()) == {ODD, *keys}
        assert await on.waiting() == 31
        await on.work()
        await on.done(ODD, *keys)
        await on.empty()
        assert (await on.system.downstream.counts()).effects == 31

    run(trial, name, tmp_path)


def test_a_failure_is_retried_with_the_next_attempt(name: str, tmp_path: Path) -> None:
    async def trial(on: Bench) -> None:
        events = on.watch()
        await on.work()
        await on.system.downstream.behave(Behaviour(how="503"))
        await on.enqueue("a")
        await on.until(lambda: sum(isinstance(event, Finish) for event in events) >= 2)
        await on.system.downstream.behave_well()
        await on.done("a")
        starts = [event.attempt for event in events if isinstance(event, Start)]
        ends = [event.outcome for event in events if isinstance(event, Finish)]
        assert starts == list(range(1, len(starts) + 1))
        assert ends == ["failed"] * (len(ends) - 1) + ["done"]

    run(trial, name, tmp_path)


def test_a_permanent_failure_ends_and_is_kept_where_the_target_says_so(name: str, tmp_path: Path) -> None:
    async def trial(on: Bench) -> None:
        events = on.watch()
        await on.work()
        await on.system.downstream.behave(Behaviour(how="503"))
        await on.enqueue("a")
        await on.done("a")
        ends = [event.outcome for event in events if isinstance(event, Finish)]
        assert ends == ["failed", "failed", "dead"]
        async with asyncio.timeout(SLACK):
            while (await on.held()).get("a") != ("dead" if "dead_letter" in on.target.abilities else None):
                await asyncio.sleep(0.05)

    run(trial, name, tmp_path, preset="impatient")


def test_a_killed_workers_job_is_done_all_the_same(name: str, tmp_path: Path) -> None:
    async def trial(on: Bench) -> None:
        await on.work()
        watch = await on.system.downstream.watch(1)
        await on.enqueue("a")
        async with asyncio.timeout(SLACK):
            held = await watch.held()
        worker = on.system.workers["worker-1"]
        assert worker.process is not None
        send(worker.process.tree(), signal.SIGKILL)
        await worker.process.ended()
        await on.system.downstream.release(held)
        await on.done("a")
        await on.empty()

    run(trial, name, tmp_path)


def test_sigterm_ends_the_worker_and_loses_nothing(name: str, tmp_path: Path) -> None:
    async def trial(on: Bench) -> None:
        await on.work()
        await on.enqueue("a", "b", "c", work=0.5)
        await on.until(lambda: bool(on.system.live.open))
        worker = on.system.workers["worker-1"]
        assert worker.process is not None
        worker.process.signal(signal.SIGTERM)
        async with asyncio.timeout(SLACK):
            await worker.process.ended()
        await on.done("a", "b", "c")
        await on.empty()

    run(trial, name, tmp_path)


def test_a_permanent_error_ends_the_job_at_once_and_leaves_a_whole_letter(name: str, tmp_path: Path) -> None:
    async def trial(on: Bench) -> None:
        events = on.watch()
        await on.work()
        began = time.time()
        await on.enqueue("a", poison="permanent")
        await on.done("a")
        assert [(event.outcome, event.note) for event in events if isinstance(event, Finish)] == [("dead", "Permanent")]
        (letter,) = await on.letters(1)
        assert (letter.key, letter.attempts, letter.error) == ("a", 1, "Permanent")
        assert letter.payload == {"key": "a", "work": 0.0, "poison": "permanent"}
        assert letter.message
        assert letter.died is not None and began - 2 <= letter.died <= time.time() + 2

    run(trial, name, tmp_path)


def test_an_unclassified_error_is_retried_and_a_transient_one_passes(name: str, tmp_path: Path) -> None:
    async def trial(on: Bench) -> None:
        events = on.watch()
        await on.work()
        await on.enqueue("a", poison="unknown")
        await on.enqueue("b", poison="transient")
        await on.done("a", "b")
        ends = {
            key: [event.outcome for event in events if isinstance(event, Finish) and event.key == key] for key in "ab"
        }
        assert ends == {"a": ["failed", "failed", "dead"], "b": ["failed", "failed", "done"]}
        (letter,) = await on.letters(1)
        assert (letter.key, letter.attempts, letter.error) == ("a", 3, "Unclassified")

    run(trial, name, tmp_path, preset="quick_retries")


def test_a_letter_is_replayed_by_its_id_or_discarded(name: str, tmp_path: Path) -> None:
    async def trial(on: Bench) -> None:
        await on.work()
        await on.system.downstream.behave(Behaviour(how="503"))
        await on.enqueue("a", "b", "c")
        await on.done("a", "b", "c")
        found = {letter.key: letter for letter in await on.letters(3)}
        await on.system.downstream.behave_well()
        assert await on.revive("replay", [found["a"]]) == ["replayed"]
        await on.until(lambda: on.system.live.counts["effect"] == 1)
        assert await on.revive("discard", [found["b"]]) == ["discarded"]
        assert {letter.key for letter in await on.letters(1)} == {"c"}
        assert await on.revive("replay", [found["b"]]) == ["missing"]
        assert on.system.live.counts["effect"] == 1

    run(trial, name, tmp_path, preset="quick_retries")


def test_a_delayed_job_waits_for_its_time(name: str, tmp_path: Path) -> None:
    async def trial(on: Bench) -> None:
        events = on.watch()
        await on.work()
        offered = time.time_ns()
        await on.enqueue("a", delay=2.0)
        async with asyncio.timeout(SLACK):  # on its way to a worker a message may be in no place for a moment
            while (await on.held()).keys() != {"a"}:
                await asyncio.sleep(0.01)
        await on.until(lambda: "a" in on.system.live.ended, SLACK + 10)
        (start,) = [event for event in events if isinstance(event, Start)]
        assert start.t - offered >= 1.95e9

    run(trial, name, tmp_path)


def test_a_handler_waits_as_long_as_a_429_asks(name: str, tmp_path: Path) -> None:
    async def trial(on: Bench) -> None:
        events = on.watch()
        await on.work()
        await on.system.downstream.behave(Behaviour(how="429", retry_after=3))
        await on.enqueue("a")
        await on.until(lambda: any(isinstance(event, Finish) for event in events))
        await on.system.downstream.behave_well()
        await on.done("a")
        first, second = [event.t for event in events if isinstance(event, Start)][:2]
        assert second - first >= 3e9

    run(trial, name, tmp_path)


@pytest.mark.parametrize(("record", "version"), [("current", 2), ("snapshot", 1)])
def test_a_handler_reads_the_record_or_trusts_its_copy(name: str, record: str, version: int, tmp_path: Path) -> None:
    async def trial(on: Bench) -> None:
        await on.enqueue("a", version=1)
        await on.system.downstream.change(["a"])
        await on.work()
        await on.done("a")
        lines = (Path(on.folder) / "downstream.jsonl").read_text().splitlines()
        assert [json.loads(line)["version"] for line in lines] == [2, version]

    run(trial, name, tmp_path, record=record)


@pytest.mark.parametrize(("idempotency", "effects"), [("reconcile", 1), ("fresh", 2)])
def test_an_answer_that_never_came_is_looked_into_or_not(
    name: str, idempotency: str, effects: int, tmp_path: Path
) -> None:
    async def trial(on: Bench) -> None:
        await on.work()
        await on.system.downstream.behave(Behaviour(how="commit_then_timeout"))
        await on.enqueue("a")
        await on.until(lambda: on.system.live.counts["effect"] == 1)
        await on.system.downstream.behave_well()
        await on.done("a")
        assert (await on.system.downstream.counts()).effects == effects

    run(trial, name, tmp_path, idempotency=idempotency)


def run(trial, name: str, reports: Path, preset: str = "", **knobs: str) -> None:  # type: ignore[no-untyped-def]
    async def whole() -> None:
        async with bench(name, reports, preset=preset, **knobs) as on:
            await trial(on)

    asyncio.run(whole())
