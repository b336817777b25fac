"""What every target on disk promises by being one; a new folder is tested by existing."""

from __future__ import annotations

import asyncio
import signal
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


def run(trial, name: str, reports: Path, preset: str = "") -> None:  # type: ignore[no-untyped-def]
    async def whole() -> None:
        async with bench(name, reports, preset=preset) as on:
            await trial(on)

    asyncio.run(whole())
