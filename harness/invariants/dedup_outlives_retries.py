"""The record of what was done lasts until the job can come back no more."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import msgspec

from harness.verdict import Finding, failed, passed, undecided

if TYPE_CHECKING:
    from harness.history.history import History


class DedupOutlivesRetries(msgspec.Struct, frozen=True):
    """The handler's record that a job was done is kept for longer than the job can be delivered again.

    Usually broken by a key with a short time to live, chosen for the handler's duration: the last retry, or the
    redelivery after a long lease, comes when it is gone. Keep the record for longer than lease, sweep and all retries
    together, or for ever: a unique row in the database.
    """

    needs: ClassVar[tuple[str, ...]] = ()

    def check(self, history: History) -> Finding:
        examined, of = int(history.acked.sum()), "acked jobs"
        waits = history.planned.waits if history.planned else None
        if waits is None:
            return undecided("The history does not say what the target's settings come to.", of=of)
        if waits.remembers is None:
            return passed("What was done is not forgotten.", examined=examined, of=of, window_s=waits.window)
        measured = {"remembers_s": waits.remembers, "window_s": waits.window}
        told = f"what was done is remembered for {waits.remembers:g} s, and a job may come back for {waits.window:g} s"
        if waits.remembers <= waits.window:
            return failed(f"Too short: {told}.", examined=examined, of=of, **measured)
        return passed(f"Long enough: {told}.", examined=examined, of=of, **measured)
