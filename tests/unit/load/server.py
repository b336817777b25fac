"""A small producer for the tests of the load: `python load_server.py MODE`, its port is the first line it prints."""

import asyncio
import json
import sys
import time

STALL = 1.0


async def answer(mode: str, jobs: list[dict[str, str]], state: dict[str, float]) -> bytes:
    if mode == "hang":
        await asyncio.sleep(3600)
    if mode == "stall":
        begun = state.setdefault("begun", time.monotonic())
        until = begun + 0.5 + STALL
        if begun + 0.5 < time.monotonic() < until:
            await asyncio.sleep(until - time.monotonic())
    if mode == "broken":
        return b"HTTP/1.1 500 Oops\r\nContent-Length: 4\r\n\r\noops"
    if mode == "slow":
        await asyncio.sleep(0.05)
    body = json.dumps({"results": [{"key": job["key"], "outcome": "acked"} for job in jobs]}).encode()
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body


async def serve(mode: str, state: dict[str, float], reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while head := await reader.readuntil(b"\r\n\r\n"):
            if head.startswith(b"GET"):
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
                continue
            length = next(int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:"))
            jobs = json.loads(await reader.readexactly(length))["jobs"]
            if mode == "close":
                break
            writer.write(await answer(mode, jobs, state))
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    writer.close()


async def main(mode: str) -> None:
    state: dict[str, float] = {}
    server = await asyncio.start_server(lambda r, w: serve(mode, state, r, w), "127.0.0.1", 0, backlog=4096)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.wait_for(asyncio.to_thread(sys.stdin.read), 120)


if __name__ == "__main__":
    try:
        asyncio.run(main(sys.argv[1]))
    except TimeoutError:
        sys.exit("nobody ended the test server within 120 s")
