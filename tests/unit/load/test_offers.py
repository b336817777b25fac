"""Offers: whole lines in the history, whatever the kernel takes at once, and counts that agree with them."""

import os
from pathlib import Path

import msgspec
import pytest

from harness.load.offers import Job, Offers, Outcome

JOBS = [Job("job-1", intended=1_000), Job("job-2", intended=2_000)]


def lines(path: Path) -> list[dict[str, object]]:
    assert path.read_bytes().endswith(b"\n")
    return [msgspec.json.decode(line) for line in path.read_bytes().splitlines()]


def test_a_write_cut_short_is_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    offers = Offers(str(tmp_path / "events"))
    write = os.write
    monkeypatch.setattr("os.write", lambda fd, data: write(fd, data[:7]))
    offers.offer(JOBS)
    assert [(line["e"], line["key"], line["intended"]) for line in lines(tmp_path / "events")] == [
        ("offer", "job-1", 1_000),
        ("offer", "job-2", 2_000),
    ]


def test_each_outcome_has_its_line_and_its_count(tmp_path: Path) -> None:
    offers = Offers(str(tmp_path / "events"))
    offers.settle([Outcome("a", "acked"), Outcome("b", "rejected", "full"), Outcome("c", "unknown", "reset")])
    offers.drop([Job("d", intended=4)], "stopped")
    found = [{name: value for name, value in line.items() if name != "t"} for line in lines(tmp_path / "events")]
    assert found == [
        {"e": "ack", "key": "a"},
        {"e": "reject", "key": "b", "why": "full"},
        {"e": "unknown", "key": "c", "why": "reset"},
        {"e": "drop", "key": "d", "intended": 4, "why": "stopped"},
    ]
    assert offers.counts == {"offered": 0, "acked": 1, "rejected": 1, "unknown": 1, "dropped": 1}


def test_lateness_is_of_planned_jobs_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.clock.now", lambda: 5_000)
    offers = Offers(str(tmp_path / "events"))
    offers.offer([*JOBS, Job("unplanned")])
    assert list(offers.lateness) == [4_000, 3_000]
    assert lines(tmp_path / "events")[2]["intended"] == 5_000
