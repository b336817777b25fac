"""The system keeps up a pace."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import msgspec

from harness.invariants._window import Window, cut_off, during, window
from harness.invariants._wording import counted, seconds
from harness.units import Rate
from harness.verdict import Finding, failed, passed, undecided

if TYPE_CHECKING:
    from harness.history.history import History, Ints


class ThroughputStaysOver(msgspec.Struct, frozen=True, kw_only=True):
    """Jobs are completed (or acked) at no less than a given rate, over a phase or from the first offer to the last
    completion.

    Usually broken by too few workers for the time that a job takes, by workers that wait for a server that is down,
    or by a poll interval that is longer than a job. Compare the rate offered with workers x concurrency / seconds
    per job before blaming the queue.
    """

    at_least: Annotated[Rate, "the rate that must be reached"]
    phase: Annotated[str, "judge only this phase"] = ""
    of: Annotated[Literal["completed", "acked"], "what is counted"] = "completed"

    needs: ClassVar[tuple[str, ...]] = ()

    def problems(self) -> Iterator[str]:
        if self.at_least <= 0:
            yield "at_least must be more than 0/s"

    def check(self, history: History) -> Finding:
        if not history.acked.any():
            return undecided("No job was acked.", of=f"{self.of} jobs")
        times = self._times(history)
        stretch = window(history, self.phase) if self.phase else _working(history, times)
        if stretch is None or stretch.until <= stretch.since:
            return undecided(f"No time to measure{during(self.phase)}.", of=f"{self.of} jobs")
        count = int(stretch.holds(times).sum())
        rate = count * 1e9 / (stretch.until - stretch.since)
        says = (
            f"{counted(count, 'job')} {self.of} in {seconds(stretch.until - stretch.since)}{during(self.phase)}: "
            f"{rate:.4g}/s"
        )
        measured = {"per_second": round(rate, 3), "seconds": round((stretch.until - stretch.since) / 1e9, 3)}
        if rate >= self.at_least:
            return passed(f"{says}.", examined=count, of=f"{self.of} jobs", **measured)
        if cut_off(history, self.phase):
            says = f"{says}, less than {self.at_least:g}/s, but the run was cut short."
            return undecided(says, examined=count, of=f"{self.of} jobs", **measured)
        return failed(f"{says}, less than {self.at_least:g}/s.", examined=count, of=f"{self.of} jobs", **measured)

    def _times(self, history: History) -> Ints:
        from harness.history import columns as c

        return history.completed_at if self.of == "completed" else history.first_time(c.ACK)


def _working(history: History, times: Ints) -> Window | None:
    """From the first offer to the last of these times, or of the acks: a system that stops half way has not ended."""
    from harness.history import columns as c
    from harness.history.history import NEVER

    offers, acks, ended = history.rows(c.OFFER).t, history.rows(c.ACK).t, times[times != NEVER]
    if not len(offers):
        return None
    return Window(int(offers[0]), max(int(ended.max()), int(acks[-1])) + 1 if len(ended) else history.ends + 1)
