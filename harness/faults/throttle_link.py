"""Narrow a link."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated, ClassVar

import msgspec

from harness.fault import Evidence, Moment
from harness.units import Size

if TYPE_CHECKING:
    from harness.system import System
    from harness.target import Target


class ThrottleLink(msgspec.Struct, frozen=True, kw_only=True):
    """A link carries only so much each second, both ways."""

    link: Annotated[str, "which link: the server's name, or worker-1:redis"]
    carries: Annotated[Size, "how much it carries each second, at least 1kb"] = 10 * 1024
    lasts: ClassVar[bool] = True

    def problems(self, target: Target) -> Iterator[str]:
        from harness.faults._toxic import link_problems

        yield from link_problems(self.link, target)
        if self.carries < 1024:
            yield "a link carries at least 1kb each second; use hang_link for one that carries nothing"

    def misfits(self, workers: int) -> Iterator[str]:
        from harness.faults._toxic import link_misfits

        yield from link_misfits(self.link, workers)

    @asynccontextmanager
    async def inject(self, system: System, moment: Moment) -> AsyncIterator[Evidence]:
        from harness.faults._toxic import toxins
        from harness.links import Toxic

        toxics = [Toxic("bandwidth", {"rate": self.carries // 1024}, stream) for stream in ("upstream", "downstream")]
        async with toxins(system, self.link, toxics, f"{self.carries // 1024} KB/s") as evidence:
            yield evidence
