"""A comparison on a terminal: what became of the claims, then a line for each figure, then what it comes to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from harness.compare.claims import Claimed
from harness.compare.comparison import Comparison
from harness.compare.figures import Figure
from harness.measurements import BY_NAME
from harness.report.text import clip, lasting, number, plural, visible
from harness.verdict import WORST, Value

HEAD = ("measurement", "A", "B", "difference", "between", "")
COLOURS = {"worse": "31", "better": "32", "not decided": "33"}
LONGEST = 100


def lines(comparison: Comparison, colour: bool) -> list[str]:
    """What to print; no line holds a control character other than the colours asked for."""
    return [
        *_head(comparison),
        *_claims(comparison.claims, colour),
        "",
        *_table([HEAD, *map(cells, comparison.figures)], colour),
        *hidden(comparison.figures),
        "",
        visible(conclusion(comparison)),
    ]


def hidden(figures: Sequence[Figure]) -> list[str]:
    """Which figures scatter so much that a change by a fifth need not show, and what would show it."""
    loose = [figure for figure in figures if figure.enough and figure.word == "no difference shown"]
    told = ", ".join(f"{figure.name} (about {figure.enough} pairs would)" for figure in loose)
    return [f"a change by a fifth may not show, such is the scatter: {told}"] if told else []


def _head(comparison: Comparison) -> Iterator[str]:
    pairs = plural(comparison.pairs, "pair")
    yield visible(f"{comparison.scenario} on {comparison.target}, {pairs} of runs")
    yield f"  A  {clip(visible(comparison.a), LONGEST)}"
    yield f"  B  {clip(visible(comparison.b), LONGEST)}"
    yield from (f"  warning: {visible(warning)}" for warning in comparison.warnings)


def _claims(claims: Sequence[Claimed], colour: bool) -> Iterator[str]:
    yield ""
    for claim in (claim for claim in claims if told(claim)):
        yield f"{painted(claim.word, colour)}  {visible(claim.invariant)}  A {tally(claim.a)}, B {tally(claim.b)}"
        if claim.says:
            yield f"  {clip(visible(claim.says), LONGEST)}"
    if same := sum(not told(claim) for claim in claims):
        yield f"{plural(same, 'invariant')} the same in every run of A and B"


def told(claim: Claimed) -> bool:
    """Whether there is anything to say of it."""
    return claim.word != "no difference shown" or len(claim.a) > 1 or claim.a.keys() != claim.b.keys()


def tally(counts: Mapping[Value, int]) -> str:
    """`9 PASS, 1 FAIL`."""
    return ", ".join(f"{counts[value]} {value}" for value in reversed(WORST) if value in counts)


def cells(figure: Figure) -> tuple[str, ...]:
    """A row: the name, A's mean and B's, the difference, the interval, the word."""
    share = f" ({figure.share:+.1%})" if figure.share is not None and figure.difference else ""
    found = figure.interval
    between = f"{signed(figure.unit, found.low)} and {signed(figure.unit, found.high)}" if found else ""
    a, b = amount(figure.unit, figure.a), amount(figure.unit, figure.b)
    return figure.name, a, b, signed(figure.unit, figure.difference) + share, between, word(figure)


def word(figure: Figure) -> str:
    """The figure's word, with what it depends on."""
    if figure.word == "too few repeats to tell":
        return f"{figure.word} ({figure.pairs} of {figure.needed})"
    return f"{figure.word} beyond {figure.allowed}" if figure.allowed else figure.word


def means(name: str) -> str:
    """What a measurement means, by itself: `the same` is said of the one above it."""
    return BY_NAME[name].about.replace("the same", BY_NAME["latency.p50"].about)


def amount(unit: str, value: float) -> str:
    """`20.1/s`, `45 ms`, `64 MB`, `1.02`."""
    if unit == "duration":
        return lasting(value)
    if unit == "size":
        return f"{value / 1024**2:.1f} MB"
    return f"{number(round(value, 6))}{'/s' if unit == 'rate' else ''}"


def signed(unit: str, value: float) -> str:
    """The same of a difference, with its sign."""
    return f"{'-' if value < 0 else '+' if value > 0 else ''}{amount(unit, abs(value))}"


def conclusion(comparison: Comparison) -> str:
    """What it comes to, in one line."""
    if comparison.regressions:
        return f"REGRESSION: {', '.join(comparison.regressions)}"
    if comparison.undecided:
        return f"NOT DECIDED: {', '.join(comparison.undecided)}"
    figures = comparison.figures
    if figures and all(figure.word == "too few repeats to tell" for figure in figures):
        needed = max(figure.needed for figure in figures)
        return f"no regression of a claim; figures need {needed} pairs of runs (--repeat), or fewer of them (--measure)"
    better = [figure.name for figure in figures if figure.word == "better"]
    return f"no regression shown; better: {', '.join(better)}" if better else "no regression shown"


def _table(rows: Sequence[Sequence[str]], colour: bool) -> Iterator[str]:
    widths = [max(len(row[n]) for row in rows) for n in range(len(HEAD))]
    for row in rows:
        *others, last = (f"{cell:{width}}" for cell, width in zip(row, widths, strict=True))
        yield f"{'  '.join(others)}  {painted(last.rstrip(), colour)}".rstrip()


def painted(text: str, colour: bool) -> str:
    """The word in its colour."""
    code = next((code for word, code in COLOURS.items() if text.startswith(word)), "")
    return f"\x1b[{code}m{text}\x1b[0m" if colour and code else text
