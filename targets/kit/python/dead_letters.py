"""The dead letters of a target, and what the protocol lets one ask of them."""

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from http_request import BadRequest

Route = Callable[[Any], Awaitable[Any]]


class Letters(NamedTuple):
    """How a target reads its dead letters, puts one back into the queue, and removes one for good; the last two are
    given an id, and say whether there was such a letter."""

    read: Callable[[], Any]
    replay: Callable[[str], Any]
    discard: Callable[[str], Any]


def letter(id: str, key: str, **kept: Any) -> dict[str, Any]:
    """A dead letter; what the system has not kept is None here, and left out."""
    return {"id": id, "key": key} | {name: value for name, value in kept.items() if value is not None}


def routes(letters: Letters) -> dict[str, Route]:
    """What the producer answers, where each function of the letters can be awaited."""

    async def read(_: Any) -> Any:
        return {"letters": await letters.read()}

    return {
        "GET /letters": read,
        "POST /letters/replay": _each(letters.replay, "replayed"),
        "POST /letters/discard": _each(letters.discard, "discarded"),
    }


def _each(function: Callable[[str], Any], outcome: str) -> Route:
    async def answer(body: Any) -> Any:
        return {"results": [{"id": id, "outcome": outcome if await function(id) else "missing"} for id in _ids(body)]}

    return answer


def _ids(body: Any) -> list[str]:
    ids = body.get("ids") if isinstance(body, dict) else None
    if not isinstance(ids, list) or not all(isinstance(id, str) for id in ids):
        raise BadRequest('expected {"ids": ["...", ...]}; see docs/target-protocol.md')
    return ids
