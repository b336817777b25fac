"""Histories and results made by hand for the tests of reports."""

from __future__ import annotations

import random

from harness.history.columns import Builder
from harness.history.events import (
    Ack,
    Drained,
    Effect,
    End,
    Exit,
    Fault,
    Finish,
    Offer,
    OfJob,
    OfRun,
    Phase,
    Planned,
    Refuse,
    Run,
    Sample,
    Start,
    State,
)
from harness.history.history import History
from harness.result import Result, summarise
from harness.verdict import Moment, Verdict, Witness

BEGINS = 1_700_000_000_000_000_000


def at(seconds: float) -> int:
    """A moment of the run on the history's clock."""
    return BEGINS + round(seconds * 1e9)


def history(*events: OfJob | OfRun) -> History:
    """The history that holds these events."""
    builder = Builder()
    for event in events:
        builder.add(event)
    return History(builder.columns_by_time())


def worker_kill(key: str = "job-000200", *, seconds: int = 40) -> History:
    """A run in which worker-2 was killed between the effect of one job and its end, so that the effect was done
    twice; a downstream outage follows."""
    events: list[OfJob | OfRun] = [
        Run(t=at(-1), id="r1", scenario="worker-kill", target="celery", seed=7),
        Planned(t=at(-0.9), jobs=seconds * 20, faults=2, seconds=seconds),
        Phase(t=at(0), name="warm-up", until=at(5)),
        Phase(t=at(5), name="steady", until=at(seconds)),
        Phase(t=at(seconds), name="drain", until=at(seconds + 30)),
        Fault(
            t=at(10.06),
            n=0,
            fault="kill_worker",
            state="injected",
            says="worker-2 was killed with 1 job in flight.",
            evidence={"pid": 4242, "signal": "KILL", "in_flight": 1, "pid_gone": True},
        ),
        Exit(t=at(10.06), process="worker-2", pid=4242, code=-9),
        Fault(
            t=at(22),
            n=1,
            fault="downstream_refuses",
            state="injected",
            says="The downstream answers 503.",
            evidence={"refused": 61, "how": "503"},
        ),
        Fault(
            t=at(27),
            n=1,
            fault="downstream_refuses",
            state="healed",
            says="The first call after it was answered 200.",
            evidence={"seconds": 5.0},
        ),
        Drained(t=at(seconds + 6), left=0),
        End(t=at(seconds + 6.1)),
    ]
    events += [event for half in range(seconds * 2) for event in _looked_at(half / 2)]
    chance = random.Random(1)
    for n in range(seconds * 20):
        events += _job(key if n == 200 else f"job-{n:06}", n / 20, chance, killed=n == 200)
    return history(*events)


def _looked_at(moment: float) -> list[OfRun]:
    """What the queue said of itself and what each process used."""
    queued = 40 if 22 <= moment < 28 else 2
    samples = [
        Sample(t=at(moment), process=process, cpu=moment * share, rss=size + int(moment * 1e5), used=used)
        for process, share, size, used in (
            ("redis", 0.05, 9_000_000, int(1e6 + queued * 5e4)),
            ("producer", 0.2, 40_000_000, None),
            ("worker-1", 0.5, 60_000_000, None),
            ("worker-2", 0.4, 60_000_000, None),
        )
    ]
    return [State(t=at(moment), queued=queued, active=1, delayed=0, failed=0, dead=int(moment > 25)), *samples]


def _job(key: str, due: float, chance: random.Random, *, killed: bool) -> list[OfJob | OfRun]:
    acked = due + 0.002 + chance.random() * 0.003
    events: list[OfJob | OfRun] = [Offer(t=at(due + 0.001), key=key, intended=at(due)), Ack(t=at(acked), key=key)]
    start = acked + 0.004
    if killed:
        events += [
            Start(t=at(start), worker="worker-2", pid=4242, key=key, run="r1"),
            Effect(t=at(start + 0.05), key=key, worker="worker-2"),
        ]
        return events + _run(key, "worker-1", 4241, start + 6.1, 2)
    attempt = 1
    while 22 <= start < 27:
        events += [
            Start(t=at(start), worker="worker-1", pid=4241, key=key, run=f"{key}.{attempt}", attempt=attempt),
            Refuse(t=at(start + 0.05), key=key, worker="worker-1", how="503"),
            Finish(
                t=at(start + 0.052),
                worker="worker-1",
                pid=4241,
                key=key,
                run=f"{key}.{attempt}",
                outcome="failed",
                note="HTTPError",
            ),
        ]
        start += 0.5 * 2**attempt * (0.5 + chance.random())
        attempt += 1
    return events + _run(key, "worker-1", 4241, start + chance.expovariate(20), attempt)


def _run(key: str, worker: str, pid: int, start: float, attempt: int) -> list[OfJob | OfRun]:
    run = f"{key}.{attempt}"
    return [
        Start(t=at(start), worker=worker, pid=pid, key=key, run=run, attempt=attempt),
        Effect(t=at(start + 0.05), key=key, worker=worker),
        Finish(t=at(start + 0.053), worker=worker, pid=pid, key=key, run=run, outcome="done"),
    ]


def verdicts(key: str = "job-000200") -> tuple[Verdict, ...]:
    """One verdict of each value."""
    timeline = (
        Moment(10.001, "offered"),
        Moment(10.004, "acked"),
        Moment(10.008, "worker-2 (pid 4242) starts attempt 1"),
        Moment(10.058, "effect by worker-2"),
        Moment(10.06, "worker-2 (pid 4242) is killed by signal 9 (fault 1, kill_worker)"),
        Moment(16.108, "worker-1 (pid 4241) starts attempt 2"),
        Moment(16.158, "effect by worker-1"),
        Moment(16.161, "worker-1 (pid 4241) finishes: done"),
    )
    return (
        Verdict(
            invariant="no_lost_jobs",
            claim="Every acked job was completed, or is dead where a person can see it.",
            value="PASS",
            says="All 800 acked jobs were completed; 3 were waiting when worker-2 was killed.",
            examined=800,
            of="acked jobs",
            violations=0,
            measured={"acked": 800, "at_risk": 3, "lost": 0},
        ),
        Verdict(
            invariant="no_duplicate_effects",
            claim="No job has its side effect twice.",
            value="FAIL",
            says="1 of 800 jobs had its side effect twice: it ran again after worker-2 was killed between effect and "
            "acknowledgement.",
            examined=800,
            of="jobs with an effect",
            violations=1,
            witnesses=(Witness(key, timeline),),
            measured={"duplicates": 1},
            usually="Usually broken by a worker that dies after its side effect. Make the\nhandler idempotent.",
            here="Redis delivers again after `visibility_timeout`.",
        ),
        Verdict(
            invariant="drains_within",
            claim="The backlog is gone within the bound after the load ends.",
            value="INCONCLUSIVE",
            says="The drain was cut short before the lease could expire.",
            examined=0,
            of="acked jobs",
            violations=0,
            usually="Usually broken by a lease that is too long.",
        ),
        Verdict(
            invariant="recovers_within",
            claim="After each fault the jobs that waited are completed within the bound.",
            value="PASS",
            says="The slowest recovery took 6.1 s of 30 s.",
            examined=2,
            of="faults",
            violations=0,
            measured={"seconds": 6.1},
        ),
        Verdict(
            invariant="replays_dead_letters",
            claim="A replayed dead job is completed.",
            value="NOT APPLICABLE",
            says="celery has no replay.",
            examined=0,
            of="dead jobs",
            violations=0,
        ),
    )


def result(*given: Verdict, key: str = "job-000200", **fields: str) -> Result:
    """A result with these verdicts, or with one of each value."""
    judged = given or verdicts(key)
    value, says = summarise(judged)
    return Result(
        run=fields.get("run", "20260101-101500-worker-kill-celery"),
        scenario=fields.get("scenario", "worker-kill"),
        target="celery",
        about="A worker is killed at the worst moment: its effect is committed and it never learns of it.",
        preset="late-ack",
        knobs={"acks_late": True, "prefetch": 4, "visibility_timeout": 6.0, "idempotency": "none"},
        seed=7,
        started="2026-01-01T10:15:00+00:00",
        seconds=46.1,
        value=value,
        says=says,
        verdicts=judged,
        measurements={"offered_per_second": 20.0, "completed_per_second": 19.9, "lateness_p99_ms": 1.8},
        versions={"python": "3.11.2", "celery": "5.7.0", "redis": "8.2.3", "toxiproxy": "2.12.0"},
        command="harness run scenarios/worker-kill.yaml --target celery --preset late-ack --seed 7",
        notes=("The load generator used 91 % of a core: it may have been the bottleneck.",),
    )
