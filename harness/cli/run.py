"""Run a scenario: start a real stack, load it, break it, and judge from the recorded history what held.

Exit code: 0 pass, 1 an invariant failed, 2 a bad scenario, 3 inconclusive, 4 the stack or the harness failed, 5
something was left behind, 130 interrupted.
"""

from __future__ import annotations

import os
import shlex
import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from harness.cli.options import count, factor, loaded, scenario_options

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from harness.folder import Folder
    from harness.load.arrivals import Arrivals
    from harness.plan import Plan
    from harness.result import Result
    from harness.run import Ran
    from harness.scenario import Scenario
    from harness.target import Target

EXAMPLES = """examples:
  harness run scenarios/worker-kill.yaml
  harness run scenarios/worker-kill.yaml --set idempotency=none     # a duplicate effect, and the proof
  harness run scenarios/downstream-outage.yaml --quick              # the same outage, in less than a third of the time
  harness run scenarios/worker-kill.yaml --target memory --repeat 20
"""
CODES = {"PASS": 0, "FAIL": 1, "INCONCLUSIVE": 3, "NOT APPLICABLE": 3}
BROKEN, LEFT, INTERRUPTED = 4, 5, 130


def arguments(parser: ArgumentParser) -> None:
    """The scenario, what to change in it, and what to show."""
    parser.add_argument("scenario", metavar="SCENARIO", help="a scenario file")
    scenario_options(parser)
    parser.add_argument(
        "--seed", type=int, metavar="N", help="decide everything random by this number instead of the scenario's"
    )
    parser.add_argument(
        "--time-scale", type=factor, default=1.0, metavar="X", help="stretch the load, phases and faults by this factor"
    )
    parser.add_argument(
        "--substrate",
        choices=["process"],
        default="process",
        help="where the processes run (default: process, on this host)",
    )
    parser.add_argument(
        "--repeat", type=count, default=1, metavar="N", help="run it N times and say whether the verdicts agree"
    )
    parser.add_argument(
        "--reports", default="reports", metavar="DIR", help="where the run's folder is made (default: reports)"
    )
    parser.add_argument(
        "--keep-up",
        action="store_true",
        help="leave the stack running after the verdict's history is recorded, until Ctrl-C",
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON on stdout")
    parser.add_argument("--quiet", action="store_true", help="print nothing while it runs")


def main(args: Namespace) -> int:
    """Run it as often as asked; the worst exit code."""
    from harness import progress

    progress.quiet = args.quiet
    codes, values = [], []
    for _ in range(args.repeat):
        code, value = _once(args)
        _list(args.reports)
        codes.append(code)
        values.append(value)
        if code in (2, INTERRUPTED):
            break
    if args.repeat > 1:
        print(
            f"{len(values)} runs: " + ", ".join(f"{values.count(value)} {value}" for value in sorted(set(values))),
            file=sys.stderr,
        )
    return max(codes, key=lambda code: (code == INTERRUPTED, code == BROKEN, code == LEFT, code == 1, code))


def _once(args: Namespace) -> tuple[int, str]:
    import asyncio
    import time

    from harness import folder as folders
    from harness import stopped, unfinished
    from harness.display import Display
    from harness.judging import judge
    from harness.plan import plan
    from harness.run import Conductor
    from harness.stopped import Stopped

    scenario, target = loaded(args, args.scenario, seed=args.seed, time_scale=args.time_scale)
    started = time.time()
    decided, coming = plan(scenario, target)
    folder = folders.make(args.reports, scenario.name, target.name)
    _keep(folder, scenario, target, decided, coming)
    display = Display(quiet=args.quiet)
    try:
        _set_up(target)
        ran = asyncio.run(_cancellable(Conductor(scenario, target, decided, folder, display).run(keep_up=args.keep_up)))
    except (KeyboardInterrupt, asyncio.CancelledError):
        display.done()
        print(f"interrupted; everything was stopped, and what was recorded is in {folder.path}", file=sys.stderr)
        stopped.keep(folder, Stopped("interrupted", "It was interrupted, and everything was stopped."))
        if unfinished.recorded(folder.path):
            unfinished.judge(folder.path, command=_command(args))
            print(f"report  {os.path.relpath(folder('report.html'))}", file=sys.stderr)
        return INTERRUPTED, "interrupted"
    except Exception as error:
        display.done()
        stopped.keep(folder, Stopped("ERROR", "; ".join(_reasons(error))))
        return _broken(error, folder.path), "error"
    display.done()
    result = judge(
        folder, scenario, target, started=started, command=_command(args), versions=ran.versions, notes=ran.notes
    )
    _show(result, folder.path, args)
    if ran.left:
        print(
            f"harness: these processes could not be ended: {', '.join(map(str, ran.left))}; try `harness clean`",
            file=sys.stderr,
        )
        return LEFT, result.value
    return CODES[result.value], result.value


def _list(reports: str) -> None:
    """The run's line in the index; that it cannot be written is no part of the verdict."""
    from harness.report.suite import index

    try:
        index.write(reports)
    except OSError as error:
        print(f"harness: the index of runs was not written: {error}", file=sys.stderr)


def _keep(folder: Folder, scenario: Scenario, target: Target, decided: Plan, coming: Arrivals) -> None:
    """Everything decided is on disk before anything is done."""
    from pathlib import Path

    from harness.load import arrivals
    from harness.written import to_yaml

    with open(folder("scenario.yaml"), "w") as file:
        file.write(to_yaml(scenario, target))
    folder.save("plan.json", decided)
    kept = {"name": target.name, "reports": target.reports, "folder": target.folder, "hints": target.hints}
    folder.save("target.json", kept)
    arrivals.save(coming, Path(folder("arrivals")))


def _set_up(target: Target) -> None:
    """Install what is missing before the clock runs."""
    from harness import binaries, toolchains
    from harness.servers import postgres

    binaries.toxiproxy_server()
    if "redis" in target.needs:
        binaries.redis_server()
    if "postgres" in target.needs:
        postgres.template()
    toolchains.install(target)


async def _cancellable(work: Coroutine[None, None, Ran]) -> Ran:
    """SIGTERM ends a run as Ctrl-C does: everything is stopped first."""
    import asyncio
    import signal

    task = asyncio.current_task()
    assert task is not None
    for number in (signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    return await work


def _broken(error: BaseException, folder: str) -> int:
    if os.environ.get("HARNESS_DEBUG"):
        import traceback

        traceback.print_exception(error)
    for reason in _reasons(error):
        print(f"harness: {reason}", file=sys.stderr)
    print(f"harness: everything was stopped; the logs are in {os.path.join(folder, 'logs')}", file=sys.stderr)
    return BROKEN


def _reasons(error: BaseException) -> list[str]:
    """One line each for what went wrong at the bottom of a group of errors."""
    if isinstance(error, BaseExceptionGroup):
        return list(dict.fromkeys(reason for inner in error.exceptions for reason in _reasons(inner)))
    from harness.cache import SetUpFailed
    from harness.http import BadAnswer
    from harness.live import Broken
    from harness.substrate.process import StartFailed

    expected = isinstance(error, StartFailed | SetUpFailed | Broken | BadAnswer)
    return [str(error) if expected else f"unexpected {type(error).__name__}: {error} (HARNESS_DEBUG=1 shows where)"]


def _show(result: Result, folder: str, args: Namespace) -> None:
    import msgspec

    from harness.report import console

    if args.json:
        print(msgspec.json.format(msgspec.json.encode(result), indent=2).decode())
        return
    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    print("\n".join(console.lines(result, os.path.relpath(folder), colour)))


def _command(args: Namespace) -> str:
    words = ["harness", "run", args.scenario]
    words += ["--target", args.target] if args.target else []
    words += ["--targets", args.targets] if args.targets else []
    words += ["--preset", args.preset] if args.preset else []
    words += [word for name, value in args.set for word in ("--set", f"{name}={value}")]
    words += ["--variant", args.variant] if args.variant else []
    words += ["--overlay", args.overlay] if args.overlay else []
    words += ["--quick"] if args.quick else []
    words += ["--patience", args.patience] if args.patience else []
    words += ["--seed", str(args.seed)] if args.seed is not None else []
    words += ["--time-scale", f"{args.time_scale:g}"] if args.time_scale != 1.0 else []
    return shlex.join(words)
