"""A call that is held: its effect is on disk, and its answer is never given."""

import asyncio
from contextlib import closing

import pytest

from harness.downstream.client import Downstream, DownstreamError
from tests.integration.downstream.server import (
    Server,
    answer,
    commanding,
    is_silent,
    request,
)


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
