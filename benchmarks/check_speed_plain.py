"""The same claims in plain Python, written as one would at first: a pass over the events, dictionaries, loops."""

from __future__ import annotations

import json
import os
from bisect import bisect_left
from collections import Counter, defaultdict
from itertools import pairwise
from math import ceil, sqrt
from typing import Any

import numpy as np

OFFER, ACK, START, FINISH, EFFECT, REPLAY = 0, 1, 5, 6, 7, 8
DONE, FAILED, DEAD = range(3)
Found = dict[str, tuple[str, int]]


class Facts:
    """What one pass over the events leaves."""

    def __init__(self, folder: str) -> None:
        history = os.path.join(folder, "history")
        with open(os.path.join(history, "tables.json")) as file:
            tables = json.load(file)
        self.notes, self.unreadable = tables["notes"], tables["unreadable"]
        self.intended = np.load(os.path.join(history, "intended.npy")).tolist()
        names = ("t", "kind", "job", "who", "run", "num")
        columns = [np.load(os.path.join(history, f"{name}.npy")).tolist() for name in names]
        self.events = len(columns[0])
        self.offered: dict[int, int] = {}
        self.acked: dict[int, int] = {}
        self.completed: dict[int, int] = {}
        self.dead: dict[int, int] = {}
        self.effects: Counter[int] = Counter()
        self.worked: dict[int, int] = {}
        self.starts: list[int] = []
        self.runs: dict[int, list[int]] = {}
        self.of_job: dict[int, list[int]] = defaultdict(list)
        self._pass(columns)
        self._bury(tables["whos"])

    def _pass(self, columns: list[list[int]]) -> None:
        for t, kind, job, who, run, num in zip(*columns, strict=True):
            if kind == OFFER:
                self.offered.setdefault(job, t)
            elif kind == ACK:
                self.acked.setdefault(job, t)
            elif kind == START:
                self.starts.append(t)
                self.runs[run] = [t, -1, -1, who]
                self.of_job[job].append(run)
            elif kind == FINISH:
                self.runs[run][1:3] = t, num
                if num == DONE:
                    self.completed.setdefault(job, t)
                elif num == DEAD:
                    self.dead[job] = t
            elif kind == EFFECT:
                self.effects[job] += 1
                self.worked.setdefault(job, t)
            elif kind == REPLAY:
                self.worked.setdefault(job, t)

    def _bury(self, whos: list[list[Any]]) -> None:
        deaths = {(note["process"], note["pid"]): note["t"] for note in self.of("exit")}
        for run in self.runs.values():
            if run[1] < 0:
                died = deaths.get(tuple(whos[run[3]]))
                run[1] = died - 250_000_000 if died is not None and died >= run[0] else 2**63 - 1

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [note for note in self.notes if note["e"] == kind]


def check(folder: str) -> Found:
    """Each invariant's value and how many things it examined."""
    facts = Facts(folder)
    return {**_jobs(facts), **_runs(facts), **_retries(facts), **_times(facts), **_standing(facts)}


def _held(good: bool, examined: int) -> tuple[str, int]:
    return ("PASS" if good else "FAIL", examined)


def _jobs(facts: Facts) -> Found:
    lost = [job for job in facts.acked if job not in facts.completed and job not in facts.dead]
    without = [job for job, t in facts.completed.items() if facts.worked.get(job, t + 1) > t]
    twice = [job for job, count in facts.effects.items() if count > 1]
    queue = facts.of("state")[-1]
    waiting = queue["queued"] + queue["active"] + queue["delayed"]
    faults = [note["t"] for note in facts.of("fault") if note["state"] == "injected"]
    # Told in the sentence of no_lost_jobs.
    len([1 for job, t in facts.acked.items() if _next(faults, t) < facts.completed.get(job, 2**63)])
    return {
        "no_lost_jobs": _held(len(lost) <= waiting, len(facts.acked)),
        "no_stuck_jobs": _held(not (lost and waiting), len(facts.acked)),
        "every_completion_has_its_effect": _held(not without, len(facts.completed)),
        "no_duplicate_effects": _held(not twice, len(facts.effects)),
    }


def _runs(facts: Facts) -> Found:
    overlapping, most = [], 0
    for job, runs in facts.of_job.items():
        most = max(most, len(runs))
        spans = sorted((facts.runs[run][0], facts.runs[run][1]) for run in runs)
        if any(one[1] > other[0] for one, other in pairwise(spans)):
            overlapping.append(job)
    strange = [job for job in {*facts.of_job, *facts.effects} if job not in facts.offered]
    return {
        "no_overlapping_runs": _held(not overlapping, len(facts.runs)),
        "attempts_are_bounded": _held(most <= 6, len(facts.of_job)),
        "no_unexpected_jobs": _held(not strange, len({*facts.of_job, *facts.effects})),
    }


def _retries(facts: Facts) -> Found:
    numbered: dict[int, list[tuple[int, float]]] = defaultdict(list)
    for runs in facts.of_job.values():
        number = 0
        for one, other in pairwise(runs):
            if facts.runs[one][2] == FAILED:
                number += 1
                failed_at = facts.runs[one][1]
                numbered[number].append((failed_at, (facts.runs[other][0] - failed_at) / 1e9))
    delays = {number: [delay for _, delay in sorted(some)] for number, some in numbered.items() if len(some) >= 10}
    count = sum(map(len, delays.values()))
    return {
        "retries_are_spread": _held(_spread(delays), count),
        "retries_back_off": _held(_grow([delays[number] for number in sorted(delays)]), count),
    }


def _spread(delays: dict[int, list[float]]) -> bool:
    apart = pairs = weights = squares = 0.0
    for some in delays.values():
        weight = sum(some) / len(some)
        weights, squares = weights + weight * len(some), squares + weight**2 * len(some)
        for step in range(1, 11):
            for one, other in zip(some, some[step:], strict=False):
                mean = (one + other) / 2
                pairs += weight
                if mean >= 0.5 and abs(one - other) > min(max(0.15 * mean, 0.4), 1.5):
                    apart += weight
    return apart / pairs >= 0.42 + 0.4 * sqrt(squares) / weights


def _grow(delays: list[list[float]]) -> bool:
    def mean(some: list[float]) -> tuple[float, float]:
        kept = sorted(some)[: int(0.8 * len(some))]
        middle = sum(kept) / len(kept)
        return middle, sqrt(sum((one - middle) ** 2 for one in kept) / (len(kept) - 1) / len(kept))

    first, late = mean(delays[0]), mean([one for some in delays[(len(delays) + 1) // 2 :] for one in some])
    factor = 1 + max(0.15, min(1.2, 1.05 / first[0]))
    surplus = late[0] - first[0] * factor - 2.75 * sqrt(late[1] ** 2 + (first[1] * factor) ** 2)
    return surplus > 0 and late[0] > 1.05


def _times(facts: Facts) -> Found:
    heals = sorted(note["t"] for note in facts.of("fault") if note["state"] == "healed")
    since, last = max(*heals, *facts.offered.values()), max(facts.completed.values())
    slow = [job for job, t in facts.acked.items() if _late(t, facts.completed.get(job, 2**63), heals)]
    idle = [at for at in heals if _next(facts.starts, at) - at > 30e9]
    late = sorted(facts.completed.get(job, 2**63) - facts.intended[job] for job in facts.acked)
    p50, p99 = (late[ceil(rank * len(late)) - 1] / 1e9 for rank in (0.5, 0.99))
    rate = len(facts.completed) * 1e9 / (last - min(facts.offered.values()) + 1)
    return {
        "drains_within": _held(last - since <= 120e9, len(facts.acked)),
        "recovers_within": _held(not slow, len(heals)),
        "consumption_resumes": _held(not idle, len(heals)),
        "latency_stays_under": _held(p50 <= 1 and p99 <= 60, len(late)),
        "throughput_stays_over": _held(rate >= 100, len(facts.completed)),
    }


def _next(times: list[int], moment: int) -> int:
    """The first of the ordered times that is not before the moment."""
    place = bisect_left(times, moment)
    return times[place] if place < len(times) else 2**63


def _late(acked: int, completed: int, heals: list[int]) -> bool:
    return completed > _next(heals, acked) + 120e9


def _standing(facts: Facts) -> Found:
    faults, planned = facts.of("fault"), facts.of("planned")[0]
    injected = {note["n"] for note in faults if note["state"] == "injected"}
    healed = {note["n"] for note in faults if note["state"] == "healed"}
    lateness = sorted(t - facts.intended[job] for job, t in facts.offered.items())
    whole = not facts.unreadable and bool(facts.of("end")) and bool(facts.of("drained"))
    return {
        "history_is_readable": _held(whole, facts.events + len(facts.notes)),
        "load_was_offered": _held(lateness[-1] >= 0 and len(lateness) >= planned["jobs"], len(lateness)),
        "faults_took_effect": _held(len(injected) >= planned["faults"], len(injected)),
        "faults_healed": _held(injected <= healed, len(injected)),
    }
