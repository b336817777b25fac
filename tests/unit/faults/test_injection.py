"""What is recorded of a fault, and when it is said to have struck."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

from harness.fault import Evidence, Missed, Moment
from harness.history.events import Fault
from harness.injection import Injection
from harness.live import Open
from harness.timing import Scheduled, Timing


class Slow:
    """A fault that has proof only some time after it struck."""

    def __init__(self, since: int) -> None:
        self._since = since

    @asynccontextmanager
    async def inject(self, _system: Any, _moment: Moment) -> AsyncIterator[Evidence]:
        yield Evidence("it struck", {"proof": 1}, since=self._since)


def recorded(since: int) -> list[Fault]:
    told: list[Fault] = []
    system: Any = SimpleNamespace(recorder=SimpleNamespace(record=told.append))
    scenario: Any = SimpleNamespace(faults=[Scheduled(Slow(since), Timing(at=0.0))], handler=SimpleNamespace(work=0.0))
    asyncio.run(Injection(system, scenario, lambda _: None).run(0))
    return told


def test_a_fault_struck_when_it_began_and_not_when_its_proof_was_complete() -> None:
    injected, healed = recorded(since=7)
    assert (injected.t, injected.state, injected.evidence) == (7, "injected", {"proof": 1})
    assert (healed.state, healed.t > 7) == ("healed", True)


def test_without_word_of_that_it_struck_when_it_was_proved() -> None:
    injected, healed = recorded(since=0)
    assert 0 < injected.t <= healed.t


class Slippery(Slow):
    """A fault whose first victims get away."""

    def __init__(self, misses: int) -> None:
        super().__init__(0)
        self._misses = misses

    @asynccontextmanager
    async def inject(self, system: Any, moment: Moment) -> AsyncIterator[Evidence]:
        self._misses -= 1
        if self._misses >= 0:
            raise Missed(f"{self._misses} more will get away")
        async with super().inject(system, moment) as evidence:
            yield evidence


def after_the_load(misses: int, outstanding: set[str]) -> list[tuple[str, str]]:
    told: list[Fault] = []

    async def until(true: Any) -> None:
        assert true()

    running = Open("worker-1", 1, "a", "1", 0)
    live = SimpleNamespace(outstanding=outstanding, in_flight=lambda: [running], until=until)
    system: Any = SimpleNamespace(recorder=SimpleNamespace(record=told.append), live=live)
    scheduled = Scheduled(Slippery(misses), Timing(when="inflight >= 1"))
    scenario: Any = SimpleNamespace(faults=[scheduled], handler=SimpleNamespace(work=0.0))
    injection = Injection(system, scenario, lambda _: None)
    injection.load_is_over()
    asyncio.run(injection.run(0))
    return [(note.state, note.says) for note in told]


def test_a_victim_that_got_away_is_not_the_last_while_jobs_are_left() -> None:
    assert after_the_load(4, {"a"}) == [("injected", "it struck"), ("healed", "")]
    assert after_the_load(5, {"a"}) == [("missed", "4 more will get away")]


def test_where_every_job_is_done_there_is_no_other_victim() -> None:
    assert after_the_load(1, set()) == [("missed", "0 more will get away")]
