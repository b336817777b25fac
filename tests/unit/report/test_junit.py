"""JUnit XML that any reader can parse, and that is never green by omission."""

from __future__ import annotations

from xml.etree import ElementTree as xml

import made
import msgspec

from harness.report import junit


def counts(text: str) -> dict[str, str]:
    suite = xml.fromstring(text).find("testsuite")
    assert suite is not None
    return {name: suite.attrib[name] for name in ("tests", "failures", "errors", "skipped")}


def test_a_case_per_invariant() -> None:
    text = junit.render(made.result())
    cases = {case.attrib["name"]: [child.tag for child in case] for case in xml.fromstring(text).iter("testcase")}
    assert counts(text) == {"tests": "5", "failures": "1", "errors": "1", "skipped": "1"}
    assert cases == {
        "no_lost_jobs": [],
        "no_duplicate_effects": ["failure"],
        "drains_within": ["error"],
        "recovers_within": [],
        "replays_dead_letters": ["skipped"],
    }


def test_a_failure_says_what_to_change() -> None:
    failure = next(xml.fromstring(junit.render(made.result())).iter("failure"))
    assert (failure.text or "").splitlines()[2:4] == [
        "in this system: Redis delivers again after `visibility_timeout`.",
        "usually: Usually broken by a worker that dies after its side effect. Make the handler idempotent.",
    ]


def test_a_run_without_verdicts_is_an_error() -> None:
    result = msgspec.structs.replace(made.result(), verdicts=(), value="INCONCLUSIVE", says="The stack did not start.")
    assert counts(junit.render(result)) == {"tests": "1", "failures": "0", "errors": "1", "skipped": "0"}


def test_characters_that_xml_forbids_are_shown_as_escapes() -> None:
    text = junit.render(made.result(key="a\x00\x1b\ufffe\ud800<b>&\"'", scenario="s\x01"))
    failure = next(xml.fromstring(text.encode("utf-8")).iter("failure"))
    assert failure.text is not None and "a\\x00\\x1b\\ufffe\\ud800<b>&\"'" in failure.text
