"""An HTTP request to the producer, as it comes over a connection."""

from typing import NamedTuple


class BadRequest(Exception):
    """The client sent something that the protocol does not allow; the message is its answer."""


class Request(NamedTuple):
    """One HTTP request, and how many bytes of the connection it took."""

    route: str
    body: bytes
    size: int


def parse(buffer: bytes) -> Request | None:
    """The first whole request in the buffer, if it is all there."""
    end = buffer.find(b"\r\n\r\n")
    if end < 0:
        return None
    line, *headers = buffer[:end].decode("latin-1").split("\r\n")
    words = line.split(" ")
    if len(words) != 3:
        raise BadRequest(f"not an HTTP request: {line[:80]!r}")
    fields = {name.strip().lower(): value.strip() for name, _, value in (header.partition(":") for header in headers)}
    length = fields.get("content-length", "0")
    if "transfer-encoding" in fields or not length.isdigit():
        raise BadRequest("send a body with Content-Length, not in chunks")
    size = end + 4 + int(length)
    route = f"{words[0]} {words[1].partition('?')[0]}"
    return Request(route, buffer[end + 4 : size], size) if len(buffer) >= size else None
