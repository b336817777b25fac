"""A YAML file as a tree of nodes that know where they stand; scalars stay text, and YAML's traps are refused."""

import os
from collections.abc import Iterator
from typing import Any, TypeVar

import msgspec

from harness.problems import Findings, Place, nearest, refuse

DEEPEST = 50
LARGEST = 1_000_000


class Scalar(msgspec.Struct, frozen=True):
    """A piece of text; `quoted` says that its writer meant a string and nothing else."""

    text: str
    quoted: bool = False
    line: int = 0
    column: int = 0
    source: str = ""
    """The file that it stands in, where that is not the one being read."""


class Sequence(msgspec.Struct):
    """A list."""

    items: list["Node"]
    line: int = 0
    column: int = 0
    source: str = ""


class Mapping(msgspec.Struct):
    """Keys with their values, in the order of the text."""

    entries: list[tuple[Scalar, "Node"]]
    line: int = 0
    column: int = 0
    source: str = ""


Node = Scalar | Sequence | Mapping
N = TypeVar("N", Scalar, Sequence, Mapping, Node)


class Spot(msgspec.Struct, frozen=True):
    """A bare place in a file."""

    line: int
    column: int


def read(path: str) -> tuple[Mapping, Findings]:
    """The file's mapping and the findings so far (its duplicate keys); raises `Problems` when there is no tree."""
    return parse(_text(path), path)


def parse(text: str, source: str) -> tuple[Mapping, Findings]:
    """As `read`, from text; `source` is the name that problems carry."""
    findings = Findings(source)
    if len(text) > LARGEST:
        raise refuse(source, f"the file is larger than {LARGEST // 1_000_000} MB", "this is hardly a scenario")
    root = _Builder(findings).build(text)
    if root is None:
        raise refuse(source, "the file is empty", "a scenario needs at least `about`, `load` and `invariants`")
    if not isinstance(root, Mapping):
        _stop(findings, root, "expected keys with values at the top level", "write `key: value` lines")
    assert isinstance(root, Mapping)
    return root, findings


def placed(node: N, source: str) -> N:
    """The same node, with all below it, as one that stands in this file."""
    if isinstance(node, Mapping):
        entries = [(placed(key, source), placed(value, source)) for key, value in node.entries]
        return msgspec.structs.replace(node, entries=entries, source=source)
    if isinstance(node, Sequence):
        return msgspec.structs.replace(node, items=[placed(item, source) for item in node.items], source=source)
    return msgspec.structs.replace(node, source=source)


def kind(node: Node) -> str:
    """What a message calls this node."""
    if isinstance(node, Scalar):
        return f"`{shortened(node.text)}`" if node.text else "nothing"
    return "a list" if isinstance(node, Sequence) else "a mapping"


def shortened(text: str, width: int = 60) -> str:
    """The text on one line, cut where it gets long."""
    line = " ".join(text.split())
    return line if len(line) <= width else line[: width - 3] + "..."


def _stop(findings: Findings, place: Place | None, message: str, hint: str = "") -> None:
    findings.add(place, message, hint)
    findings.settle()


def _text(path: str) -> str:
    try:
        with open(path, "rb") as file:
            raw = file.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        raise refuse(path, *_unreadable(path, error)) from None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if len(raw) > LARGEST:
            return "#" * (LARGEST + 1)  # cut in the middle of a character: what matters is that it is too large
        raise refuse(path, f"not UTF-8 text (byte {error.start})", "save the file as UTF-8") from None


def _unreadable(path: str, error: OSError | ValueError) -> tuple[str, str]:
    if isinstance(error, FileNotFoundError):
        return "no such file", _near_file(path)
    if isinstance(error, IsADirectoryError):
        return "this is a folder", "name a file in it"
    return f"cannot be read: {error.strerror if isinstance(error, OSError) else error}", ""


def _near_file(path: str) -> str:
    folder = os.path.dirname(path)
    try:
        names = os.listdir(folder or ".")
    except OSError:
        return f"the folder {folder} cannot be read"
    files = [os.path.join(folder, other) for other in names if other.endswith((".yaml", ".yml"))]
    return nearest(path, files) if files else f"there are no scenarios in {folder or 'this folder'}"


class _Builder:
    """Turns the parser's events into nodes with a stack of its own, so that no text can exhaust Python's."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self.open: list[Sequence | Mapping] = []
        self.keys: list[Scalar | None] = []
        self.seen: list[dict[str, int]] = []
        self.root: Node | None = None
        self.documents = 0

    def build(self, text: str) -> Node | None:
        for event in _events(text, self.findings):
            getattr(self, f"_{type(event).__name__}", self._pass)(event)
        return self.root

    def _pass(self, event: Any) -> None:
        """Begin and end of the stream, end of a document: nothing to build."""

    def _DocumentStartEvent(self, event: Any) -> None:
        self.documents += 1
        if self.documents > 1:
            _stop(self.findings, _spot(event), "a second document begins here", "keep one per file: remove the `---`")

    def _AliasEvent(self, event: Any) -> None:
        _stop(
            self.findings,
            _spot(event),
            f"aliases (`*{shortened(event.anchor)}`) are not allowed",
            "write the value out",
        )

    def _ScalarEvent(self, event: Any) -> None:
        self._plain(event)
        self._attach(Scalar(event.value, bool(event.style), *_at(event)))

    def _SequenceStartEvent(self, event: Any) -> None:
        self._enter(event, Sequence([], *_at(event)))

    def _MappingStartEvent(self, event: Any) -> None:
        self._enter(event, Mapping([], *_at(event)))

    def _SequenceEndEvent(self, _event: Any) -> None:
        self._leave()

    _MappingEndEvent = _SequenceEndEvent

    def _enter(self, event: Any, node: Sequence | Mapping) -> None:
        self._plain(event)
        self._attach(node)
        if len(self.open) == DEEPEST:
            _stop(self.findings, node, f"nested more than {DEEPEST} deep", "a scenario needs four levels")
        self.open.append(node)
        self.keys.append(None)
        self.seen.append({})

    def _leave(self) -> None:
        self.open.pop()
        self.keys.pop()
        self.seen.pop()

    def _plain(self, event: Any) -> None:
        if event.anchor:
            _stop(
                self.findings,
                _spot(event),
                f"anchors (`&{shortened(event.anchor)}`) are not allowed",
                "write the value out",
            )
        if event.tag:
            _stop(self.findings, _spot(event), f"tags (`{shortened(event.tag)}`) are not allowed", "remove it")

    def _attach(self, node: Node) -> None:
        if not self.open:
            self.root = node
        elif isinstance(top := self.open[-1], Sequence):
            top.items.append(node)
        elif (key := self.keys[-1]) is not None:
            self.keys[-1] = None
            top.entries.append((key, node))
        else:
            self.keys[-1] = self._key(node)

    def _key(self, node: Node) -> Scalar:
        if not isinstance(node, Scalar):
            _stop(self.findings, node, f"expected a key, got {kind(node)}", "if this is a `{...}` template, quote it")
        assert isinstance(node, Scalar)
        if node.text == "<<" and not node.quoted:
            _stop(self.findings, node, "merge keys (`<<`) are not allowed", "write the keys out")
        if first := self.seen[-1].get(node.text):
            self.findings.add(
                node, f"duplicate key `{shortened(node.text)}`", f"it is already on line {first}: keep one"
            )
        self.seen[-1].setdefault(node.text, node.line)
        return node


def _events(text: str, findings: Findings) -> Iterator[Any]:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        yield from yaml.parse(text, Loader=loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        _stop(findings, Spot(mark.line + 1, mark.column + 1) if mark else None, *_syntax(error, text))
    except yaml.reader.ReaderError as error:
        _stop(findings, _reader_spot(text, error.position), *_character(error))
    except (UnicodeEncodeError, yaml.YAMLError) as error:
        _stop(findings, None, f"not YAML: {shortened(str(error))}")


def _syntax(error: Any, text: str) -> tuple[str, str]:
    line = _line(text, error.problem_mark.line if error.problem_mark else 0)
    said = shortened(", ".join(filter(None, (error.context, error.problem))), 120)
    return f"not YAML: {said}", _remedy(line, said)


def _remedy(line: str, said: str) -> str:
    if "\t" in line[: len(line) - len(line.lstrip())] or "'\\t'" in said or "tab" in said:
        return "indent with spaces, not with tabs"
    if "mapping values are not allowed" in said:
        return "quote text that contains `: `, and check the indentation"
    if "did not find expected" in said:
        return "check the indentation and that brackets are closed"
    return "quote text that contains special characters"


def _line(text: str, number: int) -> str:
    lines = text.split("\n")
    return lines[number] if number < len(lines) else ""


def _character(error: Any) -> tuple[str, str]:
    return f"not YAML: a character that is not text ({error.reason})", "is this a binary file?"


def _reader_spot(text: str, position: int) -> Spot:
    before = text[:position]
    return Spot(before.count("\n") + 1, position - (before.rfind("\n") + 1) + 1)


def _at(event: Any) -> tuple[int, int]:
    return event.start_mark.line + 1, event.start_mark.column + 1


def _spot(event: Any) -> Spot:
    return Spot(*_at(event))
