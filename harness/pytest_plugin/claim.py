"""A test: one claim of a scenario, judged by the one run that all claims of that scenario share."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from harness import proof
from harness.pytest_plugin import hooks, told
from harness.suite.entries import Entry

if TYPE_CHECKING:
    from harness.cell import Outcome
    from harness.verdict import Verdict


class Claim(pytest.Item):
    """What stands in the way of a judgement is found in `setup`, so that pytest calls it an error and no failure."""

    def __init__(self, *, entry: Entry, invariant: str, number: int, line: int, **given: Any) -> None:
        super().__init__(**given)
        self.entry, self.invariant, self._number, self._line = entry, invariant, number, line
        self._outcome: Outcome
        self.refusal = ""
        """Why it cannot be run, where only the whole collection could tell."""
        if self.config.pluginmanager.hasplugin("xdist"):
            self.add_marker(pytest.mark.xdist_group(entry.cell.name))

    def setup(self) -> None:
        """Have the scenario run, if it was not yet."""
        if self.refusal:
            raise told.Told(self.refusal, self.refusal)
        if self.entry.aside:
            self._skip(self.entry.reason)
        self._outcome = outcome = hooks.runs(self.config).outcome(self.entry.cell)
        if not outcome.judged:
            raise told.of_error(outcome)
        self._note()
        verdict = self._verdict
        if verdict.value == "NOT APPLICABLE":
            self._skip(verdict.says)
        if verdict.value == "INCONCLUSIVE":
            self._undecided(verdict)

    def runtest(self) -> None:
        """The verdict, by what the scenario says it must be."""
        verdict = self._verdict
        must_fail = self.invariant in self.entry.fails
        if (verdict.value == "FAIL") != must_fail:
            held = f"The variant `{self.entry.cell.variant}` must break this claim, and did not." if must_fail else ""
            raise self._told(verdict, wanted=held)
        self.add_report_section("call", "harness", f"{'caught: ' if must_fail else ''}{verdict.value}: {verdict.says}")

    def _repr_failure_py(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """pytest asks `repr_failure` of a failure only; this, which that calls, of an error in `setup` too."""
        if isinstance(excinfo.value, told.Told):
            return told.representation(excinfo.value, self)
        return super()._repr_failure_py(excinfo, style)

    def reportinfo(self) -> tuple[os.PathLike[str], int, str]:
        return self.path, self._line, f"{self.entry.cell.name}: {self.name}"

    @property
    def _verdict(self) -> Verdict:
        assert self._outcome.result is not None, "a run that was judged has a result"
        verdict = self._outcome.result.verdicts[self._number]
        assert verdict.invariant == self.invariant, "verdicts come in the order of the scenario's claims"
        return verdict

    def _told(self, verdict: Verdict, wanted: str = "") -> told.Told:
        assert self._outcome.result is not None
        return told.of_verdict(verdict, self._outcome.result, self._outcome.folder, wanted=wanted)

    def _undecided(self, verdict: Verdict) -> NoReturn:
        """An error; but what is broken on purpose, and caught, may well leave other claims without an answer."""
        mark = proof.judge(proof.Trial(self.entry.cell, self.entry.fails), self._outcome).mark
        if mark == "caught" and self.invariant not in self.entry.fails:
            self._skip(f"caught by {', '.join(self.entry.fails)}, which leaves this undecided: {verdict.says}")
        raise self._told(verdict)

    def _note(self) -> None:
        """For junit.xml and whoever else reads reports."""
        assert self._outcome.result is not None
        self.user_properties += [
            ("harness_run", os.path.relpath(self._outcome.folder)),
            ("harness_seed", self._outcome.result.seed),
        ]

    def _skip(self, reason: str) -> NoReturn:
        raise pytest.skip.Exception(reason, _use_item_location=True)
