"""Redis is set as a queue needs it; one that is out of memory refuses, and evicts nothing."""

import pytest

from harness.history.events import Config
from harness.invariants.redis_is_safe import RedisIsSafe
from harness.verdict import failed, passed, undecided
from tests.unit.invariants.histories import Tale, ns

CHECK = RedisIsSafe().check
OF = "configurations and shortages of memory"
SAFE = {"maxmemory-policy": "noeviction", "appendonly": "yes", "appendfsync": "everysec", "save": ""}


def squeezed(evicted: int, policy: str) -> Tale:
    return Tale().done("a").fault("squeeze_memory", 1, 3, evidence={"evicted": evicted, "policy": policy})


def configured(**settings: str) -> Tale:
    changed = {name.replace("_", "-"): value for name, value in settings.items()}
    return Tale().done("a").tell(Config(t=ns(0), server="redis", settings={**SAFE, **changed}))


def test_a_redis_that_refuses_is_safe() -> None:
    says = "it was out of memory, refused to write and evicted nothing."
    assert CHECK(squeezed(0, "noeviction").ended()) == passed(says, examined=1, of=OF, evicted=0)


def test_a_redis_that_evicts_is_not() -> None:
    says = "Redis is not safe: it was short of memory and evicted 7 keys (allkeys-lru)."
    assert CHECK(squeezed(7, "allkeys-lru").ended()) == failed(says, examined=1, of=OF, evicted=7)


def test_what_was_read_from_it_is_said() -> None:
    says = "Redis has maxmemory-policy noeviction, appendonly yes, appendfsync everysec."
    assert CHECK(configured().ended()) == passed(says, examined=1, of=OF, evicted=0)


@pytest.mark.parametrize(
    ("settings", "wrong"),
    [
        ({"maxmemory_policy": "allkeys-lru"}, "maxmemory-policy is allkeys-lru, which evicts"),
        ({"maxmemory_policy": "volatile-ttl"}, "maxmemory-policy is volatile-ttl, which evicts"),
        ({"appendonly": "no"}, "appendonly is no and save is empty: a restart loses jobs"),
        ({"appendonly": "no", "save": "60 1"}, "appendonly is no and save is 60 1: a restart loses jobs"),
    ],
)
def test_a_setting_that_loses_jobs_is_named(settings: dict[str, str], wrong: str) -> None:
    found = CHECK(configured(**settings).ended())
    assert found == failed(f"Redis is not safe: {wrong}.", examined=1, of=OF, evicted=0)


def test_a_redis_that_was_set_otherwise_when_it_came_back_is_judged_too() -> None:
    tale = configured().tell(Config(t=ns(5), server="redis", settings={**SAFE, "appendonly": "no"}))
    assert CHECK(tale.ended()).value == "FAIL"


def test_of_a_redis_that_nobody_asked_nothing_is_said() -> None:
    says = "Nothing to judge: the history does not say how Redis is set."
    history = Tale().done("a").fault("restart_server", 1, 3, evidence={"server": "redis"}).ended()
    assert CHECK(history) == undecided(says, of=OF)
