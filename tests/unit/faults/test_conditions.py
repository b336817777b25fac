"""Faults that wait for something to be true, end when it is, or come when another has healed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from harness import clock
from harness.condition import Condition
from harness.fault import Evidence, Missed, Moment
from harness.history.events import Ack, Event, Finish, Letter, Start
from harness.injection import Injection
from harness.live import Live
from harness.sampling import Sampling
from harness.timing import Scheduled, Timing

SOON, LATER = 5.0, 60.0


class Blow(msgspec.Struct, frozen=True):
    """A fault that takes hold, unless it is told not to."""

    misses: bool = False

    @asynccontextmanager
    async def inject(self, system: Any, moment: Moment) -> AsyncIterator[Evidence]:
        if self.misses:
            raise Missed("nothing was there")
        yield Evidence("it struck")


class Stage:
    """Faults at work on a system whose events are written here."""

    def __init__(self, folder: Path, *scheduled: Scheduled) -> None:
        self.told: list[tuple[int, str]] = []
        self._file = folder / "all.jsonl"
        self.live = Live(str(folder))
        record = lambda note: self.told.append((note.n, note.state))  # noqa: E731
        system: Any = SimpleNamespace(live=self.live, recorder=SimpleNamespace(record=record))
        scenario: Any = SimpleNamespace(faults=scheduled, handler=SimpleNamespace(work=0.0))
        self._injection = Injection(system, scenario, lambda _: None)

    def write(self, *events: Event) -> None:
        with self._file.open("ab") as lines:
            lines.writelines(msgspec.json.encode(event) + b"\n" for event in events)
        self.live.pump()

    async def until(self, *told: tuple[int, str]) -> None:
        async with asyncio.timeout(SOON):
            while self.told != list(told):
                await asyncio.sleep(0)

    @asynccontextmanager
    async def acting(self, *, over: bool = False) -> AsyncIterator[None]:
        """The faults, until all have healed or were missed."""
        if over:
            self._injection.load_is_over()
        task = asyncio.create_task(self._injection.run(clock.now()))
        yield
        await asyncio.wait_for(task, SOON)


def start(key: str, run: str, worker: str = "w1") -> Start:
    return Start(t=1, worker=worker, pid=1, key=key, run=run, attempt=1)


def finish(key: str, run: str, outcome: Any = "dead") -> Finish:
    return Finish(t=2, worker="w1", pid=1, key=key, run=run, outcome=outcome)


def test_a_condition_is_read_as_it_is_written() -> None:
    assert Condition.read("dead >= 12") == Condition("dead", 12)
    assert [Condition.read(text) for text in ("dead", "dead >= 0", "dead > 1", "done >= 1", "dead >= 1 ")] == [None] * 5


def test_a_fault_fires_when_so_many_jobs_were_acked(tmp_path: Path) -> None:
    async def play() -> None:
        stage = Stage(tmp_path, Scheduled(Blow(), Timing(when="acked >= 2")))
        async with stage.acting():
            stage.write(Ack(t=1, key="a"), Ack(t=2, key="a"))
            await asyncio.sleep(0.02)
            assert stage.told == []
            stage.write(Ack(t=3, key="b"))
        assert stage.told == [(0, "injected"), (0, "healed")]

    asyncio.run(play())


@pytest.mark.parametrize(
    ("until", "before", "then"),
    [
        ("dead >= 1", [start("a", "1"), finish("a", "1", "failed")], [start("a", "2"), finish("a", "2")]),
        ("redelivered >= 1", [start("a", "1"), start("b", "2")], [start("a", "3", "w2")]),
    ],
)
def test_a_fault_ends_when_its_condition_is_true(
    tmp_path: Path, until: str, before: list[Event], then: list[Event]
) -> None:
    async def play() -> None:
        stage = Stage(tmp_path, Scheduled(Blow(), Timing(at=0.0, for_=LATER, until=until)))
        async with stage.acting():
            stage.write(*before)
            await stage.until((0, "injected"))
            await asyncio.sleep(0.02)
            assert stage.told == [(0, "injected")]
            stage.write(*then)
        assert stage.told == [(0, "injected"), (0, "healed")]

    asyncio.run(play())


def test_a_fault_ends_after_its_time_if_the_condition_never_comes(tmp_path: Path) -> None:
    async def play() -> None:
        stage = Stage(tmp_path, Scheduled(Blow(), Timing(at=0.0, for_=0.05, until="dead >= 1")))
        async with stage.acting():
            pass
        assert stage.told == [(0, "injected"), (0, "healed")]

    asyncio.run(play())


def test_a_fault_comes_when_another_has_healed_also_after_the_load(tmp_path: Path) -> None:
    async def play() -> None:
        first = Scheduled(Blow(), Timing(at=0.0, for_=LATER, until="dead >= 1"))
        stage = Stage(tmp_path, Scheduled(Blow(), Timing(when="healed")), first)
        async with stage.acting(over=True):
            await stage.until((1, "injected"))
            stage.write(start("a", "1"), finish("a", "1"))
        assert stage.told == [(1, "injected"), (1, "healed"), (0, "injected"), (0, "healed")]

    asyncio.run(play())


def test_a_fault_that_waits_for_one_that_misses_is_missed(tmp_path: Path) -> None:
    async def play() -> None:
        missing = Scheduled(Blow(misses=True), Timing(at=0.0))
        stage = Stage(tmp_path, missing, Scheduled(Blow(), Timing(when="healed")))
        async with stage.acting(over=True):
            pass
        assert stage.told == [(0, "missed"), (1, "missed")]

    asyncio.run(play())


def sampled(monkeypatch: pytest.MonkeyPatch, folder: Path, *answers: list[str]) -> list[str]:
    """The keys that are recorded as held, of acked jobs `a` and `b`, when the queue names these, look by look."""
    given = iter(answers)
    recorded: list[str] = []

    async def get(url: str, patience: float = 0.0) -> dict[str, object]:
        return {"held": [{"key": key, "where": "queued"} for key in next(given)]}

    monkeypatch.setattr("harness.sampling.get", get)
    monkeypatch.setattr("harness.sampling.BETWEEN", 0.0)
    live = Live(str(folder))
    (folder / "acks.jsonl").write_bytes(b"".join(msgspec.json.encode(Ack(t=1, key=key)) + b"\n" for key in "ab"))
    recorder = SimpleNamespace(record=lambda note: recorded.append(note.key))
    system: Any = SimpleNamespace(live=live, recorder=recorder, producer_url="", servers={})
    target: Any = SimpleNamespace(reports=("held",), effects=SimpleNamespace(sql=""))
    asyncio.run(Sampling(system, target).held())
    return recorded


def test_a_job_that_is_on_its_way_is_looked_for_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert sampled(monkeypatch, tmp_path, ["a"], ["a"], ["b"]) == ["a", "b"]


def test_a_job_that_is_gone_is_not_looked_for_for_ever(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert sampled(monkeypatch, tmp_path, *[["a"]] * 10) == ["a"]


def test_the_letter_of_a_job_that_was_given_up_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    from harness.faults.replay_dead_letters import ReplayDeadLetters

    given = iter([["a"], ["a"], ["a", "b"]])

    async def letters(url: str) -> list[Letter]:
        return [Letter(t=1, key=key, id=key) for key in next(given)]

    monkeypatch.setattr("harness.dead_letters.letters", letters)
    system: Any = SimpleNamespace(producer_url="", live=SimpleNamespace(given_up={"a", "b"}))
    found = asyncio.run(ReplayDeadLetters()._filed(system))
    assert [letter.key for letter in found] == ["a", "b"]
    assert next(given, None) is None
