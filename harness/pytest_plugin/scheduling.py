"""Which worker of pytest-xdist gets which tests, when scenarios are among them."""

from __future__ import annotations

from xdist.scheduler import LoadScopeScheduling


class Scheduling(LoadScopeScheduling):  # type: ignore[misc]
    """The claims of one run together, every other test by itself."""

    def _split_scope(self, nodeid: str) -> str:
        return nodeid.rpartition("::")[0] if ".yaml::" in nodeid else nodeid
