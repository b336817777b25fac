"""Delay what a link carries."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated

from harness.fault import Evidence, Moment
from harness.faults._toxic import OfALink, toxins
from harness.units import Duration

if TYPE_CHECKING:
    from harness.system import System
    from harness.target import Target


class SlowLink(OfALink, frozen=True, kw_only=True):
    """A link is slow: everything it carries arrives later, both ways."""

    latency: Annotated[Duration, "added to each direction"] = 0.2
    jitter: Annotated[Duration, "how much that varies"] = 0.0

    def problems(self, target: Target) -> Iterator[str]:
        yield from super().problems(target)
        if max(self.latency, self.jitter) < 0.001:
            yield "a link that is slow adds at least 1ms"

    @asynccontextmanager
    async def inject(self, system: System, moment: Moment) -> AsyncIterator[Evidence]:
        from harness.links import Toxic

        toxics = [
            Toxic("latency", {"latency": int(self.latency * 1000), "jitter": int(self.jitter * 1000)}, stream)
            for stream in ("upstream", "downstream")
        ]
        async with toxins(system, self.link, toxics, f"{self.latency * 1000:g} ms each way") as evidence:
            yield evidence
