"""Many runs: each cell is one `harness run` in a process of its own, a few side by side."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Sequence

from harness.cell import BROKEN, Cell, Outcome
from harness.crew import Crew
from harness.lanes import Lane


def run(
    cells: Sequence[Cell],
    reports: str,
    *,
    jobs: int = 1,
    reruns: int = 0,
    lanes: Sequence[Lane] = (),
    started: Callable[[Cell], None],
    goes_on: Callable[[], bool] = lambda: True,
) -> Generator[Outcome, None, None]:
    """Each cell's outcome as it comes; a run that ends with code 4, and no other, is tried again up to `reruns` times.

    With `lanes`, one for each of the jobs, a run keeps to the cores of its own. `started` hears of each cell when it is
    first tried; no further run is begun once `goes_on` says no. When the caller closes the generator, or is
    interrupted, the runs under way are ended and waited for.
    """
    waiting = deque((cell, 0) for cell in cells)
    with Crew(reports, lanes=lanes) as crew:
        while (waiting and goes_on()) or crew.size:
            while waiting and crew.size < jobs and goes_on():
                cell, tries = waiting.popleft()
                if not tries:
                    started(cell)
                crew.start(cell, tries)
            for outcome in crew.ended():
                if outcome.code == BROKEN and outcome.reruns < reruns:
                    waiting.appendleft((outcome.cell, outcome.reruns + 1))
                else:
                    yield outcome
