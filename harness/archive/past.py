"""A run of the past, in as much as a list of runs says of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import msgspec

VALUES = ("FAIL", "INCONCLUSIVE", "PASS", "NOT APPLICABLE")
OTHERS = ("ERROR", "interrupted", "no result", "running")
"""What stands in a verdict's place: the stack failed, it was stopped or killed, its folder says nothing, it goes on."""
MEASURED = ("throughput", "latency.p95", "recovery", "drain", "duplicates", "lost")


class Past(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of one run."""

    run: str
    """Its folder, within the folder of reports."""
    value: str
    """One of VALUES, or of OTHERS."""
    says: str = ""
    scenario: str = ""
    target: str = ""
    variant: str = ""
    preset: str = ""
    settings: str = ""
    """What else its command line changed: `idempotency=none quick`."""
    seed: int | None = None
    started: str = ""
    """ISO 8601."""
    when: float = 0.0
    """The same in seconds, to sort by."""
    seconds: float = 0.0
    measured: dict[str, float] = {}
    """Those of MEASURED that the run has."""
    fingerprint: str = ""
    alike: str = ""
    """Runs that have this in common should have come to the same verdict; empty where there was none."""
    has_page: bool = False

    @property
    def kind(self) -> tuple[str, ...]:
        """What its figures may be compared with over time, the scenario and target as they were then."""
        return (self.scenario, self.target, self.variant, self.preset, self.settings)


def flaky(runs: Iterable[Past]) -> frozenset[str]:
    """The runs that came to another verdict than one that was alike; what came to no verdict is left aside."""
    by_likeness: dict[str, list[Past]] = defaultdict(list)
    for run in runs:
        if run.alike and run.value in VALUES:
            by_likeness[run.alike].append(run)
    differing = (alike for alike in by_likeness.values() if len({run.value for run in alike}) > 1)
    return frozenset(run.run for alike in differing for run in alike)
