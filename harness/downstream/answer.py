"""The downstream's answers, as bytes of HTTP."""

import math
from http import HTTPStatus

from msgspec import json

_OK = b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n{"effect":"%b"}'


def done(effect: str) -> bytes:
    """200, with the id of the effect."""
    name = effect.encode()
    return _OK % (len(name) + len(b'{"effect":""}'), name)


def told(of: str, number: int) -> bytes:
    """200, with the answer to a question."""
    return as_given(f'{{"{of}":{number}}}')


def as_given(body: str) -> bytes:
    """200, with this body."""
    payload = body.encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(payload)}\r\n\r\n"
    return head.encode() + payload


def unavailable() -> bytes:
    """503."""
    return _answer(503, {"error": "the downstream is unavailable"})


def too_many(retry_after: float) -> bytes:
    """429 with a Retry-After in whole seconds, rounded up."""
    return _answer(429, {"error": "too many requests"}, f"Retry-After: {math.ceil(retry_after)}\r\n")


def failed(says: str) -> bytes:
    """500: the call could not be recorded, so nothing was done."""
    return _answer(500, {"error": says})


def bad(status: int, says: str) -> bytes:
    """The answer to a bad request, after which the connection is closed."""
    return _answer(status, {"error": says}, "Connection: close\r\n")


def _answer(status: int, body: dict[str, str], headers: str = "") -> bytes:
    payload = json.encode(body)
    head = f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\nContent-Type: application/json\r\n{headers}"
    return f"{head}Content-Length: {len(payload)}\r\n\r\n".encode() + payload
