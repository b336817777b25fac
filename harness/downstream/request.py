"""HTTP/1.1 requests, cut out of the bytes of one connection."""

from msgspec import Struct

MAX_HEAD = 16 * 1024
MAX_BODY = 64 * 1024


class BadRequest(Exception):
    """A request that cannot be served: the status to answer with, and what was expected instead."""

    def __init__(self, status: int, says: str) -> None:
        super().__init__(says)
        self.status = status
        self.says = says


class Request(Struct, frozen=True):
    """One whole request; header names are in lower case."""

    method: bytes
    path: bytes
    version: bytes
    headers: dict[bytes, bytes]
    body: bytes

    @property
    def keeps_alive(self) -> bool:
        """Whether the caller means to use the connection again."""
        return self.version == b"HTTP/1.1" and self.headers.get(b"connection", b"").lower() != b"close"


class Requests:
    """The requests in a stream of bytes that arrives in pieces of any size."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> None:
        """Take the bytes that arrived next."""
        self._buffer += data

    def __len__(self) -> int:
        """How many bytes wait to be taken as requests."""
        return len(self._buffer)

    def take(self) -> Request | None:
        """The next request, or None while it is incomplete; after a BadRequest nothing more can be taken."""
        end = self._buffer.find(b"\r\n\r\n", 0, MAX_HEAD)
        if end < 0:
            self._check_head_may_grow()
            return None
        method, path, version, headers = _read_head(bytes(self._buffer[:end]))
        begin = end + 4
        stop = begin + _content_length(method, headers)
        if len(self._buffer) < stop:
            return None
        body = bytes(self._buffer[begin:stop])
        del self._buffer[:stop]
        return Request(method, path, version, headers, body)

    def _check_head_may_grow(self) -> None:
        if len(self._buffer) >= MAX_HEAD:
            raise BadRequest(431, f"the request's head must end within {MAX_HEAD} bytes")


def _read_head(head: bytes) -> tuple[bytes, bytes, bytes, dict[bytes, bytes]]:
    first, *lines = head.split(b"\r\n")
    parts = first.split(b" ")
    if len(parts) != 3 or not parts[2].startswith(b"HTTP/1."):
        raise BadRequest(400, f"expected a request line such as 'POST /effects HTTP/1.1', got {_shown(first)}")
    headers = {}
    for line in lines:
        name, colon, value = line.partition(b":")
        if not colon:
            raise BadRequest(400, f"expected a header such as 'Content-Length: 15', got {_shown(line)}")
        headers[name.lower()] = value.strip()
    return parts[0], parts[1], parts[2], headers


def _content_length(method: bytes, headers: dict[bytes, bytes]) -> int:
    length = headers.get(b"content-length")
    if b"transfer-encoding" in headers or (length is None and method == b"POST"):
        raise BadRequest(411, "the body must come with a Content-Length; chunked bodies are not read")
    if length is None:
        return 0
    if not length.isdigit():
        raise BadRequest(400, f"Content-Length must be a whole number of bytes, got {_shown(length)}")
    if len(length) > 9 or int(length) > MAX_BODY:
        raise BadRequest(413, f"the body must not be longer than {MAX_BODY} bytes")
    return int(length)


def _shown(text: bytes) -> str:
    return repr(text[:80].decode("latin-1"))
