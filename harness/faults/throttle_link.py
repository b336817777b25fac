"""Narrow a link."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated

from harness.fault import Evidence, Moment
from harness.faults._toxic import OfALink, toxins
from harness.units import Size

if TYPE_CHECKING:
    from harness.system import System
    from harness.target import Target


class ThrottleLink(OfALink, frozen=True, kw_only=True):
    """A link carries only so much each second, both ways."""

    carries: Annotated[Size, "how much it carries each second, at least 1kb"] = 10 * 1024

    def problems(self, target: Target) -> Iterator[str]:
        yield from super().problems(target)
        if self.carries < 1024:
            yield "a link carries at least 1kb each second; use hang_link for one that carries nothing"

    @asynccontextmanager
    async def inject(self, system: System, moment: Moment) -> AsyncIterator[Evidence]:
        from harness.links import Toxic

        toxics = [Toxic("bandwidth", {"rate": self.carries // 1024}, stream) for stream in ("upstream", "downstream")]
        async with toxins(system, self.link, toxics, f"{self.carries // 1024} KB/s") as evidence:
            yield evidence
