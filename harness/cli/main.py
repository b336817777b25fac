"""The command `harness`: finds the subcommand's module, calls it, and turns what goes wrong into an exit code."""

import os
import sys
from importlib import import_module
from types import ModuleType

COMMANDS = {
    "run": "run a scenario and judge it",
    "validate": "check scenario files without running them",
    "plan": "show what a run would do, and when",
    "prove": "run every variant of scenarios, broken and mended, against what each must come to",
    "suite": "run many scenarios on many targets, and say what they came to",
    "compare": "compare two configurations of a scenario, or two recorded runs",
    "sweep": "run a scenario over a grid of settings, and draw what each came to",
    "dead-letters": "list, inspect, replay or drain the dead letters of a run",
    "check": "judge a recorded run again",
    "report": "render the report of a recorded run again",
    "open": "open the newest report, or that of a run",
    "history": "list the runs that were made, with their verdicts and figures",
    "clean": "remove what a killed run left behind",
    "doctor": "say what this machine can and cannot do",
    "list": "list targets, faults, invariants or scenarios",
    "explain": "explain a fault, an invariant, a load shape, a server or a target",
    "new": "write a new target to begin with",
    "schema": "print the JSON Schema of a scenario, for editors",
}
USAGE, BROKEN, INTERRUPTED = 2, 4, 130
WIDTH = 110


def main(argv: list[str] | None = None) -> int:
    """Run the command line and give the exit code: 0 pass, 2 bad input, 4 an error of the harness, 130 interrupted."""
    words = sys.argv[1:] if argv is None else argv
    try:
        return _flushed(_dispatch(words))
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read the output has gone; Python would complain again when it closes stdout at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except Exception as error:
        return _explained(error)


def _dispatch(words: list[str]) -> int:
    if not words or words[0] in ("-h", "--help", "help"):
        print(_help())
        return 0 if words else USAGE
    if words[0] in ("-V", "--version"):
        from harness import __version__

        print(f"harness {__version__}")
        return 0
    if words[0] not in _existing():
        return _unknown(words[0])
    return _call(words[0], import_module(f"harness.cli.{_module(words[0])}"), words[1:])


def _call(name: str, module: ModuleType, words: list[str]) -> int:
    from argparse import ArgumentParser, RawDescriptionHelpFormatter

    def layout(prog: str) -> RawDescriptionHelpFormatter:
        return RawDescriptionHelpFormatter(
            prog, width=WIDTH
        )  # without a width, argparse imports shutil to ask the terminal

    parser = ArgumentParser(f"harness {name}", description=module.__doc__, formatter_class=layout)
    parser.epilog = getattr(module, "EXAMPLES", None)
    module.arguments(parser)
    parse = parser.parse_intermixed_args if getattr(module, "INTERMIXED", False) else parser.parse_args
    try:
        args = parse(words)
    except SystemExit as stop:
        return int(stop.code or 0)
    code: int = module.main(args)
    return code


def _existing() -> dict[str, str]:
    here = os.path.dirname(os.path.abspath(__file__))
    return {name: line for name, line in COMMANDS.items() if os.path.exists(os.path.join(here, f"{_module(name)}.py"))}


def _module(name: str) -> str:
    return name.replace("-", "_")


def _help() -> str:
    lines = [f"  {name:<12} {line}" for name, line in _existing().items()]
    return "\n".join(
        (
            "usage: harness COMMAND ...\n\nChaos and load testing for background-job systems.\n\ncommands:",
            *lines,
            "\n`harness COMMAND --help` says more about one.",
            "To begin: `harness list scenarios`, `harness explain kill_worker`.",
        )
    )


def _unknown(word: str) -> int:
    from harness.problems import nearest

    print(f"harness: unknown command `{word}`; {nearest(word, _existing())}", file=sys.stderr)
    return USAGE


def _flushed(code: int) -> int:
    sys.stdout.flush()
    return code


def _explained(error: Exception) -> int:
    from harness.problems import Problems

    if isinstance(error, Problems):
        from harness.cli.complaint import complaint

        print(complaint(error), file=sys.stderr)
        return USAGE
    if os.environ.get("HARNESS_DEBUG"):
        import traceback

        traceback.print_exception(error)
    print(f"harness: unexpected {type(error).__name__}: {error} (HARNESS_DEBUG=1 shows where)", file=sys.stderr)
    return BROKEN
