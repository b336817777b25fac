"""Which workers a fault catches, and that it lets nobody else's go."""

from __future__ import annotations

import asyncio
import random
import subprocess
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest

from harness.fault import Missed, Moment
from harness.faults._victims import catch, until
from harness.faults.freeze_worker import FreezeWorker
from harness.faults.kill_worker import KillWorker
from harness.live import Open
from harness.substrate.process import stopped
from harness.system import System


@pytest.fixture
def pid() -> Iterator[int]:
    with subprocess.Popen(["sleep", "60"]) as process:
        yield process.pid
        process.kill()


def system(pid: int, *runs: Open) -> Any:
    """One worker, that process alone, which has begun these runs."""
    process = SimpleNamespace(pid=pid, alive=True, tree=lambda: [pid])
    live = SimpleNamespace(pump=lambda: None, in_flight=lambda worker="", pids=None: list(runs))
    workers = {"worker-1": SimpleNamespace(name="worker-1", process=process)}
    return SimpleNamespace(workers=workers, live=live, random=random.Random(1))


def run(pid: int) -> Open:
    return Open("worker-1", pid, "a", "1", 0)


def test_a_worker_that_one_fault_has_frozen_is_not_caught_and_let_go_by_another(pid: int) -> None:
    there = system(pid, run(pid))

    async def both() -> None:
        async with FreezeWorker().inject(there, Moment()):
            with pytest.raises(Missed, match="no 1 worker"):
                await catch(there, Moment(), 1, 0.05)
            with pytest.raises(Missed, match="worker-1 stands still already: another fault holds it"):
                await catch(there, Moment("worker-1", pid, "a"), 1, 0.05)
            assert stopped(pid)
        assert await until(lambda: not stopped(pid), 5)
        assert [one.worker.name for one in await catch(there, Moment(), 1, 5)] == ["worker-1"]

    asyncio.run(both())


def test_a_child_that_has_ended_is_not_killed_in_the_shape_of_its_parent(pid: int) -> None:
    async def strike() -> None:
        ended = Moment("worker-1", pid + 1, "a", certain=True)
        async with KillWorker(scope="child").inject(system(pid), ended):
            pass

    with pytest.raises(Missed, match="the process of worker-1 that ran a had ended"):
        asyncio.run(strike())
    assert subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True).stdout[:1] in "SR"


class Process:
    """A process, which remembers whether it stood still when its children were looked for."""

    alive = True

    def __init__(self, pid: int) -> None:
        self.pid, self.stood_still = pid, list[bool]()

    def tree(self) -> list[int]:
        self.stood_still.append(stopped(self.pid))
        return [self.pid]


class Live:
    """Sees one run."""

    def __init__(self, run: Open) -> None:
        self.run = run

    def pump(self) -> None:
        return None

    def in_flight(self, worker: str = "", pids: set[int] | None = None) -> list[Open]:
        return [self.run] if pids is None or self.run.pid in pids else []


def test_a_worker_stands_still_before_its_children_are_looked_for() -> None:
    with subprocess.Popen(["sleep", "60"]) as sleeper:
        try:
            process = Process(sleeper.pid)
            worker = SimpleNamespace(name="worker-1", process=process)
            run = Open("worker-1", sleeper.pid, "job-000001", "1", 1)
            system = SimpleNamespace(live=Live(run), workers={"worker-1": worker}, random=random.Random(1))
            moment = Moment("worker-1", sleeper.pid, "job-000001")
            caught = asyncio.run(catch(cast(System, system), moment, 1, 5.0))
            assert [(one.pids, one.keys) for one in caught] == [([sleeper.pid], ["job-000001"])]
            assert process.stood_still == [True]
        finally:
            sleeper.kill()
