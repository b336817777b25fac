"""Every small change to a source file that a test should notice: a mutant each."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import CodeType
from typing import Any, NamedTuple

COMPARED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
SWAPPED: dict[type[ast.operator] | type[ast.boolop], type[ast.operator] | type[ast.boolop]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
RENAMED = {
    "min": "max",
    "minimum": "maximum",
    "argmin": "argmax",
    "any": "all",
    "passed": "failed",
    "failed": "undecided",
    "undecided": "passed",
}
RENAMED |= {there: here for here, there in RENAMED.items() if there not in RENAMED}
SIDES = {"left": "right", "right": "left"}


class Mutant(NamedTuple):
    """A module with one change; `was` and `is_now` are the changed expression."""

    line: int
    was: str
    is_now: str
    code: CodeType

    def __str__(self) -> str:
        return f"{self.line}: {self.was}  ->  {self.is_now}"


def mutants(source: str, file: str) -> Iterator[Mutant]:
    """Each mutant of this source, in the order of its lines."""
    tree = ast.parse(source)
    found = [(node, other) for node in _judged(tree) for other in _changes(node)]
    for node, other in sorted(found, key=lambda pair: pair[0].lineno):
        ast.fix_missing_locations(ast.copy_location(other, node))
        changed = ast.fix_missing_locations(_Swap(node, other).visit(tree))
        yield Mutant(node.lineno, _short(node), _short(other), compile(changed, file, "exec"))
        _Swap(other, node).visit(tree)


def _short(node: ast.AST) -> str:
    """The first line of what the node says."""
    return ast.unparse(node).splitlines()[0][:100]


class _Swap(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> Any:
        return self.new if node is self.old else self.generic_visit(node)


def _judged(node: ast.AST) -> Iterator[Any]:
    """The nodes that run: no annotations, no options of a class, and no imports for the type checker only."""
    for name, field in ast.iter_fields(node):
        if name in ("annotation", "returns", "format_spec") or (isinstance(node, ast.ClassDef) and name == "keywords"):
            continue
        for child in field if isinstance(field, list) else [field]:
            if isinstance(child, ast.AST) and not _for_types_only(child):
                yield child
                yield from _judged(child)


def _for_types_only(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def _changes(node: ast.AST) -> Iterator[ast.AST]:
    """What may stand in the place of this node; it shares the node's children."""
    match node:
        case ast.Compare(left, ops, comparators):
            for at, op in enumerate(ops):
                for other in COMPARED[type(op)]:
                    yield ast.Compare(left, [*ops[:at], other(), *ops[at + 1 :]], comparators)
        case ast.BoolOp(op, values):
            yield ast.BoolOp(_other(op), values)
        case ast.BinOp(left, op, right):
            yield ast.BinOp(left, _other(op), right)
        case ast.AugAssign(target, op, value):
            yield ast.AugAssign(target, _other(op), value)
        case ast.UnaryOp(_, operand):
            yield operand
        case ast.Constant(value):
            yield from (ast.Constant(other) for other in _near(value))
        case ast.IfExp(test, body, orelse):
            yield ast.IfExp(test, orelse, body)
        case ast.If(test, body, orelse):
            yield ast.If(ast.UnaryOp(ast.Not(), test), body, orelse)
        case ast.Return(value) if value is not None and not _is_none(value):
            yield ast.Return(ast.Constant(None))
        case ast.Name(name) if name in RENAMED:
            yield ast.Name(RENAMED[name], node.ctx)
        case ast.Attribute(value, name) if name in RENAMED:
            yield ast.Attribute(value, RENAMED[name], node.ctx)


def _other(op: Any) -> Any:
    return SWAPPED[type(op)]()


def _is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _near(value: object) -> tuple[Any, ...]:
    """Values beside this one; a text that is no setting is left alone."""
    match value:
        case bool():
            return (not value,)
        case int():
            return (value + 1, value - 1)
        case float():
            return (value * 1.25, value / 1.25) if value else (1.0, -1.0)
        case str():
            return (SIDES[value],) if value in SIDES else ()
    return ()
