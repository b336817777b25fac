"""No job's side effect happens twice."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import msgspec

from harness.invariants._wording import counted
from harness.verdict import Finding, failed, passed, undecided

if TYPE_CHECKING:
    from harness.history.history import History


class NoDuplicateEffects(msgspec.Struct, frozen=True):
    """No job has more than one side effect.

    Usually broken by a worker that dies after its side effect and before its acknowledgement: the job is handed out
    again, and the handler does it all again. Every queue that does not lose jobs does this. Make the handler
    idempotent: send an Idempotency-Key that is the same for every attempt, or record the job's key in the
    transaction that does the work; a lock that expires is not enough.
    """

    needs: ClassVar[tuple[str, ...]] = ()
    seen: ClassVar[bool] = True

    def check(self, history: History) -> Finding:
        import numpy as np

        from harness.history import columns as c

        effects = history.count(c.EFFECT)
        examined = int(np.count_nonzero(effects))
        twice = np.flatnonzero(effects > 1)
        if not len(twice) and history.from_outside and not history.at_rest:
            says = (
                "No side effect happened twice; but the drain did not outlast every lease, and a job may yet come back."
            )
            return undecided(says, examined=examined, of="jobs with an effect")
        if not len(twice):
            says = f"{counted(examined, 'job')} had a side effect, each once."
            return passed(says, examined=examined, of="jobs with an effect", duplicated=0, extra=0)
        worst = twice[np.argsort(-effects[twice], kind="stable")]
        extra = int(effects[twice].sum() - len(twice))
        says = (
            f"{counted(len(twice), 'job')} of {examined:,} had a side effect more than once; the worst "
            f"{effects[worst[0]]:,} times."
        )
        return failed(says, examined=examined, of="jobs with an effect", jobs=worst, duplicated=len(twice), extra=extra)
