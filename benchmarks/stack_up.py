"""How long a Celery stack takes to be ready, over its slowest member's own start: `python -m benchmarks.stack_up`.

Rounds of both are interleaved. A member's own start is timed with everything it needs already up and nothing else
starting; the whole is Redis, PostgreSQL, Toxiproxy, the downstream, the producer and two workers, all ready.
"""

import argparse
import asyncio
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from harness import folder as folders
from harness import scenario as scenarios
from harness.site import site
from harness.stack import Stack

BAR = 1.3
SCENARIO = Path(__file__).parents[1] / "scenarios/worker-kill.yaml"


async def with_stack(reports: str, measure: Callable[[Stack], Awaitable[dict[str, float]]]) -> dict[str, float]:
    """Measure something with a stack that is not started yet, and end it all."""
    scenario, target = scenarios.load(str(SCENARIO))
    folder = folders.make(reports, scenario.name, target.name)
    async with site(folder, scenario.seed) as system:
        return await measure(Stack(system, scenario, target, folder))


async def timed(work: Awaitable[None]) -> float:
    began = time.perf_counter()
    await work
    return time.perf_counter() - began


async def whole(stack: Stack) -> dict[str, float]:
    return {"whole": await timed(stack.start())}


async def members(stack: Stack) -> dict[str, float]:
    return {name: await timed(step()) for name, step in stack.steps().items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    seen: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as reports:
        for _ in range(rounds + 1):  # the first round warms the caches
            for measure in (members, whole):
                for name, seconds in asyncio.run(with_stack(reports, measure)).items():
                    seen.setdefault(name, []).append(seconds)
    medians = {name: statistics.median(times[1:]) for name, times in seen.items()}
    total = medians.pop("whole")
    for name, seconds in sorted(medians.items(), key=lambda item: -item[1]):
        print(f"{name:12} {seconds:6.3f} s")
    slowest = max(medians.values())
    print(f"{'whole':12} {total:6.3f} s  {total / slowest:.2f}x its slowest member (bar {BAR}x)")


if __name__ == "__main__":
    main()
