"""`pytest scenarios/`: a test for each claim, and each says what the run says."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from fnmatch import fnmatchcase

import pytest

from tests.integration.pytest_plugin.conftest import (
    KILLED,
    MISSED,
    STANDING,
    STEADY,
    STILLBORN,
    TARGET,
    Project,
    folder_of,
)


def of(name: str, *claims: str, **others: str) -> dict[str, str]:
    """The tests of a scenario: all pass but the others."""
    return {f"scenarios.{name}.yaml::{claim}": others.get(claim, "passed") for claim in (*claims, *STANDING)}


def test_every_claim_is_a_test_with_its_verdict(project: Project) -> None:
    for name, text in {"steady": STEADY, "killed": KILLED, "missed": MISSED, "stillborn": STILLBORN}.items():
        project.scenario(name, text)
    project.scenario("notes", "about: nothing that anybody runs\n")
    folder_of(project, "targets/stillborn").joinpath("target.yaml").write_text(TARGET)
    ended = project.pytest("scenarios/", "-ra")
    assert ended.ret == 1
    claims = ("no_lost_jobs", "no_duplicate_effects")
    calm = {"faults_took_effect": "skipped", "faults_healed": "skipped"}
    assert project.outcomes() == {
        **of("steady", *claims, **calm),
        **of("killed", *claims, "drains_within", no_duplicate_effects="failure"),
        **of("missed", "no_lost_jobs", faults_took_effect="error", faults_healed="skipped"),
        **of("stillborn", *claims, **dict.fromkeys((*claims, *STANDING), "error")),
    }
    assert project.runs == ["killed", "missed", "steady", "stillborn"]
    ended.stdout.fnmatch_lines(
        [
            "*ERROR at setup of missed on memory: faults_took_effect*",
            "INCONCLUSIVE  faults_took_effect  (1 planned faults examined)",
            "*ERROR at setup of stillborn on stillborn: no_lost_jobs*",
            "producer ended with code 1*",
            "*killed on memory: no_duplicate_effects*",
            "  1 job of 10 had a side effect more than once; the worst 2 times.",
            "    job-000003",
            "* s  effect by worker-*",
            "* s  worker-* pid * while it ran the job",
            "* s  effect by worker-*",
            "report  reports/*-killed-memory-*/report.html",
            "again   harness run scenarios/killed.yaml --target memory",
            "SKIPPED*scenarios/steady.yaml:1: No fault was planned: a load test.",
            "FAILED scenarios/killed.yaml::no_duplicate_effects - FAIL: 1 job of 10*",
        ]
    )
    assert ".py:" not in ended.stdout.str(), "a traceback tells nobody what broke"


def test_junit_says_which_run_it_was_and_what_it_showed(project: Project) -> None:
    project.scenario("killed", KILLED)
    assert project.pytest("scenarios", "-k", "no_duplicate_effects", "--harness-seed", "7").ret == 1
    (case,) = ElementTree.parse(project.path / "junit.xml").iter("testcase")
    properties = {found.get("name"): found.get("value") for found in case.iter("property")}
    assert properties["harness_seed"] == "7"
    assert (project.path / str(properties["harness_run"]) / "result.json").exists()
    (failure,) = case.iter("failure")
    assert failure.get("message") == "FAIL: 1 job of 10 had a side effect more than once; the worst 2 times."
    assert "job-000003" in str(failure.text)


@pytest.mark.parametrize("dist", ["load", "worksteal"])
def test_workers_of_xdist_share_one_run(project: Project, dist: str) -> None:
    project.scenario("steady", STEADY)
    project.scenario("killed", KILLED)
    ended = project.pytest("scenarios/", "-n", "2", "--dist", dist)
    assert ended.ret == 1
    assert project.runs == ["killed", "steady"]
    ended.assert_outcomes(failed=1, passed=12, skipped=2)
    ended.stdout.fnmatch_lines(["FAIL  no_duplicate_effects*", "    job-000003", "report  reports/*"])


def test_a_variant_must_come_to_what_the_scenario_says(project: Project) -> None:
    project.scenario("killed", KILLED)
    ended = project.pytest("scenarios/killed.yaml", "--harness-variant", "all", "-ra")
    claims = ("no_duplicate_effects", "no_lost_jobs", "drains_within", *STANDING)
    passed = {f"scenarios.killed.yaml.{name}::{claim}": "passed" for name in VARIANTS for claim in claims}
    assert project.outcomes() == {
        **passed,
        "scenarios.killed.yaml.early-ack::drains_within": "skipped",
        "scenarios.killed.yaml.harmless::no_duplicate_effects": "failure",
    }
    ended.stdout.fnmatch_lines(
        [
            "The variant `harmless` must break this claim, and did not.",
            "SKIPPED*scenarios/killed.yaml:13: caught by no_lost_jobs, which leaves this undecided: *",
        ]
    )


VARIANTS = ("broken", "early-ack", "harmless")


def test_what_does_not_fit_a_target_is_skipped_with_the_reason(project: Project) -> None:
    restart = "faults:\n  - restart_server: {server: redis, at: 100ms, for: 100ms}\n"
    text = STEADY.replace("load_only: true\n", restart)
    project.scenario("restart", text.replace("target: memory", "target: celery"))
    ended = project.pytest("scenarios", "--harness-target", "memory", "-rs")
    assert set(project.outcomes().values()) == {"skipped"}
    ended.stdout.fnmatch_lines(["SKIPPED*scenarios/restart.yaml:*redis*"])
    assert project.runs == []


def test_a_broken_scenario_is_an_error_with_every_problem_and_its_remedy(project: Project) -> None:
    project.scenario("steady", STEADY.replace("no_lost_jobs", "no_lost_job").replace("workers: 2", "worker: 2"))
    project.scenario("torn", "about: [\nload: x\n")
    ended = project.pytest("scenarios")
    assert ended.ret == pytest.ExitCode.INTERRUPTED
    ended.stdout.fnmatch_lines(
        [
            "*ERROR collecting scenarios/steady.yaml*",
            "scenarios/steady.yaml:3:1: unknown key `worker`; did you mean `workers`[?]",
            "scenarios/steady.yaml:9:5: unknown invariant `no_lost_job`; did you mean `no_lost_jobs`[?]",
            "*ERROR collecting scenarios/torn.yaml*",
            "scenarios/torn.yaml:3:1: not YAML: *",
        ]
    )
    assert project.runs == []


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ["--harness-set", "idempotncy=none"],
            "--harness-set idempotncy=none: unknown knob*did you mean `idempotency`*",
        ),
        (["--harness-target", "memry"], "target memry: no such target; did you mean `memory`[?]"),
        (["--harness-set", "x"], "*argument --harness-set: expected KNOB=VALUE, got `x`"),
        (["--harness-variant", "brokn"], "*no scenario here has a variant `brokn`, did you mean `broken`[?]"),
        (
            ["--harness-variant", "brokn", "-n", "1"],
            "*no scenario here has a variant `brokn`, did you mean `broken`[?]",
        ),
    ],
)
def test_an_option_that_fits_nothing_is_refused_with_a_remedy(project: Project, words: list[str], says: str) -> None:
    project.scenario("killed", KILLED)
    ended = project.pytest("scenarios", *words)
    assert ended.ret not in (pytest.ExitCode.OK, pytest.ExitCode.INTERNAL_ERROR)
    assert any(fnmatchcase(line, says) for line in [*ended.outlines, *ended.errlines]), ended.outlines
    assert project.runs == []
