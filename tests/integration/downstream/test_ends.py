"""What becomes of callers and commands when one side ends or talks nonsense."""

import asyncio
import json
import os
import signal
import socket
from contextlib import closing

import pytest

from harness.downstream.client import Behaviour, Downstream, DownstreamError, DownstreamLost
from tests.integration.downstream.server import (
    HOST,
    PATIENCE,
    Server,
    answer,
    commanding,
    request,
)


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
