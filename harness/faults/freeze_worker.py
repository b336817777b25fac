"""Stop a worker and let it go on later."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated, ClassVar

import msgspec

from harness.fault import Evidence, Moment, Unhealed

if TYPE_CHECKING:
    from harness.system import System


class FreezeWorker(msgspec.Struct, frozen=True, kw_only=True):
    """A worker stands still with a job in hand and then goes on as if nothing had been: a VM pause, a long collection.

    Its lease runs out meanwhile and another worker takes the job; then the first one wakes and finishes too.
    """

    victims: Annotated[int, msgspec.Meta(ge=1, le=64), "how many workers; with `when`, the one concerned first"] = 1
    patience: ClassVar[float] = 10.0
    lasts: ClassVar[bool] = True
    strikes_in_hand: ClassVar[bool] = True

    def misfits(self, workers: int) -> Iterator[str]:
        if self.victims > workers:
            yield f"{self.victims} victims, but only {workers} worker(s)"

    @asynccontextmanager
    async def inject(self, system: System, moment: Moment) -> AsyncIterator[Evidence]:
        from harness.faults._victims import catch, until
        from harness.substrate.process import stopped

        caught = await catch(system, moment, self.victims, self.patience)
        pids = [pid for one in caught for pid in one.pids]
        keys = sorted({key for one in caught for key in one.keys})
        try:
            names = ", ".join(one.worker.name for one in caught)
            yield Evidence(
                f"{names} stood still with {len(keys)} job(s) in hand: {', '.join(keys[:5])}",
                {"pids": pids, "in_hand": keys},
            )
        finally:
            for one in caught:
                one.release()
        if not await until(lambda: not any(map(stopped, pids)), self.patience):
            raise Unhealed(f"pid {', '.join(map(str, filter(stopped, pids)))} would not go on")
