"""History -> verdicts: asks every invariant, and lets none pass that examined nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Protocol

from harness.history.history import History
from harness.timeline import witness
from harness.variants import about, name_of, usually, variant
from harness.verdict import Finding, Verdict, undecided

ALWAYS = ("history_is_readable", "load_was_offered", "faults_took_effect", "faults_healed", "no_unexpected_jobs")
"""Checked in every run, whatever the scenario says."""

WITNESSES = 5


class Invariant(Protocol):
    """A claim about a history.

    One whose violations are seen themselves, and not inferred from something that is missing, has `seen = True`:
    lines that cannot be read do not put them in doubt.
    """

    needs: ClassVar[tuple[str, ...]]

    def check(self, history: History) -> Finding:
        """What the history says of the claim. Pure: the same history gives the same finding."""


def check(
    history: History,
    invariants: Iterable[Invariant],
    *,
    reports: frozenset[str],
    hints: Mapping[str, str] | None = None,
) -> tuple[Verdict, ...]:
    """The verdict of each invariant and of those always checked; `reports` is what the target tells of itself, `hints`
    what usually breaks an invariant in it."""
    asked = list(invariants)
    named = {name_of(invariant) for invariant in asked}
    standing: list[Any] = [variant("invariants", name)() for name in ALWAYS if name not in named]
    return tuple(_verdict(history, invariant, reports, hints or {}) for invariant in [*asked, *standing])


def _verdict(history: History, invariant: Invariant, reports: frozenset[str], hints: Mapping[str, str]) -> Verdict:
    finding = _sober(_doubted(_find(history, invariant, reports), history, invariant))
    unheld = finding.value in ("FAIL", "INCONCLUSIVE")
    shown = finding.jobs[:WITNESSES] if unheld else ()
    return Verdict(
        invariant=name_of(invariant),
        claim=about(type(invariant)),
        value=finding.value,
        says=finding.says,
        examined=finding.examined,
        of=finding.of,
        violations=len(finding.jobs) if finding.value == "FAIL" else 0,
        witnesses=tuple(witness(history, job) for job in shown),
        measured={name: _plain(value) for name, value in finding.measured.items()},
        usually=usually(type(invariant)) if unheld else "",
        here=hints.get(name_of(invariant), "") if unheld else "",
    )


def _plain(value: Any) -> float:
    """A number as JSON has it; array operations give numbers of their own kind."""
    number: float = value.item() if hasattr(value, "item") else value
    return number


def _find(history: History, invariant: Invariant, reports: frozenset[str]) -> Finding:
    lacking = [need for need in invariant.needs if need not in reports]
    if lacking:
        return Finding(
            value="NOT APPLICABLE", says=f"The target does not report {' and '.join(lacking)}.", examined=0, of="events"
        )
    try:
        return invariant.check(history)
    except Exception as error:
        return undecided(f"The check itself failed: {type(error).__name__}: {error}", of="events")


def _doubted(finding: Finding, history: History, invariant: Invariant) -> Finding:
    """What cannot be read may be the very event that seems to be missing."""
    lines = len(history.columns.unreadable)
    if finding.value != "FAIL" or not lines or getattr(invariant, "seen", False):
        return finding
    return undecided(
        f"{lines:,} line{'' if lines == 1 else 's'} of the history could not be read; without them: {finding.says}",
        examined=finding.examined,
        of=finding.of,
        jobs=finding.jobs,
        **finding.measured,
    )


def _sober(finding: Finding) -> Finding:
    """A claim about nothing holds always and proves nothing."""
    if finding.value != "PASS" or finding.examined:
        return finding
    return Finding(
        value="INCONCLUSIVE",
        says=f"Examined nothing: there were no {finding.of}.",
        examined=0,
        of=finding.of,
        measured=finding.measured,
    )
