"""What the downstream makes of calls, good and bad."""

from contextlib import closing
from pathlib import Path

import pytest

from tests.integration.downstream.server import Server, answer, request, serving


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
