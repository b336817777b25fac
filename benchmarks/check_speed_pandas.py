"""The same claims in pandas, written as one would at first: a frame of events, groups, merges."""

from __future__ import annotations

import json
import os
from math import sqrt
from typing import Any

import numpy as np
import pandas as pd

OFFER, ACK, START, FINISH, EFFECT, REPLAY = 0, 1, 5, 6, 7, 8
DONE, FAILED, DEAD = range(3)
Found = dict[str, tuple[str, int]]


class Facts:
    """The events in a frame, and the first time of each kind per job."""

    def __init__(self, folder: str) -> None:
        history = os.path.join(folder, "history")
        with open(os.path.join(history, "tables.json")) as file:
            self.tables = json.load(file)
        names = ("t", "kind", "job", "who", "run", "num")
        self.events = pd.DataFrame({name: np.load(os.path.join(history, f"{name}.npy")) for name in names})
        self.intended = pd.Series(np.load(os.path.join(history, "intended.npy")))
        self.finishes = self.of(FINISH)
        self.offered, self.acked = self.first(self.of(OFFER)), self.first(self.of(ACK))
        self.completed = self.first(self.finishes[self.finishes.num == DONE])
        self.dead = self.first(self.finishes[self.finishes.num == DEAD])
        self.runs = self._runs()

    def of(self, kind: int) -> Any:
        return self.events[self.events.kind == kind]

    def first(self, events: Any) -> Any:
        return events.groupby("job").t.min()

    def notes(self, kind: str) -> Any:
        return pd.DataFrame([note for note in self.tables["notes"] if note["e"] == kind])

    def _runs(self) -> Any:
        starts = self.of(START)[["run", "job", "who", "t"]].rename(columns={"t": "start"})
        runs = starts.merge(self.finishes[["run", "t", "num"]].rename(columns={"t": "finish"}), on="run", how="left")
        whos = pd.DataFrame(self.tables["whos"], columns=["process", "pid"]).reset_index(names="who")
        deaths = whos.merge(self.notes("exit")[["process", "pid", "t"]], on=["process", "pid"])
        runs = runs.merge(deaths[["who", "t"]].rename(columns={"t": "died"}), on="who", how="left")
        died = runs.died.where(runs.died >= runs.start) - 250_000_000
        runs["end"] = runs.finish.fillna(died).fillna(2**63 - 1)
        return runs.sort_values(["job", "start", "end"])


def check(folder: str) -> Found:
    """Each invariant's value and how many things it examined."""
    facts = Facts(folder)
    return {**_jobs(facts), **_runs(facts), **_retries(facts), **_times(facts), **_standing(facts)}


def _held(good: Any, examined: int) -> tuple[str, int]:
    return ("PASS" if bool(good) else "FAIL", int(examined))


def _jobs(facts: Facts) -> Found:
    lost = facts.acked.index.difference(facts.completed.index).difference(facts.dead.index)
    effects = facts.of(EFFECT)
    worked = facts.first(facts.events[facts.events.kind.isin([EFFECT, REPLAY])])
    queue = facts.notes("state").iloc[-1]
    waiting = queue.queued + queue.active + queue.delayed
    faults = facts.notes("fault")
    both = pd.concat([facts.acked.rename("acked"), facts.completed.rename("completed")], axis=1)
    risk = pd.Series(False, index=both.index)
    for at in faults[faults.state == "injected"].t:
        risk |= (both.acked <= at) & ~(both.completed <= at)
    risk.sum()  # told in the sentence of no_lost_jobs
    return {
        "no_lost_jobs": _held(len(lost) <= waiting, len(facts.acked)),
        "no_stuck_jobs": _held(not (len(lost) and waiting), len(facts.acked)),
        "every_completion_has_its_effect": _held(
            (worked.reindex(facts.completed.index) <= facts.completed).all(), len(facts.completed)
        ),
        "no_duplicate_effects": _held((effects.groupby("job").size() <= 1).all(), effects.job.nunique()),
    }


def _runs(facts: Facts) -> Found:
    following = facts.runs.groupby("job").start.shift(-1)
    ran = pd.concat([facts.runs.job, facts.of(EFFECT).job]).drop_duplicates()
    return {
        "no_overlapping_runs": _held(not (facts.runs.end > following).any(), len(facts.runs)),
        "attempts_are_bounded": _held((facts.runs.groupby("job").size() <= 6).all(), facts.runs.job.nunique()),
        "no_unexpected_jobs": _held(ran.isin(facts.offered.index).all(), len(ran)),
    }


def _retries(facts: Facts) -> Found:
    runs = facts.runs.assign(following=facts.runs.groupby("job").start.shift(-1))
    failed = runs[(runs.num == FAILED) & runs.following.notna()]
    retries = failed.assign(number=failed.groupby("job").cumcount(), delay=(failed.following - failed.finish) / 1e9)
    retries = retries.groupby("number").filter(lambda some: len(some) >= 10).sort_values(["number", "finish"])
    return {
        "retries_are_spread": _held(_spread(retries), len(retries)),
        "retries_back_off": _held(_grow(retries), len(retries)),
    }


def _spread(retries: Any) -> bool:
    weight = retries.groupby("number").delay.transform("mean")
    apart = pairs = 0.0
    for step in range(1, 11):
        other = retries.groupby("number").delay.shift(step)
        mean = (retries.delay + other) / 2
        far = (mean >= 0.5) & ((retries.delay - other).abs() > (0.15 * mean).clip(0.4, 1.5))
        apart, pairs = apart + weight[far].sum(), pairs + weight[other.notna()].sum()
    return bool(apart / pairs >= 0.42 + 0.4 * sqrt((weight**2).sum()) / weight.sum())


def _grow(retries: Any) -> bool:
    def mean(some: Any) -> tuple[float, float]:
        kept = some.nsmallest(int(0.8 * len(some)))
        return kept.mean(), kept.sem()

    numbers = retries.number.nunique()
    first = mean(retries[retries.number == 0].delay)
    late = mean(retries[retries.number >= (numbers + 1) // 2].delay)
    factor = 1 + max(0.15, min(1.2, 1.05 / first[0]))
    surplus = late[0] - first[0] * factor - 2.75 * sqrt(late[1] ** 2 + (first[1] * factor) ** 2)
    return bool(surplus > 0 and late[0] > 1.05)


def _times(facts: Facts) -> Found:
    faults = facts.notes("fault")
    heals = faults[faults.state == "healed"].t
    since, last = max(heals.max(), facts.offered.max()), facts.completed.max()
    completed = facts.completed.reindex(facts.acked.index).fillna(2**63 - 1)
    slow = [at for at in heals if ((facts.acked <= at) & (completed > at + 120e9)).any()]
    starts = facts.of(START).t
    idle = [at for at in heals if not (starts[starts >= at].min() - at <= 30e9)]
    late = completed - facts.intended.reindex(facts.acked.index)
    p50, p99 = late.quantile([0.5, 0.99], interpolation="higher") / 1e9
    rate = len(facts.completed) * 1e9 / (last - facts.offered.min() + 1)
    return {
        "drains_within": _held(last - since <= 120e9, len(facts.acked)),
        "recovers_within": _held(not slow, len(heals)),
        "consumption_resumes": _held(not idle, len(heals)),
        "latency_stays_under": _held(p50 <= 1 and p99 <= 60, len(late)),
        "throughput_stays_over": _held(rate >= 100, len(facts.completed)),
    }


def _standing(facts: Facts) -> Found:
    faults, planned = facts.notes("fault"), facts.notes("planned").iloc[0]
    injected, healed = set(faults[faults.state == "injected"].n), set(faults[faults.state == "healed"].n)
    lateness = (facts.offered - facts.intended.reindex(facts.offered.index)).quantile([0.5, 0.99, 1.0])
    whole = not facts.tables["unreadable"] and len(facts.notes("end")) and len(facts.notes("drained"))
    return {
        "history_is_readable": _held(whole, len(facts.events) + len(facts.tables["notes"])),
        "load_was_offered": _held((lateness >= 0).all() and len(facts.offered) >= planned.jobs, len(facts.offered)),
        "faults_took_effect": _held(len(injected) >= planned.faults, len(injected)),
        "faults_healed": _held(injected <= healed, len(injected)),
    }
