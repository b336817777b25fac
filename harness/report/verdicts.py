"""The verdicts of a report: what did not hold with all that is known of it, and a table of what did."""

from __future__ import annotations

from collections.abc import Mapping

from harness.check import ALWAYS
from harness.history.history import History
from harness.report import strip
from harness.report.advice import advice
from harness.report.lanes import strip as strip_of
from harness.report.text import SYMBOLS, clip, escape, number, plural
from harness.result import Result
from harness.verdict import WORST, Value, Verdict, Witness

FIRST_MOMENTS, LAST_MOMENTS = 40, 20
LONGEST = 300
"""Characters of a moment: with these bounds a page of every witness of every invariant stays under 5 MB."""


def badge(value: Value) -> str:
    """The value as a word with its symbol: colour only adds to it."""
    return (
        f'<span class="badge {value.split()[0].lower()}"><span aria-hidden="true">{SYMBOLS[value]}</span> '
        f"{value}</span>"
    )


def render(result: Result, history: History) -> str:
    """Every verdict, worst first: those that ask for something to be done at length, the others in a table."""
    if not result.verdicts:
        return '<p class="none">No invariant was checked, so nothing is known.</p>'
    ordered = sorted(result.verdicts, key=lambda verdict: (WORST.index(verdict.value), not _of_the_run(verdict)))
    troubles = [verdict for verdict in ordered if verdict.value in ("FAIL", "INCONCLUSIVE")]
    told = "".join(_trouble(verdict, history) for verdict in troubles)
    return told + _table([verdict for verdict in ordered if verdict not in troubles], headed=bool(troubles))


def _of_the_run(verdict: Verdict) -> bool:
    """Whether it says that something was wrong with the run itself, which leaves other claims undecided."""
    return verdict.value == "INCONCLUSIVE" and verdict.invariant in ALWAYS


def _trouble(verdict: Verdict, history: History) -> str:
    facts = {
        "Expected": escape(verdict.claim),
        "Observed": f"<strong>{escape(verdict.says)}</strong>",
        "Examined": _examined(verdict),
        "Measured": _pairs(verdict.measured),
    }
    rows = "".join(f"<div><dt>{name}</dt><dd>{text}</dd></div>" for name, text in facts.items() if text)
    folded = verdict.value == "INCONCLUSIVE" and not _of_the_run(verdict)
    told = advice(verdict.usually, verdict.here, folded=folded)
    return (
        f'<article class="verdict {verdict.value.lower()}"><h3>{badge(verdict.value)} '
        f'<code>{escape(verdict.invariant)}</code></h3><dl class="judged">{rows}</dl>{told}'
        f"{_witnesses(verdict, history)}</article>"
    )


def _examined(verdict: Verdict) -> str:
    violations = f', <b class="bad">{plural(verdict.violations, "violation")}</b>' if verdict.violations else ""
    return f"{verdict.examined:,} {escape(verdict.of)}{violations}"


def _pairs(measured: Mapping[str, float]) -> str:
    pairs = (
        f"<span>{escape(name.replace('_', ' '))}&nbsp;<b>{number(value)}</b></span>" for name, value in measured.items()
    )
    return f'<span class="pairs">{" ".join(pairs)}</span>' if measured else ""


def _table(verdicts: list[Verdict], *, headed: bool) -> str:
    if not verdicts:
        return ""
    heading = "<h3>The other invariants</h3>" if headed else ""
    return (
        f'{heading}<table class="verdicts"><thead><tr><th>Verdict</th><th>Invariant, and what it expects</th>'
        "<th>Observed</th><th>Examined</th><th>Measured</th></tr></thead>"
        f"<tbody>{''.join(map(_row, verdicts))}</tbody></table>"
    )


def _row(verdict: Verdict) -> str:
    return (
        f'<tr><td>{badge(verdict.value)}</td><td data-label="Invariant"><code>{escape(verdict.invariant)}</code><p '
        f'class="claim">{escape(verdict.claim)}</p></td><td data-label="Observed">{escape(verdict.says)}</td>'
        f'<td data-label="Examined">{_examined(verdict)}</td><td data-label="Measured">{_pairs(verdict.measured)}</td>'
        "</tr>"
    )


def _witnesses(verdict: Verdict, history: History) -> str:
    if not verdict.witnesses:
        return ""
    shown, all_of_them = len(verdict.witnesses), max(verdict.violations, len(verdict.witnesses))
    count = f"{shown}" if shown == all_of_them else f"{shown} of {all_of_them:,}"
    told = "".join(_witness(witness, history, first=n == 0) for n, witness in enumerate(verdict.witnesses))
    rest = f'<p class="more">and {plural(all_of_them - shown, "more job")}</p>' if shown < all_of_them else ""
    return f'<h4 class="sub">Witnesses: {count}</h4>{told}{rest}'


def _witness(witness: Witness, history: History, *, first: bool) -> str:
    drawn = strip_of(history, witness.key)
    return (
        f'<section class="witness"><h5>{escape(clip(witness.key, 200))}</h5>{strip.render(drawn) if drawn else ""}'
        f"<details{' open' if first else ''}><summary>All {plural(len(witness.timeline), 'moment')} of it</summary>"
        f'<table class="moments"><thead><tr><th>At</th><th>What happened</th></tr></thead><tbody>'
        f"{_moments(witness)}</tbody></table></details></section>"
    )


def _moments(witness: Witness) -> str:
    """The rows of its timeline; of a very long one, its beginning and its end."""
    rows = [
        f'<tr><td class="num">{moment.at:.3f}&nbsp;s</td><td>{escape(clip(moment.what, LONGEST))}</td></tr>'
        for moment in witness.timeline
    ]
    unseen = len(rows) - FIRST_MOMENTS - LAST_MOMENTS
    if unseen > 0:
        left_out = f'<tr><td></td><td class="more">{plural(unseen, "moment")} left out</td></tr>'
        rows = [*rows[:FIRST_MOMENTS], left_out, *rows[-LAST_MOMENTS:]]
    return "".join(rows)
