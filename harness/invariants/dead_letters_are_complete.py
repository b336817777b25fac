"""A dead letter says all that is needed to understand it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import msgspec

from harness.history.events import Letter
from harness.invariants._wording import counted, listed
from harness.verdict import Finding, failed, passed

if TYPE_CHECKING:
    from harness.history.history import History


SLACK = 2.0
"""Seconds by which a clock of the job system may be rounded."""


class DeadLettersAreComplete(msgspec.Struct, frozen=True):
    """Every dead letter has the job's key and payload, how often it was tried, its error, and when it died.

    Usually broken by a dead-letter queue that was built by hand and holds only ids, or by errors that are wrapped and
    lose their class on the way. Keep the payload as it was enqueued, the number of attempts, the class and text of
    the last error and the time of death with every letter.
    """

    needs: ClassVar[tuple[str, ...]] = ("letters",)

    def check(self, history: History) -> Finding:
        letters, of = history.of(Letter), "dead letters"
        lacking = [(letter.key, parts) for letter in letters if (parts := _lacking(letter, history))]
        if lacking:
            which = listed(sorted({part for _, parts in lacking for part in parts}), most=6)
            says = f"{counted(len(lacking), 'dead letter')} of {len(letters):,} lack what is needed: {which}."
            jobs = dict.fromkeys(history.job_of[key] for key, _ in lacking if key in history.job_of)
            return failed(says, examined=len(letters), of=of, jobs=jobs, incomplete=len(lacking))
        says = f"{counted(len(letters), 'dead letter')}, each with key, payload, attempts, error and time."
        return passed(says, examined=len(letters), of=of, incomplete=0)


def _lacking(letter: Letter, history: History) -> list[str]:
    """What a letter does not say, or says wrongly."""
    since, until = history.begins / 1e9 - SLACK, history.ends / 1e9 + SLACK
    known = {
        "payload": letter.payload is not None and letter.payload.get("key") == letter.key,
        "attempts": letter.attempts is not None and letter.attempts >= 1,
        "error": bool(letter.error),
        "message": bool(letter.message),
        "time": letter.died is not None and since <= letter.died <= until,
    }
    return [name for name, there in known.items() if not there]
