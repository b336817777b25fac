"""The generator against a real HTTP server: every job has its offer at its time, and its outcome."""

import json
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from harness.load import arrivals
from harness.load.control import command
from harness.load.shapes import Burst, Closed, Constant, Locustfile, Shape

SERVER = Path(__file__).parents[1] / "unit/load/server.py"
Serve = Callable[[str], str]
PATIENCE = 90.0


@pytest.fixture
def serve() -> Iterator[Serve]:
    with ExitStack() as servers:

        def start(mode: str) -> str:
            process = servers.enter_context(
                subprocess.Popen([sys.executable, SERVER, mode], stdin=-1, stdout=-1, text=True)
            )
            servers.callback(process.kill)
            assert process.stdout
            return f"http://127.0.0.1:{int(process.stdout.readline())}"

        yield start


class Generation:
    """A generator process, from its start to its last line."""

    def __init__(
        self, folder: Path, producer: str, *load: Shape, part: int = 0, parts: int = 1, **options: Any
    ) -> None:
        self.events_file = folder / f"load-{part}.jsonl"
        arrivals.save(arrivals.arrivals(load, seed=7), folder / "arrivals")
        argv = command(
            sys.executable,
            arrivals=folder / "arrivals",
            part=part,
            parts=parts,
            producer=producer,
            events=self.events_file,
            **options,
        )
        self.process = subprocess.Popen(argv, stdin=-1, stdout=-1)
        # Whatever is waited for below ends with the process.
        self.watchdog = threading.Timer(PATIENCE, self.process.kill)
        self.watchdog.start()
        assert self.process.stdin and self.process.stdout
        self.stdin, self.stdout = self.process.stdin, self.process.stdout
        assert json.loads(self.stdout.readline()) == {"ready": True}

    def go(self) -> None:
        self.stdin.write(b'{"go": %d}\n' % (time.time_ns() + 100_000_000))
        self.stdin.flush()

    def finish(self) -> dict[str, Any]:
        line = self.stdout.readline()
        assert self.process.wait(30) == 0
        self.close()
        finished: dict[str, Any] = json.loads(line)["finished"]
        return finished

    def close(self) -> None:
        self.watchdog.cancel()
        self.process.kill()
        self.process.wait(30)
        self.stdin.close()
        self.stdout.close()

    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.events_file.read_bytes().splitlines()]

    def kinds(self) -> Counter[str]:
        return Counter(event["e"] for event in self.events())


def generate(folder: Path, producer: str, *load: Shape, **options: Any) -> tuple[Generation, dict[str, Any]]:
    generation = Generation(folder, producer, *load, **options)
    try:
        generation.go()
        return generation, generation.finish()
    finally:
        generation.close()


def test_every_job_is_offered_and_acked(tmp_path: Path, serve: Serve) -> None:
    generation, finished = generate(tmp_path, serve("fast"), Constant(200, 1))
    assert generation.kinds() == {"offer": 200, "ack": 200}
    assert (finished["acked"], finished["dropped"]) == (200, 0)
    assert 150 < finished["requests"] <= 200, "a job that is on time goes alone"


def test_two_processes_share_the_arrivals(tmp_path: Path, serve: Serve) -> None:
    producer = serve("fast")
    first, _ = generate(tmp_path, producer, Constant(51, 1), part=0, parts=2)
    second, _ = generate(tmp_path, producer, Constant(51, 1), part=1, parts=2)
    keys = [event["key"] for event in first.events() + second.events() if event["e"] == "offer"]
    assert sorted(keys) == [arrivals.key(n) for n in range(51)]


def test_a_refused_connection_is_a_reject(tmp_path: Path) -> None:
    generation, finished = generate(tmp_path, "http://127.0.0.1:1", Constant(20, 1))
    assert generation.kinds() == {"offer": 20, "reject": 20}
    assert finished["rejected"] == 20


@pytest.mark.parametrize(
    ("mode", "why"),
    [("hang", "no answer within 0.5 s"), ("close", "closed before the answer"), ("broken", "HTTP 500 without results")],
)
def test_what_nobody_knows_is_unknown(tmp_path: Path, serve: Serve, mode: str, why: str) -> None:
    generation, finished = generate(tmp_path, serve(mode), Constant(20, 1), timeout=0.5)
    assert generation.kinds() == {"offer": 20, "unknown": 20}
    assert all(why in event["why"] for event in generation.events() if event["e"] == "unknown")
    assert finished["unknown"] == 20


def test_a_stall_of_the_system_thins_nothing(tmp_path: Path, serve: Serve) -> None:
    generation, finished = generate(tmp_path, serve("stall"), Constant(200, 2))
    assert generation.kinds() == {"offer": 400, "ack": 400}
    assert finished["peak"] > 100
    assert finished["lateness"]["p99"] < 0.5, finished


def test_jobs_that_are_late_share_requests(tmp_path: Path, serve: Serve) -> None:
    generation, finished = generate(tmp_path, serve("fast"), Burst(2000))
    assert generation.kinds() == {"offer": 2000, "ack": 2000}
    assert finished["requests"] < 1000


def test_users_of_the_closed_model_wait_for_their_answers(tmp_path: Path, serve: Serve) -> None:
    generation, finished = generate(tmp_path, serve("slow"), Closed(users=2, think=0.05, for_=1.0))
    kinds = generation.kinds()
    assert kinds["offer"] == kinds["ack"] == finished["acked"]
    assert 4 <= kinds["offer"] <= 22
    assert len({event["key"] for event in generation.events()}) == kinds["offer"]


@pytest.mark.parametrize("user", ["HttpUser", "FastHttpUser"])
def test_an_unmodified_locustfile_is_recorded(tmp_path: Path, serve: Serve, user: str) -> None:
    file = tmp_path / "locustfile.py"
    file.write_text(
        f"import uuid\nfrom locust import {user}, constant, task\n\n\nclass Shopper({user}):\n    wait_time = "
        "constant(0.05)\n\n"
        '    @task\n    def buy(self):\n        self.client.get("/health")\n'
        '        self.client.post("/jobs", json={"jobs": [{"key": str(uuid.uuid4()), "work": 0}]})\n'
    )
    generation, finished = generate(tmp_path, serve("fast"), Locustfile(file=str(file), users=2, for_=1.0))
    kinds = generation.kinds()
    assert kinds["offer"] == kinds["ack"] == finished["acked"] > 4


def test_a_user_who_swallows_his_end_does_not_keep_the_generator(tmp_path: Path, serve: Serve) -> None:
    file = tmp_path / "locustfile.py"
    file.write_text(
        "import gevent\nfrom locust import User, task\n\n\nclass Immortal(User):\n"
        "    @task\n    def live(self):\n        while True:\n            try:\n                gevent.sleep(0.01)\n"
        "            except BaseException:\n                pass\n"
    )
    _, finished = generate(tmp_path, serve("fast"), Locustfile(file=str(file), users=1, for_=0.2), timeout=0.2)
    assert finished["offered"] == 0


def test_a_killed_generator_leaves_whole_lines(tmp_path: Path, serve: Serve) -> None:
    generation = Generation(tmp_path, serve("fast"), Constant(2000, 20))
    try:
        generation.go()
        wait_for(lambda: generation.events_file.stat().st_size > 20_000)
        generation.process.kill()
        generation.process.wait(10)
        assert generation.events_file.read_bytes().endswith(b"\n")
        assert generation.kinds()["offer"] >= generation.kinds()["ack"] > 0
    finally:
        generation.close()


@pytest.mark.parametrize("how", ["SIGTERM", "end of stdin"])
def test_a_stopped_generator_accounts_for_every_job(tmp_path: Path, serve: Serve, how: str) -> None:
    generation = Generation(tmp_path, serve("hang"), Constant(100, 60))
    try:
        generation.go()
        wait_for(lambda: generation.events_file.stat().st_size > 1_000)
        generation.process.send_signal(signal.SIGTERM) if how == "SIGTERM" else generation.stdin.close()
        finished = generation.finish()
    finally:
        generation.close()
    kinds = generation.kinds()
    assert kinds["offer"] == kinds["unknown"] == finished["unknown"] > 0
    assert kinds["offer"] + kinds["drop"] == 6000


def test_a_generator_that_was_kept_from_running_is_late_but_no_bottleneck(tmp_path: Path, serve: Serve) -> None:
    generation = Generation(tmp_path, serve("fast"), Constant(200, 2))
    try:
        generation.go()
        wait_for(lambda: generation.events_file.stat().st_size > 1_000)
        generation.process.send_signal(signal.SIGSTOP)
        time.sleep(0.5)
        generation.process.send_signal(signal.SIGCONT)
        finished = generation.finish()
    finally:
        generation.close()
    assert finished["acked"] == 400
    assert finished["lateness"]["p99"] > 0.2
    assert not finished["bottleneck"], finished["why"]


def test_a_generator_asked_for_more_than_it_can_send_says_that_it_is_the_bottleneck(
    tmp_path: Path, serve: Serve
) -> None:
    _, finished = generate(tmp_path, serve("fast"), Constant(400_000, 1))
    assert finished["bottleneck"], finished
    assert "of a CPU" in finished["why"]


def test_a_system_that_answers_nobody_is_the_bottleneck_and_not_the_generator(tmp_path: Path, serve: Serve) -> None:
    _, finished = generate(tmp_path, serve("hang"), Constant(200, 2), timeout=0.5, connections=20)
    assert finished["lateness"]["p99"] > 0.01
    assert not finished["bottleneck"], finished
    assert "waiting for an answer of the system" in finished["why"]


def wait_for(true: Callable[[], bool]) -> None:
    """Poll for at most 20 s."""
    deadline = time.monotonic() + 20
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.005)
