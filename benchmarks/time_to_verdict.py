"""How long worker-kill takes from the command to its verdict: `python -m benchmarks.time_to_verdict [--rounds N]`.

The measure is what the system itself needs: the time in which load is offered plus the lease of the killed workers'
jobs. What the harness adds is the rest. The bar allows for the drain as well, which is not counted here.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
BAR = 1.25
RUN = [sys.executable, "-m", "harness", "run", "scenarios/worker-kill.yaml", "--quiet", "--reports"]


def once(reports: str) -> tuple[float, float]:
    """The wall time of one run, and what the system needed of it."""
    began = time.perf_counter()
    subprocess.run([*RUN, reports], cwd=ROOT, check=True, stdout=subprocess.DEVNULL, timeout=300)
    wall = time.perf_counter() - began
    plan = json.loads(Path(reports, "latest", "plan.json").read_text())
    return wall, plan["seconds"] + plan["waits"]["lease"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as reports:
        once(reports)  # set-up, if any
        runs = [once(reports) for _ in range(rounds)]
    wall, needed = statistics.median(wall for wall, _ in runs), runs[0][1]
    print(f"worker-kill: {wall:.1f} s for {needed:.1f} s of load and lease: {wall / needed:.2f}x (bar {BAR}x)")


if __name__ == "__main__":
    main()
