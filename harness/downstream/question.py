"""A question to the downstream, which does nothing: how many effects a job had, which version its record has."""

from typing import Literal
from urllib.parse import unquote_to_bytes

from msgspec import Struct

from harness.downstream.request import BadRequest, Request

OF = {b"/effects/": "effects", b"/records/": "version"}


class Question(Struct, frozen=True):
    """What somebody wants to know of the job `key`."""

    of: Literal["effects", "version"]
    key: str


def read_question(request: Request) -> Question | None:
    """The question that a request asks; None when it is none, BadRequest when nobody can tell what it asks."""
    if request.method != b"GET":
        return None
    for path, of in OF.items():
        if request.path.startswith(path) and (key := request.path[len(path) :]):
            try:
                return Question(of, unquote_to_bytes(key).decode())  # type: ignore[arg-type]
            except UnicodeDecodeError as error:
                raise BadRequest(400, f"expected a key in UTF-8: {error}") from error
    return None
