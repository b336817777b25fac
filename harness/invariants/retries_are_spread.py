"""Retries do not come back all at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import msgspec

from harness.invariants._wording import counted
from harness.verdict import Finding, failed, passed, undecided

if TYPE_CHECKING:
    from harness.history.history import History


class RetriesAreSpread(msgspec.Struct, frozen=True):
    """Jobs that failed together are retried apart from one another.

    Usually broken by a back-off without jitter: everything that failed in an outage comes back at the same moments,
    and takes the provider down again as it recovers. Turn on jitter, best over the whole delay.
    `docs/retries-are-spread.md` says how it is measured. A run that follows a death is no retry.
    """

    needs: ClassVar[tuple[str, ...]] = ("attempts",)

    def check(self, history: History) -> Finding:
        from harness.invariants._repeats import awaited, retries
        from harness.invariants._waves import spread

        found = history.once(retries)
        judged = spread(found.job, found.attempt, found.failed_at, found.started_at)
        measured = {
            "retries": len(found.job),
            "apart": round(judged.apart_busy, 3),
            "needed": judged.threshold,
            "waves": judged.waves,
        }
        if judged.verdict in ("too_few", "unclear") or judged.worst is None:
            says = (
                f"{len(found.job):,} retries do not tell whether they come back together "
                f"({judged.verdict.replace('_', ' ')})."
            )
            return undecided(says, examined=judged.retries, of="retries", **measured)
        if judged.verdict == "spread":
            says = f"{judged.retries:,} retries: {judged.apart_busy:.0%} of neighbours came back apart."
            return passed(says, examined=judged.retries, of="retries", **measured)
        wave = judged.worst
        says = (
            f"{counted(wave.jobs, 'job')} failed together and came back together, {wave.delay:.2g} s later within "
            f"{wave.width:.2g} s; "
            f"only {judged.apart_quiet:.0%} of neighbouring retries were apart"
        )
        if waiting := awaited(history):
            says = f"{says}; but the run was cut short with {counted(waiting, 'job')} to be retried."
            return undecided(says, examined=judged.retries, of="retries", **measured)
        return failed(f"{says}.", examined=judged.retries, of="retries", jobs=wave.witnesses, **measured)
