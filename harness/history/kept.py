"""Columns on disk: made once from the lines of a run, and used as long as those have not changed."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import partial
from typing import Any, BinaryIO

import msgspec
import numpy as np

from harness.history.columns import ROW, Columns, Unreadable
from harness.history.events import OfRun

_FORMAT = 3
_ARRAYS = (*(ROW.names or ()), "intended")


class _Tables(msgspec.Struct, frozen=True):
    format: int
    stamp: Any
    whos: list[tuple[str, int]]
    texts: list[str]
    runs: int
    notes: tuple[OfRun, ...]
    unreadable: tuple[Unreadable, ...]


def save(columns: Columns, folder: str, stamp: Any) -> None:
    """Keep the columns in a folder, with the stamp of the lines they were made from."""
    os.makedirs(folder, exist_ok=True)
    for name in _ARRAYS:
        _write(folder, f"{name}.npy", partial(np.save, arr=getattr(columns, name)))
    tables = _Tables(_FORMAT, stamp, columns.whos, columns.texts, columns.runs, columns.notes, columns.unreadable)
    _write(folder, "keys.json", lambda file: file.write(msgspec.json.encode(columns.keys)))
    _write(folder, "tables.json", lambda file: file.write(msgspec.json.encode(tables)))


def _write(folder: str, name: str, write: Callable[[BinaryIO], Any]) -> None:
    """Put the file in place whole: another reader may have the old one mapped."""
    path = os.path.join(folder, name)
    with open(f"{path}.{os.getpid()}", "wb") as file:
        write(file)
    os.replace(f"{path}.{os.getpid()}", path)


def load(folder: str, stamp: Any) -> Columns | None:
    """The columns kept in a folder, or None when there are none, whole, made from lines with this stamp; a stamp of
    None fits all."""
    try:
        tables = msgspec.json.decode(_read(folder, "tables.json"), type=_Tables)
        if tables.format != _FORMAT or (stamp is not None and tables.stamp != json.loads(json.dumps(stamp))):
            return None
        keys = msgspec.json.decode(_read(folder, "keys.json"), type=list[str])
        arrays = {name: np.load(os.path.join(folder, f"{name}.npy"), mmap_mode="r") for name in _ARRAYS}
    except (OSError, msgspec.DecodeError, ValueError, EOFError):
        return None
    if len(arrays["intended"]) != len(keys) or len({len(arrays[name]) for name in ROW.names or ()}) != 1:
        return None
    return Columns(
        **arrays,
        keys=keys,
        whos=tables.whos,
        texts=tables.texts,
        runs=tables.runs,
        notes=tables.notes,
        unreadable=tables.unreadable,
    )


def _read(folder: str, name: str) -> bytes:
    with open(os.path.join(folder, name), "rb") as file:
        return file.read()
