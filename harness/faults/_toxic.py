"""Puts a toxic on links and takes it off, with the proof that it is there, that somebody uses the link, and that it
is gone."""

from __future__ import annotations

from collections.abc import AsyncIterator, Coroutine, Iterable, Iterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated, ClassVar, TypeVar

import msgspec

from harness.fault import Evidence, Missed, Unhealed

PATIENCE = 5.0
R = TypeVar("R")

if TYPE_CHECKING:
    from harness.links import Link, Toxic
    from harness.system import System
    from harness.target import Target


class OfALink(msgspec.Struct, frozen=True, kw_only=True):
    """What the faults of a link have in common."""

    link: Annotated[str, "which link: the server's name, or worker-1:redis"]
    lasts: ClassVar[bool] = True

    def problems(self, target: Target) -> Iterator[str]:
        yield from _strange(self.link, target)

    def misfits(self, workers: int) -> Iterator[str]:
        yield from _absent(self.link, workers)


def _strange(name: str, target: Target) -> list[str]:
    """What is wrong with a link's name for this target."""
    user, _, server = name.rpartition(":")
    known = (*target.needs, "downstream")
    fits = not user or user.startswith("worker-") or (user == "producer" and server != "downstream")
    if server in known and fits:
        return []
    return [
        f"target {target.name} has no link `{name}`; it has {', '.join(known)}, each also as "
        f"`worker-1:{known[0]}`" + (f" or `producer:{known[0]}`" if target.needs else "")
    ]


def _absent(name: str, workers: int) -> list[str]:
    """What is wrong with it where there are so many workers."""
    user, _, _ = name.rpartition(":")
    there = [f"worker-{n}" for n in range(1, workers + 1)]
    if user in ("", "producer", *there):
        return []
    return [f"there is no `{user}`; there are {', '.join(there[:3])}{' ...' if workers > 3 else ''}"]


async def used(system: System, name: str) -> list[Link]:
    """The links of that name, once somebody has a connection over one: a link that nobody uses cannot be broken.

    One that was made and closed between two looks is as good: some workers connect anew for every job.
    """
    import asyncio

    links = system.links_to(name)
    if not links:
        raise Missed(f"there is no link `{name}`; there are {', '.join(system.links)}")
    before = [link.closed() for link in links]
    try:
        async with asyncio.timeout(PATIENCE):
            while not any(
                link.connections() or link.closed() - known for link, known in zip(links, before, strict=True)
            ):
                await asyncio.sleep(0.01)
    except TimeoutError:
        raise Missed(f"nobody used the link `{name}` for {PATIENCE:g} s") from None
    return links


@asynccontextmanager
async def toxins(system: System, name: str, toxics: list[Toxic], says: str) -> AsyncIterator[Evidence]:
    """The links of that name poisoned, all at the same time: one after the other, the first would be broken for seconds
    before the fault is said to have begun."""
    links = await used(system, name)
    placed: dict[str, list[Toxic]] = {link.name: [] for link in links}

    async def place(link: Link) -> None:
        for toxic in toxics:
            await link.add(toxic)
            placed[link.name].append(toxic)

    async def lift(link: Link) -> None:
        for toxic in placed[link.name]:
            await link.remove(toxic)

    try:
        await _together(place(link) for link in links)
        there = dict(zip(placed, await _together(link.toxics() for link in links), strict=True))
        yield Evidence(
            f"{says} on {', '.join(there)}",
            {"toxics": there, "connections": {link.name: link.connections() for link in links}},
        )
    finally:
        await _together(lift(link) for link in links)
    left = [link.name for link in links if await link.toxics()]
    if left:
        raise Unhealed(f"toxics are left on {', '.join(left)}")


async def _together(asked: Iterable[Coroutine[None, None, R]]) -> list[R]:
    """The answers to all of these, once each has come or failed; raises what the first that failed raised."""
    import asyncio

    answers = await asyncio.gather(*asked, return_exceptions=True)
    for answer in answers:
        if isinstance(answer, BaseException):
            raise answer
    return [answer for answer in answers if not isinstance(answer, BaseException)]
