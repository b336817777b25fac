"""When a fault that waits for an event fires."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import msgspec

from harness import clock
from harness.fault import Evidence, Moment
from harness.history.events import Ack, Event, Fault, Finish, OfJob, OfRun, Start
from harness.history.recorder import Recorder
from harness.injection import Injection
from harness.live import Live
from harness.scenario import Scenario
from harness.system import System
from harness.timing import Scheduled, Timing

SOON, LATER = 5.0, 60.0


class Blow(msgspec.Struct, frozen=True):
    """A fault that always takes hold."""

    @asynccontextmanager
    async def inject(self, system: System, moment: Moment) -> AsyncIterator[Evidence]:
        yield Evidence(f"struck {moment.key}")


def injection(folder: Path, timing: Timing) -> tuple[Injection, Live]:
    (folder / "events").mkdir()
    live = Live(str(folder / "events"))
    system = SimpleNamespace(live=live, recorder=Recorder(str(folder / "recorded")))
    scenario = SimpleNamespace(faults=[Scheduled(Blow(), timing)], handler=SimpleNamespace(work=0.0))
    return Injection(cast(System, system), cast(Scenario, scenario), str), live


def states(folder: Path) -> list[str]:
    lines = (folder / "recorded").read_bytes().splitlines()
    return [
        note.state
        for note in (msgspec.json.decode(line, type=OfJob | OfRun) for line in lines)
        if isinstance(note, Fault)
    ]


START = Start(t=2, worker="worker-1", pid=1, key="job-000001", run="1", attempt=1)
FINISH = Finish(t=3, worker="worker-1", pid=1, key="job-000001", run="1", outcome="done")


def write(folder: Path, *events: Event) -> None:
    with (folder / "events" / "all.jsonl").open("ab") as lines:
        lines.writelines(msgspec.json.encode(event) + b"\n" for event in events)


def test_a_job_that_begins_before_anybody_looks_at_the_clock_is_seen(tmp_path: Path) -> None:
    waiting, live = injection(tmp_path, Timing(when="start"))

    async def fire() -> None:
        fired = asyncio.create_task(waiting.run(clock.now() + int(LATER * clock.SECOND)))
        while not live._waiting:
            await asyncio.sleep(0)
        write(tmp_path, START)
        live.pump()
        await fired

    asyncio.run(asyncio.wait_for(fire(), SOON))
    assert states(tmp_path) == ["injected", "healed"]


def fired_after_the_load(folder: Path, *then: Event) -> list[str]:
    """What becomes of a fault when the load ends with a job whose ack nobody has read, and this follows."""
    waiting, live = injection(folder, Timing(when="start"))

    async def fire() -> None:
        fired = asyncio.create_task(waiting.run(clock.now()))
        while not live._waiting:
            await asyncio.sleep(0)
        write(folder, Ack(t=1, key="job-000001"))
        waiting.load_is_over()
        while not live.acked:
            await asyncio.sleep(0)
        write(folder, *then)
        await fired

    asyncio.run(asyncio.wait_for(fire(), SOON))
    return states(folder)


def test_the_last_job_of_a_load_is_waited_for(tmp_path: Path) -> None:
    assert fired_after_the_load(tmp_path, START) == ["injected", "healed"]


def test_a_job_that_begins_and_ends_between_two_looks_is_seen(tmp_path: Path) -> None:
    assert fired_after_the_load(tmp_path, START, FINISH) == ["injected", "healed"]
