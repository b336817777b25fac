"""Seconds as an expression over knobs: names, numbers, `+`, `*`, `/` and `max(...)`, and nothing else."""

import ast
from collections.abc import Iterator, Mapping


class Unsuitable(ValueError):
    """Not such an expression; `offset` is where in its text, from 0."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


def check(text: str, names: Mapping[str, object]) -> None:
    """Raise `Unsuitable` unless the expression is well formed and every name in it is that of a number."""
    for node in _walk(_parsed(text)):
        if isinstance(node, ast.Name) and not _is_number(names.get(node.id)):
            raise Unsuitable(f"`{node.id}` is not the name of a knob that is a number", node.col_offset)


def evaluate(text: str, names: Mapping[str, object]) -> float:
    """The expression's value; raises `Unsuitable` as `check` does."""
    check(text, names)
    return _value(_parsed(text), names)


def _parsed(text: str) -> ast.expr:
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        offset = getattr(error, "offset", None) or 1
        raise Unsuitable("expected knobs, numbers, +, *, / and max()", offset - 1) from None


def _walk(node: ast.expr) -> Iterator[ast.expr]:
    yield node
    for operand in _operands(node):
        yield from _walk(operand)


def _operands(node: ast.expr) -> list[ast.expr]:
    match node:
        case ast.Name():
            return []
        case ast.Constant(value=int() | float()) if not isinstance(node.value, bool):
            return []
        case ast.BinOp(left=left, op=ast.Add() | ast.Mult() | ast.Div(), right=right):
            return [left, right]
        case ast.Call(func=ast.Name(id="max"), args=[_, *_] as operands, keywords=[]):
            return operands
    raise Unsuitable("expected knobs, numbers, +, *, / and max()", node.col_offset)


def _value(node: ast.expr, names: Mapping[str, object]) -> float:
    operands = [_value(operand, names) for operand in _operands(node)]
    match node:
        case ast.Name():
            return _number(names[node.id])
        case ast.Constant():
            return _number(node.value)
        case ast.BinOp(op=ast.Add()):
            return operands[0] + operands[1]
        case ast.BinOp(op=ast.Mult()):
            return operands[0] * operands[1]
        case ast.BinOp():
            return operands[0] / operands[1] if operands[1] else 0.0  # what never comes is not waited for
    return max(operands)


def _is_number(value: object) -> bool:
    return isinstance(value, bool | int | float)


def _number(value: object) -> float:
    assert isinstance(value, bool | int | float)
    return float(value)
