"""When a fault was over, which faults were one trouble, and which jobs lived through them."""

from harness.history.history import History
from harness.invariants._outages import Outage, at_risk, lasting, left_in_peace, outages
from tests.unit.invariants.histories import Tale, ns

Fault = tuple[float, float]


def struck(*faults: Fault) -> Tale:
    tale = Tale()
    for n, (since, over) in enumerate(faults):
        tale.fault("cut_link", since, over, n=n)
    return tale


def overs(history: History, within: float) -> list[float]:
    return [(outage.over - ns(0)) / 1e9 for outage in left_in_peace(history, within)]


def at_risk_at(tale: Tale, since: float, until: float) -> bool:
    return bool(at_risk(tale.done("a", at=since, finish=until).ended())[0])


def test_a_fault_without_a_heal_is_over_at_once_unless_the_heal_may_be_lost() -> None:
    tale = struck((1, 3)).fault("kill_worker", 4, n=1)
    assert outages(tale.cut()) == [Outage(0, "cut_link", ns(1), ns(3))]
    assert lasting(tale.cut()) == ["kill_worker"]
    history = tale.ended()
    assert outages(history) == [Outage(0, "cut_link", ns(1), ns(3)), Outage(1, "kill_worker", ns(4), ns(4))]
    assert lasting(history) == []


def test_a_fault_said_to_be_unhealed_is_no_outage() -> None:
    history = struck((1, 3)).fault("hang_link", 4, n=1).amiss("hang_link", 9, "unhealed", "no", n=1).ended()
    assert (len(outages(history)), lasting(history)) == (1, ["hang_link"])


def test_faults_are_one_trouble_while_the_next_strikes_in_time() -> None:
    assert overs(struck((2, 5), (8, 9)).ended(), within=3) == [9, 9]
    assert overs(struck((2, 5), (8.001, 9)).ended(), within=3) == [5, 9]
    assert overs(struck((1, 2), (10, 11), (12, 13)).ended(), within=3) == [2, 13, 13]
    assert overs(struck((2, 20), (3, 4), (21, 22)).ended(), within=2) == [22, 22, 22]


def test_nobody_recovers_beside_a_fault_that_lasts() -> None:
    tale = struck((1, 2), (10, 12)).fault("hang_link", 13, n=2)
    assert overs(tale.cut(), within=3) == [2]
    assert overs(tale.fault("cut_link", 30, 31, n=3).cut(), within=3) == [2]


def test_a_job_is_at_risk_from_its_ack_until_before_its_completion() -> None:
    assert not at_risk_at(struck((2, 4)), 1, 2)
    assert at_risk_at(struck((2, 4)), 1, 2.001)
    assert at_risk_at(struck((2, 4)), 4, 5)
    assert not at_risk_at(struck((2, 4)), 4.001, 5)


def test_faults_that_overlap_are_one_stretch_of_trouble() -> None:
    assert at_risk_at(struck((2, 10), (3, 5), (6, 8)), 9, 9.5)
    assert at_risk_at(struck((0.1, 0.2), (5, 10), (6, 7), (7.5, 8)), 9, 9.5)
    assert not at_risk_at(struck((0.1, 0.2), (5, 10), (6, 7)), 2, 4)
    assert at_risk_at(struck((2, 4), (3, 10)), 9, 9.5)
    assert at_risk_at(struck((0.1, 0.3), (5, 10), (6, 7)), 0.15, 0.2)


def test_a_fault_that_lasts_puts_jobs_at_risk_until_the_end() -> None:
    tale = struck((1, 2)).fault("hang_link", 5, n=1).amiss("hang_link", 90, "unhealed", "no", n=1)
    assert at_risk_at(tale, 80, 81)
    tale = struck((1, 2)).fault("hang_link", 5, n=1).amiss("hang_link", 90, "unhealed", "no", n=1)
    assert not at_risk_at(tale, 3, 4)


def test_a_job_that_was_never_acked_is_not_at_risk() -> None:
    assert at_risk(struck((2, 4)).offered("a").started("a", 3).ended()).tolist() == [False]
