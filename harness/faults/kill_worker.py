"""Kill a worker while it has a job in hand."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import msgspec

from harness.fault import Evidence, Missed, Moment

if TYPE_CHECKING:
    from harness.system import System, Worker


class KillWorker(msgspec.Struct, frozen=True, kw_only=True):
    """A worker is killed while it has a job in hand: a crash, an OOM kill, a deploy.

    With `when: effect` it dies after its side effect was committed and before it learns of it, every time. A worker
    that holds no job is waited for; if none gets one, the fault is missed and the run INCONCLUSIVE.
    """

    signal: Annotated[Literal["KILL", "TERM"], "KILL is a crash, TERM a polite request"] = "KILL"
    scope: Annotated[
        Literal["main", "group", "tree", "child"],
        "the worker's main process, its process group, all that descends from it, or the one process that runs the job",
    ] = "main"
    victims: Annotated[int, msgspec.Meta(ge=1, le=64), "how many workers; with `when`, the one concerned first"] = 1
    patience: ClassVar[float] = 10.0
    lasts: ClassVar[bool] = False

    def misfits(self, workers: int) -> Iterator[str]:
        if self.victims > workers:
            yield f"{self.victims} victims, but only {workers} worker(s)"

    @asynccontextmanager
    async def inject(self, system: System, moment: Moment) -> AsyncIterator[Evidence]:
        from harness.faults._victims import choose

        victims = await choose(system, moment, self.victims, self.patience)
        killed = [await self._kill(system, worker, moment) for worker in victims]
        yield Evidence("; ".join(says for says, _ in killed), {"workers": [facts for _, facts in killed]})

    async def _kill(self, system: System, worker: Worker, moment: Moment) -> tuple[str, dict[str, object]]:
        import signal

        from harness.substrate.process import send

        assert worker.process is not None
        pids = self._pids(system, worker, moment)
        runners = set(pids) if self.scope == "child" else set(worker.process.tree())
        system.live.pump()
        asked = system.live.in_flight(pids=runners) if self.signal == "TERM" else []
        with system.live.mourning(runners) as in_hand:
            send(pids, signal.Signals[f"SIG{self.signal}"])
            await self._gone(pids)
        system.live.pump()
        in_hand += asked + system.live.in_flight(pids=runners)
        if not in_hand:
            raise Missed(f"{worker.name} got SIG{self.signal}, and had no job in hand")
        keys = sorted({run.key for run in in_hand})
        says = (
            f"{worker.name} got SIG{self.signal} ({self.scope}, pid {', '.join(map(str, pids))}) with {len(keys)} "
            f"job(s) in hand: {', '.join(keys[:5])}"
        )
        return says, {
            "worker": worker.name,
            "pids": pids,
            "signal": self.signal,
            "scope": self.scope,
            "in_hand": keys,
            "trigger": moment.key,
        }

    async def _gone(self, pids: list[int]) -> None:
        """Wait until they are gone."""
        import asyncio

        from harness.substrate.process import alive

        try:
            async with asyncio.timeout(self.patience):
                while any(alive(pid) for pid in pids):
                    await asyncio.sleep(0.001)
        except TimeoutError:
            if self.signal == "KILL":
                raise Missed(f"pid {pids} did not die within {self.patience:g} s") from None

    def _pids(self, system: System, worker: Worker, moment: Moment) -> list[int]:
        """Which processes get the signal."""
        assert worker.process is not None
        if self.scope == "main":
            return [worker.process.pid]
        if self.scope == "child":
            runs = system.live.in_flight(worker.name)
            return [moment.pid or runs[0].pid]
        tree = worker.process.tree()
        return tree if self.scope == "tree" else [pid for pid in tree if _group(pid) == worker.process.pid]


def _group(pid: int) -> int:
    import os

    try:
        return os.getpgid(pid)
    except ProcessLookupError:
        return 0
