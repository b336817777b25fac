"""Let a link swallow everything."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from harness.fault import Evidence, Moment
from harness.faults._toxic import OfALink, toxins

if TYPE_CHECKING:
    from harness.system import System


class HangLink(OfALink, frozen=True, kw_only=True):
    """A link swallows everything: connections stand and nothing comes through, until it heals and they are closed."""

    @asynccontextmanager
    async def inject(self, system: System, moment: Moment) -> AsyncIterator[Evidence]:
        from harness.links import Toxic

        toxics = [Toxic("timeout", {"timeout": 0}, stream) for stream in ("upstream", "downstream")]
        async with toxins(system, self.link, toxics, "silence") as evidence:
            yield evidence
