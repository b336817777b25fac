"""A Redis that is out of memory refuses, and evicts nothing."""

from harness.invariants.redis_is_safe import RedisIsSafe
from harness.verdict import failed, passed, undecided
from tests.unit.invariants.histories import Tale

CHECK = RedisIsSafe().check


def squeezed(evicted: int, policy: str) -> Tale:
    return Tale().done("a").fault("squeeze_memory", 1, 3, evidence={"evicted": evicted, "policy": policy})


def test_a_redis_that_refuses_is_safe() -> None:
    says = "Redis was out of memory, refused to write and evicted nothing."
    found = CHECK(squeezed(0, "noeviction").ended())
    assert found == passed(says, examined=1, of="shortages of memory", evicted=0)


def test_a_redis_that_evicts_is_not() -> None:
    says = "Redis was short of memory and evicted 7 keys (allkeys-lru)."
    found = CHECK(squeezed(7, "allkeys-lru").ended())
    assert found == failed(says, examined=1, of="shortages of memory", evicted=7)


def test_a_redis_with_memory_to_spare_was_not_tested() -> None:
    says = "Nothing to judge: Redis was never short of memory."
    history = Tale().done("a").fault("restart_server", 1, 3, evidence={"server": "redis"}).ended()
    assert CHECK(history) == undecided(says, of="shortages of memory")
