"""A server does not grow with the jobs that are finished."""

from harness.history.events import Ack, Offer, Sample
from harness.history.history import History
from harness.invariants.memory_is_bounded import MemoryIsBounded
from harness.verdict import Finding, failed, passed, undecided
from tests.unit.invariants.histories import Tale, ns

OF = "completed jobs in the second half"


def check(history: History) -> Finding:
    return MemoryIsBounded(per_job=100).check(history)


def passing(count: int = 200) -> Tale:
    """A job every second, each done in its first half second."""
    tale = Tale()
    for n in range(count):
        tale.done(f"{n}", at=n, start=n + 0.1, finish=n + 0.4)
    return tale


def looked(tale: Tale, *looks: tuple[float, int], server: str = "redis") -> Tale:
    return tale.tell(*(Sample(t=ns(at), process=server, cpu=0.0, rss=9**9, used=used) for at, used in looks))


def test_growth_of_no_more_than_the_bound() -> None:
    tale = looked(passing(), (0, 0), (99.0, 1), (99.5, 7_000), (150, 90_000), (300, 17_000))
    says = "redis held 7,000 bytes half way and 17,000 at the end: 100 bytes for each of 100 jobs."
    assert check(tale.ended(at=300)) == passed(says, examined=100, of=OF, per_job=100.0, used=17_000.0)


def test_growth_of_more() -> None:
    tale = looked(passing(), (99.5, 7_000), (300, 17_010))
    looked(tale, (300, 9**9), server="postgres").tell(Sample(t=ns(301), process="redis", cpu=0.0, rss=1))
    says = "redis held 7,000 bytes half way and 17,010 at the end: 100 bytes for each of 100 jobs."
    measured = {"per_job": 100.1, "used": 17_010.0}
    assert check(tale.cut()) == undecided(f"The run was cut short; {says}", examined=100, of=OF, **measured)
    assert check(tale.ended(at=302)) == failed(says, examined=100, of=OF, **measured)


def test_another_server_is_asked_for() -> None:
    tale = looked(passing(), (99.5, 7_000), (300, 99_010), server="postgres")
    assert MemoryIsBounded(server="postgres").check(tale.ended(at=300)).value == "FAIL"
    says = "Too little to judge: 200 completed jobs, 0 looks at redis."
    assert check(tale.ended(at=300)) == undecided(says, of=OF)


def test_too_few_jobs() -> None:
    says = "Too little to judge: 99 completed jobs, 1 look at redis."
    assert check(looked(passing(99), (300, 1)).ended(at=300)) == undecided(says, of=OF)
    assert check(looked(passing(100), (49.5, 1), (300, 1)).ended(at=300)).value == "PASS"


def test_too_few_jobs_between_two_looks() -> None:
    says = "Too few jobs completed between two looks at redis with hardly a job waiting: 24."
    assert check(looked(passing(), (175.5, 0), (300, 9)).ended(at=300)) == undecided(says, examined=24, of=OF)
    assert check(looked(passing(), (174.5, 0), (300, 9)).ended(at=300)).value == "PASS"
    says = says.replace("24", "0")
    assert check(looked(passing(), (5, 0)).ended(at=300)) == undecided(says, examined=0, of=OF)


def test_a_look_at_a_server_with_a_backlog_does_not_count() -> None:
    """Jobs that wait take memory, too: their going would hide what is kept of them."""
    tale = passing()
    for n in range(3):
        key = f"waits-{n}"
        tale.tell(Offer(t=ns(90), key=key, intended=ns(90)), Ack(t=ns(90), key=key))
        tale.ran(key, 120, 120 + n).effect(key, 120 + n)
    looked(tale, (102.5, 50_000), (119.9, 50_000), (120.5, 40_000), (300, 49_000))
    says = "redis held 40,000 bytes half way and 49,000 at the end: 111 bytes for each of 81 jobs."
    found = check(tale.ended(at=300))
    assert found == failed(says, examined=81, of=OF, per_job=111.1, used=49_000.0)


def test_nor_one_at_the_end() -> None:
    tale = looked(passing(), (99.5, 7_000), (180.5, 7_000), (300, 99_000)).acked("u", "v", "w", at=250)
    says = "redis held 7,000 bytes half way and 7,000 at the end: 0 bytes for each of 81 jobs."
    assert check(tale.ended(at=300)) == passed(says, examined=81, of=OF, per_job=0.0, used=7_000.0)


def test_the_bound_that_is_taken_if_none_is_given() -> None:
    for used, value in ((12_800, "PASS"), (12_801, "FAIL")):
        assert MemoryIsBounded().check(looked(passing(), (99.5, 0), (300, used)).ended(at=300)).value == value


def test_of_a_hundred_jobs_one_may_wait() -> None:
    for waiting, value in ((1, "FAIL"), (2, "INCONCLUSIVE")):
        tale = looked(passing(100), (49.5, 0), (300, 90_000)).acked(*"uv"[:waiting], at=40)
        assert check(tale.ended(at=300)).value == value


def test_a_few_new_connections_are_no_growth() -> None:
    steps = [(100 + n, 7_000 + 25_000 * (n > 40) + 25_000 * (n > 80)) for n in range(0, 100, 5)]
    assert check(looked(passing(), *steps).ended(at=300)).value == "PASS"


def test_what_is_kept_of_each_job_is_growth_among_new_connections_too() -> None:
    steps = [(100 + n, 7_000 + 300 * n + 25_000 * (n > 40)) for n in range(0, 100, 5)]
    found = check(looked(passing(), *steps).ended(at=300))
    assert (found.value, found.measured["per_job"]) == ("FAIL", 300.0)
