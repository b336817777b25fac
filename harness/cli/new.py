"""Write a new target to begin with: a small job queue on Redis in the language of your choice.

It passes every check of the target protocol as it stands. Put the calls of your own job system in the place of its
seven numbered steps, one after the other, and run a scenario after each.
"""

import os
import re
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from harness import target
from harness.problems import refuse

EXAMPLES = """examples:
  harness new target billing --language ruby               # writes ./targets/billing/
  harness new target billing --language go --into queues   # writes ./queues/billing/, for --targets queues
"""
TEMPLATES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "templates")
SHARED = "_shared"
SUFFIX = ".template"
NAME = re.compile(r"[a-z][a-z0-9_-]*")
KIT = "kit"
CARRIES_ITS_KIT = ("go",)
"""Languages whose programs are built before HARNESS_KIT is known: their targets have a copy of the kit."""


def arguments(parser: ArgumentParser) -> None:
    """What to write, its name and language, and where."""
    parser.add_argument("what", choices=("target",), help="a folder that makes a job system testable")
    parser.add_argument("name", metavar="NAME", help="lower-case letters, digits, `-` and `_`")
    parser.add_argument("--language", required=True, choices=languages(), help="what its programs are written in")
    parser.add_argument("--into", metavar="DIR", default="targets", help="where its folder is made (default: targets)")


def main(args: Namespace) -> int:
    """Write the folder, and say what to do next; raises `Problems` at a name that cannot be had."""
    folder = os.path.join(args.into, args.name)
    _check(args.name, folder)
    written = write(folder, args.language)
    print(f"Wrote {folder}{os.sep}\n" + "\n".join(f"  {name}" for name in written))
    print(_next(args.name, args.into, folder))
    return 0


def languages() -> list[str]:
    """Each language that there are templates of."""
    return sorted(name for name in os.listdir(TEMPLATES) if name[0] not in "_.")


def write(folder: str, language: str) -> list[str]:
    """Make the folder of a target, which is named after it, and give the names of its files."""
    texts = _texts(language)
    for name, text in texts.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace("{{name}}", os.path.basename(folder)))
    return list(texts)


def _texts(language: str) -> dict[str, str]:
    """Name -> content of each file. One that the language and everyone has begins with what the language has."""
    texts: dict[str, str] = {}
    for kind in (language, SHARED):
        for name, text in _files(os.path.join(TEMPLATES, kind)):
            name = name.removesuffix(SUFFIX)
            texts[name] = texts.get(name, "") + text
    if language in CARRIES_ITS_KIT:
        kit = _files(os.path.join(_kits(), language))
        texts |= {f"{KIT}/{name}": text for name, text in kit if name.endswith(".go") and not name.endswith("_test.go")}
    return dict(sorted(texts.items()))


def _files(folder: str) -> Iterator[tuple[str, str]]:
    """Every file below the folder: its path from there, and its content."""
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            with open(path, encoding="utf-8") as file:
                yield os.path.relpath(path, folder), file.read()


def _kits() -> str:
    return next(path for place in target.places() if os.path.isdir(path := os.path.join(place, KIT)))


def _check(name: str, folder: str) -> None:
    source = f"new target {name}"
    if not NAME.fullmatch(name):
        raise refuse(source, "a name has lower-case letters, digits, `-` and `_`, and begins with a letter", _fit(name))
    taken = {KIT, *(os.path.basename(known) for known in target.folders())}
    if name in taken or os.path.exists(folder):
        where = f"{folder} exists" if os.path.exists(folder) else "this name is taken"
        raise refuse(source, where, f"try `{_free(name, taken, os.path.dirname(folder))}`")


def _fit(name: str) -> str:
    """A hint with the nearest name that would do, if there is one."""
    fit = re.sub(r"[^a-z0-9_]+", "-", name.lower()).strip("-_").lstrip("0123456789-_")
    return f"try `{fit}`" if fit else "try `my-queue`"


def _free(name: str, taken: set[str], into: str) -> str:
    tries = (f"{name}-{number}" for number in range(2, len(taken) + 1000))
    return next(free for free in tries if free not in taken and not os.path.exists(os.path.join(into, free)))


def _next(name: str, into: str, folder: str) -> str:
    """What to do now, with what is missing on this machine."""
    from harness import toolchains

    options = f"--target {name}" + ("" if os.path.normpath(into) == "targets" else f" --targets {into}")
    lacking = toolchains.lacks(target.load(folder))
    lines = [
        *([f"\nIt cannot run here yet: {lacking}"] if lacking else []),
        "\nNext:",
        f"  harness validate scenarios/worker-kill.yaml {options}",
        f"  harness run scenarios/worker-kill.yaml {options}",
        f"  harness run scenarios/worker-kill.yaml {options} --set idempotency=none   # must fail: a duplicate effect",
        "\nThen read docs/adding.md and docs/target-protocol.md, and put your own system in the place of seven steps:",
        "  1. enqueue   2. take a job   3. run it   4. acknowledge   5. retry   6. dead letter   7. state and held",
    ]
    return "\n".join(lines)
