"""What a test's claims come to, kept and shown like those of a run."""

from __future__ import annotations

import platform
import time

from harness import __version__, machine
from harness.check import ALWAYS, check
from harness.pytest_plugin import told
from harness.pytest_plugin.life import Life
from harness.report import pages
from harness.result import Result, save, summarise
from harness.verdict import Verdict


class ClaimFailed(AssertionError):
    """A violation was seen."""


class ClaimUndecided(Exception):
    """A claim that could not be judged, or does not apply: no pass."""


def judged(life: Life, closing: str, invariants: tuple[object, ...], command: str) -> Result:
    """The verdicts on all that was recorded so far; the stack's folder gets the result and a report."""
    history, scenario, target = life.history(closing), life.scenario, life.target
    verdicts = check(history, invariants, reports=frozenset((*target.reports, "effects")))  # type: ignore[arg-type]
    value, says = summarise(verdicts)
    result = Result(
        run=life.folder.id,
        scenario=scenario.name,
        target=target.name,
        preset=scenario.preset,
        seed=scenario.seed,
        knobs=scenario.knobs,
        started=time.strftime("%Y-%m-%dT%H:%M:%S%z", time.localtime(history.begins / 1e9)),
        seconds=round((history.ends - history.begins) / 1e9, 3),
        value=value,
        says=says,
        verdicts=verdicts,
        versions={"harness": __version__, "python": platform.python_version(), **_servers(life)},
        machine=machine.described(),
        command=command,
    )
    save(result, life.folder("result.json"))
    pages.write(result, history, life.folder.path)
    return result


def upheld(result: Result, folder: str) -> None:
    """Return if every claim held; else raise, with the witnesses."""
    if failing := tuple(verdict for verdict in result.verdicts if verdict.value == "FAIL"):
        raise ClaimFailed(_shown(failing, result, folder))
    if doubtful := tuple(verdict for verdict in result.verdicts if _doubtful(verdict)):
        raise ClaimUndecided(_shown(doubtful, result, folder))


def _shown(verdicts: tuple[Verdict, ...], result: Result, folder: str) -> str:
    return "\n".join([summarise(verdicts)[1], "", *told.lines(verdicts, result, folder)])


def _doubtful(verdict: Verdict) -> bool:
    return verdict.value == "INCONCLUSIVE" or (verdict.value == "NOT APPLICABLE" and verdict.invariant not in ALWAYS)


def _servers(life: Life) -> dict[str, str]:
    return {name: server.version for name, server in life.system.servers.items()}
