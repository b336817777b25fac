"""The end of a run on a terminal: the verdict, its reason, the witnesses, and what to do next."""

from __future__ import annotations

import os
import shlex
import textwrap
from collections.abc import Iterator

from harness.report.text import clip, lasting, plural, visible
from harness.result import Result
from harness.verdict import Moment, Value, Verdict, Witness

WIDTH = 96
WITNESSES = 2
MOMENTS = 14

_COLOURS: dict[Value, str] = {"PASS": "32", "FAIL": "31", "INCONCLUSIVE": "33", "NOT APPLICABLE": "2"}
_SHORT: dict[Value, str] = {"PASS": "pass", "FAIL": "FAIL", "INCONCLUSIVE": "INCONCLUSIVE", "NOT APPLICABLE": "n/a"}


def lines(result: Result, folder: str, colour: bool) -> list[str]:
    """What to print, worst first; no line holds a control character other than the colours asked for."""
    return [*_head(result, colour), *_troubles(result, colour), *_rest(result, colour), *_where(result, folder)]


def _head(result: Result, colour: bool) -> Iterator[str]:
    target = f"{result.target} ({result.preset})" if result.preset else result.target
    what = f"{result.scenario} on {target}, seed {result.seed}, {lasting(result.seconds)}"
    yield f"{_paint(result.value, result.value, colour, bold=True)}  {visible(what)}"
    yield from _wrapped(result.says, "  ")
    for note in result.notes:
        yield from _wrapped(note, "  note: ")


def _troubles(result: Result, colour: bool) -> Iterator[str]:
    for value in ("FAIL", "INCONCLUSIVE"):
        for verdict in result.verdicts:
            if verdict.value == value:
                yield ""
                yield from _trouble(verdict, colour)


def _trouble(verdict: Verdict, colour: bool) -> Iterator[str]:
    yield (
        f"{_paint(_SHORT[verdict.value], verdict.value, colour)}  {visible(verdict.invariant)}  ({_examined(verdict)})"
    )
    yield from _wrapped(verdict.says, "  ")
    for witness in verdict.witnesses[:WITNESSES]:
        yield from _witness(witness)
    unseen = max(verdict.violations, len(verdict.witnesses)) - WITNESSES
    if verdict.witnesses and unseen > 0:
        yield f"    and {plural(unseen, 'more job')}"[:WIDTH]
    yield from _advice(verdict)


def _advice(verdict: Verdict) -> Iterator[str]:
    """What usually breaks a claim that failed: in this system where that is known, else in general."""
    if verdict.value == "FAIL" and (verdict.here or verdict.usually):
        where = "in this system: " if verdict.here else "usually: "
        text = verdict.here or verdict.usually.removeprefix("Usually ")
        yield from textwrap.wrap(
            visible(where + text), WIDTH, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False
        )


def _witness(witness: Witness) -> Iterator[str]:
    yield f"    {clip(visible(witness.key), WIDTH - 4)}"
    for moment in ends(witness.timeline):
        yield f"    {moment.at:10.3f} s  {clip(visible(moment.what), WIDTH - 18)}" if moment else f"    {'...':>12}"


def ends(timeline: tuple[Moment, ...]) -> list[Moment | None]:
    """A long timeline's beginning and end: the middle is in the report."""
    if len(timeline) <= MOMENTS:
        return list(timeline)
    half = MOMENTS // 2
    return [*timeline[:half], None, *timeline[-half:]]


def _rest(result: Result, colour: bool) -> Iterator[str]:
    rest = [verdict for value in ("PASS", "NOT APPLICABLE") for verdict in result.verdicts if verdict.value == value]
    if rest:
        yield ""
    name = max((len(verdict.invariant) for verdict in rest), default=0)
    for verdict in rest:
        word = _paint(f"{_SHORT[verdict.value]:4}", verdict.value, colour)
        yield f"{word}  {visible(verdict.invariant):{name}}  {_compact(verdict, WIDTH - name - 8)}"


def _compact(verdict: Verdict, room: int) -> str:
    says = visible(verdict.says)
    return says if len(says) <= room else says[: room - 1] + "\u2026"


def _where(result: Result, folder: str) -> Iterator[str]:
    yield ""
    yield f"report  {visible(os.path.join(folder, 'report.html'))}"
    yield f"open    {visible(_opening(folder))}"
    if result.command:
        yield f"again   {visible(result.command)}"


def _opening(folder: str) -> str:
    """The command that opens the report; the newest of the usual folder needs no name."""
    usual = os.path.dirname(folder) == "reports"
    return "harness open" if usual else shlex.join(["harness", "open", folder])


def _examined(verdict: Verdict) -> str:
    """What is counted as a violation is a job; what was examined may be something else, a shutdown or a fault."""
    examined = f"{verdict.examined:,} {visible(verdict.of)} examined"
    if not verdict.violations:
        return examined
    jobs_were_examined = "jobs" in verdict.of.split()
    return f"{verdict.violations:,} of {examined}" if jobs_were_examined else f"{examined}, {_concerned(verdict)}"


def _concerned(verdict: Verdict) -> str:
    return f"{plural(verdict.violations, 'job')} concerned"


def _wrapped(text: str, indent: str) -> list[str]:
    return textwrap.wrap(
        visible(text), WIDTH, initial_indent=indent, subsequent_indent=" " * len(indent), break_on_hyphens=False
    )


def _paint(text: str, value: Value, colour: bool, *, bold: bool = False) -> str:
    return f"\x1b[{'1;' if bold else ''}{_COLOURS[value]}m{text}\x1b[0m" if colour else text
