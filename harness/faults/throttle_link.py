"""Narrow a link."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated, ClassVar

import msgspec

from harness.fault import Evidence, Moment

if TYPE_CHECKING:
    from harness.system import System
    from harness.target import Target


class ThrottleLink(msgspec.Struct, frozen=True, kw_only=True):
    """A link carries only so many kilobytes a second, both ways."""

    link: Annotated[str, "which link: the server's name, or worker-1:redis"]
    rate: Annotated[int, msgspec.Meta(ge=1), "kilobytes a second"] = 10
    lasts: ClassVar[bool] = True

    def problems(self, target: Target) -> Iterator[str]:
        from harness.faults._toxic import link_problems

        yield from link_problems(self.link, target)

    @asynccontextmanager
    async def inject(self, system: System, moment: Moment) -> AsyncIterator[Evidence]:
        from harness.faults._toxic import toxins
        from harness.links import Toxic

        toxics = [Toxic("bandwidth", {"rate": self.rate}, stream) for stream in ("upstream", "downstream")]
        async with toxins(system, self.link, toxics, f"{self.rate} KB/s") as evidence:
            yield evidence
