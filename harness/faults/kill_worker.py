"""Kill a worker while it has a job in hand."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import msgspec

from harness.fault import Evidence, Missed, Moment

if TYPE_CHECKING:
    from harness.faults._victims import Caught
    from harness.system import System
    from harness.target import Target


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
    strikes_in_hand: ClassVar[bool] = True

    def problems(self, target: Target) -> Iterator[str]:
        if self.scope == "child" and "attempts" not in target.reports:
            yield f"scope child needs attempts, which target {target.name} does not report: nobody says who runs a job"

    def misfits(self, workers: int) -> Iterator[str]:
        if self.victims > workers:
            yield f"{self.victims} victims, but only {workers} worker(s)"

    @asynccontextmanager
    async def inject(self, system: System, moment: Moment) -> AsyncIterator[Evidence]:
        import signal

        from harness.faults._victims import catch, until
        from harness.substrate.process import alive

        caught = await catch(system, moment, self.victims, self.patience)
        struck = [(one, self._pids(one, moment)) for one in caught]
        if gone := [one for one, pids in struck if not pids]:
            for one in caught:
                one.release()
            raise Missed(f"the process of {gone[0].worker.name} that ran {', '.join(gone[0].keys)} had ended")
        for one, pids in struck:
            one.strike(pids, signal.Signals[f"SIG{self.signal}"])
        dying = [pid for _, pids in struck for pid in pids if self.signal == "KILL"]
        if not await until(lambda: not any(map(alive, dying)), self.patience):
            raise Missed(f"pid {', '.join(map(str, filter(alive, dying)))} did not die within {self.patience:g} s")
        yield Evidence(
            "; ".join(self._says(one, pids) for one, pids in struck),
            {"workers": [self._facts(one, pids, moment) for one, pids in struck]},
        )

    def _says(self, one: Caught, pids: list[int]) -> str:
        return (
            f"{one.worker.name} got SIG{self.signal} ({self.scope}, pid {', '.join(map(str, pids))}) with "
            f"{len(one.keys)} job(s) in hand: {', '.join(one.keys[:5])}"
        )

    def _facts(self, one: Caught, pids: list[int], moment: Moment) -> dict[str, object]:
        return {
            "worker": one.worker.name,
            "pids": pids,
            "signal": self.signal,
            "scope": self.scope,
            "in_hand": one.keys,
            "trigger": moment.key,
        }

    def _pids(self, one: Caught, moment: Moment) -> list[int]:
        """Which processes get the signal."""
        main = one.pids[0]
        if self.scope == "child":
            runners = [moment.pid, *(run.pid for run in one.runs)]
            return [pid for pid in runners if pid in one.pids][:1]
        if self.scope == "group":
            return [pid for pid in one.pids if _group(pid) == main]
        return one.pids if self.scope == "tree" else [main]


def _group(pid: int) -> int:
    import os

    try:
        return os.getpgid(pid)
    except ProcessLookupError:
        return 0
