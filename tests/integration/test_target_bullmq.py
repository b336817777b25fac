"""BullMQ behind the seam, in whole runs on real servers; and the promises of the kit that it is made with."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest

from harness.substrate.process import send
from harness.toolchains import node
from tests.conformance.bench import bench
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
REPLAY = """about: Jobs of an outage are given up, and put back when it is over.
target: bullmq
preset: quick_retries
handler: {work: 5ms}
load:
  - constant: {rate: 20/s, for: 4s}
faults:
  - break_downstream: {how: "503", at: 200ms, for: 1500ms}
  - replay_dead_letters: {at: 3500ms}
invariants: [no_lost_jobs, no_duplicate_effects, dead_letters_replay, reconciles]
"""
COMPUTES = """about: A handler computes for longer than its lock lasts, and one worker is free.
target: bullmq
handler: {work: 0s, busy: 6s}
load:
  - constant: {rate: 1/s, for: 1s}
invariants: [no_lost_jobs, no_overlapping_runs, no_duplicate_effects]
"""
POISON = """about: Some jobs cannot be done.
target: bullmq
handler: {work: 5ms, poison: unknown, poison_share: 30%}
load:
  - constant: {rate: 20/s, for: 1s}
invariants: [failures_are_visible, dead_letters_are_complete]
"""


@pytest.mark.parametrize("version", [6, 5])
def test_a_killed_workers_job_is_done_once(harness: Harness, version: int) -> None:
    ended = harness(KILL, "--set", f"version={version}")
    assert (ended.code, ended.result["value"]) == (0, "PASS"), ended.out + ended.err


def test_a_plain_handler_does_it_twice(harness: Harness) -> None:
    ended = harness(KILL, "--set", "idempotency=none")
    assert (ended.code, ended.values("FAIL")) == (1, ["no_duplicate_effects"]), ended.out + ended.err


def test_without_the_stalled_check_it_stays_active_for_ever(harness: Harness) -> None:
    ended = harness(KILL, "--preset", "never_recovers")
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


def test_what_an_outage_has_killed_is_put_back_and_done_once(harness: Harness) -> None:
    ended = harness(REPLAY)
    assert (ended.code, ended.result["value"]) == (0, "PASS"), ended.out + ended.err
    assert {event["outcome"] for event in ended.events("revive")} == {"replayed"}


@pytest.mark.parametrize(("preset", "broken"), [
    ("silent_failures", ["failures_are_visible"]),
    ("bare_letters", ["dead_letters_are_complete"]),
])  # fmt: skip
def test_a_failed_job_can_be_found_and_understood_if_it_is_kept(
    harness: Harness, preset: str, broken: list[str]
) -> None:
    ended = harness(POISON, "--preset", preset)
    assert ended.values("FAIL") == broken, ended.out + ended.err


def test_an_event_loop_that_computes_loses_its_lock(harness: Harness) -> None:
    ended = harness(COMPUTES, "--preset", "blocked_heartbeat")
    assert (ended.code, ended.values("FAIL")) == (1, ["no_overlapping_runs"]), ended.out + ended.err


def test_a_child_process_may_compute_for_as_long_as_it_likes(harness: Harness) -> None:
    ended = harness(COMPUTES, "--preset", "unblocked_heartbeat")
    assert (ended.code, ended.result["value"]) == (0, "PASS"), ended.out + ended.err
    (start,) = ended.events("start")
    assert start["pid"] not in {event["pid"] for event in ended.events("ready")}


def test_who_stalled_too_often_is_a_letter_and_can_be_replayed(tmp_path: Path) -> None:
    knobs = {"max_stalled_count": "0", "lock_duration": "1s", "stalled_interval": "200ms"}

    async def trial() -> None:
        async with bench("bullmq", tmp_path, **knobs) as on:
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
            assert (letter.key, letter.attempts, letter.error) == ("a", 1, "UnrecoverableError")
            assert letter.message == "job stalled more than allowable limit"
            assert await on.revive("replay", [letter]) == ["replayed"]
            await on.done("a")
            assert await on.letters(0) == []

    asyncio.run(trial())


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


@pytest.mark.parametrize(("job", "knobs", "ends"), [
    ({"poison": "permanent"}, {"classify": True}, ["dead Permanent"] * 3),
    ({"poison": "permanent"}, {"classify": False}, ["failed Permanent"] * 3),
    ({"poison": "unknown"}, {"classify": True}, ["failed Unclassified"] * 3),
    ({"poison": "transient"}, {"classify": True}, ["failed Transient", "failed Transient", "done undefined"]),
])  # fmt: skip
def test_a_job_fails_as_it_was_asked_to(tmp_path: Path, job: object, knobs: object, ends: list[str]) -> None:
    program = f"""
        const attempts = new kit.Attempts();
        attempts.write = (event, {{ outcome, note }}) => event === 'finish' && console.log(outcome, note);
        (async () => {{
          const run = (n) => attempts.run('a', n, false, () => kit.work({json.dumps(job)}, n));
          for (const n of [1, 2, 3]) await run(n).catch(() => {{}});
        }})();
    """
    with run_node(program, HARNESS_KNOBS=json.dumps(knobs)) as process:
        assert process.stdout and process.stdout.read().splitlines() == ends


def test_a_computing_job_holds_the_event_loop() -> None:
    program = """
        let turns = 0;
        const timer = setInterval(() => turns++, 1);
        kit.work({ busy: 0.1 }).then(() => { clearInterval(timer); console.log(turns); });
    """
    with run_node(program) as process:
        assert process.stdout and process.stdout.read() == "0\n"


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
