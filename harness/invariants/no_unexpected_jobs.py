"""Nothing runs that was never asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import msgspec

from harness.invariants._wording import counted
from harness.verdict import Finding, failed, passed

if TYPE_CHECKING:
    from harness.history.history import History


class NoUnexpectedJobs(msgspec.Struct, frozen=True):
    """No job starts or has a side effect that was never offered.

    Usually broken by a queue that was not empty when the run began, by two runs that share a server, or by a key
    that was damaged on its way. Give the run a queue of its own.
    """

    needs: ClassVar[tuple[str, ...]] = ()

    def check(self, history: History) -> Finding:
        import numpy as np

        from harness.history import columns as c

        seen = np.zeros(history.jobs, bool)
        seen[history.rows(c.START).job] = True
        seen[history.rows(c.EFFECT).job] = True
        examined = int(seen.sum())
        strange = np.flatnonzero(seen & ~history.offered)
        if not len(strange):
            says = f"{counted(examined, 'job')} ran or had a side effect, all of them offered."
            return passed(says, examined=examined, of="jobs that ran", unexpected=0)
        says = f"{counted(len(strange), 'job')} ran or had a side effect, and had never been offered."
        return failed(says, examined=examined, of="jobs that ran", jobs=strange, unexpected=len(strange))
