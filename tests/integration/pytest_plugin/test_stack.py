"""The fixture `harness_stack`: a stack in the hands of a test, gone when the test is over."""

from __future__ import annotations

from tests.integration.conftest import processes_of
from tests.integration.pytest_plugin.conftest import Project

TESTS = """
import os
import pytest

def started(harness_stack, **knobs):
    return harness_stack("memory", work="20ms", knobs={"lease": "500ms", "backoff": "100ms", **knobs})

def test_a_killed_worker_loses_nothing(harness_stack):
    stack = started(harness_stack)
    keys = stack.enqueue(20)
    assert "SIGKILL" in stack.kill_worker()
    assert stack.drain() == 0
    assert sorted(set(stack.effects())) == keys == [f"job-{number:06d}" for number in range(1, 21)]
    verdicts = stack.check("no_lost_jobs", drains_within="30s")
    assert [verdict.invariant for verdict in verdicts][:2] == ["no_lost_jobs", "drains_within"]
    assert stack.enqueue(keys=["another"]) == ["another"]
    stack.check("no_lost_jobs", "no_duplicate_effects")
    assert os.path.exists(os.path.join(stack.folder, "report.html"))

def test_a_job_done_twice(harness_stack):
    with started(harness_stack, idempotency="none") as stack:
        stack.enqueue(20)
        stack.kill_worker(when="effect")
        stack.check("no_duplicate_effects")

def test_a_broken_downstream(harness_stack):
    stack = started(harness_stack)
    with stack.break_downstream("503") as broken:
        stack.enqueue(5)
        broken.felt(calls=5)
        with pytest.raises(Exception, match="still at work: break_downstream; leave its `with`"):
            stack.drain()
    assert stack.drain() == 0
    assert sorted(stack.effects()) == [f"job-{number:06d}" for number in range(1, 6)]

def test_what_nobody_felt(harness_stack):
    with started(harness_stack).break_downstream("hang"):
        pass

def test_nothing_was_offered(harness_stack):
    stack = started(harness_stack)
    stack.break_downstream("503")  # left to the end of the test
    stack = started(harness_stack)
    stack.check("no_lost_jobs")

def test_names_that_nobody_knows(harness_stack):
    for wrong, says in [
        (lambda: harness_stack("memry"), "no such target; did you mean `memory`"),
        (lambda: harness_stack("memory", knobs={"leese": "1s"}), "knob leese=1s: unknown knob .* did you mean `lease`"),
        (lambda: harness_stack("memory", workers=0), "expected 1 to 64 workers, got 0"),
        (lambda: harness_stack("memory", work="1 fortnight"), "expected a duration"),
    ]:
        with pytest.raises(Exception, match=says):
            wrong()
    stack = started(harness_stack)
    for wrong, says in [
        (lambda: stack.check("no_lost_job"), "did you mean `no_lost_jobs`"),
        (lambda: stack.check(), "name at least one invariant"),
        (lambda: stack.inject("kill_wrker"), "did you mean `kill_worker`"),
        (lambda: stack.kill_worker(sgnal="KILL"), "unknown key `sgnal` of kill_worker"),
    ]:
        with pytest.raises(Exception, match=says):
            wrong()
"""
DIES = """
import os

def test_the_end_of_a_producer(harness_stack):
    stack = harness_stack("memory")
    os.kill(stack._life.system.producer.pid, 9)
    stack.drain()
"""


def test_a_test_can_break_a_stack_and_claim_what_holds(project: Project) -> None:
    (project.path / "test_mine.py").write_text(TESTS)
    ended = project.pytest("test_mine.py")
    assert project.outcomes() == {
        "test_mine::test_a_killed_worker_loses_nothing": "passed",
        "test_mine::test_a_job_done_twice": "failure",
        "test_mine::test_a_broken_downstream": "passed",
        "test_mine::test_what_nobody_felt": "failure",
        "test_mine::test_nothing_was_offered": "failure",
        "test_mine::test_names_that_nobody_knows": "passed",
    }, ended.outlines
    ended.stdout.fnmatch_lines(
        [
            '>           stack.check("no_duplicate_effects")',
            "E *ClaimFailed: no_duplicate_effects: * of 20 had a side effect more than once; *",
            "E *FAIL  no_duplicate_effects *",
            "E *worker-* pid * while it ran the job",
            "E *effect by worker-*",
            "E *again   pytest test_mine.py::test_a_job_done_twice",
            "E *Missed: missed: no call reached the downstream while it misbehaved",
            "E *ClaimUndecided: load_was_offered: 0 jobs offered, none acked: there is nothing to judge*",
        ]
    )
    runs = [path.name for path in (project.path / "reports").iterdir() if path.is_dir() and not path.is_symlink()]
    assert len(runs) == 7
    assert [processes_of(run) for run in runs] == [[]] * 7


def test_a_stack_that_ends_by_itself_is_told_of(project: Project) -> None:
    (project.path / "test_mine.py").write_text(DIES)
    ended = project.pytest("test_mine.py")
    assert project.outcomes() == {"test_mine::test_the_end_of_a_producer": "failure"}
    ended.stdout.fnmatch_lines(["E *StackFailed: producer ended with code -9; *", "E *the logs are in *"])
