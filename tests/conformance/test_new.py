"""What `harness new target` writes is a target that keeps every promise, in each language, as it stands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness import target as targets
from harness import toolchains
from harness.cli.main import main
from harness.cli.new import languages
from tests.conformance.test_targets import (  # noqa: F401 - collected here once more, over the targets of `name` below
    test_a_failure_is_retried_with_the_next_attempt,
    test_a_killed_workers_job_is_done_all_the_same,
    test_a_permanent_failure_ends_and_is_kept_where_the_target_says_so,
    test_a_target_declares_what_scenarios_count_on,
    test_jobs_are_acked_held_and_done,
    test_sigterm_ends_the_worker_and_loses_nothing,
)

ROOT = Path(__file__).parents[2]


@pytest.fixture(params=languages())
def name(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A target that has just been written, outside this repository."""
    monkeypatch.chdir(tmp_path)
    name = f"new-{request.param}"
    assert main(["new", "target", name, "--language", request.param]) == 0
    target = targets.load(targets.find(name))
    if lacking := toolchains.lacks(target):
        pytest.skip(f"{request.param}: {lacking}")
    toolchains.install(target)
    return name


@pytest.mark.parametrize(("scenario", "options", "broken"), [
    ("worker-kill", [], []),
    ("worker-kill", ["--set", "idempotency=none"], ["no_duplicate_effects"]),
    ("redis-restart", [], []),
])  # fmt: skip
def test_a_scenario_ends_as_it_says(name: str, scenario: str, options: list[str], broken: list[str]) -> None:
    path = str(ROOT / "scenarios" / f"{scenario}.yaml")
    code = main(["run", path, "--target", name, "--reports", "reports", *options])
    verdicts = json.loads(Path("reports/latest/result.json").read_text())["verdicts"]
    assert [verdict["invariant"] for verdict in verdicts if verdict["value"] != "PASS"] == broken
    assert code == (1 if broken else 0)
