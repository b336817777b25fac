"""The named variants on disk: one file each, found by its name, imported only when it is asked for."""

import os
from importlib import import_module
from types import ModuleType

import msgspec

PACKAGES = {kind: f"harness.{kind}" for kind in ("faults", "invariants", "servers", "toolchains")}
SINGULAR = {"faults": "fault", "invariants": "invariant", "servers": "server", "load": "load shape"}


def names(kind: str) -> list[str]:
    """Every variant of this kind (`faults`, `invariants`, `servers`, `load`), without importing any but the load's."""
    if kind == "load":
        return list(_shapes().SHAPES)
    folder = _folder(PACKAGES[kind])
    files = os.listdir(folder) if os.path.isdir(folder) else []
    return sorted(name[:-3] for name in files if name.endswith(".py") and not name.startswith("_"))


def variant(kind: str, name: str) -> type[msgspec.Struct]:
    """The class of one variant that `names` lists: `kill_worker` is `KillWorker` in `kill_worker.py`."""
    if kind == "load":
        shape: type[msgspec.Struct] = _shapes().SHAPES[name]
        return shape
    module = import_module(f"{PACKAGES[kind]}.{name}")
    found: type[msgspec.Struct] = getattr(module, class_name(name))
    return found


def class_name(name: str) -> str:
    """`kill_worker` -> `KillWorker`."""
    return "".join(part.capitalize() for part in name.split("_"))


def name_of(value: object) -> str:
    """The variant's name of a value: the file that its class stands in, or the load's name for a shape."""
    cls = type(value)
    if cls.__module__.endswith(".load.shapes"):
        return next(str(name) for name, shape in _shapes().SHAPES.items() if shape is cls)
    return cls.__module__.rpartition(".")[2]


def about(cls: type) -> str:
    """The first paragraph of a variant's docstring: its explanation in one line."""
    return " ".join((cls.__doc__ or "").strip().partition("\n\n")[0].split())


def usually(cls: type) -> str:
    """The rest of a variant's docstring: of an invariant, what usually breaks it, and the remedy."""
    return " ".join((cls.__doc__ or "").strip().partition("\n\n")[2].split())


def _shapes() -> ModuleType:
    return import_module("harness.load.shapes")


def _folder(package: str) -> str:
    root, *parts = package.split(".")
    found = import_module(root).__file__
    return os.path.join(os.path.dirname(found or ""), *parts)
