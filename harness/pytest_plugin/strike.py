"""One fault of a test: injected when the test says so, and healed when it says so."""

from __future__ import annotations

import asyncio
from typing import Any

from harness import clock
from harness.fault import Evidence, Missed
from harness.injection import Injection
from harness.scenario import Scenario
from harness.system import System
from harness.timing import Scheduled

PATIENCE = 20.0
"""Seconds that the moment of a fault is waited for."""


class Strike(Injection):
    """Records what a run's own faults record."""

    def __init__(self, system: System, scenario: Scenario, scheduled: Scheduled, n: int) -> None:
        super().__init__(system, scenario, lambda line: None)
        self._struck, self._heal = asyncio.Event(), asyncio.Event()
        self._state, self._evidence = "", ""
        self._task = asyncio.create_task(self._fire(n, 0, scheduled, clock.now()))

    async def struck(self) -> str:
        """Wait until it has taken hold; the evidence in one sentence. Raises Missed when it does not."""
        struck = asyncio.ensure_future(self._struck.wait())
        await asyncio.wait({self._task, struck}, timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED)
        if not struck.done():
            struck.cancel()
            self.load_is_over()
            await self._task
            raise Missed(self._evidence)
        return self._evidence

    async def healed(self) -> None:
        """Heal it; raises Missed when nobody felt it, or it could not be healed."""
        self._heal.set()
        self.load_is_over()
        await self._task
        if self._state != "healed":
            raise Missed(f"{self._state}: {self._evidence}")

    async def abandon(self) -> None:
        """Heal it without a word: the test is over."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _hold(self, scheduled: Scheduled) -> None:
        self._struck.set()
        await self._heal.wait()

    def _record(self, n: int, scheduled: Scheduled, state: Any, says: str, evidence: Evidence | None = None) -> None:
        super()._record(n, scheduled, state, says, evidence)
        self._state, self._evidence = state, says or self._evidence
