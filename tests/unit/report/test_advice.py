"""What to change: what breaks the claim in this system and in general, where it was broken."""

from __future__ import annotations

import made
import msgspec
import pytest

from harness.report.advice import advice
from harness.report.verdicts import render


def test_a_text_is_shown_by_paragraphs_with_its_code_and_nothing_else_of_it_acts() -> None:
    assert advice("Set `acks_late`\n to <b>.\n\nAnd `x`.") == (
        '<div class="advice"><h4>What usually causes it, and what to change</h4>'
        "<p>Set <code>acks_late</code> to &lt;b&gt;.</p><p>And <code>x</code>.</p></div>"
    )


def test_what_breaks_it_in_this_system_comes_first() -> None:
    assert advice("Any.", "Here.").endswith("<p><b>In this system:</b> Here.</p><p><b>In general:</b> Any.</p></div>")


@pytest.mark.parametrize("text", ["", " \n\n "])
def test_no_text_shows_nothing(text: str) -> None:
    assert advice(text) == advice(text, text, folded=True) == ""


def test_what_was_wrong_with_the_run_comes_before_what_it_left_undecided() -> None:
    undecided = msgspec.structs.replace(made.verdicts()[2], invariant="no_lost_jobs")
    run = msgspec.structs.replace(undecided, invariant="faults_took_effect")
    page = render(made.result(undecided, run), made.worker_kill())
    assert page.index("faults_took_effect") < page.index("no_lost_jobs")
    assert page.count("What usually causes it") == page.count("What would break it") == 1
