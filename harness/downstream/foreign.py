"""Calls of a program that does not know the target protocol: its own path, and the key where it puts it."""

from collections.abc import Callable
from typing import Any

from msgspec import DecodeError, json

from harness.downstream.call import Call, Read, check_aim, read_call
from harness.downstream.request import BadRequest, Request


def reading(path: str, key: str) -> Read:
    """How a call is read that is POSTed to `path` and has the job's key at `key`: `body.a.b`, or `header.Name`."""
    if (path, key) == ("/effects", "body.key"):
        return read_call
    place, _, name = key.partition(".")
    find = _in_header(name) if place == "header" else _in_body(name)

    def read(request: Request) -> Call:
        check_aim(request, path)
        return Call(find(request), request.headers.get(b"idempotency-key") or None)

    return read


def _in_header(name: str) -> Callable[[Request], str]:
    def find(request: Request) -> str:
        value = request.headers.get(name.lower().encode(), b"").decode("latin-1")
        if not value:
            raise BadRequest(400, f"expected the job's key in the header {name}")
        return value

    return find


def _in_body(name: str) -> Callable[[Request], str]:
    def find(request: Request) -> str:
        try:
            value = json.decode(request.body)
        except (DecodeError, UnicodeDecodeError) as error:
            raise BadRequest(400, f"expected JSON with the job's key as {name}: {error}") from error
        for part in name.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        return _key(value, name)

    return find


def _key(value: Any, name: str) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise BadRequest(
            400, f"expected the job's key as {name} in the body, a string or a whole number, got {value!r}"
        )
    return str(value)
