"""How a generator is started; docstring of `harness.load.generator` says how it is spoken to."""

from pathlib import Path

import msgspec

from harness.load.payload import Payload


def command(
    python: str,
    *,
    arrivals: Path,
    part: int,
    parts: int,
    producer: str,
    events: Path,
    payload: Payload | None = None,
    timeout: float = 10.0,
    connections: int = 4000,
) -> list[str]:
    """The argv of generator process `part` (from 0) of `parts`; `producer` is `http://HOST:PORT`, times are seconds."""
    options = {
        "arrivals": arrivals,
        "share": f"{part}/{parts}",
        "producer": producer,
        "events": events,
        "payload": msgspec.json.encode(payload or Payload()).decode(),
        "timeout": timeout,
        "connections": connections,
    }
    return [
        python,
        "-m",
        "harness.load.generator",
        *(word for name, value in options.items() for word in (f"--{name}", str(value))),
    ]
