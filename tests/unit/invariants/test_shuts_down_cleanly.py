"""A worker that is asked to end finishes what it has begun."""

from typing import Any

import pytest

from harness.history.events import Refuse
from harness.invariants.shuts_down_cleanly import ShutsDownCleanly
from harness.verdict import failed, passed, undecided
from tests.unit.invariants.histories import Tale, ns

CHECK = ShutsDownCleanly().check


def deploy(tale: Tale, *workers: dict[str, Any]) -> Tale:
    return tale.fault("deploy_workers", at=9, healed=9, evidence={"replaced": list(workers)})


def asked(
    worker: str = "w1", *, at: float = 1, ended: float = 2, keys: tuple[str, ...] = ("a",), killed: bool = False
) -> dict[str, Any]:
    return {"worker": worker, "in_hand": list(keys), "asked": ns(at), "ended": ns(ended), "killed": killed}


def test_a_worker_that_finishes_its_job_and_ends_is_clean() -> None:
    tale = Tale().acked("a").ran("a", 0.5, 1.5).died("w1", 1, 2, code=0)
    says = "1 worker had a job in hand when asked to end, and finished it."
    assert CHECK(deploy(tale, asked()).ended()) == passed(says, examined=1, of="shutdowns", cut_off=0, killed=0)


def test_a_job_that_dies_with_its_worker_was_cut_off() -> None:
    tale = Tale().acked("a").started("a", 0.5).died("w1", 1, 1.1, code=-15).ran("a", 5, 6, worker="w2", pid=2)
    says = "1 shutdown: 1 job cut off."
    found = CHECK(deploy(tale, asked(ended=1.1)).ended())
    assert found == failed(says, examined=1, of="shutdowns", jobs=[0], cut_off=1, killed=0)


def test_a_run_in_a_pool_process_is_cut_off_with_it() -> None:
    tale = Tale().acked("a").started("a", 0.5, pid=7).gone("w1", 7, 1.05).died("w1", 1, 1.1)
    assert CHECK(deploy(tale, asked(ended=1.1)).ended()).measured == {"cut_off": 1, "killed": 0}


def test_a_run_ended_by_an_exception_was_cut_off() -> None:
    tale = Tale().acked("a").ran("a", 0.5, 1.1, "failed").died("w1", 1, 1.5, code=0)
    assert CHECK(deploy(tale, asked(ended=1.5)).ended()).measured == {"cut_off": 1, "killed": 0}


def test_a_run_that_the_provider_refused_was_not() -> None:
    tale = Tale().acked("a").ran("a", 0.5, 1.1, "failed").tell(Refuse(t=ns(1), key="a", worker="w1", how="503"))
    assert CHECK(deploy(tale.died("w1", 1, 1.5, code=0), asked(ended=1.5)).ended()).value == "PASS"


@pytest.mark.parametrize("error", ["Permanent", "Unclassified", "Transient", "kit.Transient"])
def test_a_run_that_failed_because_its_job_is_poison_was_not(error: str) -> None:
    tale = Tale().acked("a").ran("a", 0.5, 1.1, "failed", note=error).died("w1", 1, 1.5, code=0)
    assert CHECK(deploy(tale, asked(ended=1.5)).ended()).value == "PASS"


def test_a_poisoned_job_is_cut_off_like_any_other() -> None:
    tale = (
        Tale().acked("a").ran("a", 0.1, 0.2, "failed", note="Transient").ran("a", 0.5, 1.1, "failed", note="Shutdown")
    )
    found = CHECK(deploy(tale.died("w1", 1, 1.5, code=0), asked(ended=1.5)).ended())
    assert found.measured == {"cut_off": 1, "killed": 0}


def test_a_run_that_failed_while_another_fault_was_at_work_was_not() -> None:
    def cut_off(since: float, over: float) -> int:
        tale = Tale().acked("a").ran("a", 0.5, 1.1, "failed", note="DownstreamFailed").died("w1", 1, 1.5, code=0)
        tale.fault("cut_link", since, over, n=1)
        return int(CHECK(deploy(tale, asked(ended=1.5)).ended()).measured["cut_off"])

    assert [cut_off(0.2, 0.6), cut_off(1.0, 3.0)] == [0, 0]
    assert [cut_off(0.2, 0.4), cut_off(1.2, 3.0)] == [1, 1]


def test_a_run_whose_worker_another_fault_killed_was_not() -> None:
    struck = {"workers": [{"worker": "w1", "in_hand": ["a"]}]}
    tale = Tale().acked("a").started("a", 0.5).died("w1", 1, 1.1).fault("kill_worker", 1.1, 1.1, n=1, evidence=struck)
    assert CHECK(deploy(tale, asked(ended=1.1)).ended()).value == "PASS"
    again = Tale().acked("a").started("a", 0.1).gone("w1", 1, 1.05).started("a", 1.06, pid=2).died("w1", 2, 1.1)
    again.fault("kill_worker", 1.1, 1.1, n=1, evidence=struck)
    assert CHECK(deploy(again, asked(ended=1.1)).ended()).measured == {"cut_off": 1, "killed": 0}


def test_a_worker_that_had_to_be_killed_is_not_clean() -> None:
    tale = Tale().acked("a").ran("a", 0.5, 1.5).died("w1", 1, 2)
    says = "1 shutdown: 0 jobs cut off; w1 did not end in time and had to be killed."
    found = CHECK(deploy(tale, asked(killed=True)).ended())
    assert found == failed(says, examined=1, of="shutdowns", cut_off=0, killed=1)


def test_a_crash_at_another_time_is_no_matter_of_shutdown() -> None:
    tale = Tale().acked("a").ran("a", 0.5, 1.5).died("w1", 1, 2, code=0)
    tale.acked("b").started("b", 4, pid=3).died("w1", 3, 5).acked("c").started("c", 0.2, worker="w2", pid=2).died(
        "w2", 2, 1.5
    )
    assert CHECK(deploy(tale, asked()).ended()).value == "PASS"


def test_workers_without_a_job_in_hand_decide_nothing() -> None:
    says = "Nothing to judge: no worker with a job in hand was asked to end."
    assert CHECK(deploy(Tale().done("a"), asked(keys=())).ended()) == undecided(says, of="shutdowns")
    assert CHECK(Tale().done("a").ended()) == undecided(says, of="shutdowns")


def ended_at(*, start: float = 0.5, died: float = 1.5, finish: float | None = None, outcome: str = "done") -> int:
    """How many jobs are said to be cut off by a shutdown that was asked for at 1 and over at 2."""
    tale = Tale().acked("a").started("a", start).died("w1", 1, died)
    if finish is not None:
        tale.finished("a", finish, outcome)  # type: ignore[arg-type]
    return int(CHECK(deploy(tale, asked()).ended()).measured["cut_off"])


def test_a_death_counts_from_the_moment_of_the_request() -> None:
    assert ended_at(died=1.0) == ended_at(died=5.0) == ended_at(start=2.0, died=5.0) == 1
    assert ended_at(died=0.9) == ended_at(start=2.1, died=5.0) == 0


def test_an_exception_counts_while_the_worker_ends() -> None:
    assert [ended_at(died=3, finish=at, outcome="failed") for at in (0.9, 1.0, 2.0, 2.1)] == [0, 1, 1, 0]


def test_a_run_that_was_finished_was_not_cut_off() -> None:
    assert ended_at(died=1.5, finish=1.5) == ended_at(died=1.5, finish=1.6) == ended_at(died=200, finish=1.5) == 0
    assert CHECK(deploy(Tale().acked("a").started("a", 0.5), asked()).ended()).measured["cut_off"] == 0
