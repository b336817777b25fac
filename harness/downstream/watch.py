"""Watches: each waits for the n-th effect, and withholds its answer."""

from collections.abc import Callable

from harness.downstream.caller import Caller
from harness.downstream.record import Effect


class Watch:
    """Withholds the answer to the `nth` effect from now on (of one worker, or of all), and tells so once."""

    def __init__(self, nth: int, worker: str | None, tell: Callable[[Effect], None]) -> None:
        self._left = nth
        self._worker = worker
        self._tell = tell
        self.caller: Caller | None = None

    def sees(self, effect: Effect, caller: Caller) -> bool:
        """Count an effect; True if it is the one, whose caller is then held."""
        if self.caller is not None or self._worker not in (None, effect.worker):
            return False
        self._left -= 1
        if self._left:
            return False
        self.caller = caller
        self._tell(effect)
        return True


class Watches:
    """The watches that have not been ended: still counting, or holding a caller."""

    def __init__(self) -> None:
        self._watches: list[Watch] = []

    def add(self, watch: Watch) -> None:
        """Show the watch every effect from now on."""
        self._watches.append(watch)

    def hold(self, effect: Effect, caller: Caller) -> bool:
        """Show an effect to every watch; True if its answer must be withheld."""
        held = [watch for watch in self._watches if watch.sees(effect, caller)]
        return bool(held)

    def end(self, watch: Watch) -> bool:
        """End a watch and drop its caller, unless another watch holds it too; True if the caller had gone before."""
        self._watches.remove(watch)
        caller = watch.caller
        if caller is None:
            return False
        gone = caller.gone()
        if all(other.caller is not caller for other in self._watches):
            caller.drop()
        return gone
