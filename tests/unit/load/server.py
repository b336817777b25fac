"""A small producer for the tests and benchmarks of the load: `python server.py MODE [SECONDS]`.

The first line it prints is its port. When stdin ends it prints, as JSON, when (ns) it answered each key, and exits.
"""

import asyncio
import json
import sys
import time

BEFORE_STALL = 0.5
"""Seconds from the first job to the stall, in which every answer waits for the stall's end."""
OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b"


class Server:
    """How requests are answered, and the record of it."""

    def __init__(self, mode: str, seconds: float) -> None:
        self.mode = mode
        self._seconds = seconds
        self._stall = 0.0
        self.answered: dict[str, int] = {}

    def delay(self) -> float:
        """Seconds until a request that came now is answered."""
        now = time.monotonic()
        self._stall = self._stall or now + BEFORE_STALL
        if self.mode == "stall" and now >= self._stall:
            return max(self._stall + self._seconds - now, 0.0)
        return {"hang": 3600.0, "slow": 0.05}.get(self.mode, 0.0)

    def answer(self, body: bytes) -> bytes:
        if self.mode == "broken":
            return b"HTTP/1.1 500 Oops\r\nContent-Length: 4\r\n\r\noops"
        keys = [job["key"] for job in json.loads(body)["jobs"]]
        self.answered.update(dict.fromkeys(keys, time.time_ns()))
        results = json.dumps({"results": [{"key": key, "outcome": "acked"} for key in keys]}).encode()
        return OK % (len(results), results)


class Connection(asyncio.Protocol):
    """One connection; requests on it come one after another."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, end, body = self._received.partition(b"\r\n\r\n")
        if end and head.startswith(b"GET"):
            self._received = b""
            self._transport.write(OK % (2, b"{}"))
        elif end and len(body) >= int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0]):
            self._received = b""
            self._post(body)

    def _post(self, body: bytes) -> None:
        if self._server.mode == "close":
            self._transport.close()
        elif delay := self._server.delay():
            asyncio.get_running_loop().call_later(delay, self._reply, body)
        else:
            self._reply(body)

    def _reply(self, body: bytes) -> None:
        self._transport.write(self._server.answer(body))


async def main(mode: str, seconds: float) -> None:
    state = Server(mode, seconds)
    server = await asyncio.get_running_loop().create_server(lambda: Connection(state), "127.0.0.1", 0, backlog=4096)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.wait_for(asyncio.to_thread(sys.stdin.read), 120)
    print(json.dumps(state.answered), flush=True)


if __name__ == "__main__":
    try:
        asyncio.run(main(sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 1.0))
    except TimeoutError:
        sys.exit("nobody ended the test server within 120 s")
