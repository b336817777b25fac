"""no_duplicate_effects on histories made by hand."""

from harness.history.columns import Builder
from harness.history.events import Effect
from harness.history.history import History
from harness.invariants.no_duplicate_effects import NoDuplicateEffects
from harness.verdict import failed, passed


def history(*keys: str) -> History:
    builder = Builder()
    for t, key in enumerate(keys):
        builder.add(Effect(t=t, key=key))
    return History(builder.columns_by_time())


def test_one_effect_each_passes() -> None:
    expected = passed(
        "2 jobs had a side effect, each once.", examined=2, of="jobs with an effect", duplicated=0, extra=0
    )
    assert NoDuplicateEffects().check(history("a", "<b>")) == expected


def test_a_second_effect_fails_with_its_job() -> None:
    says = "1 job of 2 had a side effect more than once; the worst 2 times."
    expected = failed(says, examined=2, of="jobs with an effect", jobs=[1], duplicated=1, extra=1)
    assert NoDuplicateEffects().check(history("a", "b", "b")) == expected
