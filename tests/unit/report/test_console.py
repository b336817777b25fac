"""The end of a run on a terminal."""

from __future__ import annotations

import made
import msgspec

from harness.report import console
from harness.result import summarise
from harness.verdict import Moment, Witness


def test_a_failed_run_reads_from_verdict_to_remedy() -> None:
    lines = console.lines(made.result(), "reports/x", False)
    assert lines[0] == "FAIL  worker-kill on celery (late-ack), seed 7, 46.1 s"
    assert [line for line in lines if line.startswith(("FAIL", "INCONCLUSIVE", "pass", "n/a"))][1:] == [
        "FAIL  no_duplicate_effects  (1 of 800 jobs with an effect examined)",
        "INCONCLUSIVE  drains_within  (0 acked jobs examined)",
        "pass  no_lost_jobs          All 800 acked jobs were completed; 3 were waiting when worker-2 was\u2026",
        "pass  recovers_within       The slowest recovery took 6.1 s of 30 s.",
        "n/a   replays_dead_letters  celery has no replay.",
    ]
    assert "        10.058 s  effect by worker-2" in lines
    assert lines[-3:] == [
        "report  reports/x/report.html",
        "open    harness open",
        "again   harness run scenarios/worker-kill.yaml --target celery --preset late-ack --seed 7",
    ]


def test_a_failed_claim_says_what_usually_breaks_it_here_or_anywhere() -> None:
    failed = msgspec.structs.replace(made.verdicts()[1], usually="Usually broken by x. Do y.", here="")
    assert "  usually: broken by x. Do y." in console.lines(made.result(failed), "f", False)
    here = msgspec.structs.replace(failed, here="acks_late is off: set it.")
    lines = console.lines(made.result(here), "f", False)
    assert "  in this system: acks_late is off: set it." in lines and not any("usually" in line for line in lines)
    undecided = msgspec.structs.replace(here, value="INCONCLUSIVE")
    assert not any("in this system" in line for line in console.lines(made.result(undecided), "f", False))


def test_jobs_are_no_part_of_what_else_was_examined() -> None:
    failed = msgspec.structs.replace(made.verdicts()[1], of="shutdowns", examined=2, violations=3)
    assert "FAIL  no_duplicate_effects  (2 shutdowns examined, 3 jobs concerned)" in console.lines(
        made.result(failed), "f", False
    )


def test_a_report_outside_the_usual_folder_is_opened_by_its_path() -> None:
    lines = console.lines(made.result(), "else where/x", False)
    assert "open    harness open 'else where/x'" in lines


def test_no_line_is_wider_than_a_terminal_nor_acts_on_it() -> None:
    timeline = tuple(Moment(float(n), "x" * 300 + "\x1b[2J\r\n") for n in range(50))
    verdict = msgspec.structs.replace(
        made.verdicts()[1], witnesses=(Witness("k\x1b[2J" * 80, timeline),) * 5, violations=40
    )
    lines = console.lines(made.result(verdict), "reports/x", False)
    assert max(map(len, lines)) <= console.WIDTH
    assert not any(ord(letter) < 32 for line in lines for letter in line)
    assert "    and 38 more jobs" in lines
    assert len(lines) < 60


def test_colour_is_there_only_when_asked_for() -> None:
    assert console.lines(made.result(), "f", True)[0].startswith("\x1b[1;31mFAIL\x1b[0m  ")


def test_the_reason_is_one_sentence() -> None:
    lost, twice, drained, recovered, replayed = made.verdicts()
    assert summarise([lost, recovered, replayed]) == ("PASS", "All 2 invariants held; 1 did not apply.")
    assert summarise([lost, drained]) == (
        "INCONCLUSIVE",
        "drains_within: The drain was cut short before the lease could expire.",
    )
    assert summarise([twice, twice, drained])[1].endswith("between effect and acknowledgement (and 1 more failed).")
    assert summarise([]) == ("INCONCLUSIVE", "No invariant was checked.")
