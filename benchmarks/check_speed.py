"""How fast all invariants are checked, beside plain Python and pandas: `python -m benchmarks.check_speed [EVENTS]`.

The three read the same stored columns, each in a process of its own, in turn; what they find must be the same. Then
the same events as lines, as a run leaves them: how fast they become columns. Last, one tenth and three tenths of the
events: whether the time grows as they do.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any

ROUNDS = 3
RIVALS = ("harness", "plain", "pandas")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("events", nargs="?", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--one", nargs=2, metavar=("WHO", "FOLDER"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        print(json.dumps(measure(*args.one)))
        return
    with tempfile.TemporaryDirectory() as scratch:
        compare(scratch, args.events, args.rounds)


def measure(who: str, folder: str) -> dict[str, Any]:
    """Check the folder once: seconds, peak of resident bytes, and what was found."""
    check = _checker(who)
    began = time.perf_counter()
    found = check(folder)
    took = time.perf_counter() - began
    return {
        "seconds": took,
        "bytes": _peak(),
        "found": {name: list(what) for name, what in found.items()},
    }


def _peak() -> int:
    """The most bytes this process had resident; `ru_maxrss` would count those of its parent as well."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM"))


def _checker(who: str) -> Any:
    """Imported here, so that neither the time nor the memory of one is laid at another's door."""
    if who == "harness":
        from benchmarks.check_speed_harness import check
    elif who == "plain":
        from benchmarks.check_speed_plain import check
    else:
        from benchmarks.check_speed_pandas import check
    return check


def apart(who: str, folder: str) -> dict[str, Any]:
    """The same, in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.check_speed", "--one", who, folder]
    answer: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return answer


def compare(scratch: str, events: int, rounds: int) -> None:
    from benchmarks import check_speed_history as made

    folder = os.path.join(scratch, "whole")
    columns = made.make(events)
    made.store(columns, folder)
    count = len(columns.t)
    print(f"{count:,} events of {len(columns.keys):,} jobs, {rounds} rounds", flush=True)
    told = {who: [] for who in RIVALS}
    for _ in range(rounds):
        for who in RIVALS:
            told[who].append(apart(who, folder))
    _agree(told)
    _show(told, count)
    _lines(scratch, columns)
    del columns
    _growth(scratch, events, statistics.median(one["seconds"] for one in told["harness"]))


def _agree(told: dict[str, list[dict[str, Any]]]) -> None:
    ours = told["harness"][0]["found"]
    for who in RIVALS:
        for one in told[who]:
            differ = {
                name: (ours[name], one["found"].get(name)) for name in ours if ours[name] != one["found"].get(name)
            }
            assert not differ, f"{who} finds otherwise: {differ}"
    print(f"all agree on {len(ours)} verdicts: " + ", ".join(f"{name} {what[0]}" for name, what in ours.items()))


def _show(told: dict[str, list[dict[str, Any]]], count: int) -> None:
    ours = statistics.median(one["seconds"] for one in told["harness"])
    for who in RIVALS:
        times = [one["seconds"] for one in told[who]]
        most = max(one["bytes"] for one in told[who])
        print(
            f"{who:8} median {statistics.median(times):7.2f} s (from {min(times):.2f} to {max(times):.2f}), "
            f"{statistics.median(times) / ours:6.1f} x, {most / count:6.0f} bytes of memory per event",
            flush=True,
        )


def _lines(scratch: str, columns: Any) -> None:
    from benchmarks import check_speed_history as made

    folder = os.path.join(scratch, "lines")
    size = made.write_lines(columns, folder)
    one = apart("harness", folder)
    again = apart("harness", folder)
    count = len(columns.t)
    print(
        f"lines    {size / 1e6:,.0f} MB read, kept in columns and checked in {one['seconds']:.1f} s: "
        f"{count / one['seconds'] / 1e6:.2f} M events/s, {one['bytes'] / count:.0f} bytes of memory per event; "
        f"checked again in {again['seconds']:.2f} s",
        flush=True,
    )


def _growth(scratch: str, events: int, whole: float) -> None:
    from benchmarks import check_speed_history as made

    for share in (0.1, 0.3):
        folder = os.path.join(scratch, str(share))
        columns = made.make(int(events * share))
        made.store(columns, folder)
        took = statistics.median(apart("harness", folder)["seconds"] for _ in range(ROUNDS))
        print(f"growth   {len(columns.t):,} events {took:.3f} s: {took / share / whole:.2f} of a straight line")


if __name__ == "__main__":
    main()
