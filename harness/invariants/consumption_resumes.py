"""Workers go on working after a fault."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, ClassVar

import msgspec

from harness.invariants._delays import ready
from harness.invariants._outages import Outage, alive_during, lasting, left_in_peace, outages
from harness.invariants._outstanding import outstanding
from harness.invariants._wording import counted, listed, seconds
from harness.units import Duration
from harness.verdict import Finding, failed, passed, undecided

if TYPE_CHECKING:
    from harness.history.history import Bools, History, Ints, Runs


class Resumption(msgspec.Struct, frozen=True):
    """A fault after which there was work, since when, how long it took until some began, and whether it ever did."""

    outage: Outage
    work: int
    took: int
    began: bool


class ConsumptionResumes(msgspec.Struct, frozen=True, kw_only=True):
    """After each fault, as soon as there is work to do, some run begins within the given time.

    Usually broken by a consumer that does not notice that its connection is gone (no heartbeat, no TCP keep-alive, a
    blocking read without a timeout), that gives up after a number of reconnects, or that nobody starts again after
    its death. Set a read timeout, reconnect without end, supervise the workers. A job that the queue has lost or given
    up is no work, nor is one that waits for its retry or for the end of its delay. Where another fault strikes before
    the time is up, it counts from the end of that one. Seen from outside, a side effect that is asked for stands for a
    run that begins.
    """

    within: Annotated[Duration, "how long work may lie untouched"] = 30.0

    needs: ClassVar[tuple[str, ...]] = ()

    def problems(self) -> Iterator[str]:
        if self.within <= 0:
            yield "within must be more than 0s"

    def check(self, history: History) -> Finding:
        found = _resumptions(history, self.within)
        if not found:
            return undecided(f"Nothing to judge: {_nothing(history)}.", of="faults")
        slow = [one for one in found if one.took > self.within * 1e9]
        worst = max(slow or found, key=lambda one: (not one.began, one.took))
        measured = {"slowest_s": round(worst.took / 1e9, 3)}
        if slow:
            return failed(
                self._idle(worst, _sign(history)),
                examined=len(found),
                of="faults",
                jobs=_untouched(history, worst),
                **measured,
            )
        if not worst.began:
            says = f"The history stopped {seconds(worst.took)} after {worst.outage.fault}, before any {_sign(history)}."
            return undecided(says, examined=len(found), of="faults", **measured)
        says = (
            f"{counted(len(found), 'fault')}; a {_sign(history)} at most {seconds(worst.took)} after "
            f"({worst.outage.fault})."
        )
        return passed(says, examined=len(found), of="faults", **measured)

    def _idle(self, worst: Resumption, sign: str) -> str:
        until = f"until the next {sign}" if worst.began else f"and no {sign} any more"
        lay = f"After {worst.outage.fault} was over, work lay untouched for {seconds(worst.took)}, {until}"
        return f"{lay}; {self.within:g} s were allowed."


def _nothing(history: History) -> str:
    """Why no fault can be judged."""
    if broken := lasting(history):
        return f"still broken: {listed(broken)}"
    return "there was no work to do after any fault" if outages(history) else "no fault was injected"


def _resumptions(history: History, within: float) -> list[Resumption]:
    struck = left_in_peace(history, within)
    judged = [_resumption(history, outage, within) for outage in struck]
    exact = [_exactly(history, one) if one and one.took > within * 1e9 else one for one in judged]
    return [one for one in exact if one]


def _sign(history: History) -> str:
    return "side effect was asked for" if history.from_outside else "run began"


def _signs(history: History) -> Ints:
    """When some worker showed that it works, in order: each start of a run or, seen from outside, each call."""
    import numpy as np

    from harness.history import columns as c

    if not history.from_outside:
        return history.rows(c.START).t
    return np.sort(np.concatenate([history.rows(kind).t for kind in (c.EFFECT, c.REPLAY, c.REFUSE)]))


def _resumption(history: History, outage: Outage, within: float) -> Resumption | None:
    import numpy as np

    starts = history.once(_signs)
    place = int(np.searchsorted(starts, outage.over))
    began = place < len(starts)
    until = int(starts[place]) if began else history.ends
    work = _work_since(history, outage.over)
    while work is not None and (given_up := _all_given_up(history, work)) < until:
        if given_up - work > within * 1e9:
            return Resumption(outage, work, given_up - work, began=False)
        work = _work_since(history, given_up)
    return None if work is None else Resumption(outage, work, max(0, until - work), began)


def _all_given_up(history: History, work: int) -> int:
    """Until when there was work from this moment on without a break, if no run began: a queue may give a job up by
    itself."""
    import numpy as np

    since, until = history.once(ready), history.once(_work_until)
    jobs = np.flatnonzero(history.acked & (until > work))
    order = jobs[np.argsort(since[jobs], kind="stable")]
    last = np.maximum.accumulate(until[order])
    breaks = np.flatnonzero(np.maximum(since[order][1:], work) > last[:-1])
    return int(last[breaks[0]] if len(breaks) else last[-1]) if len(order) else history.ends


def _work_since(history: History, moment: int) -> int | None:
    """The moment, if a job was waiting then; else when the next job was acked or due; None if there was nothing more to
    do."""
    import numpy as np

    if len(_waiting(history, moment, history.once(_candidates), history.once(_candidates_runs))):
        return moment
    times = history.once(_ready_times)
    place = int(np.searchsorted(times, moment, side="right"))
    return int(times[place]) if place < len(times) else None


def _ready_times(history: History) -> Ints:
    """When each acked job was there to be worked on, in order."""
    import numpy as np

    return np.sort(history.once(ready)[history.acked])


def _candidates(history: History) -> Ints:
    """The jobs that were there to be worked on when some outage was over."""
    import numpy as np

    overs = sorted({outage.over for outage in outages(history)})
    spells = [(over, over) for over in overs]
    return np.flatnonzero(alive_during(spells, history.once(ready), history.once(_work_until)))


def _candidates_runs(history: History) -> Runs:
    import numpy as np

    some = np.zeros(history.jobs, bool)
    some[history.once(_candidates)] = True
    return history.runs_of(some)


def _work_until(history: History) -> Ints:
    """Per job: until when it was there to be worked on: settled or, where it was lost, last begun. A history that was
    cut short does not say whether what is missing was lost."""
    from harness.history import columns as c

    left = outstanding(history)
    until = history.settled_at.copy()
    if left.unnamed == 0 or not history.ended:
        until[left.missing] = history.last_time(c.START)[left.missing]
    return until


def _waiting(history: History, moment: int, jobs: Ints, runs: Runs) -> Ints:
    """Those of the jobs that were acked and due by then, still there, and not in a run that was going on then."""
    import numpy as np

    about = jobs[(history.once(ready)[jobs] <= moment) & (history.once(_work_until)[jobs] > moment)]
    return np.setdiff1d(about, runs.job[(runs.start <= moment) & (runs.end > moment)])


def _exactly(history: History, one: Resumption) -> Resumption | None:
    """The same from when on some job lay untouched; None where none did."""
    jobs, since = _lying(history, one)
    if not len(jobs):
        return None
    work = int(since[0])
    return Resumption(one.outage, work, one.work + one.took - work, one.began)


def _untouched(history: History, one: Resumption) -> list[int]:
    """The jobs that lay untouched, longest first."""
    return [int(job) for job in _lying(history, one)[0]]


def _lying(history: History, one: Resumption) -> tuple[Ints, Ints]:
    """The jobs that nobody had in hand after the outage, but not those that waited for a retry; and since when. They
    are in order of that."""
    import numpy as np

    until = one.work + one.took
    since = np.maximum(history.once(ready), one.outage.over)
    lying = history.acked & (since < until) & (history.once(_work_until) > since)
    runs = history.runs
    lying[runs.job[(runs.start <= since[runs.job]) & (runs.end > since[runs.job])]] = False
    jobs = np.flatnonzero(lying & ~_retrying(history, since))
    jobs = jobs[np.argsort(since[jobs], kind="stable")]
    return jobs, since[jobs]


def _retrying(history: History, moment: Ints) -> Bools:
    """Per job: its last run by its moment had failed, or its call had been refused, so that it may be waiting for its
    next attempt on purpose."""
    import numpy as np

    from harness.history import columns as c

    if history.from_outside:
        refused: Bools = history.first_time(c.REFUSE) <= moment
        return refused
    rows = history.rows(c.FINISH)
    by_then = rows.t <= moment[rows.job]
    last = np.full(history.jobs, -1)
    last[rows.job[by_then]] = rows.num[by_then]
    retrying: Bools = last == c.FAILED
    return retrying
