"""No job is tried without end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, ClassVar

import msgspec

from harness.invariants._wording import counted
from harness.verdict import Finding, failed, passed

if TYPE_CHECKING:
    from harness.history.history import History


class AttemptsAreBounded(msgspec.Struct, frozen=True, kw_only=True):
    """No job runs more than `most` times.

    Usually broken by a job that kills its worker: the queue counts failures, not deaths, so the job is handed out
    for ever and takes one worker after another with it. Count deliveries, and move a job that has had too many where
    a person will see it.
    """

    most: Annotated[int, "the most runs that one job may have: tries, retries and redeliveries together"]

    needs: ClassVar[tuple[str, ...]] = ("attempts",)
    seen: ClassVar[bool] = True

    def problems(self) -> Iterator[str]:
        if self.most < 1:
            yield f"most must be at least 1, got {self.most}"

    def check(self, history: History) -> Finding:
        import numpy as np

        from harness.history import columns as c

        tries = history.count(c.START)
        examined, most = int(np.count_nonzero(tries)), int(tries.max(initial=0))
        over = np.flatnonzero(tries > self.most)
        if not len(over):
            says = f"{counted(examined, 'job')} ran, none more than {counted(most, 'time')}."
            return passed(says, examined=examined, of="jobs that ran", most=most)
        worst = over[np.argsort(-tries[over], kind="stable")]
        says = f"{counted(len(over), 'job')} ran more than {counted(self.most, 'time')}; the worst {most:,} times."
        return failed(says, examined=examined, of="jobs that ran", jobs=worst, most=most)
