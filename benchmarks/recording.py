"""What recording costs the system under test: a real Celery worker's throughput with the history written and without.

Run it as `python -m benchmarks.recording`; the bar is 3 %. Two stacks (Redis, downstream, worker of the target's
default pool, a full queue) stand side by side and take turns, so that both meet the same host: while one runs,
the other is stopped. One writes everything a run writes, attempts in the worker and effects in the downstream; the
other writes nothing. A job counts when the downstream has committed its effect.
"""

import argparse
import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from benchmarks.saturation import PATIENCE, Celery, Side, compare, ended, redis, table, take_turns
from harness.downstream.client import Downstream

BAR = 0.03
"""The most that recording may cost."""
WORKER = "worker-1"
FILL = """
import json, sys, uuid
import redis
from app import TASK, application, os

application().send_task(TASK, ({"key": "job-000001", "work": 0.0},))
store = redis.Redis.from_url(os.environ["HARNESS_REDIS"])
message = json.loads(store.rpop("celery"))
for _ in range(int(sys.argv[1]) // 100):
    copies = []
    for _ in range(100):
        message["properties"]["delivery_tag"] = message["headers"]["id"] = str(uuid.uuid4())
        copies.append(json.dumps(message))
    store.lpush("celery", *copies)
"""


def effects(control: int) -> int:
    """Effects that the downstream with this control port has committed."""

    async def count() -> int:
        async with asyncio.timeout(PATIENCE):
            downstream = await Downstream.connect("127.0.0.1", control)
            try:
                return (await downstream.counts()).effects
            finally:
                await downstream.close()

    return asyncio.run(count())


@contextmanager
def stack(jobs: int, *, records: bool) -> Iterator[Side]:
    """A stack with a queue of so many jobs, stopped."""
    with redis() as url, tempfile.TemporaryDirectory() as folder, ExitStack() as processes:
        celery = Celery(url)
        celery.start("-c", FILL, str(jobs)).communicate(timeout=PATIENCE)
        events = ("--events", f"{folder}/downstream.jsonl", "--record", "yes" if records else "no")
        argv = [sys.executable, "-m", "harness.downstream.server", "--host", "127.0.0.1", "--workers", WORKER]
        serving = subprocess.Popen([*argv, *events, "--honours-keys", "no"], stdout=-1, start_new_session=True)
        downstream = processes.enter_context(ended(serving))
        assert downstream.stdout
        ports = json.loads(downstream.stdout.readline())
        working = celery.start(
            "worker.py",
            HARNESS_WORKER=WORKER,
            HARNESS_DOWNSTREAM=f"http://127.0.0.1:{ports['ports'][WORKER]}",
            HARNESS_EVENTS=folder if records else "",
        )
        worker = processes.enter_context(ended(working))
        processes.callback(os.killpg, worker.pid, signal.SIGKILL)
        side = Side(lambda: effects(ports["control"]), running=[worker.pid], metered=[worker.pid, downstream.pid])
        side.warm()
        yield side


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=0.5, help="how long a turn lasts")
    parser.add_argument("--turns", type=int, default=40, help="of each stack")
    options = parser.parse_args()
    jobs = int(options.seconds * options.turns * 1500)
    with stack(jobs, records=True) as recording, stack(jobs, records=False) as silent:
        take_turns(recording, silent, options.turns, options.seconds)
    cost = 1 - compare(recording, silent)
    print(f"{options.turns} turns of {options.seconds:g} s each, interleaved; CPU of worker and downstream\n")
    print(table(recording=recording, silent=silent))
    print(f"\nthroughput lost, median of the pairs: {cost:.1%}; <= {BAR:.0%}: {'yes' if cost <= BAR else 'NO'}")
    print(f"CPU added: {recording.cpu / recording.jobs / (silent.cpu / silent.jobs) - 1:.1%}")


if __name__ == "__main__":
    main()
