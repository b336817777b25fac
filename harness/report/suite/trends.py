"""The trends of a folder of reports: for each kind of run its verdicts and its measurements over time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

from harness.archive.past import MEASURED, VALUES, Past
from harness.report.measured import HEADINGS, written
from harness.report.suite.spark import Dot, spark
from harness.report.text import SYMBOLS, escape

LAST = 30
"""How many runs a trend shows."""


def trends(runs: Iterable[Past], flaky: Collection[str]) -> list[str]:
    """A table's row for each kind of run that was judged at least twice, the kinds in the order of their names."""
    kinds: dict[tuple[str, ...], list[Past]] = defaultdict(list)
    for run in runs:
        if run.value in VALUES:
            kinds[run.kind].append(run)
    return [_row(some[:LAST][::-1], flaky) for _, some in sorted(kinds.items()) if len(some) > 1]


def headings() -> str:
    """The cells of the table's head."""
    named = "".join(f'<th scope="col">{heading}</th>' for heading in HEADINGS.values())
    return f'<th scope="col">Scenario</th><th scope="col">Target</th><th scope="col">Verdicts</th>{named}'


def _row(runs: Sequence[Past], flaky: Collection[str]) -> str:
    first = runs[-1]
    marked = any(run.run in flaky for run in runs)
    return (
        f"<tr{attributes(first, {run.value for run in runs}, marked)}>"
        f'<td data-label="Scenario">{title(first)}</td><td data-label="Target">{target(first)}</td>'
        f'<td data-label="Verdicts">{_verdicts(runs)}{FLAKY if marked else ""}</td>'
        + "".join(_cell(name, runs) for name in MEASURED)
        + "</tr>"
    )


FLAKY = ' <span class="badge flaky" title="Runs that are alike came to different verdicts">\u2248 flaky</span>'


def attributes(run: Past, values: Collection[str], flaky: bool) -> str:
    """What the page's filter looks at."""
    every = sorted(values) + (["flaky"] if flaky else [])
    named = {"scenario": run.scenario, "target": run.target, "verdicts": "|".join(every)}
    return "".join(f' data-{name}="{escape(value)}"' for name, value in named.items())


def title(run: Past, link: str = "") -> str:
    """The scenario with its variant, and what else was changed."""
    name = escape(f"{run.scenario} {run.variant}".strip())
    linked = f'<a href="{escape(link)}">{name}</a>' if link else name
    return f'{linked} <span class="claim">{escape(run.settings)}</span>' if run.settings else linked


def target(run: Past) -> str:
    """The target with its preset."""
    return escape(f"{run.target} ({run.preset})" if run.preset else run.target)


def _verdicts(runs: Sequence[Past]) -> str:
    signs = {str(value): f'<i class="{value.split()[0].lower()}">{sign}</i>' for value, sign in SYMBOLS.items()}
    drawn = "".join(signs[run.value] for run in runs)
    passed = sum(run.value == "PASS" for run in runs)
    said = f"{passed} of the last {len(runs)} runs passed, oldest first"
    return f'<span class="signs" role="img" aria-label="{said}" title="{said}">{drawn}</span>'


def _cell(name: str, runs: Sequence[Past]) -> str:
    dots = [Dot(run.measured[name], run.fingerprint, run.value != "PASS") for run in runs if name in run.measured]
    last = written(name, dots[-1].value) if dots else ""
    return f'<td class="trend" data-label="{HEADINGS[name]}"><b>{last}</b>{spark(name, dots)}</td>'
