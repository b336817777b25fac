"""RQ behind the seam, in whole runs on real servers."""

from __future__ import annotations

import sys
from collections import Counter

import pytest

from tests.integration.conftest import ROOT, Harness
from tests.integration.one_fault import one_fault

SCENARIO = one_fault("rq", "no_abandoned_jobs", rate="15/s")
KILL = SCENARIO.replace("FAULT", "kill_worker: {when: effect, nth: 15}")
KILL_TREE = SCENARIO.replace("FAULT", "kill_worker: {when: effect, nth: 15, scope: tree}")
KILL_HORSE = SCENARIO.replace("FAULT", "kill_worker: {when: effect, nth: 15, scope: child}")
TERM = SCENARIO.replace("20ms", "200ms").replace("FAULT", "kill_worker: {at: 1s, signal: TERM}")
CUT = SCENARIO.replace("FAULT", "cut_link: {link: redis, at: 500ms, for: 500ms}")


@pytest.mark.parametrize("scenario", [KILL, KILL_TREE, KILL_HORSE], ids=["main", "tree", "horse"])
def test_a_killed_workers_job_is_done_once(harness: Harness, scenario: str) -> None:
    ended = harness(scenario)
    assert (ended.code, ended.result["value"]) == (0, "PASS"), ended.out + ended.err
    assert max(event["attempt"] for event in ended.events("start")) == 2


def test_a_horse_that_outlives_its_worker_tries_again_by_itself(harness: Harness) -> None:
    ended = harness(KILL, "--set", "die_with_parent=false")
    assert (ended.code, ended.result["value"]) == (0, "PASS"), ended.out + ended.err
    assert [event["note"] for event in ended.events("finish") if event["outcome"] == "failed"] == ["DownstreamFailed"]


def test_a_plain_handler_does_it_twice(harness: Harness) -> None:
    ended = harness(KILL, "--set", "idempotency=none")
    assert (ended.code, ended.values("FAIL")) == (1, ["no_duplicate_effects"]), ended.out + ended.err


def test_a_killed_workers_job_without_retries_is_filed_as_failed(harness: Harness) -> None:
    ended = harness(KILL, "--set", "retry_max=0")
    assert [event["where"] for event in ended.events("held")] == ["dead"], ended.out + ended.err
    assert ended.values("FAIL") == ["no_abandoned_jobs"], ended.out + ended.err


@pytest.mark.parametrize("handled", ["true", "false"])
def test_sigterm_lets_the_job_finish_if_it_is_handled(harness: Harness, handled: str) -> None:
    ended = harness(TERM, "--set", f"handle_sigterm={handled}")
    assert ended.result["value"] == "PASS", ended.out + ended.err
    runs = Counter(event["key"] for event in ended.events("start"))
    assert sorted(set(runs.values())) == ([1] if handled == "true" else [1, 2])


def test_a_job_that_was_never_sent_is_rejected(harness: Harness) -> None:
    ended = harness(CUT)
    assert (ended.code, ended.result["value"]) == (0, "PASS"), ended.out + ended.err
    assert {event["why"].split(":")[0] for event in ended.events("reject")} == {"ConnectionError"}


@pytest.mark.parametrize("key", ["job-000001", "a--b", "hex-61", 'jöb "1"', "-"])
@pytest.mark.parametrize("unique", [True, False])
def test_every_key_can_be_told_from_the_id_that_it_gave(
    monkeypatch: pytest.MonkeyPatch, key: str, unique: bool
) -> None:
    monkeypatch.syspath_prepend(ROOT / "targets" / "rq")
    monkeypatch.delitem(sys.modules, "ids", raising=False)
    from ids import id_of, key_of

    first, second = id_of(key, unique=unique), id_of(key, unique=unique)
    assert (key_of(first), key_of(second), first == second) == (key, key, unique)
    assert set(first) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
