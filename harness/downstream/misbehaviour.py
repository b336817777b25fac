"""A behaviour in force: which calls have met it, and which callers it keeps waiting."""

import math
from random import Random

from harness.downstream import answer
from harness.downstream.behaviour import Behaviour
from harness.downstream.caller import Caller


class Misbehaviour:
    """A behaviour from the moment it is set until it ends."""

    def __init__(self, behaviour: Behaviour) -> None:
        self.behaviour = behaviour
        self.met = 0
        self._random = Random(behaviour.seed)
        self._waiting: list[Caller] = []

    def meets_next(self) -> bool:
        """Draw whether the next call meets the behaviour, and count it if so."""
        meets = self._random.random() < self.behaviour.share
        self.met += meets
        return meets

    @property
    def turns_away(self) -> bool:
        """Whether it does nothing for those who meet it."""
        return self.behaviour.how in ("503", "429", "hang", "reset")

    @property
    def asks_to_wait(self) -> int:
        """The whole seconds that it asks a caller to wait, as they are sent."""
        return math.ceil(self.behaviour.retry_after) if self.behaviour.how == "429" else 0

    def turn_away(self, caller: Caller) -> None:
        """Do to the caller what a behaviour that does nothing for it does."""
        match self.behaviour.how:
            case "503":
                caller.answer(answer.unavailable())
            case "429":
                caller.answer(answer.too_many(self.behaviour.retry_after))
            case "hang":
                self.hold(caller)
            case "reset":
                caller.reset()
            case how:
                raise AssertionError(f"{how} turns nobody away")

    def hold(self, caller: Caller) -> None:
        """Keep a caller waiting until the behaviour ends."""
        self._waiting.append(caller)

    def end(self) -> None:
        """Close every connection that was kept waiting."""
        for caller in self._waiting:
            caller.drop()
        self._waiting.clear()
