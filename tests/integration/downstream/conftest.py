"""A downstream for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.downstream.server import Server, serving


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with serving(tmp_path / "downstream.jsonl") as server:
        yield server
