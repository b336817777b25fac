"""One call of the downstream: what a worker asks to have done."""

from collections.abc import Callable
from typing import Annotated

from msgspec import DecodeError, Meta, Struct
from msgspec.json import Decoder

from harness.downstream.request import BadRequest, Request


class Call(Struct, frozen=True):
    """Ask for the side effect of the job `key`, at most once for each `idempotency_key` where there is one; `version`
    is that of the record that it acts on, 0 where it acts on none."""

    key: str
    idempotency_key: bytes | None = None
    version: int = 0


class _Body(Struct, frozen=True):
    key: Annotated[str, Meta(min_length=1)]
    version: Annotated[int, Meta(ge=0, lt=2**31)] = 0


_body = Decoder(_Body)


Read = Callable[[Request], Call]
"""The call that a request makes; BadRequest when it makes none."""


def read_call(request: Request) -> Call:
    """A call as the target protocol has it."""
    check_aim(request, "/effects")
    try:
        body = _body.decode(request.body)
    except (DecodeError, UnicodeDecodeError) as error:
        raise BadRequest(400, f'expected a body such as {{"key": "job-000001"}}: {error}') from error
    return Call(body.key, request.headers.get(b"idempotency-key") or None, body.version)


def check_aim(request: Request, path: str) -> None:
    """BadRequest unless the request is a POST to this path."""
    if request.path.partition(b"?")[0] != path.encode():
        raise BadRequest(404, f"expected POST {path}, got the path {request.path[:80].decode('latin-1')!r}")
    if request.method != b"POST":
        raise BadRequest(405, f"expected POST {path}, got the method {request.method[:80].decode('latin-1')!r}")
