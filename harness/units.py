"""Quantities as people write them (`250ms`, `20/s`, `25%`, `64mb`) and as the code uses them."""

import re
from collections.abc import Callable
from decimal import Decimal
from math import isfinite
from typing import Annotated

import msgspec


class Unit(msgspec.Struct, frozen=True):
    """Marks an annotated number as a quantity; `name` is duration, rate, share or size."""

    name: str


Duration = Annotated[float, Unit("duration")]
Rate = Annotated[float, Unit("rate")]
Share = Annotated[float, Unit("share")]
Size = Annotated[int, Unit("size")]

_NUMBER = r"[0-9]{1,18}(?:\.[0-9]{1,30})?"
_SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6}
_PER = {"s": 1.0, "m": 60.0, "h": 3600.0}
_BYTES = {"b": 1, "kb": 1024, "mb": 1024**2, "gb": 1024**3}
_DURATION = "".join(f"(?:({_NUMBER}){suffix})?" for suffix in _SECONDS)

PATTERNS = {
    "duration": rf"^(?:{_NUMBER}(?:h|ms|m|us|s))+$",
    "rate": rf"^{_NUMBER}/[smh]$",
    "share": rf"^{_NUMBER}%?$",
    "size": r"^[0-9]+(?:b|kb|mb|gb)$",
}
EXAMPLES = {"duration": "30s", "rate": "20/s", "share": "25%", "size": "64mb"}
EXPECTED = {
    "duration": "a duration such as 250ms, 30s, 2m or 1m30s",
    "rate": "a rate such as 20/s or 600/m",
    "share": "a share such as 25% or 0.25",
    "size": "a size such as 512kb or 64mb",
}
LIMITS = {"duration": 10 * 365 * 24 * 3600.0, "rate": 1e7, "share": 1.0, "size": 1024**4}
_LIMIT_TEXT = {"duration": "87600h", "rate": "10000000/s", "share": "100%", "size": "1024gb"}
_SUFFIX = {"duration": "s", "rate": "/s", "share": "%", "size": "mb"}


class Misread(ValueError):
    """The text is no such quantity: `expected` says what is, `hint` what may have been meant."""

    def __init__(self, expected: str, hint: str = "") -> None:
        super().__init__(expected)
        self.expected = expected
        self.hint = hint


def parse(unit: str, text: str) -> float | int:
    """The quantity that `text` says, in seconds, per second, as a fraction or in bytes; raises `Misread`."""
    value = _PARSERS[unit](text)
    if value is None:
        raise Misread(EXPECTED[unit], _hint(unit, text))
    if value > LIMITS[unit]:
        raise Misread(f"{EXPECTED[unit]}, at most {_LIMIT_TEXT[unit]}")
    return value


def write(unit: str, value: float) -> str:
    """The text that `parse` reads as exactly this value."""
    return _WRITERS[unit](value)


def format_duration(seconds: float) -> str:
    """`250ms`, `30s`, `1m30s`: the text a person would write that reads back as exactly this many seconds."""
    if not seconds >= 0 or not isfinite(seconds):
        raise ValueError(f"not a duration: {seconds}")
    return next(text for text in _candidates(seconds) if _duration(text) == seconds)


def format_rate(per_second: float) -> str:
    """`20/s`."""
    return f"{_plain(per_second)}/s"


def format_share(share: float) -> str:
    """`25%`, or the plain fraction where per cent would not read back exactly."""
    percent = f"{_plain(round(share * 100, 9))}%"
    return percent if _share(percent) == share else _plain(share)


def format_size(size: float) -> str:
    """`64mb`: the largest unit that divides it."""
    suffix = next(name for name in reversed(_BYTES) if size % _BYTES[name] == 0)
    return f"{int(size) // _BYTES[suffix]}{suffix}" if size else "0b"


def _candidates(seconds: float) -> list[str]:
    small = [f"{round(seconds * 10**power)}{suffix}" for power, suffix in ((3, "ms"), (6, "us")) if 0 < seconds < 1]
    whole = int(seconds)
    parts = ((whole // 3600, "h"), (whole % 3600 // 60, "m"), (whole % 60, "s"))
    mixed = "".join(f"{count}{suffix}" for count, suffix in parts if count)
    return [*small, *([mixed] if mixed else []), f"{_plain(seconds)}s"]


def _plain(number: float) -> str:
    text = format(Decimal(repr(number)), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _duration(text: str) -> float | None:
    found = re.fullmatch(_DURATION, text)
    if not text or not found:
        return None
    counts = zip(_SECONDS.values(), found.groups(), strict=True)
    return sum(_scaled(count, factor) for factor, count in counts if count)


def _scaled(count: str, factor: float) -> float:
    # 250 / 1000 is exact where 250 * 0.001 is not.
    return float(count) * factor if factor >= 1 else float(count) / round(1 / factor)


def _rate(text: str) -> float | None:
    found = re.fullmatch(rf"({_NUMBER})/([smh])", text)
    return float(found[1]) / _PER[found[2]] if found else None


def _share(text: str) -> float | None:
    found = re.fullmatch(rf"({_NUMBER})(%?)", text)
    return float(found[1]) / (100 if found[2] else 1) if found else None


def _size(text: str) -> int | None:
    found = re.fullmatch(r"([0-9]{1,18})(b|kb|mb|gb)", text.lower())
    return int(found[1]) * _BYTES[found[2]] if found else None


def _hint(unit: str, text: str) -> str:
    if re.fullmatch(_NUMBER, text):
        return f"write {text}{_SUFFIX[unit]}"
    joined = text.replace(" ", "").lower().replace("sec", "s").replace("min", "m")
    return f"write {joined}" if joined != text and _PARSERS[unit](joined) is not None else ""


_PARSERS: dict[str, Callable[[str], float | int | None]] = {
    "duration": _duration,
    "rate": _rate,
    "share": _share,
    "size": _size,
}
_WRITERS: dict[str, Callable[[float], str]] = {
    "duration": format_duration,
    "rate": format_rate,
    "share": format_share,
    "size": format_size,
}
