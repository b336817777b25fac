"""Who failed for good can be found."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import msgspec

from harness.invariants._given_up import given_up, visible
from harness.invariants._wording import counted
from harness.verdict import Finding, failed, passed, undecided

if TYPE_CHECKING:
    from harness.history.history import History


class FailuresAreVisible(msgspec.Struct, frozen=True):
    """Every job that was given up can be found among the dead letters.

    Usually broken by a queue that drops a job with its last retry, keeps failed jobs for seconds only, or keeps no
    dead letters at all: the customer is the first to notice. Keep what has failed for good until a person has seen
    it, and watch how many there are.
    """

    needs: ClassVar[tuple[str, ...]] = ("attempts", "letters")

    def check(self, history: History) -> Finding:
        import numpy as np

        dead = given_up(history)
        examined, of = int(dead.sum()), "jobs that were given up"
        hidden = np.flatnonzero(dead & ~visible(history))
        if examined and not history.ended:
            return undecided("The run was cut short, before the dead letters were read.", examined=examined, of=of)
        if len(hidden):
            says = f"{counted(len(hidden), 'job')} of {examined:,} that were given up left no trace."
            return failed(says, examined=examined, of=of, jobs=hidden, hidden=len(hidden))
        says = f"{counted(examined, 'job')} given up, each to be found among the dead letters."
        return passed(says, examined=examined, of=of, hidden=0)
