"""The Sidekiq target on real servers: what its fetch, its knobs and its shutdown do to jobs."""

import json
import socket
import subprocess
from pathlib import Path

import pytest

from harness import target, toolchains
from tests.integration.conftest import ROOT, Harness

SIDEKIQ = target.load(str(ROOT / "targets" / "sidekiq"))
pytestmark = pytest.mark.skipif(bool(reason := toolchains.lacks(SIDEKIQ)), reason=reason)

KILL = """about: A worker is killed after its side effect.
target: sidekiq
workers: 2
handler: {work: 10ms}
load:
  - constant: {rate: 30/s, for: 2s}
faults:
  - kill_worker: {when: effect, nth: 15}
invariants:
  - no_lost_jobs
  - no_duplicate_effects
  - no_overlapping_runs
  - no_stuck_jobs
  - every_completion_has_its_effect
"""
FAULT = "  - kill_worker: {when: effect, nth: 15}\n"
TERM = KILL.replace("when: effect, nth: 15", "at: 500ms, signal: TERM").replace("10ms", "300ms")


def test_a_killed_workers_job_is_fetched_again_and_done_once(harness: Harness) -> None:
    ended = harness(KILL)
    assert (ended.code, ended.result["value"]) == (0, "PASS"), ended.out + ended.err


@pytest.mark.parametrize(
    ("knob", "broken"), [("fetch=basic", "no_lost_jobs"), ("idempotency=none", "no_duplicate_effects")]
)
def test_what_keeps_jobs_safe_is_a_knob(harness: Harness, knob: str, broken: str) -> None:
    ended = harness(KILL, "--set", knob)
    assert (ended.code, ended.values("FAIL")) == (1, [broken]), ended.out + ended.err


def test_sigterm_lets_running_jobs_finish_even_with_a_plain_fetch(harness: Harness) -> None:
    ended = harness(TERM, "--set", "fetch=basic")
    assert ended.values("FAIL") == [], ended.out + ended.err


def test_without_a_handler_sigterm_is_as_bad_as_a_kill(harness: Harness) -> None:
    ended = harness(TERM, "--set", "fetch=basic", "--set", "handle_sigterm=false")
    assert ended.values("FAIL") == ["no_lost_jobs"], ended.out + ended.err


def test_a_job_out_of_retries_is_held_as_dead(harness: Harness) -> None:
    outage = KILL.replace(FAULT, '  - break_downstream: {how: "503", at: 0s, for: 2s}\n')
    ended = harness(outage, "--set", "retry=0")
    files = (ended.run / "events").glob("*.jsonl")
    lines = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    dead = {line["key"] for line in lines if line["e"] == "finish" and line["outcome"] == "dead"}
    assert dead
    assert {line["key"]: line["where"] for line in lines if line["e"] == "held"} == dict.fromkeys(dead, "dead")


PATIENCE = 20
EFFECTS = """
require "kit"
downstream = Kit::Downstream.new(3)
%w[a b].each { |key| downstream.effect(key); puts "sent"; $stdout.flush; gets }
"""


def test_a_closed_idle_connection_is_no_failure() -> None:
    installed = toolchains.install(SIDEKIQ)
    with socket.create_server(("127.0.0.1", 0)) as server:
        environment = {**installed.env, "HARNESS_DOWNSTREAM": f"http://127.0.0.1:{server.getsockname()[1]}"}
        command = installed.argv(("ruby", "-I", str(Path(SIDEKIQ.folder).parent / "kit" / "ruby"), "-e", EFFECTS))
        with subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as client:
            assert client.stdin and client.stdout
            for _ in range(2):
                answer_one(server)
                assert client.stdout.readline() == "sent\n"
                client.stdin.write("\n")
                client.stdin.flush()
        assert client.returncode == 0


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


def test_its_own_defaults_lose_the_job_and_no_retry_of_days_is_waited_for(harness: Harness) -> None:
    ended = harness(KILL, "--preset", "stock")
    assert "no_lost_jobs" in ended.values("FAIL"), ended.out + ended.err
