"""Redis is set as a queue needs it, and throws nothing away."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from harness.history.events import Config
from harness.invariants._wording import counted, listed
from harness.verdict import Finding, failed, passed, undecided

if TYPE_CHECKING:
    from harness.history.history import History


class RedisIsSafe(msgspec.Struct, frozen=True):
    """Redis, as it is really set, refuses writes when memory is short, keeps its data on disk, and evicts no key.

    It reads the live configuration, as a worker should when it starts. Usually broken by a Redis that serves as a
    cache too, with `allkeys-lru` or another policy that evicts: jobs, locks and records of what was done are keys like
    any other; or by one that keeps its data in memory only. Give the queue a Redis of its own with
    `maxmemory-policy noeviction` and `appendonly yes` (`appendfsync everysec` may lose its last second, `always`
    nothing), and watch its memory.
    """

    needs: ClassVar[tuple[str, ...]] = ()
    seen: ClassVar[bool] = True

    def check(self, history: History) -> Finding:
        settings = [note.settings for note in history.of(Config) if note.server == "redis"]
        tested = _tested(history)
        examined, of = len(settings) + len(tested), "configurations and shortages of memory"
        evicted = sum(int(one["evicted"]) for one in tested)
        wrong = list(dict.fromkeys(problem for one in settings for problem in _problems(one)))
        if evicted:
            policies = listed(sorted({str(one["policy"]) for one in tested if one["evicted"]}))
            wrong.append(f"it was short of memory and evicted {counted(evicted, 'key')} ({policies})")
        if wrong:
            return failed(f"Redis is not safe: {'; '.join(wrong)}.", examined=examined, of=of, evicted=evicted)
        if not examined:
            return undecided("Nothing to judge: the history does not say how Redis is set.", of=of)
        held = [f"Redis has {_found(settings[-1])}"] if settings else []
        held += ["it was out of memory, refused to write and evicted nothing"] if tested else []
        return passed(f"{'; '.join(held)}.", examined=examined, of=of, evicted=0)


def _problems(settings: dict[str, str]) -> list[str]:
    """What is wrong with a configuration, each with what was found."""
    policy, append = settings.get("maxmemory-policy", ""), settings.get("appendonly", "")
    found = [] if policy == "noeviction" else [f"maxmemory-policy is {policy or 'not said'}, which evicts"]
    if append != "yes":
        saved = settings.get("save", "")
        found.append(f"appendonly is {append or 'not said'} and save is {saved or 'empty'}: a restart loses jobs")
    return found


def _found(settings: dict[str, str]) -> str:
    """What was read, as `name value`."""
    shown = ("maxmemory-policy", "appendonly", "appendfsync")
    return ", ".join(f"{name} {settings[name]}" for name in shown if name in settings)


def _tested(history: History) -> list[dict[str, Any]]:
    """What each fault that took memory away has seen."""
    return [note.evidence for note in history.faults if note.state == "injected" and "evicted" in note.evidence]
