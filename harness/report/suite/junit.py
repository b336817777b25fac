"""A suite as one JUnit XML file: a suite per scenario, a case per run of a cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.etree import ElementTree as xml

from harness.report.text import visible
from harness.suite.journal import Ended
from harness.suite.standing import Standing

_ELEMENTS = {"FAIL": "failure", "INCONCLUSIVE": "error", "ERROR": "error"}
_COUNTED = {"failures": "failure", "errors": "error", "skipped": "skipped"}


def render(standings: Sequence[Standing]) -> str:
    """Every cell has a case, also one that was not run: that is an error, so that no omission is green."""
    root = xml.Element("testsuites", name="harness suite")
    for scenario in dict.fromkeys(standing.entry.cell.scenario for standing in standings):
        root.append(_suite([standing for standing in standings if standing.entry.cell.scenario == scenario]))
    root.attrib.update(_counts(list(root.iter("testcase"))))
    xml.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + xml.tostring(root, encoding="unicode") + "\n"


def _suite(standings: Sequence[Standing]) -> xml.Element:
    suite = xml.Element("testsuite", name=visible(standings[0].entry.cell.situation))
    cases = [case for standing in standings for case in _cases(standing)]
    suite.extend(cases)
    seconds = sum(run.seconds for standing in standings for run in standing.runs)
    suite.attrib.update({"time": f"{seconds:.3f}", **_counts(cases)})
    return suite


def _counts(cases: Sequence[xml.Element]) -> dict[str, str]:
    held = {name: sum(case.find(tag) is not None for case in cases) for name, tag in _COUNTED.items()}
    return {"tests": str(len(cases)), **{name: str(count) for name, count in held.items()}}


def _cases(standing: Standing) -> Iterator[xml.Element]:
    yield from (_ran(standing, run) for run in standing.runs)
    if standing.stands in ("not run", "skipped", "n/a"):
        case = _case(standing, len(standing.runs) + 1, 0.0)
        tag = "error" if standing.stands == "not run" else "skipped"
        xml.SubElement(case, tag, type=standing.stands, message=visible(standing.says))
        yield case


def _ran(standing: Standing, run: Ended) -> xml.Element:
    case = _case(standing, run.turn, run.seconds)
    if run.mark in _ELEMENTS:
        flaky = "FLAKY: " if standing.stands == "FLAKY" else ""
        said = xml.SubElement(case, _ELEMENTS[run.mark], type=run.mark, message=visible(flaky + run.says))
        said.text = "\n".join(visible(line) for line in [*run.says.splitlines(), run.cell.again, run.run] if line)
    return case


def _case(standing: Standing, turn: int, seconds: float) -> xml.Element:
    cell = standing.entry.cell
    name = cell.name if turn == 1 else f"{cell.name}, repeat {turn}"
    classname = f"{cell.situation}.{cell.target}"
    return xml.Element("testcase", classname=visible(classname), name=visible(name), time=f"{seconds:.3f}")
