"""A suite on a terminal: a line per run as it ends, and at the end the table, the troubles and what they amount to."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence

from harness.cell import Cell
from harness.report.text import clip, lasting, plural, visible
from harness.suite.journal import Ended
from harness.suite.standing import TROUBLES, WORST, Standing, Stands

WIDTH, LINES = 110, 8
COLOURS: dict[str, str] = {"pass": "32", "FAIL": "31", "FLAKY": "31", "ERROR": "31", "INCONCLUSIVE": "33"}


def line(ended: Ended, done: int, of: int, left: str, colour: bool) -> str:
    """One run, as it ends."""
    word = painted(f"{ended.mark:12}", colour)
    again = f", after {plural(ended.reruns, 'error')} of the stack" if ended.reruns else ""
    rest = f"  {left}" if left else ""
    return f"{done:{len(str(of))}}/{of}  {word}  {visible(ended.cell.name)}, {lasting(ended.seconds)}{again}{rest}"


def label(cell: Cell) -> str:
    """The cell's row."""
    return " ".join(filter(None, [cell.situation, cell.variant, f"({cell.preset})" if cell.preset else ""]))


def rows(standings: Sequence[Standing]) -> tuple[list[str], list[tuple[str, list[Stands | None]]]]:
    """The targets, and for each scenario with its variant and preset how it stands on each of them."""
    names = sorted({standing.entry.cell.target for standing in standings})
    by_row: dict[tuple[str, str], dict[str, Stands]] = {}
    for standing in sorted(standings, key=lambda standing: -WORST.index(standing.stands)):
        cell = standing.entry.cell
        by_row.setdefault((cell.scenario, label(cell)), {})[cell.target] = standing.stands
    return names, [(key[1], [by_row[key].get(name) for name in names]) for key in sorted(by_row)]


def table(standings: Sequence[Standing], colour: bool) -> list[str]:
    """Targets across and scenarios down."""
    names, body = rows(standings)
    first = max((len(visible(name)) for name, _ in body), default=0)
    widths = [max(len(visible(name)), *(len(stands[n] or "") for _, stands in body)) for n, name in enumerate(names)]
    lines = [" " * first + "".join(f"  {visible(name):{width}}" for name, width in zip(names, widths, strict=True))]
    for name, stands in body:
        cells = (painted(f"{one or '':{width}}", colour) for one, width in zip(stands, widths, strict=True))
        lines.append(f"{visible(name):{first}}  " + "  ".join(cells))
    return [line.rstrip() for line in lines]


def troubles(standings: Iterable[Standing], reports: str, colour: bool) -> Iterator[str]:
    """Each cell that is no pass: why, where its report is, and how to have it again."""
    for standing in sorted(standings, key=lambda standing: WORST.index(standing.stands)):
        if standing.stands in TROUBLES:
            yield ""
            yield f"{painted(standing.stands, colour)}  {visible(standing.entry.cell.name)}"
            yield from (f"  {clip(visible(said), WIDTH)}" for said in standing.says.splitlines()[-LINES:])
            if standing.telling and standing.telling.run:
                yield f"  report  {visible(os.path.join(reports, standing.telling.run, 'report.html'))}"
            yield f"  again   {visible(standing.entry.cell.again)}"


def passed_over(standings: Sequence[Standing]) -> list[str]:
    """One line for each target that is skipped, and its reason."""
    skipped = {
        (standing.entry.cell.target, standing.says): standing for standing in standings if standing.stands == "skipped"
    }
    return [f"skipped  {visible(target)}: {visible(reason)}" for target, reason in skipped]


def total(standings: Sequence[Standing], seconds: float) -> str:
    """What the suite came to, in one line; without `seconds`, the lengths of its runs are added up."""
    marks = [standing.stands for standing in standings]
    counts = ", ".join(f"{marks.count(mark)} {mark}" for mark in WORST if mark in marks)
    runs = [run for standing in standings for run in standing.runs]
    took = f"in {lasting(seconds)}" if seconds else f"of {lasting(sum(run.seconds for run in runs))} together"
    return f"{plural(len(marks), 'cell')}, {plural(len(runs), 'run')} {took}: {counts or 'nothing'}"


def disturbed(standings: Sequence[Standing]) -> str:
    """How many runs may have disturbed each other, in a sentence; empty when each was alone."""
    beside = [run.beside for standing in standings for run in standing.runs]
    if not any(beside):
        return ""
    count = sum(map(bool, beside))
    return f"{plural(count, 'run')} had up to {max(beside)} beside them: their figures may have been disturbed"


def painted(word: str, colour: bool) -> str:
    """The word in the colour of what it says."""
    code = COLOURS.get(word.strip(), "2")
    return f"\x1b[{code}m{word}\x1b[0m" if colour else word
