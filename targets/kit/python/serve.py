"""The producer's HTTP server: `serve(enqueue, state, held)` is the whole of it."""

import asyncio
import inspect
import json
import os
import resource
import signal
import sys
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from crew import Crew
from dead_letters import Letters
from dead_letters import routes as letter_routes
from http_request import BadRequest, Request, parse
from kit import knobs
from publish_later import in_background

Handler = Callable[[Any], Any]
BACKLOG = 4096
REASONS = {200: "OK", 400: "Bad Request", 404: "Not Found", 411: "Length Required", 500: "Internal Server Error"}


def acked(job: dict[str, Any]) -> dict[str, str]:
    """The queue confirmed the job."""
    return {"key": job["key"], "outcome": "acked"}


def rejected(job: dict[str, Any], error: BaseException) -> dict[str, str]:
    """The queue certainly has not got the job."""
    return {"key": job["key"], "outcome": "rejected", "why": f"{type(error).__name__}: {error}"}


def unknown(job: dict[str, Any], error: BaseException) -> dict[str, str]:
    """Nobody knows whether the queue has the job."""
    return {"key": job["key"], "outcome": "unknown", "why": f"{type(error).__name__}: {error}"}


def serve(
    enqueue: Callable[[list[dict[str, Any]]], Any],
    state: Callable[[], Any] | None = None,
    held: Callable[[], Any] | None = None,
    letters: Letters | None = None,
    *,
    routes: dict[str, Handler] | None = None,
    threads: int = 16,
) -> None:
    """Serve the producer on HARNESS_LISTEN until SIGTERM.

    `enqueue` takes the jobs of one request and gives a result for each (`acked`, `rejected`, `unknown`). Where the
    target reports them, `state` gives the counts, `held` the list of `{"key", "where"}`, `letters` the dead letters.
    `routes` adds paths of the target's own ("POST /take"), each a function of the body. An `async` function runs in
    the loop, is alone there until it awaits, and is cancelled when its client goes away; a plain one runs in a thread:
    `enqueue` in one of `threads`, as few at once as do any good, all others in one between them.
    """
    awaited = enqueue if inspect.iscoroutinefunction(enqueue) else Crew(enqueue, threads)
    table: dict[str, Handler] = {
        "GET /health": _healthy,
        "POST /jobs": _jobs(in_background(awaited) if knobs().publish == "background" else awaited),
    }
    reading = ThreadPoolExecutor(1)
    if state is not None:
        table["GET /state"] = _without_body(_awaitable(state, reading))
    if held is not None:
        table["GET /held"] = _named("held", _without_body(_awaitable(held, reading)))
    if letters is not None:
        table.update(letter_routes(Letters(*(_awaitable(function, reading) for function in letters))))
    for route, handler in (routes or {}).items():
        table[route] = _awaitable(handler, reading)
    asyncio.run(_listen(table))


async def _listen(table: dict[str, Handler]) -> None:
    host, _, port = os.environ["HARNESS_LISTEN"].rpartition(":")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 65536)) if hard > 0 else soft, hard))
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    server = await loop.create_server(lambda: Connection(table), host.strip("[]"), int(port), backlog=BACKLOG)
    await stop.wait()
    server.close()


class Connection(asyncio.Protocol):
    """One client: its requests are answered one after the other."""

    def __init__(self, table: dict[str, Handler]) -> None:
        self._table = table
        self._buffer = b""
        self._answering: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Remember where answers go."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Begin to answer as soon as a whole request is there."""
        self._buffer += data
        if self._answering is None:
            self._next()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody waits for the answer any more."""
        if self._answering is not None:
            self._answering.cancel()

    def _next(self) -> None:
        try:
            request = parse(self._buffer)
        except BadRequest as error:
            self._send(400, {"error": str(error)})
            self._transport.close()
            return
        if request is not None:
            self._buffer = self._buffer[request.size :]
            self._answering = asyncio.get_running_loop().create_task(self._answer(request))

    async def _answer(self, request: Request) -> None:
        self._send(*await _result(self._table, request))
        self._answering = None
        if self._buffer:
            self._next()

    def _send(self, status: int, body: Any) -> None:
        content = json.dumps(body, separators=(",", ":")).encode()
        head = (
            f"HTTP/1.1 {status} {REASONS[status]}\r\nContent-Type: application/json\r\nContent-Length: "
            f"{len(content)}\r\n\r\n"
        )
        self._transport.write(head.encode() + content)


async def _result(table: dict[str, Handler], request: Request) -> tuple[int, Any]:
    """Status and body of the answer; whatever a handler raises becomes a 500 and a traceback in the log."""
    handler = table.get(request.route)
    if handler is None:
        return 404, {"error": f"no {request.route} here; there is {', '.join(table)}"}
    try:
        return 200, await handler(json.loads(request.body) if request.body else None)
    except (BadRequest, json.JSONDecodeError, UnicodeDecodeError) as error:
        return 400, {"error": f"{type(error).__name__}: {error}"}
    except Exception as error:
        traceback.print_exc(file=sys.stderr)
        return 500, {"error": f"{type(error).__name__}: {error}"}


def _awaitable(function: Callable[..., Any], threads: ThreadPoolExecutor) -> Callable[..., Any]:
    if inspect.iscoroutinefunction(function):
        return function

    async def in_thread(*arguments: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(threads, function, *arguments)

    return in_thread


async def _healthy(body: Any) -> Any:
    return {}


def _jobs(enqueue: Callable[..., Any]) -> Handler:
    async def jobs(body: Any) -> Any:
        offered = body.get("jobs") if isinstance(body, dict) else None
        if not isinstance(offered, list) or not all(
            isinstance(job, dict) and isinstance(job.get("key"), str) for job in offered
        ):
            raise BadRequest('expected {"jobs": [{"key": "...", ...}, ...]}; see docs/target-protocol.md')
        return {"results": await enqueue(offered)}

    return jobs


def _without_body(function: Callable[..., Any]) -> Handler:
    async def ignoring(body: Any) -> Any:
        return await function()

    return ignoring


def _named(name: str, function: Handler) -> Handler:
    async def wrapping(body: Any) -> Any:
        return {name: await function(body)}

    return wrapping
