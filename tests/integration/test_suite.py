"""A suite from the matrix to the last page: verdicts, errors, repeats, interruptions and going on after them."""

from __future__ import annotations

import json
import os
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as xml

import pytest

from tests.integration.conftest import ROOT, Ended, Running, processes_of
from tests.integration.test_endings import nothing_is_left_of

KILL = """about: A worker is killed after its side effect.
target: memory
workers: 1
handler: {work: 5ms}
load: [{constant: {rate: 40/s, for: 500ms}}]
faults:
  - kill_worker: {when: effect, nth: 5}
invariants: [no_lost_jobs, no_duplicate_effects]
variants:
  fixed: {about: ok}
  broken: {about: not idempotent, knobs: {idempotency: none}, fails: [no_duplicate_effects]}
"""
BARE = (
    "about: x\ntarget: memory\nworkers: 1\nload: [{constant: {rate: 20/s, for: 300ms}}]\ninvariants: [no_lost_jobs]\n"
)
SHORT = BARE + "load_only: true\n"
LONG = SHORT.replace("300ms", "60s")
BROKEN = BARE + "faults: [{kill_worker: {when: start, nth: 100000}}]\n"
PATIENCE = 60.0

Suite = Callable[..., Running]


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Suite]:
    """Start `harness suite` over scenarios given by name; all that it starts keep one folder of reports."""
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "step.md"))
    started: list[Running] = []

    def begin(scenarios: dict[str, str], *words: str) -> Running:
        folder = tmp_path / "suite"
        (folder / "scenarios").mkdir(parents=True, exist_ok=True)
        for name, text in scenarios.items():
            (folder / "scenarios" / f"{name}.yaml").write_text(text)
        where = [str(folder / "scenarios"), "--reports", str(folder / "reports")]
        started.append(Running(folder, "suite", *where, *words))
        return started[-1]

    yield begin
    for running in started:
        if running.process.poll() is None:
            running.process.send_signal(signal.SIGTERM)
            running.process.wait(90)


def journal(ended: Ended) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in (ended.reports / "suite.jsonl").read_text().splitlines()]
    return [line for line in lines if line["e"] == "ended"]


def told(ended: Ended) -> list[tuple[str, int, str]]:
    return sorted((Path(one["cell"]["scenario"]).stem, one["turn"], one["mark"]) for one in journal(ended))


def under_way(running: Running, scenario: str) -> str:
    """Wait until the run of a scenario has processes; its name."""
    deadline = time.monotonic() + PATIENCE
    while True:
        found = list(running.reports.glob(f"*-{scenario}-*"))
        if found and len(processes_of(found[0].name)) >= 4:
            return found[0].name
        assert running.process.poll() is None and time.monotonic() < deadline, running.err.read_text()
        time.sleep(0.02)


def test_a_caught_variant_is_a_pass_and_every_page_says_so(suite: Suite, tmp_path: Path) -> None:
    ended = suite({"kill": KILL}, "--variant", "all", "--jobs", "2").ended()
    assert ended.code == 0, ended.out + ended.err
    assert ended.out.startswith("             memory\nkill broken  pass\nkill fixed   pass\n")
    assert sorted(one["value"] for one in journal(ended)) == ["FAIL", "PASS"]
    cases = list(xml.parse(ended.reports / "junit.xml").iter("testcase"))
    assert [len(case) for case in cases] == [0, 0]
    index = (ended.reports / "index.html").read_text()
    assert index.count("as expected") == 1 and index.count('/report.html"') == 2
    assert (tmp_path / "step.md").read_text() == (ended.reports / "summary.md").read_text()
    assert "2 runs at a time share the cores" in ended.err or "cores of its own" in ended.err


def test_a_failure_comes_with_its_reason_its_report_and_its_command(suite: Suite) -> None:
    careless = KILL + "knobs: {idempotency: none}\n"
    ended = suite({"a": careless, "b": BROKEN, "c": SHORT}, "--jobs", "2").ended()
    assert ended.code == 1, ended.out + ended.err
    assert told(ended) == [("a", 1, "FAIL"), ("b", 1, "INCONCLUSIVE"), ("c", 1, "pass")]
    said = ended.out[ended.out.index("\nFAIL  a on memory") :].splitlines()
    assert said[2].startswith("  no_duplicate_effects: ")
    assert Path(said[3].split()[1]).is_file()
    assert said[4] == f"  again   harness run {ended.reports.parent / 'scenarios' / 'a.yaml'} --target memory"


def test_the_first_failure_can_be_the_last_run(suite: Suite) -> None:
    ended = suite({"a": SHORT, "b": BROKEN, "c": SHORT}, "--jobs", "1", "--fail-fast").ended()
    assert ended.code == 3, ended.err
    assert told(ended) == [("a", 1, "pass"), ("b", 1, "INCONCLUSIVE")]
    assert "1 not run" in ended.out


FIRST = """import pathlib, runpy, sys
runs = pathlib.Path(__file__).with_name("runs.txt")
runs.write_text(runs.read_text() + "x" if runs.exists() else "x")
"""


def altered(tmp_path: Path, producer: str = "", worker: str = "") -> list[str]:
    """A target like `memory` whose programs do something else first; the options that find it."""
    folder = tmp_path / "targets" / "altered"
    shutil.copytree(ROOT / "targets" / "memory", folder)
    for name, before in (("producer", producer), ("worker", worker)):
        (folder / f"{name}.py").rename(folder / f"real_{name}.py")
        (folder / f"{name}.py").write_text(
            f"{before}\nimport runpy\nrunpy.run_path('real_{name}.py', run_name='__main__')\n"
        )
    return ["--target", "altered", "--targets", str(folder.parent)]


def test_only_an_error_of_the_stack_is_tried_again(suite: Suite, tmp_path: Path) -> None:
    words = altered(tmp_path, FIRST + "if len(runs.read_text()) % 2: sys.exit(7)\n")
    once = suite({"a": SHORT}, *words).ended()
    assert (once.code, told(once)) == (4, [("a", 1, "ERROR")]), once.out + once.err
    assert "producer" in once.out and "1 ERROR" in once.out
    assert "</span> ERROR</span>" in (once.reports / "index.html").read_text()
    Path(words[-1], "altered", "runs.txt").unlink()
    again = suite({"a": SHORT}, *words, "--rerun-infra", "1").ended()
    assert again.code == 0, again.out + again.err
    assert journal(again)[-1]["reruns"] == 1
    assert "after 1 error of the stack" in again.err


def test_verdicts_that_differ_are_flaky_and_not_tried_again(suite: Suite, tmp_path: Path) -> None:
    careless = """import json, os, pathlib
with open("runs.txt", "a") as file:
    file.write(os.environ["HARNESS_RUN"] + "\\n")
runs = list(dict.fromkeys(pathlib.Path("runs.txt").read_text().split()))
if runs.index(os.environ["HARNESS_RUN"]) == 1:
    os.environ["HARNESS_KNOBS"] = json.dumps({**json.loads(os.environ["HARNESS_KNOBS"]), "idempotency": "none"})
"""
    words = altered(tmp_path, worker=careless)
    ended = suite({"kill": KILL}, *words, "--repeat", "3", "--jobs", "1", "--rerun-infra", "2").ended()
    assert ended.code == 1, ended.out + ended.err
    assert told(ended) == [("kill", 1, "pass"), ("kill", 2, "FAIL"), ("kill", 3, "pass")]
    assert "FLAKY  kill on altered\n  of 3 runs: 2 pass, 1 FAIL; no_duplicate_effects" in ended.out
    assert (ended.reports / "index.html").read_text().count("\u2248 flaky") == 4, "each run, and their trend"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_suite_stops_its_runs_and_goes_on_later(suite: Suite, number: signal.Signals) -> None:
    running = suite({"a": SHORT, "b": LONG}, "--jobs", "1")
    run = under_way(running, "b")
    for _ in range(2):
        running.process.send_signal(number)
    ended = running.ended()
    assert ended.code == 130, ended.err
    assert not processes_of(run), "it ended before its runs had"
    assert "interrupted" in ended.err and "Traceback" not in ended.err
    assert told(ended) == [("a", 1, "pass")]
    assert xml.parse(ended.reports / "junit.xml").getroot().attrib["errors"] == "1", "what was not run is not green"
    resumed = suite({"b": SHORT}, "--jobs", "1", "--resume").ended()
    assert resumed.code == 0, resumed.out + resumed.err
    assert resumed.err.startswith("1 done before, 1 to do\n")
    assert told(resumed) == [("a", 1, "pass"), ("b", 1, "pass")]


def test_a_killed_suite_takes_its_runs_along_and_goes_on_later(suite: Suite) -> None:
    running = suite({"a": SHORT, "b": LONG}, "--jobs", "1")
    run = under_way(running, "b")
    running.process.kill()
    running.process.wait(PATIENCE)
    assert nothing_is_left_of(run)
    resumed = suite({"b": SHORT}, "--jobs", "1", "--resume").ended()
    assert (resumed.code, told(resumed)) == (0, [("a", 1, "pass"), ("b", 1, "pass")]), resumed.err
    index = (resumed.reports / "index.html").read_text()
    assert index.count("It was interrupted, and everything was stopped.") == 1


def test_shards_make_each_run_once_and_keep_their_files_apart(suite: Suite) -> None:
    every = {"a": SHORT, "b": SHORT, "c": SHORT}
    shards = [suite(every, "--shard", f"{number}/2").ended() for number in (1, 2)]
    assert [one.code for one in shards] == [0, 0], shards[0].err + shards[1].err
    reports = shards[0].reports
    lines = [line for path in sorted(reports.glob("suite-*.jsonl")) for line in path.read_text().splitlines()[1:]]
    assert [Path(json.loads(line)["cell"]["scenario"]).stem for line in lines] == ["a", "c", "b"]
    assert {"junit-1-of-2.xml", "junit-2-of-2.xml"} <= set(os.listdir(reports))
    whole = suite(every, "--resume").ended()
    assert whole.code == 0 and whole.err.startswith("3 done before, 0 to do\n"), whole.err
    assert len(list(xml.parse(reports / "junit.xml").iter("testcase"))) == 3
