"""When a system is at rest."""

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import msgspec
import pytest

from harness import clock
from harness.drain import Drain
from harness.history.events import Ack, Drained, Finish, OfJob, OfRun, Start, State
from harness.history.recorder import Recorder
from harness.live import Live
from harness.plan import Rest, Waits
from harness.sampling import Sampling
from harness.system import System

REST = Rest(seconds=1.5, enough=True)
WAITS = Waits(
    lease=1, sweep=1, backoff=1, window=1, extended=True, remembers=None, rest=REST, rest_of_leases=REST, timeout=9
)
DONE = (
    Ack(t=1, key="a"),
    Start(t=2, worker="w", pid=1, key="a", run="1", attempt=1),
    Finish(t=3, worker="w", pid=1, key="a", run="1", outcome="done"),
)


class Queue:
    """Cannot be asked so many times, or never says anything; then it is empty."""

    def __init__(self, mute_for: int, *, speaks: bool = True) -> None:
        self.left, self.mute, self._speaks = mute_for, False, speaks

    async def state(self) -> State | None:
        self.mute = self._speaks and self.left > 0
        self.left -= 1
        return None if self.mute or not self._speaks else State(t=clock.now(), queued=0, active=0, delayed=0)

    async def effects(self) -> None:
        return None


def drained(folder: Path, queue: Queue) -> str:
    """Why the drain of a run whose one job was done was over."""
    (folder / "events").mkdir()
    (folder / "events" / "all.jsonl").write_bytes(b"".join(msgspec.json.encode(event) + b"\n" for event in DONE))
    system = SimpleNamespace(live=Live(str(folder / "events")), workers={}, recorder=Recorder(str(folder / "recorded")))
    asyncio.run(Drain(cast(System, system), WAITS, cast(Sampling, queue)).wait())
    note = msgspec.json.decode((folder / "recorded").read_bytes(), type=OfJob | OfRun)
    assert isinstance(note, Drained)
    return note.why


@pytest.mark.parametrize("queue", [Queue(0), Queue(0, speaks=False)])
def test_who_has_done_everything_is_at_rest(tmp_path: Path, queue: Queue) -> None:
    assert drained(tmp_path, queue) == "everything was done"


def test_a_queue_that_cannot_be_asked_is_asked_until_it_answers(tmp_path: Path) -> None:
    queue = Queue(15)
    assert (drained(tmp_path, queue), queue.left < 0) == ("everything was done", True)


def test_a_queue_that_never_answers_is_given_up(tmp_path: Path) -> None:
    assert drained(tmp_path, Queue(10_000)) == "nothing moved for 2 s, longer than the lease and every retry"
