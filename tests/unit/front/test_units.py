"""Quantities are read as they are meant, and written as they are read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import units


@pytest.mark.parametrize(
    ("unit", "text", "value"),
    [
        ("duration", "250ms", 0.25),
        ("duration", "30s", 30.0),
        ("duration", "1m30s", 90.0),
        ("duration", "1h", 3600.0),
        ("duration", "0s", 0.0),
        ("rate", "20/s", 20.0),
        ("rate", "600/m", 10.0),
        ("share", "25%", 0.25),
        ("share", "0.25", 0.25),
        ("size", "64mb", 64 * 1024 * 1024),
    ],
)
def test_a_quantity_is_read(unit: str, text: str, value: float) -> None:
    assert units.parse(unit, text) == value


@pytest.mark.parametrize(
    ("unit", "text", "hint"),
    [
        ("duration", "30", "write 30s"),
        ("duration", "30 s", "write 30s"),
        ("duration", "30sec", "write 30s"),
        ("duration", "-1s", ""),
        ("duration", "inf", ""),
        ("duration", "1s1m", ""),
        ("duration", "", ""),
        ("duration", "1:30", ""),
        ("duration", "\u0663s", ""),
        ("rate", "20", "write 20/s"),
        ("share", "150%", ""),
        ("size", "64", "write 64mb"),
    ],
)
def test_what_is_no_quantity_is_refused_with_what_may_be_meant(unit: str, text: str, hint: str) -> None:
    with pytest.raises(units.Misread) as caught:
        units.parse(unit, text)
    assert caught.value.hint == hint


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.25, "250ms"), (30.0, "30s"), (90.0, "1m30s"), (0.0, "0s"), (1.5, "1.5s"), (3600.0, "1h")]
)
def test_a_duration_is_written_as_a_person_would(seconds: float, text: str) -> None:
    assert units.format_duration(seconds) == text


@given(
    st.sampled_from(["duration", "rate", "share"]),
    st.floats(1e-9, 1.0) | st.floats(0, 1e5) | st.integers(0, 10**6).map(float),
)
def test_what_is_written_reads_back_exactly(unit: str, value: float) -> None:
    exact = min(round(value, 12), units.LIMITS[unit])
    assert units.parse(unit, units.write(unit, exact)) == exact


@given(st.integers(0, 1024**4))
def test_a_size_reads_back_exactly(size: int) -> None:
    assert units.parse("size", units.write("size", size)) == size
