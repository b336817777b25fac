"""What was broken was mended."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import msgspec

from harness.invariants._wording import counted, listed
from harness.verdict import Finding, passed, undecided

if TYPE_CHECKING:
    from harness.history.history import History


class FaultsHealed(msgspec.Struct, frozen=True):
    """Every injected fault was healed before the system was judged.

    Checked in every run. What a system does while something is still broken says nothing about how it recovers, so
    such a run is INCONCLUSIVE.
    """

    needs: ClassVar[tuple[str, ...]] = ()

    def check(self, history: History) -> Finding:
        injected = {note.n: note for note in history.faults if note.state == "injected"}
        healed = {note.n for note in history.faults if note.state == "healed"}
        if not injected:
            return Finding(value="NOT APPLICABLE", says="No fault was injected.", examined=0, of="injected faults")
        said = {note.n: note.says for note in history.faults if note.state == "unhealed"}
        broken = [
            f"{note.fault}: {said.get(n) or 'no sign that it healed'}"
            for n, note in injected.items()
            if n not in healed
        ]
        if broken:
            return undecided(
                f"Not healed: {listed(broken)}.", examined=len(injected), of="injected faults", unhealed=len(broken)
            )
        return passed(
            f"{counted(len(injected), 'fault')} healed.", examined=len(injected), of="injected faults", unhealed=0
        )
