"""A sweep as one HTML file: a grid of tiles for each measurement, with the number in each."""

from __future__ import annotations

import os
from collections.abc import Sequence
from urllib.parse import quote

from harness.compare import page
from harness.compare.text import amount, means
from harness.report.text import clip, escape, plural
from harness.sweep.grid import Point, told
from harness.sweep.panels import Panel, panels
from harness.sweep.ranking import Ranking
from harness.sweep.standing import Spread, Standing
from harness.sweep.sweep import Sweep
from harness.sweep.text import conclusion, named, verdict
from harness.sweep.tones import tones

KINDS = {0: "good", 1: "bad", 3: "open", 4: "bad", 5: "bad"}
SIGNS = {"PASS": "\u2713", "FAIL": "\u2717", "INCONCLUSIVE": "?", "ERROR": "!", "not run": "\u2013"}
FAINT, STRONG = 0.06, 0.5
"""How much of the colour the worst and the best tile have."""
LONGEST = 400


def render(sweep: Sweep) -> str:
    """The page; links lead to the runs beside it."""
    drawn = "".join(page.section(one.name, escape(one.name), _measurement(sweep, one)) for one in sweep.rankings)
    drawn = drawn or page.section("none", "No figures", "<p>No run was as planned, so nothing was measured.</p>")
    rest = page.section("points", "Points", _points(sweep)) + page.section("again", "Sweep again", _again(sweep))
    return page.render(
        title=f"Sweep: {sweep.scenario} on {sweep.target}",
        kind=KINDS[sweep.code],
        header=_header(sweep),
        body=drawn + rest,
        style=_style(),
    )


def _header(sweep: Sweep) -> str:
    warnings = "".join(f'<p class="warn"><b>Warning</b> {escape(one)}</p>' for one in sweep.warnings)
    best = "".join(f"<dt>{one.name}</dt><dd>{_best(sweep, one)}</dd>" for one in sweep.rankings)
    return (
        f"<h1>{escape(sweep.scenario)} <small>on {escape(sweep.target)}: {escape(told(sweep.axes))}</small></h1>"
        f'<p class="says">{conclusion(sweep)}; {plural(sweep.repeat, "run")} of each.</p>'
        f'<dl class="sides">{best}</dl>{warnings}'
    )


def _best(sweep: Sweep, ranking: Ranking) -> str:
    if ranking.best is None:
        return f'<span class="quiet">{escape(ranking.why)}</span>'
    level = f"; {plural(len(ranking.level), 'other')} not told from it" if ranking.level else ""
    return f"best at <b>{escape(named(sweep, sweep.at(ranking.best)))}</b>{level}"


def _measurement(sweep: Sweep, ranking: Ranking) -> str:
    found = tones(sweep, ranking)
    drawn = "".join(_panel(sweep, ranking, panel, found) for panel in panels(sweep))
    about = (
        f"{means(ranking.name)}; {ranking.better} is better, and stronger in colour. {verdict(ranking).capitalize()}."
    )
    return f'<p class="small quiet">{escape(about)}</p><div class="panels">{drawn}</div>'


def _panel(sweep: Sweep, ranking: Ranking, panel: Panel, found: dict[Point, float]) -> str:
    across, *others = sweep.axes
    title = f"<h3>{escape(panel.title)}</h3>" if panel.title else ""
    caption = f"{across.name} across" + (f", {others[0].name} down" if others else "")
    corner = "<th></th>" if others else ""
    head = corner + "".join(f'<th scope="col">{escape(value)}</th>' for value in across.values)
    rows = "".join(_row(sweep, ranking, name, points, found) for name, points in panel.rows)
    return (
        f'<div class="panel">{title}<table class="tiles"><caption>{escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _row(sweep: Sweep, ranking: Ranking, name: str, points: Sequence[Point], found: dict[Point, float]) -> str:
    head = f'<th scope="row">{escape(name.partition("=")[2])}</th>' if name else ""
    return f"<tr>{head}{''.join(_tile(sweep.at(point), ranking, found.get(point)) for point in points)}</tr>"


def _tile(standing: Standing, ranking: Ranking, tone: float | None) -> str:
    kind, how = _how(standing, ranking)
    found = standing.figures.get(ranking.name)
    figure = amount(ranking.unit, found.mean) if found else "&ndash;"
    shade = (
        f' style="background-color:rgba(31,111,178,{FAINT + (STRONG - FAINT) * tone:.2f})"' if tone is not None else ""
    )
    repeats = _spread(ranking.unit, found) if found and len(standing.runs) > 1 else ""
    inner = f'<b>{figure}</b>{repeats}<span class="how">{how}</span>'
    return f'<td class="{kind}"{shade}>{_linked(standing, inner)}</td>'


def _spread(unit: str, found: Spread) -> str:
    """From the least to the most; a narrow page has room for half of it only."""
    wide = f'<small class="range">{amount(unit, found.low)} to {amount(unit, found.high)}</small>'
    return f'{wide}<small class="half">&plusmn;{found.share:.0%}</small>'


def _how(standing: Standing, ranking: Ranking) -> tuple[str, str]:
    """The tile's class, and what it says beside the number: nothing depends on colour alone."""
    if standing.stands != "PASS":
        return "out", f"{SIGNS[standing.stands]} {standing.stands}"
    if standing.point == ranking.best:
        return "best", "\u2605 best"
    return ("level", "\u2248 not told from it") if ranking.best and standing.point in ranking.level else ("", "")


def _linked(standing: Standing, inner: str) -> str:
    telling = next((run for run in standing.runs if run.value == standing.stands), None)
    return f'<a href="{_report(telling.run)}">{inner}</a>' if telling and telling.run else inner


def _report(run: str) -> str:
    return quote(os.path.join(run, "report.html"))


def _points(sweep: Sweep) -> str:
    rows = "".join(_point(sweep, one) for one in sweep.standings)
    head = "<th>Point</th><th>Verdict</th><th>What was found</th><th>Runs</th>"
    return f'<table class="stack"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'


def _point(sweep: Sweep, one: Standing) -> str:
    kind = {"PASS": "good", "FAIL": "bad", "ERROR": "bad"}.get(one.stands, "open")
    says = "" if one.stands == "PASS" else escape(clip(one.says, LONGEST))
    failing = f"<br>Failed: {escape(', '.join(one.failing))}." if len(one.failing) > 1 else ""
    return (
        f"<tr><td><code>{escape(named(sweep, one))}</code></td>"
        f'<td><span class="word {kind}"><span aria-hidden="true">{SIGNS[one.stands]}</span> {one.stands}</span></td>'
        f"<td>{says}{failing}</td><td>{_runs(one)}</td></tr>"
    )


def _runs(one: Standing) -> str:
    links = [
        f'<a href="{_report(run.run)}">seed {run.seed}</a> {escape(run.value)}' if run.run else escape(run.value)
        for run in one.runs
    ]
    return ", ".join(links)


def _again(sweep: Sweep) -> str:
    more = '<p class="small quiet">With --resume and a larger --repeat, turns are added to these.</p>'
    return page.command(sweep.command) + more


def _style() -> str:
    with open(os.path.join(os.path.dirname(__file__), "page.css"), encoding="utf-8") as file:
        return file.read()
