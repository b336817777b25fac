"""Every run of a folder of reports, newest first; what was read once is kept beside them.

A run's folder is read again when its result has changed, so that what is kept can be thrown away at any time.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

import msgspec

from harness.archive import reading
from harness.archive.past import OTHERS, Past
from harness.folder import LATEST
from harness.whole import write

KEPT = ".runs.json"
EDITION = 1
"""Rises when `Past` or what is read of a result changes."""
DEPTH = 3
"""How far down runs are looked for: those of a comparison stand in `<time>-compare-.../a/`."""

Stamp = tuple[int, int, int]


class _Kept(msgspec.Struct):
    edition: int
    runs: dict[str, tuple[Stamp, Past]]


def runs(reports: str) -> list[Past]:
    """The runs of a folder; a folder of another kind is told as one that has no result."""
    before = _kept(reports)
    stamped = {run: _stamp(reports, run) for run in _folders(reports, "", DEPTH)}
    found: dict[str, Past] = {}
    for run, stamp in stamped.items():
        known = before.get(run)
        with contextlib.suppress(FileNotFoundError):  # it was removed while we looked
            found[run] = known[1] if known and known[0] == stamp else reading.read(reports, run)
    keep = {run: (stamped[run], past) for run, past in found.items() if past.value not in OTHERS and _sayable(run)}
    if keep != before:
        _keep(reports, keep)
    return sorted(found.values(), key=lambda past: (past.when, past.run), reverse=True)


def _folders(reports: str, within: str, depth: int) -> Iterator[str]:
    """The folders of runs, by their paths within the reports."""
    inner = _inner(os.path.join(reports, within))
    for name in inner:
        path = os.path.join(within, name)
        if _is_run(os.path.join(reports, path)):
            yield path
        else:
            deeper = list(_folders(reports, path, depth - 1)) if depth > 1 else []
            yield from deeper or ([path] if not within else [])


def _inner(folder: str) -> list[str]:
    """The folders in one; `latest` is a run's second name, though CI may have made a copy of the link."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        folders = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
        return sorted(name for name in folders if name[0] != "." and name != LATEST)
    return []


def _is_run(folder: str) -> bool:
    return any(os.path.lexists(os.path.join(folder, name)) for name in (reading.RESULT, "events"))


def _stamp(reports: str, run: str) -> Stamp:
    """Changes when the run's folder gets a file, and when its result is written anew."""
    folder = os.path.join(reports, run)
    try:
        result = os.stat(os.path.join(folder, reading.RESULT))
        return os.stat(folder).st_mtime_ns, result.st_mtime_ns, result.st_size
    except OSError:
        return 0, 0, 0


def _sayable(run: str) -> bool:
    """Whether JSON can hold the name: a folder's may be any bytes."""
    return not any("\ud800" <= sign <= "\udfff" for sign in run)


def _kept(reports: str) -> dict[str, tuple[Stamp, Past]]:
    with contextlib.suppress(OSError, msgspec.DecodeError, UnicodeDecodeError):
        with open(os.path.join(reports, KEPT), "rb") as file:
            kept = msgspec.json.decode(file.read(), type=_Kept)
        if kept.edition == EDITION:
            return kept.runs
    return {}


def _keep(reports: str, found: dict[str, tuple[Stamp, Past]]) -> None:
    """A folder that cannot be written in can still be read."""
    with contextlib.suppress(OSError):
        write(os.path.join(reports, KEPT), msgspec.json.encode(_Kept(EDITION, found)))
