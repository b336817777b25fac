"""Reset the connections of a link."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from harness.fault import Evidence, Moment
from harness.faults._toxic import OfALink, toxins

if TYPE_CHECKING:
    from harness.system import System


class ResetLink(OfALink, frozen=True, kw_only=True):
    """Every connection of a link is reset as soon as it carries data."""

    @asynccontextmanager
    async def inject(self, system: System, moment: Moment) -> AsyncIterator[Evidence]:
        from harness.links import Toxic

        toxics = [Toxic("reset_peer", {"timeout": 0}, stream) for stream in ("upstream", "downstream")]
        async with toxins(system, self.link, toxics, "resets") as evidence:
            yield evidence
