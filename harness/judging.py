"""History -> result: the verdicts of a run's folder, and its files rendered."""

from __future__ import annotations

import time

from harness import fingerprint, machine
from harness.check import check
from harness.folder import Folder
from harness.history import history as histories
from harness.measurements import measure
from harness.report import pages
from harness.result import Result, save, summarise
from harness.scenario import Scenario
from harness.target import Target
from harness.verdict import Verdict


def judge(
    folder: Folder,
    scenario: Scenario,
    target: Target,
    *,
    started: float,
    command: str,
    versions: dict[str, str],
    notes: tuple[str, ...],
    ended: float = 0.0,
) -> Result:
    """Check the run's history against the scenario's invariants, keep the result, render the report; the run ended
    just now unless it is said when."""
    history = histories.read(folder.path)
    verdicts = check(history, scenario.invariants, reports=frozenset((*target.reports, "effects")), hints=target.hints)
    value, says = summarise(verdicts)
    result = Result(
        run=folder.id,
        scenario=scenario.name,
        about=scenario.about,
        target=target.name,
        preset=scenario.preset,
        seed=scenario.seed,
        knobs=scenario.knobs,
        started=time.strftime("%Y-%m-%dT%H:%M:%S%z", time.localtime(started)),
        seconds=round((ended or time.time()) - started, 3),
        value=value,
        says=says,
        verdicts=verdicts,
        measurements=measure(history) | _measured(verdicts),
        fingerprint=fingerprint.of(scenario, target),
        versions=versions,
        machine=machine.described(),
        command=command,
        notes=notes,
    )
    save(result, folder("result.json"))
    pages.write(result, history, folder.path)
    return result


def _measured(verdicts: tuple[Verdict, ...]) -> dict[str, float]:
    return {f"{verdict.invariant}.{name}": value for verdict in verdicts for name, value in verdict.measured.items()}
