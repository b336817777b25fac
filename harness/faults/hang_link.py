"""Let a link swallow everything."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated, ClassVar

import msgspec

from harness.fault import Evidence, Moment

if TYPE_CHECKING:
    from harness.system import System
    from harness.target import Target


class HangLink(msgspec.Struct, frozen=True, kw_only=True):
    """A link swallows everything: connections stand and nothing comes through, until it heals and they are closed."""

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
        from harness.faults._toxic import toxins
        from harness.links import Toxic

        toxics = [Toxic("timeout", {"timeout": 0}, stream) for stream in ("upstream", "downstream")]
        async with toxins(system, self.link, toxics, "silence") as evidence:
            yield evidence
