"""Run many scenarios on many targets, a few side by side, and say what they came to.

The folder of reports gets junit.xml, summary.md (added to the file that GITHUB_STEP_SUMMARY names, too), index.html,
and suite.jsonl, from which --resume and the time left are read. Where a variant is run, what the scenario says of it
decides: a broken one that is caught is a pass. Exit code: the worst of the runs', as `harness run` has them; 4 when a
required target is not to be had, 3 when nothing could be run, 130 interrupted.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from contextlib import closing
from typing import TYPE_CHECKING

from harness.cli.options import count, names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.lanes import Lane
    from harness.suite.course import Course
    from harness.suite.display import Display
    from harness.suite.entries import Entry
    from harness.suite.journal import Journal
    from harness.suite.standing import Standing

EXAMPLES = """examples:
  harness suite                                              # each scenario on its own target
  harness suite scenarios/ --target celery,bullmq --variant all --repeat 3 --jobs 2
  harness suite scenarios/ --target all --shard 1/4 --fail-fast --rerun-infra 1
  harness suite scenarios/ --target all --resume             # after an interruption
  harness suite scenarios/ --target all --require celery     # without celery: code 4 at once, and nothing is run
"""
BROKEN = 4


def arguments(parser: ArgumentParser) -> None:
    """What to run, how often and how many at once, and when to stop."""
    parser.add_argument(
        "scenarios", metavar="PATH", nargs="*", default=["scenarios"], help="files or folders (default: scenarios)"
    )
    _lists(parser)
    parser.add_argument("--targets", metavar="DIR", help="look for targets in this folder first")
    parser.add_argument("--quick", action="store_true", help="at the time scale that each scenario has for CI")
    parser.add_argument("--repeat", type=count, default=1, metavar="N", help="each N times; FLAKY if they differ")
    parser.add_argument("--jobs", type=count, metavar="N", help="so many side by side (default: half of the cores)")
    parser.add_argument("--shard", type=part, default=(1, 1), metavar="K/N", help="only the K-th of N equal parts")
    parser.add_argument("--fail-fast", action="store_true", help="stop at the first run that is no pass")
    parser.add_argument(
        "--rerun-infra", type=tries, default=0, metavar="N", help="try a run that ended with code 4 up to N times more"
    )
    parser.add_argument(
        "--resume", action="store_true", help="do not repeat what the last suite here, or its shards, have done"
    )
    parser.add_argument("--reports", default="reports", metavar="DIR", help="where all is kept (default: reports)")


def _lists(parser: ArgumentParser) -> None:
    every = [
        ("--target", "these targets, or `all` (default: each scenario's own)"),
        ("--variant", "these variants of each scenario, or `all`; `default` is the scenario as it is"),
        ("--preset", "these presets of each target, or `all`; `default` is none"),
        ("--require", "fail with code 4, and run nothing, if one of these targets is not to be had here"),
    ]
    for option, means in every:
        parser.add_argument(option, type=names, default=(), metavar="NAME,...", help=means)


def tries(text: str) -> int:
    """A whole number from 0 on."""
    if not text.isdecimal():
        raise ArgumentTypeError(f"expected 0 or more, got `{text}`")
    return int(text)


def part(text: str) -> tuple[int, int]:
    """`2/4` as a pair."""
    number, _, of = text.partition("/")
    if not (number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of)):
        raise ArgumentTypeError(f"expected K/N with K from 1 to N, such as 1/4, got `{text}`")
    return int(number), int(of)


def main(args: Namespace) -> int:
    """Find the cells, run them, show and keep what they came to."""
    from harness.suite import entries

    if missing := entries.unmet(args.require, args.targets):
        print("\n".join(f"harness: {line}" for line in missing), file=sys.stderr)
        return BROKEN
    choice = entries.Choice(args.target, args.variant, args.preset, args.require, extra=args.targets, quick=args.quick)
    return _made(entries.entries(args.scenarios, choice), args)


def _made(whole: list[Entry], args: Namespace) -> int:
    import time

    from harness.report.suite import pages
    from harness.suite import standing
    from harness.suite.course import Course
    from harness.suite.entries import shard
    from harness.suite.journal import Journal

    began, suffix = time.monotonic(), _suffix(args)
    course = Course(shard(whole, *args.shard), args.repeat)
    with Journal(args.reports, suffix) as journal:
        _begin(journal, course, args)
        interrupted = _run(course, journal, args)
        standings = course.standings()
        seconds = 0.0 if args.resume else time.monotonic() - began  # of this sitting, which says little after another
        pages.write(standings, seconds, args.reports, suffix)
    _show(standings, seconds, args)
    fit = sum(not entry.aside for entry in whole)
    return standing.exit_code(standings, interrupted=interrupted, fit=fit)


def _suffix(args: Namespace) -> str:
    """Keeps the files of shards apart when they are gathered in one folder."""
    number, of = args.shard
    return f"-{number}-of-{of}" if of > 1 else ""


def _begin(journal: Journal, course: Course, args: Namespace) -> None:
    from datetime import datetime

    if args.resume:
        done = course.take_up(journal.unfinished(), reruns=args.rerun_infra)
        print(f"{done} done before, {len(course.todo)} to do", file=sys.stderr)
    else:
        journal.begin(datetime.now().astimezone())


def _run(course: Course, journal: Journal, args: Namespace) -> bool:
    """Make the runs that are to be made; whether that was interrupted."""
    from harness.interruption import interruptible
    from harness.lanes import lanes, warning
    from harness.report.suite.text import passed_over
    from harness.suite.display import Display
    from harness.suite.journal import earlier
    from harness.suite.pace import Pace

    jobs = _jobs(args, len(course.todo))
    dealt = lanes(jobs)
    display = Display(course.todo, Pace(earlier(args.reports)), made=course.made, jobs=jobs)
    for line in [*passed_over(course.standings()), warning(jobs, dealt)]:
        if line:
            display.say(line)
    try:
        with interruptible():
            _each(course, journal, display, dealt, jobs, args)
    except KeyboardInterrupt:
        display.say("interrupted; the runs under way were stopped; --resume goes on from here")
        return True
    finally:
        display.clear()
    return False


def _each(
    course: Course, journal: Journal, display: Display, dealt: Sequence[Lane], jobs: int, args: Namespace
) -> None:
    from harness import matrix

    made = matrix.run(
        course.todo, args.reports, jobs=jobs, reruns=args.rerun_infra, lanes=dealt, started=display.started
    )
    with closing(made):
        for outcome in made:
            ended = course.note(outcome)
            journal.write(ended)
            display.ended(ended)
            if args.fail_fast and ended.mark != "pass":
                break


def _jobs(args: Namespace, runs: int) -> int:
    """Within the cores of this machine: more runs than cores would measure each other."""
    cores = len(os.sched_getaffinity(0))
    if args.jobs and args.jobs > cores:
        print(f"--jobs {args.jobs}: this machine has {cores} cores, so {cores} run side by side", file=sys.stderr)
    wanted = min(args.jobs, cores) if args.jobs else max(1, cores // 2)
    return max(1, min(wanted, runs))


def _show(standings: list[Standing], seconds: float, args: Namespace) -> None:
    from harness.report.suite import text

    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    lines = text.table(standings, colour) if standings else []
    lines += [*text.troubles(standings, args.reports, colour), "", text.total(standings, seconds)]
    lines += filter(None, [text.disturbed(standings)])
    print("\n".join([*lines, f"index  {os.path.join(args.reports, 'index.html')}"]))
