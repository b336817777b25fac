"""JUnit XML: a suite per scenario and a case per invariant, as CI servers read it."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree as xml

from harness.report.text import visible
from harness.result import Result
from harness.verdict import Value, Verdict

_ELEMENTS: dict[Value, str] = {"FAIL": "failure", "INCONCLUSIVE": "error", "NOT APPLICABLE": "skipped"}
_COUNTED = {"failures": "failure", "errors": "error", "skipped": "skipped"}


def render(result: Result) -> str:
    """The result as one suite; a run whose value no invariant carries gets a case of its own, so that it cannot look
    green."""
    suite = xml.Element(
        "testsuite", name=visible(result.scenario), time=f"{result.seconds:.3f}", timestamp=visible(result.started)
    )
    _properties(suite, result)
    cases = [_case(result, verdict) for verdict in _judged(result)]
    suite.extend(cases)
    counts = {"tests": str(len(cases))} | {name: str(_holding(cases, tag)) for name, tag in _COUNTED.items()}
    suite.attrib.update(counts)
    root = xml.Element("testsuites", counts)
    root.append(suite)
    xml.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + xml.tostring(root, encoding="unicode") + "\n"


def _judged(result: Result) -> tuple[Verdict, ...]:
    if any(verdict.value == result.value for verdict in result.verdicts):
        return result.verdicts
    run = Verdict(
        invariant="run",
        claim="The run can be judged.",
        value=result.value,
        says=result.says,
        examined=0,
        of="verdicts",
        violations=0,
    )
    return (*result.verdicts, run)


def _holding(cases: Sequence[xml.Element], tag: str) -> int:
    return sum(case.find(tag) is not None for case in cases)


def _properties(suite: xml.Element, result: Result) -> None:
    facts = {
        "run": result.run,
        "target": result.target,
        "preset": result.preset,
        "seed": str(result.seed),
        "command": result.command,
    }
    properties = xml.SubElement(suite, "properties")
    for name, value in facts.items():
        if value:
            xml.SubElement(properties, "property", name=name, value=visible(value))


def _case(result: Result, verdict: Verdict) -> xml.Element:
    suite = f"{result.scenario}.{result.target}"
    case = xml.Element("testcase", classname=visible(suite), name=visible(verdict.invariant), time="0")
    if verdict.value in _ELEMENTS:
        said = xml.SubElement(case, _ELEMENTS[verdict.value], message=visible(verdict.says), type=verdict.value)
        said.text = "\n".join(_lines(verdict))
    return case


def _lines(verdict: Verdict) -> list[str]:
    lines = [
        visible(verdict.claim),
        f"examined: {verdict.examined} {visible(verdict.of)}, violations: {verdict.violations}",
    ]
    lines += [f"{what}: {visible(text)}" for what, text in _advice(verdict).items() if text]
    for witness in verdict.witnesses:
        lines += ["", visible(witness.key)]
        lines += [f"  {moment.at:10.3f} s  {visible(moment.what)}" for moment in witness.timeline]
    return lines


def _advice(verdict: Verdict) -> dict[str, str]:
    """What breaks the claim, here and in general, each on one line."""
    return {"in this system": " ".join(verdict.here.split()), "usually": " ".join(verdict.usually.split())}
