"""Make the provider that jobs call misbehave."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import msgspec

from harness.fault import Evidence, Missed, Moment
from harness.units import Duration, Share

if TYPE_CHECKING:
    from harness.system import System


class BreakDownstream(msgspec.Struct, frozen=True, kw_only=True):
    """The payment or mail provider fails: refuses, limits, hangs, resets, slows down, or does its work and never
    says so.

    `commit_then_timeout` is the cruel one: the effect has happened and the caller cannot know. A fault that no call
    met is missed.
    """

    how: Annotated[Literal["503", "429", "hang", "reset", "slow", "commit_then_timeout"], "what it does to a call"] = (
        "503"
    )
    share: Annotated[Share, "which part of the calls"] = 1.0
    retry_after: Annotated[Duration, "what a 429 asks for"] = 1.0
    delay: Annotated[Duration, "how much later a slow one answers"] = 1.0
    lasts: ClassVar[bool] = True

    @asynccontextmanager
    async def inject(self, system: System, moment: Moment) -> AsyncIterator[Evidence]:
        from harness.downstream.behaviour import Behaviour

        seed = system.random.randrange(1 << 30)
        await system.downstream.behave(
            Behaviour(how=self.how, share=self.share, retry_after=self.retry_after, delay=self.delay, seed=seed)
        )
        met = 0
        try:
            yield Evidence(
                f"the downstream answers {int(self.share * 100)} % of calls with: {self.how}",
                {"how": self.how, "share": self.share},
            )
            met = (await system.downstream.counts()).misbehaved
        finally:
            await system.downstream.behave_well()
        if not met:
            raise Missed("no call reached the downstream while it misbehaved")
