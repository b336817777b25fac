"""RQ's scheduler, which puts retries back into the queue when their time has come."""

from app import KNOBS
from parent import die_with
from rq.scheduler import RQScheduler


class Scheduler(RQScheduler):
    """Its lock outlives it by `scheduler_lock_ttl`; RQ's own does by 61 s, in which nobody's retries come back."""

    parent: int = 0

    def work(self) -> None:
        """The loop of the scheduler's own process."""
        if KNOBS.die_with_parent:
            die_with(self.parent)
        super().work()

    def acquire_locks(self, auto_start: bool = False) -> set[str]:
        """Become the one scheduler, if there is none."""
        acquired: set[str] = super().acquire_locks(auto_start)
        self._shorten()
        return acquired

    def heartbeat(self) -> None:
        """Keep the lock."""
        super().heartbeat()
        self._shorten()

    def _shorten(self) -> None:
        for name in self.acquired_locks:
            self.connection.expire(self.get_locking_key(name), int(KNOBS.scheduler_lock_ttl))
