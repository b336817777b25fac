"""A fault that a test has injected, until the test heals it."""

from __future__ import annotations

import asyncio
from typing import Self

from harness.fault import Missed
from harness.pytest_plugin import spoken
from harness.pytest_plugin.life import Life
from harness.pytest_plugin.plainly import plainly
from harness.pytest_plugin.strike import Strike
from harness.timing import Scheduled

PACE = 0.01


class AtWork:
    """Has taken hold; leaving the `with` heals it."""

    def __init__(self, life: Life, fault: str, scheduled: Scheduled) -> None:
        self._life, self.fault = life, fault
        self.healed = False
        self.says = life.ask(self._begun(scheduled))
        """The evidence."""

    @plainly
    def heal(self) -> None:
        """End it; raises Missed when nobody felt it."""
        if not self.healed:
            self.healed = True
            self._life.ask(self._strike.healed())

    async def _begun(self, scheduled: Scheduled) -> str:
        life = self._life
        self._strike = Strike(life.system, life.scenario, scheduled, life.faults - 1)
        life.strikes.append(self._strike)
        return await self._strike.struck()

    def __enter__(self) -> Self:
        return self

    @plainly
    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        try:
            self.heal()
        except Missed:
            if error is None:  # what went wrong inside is the better story
                raise


class BrokenDownstream(AtWork):
    """A downstream that misbehaves."""

    @plainly
    def felt(self, calls: int = 1, timeout: str | float = "20s") -> None:
        """Wait until so many calls have met it; raises Missed when they do not come."""
        self._life.ask(self._met(calls, spoken.seconds(timeout)))

    async def _met(self, calls: int, patience: float) -> None:
        met = 0
        try:
            async with asyncio.timeout(patience):
                while (met := (await self._life.system.downstream.counts()).misbehaved) < calls:
                    await asyncio.sleep(PACE)
        except TimeoutError:
            raise Missed(f"{met} of {calls} calls met the downstream within {patience:g} s") from None
