"""A run that was interrupted or killed: judged from what it left in its folder."""

from __future__ import annotations

import glob
import os
import shlex

import msgspec

from harness import judging
from harness.folder import Folder
from harness.history.events import Run
from harness.history.history import read
from harness.result import Result
from harness.scenario import load

NOTE = (
    "The run did not go all the way: it was interrupted or killed. What had not happened by then might have happened "
    "later, so nothing can be said to be missing."
)


class _Kept(msgspec.Struct):
    """What `target.json` says of the target."""

    folder: str


def recorded(path: str) -> bool:
    """Whether the folder holds a scenario and some history to judge by it."""
    lines = glob.glob(os.path.join(path, "events", "*.jsonl"))
    return os.path.isfile(os.path.join(path, "scenario.yaml")) and any(map(os.path.getsize, lines))


def judge(path: str, *, command: str = "") -> Result:
    """Judge what was recorded, keep the result and render the report, as at the end of a run that went all the way."""
    written = os.path.join(path, "scenario.yaml")
    with open(os.path.join(path, "target.json"), "rb") as file:
        kept = msgspec.json.decode(file.read(), type=_Kept)
    scenario, target = load(written, targets=os.path.dirname(kept.folder))
    history = read(path)
    run = history.first(Run)
    return judging.judge(
        Folder(os.path.abspath(path)),
        msgspec.structs.replace(scenario, name=run.scenario) if run else scenario,
        target,
        started=(run.t if run else history.begins) / 1e9,
        ended=history.ends / 1e9,
        command=command or shlex.join(["harness", "run", written]),
        versions={},
        notes=(NOTE,),
    )
