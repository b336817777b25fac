"""What tests of every folder share."""

from pathlib import Path

import pytest

from harness import variants

pytest_plugins = ["pytester"]
TESTS = Path(__file__).parent


@pytest.fixture
def stand_ins(monkeypatch: pytest.MonkeyPatch) -> str:
    """Put the tests' own variants in the place of the real ones, and give the folder of their target."""
    monkeypatch.syspath_prepend(TESTS)
    for kind in ("faults", "invariants", "servers"):
        monkeypatch.setitem(variants.PACKAGES, kind, f"stand_ins.{kind}")
    return str(TESTS / "stand_ins" / "targets")
