"""How long a suite will still take, from how long its cells took before."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence

from harness.cell import Cell
from harness.suite.journal import Ended


class Pace:
    """What is known of each cell's length; the last run of a cell counts."""

    def __init__(self, earlier: Iterable[Ended] = ()) -> None:
        self._known: dict[Cell, float] = {}
        for one in earlier:
            self.learn(one)

    def learn(self, ended: Ended) -> None:
        """Take a run's length into account; how long a run took to break says nothing of one that does not."""
        if ended.mark != "ERROR":
            self._known[ended.cell] = ended.seconds

    def expected(self, cell: Cell) -> float | None:
        """Seconds that the cell will take, from its last run or from those like it; None when nothing is known."""
        if cell in self._known:
            return self._known[cell]
        likenesses: list[Callable[[Cell], bool]] = [
            lambda other: (other.scenario, other.target, other.quick) == (cell.scenario, cell.target, cell.quick),
            lambda other: (other.scenario, other.quick) == (cell.scenario, cell.quick),
            lambda other: other.quick == cell.quick,
        ]
        for alike in likenesses:
            if lengths := [seconds for other, seconds in self._known.items() if alike(other)]:
                return sum(lengths) / len(lengths)
        return None


def left(waiting: Sequence[float], under_way: Sequence[float], jobs: int) -> float:
    """Seconds until all have ended: each of those waiting begins, in order, as soon as one of `jobs` places is free.

    `under_way` has the seconds that each run that has begun will still take.
    """
    free = [max(0.0, seconds) for seconds in under_way] + [0.0] * (jobs - len(under_way))
    heapq.heapify(free)
    for seconds in waiting:
        heapq.heappush(free, heapq.heappop(free) + seconds)
    return max(free, default=0.0)
