"""A watch: waits for the n-th effect, and withholds its answer."""

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
        """Count an effect; True if it is the one, which is then held."""
        if self._worker not in (None, effect.worker):
            return False
        self._left -= 1
        if self._left:
            return False
        self.caller = caller
        self._tell(effect)
        return True
