"""All that happened to one job, told in order."""

from __future__ import annotations

from signal import Signals
from typing import Any

import numpy as np

from harness.history import columns as c
from harness.history.events import Drained, Exit, Fault, Gone, Held, Ready
from harness.history.history import NEVER, History, Runs
from harness.verdict import Moment, Witness


def witness(history: History, job: int) -> Witness:
    """The job's key and its timeline: its own events, the deaths of processes that ran it, the faults that concern
    it, where it was left."""
    rows = np.flatnonzero(history.columns.job == job)
    rows = rows[np.argsort(history.columns.t[rows], kind="stable")]
    moments = [(int(history.columns.t[row]), _event(history, int(row))) for row in rows]
    runs = history.runs_of(np.arange(history.jobs) == job)
    moments += _deaths(history, runs) + _faults(history, job, rows, runs) + _left(history, job)
    ordered = sorted(moments, key=lambda moment: moment[0])
    return Witness(history.keys[job], tuple(Moment(round((t - history.begins) / 1e9, 6), what) for t, what in ordered))


def _event(history: History, row: int) -> str:
    columns = history.columns
    kind, num, text = int(columns.kind[row]), int(columns.num[row]), columns.texts[columns.text[row]]
    told = c.KINDS[kind]
    if kind == c.START:
        told = f"start, attempt {num}"
    elif kind == c.FINISH:
        told = f"finish {c.OUTCOMES[num]}"
    return told + (f" ({text})" if text else "") + _by(history, int(columns.who[row]))


def _by(history: History, who: int) -> str:
    if who < 0:
        return ""
    worker, pid = history.columns.whos[who]
    return f" by {worker}" + (f" pid {pid}" if pid else "") if worker else ""


def _deaths(history: History, runs: Runs) -> list[tuple[int, str]]:
    """The end of each process that ended while it ran the job."""
    cut = np.flatnonzero((runs.died != NEVER) & (runs.died <= runs.finish))
    ends = {(note.process, note.pid, note.t): note for note in history.notes if isinstance(note, Exit | Gone)}
    deaths = dict.fromkeys((*history.columns.whos[runs.who[run]], int(runs.died[run])) for run in cut)
    return [(death[2], _death(ends[death])) for death in deaths]


def _death(note: Exit | Gone) -> str:
    who = f"{note.process} pid {note.pid}"
    if isinstance(note, Gone):
        return f"{who} died while it ran the job"
    if note.code >= 0:
        return f"{who} exited with code {note.code} while it ran the job"
    known = {signal.value: signal.name for signal in Signals}
    return f"{who} was ended by {known.get(-note.code, -note.code)} while it ran the job"


def _faults(history: History, job: int, rows: Any, runs: Runs) -> list[tuple[int, str]]:
    """Faults that name a worker while it ran the job, and faults that name none while the job was about."""
    workers = {worker for worker, _ in history.columns.whos if worker} | {note.worker for note in history.of(Ready)}
    began = int(history.columns.t[rows[0]]) if len(rows) else NEVER
    ended = history.ends if history.outstanding[job] else max((int(history.columns.t[row]) for row in rows), default=0)
    words: dict[int, set[str]] = {}
    for note in history.faults:
        # A heal does not repeat whom the fault struck.
        words.setdefault(note.n, set()).update(_words(note))
    told = []
    for note in history.faults:
        named = workers & words[note.n]
        # It may be noted after the death that it caused, or where no runs are told of: then its evidence names the job.
        in_hand = note.state == "injected" and history.keys[job] in words[note.n]
        if in_hand or (_struck(history, note, named, runs) if named else began <= note.t <= ended):
            told.append((note.t, f"fault {note.fault} {note.state}" + (f": {note.says}" if note.says else "")))
    return told


def _struck(history: History, note: Fault, named: set[str], runs: Runs) -> bool:
    """Whether one of the workers named ran the job at that moment, or died of it."""
    until = np.where(runs.died == NEVER, runs.end, runs.died)
    at = np.flatnonzero((runs.start <= note.t) & (note.t <= until))
    return any(history.columns.whos[runs.who[run]][0] in named for run in at)


def _words(note: Fault) -> set[str]:
    """Every string that the evidence holds, and every word of what the fault says."""
    found = set(note.says.replace(",", " ").split())
    values: list[Any] = [note.evidence]
    while values:
        value = values.pop()
        if isinstance(value, str):
            found.add(value)
        elif isinstance(value, dict | list):
            values.extend([*value, *value.values()] if isinstance(value, dict) else value)
    return found


def _left(history: History, job: int) -> list[tuple[int, str]]:
    """Where the queue had it after the drain, or that nobody has."""
    key = history.keys[job]
    held = [(note.t, f"still held by the queue: {note.where}") for note in history.of(Held) if note.key == key]
    drained = history.first(Drained)
    if held or drained is None or not history.outstanding[job]:
        return held
    return [(drained.t, "the drain ended; not completed")]
