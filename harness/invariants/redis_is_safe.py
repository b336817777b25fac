"""Redis throws nothing away."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from harness.invariants._wording import counted, listed
from harness.verdict import Finding, failed, passed, undecided

if TYPE_CHECKING:
    from harness.history.history import History


class RedisIsSafe(msgspec.Struct, frozen=True):
    """A Redis that is out of memory refuses writes, and evicts no key.

    Usually broken by a Redis that serves as a cache too, with `allkeys-lru` or another policy that evicts: jobs, locks
    and records of what was done are keys like any other. Give the queue a Redis of its own with `noeviction`, and
    watch its memory.
    """

    needs: ClassVar[tuple[str, ...]] = ()
    seen: ClassVar[bool] = True

    def check(self, history: History) -> Finding:
        tested = _tested(history)
        if not tested:
            return undecided("Nothing to judge: Redis was never short of memory.", of="shortages of memory")
        evicted = sum(int(one["evicted"]) for one in tested)
        if not evicted:
            says = "Redis was out of memory, refused to write and evicted nothing."
            return passed(says, examined=len(tested), of="shortages of memory", evicted=0)
        policies = listed(sorted({str(one["policy"]) for one in tested}))
        says = f"Redis was short of memory and evicted {counted(evicted, 'key')} ({policies})."
        return failed(says, examined=len(tested), of="shortages of memory", evicted=evicted)


def _tested(history: History) -> list[dict[str, Any]]:
    """What each fault that took memory away has seen."""
    return [note.evidence for note in history.faults if note.state == "injected" and "evicted" in note.evidence]
