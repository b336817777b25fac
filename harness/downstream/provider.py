"""The provider: decides what becomes of each call, and records it before anybody is answered."""

import time
from collections.abc import Callable

from harness.downstream import answer
from harness.downstream.behaviour import Behaviour
from harness.downstream.call import Call
from harness.downstream.caller import Caller
from harness.downstream.misbehaviour import Misbehaviour
from harness.downstream.record import Effect, Record, Refuse, Replay, Unrecorded
from harness.downstream.watch import Watch
from harness.downstream.wire import Counts

Later = Callable[[float, Callable[[], None]], object]


class Provider:
    """Does side effects, or misbehaves as it has been told. `later(seconds, action)` is its clock."""

    def __init__(self, record: Record, later: Later, *, honours_keys: bool = True, latency: float = 0.0) -> None:
        self._record = record
        self._later = later
        self._honours_keys = honours_keys
        self._latency = latency
        self._misbehaviour: Misbehaviour | None = None
        self._watches: list[Watch] = []
        self._known: dict[bytes, str] = {}
        self._calls = self._effects = self._replays = self._refusals = 0

    def call(self, caller: Caller, call: Call) -> None:
        """Take one call. It is answered now, later or never."""
        self._calls += 1
        misbehaviour = self._misbehaviour
        try:
            if misbehaviour is not None and misbehaviour.meets_next():
                self._misbehave(misbehaviour, caller, call)
            elif self._latency:
                self._serve_later(self._latency, caller, call)
            else:
                self._serve(caller, call)
        except Unrecorded as error:
            caller.answer(answer.failed(str(error)))

    def behave(self, behaviour: Behaviour | None) -> None:
        """Misbehave so from now on, or no more. What was in force before ends."""
        before, self._misbehaviour = self._misbehaviour, Misbehaviour(behaviour) if behaviour else None
        if before is not None:
            before.end()

    def watch(self, watch: Watch) -> None:
        """Show the watch every effect from now on, until it has seen its own."""
        self._watches.append(watch)

    def release(self, watch: Watch) -> bool:
        """End a watch and close the connection it holds; True if it holds one whose caller had gone.

        A connection that another watch holds too stays open for that one.
        """
        if watch in self._watches:
            self._watches.remove(watch)
        caller, watch.caller = watch.caller, None
        if caller is None:
            return False
        gone = caller.gone()
        caller.drop()
        return gone

    def counts(self) -> Counts:
        """What has happened so far."""
        met = self._misbehaviour.met if self._misbehaviour else 0
        return Counts(self._calls, self._effects, self._replays, self._refusals, met)

    def _misbehave(self, misbehaviour: Misbehaviour, caller: Caller, call: Call) -> None:
        behaviour = misbehaviour.behaviour
        match behaviour.how:
            case "slow":
                self._serve_later(self._latency + behaviour.delay, caller, call)
            case "commit_then_timeout":
                self._commit(caller, call)
                misbehaviour.hold(caller)
            case how:
                self._refuse(how, caller, call)
                self._turn_away(misbehaviour, caller)

    def _turn_away(self, misbehaviour: Misbehaviour, caller: Caller) -> None:
        match misbehaviour.behaviour.how:
            case "503":
                caller.answer(answer.unavailable())
            case "429":
                caller.answer(answer.too_many(misbehaviour.behaviour.retry_after))
            case "hang":
                misbehaviour.hold(caller)
            case "reset":
                caller.reset()

    def _serve_later(self, seconds: float, caller: Caller, call: Call) -> None:
        def serve() -> None:
            if caller.gone():
                return
            try:
                self._serve(caller, call)
            except Unrecorded as error:
                caller.answer(answer.failed(str(error)))

        self._later(seconds, serve)

    def _serve(self, caller: Caller, call: Call) -> None:
        effect, held = self._commit(caller, call)
        if not held:
            caller.answer(answer.done(effect))
