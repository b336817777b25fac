"""Stop a worker and let it go on later."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated, ClassVar

import msgspec

from harness.fault import Evidence, Missed, Moment, Unhealed

if TYPE_CHECKING:
    from harness.system import System


class FreezeWorker(msgspec.Struct, frozen=True, kw_only=True):
    """A worker stands still with a job in hand and then goes on as if nothing had been: a VM pause, a long collection.

    Its lease runs out meanwhile and another worker takes the job; then the first one wakes and finishes too.
    """

    victims: Annotated[int, msgspec.Meta(ge=1, le=64), "how many workers; with `when`, the one concerned first"] = 1
    patience: ClassVar[float] = 10.0
    lasts: ClassVar[bool] = True

    def misfits(self, workers: int) -> Iterator[str]:
        if self.victims > workers:
            yield f"{self.victims} victims, but only {workers} worker(s)"

    @asynccontextmanager
    async def inject(self, system: System, moment: Moment) -> AsyncIterator[Evidence]:
        import signal

        from harness.faults._victims import choose
        from harness.substrate.process import send, state

        victims = await choose(system, moment, self.victims, self.patience)
        pids = [pid for worker in victims if worker.process for pid in worker.process.tree()]
        try:
            send(pids, signal.SIGSTOP)
            await _until(lambda: all(state(pid) in ("T", "") for pid in pids), self.patience)
            system.live.pump()
            keys = sorted({run.key for run in system.live.in_flight(pids=set(pids))})
            if not keys:
                raise Missed(f"{victims[0].name} was frozen, and had no job in hand")
            names = ", ".join(worker.name for worker in victims)
            yield Evidence(
                f"{names} stood still with {len(keys)} job(s) in hand: {', '.join(keys[:5])}",
                {"pids": pids, "in_hand": keys},
            )
        finally:
            send(pids, signal.SIGCONT)
        if not await _until(lambda: all(state(pid) != "T" for pid in pids), self.patience):
            raise Unhealed(f"pid {[pid for pid in pids if state(pid) == 'T']} would not go on")


async def _until(true: object, patience: float) -> bool:
    import asyncio
    from collections.abc import Callable
    from typing import cast

    try:
        async with asyncio.timeout(patience):
            while not cast(Callable[[], bool], true)():
                await asyncio.sleep(0.002)
    except TimeoutError:
        return False
    return True
