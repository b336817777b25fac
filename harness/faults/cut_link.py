"""Cut a link."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from harness.fault import Evidence, Missed, Moment, Unhealed
from harness.faults._toxic import OfALink, used

if TYPE_CHECKING:
    from harness.system import System


class CutLink(OfALink, frozen=True, kw_only=True):
    """A link is down: its connections drop and new ones are refused.

    `link: redis` means every link to Redis; `link: worker-1:redis` the one of one worker, `producer:redis` the
    producer's.
    """

    @asynccontextmanager
    async def inject(self, system: System, moment: Moment) -> AsyncIterator[Evidence]:
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
