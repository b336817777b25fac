"""The kit's crew: calls keep their order and their answers, and threads are let in only where they do any good."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

KIT = Path(__file__).parents[3] / "targets/kit/python"
MOST = 8
Make = Callable[[Callable[..., Any]], Any]


@pytest.fixture
def crew(monkeypatch: pytest.MonkeyPatch) -> Iterator[Make]:
    monkeypatch.syspath_prepend(KIT)
    module = import_module("crew")
    yield lambda function: module.Crew(function, MOST)


async def all_of(crew: Any, calls: int) -> list[Any]:
    async with asyncio.timeout(30):
        return await asyncio.gather(*(crew(n) for n in range(calls)), return_exceptions=True)


def test_each_call_has_its_own_answer(crew: Make) -> None:
    assert asyncio.run(all_of(crew(lambda n: n * 2), 100)) == [n * 2 for n in range(100)]


def test_what_the_function_raises_is_raised(crew: Make) -> None:
    (error,) = asyncio.run(all_of(crew(lambda n: 1 / n), 1))
    assert isinstance(error, ZeroDivisionError)


def test_calls_that_compute_are_made_by_one_thread(crew: Make) -> None:
    at_once, most = threading.Semaphore(MOST), []

    def compute(n: int) -> None:
        with at_once:
            most.append(MOST - at_once._value)
            until = time.thread_time() + 0.002
            while time.thread_time() < until:
                pass

    asyncio.run(all_of(crew(compute), 100))
    assert sorted(most)[50] == 1


def test_calls_that_wait_are_made_by_many(crew: Make) -> None:
    together = threading.Barrier(MOST)
    asyncio.run(all_of(crew(lambda n: together.wait(20)), MOST))
    assert not together.broken


def test_a_call_cancelled_before_its_turn_is_never_made(crew: Make) -> None:
    made, gate = [], threading.Event()

    def call(n: int) -> None:
        made.append(n)
        gate.wait(20)

    async def main() -> None:
        mine = crew(call)
        tasks = [asyncio.ensure_future(mine(n)) for n in range(MOST + 2)]
        async with asyncio.timeout(30):
            while len(made) < MOST:
                await asyncio.sleep(0.01)
            tasks[MOST].cancel()
            await asyncio.sleep(0)
            gate.set()
            await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(main())
    assert sorted(made) == [*range(MOST), MOST + 1]
