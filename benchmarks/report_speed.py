"""How long a report of 100,000 jobs takes, and how large it is: `python benchmarks/report_speed.py [JOBS]`."""

from __future__ import annotations

import sys
import time

import numpy as np

from harness.history import columns as c
from harness.history.events import End, Fault, Phase
from harness.history.history import History
from harness.report import html
from harness.result import Result, summarise
from harness.verdict import Moment, Verdict, Witness

BEGINS = 1_700_000_000_000_000_000
KINDS = (c.OFFER, c.ACK, c.START, c.EFFECT, c.FINISH)


def history(jobs: int, seconds: float = 300.0) -> History:
    """Five events per job, at even arrivals with exponential waits, and a fault every ten seconds."""
    due = np.linspace(0, seconds, jobs)
    waits = np.random.default_rng(1).exponential(0.02, (len(KINDS), jobs)).cumsum(axis=0)
    t = (BEGINS + (due + waits).ravel() * 1e9).astype(np.int64)
    order, job = np.argsort(t, kind="stable"), np.tile(np.arange(jobs, dtype=np.int32), len(KINDS))
    kind = np.repeat(np.array(KINDS, np.uint8), jobs)
    ran = np.isin(kind, (c.START, c.FINISH))
    none = np.zeros(len(t), np.int32)
    return History(
        c.Columns(
            t=t[order],
            kind=kind[order],
            job=job[order],
            who=np.where(kind >= c.START, 0, -1).astype(np.int32)[order],
            run=np.where(ran, job, -1).astype(np.int32)[order],
            num=none,
            text=none,
            intended=(BEGINS + due * 1e9).astype(np.int64),
            keys=[f"job-{n:06}" for n in range(jobs)],
            whos=[("worker-1", 1)],
            texts=[""],
            runs=jobs,
            notes=tuple(notes(seconds)),
            unreadable=(),
        )
    )


def notes(seconds: float) -> list[Phase | Fault | End]:
    faults = [
        Fault(t=BEGINS + n * 10**10, n=n, fault="kill_worker", state="injected", says="gone", evidence={"pid": n})
        for n in range(int(seconds / 10))
    ]
    return [
        Phase(t=BEGINS, name="steady", until=BEGINS + int(seconds * 1e9)),
        *faults,
        End(t=BEGINS + int((seconds + 1) * 1e9)),
    ]


def result() -> Result:
    """Twelve verdicts with five witnesses each."""
    witnesses = tuple(
        Witness(f"job-{n:06}", tuple(Moment(float(at), "something happened") for at in range(20))) for n in range(5)
    )
    verdicts = [
        Verdict(
            invariant=f"claim_{n}",
            claim="It holds.",
            value="FAIL",
            says="It did not.",
            examined=9,
            of="jobs",
            violations=5,
            witnesses=witnesses,
        )
        for n in range(12)
    ]
    value, says = summarise(verdicts)
    return Result(
        run="r",
        scenario="s",
        target="t",
        seed=1,
        started="",
        seconds=300,
        value=value,
        says=says,
        verdicts=tuple(verdicts),
    )


def main() -> None:
    jobs = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    times = []
    for _ in range(5):
        fresh = history(jobs)
        began = time.perf_counter()
        page = html.render(result(), fresh)
        times.append(time.perf_counter() - began)
    print(f"{jobs:,} jobs: median {sorted(times)[2]:.3f} s, worst {max(times):.3f} s, {len(page.encode()):,} bytes")


if __name__ == "__main__":
    main()
