"""A comparison as Markdown, for a pull request."""

from __future__ import annotations

from collections.abc import Iterator

from harness.compare.comparison import Comparison
from harness.compare.text import HEAD, cells, conclusion, hidden, tally, told
from harness.report.suite.markdown import plain
from harness.report.text import plural

SIGNS = {"worse": "\u274c ", "better": "\u2705 "}


def render(comparison: Comparison) -> str:
    """What it comes to, the claims that changed, the figures."""
    title = f"{comparison.scenario} on {comparison.target}, {plural(comparison.pairs, 'pair')} of runs"
    lines = [f"## harness compare: {plain(title)}", "", f"**{plain(conclusion(comparison))}**", ""]
    lines += [f"- A: {plain(comparison.a)}", f"- B: {plain(comparison.b)}"]
    lines += [f"- \u26a0\ufe0f {plain(warning)}" for warning in comparison.warnings]
    return "\n".join([*lines, "", *_claims(comparison), *_figures(comparison)]).rstrip() + "\n"


def _claims(comparison: Comparison) -> Iterator[str]:
    shown = [claim for claim in comparison.claims if told(claim)]
    if same := len(comparison.claims) - len(shown):
        yield f"{plural(same, 'invariant')} the same in every run of A and B.\n"
    if shown:
        yield from (_row("invariant", "A", "B", "", "B says"), _row(*["---"] * 5))
    for claim in shown:
        word = f"{SIGNS.get(claim.word, '')}{claim.word}"
        yield _row(plain(claim.invariant), tally(claim.a), tally(claim.b), word, plain(claim.says))
    yield ""


def _figures(comparison: Comparison) -> Iterator[str]:
    yield from (_row(*HEAD), _row(*["---"] * len(HEAD)))
    for figure in comparison.figures:
        *others, word = cells(figure)
        yield _row(*map(plain, others), SIGNS.get(figure.word, "") + plain(word))
    yield from (f"\n{plain(line)}" for line in hidden(comparison.figures))


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"
