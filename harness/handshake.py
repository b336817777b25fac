"""The first questions to a producer: whether it speaks the target protocol, asked before anything depends on it."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from harness import clock
from harness.dead_letters import letters
from harness.history.events import State, Where
from harness.http import DOCS, BadAnswer, get, post
from harness.target import Target

T = TypeVar("T")


class Holding(msgspec.Struct, frozen=True):
    """A job that the queue says it holds, and where."""

    key: str
    where: Where


class _Held(msgspec.Struct, frozen=True):
    held: list[Holding]


class _Results(msgspec.Struct, frozen=True):
    results: list[dict[str, str]]


async def greet(producer: str, target: Target) -> None:
    """Offer it no job at all, and ask for all that it claims to report; raises BadAnswer with what came instead."""
    answer = await post(f"{producer}/jobs", {"jobs": []})
    if _read("POST /jobs", answer, _Results).results:
        raise BadAnswer(
            f"POST /jobs with no jobs answered {answer!r}, expected no results; see docs/target-protocol.md"
        )
    if "state" in target.reports:
        state(await get(f"{producer}/state"))
    if "held" in target.reports:
        held(await get(f"{producer}/held"))
    if "letters" in target.reports:
        await letters(producer)


def state(answer: object) -> State:
    """What `GET /state` says, as of now."""
    counts = _read("GET /state", answer, dict[str, object])
    return _read("GET /state", {**counts, "t": clock.now(), "e": "state"}, State)


def held(answer: object) -> list[Holding]:
    """What `GET /held` says."""
    return _read("GET /held", answer, _Held).held


def _read(question: str, answer: object, wanted: type[T]) -> T:
    try:
        return msgspec.convert(answer, wanted)
    except msgspec.ValidationError as error:
        raise BadAnswer(f"{question} answered {answer!r} ({error}); {DOCS} says what is expected") from error
