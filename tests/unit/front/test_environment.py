"""The keys of target.yaml for programs that are not changed: their variables, their log, their effects."""

from pathlib import Path

import pytest

from harness import scenario, target
from harness.effects import Effects
from harness.environment import filled
from harness.problems import Problems

LEAST = "about: x\nproducer: [a]\nworker: [b]\n"
FAULTY = "about: x\nload:\n  - constant: {rate: 1/s, for: 9s}\ninvariants:\n  - %s\nfaults:\n  - %s\n"


def told(folder: Path, text: str) -> list[str]:
    """What is wrong with a target, without the file's name."""
    (folder / "target.yaml").write_text(LEAST + text)
    with pytest.raises(Problems) as caught:
        target.load(str(folder))
    return [line.partition("target.yaml:")[2] for line in str(caught.value).splitlines()]


def test_a_variable_is_filled_in_where_its_parts_are_given() -> None:
    env = {"URL": "$HARNESS_REDIS/1", "PAY": "$HARNESS_DOWNSTREAM", "TTL": "${lease}s", "COST": "$$5"}
    given = {"HARNESS_REDIS": "redis://h:1", "lease": "2"}
    assert filled(env, given) == {"URL": "redis://h:1/1", "TTL": "2s", "COST": "$5"}


def test_an_unchanged_program_is_described(tmp_path: Path) -> None:
    (tmp_path / "target.yaml").write_text(
        f"{LEAST}needs: [postgres]\nready: up and running\nreports: []\n"
        "env: {A: $HARNESS_POSTGRES, B: $b}\nknobs:\n  b: {default: true}\n"
        "effects: {path: /pay, key: header.Idempotency-Key, sql: SELECT 1}\n"
    )
    found = target.load(str(tmp_path))
    assert (found.env, found.ready) == ({"A": "$HARNESS_POSTGRES", "B": "$b"}, "up and running")
    assert found.effects == Effects(path="/pay", key="header.Idempotency-Key", sql="SELECT 1")
    assert found.database == "postgres"


def test_every_mistake_is_told(tmp_path: Path) -> None:
    assert told(tmp_path, "needs: [redis]\nenv: {A: $HARNESS_POSTGRES, HARNESS_B: x, C: 5$}\n") == [
        "5:10: `$HARNESS_POSTGRES` is neither a knob nor a variable of the target protocol",
        "5:40: `HARNESS_B` is a variable of the harness's own",
        "5:46: a `$` must stand before a name, got `5$`; write `$$` for the sign itself",
    ]
    assert told(tmp_path, "needs: [redis]\neffects: {path: pay, key: order_id, sql: SELECT 1}\n") == [
        "5:17: expected a path, got `pay`; begin it with `/`",
        "5:27: expected `body.NAME` or `header.NAME`, got `order_id`; for example `body.order_id`, or "
        "`header.Idempotency-Key`",
        "5:42: there is no database to ask; add `needs: [postgres]`",
    ]


@pytest.mark.parametrize(
    ("invariant", "fault", "message"),
    [
        ("no_overlapping_runs", "kill_worker: {when: effect}", "no_overlapping_runs needs attempts"),
        ("no_stuck_jobs", "kill_worker: {when: effect}", "no_stuck_jobs needs state"),
        ("no_lost_jobs", "kill_worker: {at: 1s}", "kill_worker: a worker with a job in hand needs attempts"),
        ("no_lost_jobs", "freeze_worker: {at: 1s, for: 1s}", "freeze_worker: a worker with a job in hand needs"),
        ("no_lost_jobs", "kill_worker: {when: start}", "kill_worker: `when: start` needs attempts"),
        ("no_lost_jobs", "kill_worker: {when: effect, scope: child}", "kill_worker: scope child needs attempts"),
    ],
)
def test_what_cannot_be_seen_from_outside_is_refused(tmp_path: Path, invariant: str, fault: str, message: str) -> None:
    (tmp_path / "target.yaml").write_text(LEAST)
    (tmp_path / "s.yaml").write_text(FAULTY % (invariant, fault))
    with pytest.raises(Problems) as caught:
        scenario.load(str(tmp_path / "s.yaml"), target=str(tmp_path))
    assert message in str(caught.value)
    assert len(caught.value.found) == 1


@pytest.mark.parametrize("fault", ["kill_worker: {when: effect}", "break_downstream: {how: '503', at: 1s, for: 1s}"])
def test_what_can_be_seen_is_allowed(tmp_path: Path, fault: str) -> None:
    (tmp_path / "target.yaml").write_text(LEAST)
    (tmp_path / "s.yaml").write_text(FAULTY % ("no_lost_jobs", fault))
    assert len(scenario.load(str(tmp_path / "s.yaml"), target=str(tmp_path))[0].faults) == 1
