"""List, inspect, replay or drain the dead letters of a run: jobs that were given up and kept for a person to see.

Without --live it shows what the run's history has recorded. With --live it speaks to the stack of a run that is still
up (`harness run ... --keep-up`), by the job system's own means; each replay and drain is then in the run's history,
with who, when, why and which keys, and `harness check RUN` judges what became of it.

Exit code: 0 done, 1 a letter that was named is not there, 2 usage, 4 the stack does not answer.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harness.dead_letters import Verb
    from harness.history.events import Letter, Revive

EXAMPLES = """examples:
  harness dead-letters reports/latest                                  # what the run left
  harness dead-letters reports/latest show job-000017
  harness dead-letters reports/latest --live                           # in another terminal: harness run ... --keep-up
  harness dead-letters reports/latest --live replay job-000017 job-000021 --why "provider is back"
  harness dead-letters reports/latest --live replay --since 14:05 --until 14:20 --why "provider is back"
  harness dead-letters reports/latest --live drain --all --yes --why "test orders"
"""
MISSING, BROKEN = 1, 4
INTERMIXED = True
"""Options may stand between RUN, what to do, and the ids."""
VERBS: dict[str, Verb] = {"replay": "replay", "drain": "discard"}


def arguments(parser: ArgumentParser) -> None:
    """The run, what to do, and to which letters."""
    from harness.cli.options import moment

    parser.add_argument("run", metavar="RUN", nargs="?", default="reports/latest", help="a run's folder")
    parser.add_argument("action", nargs="?", choices=["list", "show", *VERBS], default="list", help="default: list")
    parser.add_argument("ids", metavar="ID", nargs="*", help="letters, by their id or their job's key")
    parser.add_argument("--live", action="store_true", help="ask the stack that is still up, not the history")
    parser.add_argument("--since", type=moment, metavar="TIME", help="died at or after: 14:05, or ISO 8601")
    parser.add_argument("--until", type=moment, metavar="TIME", help="died at or before")
    parser.add_argument("--all", action="store_true", help="every letter")
    parser.add_argument("--why", default="", metavar="TEXT", help="the reason; it is kept")
    parser.add_argument("--yes", action="store_true", help="drain without asking")
    parser.add_argument("--json", action="store_true", help="print JSON")


def main(args: Namespace) -> int:
    """Do it, and say what was done."""
    from harness import upkeep
    from harness.http import BadAnswer
    from harness.problems import refuse

    if not os.path.isdir(os.path.join(args.run, "events")):
        raise refuse(args.run, "not the folder of a run", "name one under reports/")
    producer = upkeep.producer_of(args.run) if args.live else ""
    if args.live and not producer:
        raise refuse(args.run, "the stack of this run is not up", "start one with `harness run SCENARIO --keep-up`")
    if args.action in VERBS:
        _check_choice(args)
    try:
        return _acted(args, producer)
    except (OSError, BadAnswer) as error:
        print(f"harness: {error}", file=sys.stderr)
        return BROKEN


def _check_choice(args: Namespace) -> None:
    from harness.problems import refuse

    if not args.live:
        raise refuse(args.action, "a recorded run cannot be changed", "add --live, while its stack is up")
    if not (args.ids or args.all or args.since or args.until):
        raise refuse(args.action, "no letters were named", "name ids or keys, --since and --until, or --all")
    if not args.why:
        raise refuse(args.action, "no reason was given", 'add --why "the provider is back"; it is kept in the history')


def _acted(args: Namespace, producer: str) -> int:
    found = _found(args.run, producer)
    chosen = _chosen(args, found)
    absent = [name for name in args.ids if all(name not in (letter.id, letter.key) for letter in found)]
    for name in absent:
        print(f"harness: there is no dead letter {name}; `harness dead-letters {args.run}` lists them", file=sys.stderr)
    if args.action in VERBS and not chosen and not absent:
        print(f"harness: none of {len(found)} dead letter(s) died then; nothing was done", file=sys.stderr)
    if args.action in VERBS and chosen and _agreed(args, len(chosen)):
        _show_done(_carried_out(args, producer, chosen), args.json)
    elif args.action not in VERBS:
        _show(chosen, args)
    return MISSING if absent else 0


def _found(run: str, producer: str) -> list[Letter]:
    import asyncio

    from harness.dead_letters import letters
    from harness.history import history
    from harness.history.events import Letter

    if producer:
        return asyncio.run(letters(producer))
    return sorted(history.read(run).of(Letter), key=lambda letter: letter.died or 0.0)


def _chosen(args: Namespace, found: list[Letter]) -> list[Letter]:
    from harness.dead_letters import between

    if args.ids:
        found = [letter for letter in found if letter.id in args.ids or letter.key in args.ids]
    return between(found, args.since, args.until) if args.since or args.until else found


def _agreed(args: Namespace, count: int) -> bool:
    """Whether letters may be removed for good: said beforehand, or typed by a person."""
    if args.action != "drain" or args.yes:
        return True
    from harness.problems import refuse

    if not sys.stdin.isatty():
        raise refuse("drain", f"{count} letter(s) would be removed for good", "add --yes")
    print(f"{count} letter(s) will be removed for good. Type {count} to go on: ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip() == str(count)


def _carried_out(args: Namespace, producer: str, chosen: list[Letter]) -> list[Revive]:
    """Replay or drain, and write it into the history."""
    import asyncio
    from getpass import getuser

    from harness.dead_letters import revive
    from harness.history.recorder import Recorder

    done = asyncio.run(revive(producer, VERBS[args.action], chosen, who=getuser(), why=args.why))
    recorder = Recorder(os.path.join(args.run, "events", "dead-letters.jsonl"))
    for one in done:
        recorder.record(one)
    recorder.close()
    return done


def _show(chosen: list[Letter], args: Namespace) -> None:
    from harness.report import letters

    if args.json:
        _print_json(chosen)
    elif args.action == "show":
        print("\n\n".join("\n".join(letters.whole(letter)) for letter in chosen))
    else:
        print("\n".join(letters.table(chosen)))


def _show_done(done: list[Revive], as_json: bool) -> None:
    from collections import Counter

    if as_json:
        _print_json(done)
        return
    counts = Counter(one.outcome for one in done)
    print(", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items())))


def _print_json(events: object) -> None:
    import msgspec

    print(msgspec.json.format(msgspec.json.encode(events), indent=2).decode())
