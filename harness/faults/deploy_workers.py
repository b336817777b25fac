"""Replace every worker, one after another."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import msgspec

from harness.fault import Evidence, Missed, Moment, Unhealed
from harness.units import Duration

if TYPE_CHECKING:
    from harness.history.events import Event
    from harness.system import System, Worker


class Replaced(msgspec.Struct, frozen=True):
    """A worker that was asked to end: when, what it had in hand, when it had ended, and whether it had to be killed."""

    worker: str
    pid: int
    in_hand: tuple[str, ...]
    asked: int
    ended: int
    killed: bool


class DeployWorkers(msgspec.Struct, frozen=True, kw_only=True):
    """A new version goes out: one worker after another gets SIGTERM, is killed if it takes too long, and is replaced.

    Each is asked when it has just begun a job; one that begins none is asked all the same, and a deploy that met no
    job is missed. The next worker follows when the new one is ready, which `restart: always` starts.
    """

    grace: Annotated[Duration, "how long a worker may take to end; then it is killed"] = 30.0
    scope: Annotated[
        Literal["main", "tree"],
        "who gets SIGTERM: the worker's main process, or all that descends from it (a control group)",
    ] = "main"
    patience: ClassVar[float] = 10.0
    start_patience: ClassVar[float] = 60.0
    lasts: ClassVar[bool] = False

    @asynccontextmanager
    async def inject(self, system: System, moment: Moment) -> AsyncIterator[Evidence]:
        replaced = [await self._replace(system, worker) for worker in system.workers.values()]
        if not any(one.in_hand for one in replaced):
            raise Missed("every worker was replaced, and none had a job in hand")
        says, facts = "; ".join(_says(one) for one in replaced), {"replaced": msgspec.to_builtins(replaced)}
        yield Evidence(says, facts, since=replaced[0].asked)

    async def _replace(self, system: System, worker: Worker) -> Replaced:
        from harness import clock
        from harness.faults._victims import until

        await _begins(system, worker.name, self.patience)
        process = worker.process
        assert process is not None
        tree = process.tree()
        in_hand = tuple(sorted(run.key for run in system.live.in_flight(worker.name)))
        asked = clock.now()
        killed = await self._end(process.pid, tree)
        ended = clock.now()
        if not await until(lambda: worker.process is not process and worker.ready, self.start_patience):
            raise Unhealed(f"nobody took the place of {worker.name} within {self.start_patience:g} s")
        return Replaced(worker.name, process.pid, in_hand, asked, ended, killed)

    async def _end(self, pid: int, tree: list[int]) -> bool:
        """Ask, wait, and kill what is left; whether that was needed."""
        import signal

        from harness.faults._victims import until
        from harness.substrate.process import alive, send

        send(tree if self.scope == "tree" else [pid], signal.SIGTERM)
        if await until(lambda: not alive(pid), self.grace):
            return False
        send(tree, signal.SIGKILL)
        if not await until(lambda: not any(map(alive, tree)), self.patience):
            raise Unhealed(f"pid {', '.join(map(str, filter(alive, tree)))} did not die")
        return True


async def _begins(system: System, worker: str, patience: float) -> None:
    """Wait until this worker begins a job; not for ever, there may be none left."""
    import asyncio
    from contextlib import suppress

    from harness.history.events import Start

    def begins(event: Event) -> bool:
        return isinstance(event, Start) and event.worker == worker

    with suppress(TimeoutError):
        await asyncio.wait_for(system.live.event(begins), patience)


def _says(one: Replaced) -> str:
    how = "was killed" if one.killed else "ended"
    took = (one.ended - one.asked) / 1e9
    jobs = f"{len(one.in_hand)} job(s) in hand"
    return f"{one.worker} (pid {one.pid}) got SIGTERM with {jobs} and {how} {took:.2f} s later"
