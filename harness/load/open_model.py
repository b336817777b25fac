"""The open model: each job is offered at its intended time, however many are still waiting for an answer."""

from bisect import bisect_right

import gevent
from gevent.pool import Pool

from harness import clock
from harness.load.alarm import Alarm
from harness.load.arrivals import Arrivals, key
from harness.load.lateness import Effort, Stopwatch
from harness.load.offers import Job, Offers
from harness.load.producer import Producer

TICK = 1_000_000
"""How late (ns) a job must be before it may share a request with others that are due."""
CROWD = 5
"""Jobs wanted within one tick that make it crowded: they share a request, and the first of them waits for the tick's
end. A request for each would cost the system under test more than many of its jobs do."""


class Share:
    """The arrivals that process `part` of `parts` offers: every `parts`-th, so that all processes are equally busy."""

    def __init__(self, arrivals: Arrivals, part: int, parts: int) -> None:
        self._arrivals = arrivals
        self._offsets = arrivals.offsets[part::parts]
        self._part = part
        self._parts = parts

    def __len__(self) -> int:
        return len(self._offsets)

    def intended(self, position: int, zero: int) -> int:
        """When the job at this position is wanted, in ns since the epoch."""
        return zero + self._offsets[position]

    def departure(self, position: int, zero: int, batch: int) -> int:
        """When to send the job at this position: at its time or, in a crowd, with up to `batch` of the same tick."""
        first = self._offsets[position]
        last = self._offsets[min(position + batch, len(self)) - 1]
        return zero + (min(first + TICK, last) if self._is_crowded(position) else first)

    def due(self, position: int, zero: int, batch: int) -> int:
        """How many jobs from this position on share a request that is sent now: one that is on time goes alone."""
        passed = clock.now() - zero
        if passed - self._offsets[position] < TICK and not self._is_crowded(position):
            return 1
        return max(bisect_right(self._offsets, passed, position, min(position + batch, len(self))) - position, 1)

    def _is_crowded(self, position: int) -> bool:
        next_but_few = position + CROWD
        return next_but_few < len(self) and self._offsets[next_but_few] - self._offsets[position] <= TICK

    def job(self, position: int, zero: int) -> Job:
        """The job at this position."""
        number = self._arrivals.number(self._part + position * self._parts)
        return Job(key(number), self.intended(position, zero))


class OpenModel:
    """Offers a share of the arrivals; a stalled system delays no job until `connections` requests are under way."""

    def __init__(self, producer: Producer, offers: Offers, *, batch: int, connections: int, patience: float) -> None:
        self._producer = producer
        self._offers = offers
        self._batch = batch
        self._patience = round(patience * clock.SECOND)
        self._requests = Pool(connections)
        self._alarm = Alarm()
        self._sent = 0
        self.effort: Effort | None = None
        """That of this process from the first job's time until the last was sent."""
        self.peak = 0
        """The most requests that were under way at once."""
        self.waited = False
        """Whether a job had to wait for the answer to another."""

    def run(self, share: Share, zero: int) -> None:
        """Return when every job has an outcome or was dropped. Killed, it drops what was not sent."""
        self._sent = 0
        why = "the generator was stopped"
        try:
            self._send(share, zero)
            why = (
                f"not sent {self._patience / clock.SECOND:g} s after the last arrival: every connection waits for "
                "an answer"
            )
            self._requests.join()
        finally:
            # A request killed before it began would leave no trace of its jobs: let the last ones begin.
            gevent.sleep(0)
            self._requests.kill()
            self._offers.drop([share.job(n, zero) for n in range(self._sent, len(share))], why)

    def _send(self, share: Share, zero: int) -> None:
        """Send every job at its time, until it is too late for the rest."""
        self._alarm.wait_until(share.intended(0, zero))
        stopwatch = Stopwatch()
        while self._sent < len(share):
            end = self._sent + self._wait_for_due(share, self._sent, zero)
            if self._is_too_late(share, zero):
                break
            self._requests.spawn(self._producer.offer, [share.job(n, zero) for n in range(self._sent, end)])
            self._sent = end
        self.effort = stopwatch.read()

    def _wait_for_due(self, share: Share, position: int, zero: int) -> int:
        """Wait for the next job's time and for a connection, and return how many jobs may share the request."""
        self._alarm.wait_until(share.departure(position, zero, self._batch))
        self.peak = max(self.peak, len(self._requests))
        if self._requests.full():
            self.waited = True
            self._requests.wait_available()
        return share.due(position, zero, self._batch)

    def _is_too_late(self, share: Share, zero: int) -> bool:
        return clock.now() > share.intended(len(share) - 1, zero) + self._patience
