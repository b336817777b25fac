"""Who offers a job is told soon when the queue cannot take it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, ClassVar

import msgspec

from harness.history import columns as c
from harness.history.history import NEVER
from harness.invariants._by_job import by_job
from harness.invariants._outages import outages
from harness.invariants._wording import counted, seconds
from harness.units import Duration
from harness.verdict import Finding, failed, passed, undecided

if TYPE_CHECKING:
    from harness.history.history import Bools, History, Ints, Rows


class ProducerFailsFast(msgspec.Struct, frozen=True, kw_only=True):
    """While something is broken, every offer is answered within the given time: taken, or refused.

    Usually broken by a client that keeps commands while it has no connection (an offline queue), or that retries
    without end: requests pile up in the web application, and what it had kept is gone when it is restarted. Fail
    fast: turn the offline queue off, bound retries and timeouts of the client that enqueues, and tell the user.
    """

    within: Annotated[Duration, "how long an answer may take"] = 5.0

    needs: ClassVar[tuple[str, ...]] = ()

    def problems(self) -> Iterator[str]:
        if self.within <= 0:
            yield "within must be more than 0s"

    def check(self, history: History) -> Finding:
        import numpy as np

        offers, answered, taken = _answers(history)
        struck = np.flatnonzero(_during(history, offers.t))
        waited = np.minimum(answered, history.ends)[struck] - offers.t[struck]
        slow = np.flatnonzero(waited > self.within * 1e9)
        worst = int(waited.max(initial=0))
        measured = {"worst_s": round(worst / 1e9, 3), "slow": len(slow)}
        examined, of = len(struck), "offers while something was broken"
        if len(slow):
            jobs = dict.fromkeys(offers.job[struck[slow[np.argsort(-waited[slow], kind="stable")]]].tolist())
            says = f"{counted(len(slow), 'offer')} of {examined:,} while something was broken"
            says += f" had no answer within {self.within:g} s."
            return failed(says, examined=examined, of=of, jobs=jobs, **measured)
        if examined and taken[struck].all():
            says = "Nothing to judge: every job offered while something was broken was taken."
            return undecided(says, examined=examined, of=of, **measured)
        if (unanswered := int(np.count_nonzero(answered[struck] > history.ends))) and not history.ended:
            says = f"The run was cut short while {counted(unanswered, 'offer')} had no answer."
            return undecided(says, examined=examined, of=of, **measured)
        says = f"{counted(examined, 'offer')} while something was broken, each answered within {seconds(worst)}."
        return passed(says, examined=examined, of=of, **measured)


def _answers(history: History) -> tuple[Rows, Ints, Bools]:
    """The offers; when each was answered, those of a job in their order, NEVER where none was; whether with an ack."""
    import numpy as np

    offers = history.rows(c.OFFER)
    kinds = [history.rows(kind) for kind in (c.ACK, c.REJECT, c.UNKNOWN)]
    given = by_job(np.concatenate([some.job for some in kinds]), np.concatenate([some.t for some in kinds]))
    ordered = by_job(offers.job, offers.t)
    place = given.firsts(ordered.job) + np.arange(len(ordered.job)) - ordered.firsts(ordered.job)
    theirs = np.append(given.job, -1)[np.minimum(place, len(given.job))] == ordered.job
    place = np.where(theirs, place, -1)
    answered, taken = np.empty(len(place), np.int64), np.empty(len(place), bool)
    answered[ordered.order] = np.append(given.t, NEVER)[place]
    taken[ordered.order] = np.append(given.order < len(kinds[0].job), False)[place]
    return offers, answered, taken


def _during(history: History, times: Ints) -> Bools:
    """Which of these moments lie between a fault and its heal."""
    import numpy as np

    inside = np.zeros(len(times), bool)
    for outage in outages(history):
        inside |= (times >= outage.injected) & (times < outage.over)
    return inside
