"""The worker of the memory target: threads that take jobs from the producer, do them and say how they ended."""

import json
import os
import signal
import threading
import time
from http.client import HTTPConnection, HTTPException
from typing import Any
from urllib.parse import urlsplit

from kit import Attempts, Downstream, DownstreamFailed, concurrency, knobs

KNOBS = knobs()
LONG_POLL = 1.0
PAUSE = 0.1

attempts = Attempts()
downstream = Downstream(KNOBS.downstream_timeout)
stopping = threading.Event()


def main() -> None:
    """Work until SIGTERM; then finish what has been begun."""
    signal.signal(signal.SIGTERM, lambda *_: stopping.set())
    threads = [threading.Thread(target=work) for _ in range(concurrency())]
    for thread in threads:
        thread.start()
    attempts.ready()
    for thread in threads:
        thread.join()


def work() -> None:
    """Take jobs one by one; a producer that is away is asked again."""
    producer = Producer()
    while not stopping.is_set():
        try:
            job = producer.ask("/take", wait=LONG_POLL)["job"]
            if job is not None:
                producer.ask("/finish", job=job, outcome=handle(producer, job))
        except (OSError, HTTPException):
            stopping.wait(PAUSE)


def handle(producer: "Producer", job: dict[str, Any]) -> str:
    """Do the job; how it ended."""
    last = job["attempt"] > KNOBS.max_retries
    try:
        with attempts.run(job["key"], job["attempt"], last=last) as run:
            time.sleep(job.get("work", 0))
            if KNOBS.idempotency == "seen" and not producer.ask("/claim", key=job["key"])["first"]:
                run.dedup()
            else:
                effect(producer, job["key"])
    except DownstreamFailed:
        return "dead" if last else "failed"
    return "done"


def effect(producer: "Producer", key: str) -> None:
    """The side effect, as safely as the idempotency knob says."""
    try:
        downstream.effect(key, idempotency_key=key if KNOBS.idempotency == "key" else None)
    except DownstreamFailed:
        if KNOBS.idempotency == "seen":
            producer.ask("/release", key=key)
        raise


class Producer:
    """The producer as one thread of a worker sees it."""

    def __init__(self) -> None:
        self._connection = HTTPConnection(urlsplit(os.environ["HARNESS_PRODUCER"]).netloc, timeout=LONG_POLL + 5)

    def ask(self, path: str, **body: Any) -> Any:
        """POST the body, and give what was answered."""
        try:
            self._connection.request("POST", path, json.dumps(body).encode())
            answer = self._connection.getresponse()
            content = answer.read()
        except (OSError, HTTPException):
            self._connection.close()
            raise
        if answer.status != 200:
            raise RuntimeError(f"{path} was answered {answer.status}: {content!r}")
        return json.loads(content)


if __name__ == "__main__":
    main()
