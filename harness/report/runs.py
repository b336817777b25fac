"""The runs of a folder of reports on a terminal: a table, newest first."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from harness.archive.past import MEASURED, Past
from harness.report.measured import HEADINGS, written
from harness.report.text import clip, plural, visible

COLOURS = {"PASS": "32", "FAIL": "31", "ERROR": "31", "INCONCLUSIVE": "33", "interrupted": "33", "no result": "33"}
LONGEST = 32
"""Signs of a name; the JSON has all of them."""
_RIGHT = {"seed", *HEADINGS.values()}


def table(runs: Sequence[Past], flaky: Collection[str], colour: bool, expected: Collection[str] = ()) -> list[str]:
    """A line for each run, under a line of headings; `expected` are failures that had to be."""
    heads = ["verdict", "", "began", "scenario", "target", "seed", *HEADINGS.values()]
    marks = {run: "expected" for run in expected} | {run: "flaky" for run in flaky}
    lines = [_cells(run, marks.get(run.run, "")) for run in runs]
    widths = [max(len(line[n]) for line in [heads, *lines]) for n in range(len(heads))]
    return [_line(heads, heads, widths, False), *(_line(line, heads, widths, colour) for line in lines)]


def rest(shown: int, of: int, total: int) -> str:
    """What the table leaves out, in one line; empty when that is nothing."""
    older = f"{plural(of - shown, 'older run')}: --last {of} shows all" if of > shown else ""
    others = f"{plural(total - of, 'run')} not asked for" if total > of else ""
    return "; ".join(filter(None, [older, others]))


def _cells(run: Past, mark: str) -> list[str]:
    began = run.started[:19].replace("T", " ")
    scenario = " ".join(filter(None, [run.scenario, run.variant, run.settings]))
    target = f"{run.target} ({run.preset})" if run.preset else run.target
    seed = "" if run.seed is None else str(run.seed)
    named = [clip(visible(text), LONGEST) for text in (began, scenario, target)]
    figures = [written(name, run.measured.get(name)) for name in MEASURED]
    return [run.value, mark, *named, seed, *figures]


def _line(cells: Sequence[str], heads: Sequence[str], widths: Sequence[int], colour: bool) -> str:
    set_out = [
        f"{cell:>{width}}" if head in _RIGHT else f"{cell:{width}}"
        for cell, head, width in zip(cells, heads, widths, strict=True)
    ]
    if colour:
        code = COLOURS.get(cells[0], "2")
        set_out[0] = f"\x1b[{code}m{set_out[0]}\x1b[0m"
    return "  ".join(part for part, width in zip(set_out, widths, strict=True) if width).rstrip()
