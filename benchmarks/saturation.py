"""How much of Celery's own pace our load leaves: jobs acked each second at full throttle, against a bare loop.

Run it as `python -m benchmarks.saturation`; the bar is 0.9. One process publishes on either side. The bare loop calls
`send_task` in it and does nothing else; on ours it is the target's producer, which another process, the generator,
asks over HTTP for more jobs than it can publish. The two take turns, so that both meet the same host: while one runs,
the other is stopped. Our jobs count when their ack is recorded, the loop's when Redis has them. Each has a real Redis
that keeps nothing on disk.
"""

import argparse
import json
import os
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from statistics import median
from typing import Any

from redis import Redis as Client

from benchmarks.arrivals import generating
from harness import target, toolchains
from harness.load.shapes import Constant
from harness.servers.redis import Redis

BAR = 0.9
"""The least share of the bare loop's pace."""
FLOOD = 5_000.0
"""Arrivals each second: more than Celery can publish."""
CONNECTIONS = 16
"""Requests under way at once: enough to keep the producer busy without a backlog of many seconds."""
WARM = 200
"""Jobs before they are counted."""
TICKS = os.sysconf("SC_CLK_TCK")
PATIENCE = 30.0
FOLDER = Path(__file__).parents[1] / "targets/celery"
LOOP = """
from itertools import count
from app import TASK, application

app = application(max_retries=0)
for n in count():
    app.send_task(TASK, ({"key": f"job-{n:06d}", "work": 0.0},), retry=False)
"""


class Side:
    """One side of a comparison: process groups that run in its turns only, and how many jobs they have done.

    `rates` are the jobs each second of its turns, `cpu` the seconds of CPU that the `metered` groups used in them.
    """

    def __init__(self, done: Callable[[], int], *, running: Iterable[int], metered: Iterable[int]) -> None:
        self._done, self._running, self._metered = done, tuple(running), set(metered)
        self.rates: list[float] = []
        self.cpu = self.jobs = 0.0

    def warm(self) -> None:
        """Let it run until it is past its first jobs, and stop it."""
        until(lambda: self._done() >= WARM)
        self._signal(signal.SIGSTOP)

    def turn(self, seconds: float) -> None:
        """Let it run for so long and no longer, and note its pace."""
        before, busy, began = self._done(), self._busy(), time.monotonic()
        self._signal(signal.SIGCONT)
        time.sleep(seconds)
        self._signal(signal.SIGSTOP)
        took, jobs = time.monotonic() - began, self._done() - before
        self.rates.append(jobs / took)
        self.jobs += jobs
        self.cpu += self._busy() - busy

    def _signal(self, number: signal.Signals) -> None:
        for group in self._running:
            os.killpg(group, number)

    def _busy(self) -> float:
        stats = [_stat(path) for path in Path("/proc").glob("[0-9]*/stat")]
        return sum(int(stat[11]) + int(stat[12]) for stat in stats if stat and int(stat[2]) in self._metered) / TICKS


def take_turns(one: Side, other: Side, turns: int, seconds: float) -> None:
    """So many turns of each; who goes first changes every time."""
    for turn in range(turns):
        for side in (one, other) if turn % 2 else (other, one):
            side.turn(seconds)


def compare(one: Side, other: Side) -> float:
    """The median, over pairs of turns, of one's pace as a multiple of the other's."""
    return median(mine / theirs for mine, theirs in zip(one.rates, other.rates, strict=True))


def table(**sides: Side) -> str:
    """A line for each side."""
    lines = [f"{'':12}{'jobs/s, median':>16}{'CPU us/job':>12}{'jobs':>9}"]
    for name, side in sides.items():
        lines.append(f"{name:12}{median(side.rates):16.0f}{side.cpu / side.jobs * 1e6:12.0f}{side.jobs:9.0f}")
    return "\n".join(lines)


class Celery:
    """The Celery target's programs, on one Redis."""

    def __init__(self, redis: str, **knobs: Any) -> None:
        described = target.load(str(FOLDER))
        self._python = toolchains.install(described).words["python"]
        values = described.with_knobs(overrides={"idempotency": "none", **knobs})
        self._environment = {
            **os.environ,
            "PYTHONPATH": f"{FOLDER}:{FOLDER.parent / 'kit/python'}",
            "HARNESS_REDIS": redis,
            "HARNESS_KNOBS": json.dumps(values),
        }

    def start(self, *arguments: str, **environment: str) -> "subprocess.Popen[bytes]":
        """Python with these arguments, as the target's programs are run, at the head of a process group."""
        env = {**self._environment, **environment}
        argv = [self._python, *arguments]
        return subprocess.Popen(argv, cwd=FOLDER, env=env, stdout=-1, stderr=subprocess.DEVNULL, start_new_session=True)

    @contextmanager
    def producer(self) -> Iterator[tuple[str, int]]:
        """The producer, healthy: its URL and its process group."""
        listen = f"127.0.0.1:{free_port()}"
        with ended(self.start("producer.py", HARNESS_LISTEN=listen)) as process:
            until(lambda: answers(listen))
            yield f"http://{listen}", process.pid


@contextmanager
def redis() -> Iterator[str]:
    """A Redis of its own, empty, in memory only: its URL."""
    port, settings = free_port(), Redis(persistence="none")
    with tempfile.TemporaryDirectory() as folder:
        argv = settings.command("127.0.0.1", port, folder)
        with ended(subprocess.Popen(argv, stdout=subprocess.DEVNULL)):
            until(lambda: accepts(port))
            yield settings.url("127.0.0.1", port)


@contextmanager
def ended(process: "subprocess.Popen[bytes]") -> Iterator["subprocess.Popen[bytes]"]:
    """The process, killed and gone at the end."""
    with process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def bare() -> Iterator[Side]:
    """A loop that publishes and does nothing else."""
    with redis() as url, ended(Celery(url).start("-c", LOOP)) as loop, closing(Client.from_url(url)) as client:
        side = Side(lambda: _length(client), running=[loop.pid], metered=[loop.pid])
        side.warm()
        yield side


@contextmanager
def loaded(seconds: float) -> Iterator[Side]:
    """The producer under more load than it can bear, for so many seconds."""
    with redis() as url, Celery(url).producer() as (address, producer), tempfile.TemporaryDirectory() as scratch:
        folder, load = Path(scratch), (Constant(FLOOD, seconds),)
        with generating(folder, load, address, 1, connections=CONNECTIONS) as (_, (generator,)):
            acked = lambda: (folder / "0.jsonl").read_bytes().count(b'"e":"ack"')  # noqa: E731
            side = Side(acked, running=[producer, generator.pid], metered=[producer])
            side.warm()
            yield side


def until(true: Callable[[], bool]) -> None:
    """Poll until it is so."""
    deadline = time.monotonic() + PATIENCE
    while not true():
        if time.monotonic() > deadline:
            raise TimeoutError(f"not so within {PATIENCE:g} s")
        time.sleep(0.01)


def accepts(port: int) -> bool:
    """Whether somebody listens there."""
    with socket.socket() as trial:
        return trial.connect_ex(("127.0.0.1", port)) == 0


def answers(listen: str) -> bool:
    """Whether the producer there is healthy."""
    connection = HTTPConnection(listen, timeout=PATIENCE)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status == 200
    except ConnectionRefusedError:
        return False
    finally:
        connection.close()


def free_port() -> int:
    """A port of the loopback that nobody listens on now."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port


def _length(client: Client) -> int:
    length: int = client.llen("celery")
    return length


def _stat(path: Path) -> list[str]:
    """The fields after the name; none of a process that has just ended."""
    try:
        return path.read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=0.5, help="how long a turn lasts")
    parser.add_argument("--turns", type=int, default=40, help="of each side")
    options = parser.parse_args()
    with bare() as loop, loaded(3 * options.seconds * options.turns + PATIENCE) as ours:
        take_turns(ours, loop, options.turns, options.seconds)
    ratio = compare(ours, loop)
    print(f"{options.turns} turns of {options.seconds:g} s each, interleaved; CPU is that of the publishing process\n")
    print(table(**{"bare loop": loop, "under load": ours}))
    print(f"\nratio, median of the pairs: {ratio:.2f}; >= {BAR:g}: {'yes' if ratio >= BAR else 'NO'}")


if __name__ == "__main__":
    main()
