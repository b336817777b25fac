"""Arrivals: stages one after another, and a file that gives back what it was given."""

from array import array
from pathlib import Path

import pytest

from harness.load.arrivals import Arrivals, Crowd, arrivals, key, read, repeated, save
from harness.load.shapes import Burst, Closed, Constant, Locustfile, Poisson, Shape

LOAD: tuple[Shape, ...] = (Constant(2, 1), Closed(3, 0.5, 2), Burst(2, every=1), Locustfile("shop.py", 4, 5))


def test_stages_follow_one_another() -> None:
    assert arrivals(LOAD, seed=1) == Arrivals(
        array("q", [0, 500_000_000, 3_000_000_000, 3_000_000_000]),
        (Crowd(start=1, seconds=2, users=3, think=0.5), Crowd(start=4, seconds=5, users=4, file="shop.py")),
    )


def test_the_same_seed_gives_the_same_arrivals() -> None:
    load = (Poisson(100, 2), Poisson(10, 2))
    assert arrivals(load, seed=1) == arrivals(load, seed=1)
    assert arrivals(load, seed=1) != arrivals(load, seed=2)


def test_keys_count_from_one_and_outgrow_their_digits() -> None:
    assert [key(0), key(999_998), key(1_234_566)] == ["job-000001", "job-999999", "job-1234567"]


@pytest.mark.parametrize("load", [LOAD, (Poisson(100, 2),), (Closed(1, 0, 1),)], ids=repr)
def test_a_file_gives_back_what_it_was_given(tmp_path: Path, load: tuple[Shape, ...]) -> None:
    plan = arrivals(load, seed=5)
    save(plan, tmp_path / "arrivals")
    assert read(tmp_path / "arrivals") == plan


def test_a_file_cut_short_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "arrivals"
    save(arrivals((Constant(10, 1),), seed=5), file)
    file.write_bytes(file.read_bytes()[:-4])
    with pytest.raises(ValueError, match=r"10 arrivals expected, 9\.5 found"):
        read(file)


def test_a_share_of_the_jobs_arrives_again(tmp_path: Path) -> None:
    once = arrivals((Constant(rate=10, for_=100.0),), seed=1)
    again = repeated(once, share=0.5, after=0.25, seed=1)
    assert again.jobs == len(once.offsets) == 1000
    assert 400 < len(again.offsets) - 1000 < 600
    assert list(again.offsets) == sorted(again.offsets)
    times: dict[int, list[int]] = {}
    for index, offset in enumerate(again.offsets):
        times.setdefault(again.number(index), []).append(offset)
    assert {tuple(t - some[0] for t in some) for some in times.values()} == {(0,), (0, 250_000_000)}
    save(again, tmp_path / "plan")
    assert read(tmp_path / "plan") == again


def test_nobody_comes_again_unless_asked() -> None:
    once = arrivals((Constant(rate=10, for_=1.0),), seed=1)
    assert repeated(once, share=0.0, after=1.0, seed=1) is once
