"""A worker is stopped before it is looked at."""

import asyncio
import subprocess
from random import Random
from types import SimpleNamespace
from typing import cast

from harness.fault import Moment
from harness.faults._victims import catch
from harness.live import Open
from harness.substrate.process import stopped
from harness.system import System


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
            system = SimpleNamespace(live=Live(run), workers={"worker-1": worker}, random=Random(1))
            moment = Moment("worker-1", sleeper.pid, "job-000001")
            caught = asyncio.run(catch(cast(System, system), moment, 1, 5.0))
            assert [(one.pids, one.keys) for one in caught] == [([sleeper.pid], ["job-000001"])]
            assert process.stood_still == [True]
        finally:
            sleeper.kill()
