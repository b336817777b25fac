"""The dead letters of a running target, over its producer: what there is, and putting some of it back or away."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

import msgspec

from harness import clock
from harness.history.events import Letter, Revive
from harness.http import DOCS, BadAnswer, get, post

PATIENCE = 30.0
MANY = 200
"""The most letters in one request."""

Verb = Literal["replay", "discard"]


class _Letter(msgspec.Struct, frozen=True):
    id: str
    key: str
    attempts: int | None = None
    error: str | None = None
    message: str | None = None
    died: float | None = None
    payload: dict[str, Any] | None = None


class _Letters(msgspec.Struct, frozen=True):
    letters: list[_Letter]


class _Result(msgspec.Struct, frozen=True):
    id: str
    outcome: Literal["replayed", "discarded", "missing"]


class _Results(msgspec.Struct, frozen=True):
    results: list[_Result]


async def letters(producer: str) -> list[Letter]:
    """Every dead letter, oldest first; raises OSError while nobody answers, BadAnswer when the answer is no list."""
    answer = await get(f"{producer}/letters", patience=PATIENCE)
    found = _read("GET /letters", answer, _Letters).letters
    now = clock.now()
    listed = [Letter(t=now, **msgspec.structs.asdict(letter)) for letter in found]
    return sorted(listed, key=lambda letter: letter.died or 0.0)


async def revive(producer: str, verb: Verb, chosen: Sequence[Letter], *, who: str, why: str) -> list[Revive]:
    """Replay or discard these letters; what became of each, to be recorded by the caller."""
    done: list[Revive] = []
    for some in _in_parts(chosen):
        asked = clock.now()  # a job may be done again before the answer is there
        answer = await post(f"{producer}/letters/{verb}", {"ids": [letter.id for letter in some]}, patience=PATIENCE)
        outcomes = {result.id: result.outcome for result in _read(f"POST /letters/{verb}", answer, _Results).results}
        if lacking := [letter.id for letter in some if letter.id not in outcomes]:
            raise BadAnswer(f"POST /letters/{verb} said nothing of {lacking[0]}; see {DOCS}")
        done += [
            Revive(t=asked, key=letter.key, id=letter.id, who=who, why=why, outcome=outcomes[letter.id])
            for letter in some
        ]
    return done


def between(found: Iterable[Letter], since: float | None, until: float | None) -> list[Letter]:
    """Those that died in a stretch of time, in seconds since the epoch; one that does not say when is in none."""
    return [
        letter
        for letter in found
        if letter.died is not None
        and (since is None or letter.died >= since)
        and (until is None or letter.died <= until)
    ]


def _in_parts(chosen: Sequence[Letter]) -> list[Sequence[Letter]]:
    return [chosen[first : first + MANY] for first in range(0, len(chosen), MANY)]


def _read(question: str, answer: object, wanted: type[Any]) -> Any:
    try:
        return msgspec.convert(answer, wanted)
    except msgspec.ValidationError as error:
        raise BadAnswer(f"{question} answered {str(answer)[:300]} ({error}); {DOCS} says what is expected") from error
