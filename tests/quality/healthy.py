"""Long histories in which nothing is wrong, told in events that no file keeps in order."""

from __future__ import annotations

import random
from bisect import bisect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from harness.history.events import (
    Ack,
    Drained,
    Drop,
    End,
    Fault,
    Finish,
    Offer,
    OfJob,
    OfRun,
    Planned,
    Revive,
    Sample,
    State,
    Waits,
)
from harness.history.history import History
from harness.history.lines import read_lines
from tests.unit.invariants.histories import Tale, ns

KILL, END = 10.0, 100.0
ODD = ("", "\n", '"', "\x00", "☃", "<b>", "job 1 ")

Delay = Callable[[random.Random, int], float]
"""How long the retry of this number (from 0) waits."""


def jittered(rng: random.Random, number: int) -> float:
    return rng.uniform(1.0, 3.0) * float(2**number)


def over_the_whole_delay(rng: random.Random, number: int) -> float:
    return rng.uniform(0.0, 4.0) * float(2**number)


def in_lockstep(rng: random.Random, number: int) -> float:
    return 2.0 * float(2**number)


def at_one_pace(rng: random.Random, number: int) -> float:
    return rng.uniform(1.4, 2.6)


class Shuffled(Tale):
    """A tale whose events are spread over files without any order, as no file's name and no line's place means
    anything."""

    def __init__(self, rng: random.Random, delay: Delay = jittered) -> None:
        super().__init__()
        self.rng, self.delay, self.events = rng, delay, list[OfJob | OfRun]()
        self.torn = b""
        self.waits = Waits(lease=30.0, window=60.0, extended=True, remembers=61.0)
        self.uncounted: set[str] = set()
        """Jobs that were given up and that the queue's own count of dead letters lacks."""
        self.kept = 0
        """Bytes that Redis keeps of each completed job."""

    def tell(self, *events: OfJob | OfRun) -> Tale:
        self.events += events
        return self

    def whole(self) -> Shuffled:
        """The tale with its end, and with what was planned."""
        offered = sum(isinstance(event, Offer | Drop) for event in self.events)
        faults = sum(isinstance(event, Fault) and event.state in ("injected", "missed") for event in self.events)
        self.tell(Planned(t=ns(0), jobs=offered, faults=faults, seconds=60.0, waits=self.waits))
        self._look()
        self.tell(State(t=ns(END), queued=0, active=0, delayed=0))
        self.tell(Drained(t=ns(END), left=0, why="everything was done"), End(t=ns(END)))
        return self

    def _look(self) -> None:
        """Every second: what a worker uses, what Redis holds, how many dead letters the queue counts."""
        ends = [event for event in self.events if isinstance(event, Finish)]
        dead = [event.t for event in ends if event.outcome == "dead" and event.key not in self.uncounted]
        done = [event.t for event in ends if event.outcome == "done"]
        back = [event.t for event in self.events if isinstance(event, Revive) and event.outcome == "replayed"]
        for times in (dead, back, done):
            times.sort()
        for second in range(int(END)):
            left, gone, over = (bisect(times, ns(second)) for times in (dead, back, done))
            self.tell(Sample(t=ns(second), process="w2", cpu=0.1, rss=1), State(t=ns(second), dead=left - gone))
            self.tell(Sample(t=ns(second), process="redis", cpu=0.1, rss=1, used=1_000 + self.kept * over))

    def until(self, moment: float) -> Shuffled:
        """What a harness that was killed at that moment leaves: the lines until then, and perhaps a part of one."""
        kept = Shuffled(self.rng)
        kept.events = [event for event in self.events if event.t <= ns(moment)]
        later = [event for event in self.events if event.t > ns(moment)]
        if later:
            line = msgspec.json.encode(self.rng.choice(later))
            kept.torn = line[: self.rng.randrange(len(line))]
        return kept

    def written(self, folder: Path) -> History:
        """The history, read from files."""
        lines: list[list[bytes]] = [[] for _ in range(self.rng.randint(1, 5))]
        for event in self.rng.sample(self.events, len(self.events)):
            self.rng.choice(lines).append(msgspec.json.encode(event))
        for number, some in enumerate(lines):
            text = b"".join(line + b"\n" for line in some)
            (folder / f"{number}.jsonl").write_bytes(text if number else text + self.torn)
        return History(read_lines([str(folder / f"{number}.jsonl") for number in range(len(lines))]))


def clean(rng: random.Random, jobs: int, delay: Delay = jittered) -> Shuffled:
    """Jobs that are done at once, retried, killed and handed out again, answered from a key, given up or rejected, and
    later a steady phase, a deploy and a shortage of memory that harm nobody; jobs that wait for their time, whose
    record changes meanwhile, that were told to stay away, that an operator puts back."""
    tale = Shuffled(rng, delay)
    tale.phase("busy", 0, 40).fault("kill_worker", KILL, KILL, says="w1 got SIGKILL").died("w1", 1, KILL)
    _done(tale, "after the kill", KILL + 1)
    for number in range(jobs):
        become = rng.choice((_at_once, _retried, _killed, _answered, _given_up, _rejected, _delayed, _changed, _told))
        become(tale, f"job-{number}{rng.choice(ODD)}", rng.uniform(0, 20))
    tale.phase("steady", 40, 50)
    for number in range(12):
        _done(tale, f"steady-{number}", 40 + number * 0.8)
    deployed(tale, "in hand", n=1, at=52)
    tale.fault("squeeze_memory", 55, 56, n=2, evidence={"evicted": 0, "policy": "noeviction"})
    tale.rejected("in the squeeze", at=55.5)
    _done(tale, "after the squeeze", 57)
    return tale


def _done(tale: Shuffled, key: str, at: float) -> None:
    tale.acked(key, at=at).started(key, at + 0.1, worker="w2", pid=2).effect(key, at + 0.2)
    tale.finished(key, at + 0.2, worker="w2", pid=2)


def _at_once(tale: Shuffled, key: str, at: float) -> None:
    tale.acked(key, at=at).started(key, at + 0.1, worker="w2", pid=2).effect(key, at + 0.2)
    tale.finished(key, at + tale.rng.choice((0.2, 0.3)), worker="w2", pid=2)


def _retried(tale: Shuffled, key: str, at: float) -> None:
    tale.acked(key, at=at)
    for number in range(tale.rng.randint(1, 3)):
        tale.ran(key, at, at + 0.1, "failed", worker="w2", pid=2)
        at += 0.1 + tale.delay(tale.rng, number)
    tale.started(key, at, worker="w2", pid=2).effect(key, at + 0.1).finished(key, at + 0.1, worker="w2", pid=2)


def _killed(tale: Shuffled, key: str, at: float) -> None:
    tale.acked(key, at=KILL - 2).started(key, KILL - 1)
    tale.started(key, KILL + tale.rng.choice((0.0, 1.0)), worker="w2", pid=2).effect(key, KILL + 2)
    tale.finished(key, KILL + 2, worker="w2", pid=2)


def _answered(tale: Shuffled, key: str, at: float) -> None:
    """The effect was committed, its answer never came, and the retry was given the first answer again."""
    tale.acked(key, at=at).started(key, at, worker="w2", pid=2).effect(key, at + 0.1)
    tale.finished(key, at + 3, "failed", worker="w2", pid=2)
    at += 3 + tale.delay(tale.rng, 0)
    tale.started(key, at, worker="w2", pid=2).replay(key, at + 0.1).finished(key, at + 0.2, worker="w2", pid=2)


def _delayed(tale: Shuffled, key: str, at: float) -> None:
    tale.offered(key, at=at, delay=3).tell(Ack(t=ns(at + 0.1), key=key))
    tale.ran(key, at + 3, at + 3.2, worker="w2", pid=2).effect(key, at + 3.1)


def _changed(tale: Shuffled, key: str, at: float) -> None:
    tale.acked(key, at=at).changed(key, at + 0.5, version=2).ran(key, at + 1, at + 1.2, worker="w2", pid=2)
    tale.effect(key, at + 1.1, version=2)


def _told(tale: Shuffled, key: str, at: float) -> None:
    tale.acked(key, at=at).ran(key, at, at + 0.1, "failed", worker="w2", pid=2).refused(key, at + 0.1, after=0.9)
    at += 0.1 + tale.delay(tale.rng, 0)
    tale.ran(key, at, at + 0.1, worker="w2", pid=2).effect(key, at + 0.1)


def _given_up(tale: Shuffled, key: str, at: float) -> None:
    """No retry could mend it; then a person did, and put it back. Its letter was kept."""
    tale.acked(key, at=at).ran(key, at, at + 1, "failed", worker="w2", pid=2)
    at += 1 + tale.delay(tale.rng, 0)
    tale.ran(key, at, at + 1, "dead", worker="w2", pid=2, note="target.Permanent").revived(key, at + 1.5)
    tale.letter(key, END)
    tale.started(key, at + 2, worker="w2", pid=2).effect(key, at + 2.1).finished(key, at + 2.2, worker="w2", pid=2)


def _rejected(tale: Shuffled, key: str, at: float) -> None:
    tale.rejected(key, at=at)


def deployed(tale: Shuffled, key: str, *, n: int, at: float, finishes: bool = True) -> None:
    """A worker of its own has the job in hand when it is asked to end, and is gone a second later."""
    who: Any = {"worker": f"old-{n}", "pid": 100 + n}
    tale.acked(key, at=at - 1).started(key, at - 0.5, **who)
    if finishes:
        tale.effect(key, at + 0.5).finished(key, at + 0.5, **who)
    else:
        tale.started(key, at + 2, worker="w2", pid=2).effect(key, at + 3).finished(key, at + 3, worker="w2", pid=2)
    asked = {"worker": who["worker"], "in_hand": [key], "asked": ns(at), "ended": ns(at + 1), "killed": False}
    tale.died(who["worker"], who["pid"], at + 1).fault(
        "deploy_workers", at + 1, at + 1, n=n, evidence={"replaced": [asked]}
    )
