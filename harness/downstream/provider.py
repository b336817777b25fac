"""The provider: decides what becomes of each call."""

from collections.abc import Callable

from harness.downstream import answer
from harness.downstream.behaviour import Behaviour
from harness.downstream.call import Call
from harness.downstream.caller import Caller
from harness.downstream.effects import Effects
from harness.downstream.misbehaviour import Misbehaviour
from harness.downstream.question import Question
from harness.downstream.record import Unrecorded
from harness.downstream.watch import Watches
from harness.downstream.wire import Counts

Later = Callable[[float, Callable[[], None]], object]


class Provider:
    """Does side effects, or misbehaves as it has been told.

    `later(seconds, action)` is its clock; `body` is that of its answers, else they name the effect.
    """

    def __init__(self, effects: Effects, later: Later, *, latency: float = 0.0, body: str = "") -> None:
        self.watches = Watches()
        self._effects = effects
        self._later = later
        self._latency = latency
        self._answer = answer.as_given(body) if body else b""
        self._misbehaviour: Misbehaviour | None = None
        self._calls = 0

    def call(self, caller: Caller, call: Call) -> None:
        """Take one call. It is answered now, later or never."""
        self._calls += 1
        try:
            if self._misbehaviour is not None and self._misbehaviour.meets_next():
                self._misbehave(self._misbehaviour, caller, call)
            elif self._latency:
                self._serve_later(self._latency, caller, call)
            else:
                self._serve(caller, call)
        except Unrecorded as error:
            caller.answer(answer.failed(str(error)))

    def question(self, caller: Caller, question: Question) -> None:
        """Answer a question, unless everybody is turned away; it counts as no call."""
        misbehaviour = self._misbehaviour
        if misbehaviour is not None and misbehaviour.turns_away and misbehaviour.behaviour.share == 1:
            misbehaviour.turn_away(caller)
        else:
            caller.answer(answer.told(question.of, self._effects.tell(question.of, question.key)))

    def change(self, keys: list[str]) -> None:
        """The records that these jobs act on change."""
        self._effects.change(keys)

    def behave(self, behaviour: Behaviour | None) -> None:
        """Misbehave so from now on, or no more. What was in force before ends."""
        before = self._misbehaviour
        self._misbehaviour = Misbehaviour(behaviour) if behaviour else None
        if before is not None:
            before.end()

    def counts(self) -> Counts:
        """What has happened so far."""
        effects = self._effects
        met = self._misbehaviour.met if self._misbehaviour else 0
        return Counts(self._calls, effects.committed, effects.replayed, effects.refused, met)

    def _misbehave(self, misbehaviour: Misbehaviour, caller: Caller, call: Call) -> None:
        behaviour = misbehaviour.behaviour
        if behaviour.how == "slow":
            self._serve_later(self._latency + behaviour.delay, caller, call)
        elif behaviour.how == "commit_then_timeout":
            _, held = self._commit(caller, call)
            if not held:
                misbehaviour.hold(caller)
        else:
            self._effects.refuse(caller.worker, call, behaviour.how, misbehaviour.asks_to_wait)
            misbehaviour.turn_away(caller)

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
        name, held = self._commit(caller, call)
        if not held:
            caller.answer(self._answer or answer.done(name))

    def _commit(self, caller: Caller, call: Call) -> tuple[str, bool]:
        name, effect = self._effects.commit(caller.worker, call)
        return name, effect is not None and self.watches.hold(effect, caller)
