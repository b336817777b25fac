"""Retries do not multiply the load on a provider that is in trouble."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, ClassVar

import msgspec

from harness.invariants._calls import busiest, calls, offered_rate
from harness.invariants._wording import counted
from harness.verdict import Finding, failed, passed, undecided

if TYPE_CHECKING:
    from harness.history.history import History


class RetryAmplification(msgspec.Struct, frozen=True, kw_only=True):
    """The provider is called no more than so often for each job, and never at more than so many times the offered rate.

    Usually broken by retries that come at once or without a cap: a provider that answers half of its calls is given
    twice the load, and falls. Back off exponentially with jitter and a cap, and bound how much of the traffic may be
    retries.
    """

    calls: Annotated[float, "the most calls for each job, on average"] = 0.0
    peak: Annotated[float, "the most calls in any second, as a multiple of the jobs offered in a second"] = 0.0

    needs: ClassVar[tuple[str, ...]] = ()

    def problems(self) -> Iterator[str]:
        if self.calls <= 0 and self.peak <= 0:
            yield "give `calls` or `peak`, more than 0"

    def check(self, history: History) -> Finding:
        import numpy as np

        made = calls(history)
        each = np.bincount(made.job, minlength=history.jobs)
        jobs, most, base = int(np.count_nonzero(each)), busiest(made.t), offered_rate(history)
        mean, over = len(made.t) / max(jobs, 1), most / base if base else 0.0
        measured = {"calls": round(mean, 3), "peak": round(over, 3), "offered": round(base, 3)}
        told = f"{counted(len(made.t), 'call')} for {counted(jobs, 'job')}: {mean:.3g} each, at most {most} in a second"
        told += f" where {base:.3g} jobs a second were offered"
        examined, of = len(made.t), "calls of the provider"
        if not ((self.calls and mean > self.calls) or (self.peak and over > self.peak)):
            return passed(f"{told}.", examined=examined, of=of, **measured)
        if not history.ended:  # jobs that are offered later are called for, too
            return undecided(f"The run was cut short; {told}.", examined=examined, of=of, **measured)
        often = np.flatnonzero(each > 1)
        worst = often[np.argsort(-each[often], kind="stable")]
        return failed(f"{told}.", examined=examined, of=of, jobs=worst, **measured)
