"""The toxics of a fault are put on all its links, and taken off."""

import asyncio
from types import SimpleNamespace
from typing import cast

import pytest

from harness.faults._toxic import toxins
from harness.links import ProxyRefused, Toxic
from harness.system import System

TOXICS = [Toxic("latency", {}, "upstream"), Toxic("latency", {}, "downstream")]
SOON = 2.0


class Link:
    """Answers once all the others have been asked, too."""

    def __init__(self, name: str, others: asyncio.Barrier, *, refuses: bool = False) -> None:
        self.name, self._others, self._refuses = name, others, refuses
        self.there: list[str] = []

    def connections(self) -> int:
        return 1

    def closed(self) -> frozenset[tuple[str, str]]:
        return frozenset()

    async def add(self, toxic: Toxic) -> None:
        if not self.there:
            await self._others.wait()
        if self._refuses:
            raise ProxyRefused("no")
        self.there.append(toxic.stream)

    async def remove(self, toxic: Toxic) -> None:
        self.there.remove(toxic.stream)

    async def toxics(self) -> list[str]:
        return list(self.there)


async def poisoned(refusing: int) -> tuple[list[list[str]], list[Link]]:
    """What was on three links while they were poisoned, and the links afterwards."""
    together = asyncio.Barrier(3)
    links = [Link(f"worker-{n}:redis", together, refuses=n == refusing) for n in (1, 2, 3)]
    system = cast(System, SimpleNamespace(links_to=lambda _: links))
    during: list[list[str]] = []
    try:
        async with toxins(system, "redis", TOXICS, "slow") as evidence:
            during = list(evidence.facts["toxics"].values())
    except ProxyRefused:
        pass
    return during, links


@pytest.mark.parametrize(("refusing", "during"), [(0, [["upstream", "downstream"]] * 3), (2, [])])
def test_links_are_poisoned_at_once_and_none_is_left_so(refusing: int, during: list[list[str]]) -> None:
    found, links = asyncio.run(asyncio.wait_for(poisoned(refusing), SOON))
    assert (found, [link.there for link in links]) == (during, [[], [], []])
