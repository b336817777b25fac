"""How long a command takes to start, as a multiple of a bare Python, from interleaved runs."""

import os
import select
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROUNDS = 25
LONGEST = 30.0
SCENARIO = """about: A start
target: memory
load:
  - constant: {rate: 20/s, for: 8s}
faults:
  - kill_worker: {at: 2s}
invariants:
  - no_lost_jobs
"""


def main() -> None:
    """Print the median of each command and its ratio to `python -c pass`."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "start.yaml")
        path.write_text(SCENARIO)
        commands = {
            "python -c pass": ["-c", "pass"],
            "harness --help": ["-m", "harness", "--help"],
            "harness validate": ["-m", "harness", "validate", str(path)],
        }
        times: dict[str, list[float]] = {name: [] for name in commands}
        for words in commands.values():
            _timed(words, folder)  # compiles what is imported, as an installation does
        for _ in range(ROUNDS):
            for name, words in commands.items():
                times[name].append(_timed(words, folder))
    bare = statistics.median(times["python -c pass"])
    for name, taken in times.items():
        median = statistics.median(taken)
        print(f"{name:<18} {median * 1e3:7.1f} ms  {median / bare:5.2f}x")


def _timed(words: list[str], folder: str) -> float:
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": f"{folder}/compiled"}
    begun = time.perf_counter()
    with subprocess.Popen([sys.executable, *words], cwd=ROOT, env=environment, stdout=subprocess.DEVNULL) as process:
        taken = _ended(process.pid) - begun
    if process.returncode:
        raise SystemExit(f"{words} ended with {process.returncode}")
    return taken


def _ended(pid: int) -> float:
    """When the process ended; `wait` with a timeout would poll, and be up to 50 ms late."""
    ending = os.pidfd_open(pid)
    ready, _, _ = select.select([ending], [], [], LONGEST)
    ended = time.perf_counter()
    if not ready:
        os.kill(pid, signal.SIGKILL)
    os.close(ending)
    return ended


if __name__ == "__main__":
    main()
