"""The command itself, run as a person runs it, in a folder of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.integration.by_hand import Downstream, Stack, eventually

ROOT = Path(__file__).parents[2]
PATIENCE = 120.0


@pytest.fixture(scope="session", autouse=True)
def ctrl_c() -> None:
    """What a shell starts in the background ignores Ctrl-C, and so would every process of the tests."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


class Running:
    """A `harness` process that has been started."""

    def __init__(self, folder: Path, *words: str) -> None:
        self.folder = folder
        self.reports = folder / "reports"
        self.out, self.err = folder / "out.txt", folder / "err.txt"
        with self.out.open("w") as out, self.err.open("w") as err:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "harness", *words], cwd=ROOT, stdout=out, stderr=err, start_new_session=True
            )

    def until(self, text: str) -> None:
        """Wait until it has said this on stderr."""
        deadline = time.monotonic() + PATIENCE
        while text not in self.err.read_text():
            assert self.process.poll() is None, self.err.read_text()
            assert time.monotonic() < deadline, self.err.read_text()
            time.sleep(0.005)

    def ended(self) -> Ended:
        self.process.wait(PATIENCE)
        return Ended(self)


class Ended:
    """What a `harness` process left."""

    def __init__(self, running: Running) -> None:
        self.code = running.process.returncode
        self.out, self.err = running.out.read_text(), running.err.read_text()
        self.reports = running.reports

    @property
    def run(self) -> Path:
        """The folder of the only run."""
        (folder,) = [path for path in self.reports.iterdir() if path.is_dir() and not path.is_symlink()]
        return folder

    @property
    def result(self) -> dict[str, Any]:
        result: dict[str, Any] = json.loads((self.run / "result.json").read_text())
        return result

    def events(self, kind: str) -> list[dict[str, Any]]:
        """Everything of one kind that was recorded."""
        lines = (line for file in (self.run / "events").glob("*.jsonl") for line in file.read_text().splitlines())
        return [event for event in map(json.loads, lines) if event["e"] == kind]

    def values(self, value: str) -> list[str]:
        """The invariants with this verdict."""
        return [verdict["invariant"] for verdict in self.result["verdicts"] if verdict["value"] == value]

    def verdict(self, invariant: str) -> dict[str, Any]:
        (found,) = [verdict for verdict in self.result["verdicts"] if verdict["invariant"] == invariant]
        assert isinstance(found, dict)
        return found


Start = Callable[..., Running]
Harness = Callable[..., Ended]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start `harness run SCENARIO ...`; the scenario may be given as text. What still runs at the end is killed."""
    started: list[Running] = []

    def begin(scenario: str, *words: str) -> Running:
        folder = tmp_path / f"run-{len(started)}"
        folder.mkdir()
        path = folder / "scenario.yaml" if "\n" in scenario else ROOT / scenario
        if "\n" in scenario:
            path.write_text(scenario)
        started.append(Running(folder, "run", str(path), "--reports", str(folder / "reports"), *words))
        return started[-1]

    yield begin
    for running in started:
        if running.process.poll() is None:
            running.process.send_signal(signal.SIGTERM)
            running.process.wait(30)


@pytest.fixture
def harness(start: Start) -> Harness:
    """Run it to its end."""
    return lambda scenario, *words: start(scenario, *words).ended()


def processes_of(run: str) -> list[int]:
    """Every process that carries this run's mark."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            environ = Path("/proc", name, "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if f"HARNESS_RUN={run}".encode() in environ:
            found.append(int(name))
    return found


@pytest.fixture
def stack(tmp_path: Path) -> Iterator[Callable[..., Stack]]:
    with ExitStack() as exits:

        def start(*first: int, workers: int = 1, **knobs: Any) -> Stack:
            running = Stack(tmp_path, exits.enter_context(Downstream(*first).serving()), knobs)
            exits.callback(running.close)
            running.start("producer.py")
            eventually(running.healthy)
            for number in range(1, workers + 1):
                running.start_worker(number)
            return running

        yield start
