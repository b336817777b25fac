"""What a stall of the system does to the load and to its figures: 500 arrivals each second, and two seconds without
an answer.

Run it as `python -m benchmarks.stall`. The open model must offer everything, and its 99th percentile (ack -
intended) must be within 5 % of the true one, which the producer's own record of its answers gives. Beside it, Locust
as it comes: users who wait for their answers.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from benchmarks.arrivals import at, events, offer, producer
from harness.load.shapes import Constant

RATE = 500.0
STALL = 2.0
LOCUSTFILE = """
from itertools import count
from locust import FastHttpUser, constant_throughput, task

keys = count()


class Waiting(FastHttpUser):
    wait_time = constant_throughput({each})

    @task
    def offer(self):
        self.client.post("/jobs", json={{"jobs": [{{"key": f"job-{{next(keys)}}", "work": 0}}]}})
"""


class Round(NamedTuple):
    """One run: the share of the planned jobs that was offered, and the 99th percentile in seconds as reported and as
    it was."""

    offered: float
    reported: float
    true: float

    def __str__(self) -> str:
        return f"{self.offered:10.1%}{self.reported:14.3f}{self.true:10.3f}{self.reported / self.true - 1:+10.1%}"


def open_model(seconds: float) -> Round:
    """Our generator, one process."""
    with tempfile.TemporaryDirectory() as scratch, producer("stall", STALL) as (address, answered):
        offer(Path(scratch), (Constant(RATE, seconds),), address, 1)
        intended = {event["key"]: event["intended"] for event in events(Path(scratch), "offer")}
        reported = [(event["t"] - intended[event["key"]]) / 1e9 for event in events(Path(scratch), "ack")]
    true = [(t - intended[key]) / 1e9 for key, t in answered.items()]
    return Round(len(intended) / (RATE * seconds), at(0.99, reported), at(0.99, true))


def closed_model(seconds: float, users: int, true: float) -> Round:
    """Locust as it comes, its users together asking for the same rate; `true` is what a job at its intended time
    would have met."""
    with tempfile.TemporaryDirectory() as scratch, producer("stall", STALL) as (address, answered):
        file = Path(scratch) / "locustfile.py"
        file.write_text(LOCUSTFILE.format(each=RATE / users))
        argv = [
            sys.executable,
            "-m",
            "locust",
            "-f",
            str(file),
            "-H",
            address,
            "-u",
            str(users),
            "-r",
            str(users),
            "-t",
            f"{seconds:g}s",
        ]
        done = subprocess.run([*argv, "--headless", "--json"], capture_output=True, check=True, timeout=seconds + 60)
        stats = json.loads(done.stdout)[0]
    return Round(len(answered) / (RATE * seconds), _p99(stats["response_times"]) / 1e3, true)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--users", type=int, default=20, help="of the closed model")
    options = parser.parse_args()
    print(
        f"{RATE:g} arrivals/s for {options.seconds:g} s, a stall of {STALL:g} s; p99 from the intended time to the "
        "answer, in seconds\n"
    )
    print(f"{'model':8}{'offered':>10}{'p99 reported':>14}{'true':>10}{'error':>10}")
    for _ in range(options.rounds):
        ours = open_model(options.seconds)
        print(f"{'open':8}{ours}", flush=True)
        print(f"{'closed':8}{closed_model(options.seconds, options.users, ours.true)}", flush=True)


def _p99(response_times: dict[str, int]) -> float:
    """From Locust's histogram, milliseconds to requests."""
    return at(0.99, [float(time) for time, count in response_times.items() for _ in range(count)])


if __name__ == "__main__":
    main()
