"""What to change: the invariant's own words, for claims that were broken."""

from __future__ import annotations

import made
import msgspec
import pytest

from harness.report.advice import advice, usual
from harness.report.verdicts import render
from harness.verdict import Value


def test_a_text_is_shown_by_paragraphs_with_its_code_and_nothing_else_of_it_acts() -> None:
    assert advice("Set `acks_late`\n to <b>.\n\nAnd `x`.") == (
        '<div class="advice"><h4>What usually causes it, and what to change</h4>'
        "<p>Set <code>acks_late</code> to &lt;b&gt;.</p><p>And <code>x</code>.</p></div>"
    )


@pytest.mark.parametrize("text", ["", " \n\n "])
def test_no_text_shows_nothing(text: str) -> None:
    assert advice(text) == advice(text, folded=True) == ""


@pytest.mark.parametrize(
    ("value", "told"), [("FAIL", True), ("INCONCLUSIVE", True), ("PASS", False), ("NOT APPLICABLE", False)]
)
def test_only_what_did_not_hold_has_a_usual_cause(value: Value, told: bool) -> None:
    verdict = msgspec.structs.replace(made.verdicts()[1], value=value)
    assert usual(verdict).startswith("Usually broken by a worker that dies after its side effect") == told
    assert usual(msgspec.structs.replace(verdict, invariant="no_such_claim")) == ""


def test_what_was_wrong_with_the_run_comes_before_what_it_left_undecided() -> None:
    undecided = msgspec.structs.replace(made.verdicts()[2], invariant="no_lost_jobs")
    run = msgspec.structs.replace(undecided, invariant="faults_took_effect")
    page = render(made.result(undecided, run), made.worker_kill())
    assert page.index("faults_took_effect") < page.index("no_lost_jobs")
    assert page.count("What usually causes it") == page.count("What would break it") == 1
