"""Who is asked to wait, waits."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import msgspec

from harness.history import columns as c
from harness.history.history import NEVER
from harness.invariants._by_job import by_job
from harness.invariants._calls import calls
from harness.invariants._given_up import put_back
from harness.invariants._wording import counted, seconds
from harness.verdict import Finding, failed, passed

SLACK = 1_000_000
"""Nanoseconds by which two clocks of one machine may be read apart."""

if TYPE_CHECKING:
    from harness.history.history import Bools, History, Ints


class HonoursRetryAfter(msgspec.Struct, frozen=True):
    """After a 429, the next call for the same job comes no sooner than its Retry-After asked for.

    Usually broken by a back-off that knows nothing of the answer: the provider says how long to stay away, and is
    called again before that, which keeps the limit exhausted. Read Retry-After, and give it to the retry as its
    delay, with jitter on top.
    """

    needs: ClassVar[tuple[str, ...]] = ()

    def check(self, history: History) -> Finding:
        import numpy as np

        told = _told(history)
        again = _next(history, told)
        judged = (again != NEVER) & _heard(history, told, again)
        early = np.flatnonzero(judged & (again < told.due - SLACK))
        examined, of = int(judged.sum()), "calls that were told to wait and came again"
        measured = {"early": len(early), "told": len(told.t)}
        if len(early):
            ahead = (told.due - again)[early]
            jobs = dict.fromkeys(told.job[early][np.argsort(-ahead, kind="stable")].tolist())
            worst = seconds(ahead.max())
            says = f"{counted(len(early), 'call')} of {examined:,} told to wait came too soon, by up to {worst}."
            return failed(says, examined=examined, of=of, jobs=jobs, **measured)
        says = f"{counted(examined, 'call')} told to wait came again, none too soon."
        return passed(says, examined=examined, of=of, **measured)


class Told(msgspec.Struct, frozen=True):
    """The calls that were told to wait: of which job, when, and until when."""

    job: Ints
    t: Ints
    due: Ints


def _told(history: History) -> Told:
    import numpy as np

    rows = history.rows(c.REFUSE)
    asked = np.flatnonzero(rows.num > 0)
    job, t, after = rows.job[asked].astype(np.int64), rows.t[asked], rows.num[asked].astype(np.int64)
    return Told(job, t, t + after * 1_000_000)


def _next(history: History, told: Told) -> Ints:
    """When the next call for the same job came; NEVER where none did."""
    import numpy as np

    made, some = calls(history), np.zeros(history.jobs, bool)
    some[told.job] = True
    theirs = some[made.job]
    ordered = by_job(made.job[theirs], made.t[theirs])
    place = ordered.places(told.job, told.t, at=True)
    return np.where(np.append(ordered.job, -1)[place] == told.job, np.append(ordered.t, NEVER)[place], NEVER)


def _heard(history: History, told: Told, again: Ints) -> Bools:
    """Which of the next calls were made by somebody who can have known: not for a job that two runs, two offers or an
    operator had put into two hands, nor after the death of the run that was told."""
    import numpy as np

    some = np.zeros(history.jobs, bool)
    some[told.job] = True
    runs = history.runs_of(some)
    starts, ends = by_job(runs.job, runs.start), by_job(runs.job, runs.end)
    cut = np.flatnonzero(runs.end != runs.finish)
    deaths, revived = by_job(runs.job[cut], runs.end[cut]), put_back(history)
    offers, refused = (history.rows(kind).of(some) for kind in (c.OFFER, c.REJECT))
    taken = by_job(offers.job, offers.t).counts(told.job, again)
    heard = taken - by_job(refused.job, refused.t).counts(told.job, again) <= 1
    for moment in (told.t, again):
        heard &= starts.counts(told.job, moment, at=True) - ends.counts(told.job, moment) <= 1
    for lost in (deaths, revived):
        heard &= lost.counts(told.job, told.t) == lost.counts(told.job, again)
    return heard
