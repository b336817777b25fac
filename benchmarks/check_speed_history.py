"""A long run made up: arrivals, failures with jittered back-off, kills with redelivery, in columns or as lines."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from harness.history import columns as c
from harness.history import kept
from harness.history.events import Drained, End, Exit, Fault, OfRun, Phase, Planned, Run, State

BEGINS = 1_800_000_000_000_000_000
RATE = 2_000.0
"""Jobs offered in a second."""
KILLS = 50
WORKERS = 8
PER_JOB = 5.61
"""Events per job that come of the shares below."""


class Parts:
    """Rows being gathered, a part of one kind at a time."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.parts: list[NDArray[np.void]] = []
        self.runs = 0

    def put(self, kind: int, job: Any, at: Any, **fields: Any) -> None:
        rows = np.zeros(len(job), c.ROW)
        rows["t"], rows["kind"], rows["job"] = BEGINS + (at * 1e9).astype(np.int64), kind, job
        rows["who"] = rows["run"] = -1
        for name, value in fields.items():
            rows[name] = value
        self.parts.append(rows)

    def run(self, job: Any, at: Any, who: Any, attempt: Any) -> tuple[Any, Any]:
        """Start a run of each job; returns the runs and when each ends."""
        run = np.arange(self.runs, self.runs + len(job))
        self.runs += len(job)
        self.put(c.START, job, at, who=who, run=run, num=attempt)
        return run, at + self.random.uniform(0.01, 0.05, len(job))


def make(events: int, seed: int = 1) -> c.Columns:
    """About so many events: 8 jobs of 100 fail up to four times, 1 of 100 is in hand when its worker is killed."""
    jobs = int(events / PER_JOB)
    parts, every, span = Parts(seed), np.arange(jobs), jobs / RATE
    due = np.sort(parts.random.uniform(0, span, jobs))
    parts.put(c.OFFER, every, due + 0.001)
    parts.put(c.ACK, every, due + 0.002)
    kills = np.linspace(span * 0.1, span * 0.9, KILLS)
    ready = _killed(parts, due + parts.random.exponential(0.02, jobs) + 0.003, kills, jobs // 100)
    _fail(parts, ready, parts.random.random(jobs) < 0.08)
    run, ends = parts.run(every, ready, every % WORKERS, 1)
    parts.put(c.EFFECT, every, ends - 0.001, who=every % WORKERS + WORKERS + KILLS)
    parts.put(c.FINISH, every, ends, who=every % WORKERS, run=run, num=c.DONE)
    return _columns(parts, due, kills, jobs)


def _killed(parts: Parts, ready: Any, kills: Any, count: int) -> Any:
    """Some of the jobs begin just before a kill and are handed out again after it."""
    which = np.searchsorted(ready, kills - 0.2)
    job = np.unique(np.concatenate([at - np.arange(1, 1 + max(1, count // KILLS)) for at in which]))
    kill = np.searchsorted(which, job, side="right")
    parts.run(job, kills[kill] - 0.005, WORKERS + kill, 1)
    ready[job] = kills[kill] + parts.random.uniform(0.5, 3.0, len(job))
    return ready


def _fail(parts: Parts, ready: Any, fails: Any) -> None:
    """These jobs fail one to four times, and wait longer each time."""
    tries = np.where(fails, parts.random.integers(1, 5, len(ready)), 0)
    for attempt in range(1, 5):
        job = np.flatnonzero(tries >= attempt)
        run, ends = parts.run(job, ready[job], job % WORKERS, attempt)
        parts.put(c.REFUSE, job, ends - 0.001, who=job % WORKERS + WORKERS + KILLS, text=1)
        parts.put(c.FINISH, job, ends, who=job % WORKERS, run=run, num=c.FAILED, text=2)
        ready[job] = ends + 2.0**attempt * parts.random.uniform(0.5, 1.5, len(job))


def _columns(parts: Parts, due: Any, kills: Any, jobs: int) -> c.Columns:
    rows = np.concatenate(parts.parts)
    rows = rows[np.lexsort((rows["t"], rows["kind"]))]
    names = [f"worker-{n + 1}" for n in range(WORKERS)]
    whos = [(name, 100) for name in names] + [(names[n % WORKERS], 200 + n) for n in range(KILLS)]
    return c.Columns(
        **{name: np.ascontiguousarray(rows[name]) for name in c.ROW.names or ()},
        intended=BEGINS + (due * 1e9).astype(np.int64),
        keys=[f"job-{n:08}" for n in range(jobs)],
        whos=whos + [(name, 0) for name in names],
        texts=["", "503", "DownstreamFailed"],
        runs=parts.runs,
        notes=tuple(_notes(kills, jobs, int(rows["t"].max()) - BEGINS)),
        unreadable=(),
    )


def _notes(kills: Any, jobs: int, last: int) -> list[OfRun]:
    end = BEGINS + last + 10**9
    faults: list[OfRun] = []
    for n, at in enumerate(BEGINS + (kills * 1e9).astype(int)):
        name, says = f"worker-{n % WORKERS + 1}", "got SIGKILL"
        faults += [
            Exit(t=int(at), process=name, pid=200 + n, code=-9),
            Fault(t=int(at), n=n, fault="kill_worker", state="injected", says=f"{name} {says}", evidence={"pid": n}),
            Fault(t=int(at), n=n, fault="kill_worker", state="healed"),
        ]
    return [
        Run(t=BEGINS, id="made", scenario="made", target="made", seed=1),
        Planned(t=BEGINS, jobs=jobs, faults=KILLS, seconds=jobs / RATE),
        Phase(t=BEGINS, name="load", until=BEGINS + int(jobs / RATE * 1e9)),
        *faults,
        State(t=end, queued=0, active=0, delayed=0),
        Drained(t=end, left=0, why="everything was done"),
        End(t=end),
    ]


def store(columns: c.Columns, folder: str) -> None:
    """Keep the columns as a run's folder does."""
    kept.save(columns, os.path.join(folder, "history"), None)


def write_lines(columns: c.Columns, folder: str) -> int:
    """Write the same events as the processes of a run do, a file for each; returns how many bytes."""
    events = os.path.join(folder, "events")
    os.makedirs(events)
    with open(os.path.join(events, "harness.jsonl"), "wb") as file:
        file.writelines(msgspec.json.encode(note) + b"\n" for note in columns.notes)
    sources = {"load-1": columns.kind < c.START, "downstream": columns.kind >= c.EFFECT}
    runs = (columns.kind == c.START) | (columns.kind == c.FINISH)
    for number, (worker, pid) in enumerate(columns.whos[: WORKERS + KILLS]):
        sources[f"{worker}.{pid}"] = runs & (columns.who == number)
    for name, which in sources.items():
        with open(os.path.join(events, f"{name}.jsonl"), "w") as file:
            file.writelines(_lines(columns, np.flatnonzero(which)))
    return sum(os.path.getsize(os.path.join(events, name)) for name in os.listdir(events))


def _lines(columns: c.Columns, at: NDArray[np.intp]) -> Iterator[str]:
    whos, texts, keys, intended = columns.whos, columns.texts, columns.keys, columns.intended
    some = (getattr(columns, name)[at].tolist() for name in ("t", "kind", "job", "who", "run", "num", "text"))
    for t, kind, job, who, run, num, text in zip(*some, strict=True):
        head = f'{{"e":"{c.KINDS[kind]}","t":{t},"key":"{keys[job]}"'
        if kind == c.OFFER:
            yield f'{head},"intended":{intended[job]}}}\n'
        elif kind == c.ACK:
            yield f"{head}}}\n"
        elif kind == c.START or kind == c.FINISH:
            worker, pid = whos[who]
            tail = f'"attempt":{num}' if kind == c.START else f'"outcome":"{c.OUTCOMES[num]}","note":"{texts[text]}"'
            yield f'{head},"worker":"{worker}","pid":{pid},"run":"{pid}.18e9197b08e9ec2b.{run}",{tail}}}\n'
        else:
            how = f',"how":"{texts[text]}"' if kind == c.REFUSE else ""
            yield f'{head},"worker":"{whos[who][0]}"{how}}}\n'
