"""Change the records that waiting jobs are to act on."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated, ClassVar

import msgspec

from harness.fault import Evidence, Missed, Moment
from harness.units import Share

if TYPE_CHECKING:
    from harness.system import System


class ChangeRecords(msgspec.Struct, frozen=True, kw_only=True):
    """An order is cancelled, an address corrected: the record changes while the job that was made from it waits.

    It concerns jobs that are acked and that no worker has begun; the scenario's handler must have `record: true`.
    """

    share: Annotated[Share, "which part of the records of waiting jobs"] = 1.0
    lasts: ClassVar[bool] = False

    @asynccontextmanager
    async def inject(self, system: System, moment: Moment) -> AsyncIterator[Evidence]:
        live = system.live
        live.pump()
        waiting = sorted(live.outstanding - {run.key for run in live.in_flight()})
        chosen = [key for key in waiting if system.random.random() < self.share]
        if not chosen:
            raise Missed("no job waited whose record could change")
        await system.downstream.change(chosen)
        yield Evidence(
            f"the records of {len(chosen)} of {len(waiting)} waiting job(s) changed",
            {"changed": len(chosen), "waiting": len(waiting)},
        )
