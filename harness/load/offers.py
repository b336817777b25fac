"""Offers: what this process offered and what became of it, appended to the history as it happens."""

import os
from array import array
from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from harness import clock
from harness.history.events import Ack, Drop, Event, Offer, Reject, Unknown

_encode = msgspec.json.Encoder().encode


class Job(msgspec.Struct, frozen=True):
    """One job to offer; `intended` is when the plan wants it (ns), None that it is wanted whenever it is sent."""

    key: str
    intended: int | None = None


class Outcome(msgspec.Struct, frozen=True):
    """What became of an offered job, as the producer says it."""

    key: str
    outcome: Literal["acked", "rejected", "unknown"]
    why: str = ""


class Offers:
    """Appends offers and outcomes to one file, each call one write of whole lines, and counts them."""

    def __init__(self, path: str) -> None:
        self._fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        self.counts = {"offered": 0, "acked": 0, "rejected": 0, "unknown": 0, "dropped": 0}
        self.lateness: array[int] = array("q")
        """Of each planned job, how long after its intended time it was sent, in ns."""

    def offer(self, jobs: Sequence[Job], delay: float = 0.0) -> None:
        """Record that these jobs are handed to the producer now, to run so many seconds later."""
        t = clock.now()
        self._append(
            Offer(t=t, key=job.key, intended=t if job.intended is None else job.intended, delay=delay) for job in jobs
        )
        self.lateness.extend(t - job.intended for job in jobs if job.intended is not None)
        self.counts["offered"] += len(jobs)

    def settle(self, outcomes: Sequence[Outcome]) -> None:
        """Record what became of offered jobs."""
        t = clock.now()
        self._append(_event(t, outcome) for outcome in outcomes)
        for outcome in outcomes:
            self.counts[outcome.outcome] += 1

    def drop(self, jobs: Sequence[Job], why: str) -> None:
        """Record jobs that were never sent."""
        t = clock.now()
        self._append(Drop(t=t, key=job.key, intended=job.intended or t, why=why) for job in jobs)
        self.counts["dropped"] += len(jobs)

    def _append(self, events: Iterable[Event]) -> None:
        lines = b"".join(_encode(event) + b"\n" for event in events)
        while lines:
            # A full disk or a signal may cut a write short; this file has no other writer, so the rest still completes
            # the line.
            lines = lines[os.write(self._fd, lines) :]


def _event(t: int, outcome: Outcome) -> Event:
    if outcome.outcome == "acked":
        return Ack(t=t, key=outcome.key)
    kind = Reject if outcome.outcome == "rejected" else Unknown
    return kind(t=t, key=outcome.key, why=outcome.why)
