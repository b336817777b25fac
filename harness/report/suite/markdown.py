"""A suite as Markdown, as the summary of a CI job shows it."""

from __future__ import annotations

import html
import os
import re
from collections.abc import Iterator, Sequence

from harness.report.suite.text import disturbed, passed_over, rows, total
from harness.report.text import clip, visible
from harness.suite.standing import TROUBLES, Standing, Stands

SIGNS: dict[Stands, str] = {"pass": "\u2705", "FAIL": "\u274c", "FLAKY": "\u274c", "ERROR": "\U0001f4a5"}
_MARKS = re.compile(r"([\\`*_{}\[\]()#+!|~-])")
LONGEST = 600


def render(standings: Sequence[Standing], seconds: float) -> str:
    """The table, then each cell that is no pass with its reason and the command that repeats it."""
    names, body = rows(standings)
    lines = ["## harness suite", "", plain(total(standings, seconds)), ""]
    lines += [f"{plain(doubt)}.", ""] if (doubt := disturbed(standings)) else []
    lines += [_row(["scenario", *map(plain, names)]), _row(["---"] * (len(names) + 1))]
    lines += [_row([plain(name), *map(_sign, stands)]) for name, stands in body]
    lines += ["", *(f"- {plain(line)}" for line in passed_over(standings))]
    return "\n".join([*lines, *_troubles(standings)]).rstrip() + "\n"


def plain(text: str) -> str:
    """The text as Markdown that shows it and does nothing."""
    return _MARKS.sub(r"\\\1", html.escape(visible(text), quote=False))


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _sign(stands: Stands | None) -> str:
    return f"{SIGNS.get(stands, '')} {stands}".strip() if stands else ""


def _troubles(standings: Sequence[Standing]) -> Iterator[str]:
    for standing in standings:
        if standing.stands in TROUBLES:
            yield f"\n### {standing.stands}: {plain(standing.entry.cell.name)}\n"
            yield plain(clip(standing.says, LONGEST)) + "\n"
            run = standing.telling.run if standing.telling else ""
            yield "\n".join(
                f"    {visible(line)}" for line in (standing.entry.cell.again, os.path.join(run, "")) if line
            )
