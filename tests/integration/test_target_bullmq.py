"""BullMQ behind the seam, in whole runs on real servers; and the promises of the kit that it is made with."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest

from harness.toolchains import node
from tests.integration.conftest import ROOT, Harness
from tests.integration.one_fault import one_fault

# A laptop may lack Node.js; CI may not.
pytestmark = pytest.mark.skipif(bool(node.lacks()) and "CI" not in os.environ, reason=node.lacks())

KIT = ROOT / "targets" / "kit"
PATIENCE = 10.0
SCENARIO = one_fault("bullmq", "consumption_resumes: 30s")
KILL = SCENARIO.replace("FAULT", "kill_worker: {when: effect, nth: 30}")
CUT = SCENARIO.replace("FAULT", "cut_link: {link: redis, at: 500ms, for: 500ms}")
OUTAGE = SCENARIO.replace("FAULT", 'break_downstream: {how: "503", at: 500ms, for: 2s}')


@pytest.mark.parametrize("version", [6, 5])
def test_a_killed_workers_job_is_done_once(harness: Harness, version: int) -> None:
    ended = harness(KILL, "--set", f"version={version}")
    assert (ended.code, ended.result["value"]) == (0, "PASS"), ended.out + ended.err


def test_a_plain_handler_does_it_twice(harness: Harness) -> None:
    ended = harness(KILL, "--set", "idempotency=none")
    assert (ended.code, ended.values("FAIL")) == (1, ["no_duplicate_effects"]), ended.out + ended.err


def test_without_the_stalled_check_it_stays_active_for_ever(harness: Harness) -> None:
    ended = harness(
        KILL, "--set", "skip_stalled_check=true", "--set", "stalled_interval=100ms", "--set", "lock_duration=2s"
    )
    assert "no_stuck_jobs" in ended.values("FAIL"), ended.out + ended.err
    assert {event["where"] for event in ended.events("held")} == {"active"}


def test_an_add_that_was_never_sent_is_rejected(harness: Harness) -> None:
    ended = harness(CUT)
    assert (ended.code, ended.result["value"]) == (0, "PASS"), ended.out + ended.err
    assert len(ended.events("reject")) > 10
    assert {event["why"].split(":")[0] for event in ended.events("reject")} == {"Error"}


def test_a_job_out_of_attempts_is_dead_and_held(harness: Harness) -> None:
    ended = harness(OUTAGE, "--set", "attempts=2", "--set", "backoff_delay=100ms")
    ends = Counter(event["outcome"] for event in ended.events("finish"))
    held = Counter(event["where"] for event in ended.events("held"))
    assert held == {"dead": ends["dead"]} and ends["dead"] > 10, ended.out + ended.err


def run_node(program: str, **environment: str) -> subprocess.Popen[str]:
    """Run JavaScript in which `kit` is the kit."""
    text = f"const kit = require({json.dumps(str(KIT / 'node'))});\n{program}"
    env = {**os.environ, **environment}
    return subprocess.Popen(["node", "-e", text], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_event_lines_carry_the_hosts_time(tmp_path: Path) -> None:
    before = time.time_ns()
    program = """
        const attempts = new kit.Attempts();
        attempts.ready();
        attempts.run('a', 1, true, async () => { throw new TypeError('x'); }).catch(() => {});
    """
    with run_node(program, HARNESS_EVENTS=str(tmp_path), HARNESS_WORKER="worker-1") as process:
        assert process.wait(PATIENCE) == 0
    after = time.time_ns()
    (file,) = tmp_path.iterdir()
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert [before - 1000 <= line["t"] <= after + 1000 for line in lines] == [True] * 3
    assert file.name == f"worker-1.{process.pid}.jsonl"
    assert [line["e"] for line in lines] == ["ready", "start", "finish"]
    assert (lines[2]["run"], lines[2]["outcome"], lines[2]["note"]) == (lines[1]["run"], "dead", "TypeError")


def test_a_closed_idle_connection_is_no_failure() -> None:
    program = """
        const downstream = new kit.Downstream(3);
        const say = () => console.log('sent');
        process.stdin.once('data', () => downstream.effect('b').then(say).then(() => process.exit(0)));
        downstream.effect('a').then(say);
    """
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
        with run_node(program, HARNESS_DOWNSTREAM=url) as client:
            assert client.stdin and client.stdout
            answer_one(server)
            assert client.stdout.readline() == "sent\n"
            client.stdin.write("\n")
            client.stdin.flush()
            answer_one(server)
            assert client.stdout.readline() == "sent\n"


def test_an_effect_without_an_answer_is_asked_for_once_and_fails() -> None:
    program = "new kit.Downstream(0.3).effect('a').catch((e) => console.log(JSON.stringify([e.name, e.status])));"
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
        with run_node(program, HARNESS_DOWNSTREAM=url) as client:
            assert client.stdout and json.loads(client.stdout.readline()) == ["DownstreamFailed", None]
            assert client.wait(PATIENCE) == 0
        server.settimeout(PATIENCE)
        server.accept()[0].close()
        server.settimeout(0)
        with pytest.raises(BlockingIOError):
            server.accept()


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
