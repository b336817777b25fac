"""The provider: behaviours, shares, keys and watches, without sockets."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from harness.downstream import answer
from harness.downstream.behaviour import Behaviour
from harness.downstream.call import Call
from harness.downstream.effects import Effects
from harness.downstream.misbehaviour import Misbehaviour
from harness.downstream.provider import Provider
from harness.downstream.record import Effect, Record
from harness.downstream.watch import Watch
from harness.downstream.wire import Counts


class FakeCaller:
    """A caller that remembers what was done to it."""

    def __init__(self, worker: str = "worker-1") -> None:
        self.worker = worker
        self.done: list[bytes | str] = []
        self.left = False

    def answer(self, answer: bytes) -> None:
        self.done.append(answer)

    def drop(self) -> None:
        self.done.append("drop")

    def reset(self) -> None:
        self.done.append("reset")

    def gone(self) -> bool:
        return self.left


class Bench:
    """A provider with a file to record to, and a clock that moves when told."""

    def __init__(self, file: Path, **options: Any) -> None:
        self.file = file
        self.timers: list[tuple[float, Callable[[], None]]] = []
        effects = Effects(Record(file), honours_keys=options.pop("honours_keys", True))
        self.provider = Provider(effects, lambda s, act: self.timers.append((s, act)), **options)

    def call(self, key: str = "j", idempotency_key: bytes | None = None, worker: str = "worker-1") -> FakeCaller:
        caller = FakeCaller(worker)
        self.provider.call(caller, Call(key, idempotency_key))
        return caller

    def events(self) -> list[tuple[str, ...]]:
        lines = [json.loads(line) for line in self.file.read_text().splitlines()]
        return [(line["e"], line["key"], line["worker"], *([line["how"]] if "how" in line else [])) for line in lines]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path / "downstream.jsonl")


def test_each_call_is_an_effect_of_its_own(bench: Bench) -> None:
    assert [bench.call().done, bench.call().done] == [[answer.done("effect-1")], [answer.done("effect-2")]]
    assert bench.events() == [("effect", "j", "worker-1")] * 2


def test_a_known_idempotency_key_is_answered_with_the_first_effect(bench: Bench) -> None:
    bench.call(idempotency_key=b"k")
    again = bench.call(idempotency_key=b"k", worker="worker-2")
    assert again.done == [answer.done("effect-1")]
    assert bench.events() == [("effect", "j", "worker-1"), ("replay", "j", "worker-2")]
    assert bench.provider.counts() == Counts(calls=2, effects=1, replays=1, refusals=0, misbehaved=0)


def test_keys_that_are_not_honoured_do_nothing(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "e", honours_keys=False)
    bench.call(idempotency_key=b"k")
    assert bench.call(idempotency_key=b"k").done == [answer.done("effect-2")]


@pytest.mark.parametrize(
    ("how", "done", "after"),
    [
        ("503", [answer.unavailable()], [answer.unavailable()]),
        ("429", [answer.too_many(2.5)], [answer.too_many(2.5)]),
        ("hang", [], ["drop"]),
        ("reset", ["reset"], ["reset"]),
    ],
)
def test_a_refusal_is_recorded_and_nothing_is_done(bench: Bench, how: Any, done: list[Any], after: list[Any]) -> None:
    bench.provider.behave(Behaviour(how, retry_after=2.5))
    caller = bench.call()
    assert caller.done == done
    assert bench.events() == [("refuse", "j", "worker-1", how)]
    assert bench.provider.counts() == Counts(calls=1, effects=0, replays=0, refusals=1, misbehaved=1)
    bench.provider.behave(None)
    assert caller.done == after
    assert bench.call().done == [answer.done("effect-1")]
    assert bench.provider.counts().misbehaved == 0


def test_429_says_when_to_come_back_in_whole_seconds() -> None:
    assert b"Retry-After: 3\r\n" in answer.too_many(2.5)


def test_slow_commits_when_the_delay_is_over(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "e", latency=0.25)
    bench.provider.behave(Behaviour("slow", delay=3))
    caller, left = bench.call("a"), bench.call("b")
    assert (bench.events(), caller.done) == ([], [])
    left.left = True
    for seconds, act in bench.timers:
        assert seconds == 3.25
        act()
    assert bench.events() == [("effect", "a", "worker-1")]
    assert (caller.done, left.done) == ([answer.done("effect-1")], [])


def test_commit_then_timeout_commits_and_never_answers(bench: Bench) -> None:
    bench.provider.behave(Behaviour("commit_then_timeout"))
    caller = bench.call()
    assert (bench.events(), caller.done) == ([("effect", "j", "worker-1")], [])
    bench.provider.behave(Behaviour("503"))
    assert caller.done == ["drop"]


def drawn(behaviour: Behaviour, calls: int = 1000) -> list[bool]:
    misbehaviour = Misbehaviour(behaviour)
    return [misbehaviour.meets_next() for _ in range(calls)]


def test_a_share_is_drawn_from_its_seed() -> None:
    third = drawn(Behaviour("503", share=0.3, seed=7))
    assert third == drawn(Behaviour("503", share=0.3, seed=7))
    assert third != drawn(Behaviour("503", share=0.3, seed=8))
    assert 250 < sum(third) < 350
    assert sum(drawn(Behaviour("503"))) == 1000
    assert sum(drawn(Behaviour("503", share=0))) == 0


@pytest.mark.parametrize("fields", [{"how": "explode"}, {"how": "503", "share": 1.5}, {"how": "slow", "delay": -1}])
def test_a_behaviour_that_makes_no_sense_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(fields, Behaviour)


def watch(bench: Bench, nth: int, worker: str | None = None) -> tuple[Watch, list[Effect]]:
    told: list[Effect] = []
    watch = Watch(nth, worker, told.append)
    bench.provider.watches.add(watch)
    return watch, told


def test_a_watch_withholds_the_answer_to_the_nth_effect_of_its_worker(bench: Bench) -> None:
    one, told = watch(bench, 2, "worker-2")
    callers = [bench.call(f"j-{n}", worker=f"worker-{1 + n % 2}") for n in range(6)]
    assert [bool(caller.done) for caller in callers] == [True, True, True, False, True, True]
    assert [(effect.key, effect.worker) for effect in told] == [("j-3", "worker-2")]
    assert len(bench.events()) == 6
    callers[3].left = True
    assert bench.provider.watches.end(one) is True
    assert callers[3].done == ["drop"]


def test_replays_and_refusals_are_no_effects_to_a_watch(bench: Bench) -> None:
    bench.call(idempotency_key=b"k")
    _, told = watch(bench, 1)
    bench.call(idempotency_key=b"k")
    bench.provider.behave(Behaviour("503"))
    bench.call()
    assert told == []


def test_two_watches_may_hold_one_caller_and_the_last_one_drops_it(bench: Bench) -> None:
    (one, _), (two, _) = watch(bench, 1), watch(bench, 1, "worker-1")
    caller = bench.call()
    assert bench.provider.watches.end(one) is False
    assert caller.done == []
    bench.provider.watches.end(two)
    assert caller.done == ["drop"]


def test_a_held_caller_outlasts_the_behaviour_it_met(bench: Bench) -> None:
    bench.provider.behave(Behaviour("commit_then_timeout"))
    one, told = watch(bench, 1)
    caller = bench.call()
    bench.provider.behave(None)
    assert (len(told), caller.done) == (1, [])
    bench.provider.watches.end(one)
    assert caller.done == ["drop"]


def test_what_cannot_be_recorded_is_not_done(tmp_path: Path) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("no /dev/full here")
    bench = Bench(full)
    caller = bench.call(idempotency_key=b"k")
    assert isinstance(caller.done[0], bytes)
    assert caller.done[0].startswith(b"HTTP/1.1 500 ")
    assert bench.provider.counts() == Counts(calls=1, effects=0, replays=0, refusals=0, misbehaved=0)
