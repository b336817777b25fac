"""The worker of the memory target: threads that take jobs from the producer, do them and say how they ended."""

import json
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from typing import Any
from urllib.parse import urlsplit

from handling import Handler
from kit import Attempts, concurrency, knobs

KNOBS = knobs()
LONG_POLL = 1.0
PAUSE = 0.1

attempts = Attempts()
stopping = threading.Event()
in_hand: set[int] = set()


def main() -> None:
    """Work until SIGTERM; then finish what has been begun."""
    signal.signal(signal.SIGTERM, lambda *_: stopping.set())
    threads = [threading.Thread(target=Hand().work) for _ in range(concurrency())]
    for thread in threads:
        thread.start()
    if KNOBS.extend and KNOBS.lease:
        threading.Thread(target=extend, daemon=True).start()
    attempts.ready()
    for thread in threads:
        thread.join()


def extend() -> None:
    """Say every so often that the jobs in hand are being worked on."""
    producer = Producer()
    while True:
        time.sleep(KNOBS.lease / 4)
        try:
            producer.ask("/extend", tickets=list(in_hand))
        except (OSError, HTTPException):
            continue  # a producer that is away has no leases to extend


class Hand:
    """One thread of the worker."""

    def __init__(self) -> None:
        self._producer = Producer()
        self._handler = Handler(KNOBS, attempts, self._guard)

    def work(self) -> None:
        """Take jobs one by one; a producer that is away is asked again."""
        while not stopping.is_set():
            try:
                if taken := self._producer.ask("/take", wait=LONG_POLL)["taken"]:
                    self._do(taken)
            except (OSError, HTTPException):
                stopping.wait(PAUSE)

    def _do(self, taken: dict[str, Any]) -> None:
        in_hand.add(taken["ticket"])
        try:
            self._producer.ask("/finish", taken=taken, **self._ending(taken))
        finally:
            in_hand.discard(taken["ticket"])

    def _ending(self, taken: dict[str, Any]) -> dict[str, Any]:
        """Run the job; what to tell the queue of how it ended."""
        last = taken["attempt"] > KNOBS.max_retries
        try:
            self._handler(taken["job"], taken["attempt"], last=last)
        except Exception as error:  # whatever it raises is a failed attempt, which the handler has recorded
            return {
                "outcome": "dead" if last or isinstance(error, self._handler.hopeless) else "failed",
                "error": {"error": type(error).__name__, "message": str(error)},
                "after": self._handler.asked(error) or 0,
            }
        return {"outcome": "done", "error": {}, "after": 0}

    @contextmanager
    def _guard(self, job: dict[str, Any], attempt: int) -> Iterator[bool]:
        """What keeps the effect from being done twice, where that is not the downstream."""
        key = job["key"]
        if KNOBS.idempotency == "reconcile" and attempt > 1:
            yield not self._handler.downstream.effects(key)
        elif KNOBS.idempotency == "seen":
            yield from self._claimed(key)
        else:
            yield True

    def _claimed(self, key: str) -> Iterator[bool]:
        first = self._producer.ask("/claim", key=key)["first"]
        try:
            yield first
        except Exception:
            if first:
                self._producer.ask("/release", key=key)
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
