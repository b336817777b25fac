"""A sweep on a terminal: a table for each measurement, the best points marked, and what failed below."""

from __future__ import annotations

from collections.abc import Iterator

from harness.compare.text import amount
from harness.report.text import clip, plural, visible
from harness.sweep.grid import told
from harness.sweep.journal import Made
from harness.sweep.panels import Panel, panels
from harness.sweep.ranking import Ranking
from harness.sweep.standing import Standing
from harness.sweep.sweep import Sweep

BEST, LEVEL = "*", "="
COLOURS = {BEST: "32", LEVEL: "36", "FAIL": "31", "ERROR": "31", "INCONCLUSIVE": "33", "not run": "2"}
LONGEST = 100


def lines(sweep: Sweep, colour: bool) -> list[str]:
    """What to print; no line holds a control character other than the colours asked for."""
    return [*_head(sweep), *_tables(sweep, colour), *_troubles(sweep, colour), "", conclusion(sweep)]


def _head(sweep: Sweep) -> Iterator[str]:
    points = f"{plural(len(sweep.standings), 'point')}, {plural(sweep.repeat, 'run')} each"
    yield visible(f"{sweep.scenario} on {sweep.target}, {told(sweep.axes)}: {points}")
    yield from (f"  warning: {visible(warning)}" for warning in sweep.warnings)
    yield f"  {BEST} best   {LEVEL} not told from the best   the spread of repeats is given as \u00b1 half of it"


def _tables(sweep: Sweep, colour: bool) -> Iterator[str]:
    for ranking in sweep.rankings:
        yield ""
        yield f"{ranking.name}, {ranking.better} is better{f'; {says}' if (says := verdict(ranking)) else ''}"
        for panel in panels(sweep):
            yield from _panel(sweep, ranking, panel, colour)


def verdict(ranking: Ranking) -> str:
    """What the marks rest on, or why there are none."""
    return ranking.why or f"points further apart than {ranking.margin} are told apart"


def _panel(sweep: Sweep, ranking: Ranking, panel: Panel, colour: bool) -> Iterator[str]:
    rows = [
        ("", *map(visible, panel.columns)),
        *((visible(head), *(cell(sweep.at(point), ranking) for point in points)) for head, points in panel.rows),
    ]
    widths = [max(len(row[n]) for row in rows) for n in range(len(rows[0]))]
    if panel.title:
        yield f"  {visible(panel.title)}"
    for row in rows:
        padded = [f"{text:{width}}" for text, width in zip(row, widths, strict=True)]
        yield f"  {'  '.join(painted(text, colour) for text in padded)}".rstrip()


def cell(standing: Standing, ranking: Ranking) -> str:
    """`* 45 ms \u00b14%`; a point that did not pass says so first."""
    found = standing.figures.get(ranking.name)
    figure = amount(ranking.unit, found.mean) if found else ""
    about = f" \u00b1{found.share:.0%}" if found and len(standing.runs) > 1 and found.share >= 0.005 else ""
    return f"{mark(standing, ranking)} {figure}{about}".rstrip()


def mark(standing: Standing, ranking: Ranking) -> str:
    """How the point ranks, or why it does not."""
    if standing.stands != "PASS":
        return standing.stands
    if standing.point == ranking.best:
        return BEST
    return LEVEL if ranking.best and standing.point in ranking.level else " "


def painted(text: str, colour: bool) -> str:
    """The text in the colour of its mark."""
    code = next((code for word, code in COLOURS.items() if text.startswith(f"{word} ")), "")
    return f"\x1b[{code}m{text}\x1b[0m" if colour and code else text


def _troubles(sweep: Sweep, colour: bool) -> Iterator[str]:
    for one in sweep.standings:
        if one.stands != "PASS":
            yield ""
            yield f"{painted(f'{one.stands} ', colour)} {visible(named(sweep, one))}"
            yield f"  {clip(visible(one.says), LONGEST)}"


def named(sweep: Sweep, standing: Standing) -> str:
    """`prefetch=4 workers=2`."""
    return " ".join(f"{axis.name}={value}" for axis, value in zip(sweep.axes, standing.point, strict=True))


def conclusion(sweep: Sweep) -> str:
    """What it comes to, in one line."""
    stands = [one.stands for one in sweep.standings]
    counts = ", ".join(f"{stands.count(kind)} {kind}" for kind in dict.fromkeys(stands))
    return f"{plural(len(stands), 'point')}: {counts}"


def line(made: Made, name: str, number: int, of: int, left: str) -> str:
    """A run that has ended, as progress tells it."""
    rest = f", {left} left" if left else ""
    return visible(f"{number:3}/{of}  {name}  {made.value}, {made.seconds:.0f} s{rest}")
