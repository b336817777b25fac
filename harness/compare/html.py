"""A comparison as one HTML file: the claims, the figures with their intervals drawn, both runs over time."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from urllib.parse import quote

from harness.compare import page
from harness.compare.claims import Claimed
from harness.compare.comparison import Comparison
from harness.compare.figures import Figure
from harness.compare.text import cells, conclusion, hidden, means, tally, told, word
from harness.report.text import escape, plural

KINDS = {"better": "good", "worse": "bad", "not decided": "open", "too few repeats to tell": "open"}
SIGNS = {"better": "\u2713", "worse": "\u2717", "not decided": "?", "too few repeats to tell": "?"}
WIDEST = 0.6
"""The largest share of A's figure that intervals are drawn to."""
WIDE, HIGH = 1000, 26


def render(comparison: Comparison, charts: str = "", *, shown: tuple[str, str] | None = None, beside: str = "") -> str:
    """The page; `charts` are those of the pair `shown`, and links lead from the folder `beside` the page."""
    body = [
        page.section("claims", "Claims", _claims(comparison.claims)),
        page.section("figures", "Figures", _figures(comparison.figures)),
        page.section("charts", "Over time", _pair(comparison, shown, beside) + charts if charts else ""),
        page.section("settings", "What differs", _settings(comparison)),
        page.section("again", "Compare again", _again(comparison, beside)),
    ]
    kind = "bad" if comparison.regressions else "open" if comparison.undecided else "good"
    title = f"{comparison.scenario} on {comparison.target}"
    return page.render(title=f"Compare: {title}", kind=kind, header=_header(comparison), body="".join(body))


def _header(comparison: Comparison) -> str:
    pairs = plural(comparison.pairs, "pair")
    warnings = "".join(f'<p class="warn"><b>Warning</b> {escape(one)}</p>' for one in comparison.warnings)
    return (
        f"<h1>{escape(comparison.scenario)} <small>on {escape(comparison.target)}, {pairs} of runs</small></h1>"
        f'<p class="says">{escape(conclusion(comparison))}</p>'
        f'<dl class="sides"><dt class="a">A</dt><dd>{escape(comparison.a)}</dd><dt class="b">B</dt>'
        f"<dd>{escape(comparison.b)}</dd></dl>{warnings}"
    )


def _claims(claims: Sequence[Claimed]) -> str:
    rows = "".join(_claim(claim) for claim in sorted(filter(told, claims), key=lambda one: one.word != "worse"))
    head = "<th>Invariant</th><th>A</th><th>B</th><th></th><th>What B says</th>"
    table = f'<table class="stack"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>' if rows else ""
    same = ", ".join(f"{claim.invariant} ({tally(claim.b).partition(' ')[2]})" for claim in claims if not told(claim))
    rest = f'<p class="small quiet">The same in every run of A and B: {escape(same)}.</p>' if same else ""
    return table + rest or "<p>No invariant was checked in both.</p>"


def _claim(claim: Claimed) -> str:
    return (
        f'<tr><td><code>{escape(claim.invariant)}</code></td><td data-label="A">{tally(claim.a)}</td>'
        f'<td data-label="B">{tally(claim.b)}</td><td>{_word(claim.word, claim.word)}</td>'
        f"<td>{escape(claim.says)}</td></tr>"
    )


def _word(kind: str, text: str) -> str:
    sign = f'<span aria-hidden="true">{SIGNS[kind]}</span> ' if kind in SIGNS else ""
    return f'<span class="word {KINDS.get(kind, "")}">{sign}{escape(text)}</span>'


def _figures(figures: Sequence[Figure]) -> str:
    if not figures:
        return "<p>No pair of runs was as planned, so nothing was measured.</p>"
    widest = _widest(figures)
    rows = "".join(_figure(figure, widest) for figure in figures)
    head = "".join(f"<th>{name}</th>" for name in ("Measurement", "A", "B", "Difference of B", "", ""))
    head = head.replace("<th></th>", f"<th>From -{widest:.0%} to +{widest:.0%} of A, with its interval</th>", 1)
    note = "".join(f'<p class="small quiet">{escape(line)}</p>' for line in hidden(figures))
    return f'<table class="stack"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{note}'


def _widest(figures: Sequence[Figure]) -> float:
    ends = [
        abs(end / figure.a)
        for figure in figures
        if figure.a
        for end in (figure.difference, *((figure.interval.low, figure.interval.high) if figure.interval else ()))
    ]
    return float(min(WIDEST, max([0.05, *ends]) * 1.05))


def _figure(figure: Figure, widest: float) -> str:
    name, a, b, difference, between, _ = cells(figure)
    return (
        f'<tr><td><code>{name}</code><div class="small quiet">{escape(means(name))}</div></td>'
        f'<td class="num" data-label="A">{a}</td><td class="num" data-label="B">{b}</td>'
        f'<td class="num" data-label="Difference">{difference}</td>'
        f'<td class="span {KINDS.get(figure.word, "")}">{_drawn(figure, widest)}'
        f'<div class="ends">{f"between {between}" if between else "no interval yet"}</div></td>'
        f"<td>{_word(figure.word, word(figure))}</td></tr>"
    )


def _drawn(figure: Figure, widest: float) -> str:
    """The interval on a scale that all figures share; an arrow where it goes on."""
    if not figure.a:
        return ""
    low, high = (figure.interval.low, figure.interval.high) if figure.interval else (figure.difference,) * 2
    start, end, middle = (_at(value / figure.a, widest) for value in (low, high, figure.difference))
    arrows = "m8 -5l-8 5l8 5" if low / figure.a < -widest else ""
    back = "m-8 -5l8 5l-8 5" if high / figure.a > widest else ""
    said = f"{figure.name}: {low / figure.a:+.1%} to {high / figure.a:+.1%} of A"
    return (
        f'<svg viewBox="0 0 {WIDE} {HIGH}" preserveAspectRatio="none" role="img" aria-label="{said}">'
        f'<path class="zero" d="M{WIDE // 2} 0V{HIGH}"/>'
        f'<path class="bar" fill="none" d="M{start:.1f} 13{arrows}M{start:.1f} 13H{end:.1f}{back}"/>'
        f'<path class="mean" d="M{middle:.1f} 5V21"/></svg>'
    )


def _at(share: float, widest: float) -> float:
    return WIDE / 2 * (1 + max(-1.0, min(1.0, share / widest)))


def _pair(comparison: Comparison, shown: tuple[str, str] | None, beside: str) -> str:
    if shown is None:
        return ""
    number = comparison.runs.index(shown) + 1
    links = " and ".join(
        f'<a href="{quote(_report(folder, beside))}">the report of {side}</a>'
        for side, folder in zip("AB", shown, strict=True)
    )
    return f'<p class="small">Pair {number} of {comparison.pairs}, the most typical one: {links}.</p>'


def _report(folder: str, beside: str) -> str:
    return os.path.join(os.path.relpath(folder, beside or "."), "report.html")


def _settings(comparison: Comparison) -> str:
    rows = "".join(
        f'<tr><td><code>{escape(one.name)}</code></td><td data-label="A"><code>{escape(one.a) or "&ndash;"}</code></td>'
        f'<td data-label="B"><code>{escape(one.b) or "&ndash;"}</code></td></tr>'
        for one in comparison.settings
    )
    head = "<thead><tr><th>Setting</th><th>A</th><th>B</th></tr></thead>"
    table = f'<table class="stack">{head}<tbody>{rows}</tbody></table>'
    return table if rows else "<p>The configurations are the same.</p>"


def _again(comparison: Comparison, beside: str) -> str:
    return "".join(page.command(line) for line in _commands(comparison, beside))


def _commands(comparison: Comparison, beside: str) -> Iterator[str]:
    yield comparison.command
    every = zip(*comparison.runs, strict=True)
    sides = [os.path.commonpath([os.path.dirname(folder) for folder in folders]) for folders in every]
    if beside and sides[0] != sides[1]:
        yield f"harness compare {sides[0]} {sides[1]}        # the same runs, read again"
