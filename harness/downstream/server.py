"""The downstream as a program: one port for each worker, so that it knows who calls, and one for control."""

import argparse
import asyncio
import resource
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from msgspec import json

from harness.downstream.call import Read
from harness.downstream.connection import Connection
from harness.downstream.control import Control
from harness.downstream.effects import Effects
from harness.downstream.foreign import reading
from harness.downstream.provider import Provider
from harness.downstream.record import Record

BACKLOG = 1024


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve until SIGTERM."""
    options = _parse(arguments)
    _allow_many_connections()
    record = Record(options.events if options.record else None)
    asyncio.run(_serve(options, record))
    record.close()


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="harness.downstream.server", description=__doc__)
    parser.add_argument("--host", required=True, help="the address to listen on")
    parser.add_argument("--workers", required=True, type=_names, help="the names of the workers: worker-1,worker-2")
    parser.add_argument("--events", type=Path, help="the file that event lines are appended to")
    parser.add_argument("--record", type=_yes, default=True, help="yes (default) or no: write event lines")
    parser.add_argument("--honours-keys", type=_yes, default=True, help="yes (default) or no: heed Idempotency-Key")
    parser.add_argument("--latency", type=_seconds, default=0.0, help="seconds that every effect takes")
    parser.add_argument("--path", default="/effects", help="the path that a call is POSTed to (default: /effects)")
    parser.add_argument("--key", default="body.key", help="where the job's key is: body.key (default), header.NAME")
    parser.add_argument("--answer", default="", help="the body of the answer (default: the effect's number)")
    options = parser.parse_args(arguments)
    if options.record and options.events is None:
        parser.error("--events is needed, unless --record no")
    return options


async def _serve(options: argparse.Namespace, record: Record) -> None:
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, ended.set)
    effects = Effects(record, honours_keys=options.honours_keys)
    provider = Provider(effects, loop.call_later, latency=options.latency, body=options.answer)
    read = reading(options.path, options.key)
    servers = {worker: await _listen(options.host, worker, provider, read) for worker in options.workers}
    control = await loop.create_server(lambda: Control(provider, options.workers), options.host, 0)
    ports = {worker: _port(server) for worker, server in servers.items()}
    print(json.encode({"control": _port(control), "ports": ports}).decode(), flush=True)
    await ended.wait()


async def _listen(host: str, worker: str, provider: Provider, read: Read) -> asyncio.Server:
    loop = asyncio.get_running_loop()
    return await loop.create_server(lambda: Connection(worker, provider, read), host, 0, backlog=BACKLOG)


def _port(server: asyncio.Server) -> int:
    port: int = server.sockets[0].getsockname()[1]
    return port


def _allow_many_connections() -> None:
    # A hang holds every connection it meets: at the usual soft limit of 1,024, later calls would not even be accepted.
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def _names(text: str) -> list[str]:
    names = text.split(",")
    if not all(names) or len(set(names)) < len(names):
        raise argparse.ArgumentTypeError(f"expected different names with commas between them, got {text!r}")
    return names


def _yes(text: str) -> bool:
    if text not in ("yes", "no"):
        raise argparse.ArgumentTypeError(f"expected yes or no, got {text!r}")
    return text == "yes"


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 <= seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"expected seconds, zero or more, got {text!r}")
    return seconds


if __name__ == "__main__":
    main(sys.argv[1:])
