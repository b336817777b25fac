"""How far from its intended time a job is sent: 1,000 arrivals each second, from one process and from two.

Run it as `python -m benchmarks.arrivals`; the bar is a 99th percentile of 3 ms. Between its rounds a process that only
sleeps until each time and looks at the clock shows what the host allows: nothing sends more punctually than that.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from array import array
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from harness.load import arrivals
from harness.load.control import command
from harness.load.shapes import Constant, Poisson

SERVER = Path(__file__).parents[1] / "tests/unit/load/server.py"
BAR = 3.0
"""Milliseconds that 99 of 100 jobs may be late at most."""
SLEEPER = """
import json, sys, time

late = []
for intended in json.load(sys.stdin):
    time.sleep(max(intended - time.time_ns(), 0) / 1e9)
    late.append((time.time_ns() - intended) / 1e6)
print(json.dumps([late, time.process_time()]))
"""


class Round(NamedTuple):
    """One run: milliseconds from intended to sent, and the processes' share of a CPU."""

    p50: float
    p99: float
    worst: float
    cpu: float


@contextmanager
def producer(mode: str, seconds: float = 0.0) -> Iterator[tuple[str, dict[str, int]]]:
    """A producer in a process of its own: its address, and when (ns) it answered each key, filled at the end."""
    answered: dict[str, int] = {}
    with subprocess.Popen([sys.executable, SERVER, mode, str(seconds)], stdin=-1, stdout=-1, text=True) as process:
        assert process.stdin and process.stdout
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}", answered
            process.stdin.close()
            answered.update(json.loads(process.stdout.readline()))
        finally:
            process.kill()


def offer(folder: Path, load: tuple[Any, ...], address: str, processes: int) -> list[dict[str, Any]]:
    """Offer the load, and return what each generator says at its end. Its events are in `folder`."""
    with generating(folder, load, address, processes) as (_, generators):
        return [json.loads(_line(generator))["finished"] for generator in generators]


@contextmanager
def generating(
    folder: Path, load: tuple[Any, ...], address: str, processes: int, **options: Any
) -> Iterator[tuple[int, list["subprocess.Popen[bytes]"]]]:
    """Generators that have been told to offer the load: their time zero, and their processes, killed at the end."""
    arrivals.save(arrivals.arrivals(load, seed=7), folder / "arrivals")
    with ExitStack() as stack:
        generators = [
            stack.enter_context(_generator(folder, address, part, processes, **options)) for part in range(processes)
        ]
        for generator in generators:
            assert json.loads(_line(generator)) == {"ready": True}
        zero = time.time_ns() + 200_000_000
        for generator in generators:
            assert generator.stdin
            generator.stdin.write(b'{"go": %d}\n' % zero)
            generator.stdin.flush()
        yield zero, generators


def events(folder: Path, kind: str) -> Iterator[dict[str, Any]]:
    """Every event of one kind that the generators recorded."""
    lines = (line for file in sorted(folder.glob("*.jsonl")) for line in file.read_bytes().splitlines())
    return (event for event in map(json.loads, lines) if event["e"] == kind)


def at(share: float, values: "list[float] | array[float]") -> float:
    """The value below which this share of them lie."""
    return sorted(values)[round(share * (len(values) - 1))]


def measure(load: tuple[Any, ...], processes: int) -> Round:
    """One run against a fresh producer."""
    with tempfile.TemporaryDirectory() as scratch, producer("fast") as (address, _):
        finished = offer(Path(scratch), load, address, processes)
        late = [(event["t"] - event["intended"]) / 1e6 for event in events(Path(scratch), "offer")]
    assert len(late) == sum(generator["acked"] for generator in finished)
    return Round(at(0.5, late), at(0.99, late), max(late), sum(generator["cpu"] for generator in finished))


def sleep(load: tuple[Any, ...], seconds: float) -> Round:
    """The same times met by a loop that sends nothing."""
    zero = time.time_ns() + 200_000_000
    times = json.dumps([zero + offset for offset in arrivals.arrivals(load, seed=7).offsets])
    argv = [sys.executable, "-c", SLEEPER]
    done = subprocess.run(argv, input=times, capture_output=True, text=True, check=True, timeout=seconds + 60)
    late, cpu = json.loads(done.stdout)
    return Round(at(0.5, late), at(0.99, late), max(late), cpu / seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rate", type=float, default=1000.0, help="arrivals each second")
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    loads = {
        "constant": (Constant(options.rate, options.seconds),),
        "poisson": (Poisson(options.rate, options.seconds),),
    }
    cases = [(name, processes) for name in loads for processes in (0, 1, 2)]
    rounds = [
        {
            (name, processes): measure(loads[name], processes) if processes else sleep(loads[name], options.seconds)
            for name, processes in cases
        }
        for _ in range(options.rounds)
    ]
    print(
        f"{options.rate:g} arrivals/s for {options.seconds:g} s, {options.rounds} interleaved rounds; "
        "sent - intended in ms\n"
    )
    print(
        f"{'load':10}{'processes':>10}{'p50':>8}{'p99':>8}{'best p99':>10}{'worst p99':>11}{'max':>9}{'CPU':>7}"
        f"  p99 <= {BAR:g} ms"
    )
    for case in cases:
        mine = [each[case] for each in rounds]
        p50, p99, worst, cpu = (median(column) for column in zip(*mine, strict=True))
        tails = [each.p99 for each in mine]
        print(
            f"{case[0]:10}{case[1] or 'sleeper':>10}{p50:8.3f}{p99:8.3f}{min(tails):10.3f}{max(tails):11.3f}"
            f"{worst:9.2f}{cpu:7.0%}  {'yes' if p99 <= BAR else 'NO'}"
        )


@contextmanager
def _generator(
    folder: Path, address: str, part: int, parts: int, **options: Any
) -> Iterator["subprocess.Popen[bytes]"]:
    argv = command(
        sys.executable,
        arrivals=folder / "arrivals",
        part=part,
        parts=parts,
        producer=address,
        events=folder / f"{part}.jsonl",
        **options,
    )
    with subprocess.Popen(argv, stdin=-1, stdout=-1, start_new_session=True) as process:
        try:
            yield process
        finally:
            process.kill()


def _line(process: "subprocess.Popen[bytes]") -> bytes:
    assert process.stdout
    return process.stdout.readline()


if __name__ == "__main__":
    main()
