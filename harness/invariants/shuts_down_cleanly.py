"""Workers that are asked to end do so in time, and finish what they have begun."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from harness.invariants._outages import outages
from harness.invariants._wording import counted, listed
from harness.verdict import Finding, failed, passed, undecided

if TYPE_CHECKING:
    from harness.history.history import Bools, History

POISON = ("Permanent", "Unclassified", "Transient")
"""The errors of jobs that are poison, as the target protocol names them."""


class ShutsDownCleanly(msgspec.Struct, frozen=True):
    """Every worker that a deploy asked to end, ended by itself in the time it had, and cut off no run.

    Usually broken by a program without a handler for SIGTERM, by a shell or a process manager that does not pass the
    signal on (or sends it to pool processes too), or by a grace period shorter than the longest job. Stop taking
    jobs, finish those in hand, then exit; and give the deploy more time than that takes.
    """

    needs: ClassVar[tuple[str, ...]] = ("attempts",)
    seen: ClassVar[bool] = True

    def check(self, history: History) -> Finding:
        import numpy as np

        asked = _asked(history)
        busy = [one for one in asked if one["in_hand"]]
        if not busy:
            return undecided("Nothing to judge: no worker with a job in hand was asked to end.", of="shutdowns")
        killed = [one["worker"] for one in asked if one["killed"]]
        cut = np.unique(history.runs.job[_cut_off(history, asked)])
        measured = {"cut_off": len(cut), "killed": len(killed)}
        if not killed and not len(cut):
            says = f"{counted(len(busy), 'worker')} had a job in hand when asked to end, and finished it."
            return passed(says, examined=len(busy), of="shutdowns", **measured)
        says = f"{counted(len(asked), 'shutdown')}: {counted(len(cut), 'job')} cut off{_too_slow(killed)}."
        return failed(says, examined=len(busy), of="shutdowns", jobs=cut, **measured)


def _too_slow(killed: list[str]) -> str:
    return f"; {listed(killed)} did not end in time and had to be killed" if killed else ""


def _asked(history: History) -> list[dict[str, Any]]:
    """The workers that were asked to end, as the faults tell it."""
    notes = [note for note in history.faults if note.state == "injected"]
    return [one for note in notes for one in note.evidence.get("replaced", ())]


def _cut_off(history: History, asked: list[dict[str, Any]]) -> Bools:
    """Per run: whether it was going on when its worker was asked to end, and was not let finish."""
    import numpy as np

    runs = history.runs
    names = np.array([worker for worker, _ in history.columns.whos] + [""])[runs.who]
    abandoned = (runs.outcome < 0) & (runs.died < runs.finish) & ~_struck_down(history, names)
    interrupted = _interrupted(history)
    cut = np.zeros(len(runs), bool)
    for one in asked:
        since, until = one["asked"], one["ended"]
        cut |= (names == one["worker"]) & (runs.start <= until) & abandoned & (runs.died >= since)
        cut |= (names == one["worker"]) & interrupted & (runs.finish >= since) & (runs.finish <= until)
    return cut


def _struck_down(history: History, names: Any) -> Bools:
    """Per run: whether some fault killed the worker that was at it, which then no deploy cut off."""
    import numpy as np

    runs = history.runs
    found = np.zeros(len(runs), bool)
    for note in history.faults:
        for one in note.evidence.get("workers", ()):
            jobs = [history.job_of[key] for key in one["in_hand"] if key in history.job_of]
            theirs = (names == one["worker"]) & (runs.start <= note.t)
            for job in jobs:
                found[np.flatnonzero(theirs & (runs.job == job))[-1:]] = True
    return found


def _interrupted(history: History) -> Bools:
    """Per run: whether it failed and neither its job, the provider nor another fault made it: some systems end a run
    with an exception."""
    import numpy as np

    from harness.history import columns as c

    runs = history.runs
    refused = np.zeros(history.jobs, bool)
    refused[history.rows(c.REFUSE).job] = True
    failed: Bools = runs.outcome == c.FAILED
    return failed & ~refused[runs.job] & ~_poisoned(history) & ~_in_trouble(history)


def _poisoned(history: History) -> Bools:
    """Per run: whether it ended with the error of a job that is poison."""
    import numpy as np

    from harness.history import columns as c

    noted = np.zeros(len(history.rows(c.FINISH).t), bool)
    for error in POISON:
        noted |= history.noted(c.FINISH, error)
    found: Bools = np.isin(history.rows(c.START).run, history.rows(c.FINISH).run[noted])
    return found


def _in_trouble(history: History) -> Bools:
    """Per run: whether some fault was at work meanwhile that is no deploy, such as a link that was down."""
    import numpy as np

    runs = history.runs
    deploys = {note.n for note in history.faults if "replaced" in note.evidence}
    found = np.zeros(len(runs), bool)
    for outage in outages(history):
        if outage.n not in deploys:
            found |= (runs.start <= outage.over) & (runs.end >= outage.injected)
    return found
