"""The journal survives its writer, and belongs to one suite at a time."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from harness.cell import Cell
from harness.problems import Problems
from harness.suite.journal import Ended, Journal, earlier

MONDAY, TUESDAY = datetime(2026, 1, 5, tzinfo=UTC), datetime(2026, 1, 6, tzinfo=UTC)


def ended(turn: int) -> Ended:
    return Ended(Cell("s.yaml", "memory"), "d", turn, "pass", 0, "held")


def test_what_the_last_suite_did_is_read_back_and_what_came_before_is_kept(tmp_path: Path) -> None:
    with Journal(str(tmp_path)) as journal:
        journal.begin(MONDAY)
        journal.write(ended(1))
    with Journal(str(tmp_path)) as journal:
        assert journal.unfinished() == [ended(1)]
        journal.begin(TUESDAY)
        assert journal.unfinished() == []
        journal.write(ended(2))
        assert journal.unfinished() == [ended(2)]
    assert list(earlier(str(tmp_path))) == [ended(1), ended(2)]


@pytest.mark.parametrize("cut", range(2, 30, 7))
def test_a_line_cut_off_by_a_kill_is_passed_over_and_spoils_no_other(tmp_path: Path, cut: int) -> None:
    with Journal(str(tmp_path)) as journal:
        journal.begin(MONDAY)
        journal.write(ended(1))
        journal.write(ended(2))
    path = tmp_path / "suite.jsonl"
    path.write_bytes(path.read_bytes()[:-cut])
    with Journal(str(tmp_path)) as journal:
        journal.write(ended(3))
        assert journal.unfinished() == [ended(1), ended(3)]


def test_two_suites_do_not_write_one_journal(tmp_path: Path) -> None:
    with Journal(str(tmp_path)), pytest.raises(Problems, match="another suite is writing here"):
        Journal(str(tmp_path)).__enter__()
    with Journal(str(tmp_path)), Journal(str(tmp_path), "-1-of-2"):
        pass


def test_a_whole_suite_takes_up_what_its_shards_did_unless_it_began_after_them(tmp_path: Path) -> None:
    with Journal(str(tmp_path), "-1-of-2") as shard:
        shard.begin(MONDAY)
        shard.write(ended(1))
        shard.begin(TUESDAY)
        shard.write(ended(2))
    with Journal(str(tmp_path), "-before") as before:
        before.write(ended(9))
    with Journal(str(tmp_path)) as journal:
        assert journal.unfinished() == [ended(2)]
        journal.begin(MONDAY)
        journal.write(ended(3))
        assert journal.unfinished() == [ended(2), ended(3)], "the shards began later"
        journal.begin(TUESDAY.replace(hour=1))
        assert journal.unfinished() == [], "the shards are of the day before"
