"""What the downstream does to its callers on command."""

from contextlib import closing
from typing import Any

import pytest

from harness.downstream.client import Behaviour, Counts, Downstream
from tests.integration.downstream.server import Server, answer, commanding, is_silent, request, until


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
        asked = ("7",) if how == "429" else ()
        assert server.events()[0] == ("refuse", "job-1", "worker-1", how, *asked)

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
