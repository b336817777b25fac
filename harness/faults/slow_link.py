"""Delay what a link carries."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated, ClassVar

import msgspec

from harness.fault import Evidence, Moment
from harness.units import Duration

if TYPE_CHECKING:
    from harness.system import System
    from harness.target import Target


class SlowLink(msgspec.Struct, frozen=True, kw_only=True):
    """A link is slow: everything it carries arrives later, both ways."""

    link: Annotated[str, "which link: the server's name, or worker-1:redis"]
    latency: Annotated[Duration, "added to each direction"] = 0.2
    jitter: Annotated[Duration, "how much that varies"] = 0.0
    lasts: ClassVar[bool] = True

    def problems(self, target: Target) -> Iterator[str]:
        from harness.faults._toxic import link_problems

        yield from link_problems(self.link, target)

    def misfits(self, workers: int) -> Iterator[str]:
        from harness.faults._toxic import link_misfits

        yield from link_misfits(self.link, workers)

    @asynccontextmanager
    async def inject(self, system: System, moment: Moment) -> AsyncIterator[Evidence]:
        from harness.faults._toxic import toxins
        from harness.links import Toxic

        toxics = [
            Toxic("latency", {"latency": int(self.latency * 1000), "jitter": int(self.jitter * 1000)}, stream)
            for stream in ("upstream", "downstream")
        ]
        async with toxins(system, self.link, toxics, f"{self.latency * 1000:g} ms each way") as evidence:
            yield evidence
