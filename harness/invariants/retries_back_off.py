"""Retries wait longer each time."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import msgspec

from harness.invariants._wording import counted
from harness.verdict import Finding, failed, passed, undecided

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from harness.history.history import History
    from harness.invariants._repeats import Retries


class RetriesBackOff(msgspec.Struct, frozen=True):
    """Later retries of a job wait longer than early ones.

    Usually broken by a fixed retry delay, or by none: a provider that is down is asked again and again at the full
    rate, and the queue's attempts are used up before it is back. Let the delay grow, with a cap below the lease.
    `docs/retries-are-spread.md` says how it is measured. A run that follows a death is no retry.
    """

    needs: ClassVar[tuple[str, ...]] = ("attempts",)

    def check(self, history: History) -> Finding:
        from harness.invariants._repeats import awaited, queued, retries
        from harness.invariants._waves import backs_off

        found = history.once(retries)
        waits = queued(history, found.started_at)
        judged = backs_off(found.job, found.attempt, found.failed_at, found.started_at, waits)
        measured = {"retries": len(found.job), "early_s": round(judged.early, 3), "late_s": round(judged.late, 3)}
        delays = f"early retries waited {judged.early:.2g} s on average, late ones {judged.late:.2g} s"
        if judged.verdict in ("too_few", "unclear"):
            says = (
                f"{len(found.job):,} retries do not tell whether their delays grow "
                f"({judged.verdict.replace('_', ' ')})."
            )
            return undecided(says, examined=judged.retries, of="retries", **measured)
        if judged.verdict == "backs_off":
            return passed(f"Delays grow: {delays}.", examined=judged.retries, of="retries", **measured)
        if waiting := awaited(history):
            says = (
                f"Delays do not grow: {delays}; but the run was cut short with {counted(waiting, 'job')} to be retried."
            )
            return undecided(says, examined=judged.retries, of="retries", **measured)
        says = f"Delays do not grow: {delays}."
        return failed(says, examined=judged.retries, of="retries", jobs=_soonest(found), **measured)


def _soonest(found: Retries) -> NDArray[np.int32]:
    """The jobs whose last retry that was judged waited least."""
    import numpy as np

    from harness.invariants._waves import FEWEST

    last = np.flatnonzero(np.bincount(found.attempt) >= FEWEST).max()
    at = np.flatnonzero(found.attempt == last)
    waited = (found.started_at - found.failed_at)[at]
    return found.job[at[np.argsort(waited, kind="stable")]][:10]
