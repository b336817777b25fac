"""Cut a link."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated, ClassVar

import msgspec

from harness.fault import Evidence, Missed, Moment, Unhealed

if TYPE_CHECKING:
    from harness.system import System
    from harness.target import Target


class CutLink(msgspec.Struct, frozen=True, kw_only=True):
    """A link is down: its connections drop and new ones are refused.

    `link: redis` means every link to Redis; `link: worker-1:redis` the one of one worker, `producer:redis` the
    producer's.
    """

    link: Annotated[str, "which link: the server's name, or worker-1:redis"]
    lasts: ClassVar[bool] = True

    def problems(self, target: Target) -> Iterator[str]:
        from harness.faults._toxic import link_problems

        yield from link_problems(self.link, target)

    def misfits(self, workers: int) -> Iterator[str]:
        from harness.faults._toxic import link_misfits

        yield from link_misfits(self.link, workers)

    @asynccontextmanager
    async def inject(self, system: System, moment: Moment) -> AsyncIterator[Evidence]:
        from harness.faults._toxic import used

        links = await used(system, self.link)
        try:
            for link in links:
                await link.cut()
            if still := [link.name for link in links if await link.accepts()]:
                raise Missed(f"{', '.join(still)} still accepts connections")
            names = [link.name for link in links]
            yield Evidence(f"{', '.join(names)} refused connections", {"links": names})
        finally:
            for link in links:
                await link.join()
        if dead := [link.name for link in links if not await link.accepts()]:
            raise Unhealed(f"{', '.join(dead)} does not accept connections again")
