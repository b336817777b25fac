"""The attempt lines of a worker that forks a process for every job."""

import os
import time

from kit import Attempts


class SharedAttempts(Attempts):
    """The worker's file is opened once and inherited: a file for every job would be thousands."""

    def _open(self) -> None:
        if self._fd < 0:
            super()._open()
        if self._pid != os.getpid():
            self._pid, self._born = os.getpid(), time.time_ns()
