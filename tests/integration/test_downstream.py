"""The downstream as a program, over real sockets."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from harness.downstream.client import Behaviour, Counts, Downstream, DownstreamError, DownstreamLost

HOST = "127.83.7.1"
PATIENCE = 20.0


class Server:
    """A running downstream and the file it records to."""

    def __init__(self, file: Path, *options: str) -> None:
        self.file = file
        command = [sys.executable, "-m", "harness.downstream.server", "--host", HOST, "--workers", "worker-1,worker-2"]
        self.process = subprocess.Popen([*command, "--events", str(file), *options], stdout=subprocess.PIPE)
        assert self.process.stdout is not None
        said = json.loads(self.process.stdout.readline())
        self.control: int = said["control"]
        self.ports: dict[str, int] = said["ports"]

    def connect(self, worker: str = "worker-1") -> socket.socket:
        return socket.create_connection((HOST, self.ports[worker]), timeout=PATIENCE)

    def events(self) -> list[tuple[str, ...]]:
        return [tuple(str(value) for name, value in line.items() if name != "t") for line in self.lines()]

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.file.read_text().splitlines()]


@contextmanager
def serving(file: Path, *options: str) -> Iterator[Server]:
    server = Server(file, *options)
    try:
        yield server
    finally:
        server.process.kill()
        server.process.wait(PATIENCE)
        assert server.process.stdout is not None
        server.process.stdout.close()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with serving(tmp_path / "downstream.jsonl") as server:
        yield server


def request(key: str, *headers: str) -> bytes:
    body = json.dumps({"key": key})
    head = "".join(f"{header}\r\n" for header in ("Host: x", *headers, f"Content-Length: {len(body)}"))
    return f"POST /effects HTTP/1.1\r\n{head}\r\n{body}".encode()


def answer(caller: socket.socket) -> tuple[int, bytes, dict[str, str]]:
    """One whole answer: status, head, body."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += _some(caller)
    head, _, body = data.partition(b"\r\n\r\n")
    length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
    while len(body) < length:
        body += _some(caller)
    return int(head.split()[1]), head, json.loads(body)


def _some(caller: socket.socket) -> bytes:
    data = caller.recv(1)
    if not data:
        raise EOFError("the connection ended in the middle of an answer")
    return data


def is_silent(caller: socket.socket) -> bool:
    """Whether neither a byte nor an end has arrived."""
    caller.setblocking(False)
    try:
        caller.recv(1, socket.MSG_PEEK)
    except BlockingIOError:
        return True
    finally:
        caller.settimeout(PATIENCE)
    return False


def commanding(server: Server, act: Callable[[Downstream], Awaitable[None]]) -> None:
    async def run() -> None:
        async with asyncio.timeout(PATIENCE), connected(server) as downstream:
            await act(downstream)

    asyncio.run(run())


@asynccontextmanager
async def connected(server: Server) -> AsyncIterator[Downstream]:
    downstream = await Downstream.connect(HOST, server.control)
    try:
        yield downstream
    finally:
        await downstream.close()


async def until(downstream: Downstream, enough: Callable[[Counts], bool]) -> Counts:
    """Ask again and again until the counts are so; the caller bounds the wait."""
    while not enough(counts := await downstream.counts()):
        pass
    return counts


def test_a_call_is_recorded_with_the_worker_whose_port_it_used(server: Server) -> None:
    with closing(server.connect("worker-2")) as caller:
        for n in (1, 2):
            caller.sendall(request(f"job-{n}"))
            status, _, body = answer(caller)
            assert (status, body) == (200, {"effect": f"effect-{n}"})
            assert server.events()[-1] == ("effect", f"job-{n}", "worker-2")
    assert [set(line) for line in server.lines()] == [{"e", "t", "key", "worker"}] * 2


def test_a_known_idempotency_key_is_replayed(server: Server) -> None:
    with closing(server.connect()) as caller:
        for _ in range(2):
            caller.sendall(request("job-1", "idempotency-key: abc"))
            assert answer(caller)[2] == {"effect": "effect-1"}
    assert server.events() == [("effect", "job-1", "worker-1"), ("replay", "job-1", "worker-1")]


def test_keys_may_be_ignored_and_nothing_recorded(tmp_path: Path) -> None:
    file = tmp_path / "events"
    with serving(file, "--honours-keys", "no", "--record", "no") as server, closing(server.connect()) as caller:
        for n in (1, 2):
            caller.sendall(request("job-1", "Idempotency-Key: abc"))
            assert answer(caller)[2] == {"effect": f"effect-{n}"}
    assert not file.exists()


def test_pipelined_calls_are_answered_in_order(server: Server) -> None:
    with closing(server.connect()) as caller:
        caller.sendall(b"".join(request(f"job-{n}") for n in range(2000)))
        assert [answer(caller)[2]["effect"] for _ in range(2000)] == [f"effect-{n + 1}" for n in range(2000)]


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"POST /effects HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 411),
        (b"POST /effects HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}", 400),
        (b"POST /effects HTTP/1.1\r\nContent-Length: 9000000\r\n\r\n" + b"x" * 200_000, 413),
        (b"x" * 100_000, 431),
    ],
)
def test_a_bad_request_is_answered_so_and_records_nothing(server: Server, data: bytes, status: int) -> None:
    with closing(server.connect()) as caller:
        caller.sendall(data)
        assert answer(caller)[0] == status
        assert caller.recv(1) == b""
    with closing(server.connect()) as caller:
        caller.sendall(request("job-1"))
        assert answer(caller)[0] == 200
    assert server.events() == [("effect", "job-1", "worker-1")]


@pytest.mark.parametrize(("how", "status"), [("503", 503), ("429", 429)])
def test_it_refuses_with_a_status(server: Server, how: Any, status: int) -> None:
    async def act(downstream: Downstream) -> None:
        await downstream.behave(Behaviour(how, retry_after=7))
        with closing(server.connect()) as caller:
            caller.sendall(request("job-1"))
            got, head, _ = answer(caller)
            assert (got, b"Retry-After: 7" in head) == (status, how == "429")
            await downstream.behave_well()
            caller.sendall(request("job-1"))
            assert answer(caller)[0] == 200
        assert await downstream.counts() == Counts(calls=2, effects=1, replays=0, refusals=1, misbehaved=0)
        assert server.events()[0] == ("refuse", "job-1", "worker-1", how)

    commanding(server, act)


def test_reset_is_a_reset_and_not_an_end(server: Server) -> None:
    async def act(downstream: Downstream) -> None:
        await downstream.behave(Behaviour("reset"))
        with closing(server.connect()) as caller, pytest.raises(ConnectionResetError):
            caller.sendall(request("job-1"))
            caller.recv(1)
        assert server.events() == [("refuse", "job-1", "worker-1", "reset")]

    commanding(server, act)


@pytest.mark.parametrize(
    ("how", "event"),
    [
        ("hang", ("refuse", "job-1", "worker-1", "hang")),
        ("commit_then_timeout", ("effect", "job-1", "worker-1")),
    ],
)
def test_a_caller_waits_in_vain_until_the_behaviour_ends(server: Server, how: Any, event: tuple[str, ...]) -> None:
    async def act(downstream: Downstream) -> None:
        await downstream.behave(Behaviour(how))
        with closing(server.connect()) as caller:
            caller.sendall(request("job-1"))
            assert (await until(downstream, lambda counts: counts.misbehaved == 1)).calls == 1
            assert server.events() == [event]
            assert is_silent(caller)
            await downstream.behave_well()
            assert caller.recv(1) == b""

    commanding(server, act)


def test_slow_commits_only_for_a_caller_who_stays(server: Server) -> None:
    async def act(downstream: Downstream) -> None:
        await downstream.behave(Behaviour("slow", delay=0.3))
        with closing(server.connect()) as stays, closing(server.connect()) as leaves:
            leaves.sendall(request("job-left"))
            await until(downstream, lambda counts: counts.calls == 1)
            stays.sendall(request("job-stayed"))
            await until(downstream, lambda counts: counts.calls == 2)
            leaves.close()
            assert (server.events(), is_silent(stays)) == ([], True)
            assert answer(stays)[0] == 200
        assert server.events() == [("effect", "job-stayed", "worker-1")]

    commanding(server, act)


def test_a_share_of_calls_misbehaves_and_is_counted(server: Server) -> None:
    async def act(downstream: Downstream) -> None:
        statuses = []
        for _ in range(2):
            await downstream.behave(Behaviour("503", share=0.4, seed=3))
            with closing(server.connect()) as caller:
                caller.sendall(b"".join(request(f"job-{n}") for n in range(100)))
                statuses.append([answer(caller)[0] for _ in range(100)])
            assert (await downstream.counts()).misbehaved == statuses[-1].count(503)
        assert statuses[0] == statuses[1]
        assert 20 < statuses[0].count(503) < 60

    commanding(server, act)


def test_a_watch_holds_the_very_call_and_its_effect_is_on_disk(server: Server) -> None:
    async def act(downstream: Downstream) -> None:
        watch = await downstream.watch(2, "worker-2")
        with closing(server.connect("worker-1")) as other, closing(server.connect("worker-2")) as caller:
            other.sendall(request("job-a") + request("job-b"))
            assert [answer(other)[0], answer(other)[0]] == [200, 200]
            caller.sendall(request("job-c"))
            assert answer(caller)[0] == 200
            caller.sendall(request("job-d"))
            held = await watch.held()
            line = server.lines()[-1]
            assert line == {"e": "effect", "t": held.t, "key": "job-d", "worker": "worker-2"}
            assert (held.key, held.worker, held.watch) == ("job-d", "worker-2", watch.number)
            other.sendall(request("job-e"))
            assert answer(other)[0] == 200
            assert is_silent(caller)
            assert await downstream.release(held) is False
            assert caller.recv(1) == b""

    commanding(server, act)


@pytest.mark.parametrize("turn", range(20))
def test_release_knows_of_a_caller_who_left_a_moment_ago(server: Server, turn: int) -> None:
    async def act(downstream: Downstream) -> None:
        watch = await downstream.watch(1)
        with closing(server.connect()) as caller:
            caller.sendall(request("job-1"))
            held = await watch.held()
        assert await downstream.release(held) is True

    commanding(server, act)


def test_a_cancelled_watch_holds_nothing(server: Server) -> None:
    async def act(downstream: Downstream) -> None:
        watch = await downstream.watch(1)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(watch.held(), 0)
        await watch.cancel()
        with pytest.raises(DownstreamError, match="cancelled"):
            await watch.held()
        with closing(server.connect()) as caller:
            caller.sendall(request("job-1"))
            assert answer(caller)[0] == 200

    commanding(server, act)


def test_a_watch_ends_with_the_connection_that_set_it(server: Server) -> None:
    with closing(server.connect()) as caller:

        async def act(downstream: Downstream) -> None:
            watch = await downstream.watch(1)
            caller.sendall(request("job-1"))
            await watch.held()

        commanding(server, act)
        assert caller.recv(1) == b""


def test_commands_that_cannot_be_obeyed_say_why(server: Server) -> None:
    async def act(downstream: Downstream) -> None:
        with pytest.raises(DownstreamError, match="no worker is called worker-9; there are worker-1, worker-2"):
            await downstream.watch(1, "worker-9")
        with pytest.raises(DownstreamError, match="nth"):
            await downstream.watch(0)
        with pytest.raises(DownstreamError, match="share"):
            await downstream.behave(Behaviour("503", share=2.0))

    commanding(server, act)


def test_nonsense_on_the_control_connection_is_answered(server: Server) -> None:
    with closing(socket.create_connection((HOST, server.control), timeout=PATIENCE)) as control:
        control.sendall(b'nonsense\n{"id": 5, "do": "dance"}\n{"id": 6, "do": "counts"}\n')
        with control.makefile("rb") as lines:
            answers = [json.loads(lines.readline()) for _ in range(3)]
    assert [(a["id"], "error" in a) for a in answers] == [(None, True), (5, True), (6, False)]


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
def test_losing_the_server_ends_every_wait(server: Server, end: signal.Signals) -> None:
    async def act(downstream: Downstream) -> None:
        watch = await downstream.watch(1)
        waiting = asyncio.create_task(watch.held())
        server.process.send_signal(end)
        with pytest.raises(DownstreamLost):
            await waiting
        with pytest.raises(DownstreamLost):
            await downstream.counts()
        assert server.process.wait(PATIENCE) == (0 if end is signal.SIGTERM else -end)

    commanding(server, act)


def test_sigkill_loses_no_line_whose_answer_was_received(server: Server) -> None:
    answered = 0
    with closing(server.connect()) as caller:
        caller.sendall(b"".join(request(f"job-{n}") for n in range(3000)))
        try:
            while answered < 3000:
                assert answer(caller)[0] == 200
                answered += 1
                if answered == 100:
                    os.kill(server.process.pid, signal.SIGKILL)
        except (EOFError, ConnectionResetError):
            assert answered >= 100
    server.process.wait(PATIENCE)
    recorded = [key for _, key, _ in server.events()]
    assert recorded[:answered] == [f"job-{n}" for n in range(answered)]


def test_callers_who_vanish_do_it_no_harm(server: Server) -> None:
    for n in range(50):
        caller = server.connect()
        caller.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        caller.sendall(request(f"job-{n}") * 40 + b"POST /eff")
        caller.close()
    with closing(server.connect()) as caller:
        caller.sendall(request("job-last"))
        assert answer(caller)[0] == 200
    assert server.process.poll() is None
