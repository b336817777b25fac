"""The effects that were committed, and how every call ended."""

from collections import Counter

from harness.clock import now
from harness.downstream.call import Call
from harness.downstream.record import Change, Effect, Record, Refuse, Replay


class Effects:
    """Commits effects, one for each Idempotency-Key if keys are honoured. All that it counts has been recorded."""

    def __init__(self, record: Record, *, honours_keys: bool = True) -> None:
        self._record = record
        self._honours_keys = honours_keys
        self._known: dict[bytes, str] = {}
        self._of: Counter[str] = Counter()
        self._versions: dict[str, int] = {}
        self.committed = self.replayed = self.refused = 0

    def commit(self, worker: str, call: Call) -> tuple[str, Effect | None]:
        """The id of the call's effect, and the effect if this call made it."""
        key = call.idempotency_key if self._honours_keys else None
        if key is not None and key in self._known:
            self._record.write(Replay(now(), call.key, worker))
            self.replayed += 1
            return self._known[key], None
        effect = Effect(now(), call.key, worker, call.version)
        self._record.write(effect)
        self.committed += 1
        self._of[call.key] += 1
        name = f"effect-{self.committed}"
        if key is not None:
            self._known[key] = name
        return name, effect

    def refuse(self, worker: str, call: Call, how: str, after: int = 0) -> None:
        """Do nothing, and say so; `after` is how many seconds the caller was asked to wait."""
        self._record.write(Refuse(now(), call.key, worker, how, after))
        self.refused += 1

    def change(self, keys: list[str]) -> None:
        """Give the records that these jobs act on their next version."""
        for key in keys:
            version = self.tell("version", key) + 1
            self._record.write(Change(now(), key, version))
            self._versions[key] = version

    def tell(self, of: str, key: str) -> int:
        """How many `effects` the job had, or which `version` its record has."""
        return self._of[key] if of == "effects" else self._versions.get(key, 1)
