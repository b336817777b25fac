"""One run's folder as a `Past`, whatever was left in it."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import stat
import time
from datetime import datetime

import msgspec

from harness.archive.past import MEASURED, VALUES, Past
from harness.folder import is_held
from harness.history.events import Run
from harness.stopped import FILE as STOPPED
from harness.stopped import Stopped

RESULT, REPORT = "result.json", "report.html"
LONGEST = 4096
_NAMED = re.compile(r"(\d{8}T\d{6})-(.+)-[0-9a-f]{6}")


class _Result(msgspec.Struct):
    """Of a result only this is read, so that what is told of a hundred jobs costs nothing."""

    scenario: str
    target: str
    value: str
    version: int
    says: str = ""
    preset: str = ""
    seed: int | None = None
    knobs: dict[str, bool | int | float | str] = {}
    started: str = ""
    seconds: float = 0.0
    command: str = ""
    fingerprint: str = ""
    measurements: dict[str, float | None] = {}


_RESULTS = msgspec.json.Decoder(_Result)
_UNREADABLE = (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def read(reports: str, run: str) -> Past:
    """The run in this folder; one without a result says as well as it can what it was."""
    folder = os.path.join(reports, run)
    try:
        return _judged(folder, run, _RESULTS.decode(_bytes(os.path.join(folder, RESULT))))
    except FileNotFoundError:
        return _unjudged(folder, run)
    except _UNREADABLE as error:
        return _past(folder, run, "no result", f"{RESULT} cannot be read: {error}")


def _bytes(path: str, most: int = -1) -> bytes:
    """What a plain file holds; anything else, such as a pipe, could keep us waiting."""
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise OSError("not a file")
    with open(path, "rb") as file:
        return file.read(most)


def _judged(folder: str, run: str, result: _Result) -> Past:
    from harness.result import VERSION

    if result.version != VERSION or result.value not in VALUES:
        what = f"version {result.version}, value {result.value}"
        return _past(folder, run, "no result", f"{RESULT} was not written by this version of the harness: {what}")
    variant, settings = _asked(result.command)
    likeness = [result.scenario, result.target, variant, result.preset, sorted(result.knobs.items())]
    cut = _stopped(folder)  # then it was judged from what there was
    named = _past(folder, run, cut.why, cut.says) if cut else _past(folder, run, result.value, result.says)
    return msgspec.structs.replace(
        named,
        scenario=result.scenario,
        target=result.target,
        variant=variant,
        preset=result.preset,
        settings=settings,
        seed=result.seed,
        started=result.started or named.started,
        when=_when(result.started) or named.when,
        seconds=result.seconds,
        measured=_measured(result.measurements),
        fingerprint=result.fingerprint,
        alike=hashlib.sha256(msgspec.json.encode([*likeness, result.fingerprint])).hexdigest()[:16],
    )


def _stopped(folder: str) -> Stopped | None:
    """Why the run did not come to its end, where it says so."""
    try:
        return msgspec.json.decode(_bytes(os.path.join(folder, STOPPED)), type=Stopped)
    except _UNREADABLE:
        return None


def _measured(found: dict[str, float | None]) -> dict[str, float]:
    """What has no end is kept as null, and is left out; how many were lost is the invariant's to say."""
    named = {"lost": "no_lost_jobs.lost"}
    held = {name: found.get(named.get(name, name)) for name in MEASURED}
    return {name: value for name, value in held.items() if value is not None}


def _asked(command: str) -> tuple[str, str]:
    """The variant, and all else by which the command line changed the scenario."""
    try:
        words = iter(shlex.split(command))
    except ValueError:
        return "", ""
    variant, settings = "", list[str]()
    for word in words:
        if word == "--variant":
            variant = next(words, "")
        elif word == "--set":
            settings.append(next(words, ""))
        elif word in ("--overlay", "--time-scale", "--patience"):
            settings.append(f"{word[2:]}={next(words, '')}")
        elif word == "--quick":
            settings.append("quick")
    return variant, " ".join(settings)


def _unjudged(folder: str, run: str) -> Past:
    if is_held(folder):
        return _begun(folder, _past(folder, run, "running", "It has not come to its end yet."))
    try:
        stopped = msgspec.json.decode(_bytes(os.path.join(folder, STOPPED)), type=Stopped)
        return _begun(folder, _past(folder, run, stopped.why, stopped.says))
    except _UNREADABLE:
        pass  # it was killed before it could leave a word, or is no run at all
    if os.path.isdir(os.path.join(folder, "events")):
        return _begun(folder, _past(folder, run, "interrupted", "It was killed before it came to a result."))
    return _past(folder, run, "no result", "There is neither a result nor a history in this folder.")


def _begun(folder: str, past: Past) -> Past:
    """With what the first line of its history says it was."""
    try:
        line = _bytes(os.path.join(folder, "events", "harness.jsonl"), LONGEST).partition(b"\n")[0]
        run = msgspec.json.decode(line, type=Run)
    except _UNREADABLE:
        return past
    return msgspec.structs.replace(past, scenario=run.scenario, target=run.target, seed=run.seed)


def _past(folder: str, run: str, value: str, says: str) -> Past:
    """What the folder's name and place tell."""
    named = _NAMED.fullmatch(os.path.basename(run))
    when = _when(named[1]) if named else 0.0
    when = when or os.stat(folder).st_mtime
    started = time.strftime("%Y-%m-%dT%H:%M:%S%z", time.localtime(when))
    has_page = os.path.isfile(os.path.join(folder, REPORT))
    scenario = named[2] if named else os.path.basename(run)
    return Past(run=run, value=value, says=says, scenario=scenario, started=started, when=when, has_page=has_page)


def _when(text: str) -> float:
    """Seconds since the epoch, or 0 where the text is no time."""
    try:
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError, OSError):
        return 0.0
