"""While something is broken, whoever offers a job is answered soon."""

from harness.history.events import Ack, Reject, Unknown
from harness.history.history import History
from harness.invariants.producer_fails_fast import ProducerFailsFast
from harness.verdict import Finding, failed, passed, undecided
from tests.unit.invariants.histories import Tale, ns

OF = "offers while something was broken"


def check(history: History) -> Finding:
    return ProducerFailsFast(within=5.0).check(history)


def broken() -> Tale:
    """From 10 until 20; one job is offered before, one as it ends."""
    tale = Tale().fault("cut_link", 10, 20).offered("before", at=9.9).offered("after", at=20)
    return tale.tell(Ack(t=ns(40), key="before"), Ack(t=ns(40), key="after"))


def test_every_offer_is_answered_in_time() -> None:
    tale = broken().offered("a", at=10).offered("b", at=19).offered("c", at=12)
    tale.tell(Reject(t=ns(15), key="a"), Unknown(t=ns(20), key="b"), Ack(t=ns(13), key="c"))
    says = "3 offers while something was broken, each answered within 5.0 s."
    assert check(tale.ended()) == passed(says, examined=3, of=OF, worst_s=5.0, slow=0)


def test_the_slowest_is_named_first() -> None:
    tale = broken().offered("a", at=10).offered("b", at=11).offered("c", at=12)
    tale.tell(Reject(t=ns(15.001), key="a"), Reject(t=ns(30), key="b"), Ack(t=ns(13), key="c"))
    says = "2 offers of 3 while something was broken had no answer within 5 s."
    assert check(tale.ended()) == failed(says, examined=3, of=OF, jobs=[3, 2], worst_s=19.0, slow=2)


def test_an_offer_without_an_answer_has_waited_until_the_history_stops() -> None:
    tale = broken().offered("a", at=12)
    says = "1 offer of 1 while something was broken had no answer within 5 s."
    assert check(tale.ended()) == failed(says, examined=1, of=OF, jobs=[2], worst_s=88.0, slow=1)
    young = Tale().fault("cut_link", 10, 20).offered("a", "b", at=19).tell(Reject(t=ns(19), key="b"))
    says = "The run was cut short while 1 offer had no answer."
    assert check(young.cut()) == undecided(says, examined=2, of=OF, worst_s=1.0, slow=0)
    assert check(young.tell(Unknown(t=ns(21), key="a")).cut()).value == "PASS"


def test_a_fault_that_keeps_nobody_from_offering_proves_nothing() -> None:
    says = "Nothing to judge: every job offered while something was broken was taken."
    assert check(broken().acked("a", at=12).ended()) == undecided(says, examined=1, of=OF, worst_s=0.0, slow=0)
    late = broken().offered("a", at=12).tell(Ack(t=ns(18), key="a"))
    assert check(late.ended()).value == "FAIL"


def test_nothing_was_broken_or_nothing_offered() -> None:
    says = "0 offers while something was broken, each answered within 0 ms."
    for tale in (broken(), Tale().done("a").fault("kill_worker", 0)):
        assert check(tale.ended()) == passed(says, examined=0, of=OF, worst_s=0.0, slow=0)


def test_each_offer_of_a_key_has_its_own_answer() -> None:
    tale = broken().offered("a", at=11).offered("a", at=12).offered("b", at=13)
    tale.tell(Reject(t=ns(11.5), key="a"), Ack(t=ns(18), key="a"), Reject(t=ns(14), key="b"))
    says = "1 offer of 3 while something was broken had no answer within 5 s."
    assert check(tale.ended()) == failed(says, examined=3, of=OF, jobs=[2], worst_s=6.0, slow=1)
    earlier = Tale().fault("cut_link", 10, 20).acked("a", at=5).offered("a", at=11).tell(Reject(t=ns(12), key="a"))
    says = "1 offer while something was broken, each answered within 1.0 s."
    assert check(earlier.ended()) == passed(says, examined=1, of=OF, worst_s=1.0, slow=0)


def test_two_faults_are_two_stretches() -> None:
    tale = Tale().fault("cut_link", 10, 20).fault("hang_link", 30, 40, n=1)
    tale.rejected("a", at=15).rejected("b", at=25).rejected("c", at=30)
    assert check(tale.ended()).examined == 2


def test_the_bound_is_more_than_nothing() -> None:
    assert list(ProducerFailsFast(within=0.0).problems()) == ["within must be more than 0s"]
    assert list(ProducerFailsFast(within=0.1).problems()) == []
    assert ProducerFailsFast().within == 5.0


def test_an_offer_without_an_answer_was_not_taken() -> None:
    tale = Tale().fault("cut_link", 10, 20).offered("a", at=19).acked("b", at=19)
    says = "The run was cut short while 1 offer had no answer."
    assert check(tale.cut()) == undecided(says, examined=2, of=OF, worst_s=1.0, slow=0)
