"""What the downstream tells those who ask, and the records that change under them."""

import json
import socket
from contextlib import closing
from urllib.parse import quote

from harness.downstream.client import Behaviour, Counts, Downstream
from tests.integration.downstream.server import Server, answer, commanding, request


def test_it_tells_how_many_effects_a_job_had(server: Server) -> None:
    with closing(server.connect()) as caller:
        assert ask(caller, "/effects/j%C3%B6b%201") == (200, {"effects": 0})
        for n in (1, 2):
            caller.sendall(request("jöb 1"))
            assert answer(caller)[0] == 200
            assert ask(caller, "/effects/" + quote("jöb 1")) == (200, {"effects": n})
    assert [event[0] for event in server.events()] == ["effect", "effect"]


def test_a_record_changes_and_an_effect_says_which_version_it_acted_on(server: Server) -> None:
    async def act(downstream: Downstream) -> None:
        with closing(server.connect()) as caller:
            assert ask(caller, "/records/a") == (200, {"version": 1})
            await downstream.change(["a", "b"])
            await downstream.change(["a"])
            assert ask(caller, "/records/a") == (200, {"version": 3})
            assert ask(caller, "/records/b") == (200, {"version": 2})
            body = json.dumps({"key": "a", "version": 2})
            caller.sendall(f"POST /effects HTTP/1.1\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
            assert answer(caller)[0] == 200
        assert server.events() == [
            ("change", "a", "2"),
            ("change", "b", "2"),
            ("change", "a", "3"),
            ("effect", "a", "worker-1", "2"),
        ]

    commanding(server, act)


def test_many_records_change_at_once(server: Server) -> None:
    async def act(downstream: Downstream) -> None:
        await downstream.change([f"job-{n:06d}" for n in range(5000)])
        assert len(server.events()) == 5000

    commanding(server, act)


def test_who_turns_everybody_away_answers_no_question(server: Server) -> None:
    async def act(downstream: Downstream) -> None:
        await downstream.behave(Behaviour("503"))
        with closing(server.connect()) as caller:
            assert ask(caller, "/effects/a")[0] == 503
            await downstream.behave(Behaviour("commit_then_timeout"))
            assert ask(caller, "/effects/a") == (200, {"effects": 0})
        assert await downstream.counts() == Counts(calls=0, effects=0, replays=0, refusals=0, misbehaved=0)

    commanding(server, act)


def test_a_question_about_nothing_is_a_bad_request(server: Server) -> None:
    with closing(server.connect()) as caller:
        assert ask(caller, "/effects/")[0] == 404
    with closing(server.connect()) as caller:
        assert ask(caller, "/effects/%ff")[0] == 400


def ask(caller: socket.socket, path: str) -> tuple[int, dict[str, str]]:
    caller.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    status, _, body = answer(caller)
    return status, body
