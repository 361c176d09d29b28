"""Small faults that can be put into a module, one at a time, to see whether its tests notice.

>>> [str(mutation) for mutation in mutations("def half(x):\\n    return x / 2 if x > 0 else 0\\n")]
['2: return None', '2: / → *', '2: 2 → 3', '2: > → >=', '2: 0 → 1', '2: 0 → 1 #2']
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.MatMult: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
SIGNS = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=", ast.Is: "is",
    ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in", ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/",
    ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**", ast.MatMult: "@", ast.BitAnd: "&", ast.BitOr: "|",
    ast.And: "and", ast.Or: "or",
}  # fmt: skip


class Mutation(NamedTuple):
    """One fault: where it is, what it changes, and how it is put into a syntax tree.

    `apply` takes the node of the tree and returns what replaces it.
    """

    line: int
    change: str
    place: int
    apply: Callable[[ast.AST], ast.AST]

    def __str__(self) -> str:
        return f"{self.line}: {self.change}"


def mutations(source: str) -> list[Mutation]:
    """Return every fault that can be put into a module.

    Annotations, decorators, documentation, messages of errors and the imports at the top stay as they are, because a
    change there is not a fault of the computation. Equal changes of one line are numbered from left to right.
    """
    tree = ast.parse(source)
    skipped = {id(node) for part in _skipped(tree) for node in ast.walk(part)}
    found = []
    for place, node in enumerate(ast.walk(tree)):
        if id(node) not in skipped:
            where = (getattr(node, "lineno", 0), getattr(node, "col_offset", 0))
            found += [(where, change, place, apply) for change, apply in _faults_of(node)]
    numbered, seen = [], Counter[tuple[int, str]]()
    for (line, _), change, place, apply in sorted(found, key=lambda fault: fault[0]):
        seen[line, change] += 1
        number = f" #{seen[line, change]}" if seen[line, change] > 1 else ""
        numbered.append(Mutation(line, change + number, place, apply))
    return numbered


def mutated(source: str, mutation: Mutation) -> ast.Module:
    """Return the syntax tree of a module with one fault in it."""
    tree = ast.parse(source)
    target = list(ast.walk(tree))[mutation.place]
    changed = ast.copy_location(mutation.apply(copy.copy(target)), target)
    return ast.fix_missing_locations(_Replacement(target, changed).visit(tree))


class _Replacement(ast.NodeTransformer):
    def __init__(self, target: ast.AST, changed: ast.AST) -> None:
        self._target = target
        self._changed = changed

    def visit(self, node: ast.AST) -> ast.AST:
        return self._changed if node is self._target else self.generic_visit(node)


def _skipped(tree: ast.Module) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from node.decorator_list
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns is not None:
            yield node.returns
        if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation is not None:
            yield node.annotation
        if isinstance(node, ast.Raise | ast.Assert):
            yield node
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant | ast.Yield | ast.YieldFrom):
            yield from [node] if isinstance(node.value, ast.Constant) else []
        if isinstance(node, ast.JoinedStr):
            yield node


def _faults_of(node: ast.AST) -> Iterator[tuple[str, Callable[[ast.AST], ast.AST]]]:
    if isinstance(node, ast.Compare):
        for number, sign in enumerate(node.ops):
            other = COMPARISONS[type(sign)]
            yield f"{SIGNS[type(sign)]} → {SIGNS[other]}", _with_comparison(number, other)
    elif isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in OPERATORS:
        other_operator = OPERATORS[type(node.op)]
        yield f"{SIGNS[type(node.op)]} → {SIGNS[other_operator]}", _with(op=other_operator())
    elif isinstance(node, ast.BoolOp):
        other_join = ast.Or if isinstance(node.op, ast.And) else ast.And
        yield f"{SIGNS[type(node.op)]} → {SIGNS[other_join]}", _with(op=other_join())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "not removed", lambda given: given.operand  # type: ignore[attr-defined]
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield f"{node.value} → {not node.value}", _with(value=not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        yield f"{node.value} → {node.value + 1}", _with(value=node.value + 1)
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield f"{ast.unparse(node)[:50]} removed", lambda _: ast.Pass()
    elif isinstance(node, ast.Return) and node.value is not None and not _is_none(node.value):
        yield "return None", _with(value=ast.Constant(None))
    if isinstance(node, ast.AugAssign):
        yield f"{ast.unparse(node)[:50]} removed", lambda _: ast.Pass()


def _with(**fields: object) -> Callable[[ast.AST], ast.AST]:
    def apply(node: ast.AST) -> ast.AST:
        for name, value in fields.items():
            setattr(node, name, value)
        return node

    return apply


def _with_comparison(number: int, other: type[ast.cmpop]) -> Callable[[ast.AST], ast.AST]:
    def apply(node: ast.AST) -> ast.AST:
        node.ops = [other() if place == number else sign for place, sign in enumerate(node.ops)]  # type: ignore[attr-defined]
        return node

    return apply


def _is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
