"""What a trial came to, and the tables, the picture and the catalogue that tell it."""

from __future__ import annotations

from xml.etree import ElementTree

from msgspec.structs import replace

from harness.cell import Cell, Outcome
from harness.proof import Mark, Proven, Trial, changing, judge, together
from harness.report.proof import catalogue, picture, table
from harness.result import Result
from harness.verdict import Value, Verdict


def outcome(cell: Cell, *failing: str, value: Value = "PASS") -> Outcome:
    verdicts = tuple(
        Verdict(invariant=name, claim="", value="FAIL", says="", examined=1, of="", violations=1) for name in failing
    )
    result = Result(
        run="r", scenario="s", target="t", seed=1, started="", seconds=2.0, value=value, says="so", verdicts=verdicts
    )
    return Outcome(cell, 0, "folder", result, "so")


CELL = Cell("scenarios/worker-kill.yaml", "celery", variant="broken", seed=7)
BROKEN = Trial(CELL, ("no_lost_jobs",), ("L1",), "it forgets")


def test_exactly_the_named_claims_must_fail() -> None:
    caught = judge(BROKEN, outcome(CELL, "no_lost_jobs", value="FAIL"))
    assert (caught.mark, caught.modes, caught.seed, caught.about) == ("caught", ("L1",), 7, "it forgets")
    more = judge(BROKEN, outcome(CELL, "no_lost_jobs", "reconciles", value="FAIL"))
    assert (more.mark, "got FAIL (no_lost_jobs, reconciles)" in more.says) == ("WRONG", True)
    assert judge(BROKEN, outcome(CELL)).mark == "WRONG"
    assert judge(BROKEN, Outcome(CELL, 4, says="no stack")).mark == "ERROR"


def test_a_mended_one_must_pass_and_not_merely_be_undecided() -> None:
    mended = Trial(CELL, ())
    assert judge(mended, outcome(CELL)).mark == "held"
    assert judge(mended, outcome(CELL, value="INCONCLUSIVE")).mark == "WRONG"


def one(variant: str, target: str, mark: Mark, *modes: str) -> Proven:
    fails = () if mark == "held" else ("no_lost_jobs",)
    return Proven("worker-kill", variant, target, mark, "", fails, modes=modes, about=f"<{variant}> | x")


PROVEN = [
    one("fixed", "celery", "held", "L1", "D1"),
    one("broken", "celery", "caught", "D1"),
    one("early", "celery", "caught", "L1"),
    one("fixed", "rq", "held", "L1", "D1"),
    one("broken", "rq", "WRONG", "D1"),
    one("early", "rq", "n/a", "L1"),
]


def test_a_mode_is_caught_where_the_broken_was_caught_and_the_mended_held() -> None:
    assert table.modes(PROVEN) == {
        ("L1", "celery"): "caught",
        ("D1", "celery"): "caught",
        ("L1", "rq"): "held",
        ("D1", "rq"): "WRONG",
    }


def test_the_tables_have_targets_across() -> None:
    assert table.by_mode(PROVEN) == [
        "                                                                    celery  rq",
        "L1   a worker dies with a job in hand, and the job is gone          caught  held",
        "D1   a worker dies after the effect and before the acknowledgement  caught  WRONG",
    ]
    assert table.by_variant(PROVEN) == [
        "                    celery  rq",
        "worker-kill broken  caught  WRONG",
        "worker-kill early   caught  n/a",
        "worker-kill fixed   held    held",
    ]


def test_the_picture_is_whole_and_says_every_mark_in_words() -> None:
    drawn = ElementTree.fromstring(picture.svg(PROVEN))
    words = [node.text for node in drawn.iter() if node.tag.endswith("text")]
    assert {"✓ caught", "held", "✗ WRONG", "celery", "rq", "L1", "D1", "Lost", "Done twice"} <= set(words)


def test_the_catalogue_tells_where_it_was_as_it_must_be() -> None:
    lines = catalogue.markdown(PROVEN).splitlines()
    assert "| D1 | a worker dies after the effect and before the acknowledgement | caught | WRONG |" in lines
    assert "| D1 | `worker-kill` | `broken` | <broken> \\| x | `no_lost_jobs` | celery | rq (WRONG) |" in lines


def test_a_verdict_that_changes_is_named() -> None:
    assert changing([*PROVEN, one("broken", "rq", "caught", "D1")]) == ["worker-kill broken on rq"]
    assert changing(PROVEN * 2) == []


def test_the_runs_of_a_trial_are_told_as_one_by_the_worst() -> None:
    wrong = replace(one("fixed", "celery", "WRONG"), seed=7)
    told = together([one("fixed", "celery", "held"), wrong, one("fixed", "rq", "held")])
    assert told == [replace(wrong, runs=2), one("fixed", "rq", "held")]


def test_the_page_says_how_many_runs_it_is_made_from() -> None:
    first, *_ = catalogue.markdown([replace(PROVEN[0], runs=3), replace(PROVEN[1], runs=2), PROVEN[-1]]).splitlines()
    assert first == "5 runs of 2 variants on targets, of each at least 2; its worst mark is shown."
