"""The claims checked in every run, and what `check` adds to each finding."""

from typing import Any

import pytest

from harness.check import ALWAYS, check
from harness.history.columns import Unreadable
from harness.history.events import Ack, Planned, Waits
from harness.history.history import History
from harness.invariants.attempts_are_bounded import AttemptsAreBounded
from harness.invariants.faults_healed import FaultsHealed
from harness.invariants.faults_took_effect import FaultsTookEffect
from harness.invariants.history_is_readable import HistoryIsReadable
from harness.invariants.load_was_offered import LoadWasOffered
from harness.invariants.no_duplicate_effects import NoDuplicateEffects
from harness.invariants.no_lost_jobs import NoLostJobs
from harness.invariants.no_overlapping_runs import NoOverlappingRuns
from harness.invariants.redis_is_safe import RedisIsSafe
from harness.invariants.shuts_down_cleanly import ShutsDownCleanly
from harness.verdict import Finding, Verdict, passed, undecided
from tests.unit.invariants.histories import Tale, ns

KILLED = {"worker": "w1", "in_hand": ["a"], "asked": ns(0), "ended": ns(1), "killed": True}
ALL = frozenset({"attempts", "state", "held", "effects"})


def damaged(tale: Tale) -> History:
    """The tale as a whole run with one line that cannot be read."""
    tale.builder.unreadable.append(Unreadable("load-1.jsonl", 7, "{", "Input data was truncated"))
    return tale.ended()


def test_a_fault_that_healed_is_healed() -> None:
    expected = passed("1 fault healed.", examined=1, of="injected faults", unhealed=0)
    assert FaultsHealed().check(Tale().fault("cut_link", 1, 2).ended()) == expected


def test_a_fault_without_a_heal_leaves_the_run_undecided() -> None:
    tale = Tale().fault("cut_link", 1).fault("hang_link", 2, n=1).amiss("hang_link", 3, "unhealed", "refused", n=1)
    says = "Not healed: cut_link: no sign that it healed, hang_link: refused."
    assert FaultsHealed().check(tale.ended()) == undecided(says, examined=2, of="injected faults", unhealed=2)


def test_without_faults_there_is_nothing_to_heal_or_to_take_effect() -> None:
    history = Tale().planned(1).done("a").ended()
    assert FaultsHealed().check(history).value == FaultsTookEffect().check(history).value == "NOT APPLICABLE"


def test_a_planned_fault_with_evidence_took_effect() -> None:
    expected = passed("1 fault injected, each with evidence.", examined=1, of="planned faults", planned=1, injected=1)
    tale = Tale().planned(1, 1).acked("a").fault("cut_link", 1, 2)
    assert FaultsTookEffect().check(tale.ended()) == expected
    assert FaultsTookEffect().check(Tale().planned(1, 1).done("a", at=0.8).fault("cut_link", 1, 2).ended()) == expected


def test_a_fault_that_strikes_when_every_job_was_done_harmed_nothing() -> None:
    tale = Tale().planned(1, 2).done("a", at=0).fault("cut_link", 0.1, 2).fault("kill_worker", 1, 2, n=1)
    says = "Every job was done before it struck: kill_worker."
    expected = undecided(says, examined=2, of="planned faults", planned=2, injected=2)
    assert FaultsTookEffect().check(tale.ended()) == expected


def without_faults(tale: Tale, **planned: bool) -> Finding:
    tale.tell(Planned(t=ns(0), jobs=1, faults=0, seconds=10, waits=Waits(lease=5), **planned))
    return FaultsTookEffect().check(tale.ended())


def test_a_run_without_faults_says_so_beforehand() -> None:
    assert without_faults(Tale().done("a"), load_only=True).says == "No fault was planned: a load test."
    assert without_faults(Tale().done("a")).value == "NOT APPLICABLE", "recorded before scenarios could say so"
    assert without_faults(Tale().done("a"), load_only=False) == undecided(
        "No fault was planned and nothing went wrong, so that nothing was put to the test; where that is meant, "
        "the scenario says `load_only: true`.",
        of="planned faults",
    )


@pytest.mark.parametrize(
    ("tale", "went_through"),
    [
        (Tale().done("a").offered("a", at=1), "1 job offered again"),
        (Tale().acked("a").ran("a", 0.1, 0.2, "failed"), "1 run that failed"),
        (Tale().acked("a").started("a", 0.1, pid=3).died("w1", 3, 1), "1 run cut short by a death"),
        (Tale().done("a", start=1, finish=6.1), "1 run longer than the lease"),
        (Tale().done("a").ran("a", 1, 1.2), "1 job delivered again"),
    ],
)
def test_what_the_load_itself_brings_is_put_to_the_test_without_a_fault(tale: Tale, went_through: str) -> None:
    found = without_faults(tale, load_only=False)
    assert (found.value, found.says) == ("NOT APPLICABLE", f"No fault was planned; there were {went_through}.")


@pytest.mark.parametrize(
    ("tale", "says"),
    [
        (Tale().planned(1, 1), "1 fault planned, 0 injected."),
        (Tale().planned(1, 1).fault("cut_link", 1, evidence={}), "No evidence that it took hold: cut_link."),
        (Tale().planned(1, 1).amiss("cut_link", 1, "missed", "no such link"), "cut_link missed: no such link."),
        (Tale().fault("cut_link", 1), "The history does not say what was planned."),
    ],
)
def test_a_fault_that_did_not_take_hold_leaves_the_run_undecided(tale: Tale, says: str) -> None:
    found = FaultsTookEffect().check(tale.ended())
    assert (found.value, found.says) == ("INCONCLUSIVE", says)


def test_a_load_offered_as_planned_passes() -> None:
    late = {"late_p50_ms": 0.0, "late_p99_ms": 0.0, "late_max_ms": 0.0}
    says = "2 jobs offered, 2 acked; p99 0 ms after the intended time."
    expected = passed(says, examined=2, of="offered jobs", planned=2, offered=2, acked=2, dropped=0, **late)
    assert LoadWasOffered().check(Tale().planned(2).done("a", "b").ended()) == expected


@pytest.mark.parametrize(
    ("tale", "says"),
    [
        (Tale().done("a"), "The history does not say what was planned."),
        (Tale().planned(1).rejected("a"), "1 job offered, none acked: there is nothing to judge."),
        (Tale().planned(2).done("a").dropped("b"), "The generator dropped 1 arrival, and offered 1."),
        (Tale().planned(2).done("a"), "2 arrivals planned, 1 offered."),
    ],
)
def test_a_load_that_was_not_the_planned_one_leaves_the_run_undecided(tale: Tale, says: str) -> None:
    found = LoadWasOffered().check(tale.ended())
    assert (found.value, found.says) == ("INCONCLUSIVE", says)


def test_an_ack_without_an_offer_is_told() -> None:
    found = LoadWasOffered().check(Tale().planned(0).tell(Ack(t=ns(1), key="a")).ended())
    assert (found.value, found.says) == ("INCONCLUSIVE", "1 job acked, and never offered.")


def test_a_history_is_readable_to_the_end_or_the_run_is_undecided() -> None:
    says = "8 events, all readable, to the end of the run."
    assert HistoryIsReadable().check(Tale().done("a").ended()) == passed(says, examined=8, of="events", unreadable=0)
    says = "The history stops before the end of the run."
    assert HistoryIsReadable().check(Tale().done("a").cut()) == undecided(says, examined=5, of="events", unreadable=0)
    says = "1 line could not be read, the first load-1.jsonl:7: Input data was truncated."
    expected = undecided(says, examined=8, of="events", unreadable=1)
    assert HistoryIsReadable().check(damaged(Tale().done("a"))) == expected


def test_every_standing_claim_is_asked_once() -> None:
    verdicts = check(Tale().done("a").ended(), [NoLostJobs(), FaultsHealed()], reports=ALL)
    assert sorted(verdict.invariant for verdict in verdicts) == sorted(["no_lost_jobs", *ALWAYS])


def test_a_pass_that_examined_nothing_is_undecided() -> None:
    verdict = check(Tale().ended(), [NoLostJobs()], reports=ALL)[0]
    assert (verdict.value, verdict.says) == ("INCONCLUSIVE", "Examined nothing: there were no acked jobs.")


def test_a_target_that_does_not_report_what_a_claim_needs_is_not_judged_by_it() -> None:
    verdict = check(Tale().acked("a").ended(), [NoOverlappingRuns()], reports=frozenset({"state"}))[0]
    assert (verdict.value, verdict.says) == ("NOT APPLICABLE", "The target does not report attempts.")


def test_a_claim_whose_check_crashes_is_undecided() -> None:
    class Broken:
        """It is broken."""

        needs = ()

        def check(self, history: History) -> Finding:
            raise ZeroDivisionError("by nothing")

    verdict: Verdict = check(Tale().ended(), [Broken()], reports=ALL)[0]
    assert (verdict.value, verdict.says) == ("INCONCLUSIVE", "The check itself failed: ZeroDivisionError: by nothing")


def test_what_only_seems_to_be_missing_is_in_doubt_where_a_line_cannot_be_read() -> None:
    tale = Tale().acked("a").effect("b", 1).effect("b", 2)
    lost, duplicated = check(damaged(tale), [NoLostJobs(), NoDuplicateEffects()], reports=ALL)[:2]
    assert (lost.value, [one.key for one in lost.witnesses]) == ("INCONCLUSIVE", ["a"])
    assert (duplicated.value, [one.key for one in duplicated.witnesses]) == ("FAIL", ["b"])


@pytest.mark.parametrize(
    ("claim", "tale"),
    [
        (AttemptsAreBounded(most=1), Tale().acked("a").ran("a", 1, 2).ran("a", 3, 4)),
        (RedisIsSafe(), Tale().fault("squeeze_memory", 1, 2, evidence={"evicted": 1, "policy": "allkeys-lru"})),
        (ShutsDownCleanly(), Tale().fault("deploy_workers", 1, 1, evidence={"replaced": [KILLED]})),
    ],
)
def test_what_was_seen_is_in_no_doubt_where_a_line_cannot_be_read(claim: Any, tale: Tale) -> None:
    assert check(damaged(tale), [claim], reports=ALL)[0].value == "FAIL"


def test_what_was_neither_planned_nor_injected_was_not_examined() -> None:
    history = Tale().planned(1).done("a").ended()
    assert FaultsHealed().check(history).examined == FaultsTookEffect().check(history).examined == 0


def test_the_first_of_several_unreadable_lines_is_told() -> None:
    tale = Tale().done("a")
    tale.builder.unreadable.append(Unreadable("first.jsonl", 3, "[", "not an object"))
    says = "2 lines could not be read, the first first.jsonl:3: not an object."
    assert HistoryIsReadable().check(damaged(tale)).says == says


def test_where_no_plan_is_known_none_is_measured() -> None:
    assert LoadWasOffered().check(Tale().done("a").ended()).measured["planned"] == 0


def test_the_lateness_of_the_generator_is_measured() -> None:
    tale = Tale().planned(1000)
    for number in range(1000):
        key, intended = f"{number}", (number - 1) / 1000
        tale.offered(key, at=1, intended=1 - intended).tell(Ack(t=ns(1), key=key))
    found = LoadWasOffered().check(tale.ended())
    late = {key: value for key, value in found.measured.items() if key.startswith("late")}
    assert late == {"late_p50_ms": 498.0, "late_p99_ms": 988.0, "late_max_ms": 998.0}
    assert found.says == "1,000 jobs offered, 1,000 acked; p99 988 ms after the intended time; the generator was late."


@pytest.mark.parametrize(("late", "remark"), [(0.1, ""), (0.1 + 1e-9, "; the generator was late"), (-0.5, "")])
def test_a_generator_is_late_from_a_tenth_of_a_second_on(late: float, remark: str) -> None:
    tale = Tale().planned(1).offered("a", at=1 + late, intended=1).tell(Ack(t=ns(2), key="a"))
    found = LoadWasOffered().check(tale.ended())
    assert found.says == f"1 job offered, 1 acked; p99 {max(0, round(late * 1000))} ms after the intended time{remark}."
    assert found.measured["late_max_ms"] == pytest.approx(max(0, late * 1000))


def test_the_same_history_gives_the_same_verdicts() -> None:
    history = Tale().done("a").acked("b").fault("cut_link", 1, 2).ended()
    assert check(history, [NoLostJobs()], reports=ALL) == check(history, [NoLostJobs()], reports=ALL)


def test_what_array_operations_measure_can_be_kept_as_json() -> None:
    import msgspec
    import numpy as np

    from harness.verdict import Finding, passed

    class Counts(msgspec.Struct, frozen=True):
        """It counts.

        Nothing breaks it.
        """

        needs = ()

        def check(self, history: object) -> Finding:
            return passed("So many.", examined=1, of="things", rate=np.float64(1.5), count=np.int64(2))

    verdict = check(Tale().done("a").ended(), [Counts()], reports=frozenset())[0]
    assert msgspec.json.decode(msgspec.json.encode(verdict.measured)) == {"rate": 1.5, "count": 2}
