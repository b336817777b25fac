"""The faults that struck a run, each with the moment from which the system should recover."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from harness.history.history import Bools, History, Ints


class Outage(msgspec.Struct, frozen=True):
    """A fault that was injected, and since when nothing of it is broken any more."""

    n: int
    fault: str
    injected: int
    over: int


def outages(history: History) -> list[Outage]:
    """Every injected fault that is over, in order of injection; one without a heal (a kill) is over at once."""
    healed = {note.n: note.t for note in history.faults if note.state == "healed"}
    last = {n for n, _ in _unhealed(history)}
    struck = {note.n: note for note in reversed(history.faults) if note.state == "injected" and note.n not in last}
    found = [Outage(n, note.fault, note.t, healed.get(n, note.t)) for n, note in struck.items()]
    return sorted(found, key=lambda outage: outage.injected)


def left_in_peace(history: History, within: float) -> list[Outage]:
    """The outages, each over only when no other fault strikes for `within` seconds: nobody can recover from one fault
    while the next is at work, and never if that one is not healed."""
    from harness.history.history import NEVER

    groups: list[list[Outage]] = []
    until = 0
    for outage in sorted(outages(history) + _endless(history), key=lambda outage: outage.injected):
        if groups and outage.injected <= until + within * 1e9:
            groups[-1].append(outage)
        else:
            groups.append([outage])
        until = max(until, outage.over)
    ended = [(group, max(one.over for one in group)) for group in groups]
    return [_ending(outage, over) for group, over in ended if over != NEVER for outage in group]


def _ending(outage: Outage, over: int) -> Outage:
    return Outage(outage.n, outage.fault, outage.injected, over)


def lasting(history: History) -> list[str]:
    """The faults that were never healed, as far as the history goes: no clock of recovery begins for them."""
    return [fault for _, fault in _unhealed(history)]


def at_risk(history: History) -> Bools:
    """Per job: acked, and not yet completed while some fault was at work."""
    from harness.history import columns as c

    return alive_during(_spells(history), history.first_time(c.ACK), history.completed_at)


def alive_during(spells: list[tuple[int, int]], since: Ints, until: Ints) -> Bools:
    """Per job: whether it lived, from `since` until before `until`, in one of these stretches of time, which are in
    order and apart."""
    import numpy as np

    never = np.iinfo(np.int64).max
    overs = np.array([over for _, over in spells], np.int64)
    begins = np.array([begin for begin, _ in spells] + [never], np.int64)
    alive: Bools = (begins[np.searchsorted(overs, since)] < until) & (since != never)
    return alive


def _endless(history: History) -> list[Outage]:
    """The faults that were never healed, as outages without an end."""
    from harness.history.history import NEVER

    last = {n for n, _ in _unhealed(history)}
    notes = [note for note in history.faults if note.state == "injected" and note.n in last]
    return [Outage(note.n, note.fault, note.t, int(NEVER)) for note in notes]


def _spells(history: History) -> list[tuple[int, int]]:
    """The stretches of time in which something was broken, in order and apart."""
    struck = outages(history) + _endless(history)
    merged: list[tuple[int, int]] = []
    for since, over in sorted((outage.injected, min(outage.over, history.ends)) for outage in struck):
        if merged and since <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(over, merged[-1][1]))
        else:
            merged.append((since, over))
    return merged


def _unhealed(history: History) -> list[tuple[int, str]]:
    healed = {note.n for note in history.faults if note.state == "healed"}
    said = {note.n for note in history.faults if note.state == "unhealed"}
    struck = {note.n: note.fault for note in history.faults if note.state == "injected"}
    # A history that was cut short may have lost the heal.
    return [(n, fault) for n, fault in struck.items() if n not in healed and (n in said or not history.ended)]
