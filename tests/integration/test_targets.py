"""The kit and the memory target, driven by hand over the target protocol."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.integration.by_hand import PATIENCE, TARGETS, Stack, eventually

EMPTY = {"queued": 0, "active": 0, "delayed": 0, "dead": 0}


def test_every_job_is_done_once(stack: Callable[..., Stack]) -> None:
    running = stack(workers=2)
    keys = [f"job-{n}" for n in range(200)]
    assert running.enqueue(*keys) == ["acked"] * 200
    eventually(lambda: len(running.downstream.calls) == 200 and running.state() == EMPTY)
    assert running.downstream.calls == dict.fromkeys(keys, 1)
    assert [running.ends(key) for key in ("job-0", "job-199")] == [[("done", None)]] * 2
    runs = [event["run"] for event in running.lines() if event["e"] == "start"]
    assert len(set(runs)) == 200


def test_a_failure_is_tried_again_with_the_next_attempt(stack: Callable[..., Stack]) -> None:
    running = stack(503, 429)
    running.enqueue("a")
    eventually(lambda: len(running.ends("a")) == 3)
    assert running.ends("a") == [("failed", "DownstreamFailed"), ("failed", "DownstreamFailed"), ("done", None)]
    assert [event["attempt"] for event in running.lines() if event["e"] == "start"] == [1, 2, 3]


def test_a_job_out_of_retries_is_dead_and_held(stack: Callable[..., Stack]) -> None:
    running = stack(503, 503, max_retries=1)
    running.enqueue("a")
    eventually(lambda: running.state()["dead"] == 1)
    assert running.ask("GET", "/held")[1] == {"held": [{"key": "a", "where": "dead"}]}
    assert [outcome for outcome, _ in running.ends("a")] == ["failed", "dead"]


@pytest.mark.parametrize("ack", ["late", "early"])
def test_a_killed_workers_job_comes_back_only_if_acked_late(stack: Callable[..., Stack], ack: str) -> None:
    running = stack(ack=ack)
    running.downstream.open.clear()
    running.enqueue("a")
    eventually(lambda: running.downstream.calls == {"a": 1})
    held = running.ask("GET", "/held")[1]["held"]
    running.processes[-1].kill()
    running.processes[-1].wait(PATIENCE)
    running.downstream.open.set()
    running.start_worker(2)
    running.enqueue("b")
    eventually(lambda: running.ends("b") == [("done", None)])
    eventually(lambda: running.state() == EMPTY)
    late = ack == "late"
    assert (held, running.downstream.calls["a"]) == (
        [{"key": "a", "where": "active"}] if late else [],
        2 if late else 1,
    )


def test_an_idle_worker_that_is_killed_takes_no_job_with_it(stack: Callable[..., Stack]) -> None:
    running = stack(ack="early")
    running.processes[-1].kill()
    running.processes[-1].wait(PATIENCE)
    assert running.enqueue("a") == ["acked"]
    assert running.state() == {**EMPTY, "queued": 1}


def test_sigterm_lets_the_job_finish(stack: Callable[..., Stack]) -> None:
    running = stack()
    running.enqueue("a", work=0.3)
    eventually(lambda: any(event["e"] == "start" for event in running.lines()))
    running.processes[-1].send_signal(signal.SIGTERM)
    assert running.processes[-1].wait(PATIENCE) == 0
    assert running.ends("a") == [("done", None)]
    assert running.state() == EMPTY


@pytest.mark.parametrize(("idempotency", "header"), [("none", None), ("key", "a"), ("seen", None)])
def test_idempotency_is_a_knob(stack: Callable[..., Stack], idempotency: str, header: str | None) -> None:
    running = stack(idempotency=idempotency)
    running.enqueue("a")
    eventually(lambda: running.ends("a") == [("done", None)])
    running.enqueue("a")
    eventually(lambda: len(running.ends("a")) == 2)
    assert running.downstream.headers == {"a": header}
    assert running.ends("a")[1] == ("done", "dedup" if idempotency == "seen" else None)


def test_a_closed_idle_connection_is_no_failure(stack: Callable[..., Stack], tmp_path: Path) -> None:
    program = (
        "import sys; from kit import Downstream; d = Downstream(3)\n"
        "d.effect('a'); print('sent', flush=True); sys.stdin.readline(); d.effect('b'); print('sent', flush=True)"
    )
    with socket.create_server(("127.0.0.1", 0)) as server:
        environment = {**os.environ, "PYTHONPATH": str(TARGETS / "kit" / "python")}
        environment["HARNESS_DOWNSTREAM"] = f"http://127.0.0.1:{server.getsockname()[1]}"
        client = subprocess.Popen(
            [sys.executable, "-c", program], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert client.stdin and client.stdout
        with client:
            answer_one(server)
            assert client.stdout.readline() == "sent\n"
            client.stdin.write("\n")
            client.stdin.flush()
            answer_one(server)
            assert client.stdout.readline() == "sent\n"


def answer_one(server: socket.socket) -> None:
    """Answer one request 200, promise to keep the connection, and close it."""
    server.settimeout(PATIENCE)
    connection, _ = server.accept()
    with connection:
        connection.settimeout(PATIENCE)
        received = b""
        while not received.endswith(b"}"):
            received += connection.recv(65536)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")


def test_a_wrong_request_is_answered_with_what_was_wrong(stack: Callable[..., Stack]) -> None:
    running = stack(workers=0)
    assert running.ask("GET", "/nothing")[0] == 404
    assert "no GET /nothing here" in running.ask("GET", "/nothing")[1]["error"]
    assert running.ask("POST", "/jobs", b"{not json")[0] == 400
    assert running.ask("POST", "/jobs", b'{"jobs": [{"work": 1}]}')[0] == 400
    assert running.state() == EMPTY


def test_a_thousand_clients_at_once_are_all_answered(stack: Callable[..., Stack]) -> None:
    running = stack(workers=0)
    with ExitStack() as exits:
        clients = [
            exits.enter_context(socket.create_connection(("127.0.0.1", running.port), PATIENCE)) for _ in range(1000)
        ]
        for n, client in enumerate(clients):
            body = json.dumps({"jobs": [{"key": f"job-{n}"}]}).encode()
            client.sendall(b"POST /jobs HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        assert all(b'"acked"' in client.recv(65536) for client in clients)
    assert running.state() == {**EMPTY, "queued": 1000}
