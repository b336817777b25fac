"""The worked example of docs/outside.md: an application that knows nothing of the harness, judged from outside."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.integration.conftest import ROOT, Harness, processes_of

SHOP = "examples/shop/worker-kill.yaml"
TARGETS = ROOT / "examples" / "shop" / "targets"


@pytest.mark.parametrize("target", ["shop", "shop-sql"])
def test_a_shop_that_charges_twice_is_found_out(harness: Harness, target: str) -> None:
    ended = harness(SHOP, "--target", str(TARGETS / target), "--set", "charge_once=false")
    assert (ended.code, ended.values("FAIL")) == (1, ["no_duplicate_effects"]), ended.out + ended.err
    verdict = ended.verdict("no_duplicate_effects")
    assert (verdict["examined"], verdict["violations"]) == (60, 2)
    for witness in verdict["witnesses"]:
        told = [re.split(r" by |: ", moment["what"])[0] for moment in witness["timeline"]]
        # The worker may be quicker than the answer to whoever placed the order.
        acts = [what for what in told if what != "ack"]
        assert acts == ["offer", "effect", "fault kill_worker injected", "effect"], told
    assert processes_of(ended.run.name) == []


@pytest.mark.parametrize("target", ["shop", "shop-sql"])
def test_the_mended_shop_passes_and_the_lease_was_waited_for(harness: Harness, target: str) -> None:
    ended = harness(SHOP, "--target", str(TARGETS / target))
    assert (ended.code, ended.result["value"]) == (0, "PASS"), ended.out + ended.err
    assert ended.verdict("no_lost_jobs")["examined"] == 60
    assert ended.verdict("faults_took_effect")["examined"] == 2
    assert '"completes":"effect"' in (ended.run / "events" / "harness.jsonl").read_text()
    assert "longer than the lease" in (ended.run / "events" / "harness.jsonl").read_text()


def test_nothing_of_the_shop_knows_of_the_harness() -> None:
    sources = [path.read_text() for path in (ROOT / "examples" / "shop" / "app").glob("*.py")]
    assert len(sources) == 3
    assert not any("harness" in source.lower() for source in sources)


QUIET = """about: A worker dies, and all that is known of its jobs is what they did.
workers: 2
handler: {work: 100ms}
load:
  - constant: {rate: 40/s, for: 1500ms}
faults:
  - kill_worker: {when: effect, nth: 15}
invariants:
  - no_lost_jobs
  - no_duplicate_effects
  - drains_within: 20s
"""


def quiet(folder: Path, more: str = "") -> str:
    """A copy of the memory target that tells nothing of itself."""
    copy = shutil.copytree(ROOT / "targets" / "memory", folder / "quiet")
    text = (copy / "target.yaml").read_text()
    (copy / "target.yaml").write_text(text.replace("reports: [attempts, state, held, letters]", f"reports: []\n{more}"))
    return str(copy)


def test_a_job_that_died_with_its_worker_is_lost_from_outside_too(harness: Harness, tmp_path: Path) -> None:
    ended = harness(QUIET, "--target", quiet(tmp_path), "--preset", "early_ack")
    assert (ended.code, ended.values("FAIL")) == (1, ["no_lost_jobs"]), ended.out + ended.err
    assert "no side effect after every lease and retry was over" in ended.verdict("no_lost_jobs")["says"]


def test_a_job_that_comes_back_is_not(harness: Harness, tmp_path: Path) -> None:
    ended = harness(QUIET, "--target", quiet(tmp_path))
    assert (ended.code, ended.result["value"]) == (0, "PASS"), ended.out + ended.err
    assert not re.search(r'"e":"(start|finish)"', "".join(path.read_text() for path in ended.run.glob("events/*")))


def test_a_query_that_the_database_refuses_ends_the_run_with_its_words(harness: Harness, tmp_path: Path) -> None:
    target = quiet(tmp_path, "effects: {sql: SELECT a FROM nowhere}\n")
    text = Path(target, "target.yaml").read_text()
    Path(target, "target.yaml").write_text(text.replace("needs: []", "needs: [postgres]"))
    ended = harness(QUIET, "--target", target)
    assert ended.code == 4, ended.out + ended.err
    assert 'relation "nowhere" does not exist' in ended.err
