"""The Sidekiq target on real servers: what its fetch, its knobs and its shutdown do to jobs."""

import asyncio
import json
import os
import signal
import socket
import subprocess
from pathlib import Path

import pytest

from harness import target, toolchains
from harness.history.events import Finish
from harness.substrate.process import send
from tests.conformance.bench import bench
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

COMPUTES = """about: A handler computes for longer than a heartbeat is believed, and one worker is free.
target: sidekiq
handler: {work: 0s, busy: 6s}
load:
  - constant: {rate: 1/s, for: 1s}
invariants: [no_lost_jobs, no_overlapping_runs, no_duplicate_effects]
"""


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


def test_where_nobody_looks_for_dead_workers_their_jobs_stay_active(harness: Harness) -> None:
    ended = harness(KILL, "--preset", "never_recovers")
    assert ended.values("FAIL") == ["no_stuck_jobs"], ended.out + ended.err
    assert {event["where"] for event in ended.events("held")} == {"active"}


@pytest.mark.parametrize(
    ("preset", "broken"), [("blocked_heartbeat", ["no_overlapping_runs"]), ("unblocked_heartbeat", [])]
)
def test_an_extension_that_keeps_rubys_lock_stops_the_heart(harness: Harness, preset: str, broken: list[str]) -> None:
    ended = harness(COMPUTES, "--preset", preset)
    assert ended.values("FAIL") == broken, ended.out + ended.err


def test_who_was_interrupted_too_often_is_a_letter_and_can_be_replayed(tmp_path: Path) -> None:
    async def trial() -> None:
        async with bench("sidekiq", tmp_path, max_retries_after_interruption="1", heartbeat_lifespan="2s") as on:
            await on.work()
            watch = await on.system.downstream.watch(1)
            await on.enqueue("a")
            held = await watch.held()
            process = on.system.workers["worker-1"].process
            assert process is not None
            send(process.tree(), signal.SIGKILL)
            await process.ended()
            await on.system.downstream.release(held)
            await on.work()
            (letter,) = await on.letters(1)
            assert (letter.key, letter.attempts, letter.error) == ("a", 1, None)
            assert await on.revive("replay", [letter]) == ["replayed"]
            await on.done("a")
            assert await on.letters(0) == []

    asyncio.run(trial())


@pytest.mark.parametrize(("preset", "again"), [
    ("quick_retries", ["dead"]),
    ("bare_letters", ["failed", "failed", "dead"]),
])  # fmt: skip
def test_a_replay_has_one_attempt_or_forgets_what_went_wrong(tmp_path: Path, preset: str, again: list[str]) -> None:
    async def trial() -> None:
        async with bench("sidekiq", tmp_path, preset=preset, unique_for="1h") as on:
            events = on.watch()
            await on.work()
            assert await on.enqueue("a", poison="unknown") == ["acked"]
            (letter,) = await on.letters(1)
            assert (letter.error, letter.attempts) == (("Unclassified", 3) if again == ["dead"] else (None, None))
            assert await on.enqueue("a") == ["acked"], "and dropped"
            assert await on.revive("replay", [letter]) == ["replayed"], "its lock is its own"
            await on.until(lambda: [event.outcome for event in events if isinstance(event, Finish)][3:] == again)

    asyncio.run(trial())


TICKS = """
require "kit"
ticks = []
Thread.new { loop { ticks << Process.clock_gettime(Process::CLOCK_MONOTONIC); sleep 0.01 } }
sleep 0.01 until ticks.size > 2
Kit::Workload.call({"busy" => 1.5}, 1)
sleep 0.1
puts ticks.each_cons(2).map { |before, after| after - before }.max
"""


@pytest.mark.parametrize(("where", "others_wait"), [("ruby", False), ("extension", True)])
def test_who_computes_in_an_extension_lets_no_other_thread_run(where: str, others_wait: bool) -> None:
    installed = toolchains.install(SIDEKIQ)
    command = installed.argv(("ruby", "-I", str(ROOT / "targets" / "kit" / "ruby"), "-e", TICKS))
    env = {**os.environ, **installed.env, "HARNESS_KNOBS": json.dumps({"compute_in": where})}
    ended = subprocess.run(command, env=env, capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert (float(ended.stdout) >= 1.4) == others_wait
