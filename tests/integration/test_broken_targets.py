"""A target that does not start, dies or breaks the protocol ends the run with 4, the reason, and nothing left."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.conftest import Harness, processes_of

SCENARIO = """about: A target that is broken.
target: broken
workers: 1
load:
  - constant: {rate: 20/s, for: 2s}
invariants:
  - no_lost_jobs
"""
PRODUCER = """import os
from serve import acked, serve

def enqueue(jobs):
    return [acked(job) for job in jobs]

def state():
    return {"queued": 0}

def held():
    return []

if __name__ == "__main__":
    serve(enqueue, state, held)
"""
WORKER = """import time
from kit import Attempts

attempts = Attempts()
attempts.ready()
time.sleep(60)
"""
TARGET = """about: Broken
producer: [python, producer.py]
worker: [python, worker.py]
reports: [attempts, state, held]
"""


@pytest.fixture
def broken(tmp_path: Path, harness: Harness):  # type: ignore[no-untyped-def]
    """Run the scenario on a target of these programs; gives the exit code and what was said."""

    def run(producer: str = PRODUCER, worker: str = WORKER) -> tuple[int, str]:
        folder = tmp_path / "targets" / "broken"
        folder.mkdir(parents=True)
        (folder / "target.yaml").write_text(TARGET)
        (folder / "producer.py").write_text(producer)
        (folder / "worker.py").write_text(worker)
        ended = harness(SCENARIO, "--targets", str(folder.parent))
        assert processes_of(ended.run.name) == []
        assert "Traceback (most recent" not in ended.err.partition("the end of its log")[0]
        return ended.code, ended.err

    return run


CASES = {
    "producer dies": (
        {"producer": "print('no such module, says the producer')\nraise SystemExit(7)"},
        ["producer ended with code 7", "no such module, says the producer"],
    ),
    "worker dies": ({"worker": "raise SystemExit('bad luck')"}, ["worker-1 ended with code 1", "bad luck"]),
    "worker has a syntax error": ({"worker": "def\n"}, ["worker-1 ended with code 1", "SyntaxError"]),
    "state is no object": (
        {"producer": PRODUCER.replace('{"queued": 0}', '"plenty"')},
        ["GET /state answered 'plenty'", "docs/target-protocol.md"],
    ),
    "state counts in words": (
        {"producer": PRODUCER.replace('{"queued": 0}', '{"queued": "few"}')},
        ["GET /state answered", "Expected `int", "docs/target-protocol.md"],
    ),
    "held is wrong": (
        {"producer": PRODUCER.replace("return []", 'return [{"key": "a", "where": "moon"}]')},
        ["GET /held answered", "docs/target-protocol.md"],
    ),
    "jobs are not answered with results": (
        {"producer": PRODUCER.replace("[acked(job) for job in jobs]", "3")},
        ["POST /jobs answered", "docs/target-protocol.md"],
    ),
    "worker writes what is no event": (
        {"worker": WORKER.replace("attempts.ready()", 'attempts.ready()\nattempts._write("banana", "")')},
        ["a line that is no event", "banana", "docs/history.md"],
    ),
    "producer dies in the middle": (
        {"producer": PRODUCER.replace("    return [acked", "    if jobs: os._exit(9)\n    return [acked")},
        ["producer ended with code 9"],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_broken_target_is_named_with_its_reason(broken, case: str) -> None:  # type: ignore[no-untyped-def]
    programs, texts = CASES[case]
    code, said = broken(**programs)
    assert code == 4, said
    assert [text for text in texts if text not in said] == [], said
    assert "everything was stopped" in said
