"""What a person is shown in place of a Python traceback."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from harness.cell import Outcome

if TYPE_CHECKING:
    from _pytest._code.code import ExceptionChainRepr

    from harness.result import Result
    from harness.verdict import Verdict


class Told(Exception):
    """A claim that did not hold or could not be judged: one sentence, and all there is to say."""

    def __init__(self, sentence: str, text: str) -> None:
        super().__init__(text)
        self.sentence, self.text = sentence, text


def of_verdict(verdict: Verdict, result: Result, folder: str, *, wanted: str = "") -> Told:
    """A verdict with its witnesses; `wanted` says what it should have been, where that is not plain."""
    sentence = " ".join(filter(None, (wanted, f"{verdict.value}: {verdict.says}")))
    return Told(sentence, "\n".join([*filter(None, [wanted]), *lines((verdict,), result, folder)]))


def of_error(outcome: Outcome) -> Told:
    """A run that came to no verdict."""
    says = outcome.says or "nothing was said"
    where = [f"run     {os.path.relpath(outcome.folder)}"] if outcome.folder else []
    head = f"ERROR  {outcome.cell.name}, exit code {outcome.code}"
    return Told(says.splitlines()[0], "\n".join([head, says, "", *where, f"again   {outcome.cell.again}"]))


def lines(verdicts: tuple[Verdict, ...], result: Result, folder: str) -> list[str]:
    """Some verdicts of a run as a terminal shows them: with their witnesses, the report, and how to run it again."""
    from msgspec.structs import replace

    from harness.report import console
    from harness.verdict import worst

    value = worst([verdict.value for verdict in verdicts])
    return console.lines(
        replace(result, verdicts=verdicts, value=value, says=""), os.path.relpath(folder), colour=False
    )


def representation(told: Told, item: pytest.Item) -> ExceptionChainRepr:
    """The text, in a shape that survives the way from a worker of pytest-xdist, with its sentence for summaries."""
    from _pytest._code.code import ExceptionChainRepr, ReprEntryNative, ReprFileLocation, ReprTraceback

    path, line, _ = item.reportinfo()
    traceback = ReprTraceback([ReprEntryNative([f"{told.text}\n"])], None, style="native")
    return ExceptionChainRepr([(traceback, ReprFileLocation(os.fspath(path), (line or 0) + 1, told.sentence), None)])
