"""Run a scenario at every point of a grid of settings, and draw what each measurement came to.

Every point is run once, in an order drawn by the seed, then all again: each turn has a seed of its own, the same for
all points. The sweep's folder gets sweep.html, sweep.json and sweep.csv. A point is called best only if all its runs
passed, and only where the repeats tell it apart. Exit code: 0 some point passed every time, 1 an invariant failed at
every point, 2 bad input, 3 no point passed and not all are known to fail, 4 a run could not be made, 130 interrupted.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from contextlib import closing
from typing import TYPE_CHECKING

from harness.cli.options import assignment, count

if TYPE_CHECKING:
    from harness.measurements import Measurement
    from harness.scenario import Scenario
    from harness.sweep.course import Course
    from harness.sweep.display import Display
    from harness.sweep.grid import Grid
    from harness.sweep.journal import Asked, Journal
    from harness.sweep.sweep import Sweep

EXAMPLES = """examples:
  harness sweep scenarios/worker-kill.yaml --vary prefetch_multiplier=1,4,16,64 --vary workers=1,2,4
  harness sweep scenarios/worker-kill.yaml --target memory --vary concurrency=1,2,4,8 --measure latency,drain
  harness sweep scenarios/redis-restart.yaml --vary redis.persistence=none,rdb,aof-always --repeat 5 --figures
  harness sweep scenarios/worker-kill.yaml --target memory --vary lease=1s,2s,5s --resume --repeat 6    # three more
"""
REPEAT, MOST = 3, 200
OVERHEAD = 3.0
"""Seconds that a run takes beside its load, about: until the stack stands, the drain and the verdict."""
INTERRUPTED = 130


def arguments(parser: ArgumentParser) -> None:
    """What to vary, how often, and what to show."""
    parser.add_argument("scenario", metavar="SCENARIO", help="a scenario file")
    parser.add_argument(
        "--vary",
        metavar="NAME=VALUE,...",
        action="append",
        default=[],
        help="a knob, `workers` or a server's setting such as redis.persistence, with its values; up to three times",
    )
    parser.add_argument(
        "--repeat", type=count, default=REPEAT, metavar="N", help=f"so many runs of each point (default: {REPEAT})"
    )
    parser.add_argument("--measure", metavar="NAME,...", default="", help="show only these measurements")
    parser.add_argument("--target", metavar="NAME", help="run against this target instead of the scenario's")
    parser.add_argument("--preset", metavar="NAME", default="", help="use this named set of the target's knobs")
    parser.add_argument("--variant", metavar="NAME", default="", help="sweep this variant of the scenario")
    parser.add_argument(
        "--set", metavar="KNOB=VALUE", action="append", default=[], type=assignment, help="a knob that is not varied"
    )
    parser.add_argument("--targets", metavar="DIR", help="look for targets in this folder first")
    parser.add_argument("--quick", action="store_true", help="at the time scale that the scenario has for CI")
    parser.add_argument("--seed", type=int, metavar="N", help="of the first turn; each has the next (default: its own)")
    parser.add_argument("--jobs", type=count, default=1, metavar="N", help="side by side: they disturb each other")
    parser.add_argument("--most", type=count, default=MOST, metavar="N", help=f"allow so many runs (default: {MOST})")
    parser.add_argument("--resume", action="store_true", help="go on with the last sweep that was asked the same")
    parser.add_argument("--figures", action="store_true", help="write PNG and SVG too; needs matplotlib")
    parser.add_argument("--reports", default="reports", metavar="DIR", help="where the runs are kept")
    parser.add_argument("--json", action="store_true", help="print the sweep as JSON")


def main(args: Namespace) -> int:
    """Check the grid, run it, draw it."""
    from harness.cell import Cell
    from harness.sweep import figures
    from harness.sweep.axis import axes
    from harness.sweep.grid import Grid, checked

    _measured(args)
    if args.figures:
        figures.possible()
    cell = Cell(
        args.scenario,
        args.target or "",
        args.variant,
        args.preset,
        args.seed,
        args.quick,
        args.targets,
        tuple(args.set),
    )
    grid = Grid(cell, axes(args.vary))
    _small_enough(len(grid.points), args)
    return _swept(grid, checked(grid), args)


def _small_enough(points: int, args: Namespace) -> None:
    from harness.problems import refuse
    from harness.report.text import lasting
    from harness.scenario import load

    runs = points * args.repeat
    if runs <= args.most:
        return
    base, _ = load(args.scenario, target=args.target, targets=args.targets, quick=args.quick)
    takes = lasting(runs * (base.seconds + OVERHEAD) / args.jobs)
    raise refuse(
        "--vary",
        f"{points:,} points are {runs:,} runs with --repeat {args.repeat}, about {takes}; {args.most:,} are allowed",
        f"vary less, repeat less, or allow them with --most {runs}",
    )


def _swept(grid: Grid, scenario: Scenario, args: Namespace) -> int:
    from harness.sweep.course import Course
    from harness.sweep.grid import lay
    from harness.sweep.journal import Journal

    asked = _asked(grid, scenario, args)
    folder = _folder(asked, scenario, args)
    os.makedirs(folder, exist_ok=True)
    lay(grid, folder)
    with Journal(folder) as journal:
        course = Course(asked.grid, args.repeat, scenario.seed, folder)
        _begin(journal, course, asked, args)
        interrupted = _run(course, journal, asked.grid, scenario, folder, args)
        sweep = _keep(course, asked.grid, scenario, folder, args)
    _show(sweep, folder, args)
    return INTERRUPTED if interrupted else sweep.code


def _asked(grid: Grid, scenario: Scenario, args: Namespace) -> Asked:
    """The question with its target named, so that it is the same however it was asked."""
    from msgspec.structs import replace

    from harness import target as targets
    from harness import toolchains
    from harness.sweep.journal import Asked

    target = targets.load(targets.find(scenario.target, args.targets))
    digest = toolchains.digest(args.scenario, os.path.join(target.folder, targets.FILE))
    return Asked(replace(grid, cell=replace(grid.cell, target=scenario.target, seed=scenario.seed)), digest)


def _folder(asked: Asked, scenario: Scenario, args: Namespace) -> str:
    from harness import folder as folders
    from harness.problems import refuse
    from harness.sweep.journal import earlier

    if not args.resume:
        name = os.path.basename(scenario.target)
        return folders.named(args.reports, f"sweep-{scenario.name}", name)
    found = earlier(args.reports, asked)
    if not found:
        hint = "scenario, target.yaml, axes, settings and seed must be as they were"
        raise refuse("--resume", f"no sweep in {args.reports} was asked the same", hint)
    return found


def _begin(journal: Journal, course: Course, asked: Asked, args: Namespace) -> None:
    if args.resume:
        print(f"{course.take_up(journal.made())} done before, {len(course.todo)} to do", file=sys.stderr)
    else:
        journal.write(asked)


def _run(course: Course, journal: Journal, grid: Grid, scenario: Scenario, folder: str, args: Namespace) -> bool:
    """Make the runs that are to be made; whether that was interrupted."""
    from harness.interruption import interruptible
    from harness.report.text import lasting
    from harness.sweep.display import Display

    display = Display(grid, course, seconds=scenario.seconds + OVERHEAD, jobs=args.jobs)
    takes = lasting(len(course.todo) * (scenario.seconds + OVERHEAD) / args.jobs)
    display.say(f"{len(grid.points)} points, {len(course.todo)} runs to make, about {takes}; {folder}")
    try:
        with interruptible():
            _each(course, journal, display, folder, args)
    except KeyboardInterrupt:
        display.say("interrupted; the runs under way were stopped; --resume goes on from here")
        return True
    finally:
        display.clear()
    return False


def _each(course: Course, journal: Journal, display: Display, folder: str, args: Namespace) -> None:
    from harness import matrix
    from harness.compare.pairs import RERUNS

    runs = matrix.run(course.todo, os.path.join(folder, "runs"), jobs=args.jobs, reruns=RERUNS, started=display.started)
    with closing(runs):
        for outcome in runs:
            made = course.note(outcome)
            journal.write(made)
            display.ended(outcome.cell, made)


def _keep(course: Course, grid: Grid, scenario: Scenario, folder: str, args: Namespace) -> Sweep:
    from harness.sweep import pages
    from harness.sweep.sweep import gathered

    warnings = [f"{args.jobs} runs at a time: they may have disturbed each other"] if args.jobs > 1 else []
    sweep = gathered(
        grid,
        course.made,
        target=scenario.target,
        repeat=args.repeat,
        seed=scenario.seed,
        measured=_measured(args),
        warnings=warnings,
        command=_command(args),
    )
    pages.write(sweep, folder, figures=args.figures)
    return sweep


def _measured(args: Namespace) -> list[Measurement]:
    from harness.compare.allowance import chosen

    return chosen(args.measure, f"--measure {args.measure}")


def _command(args: Namespace) -> str:
    import shlex

    words = ["harness", "sweep", args.scenario, *(word for text in args.vary for word in ("--vary", text))]
    options = [("--repeat", args.repeat), ("--target", args.target), ("--targets", args.targets)]
    options += [("--preset", args.preset), ("--variant", args.variant), ("--measure", args.measure)]
    options += [("--set", f"{name}={value}") for name, value in args.set] + [("--seed", args.seed)]
    words += [str(word) for name, value in options if value not in (None, "") for word in (name, value)]
    return shlex.join(words + (["--quick"] if args.quick else []))


def _show(sweep: Sweep, folder: str, args: Namespace) -> None:
    from harness.sweep import pages, text

    if args.json:
        print(pages.as_json(sweep), end="")
        return
    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    print("\n".join(text.lines(sweep, colour)))
    print(f"kept   {os.path.join(folder, 'sweep.html')}, sweep.json, sweep.csv, and the runs in runs/")
