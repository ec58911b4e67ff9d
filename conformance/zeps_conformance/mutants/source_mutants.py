"""Changes of Python source files, one each, by their syntax tree.

Sites whose change cannot have an effect that a client sees are excluded: annotations, docstrings, assertions, the texts
of errors, formatted strings, and calls of a logger. Names to skip exclude more: functions and classes of such a name,
calls of them, and statements that only assign to it. A change that compiles to the same bytecode is equivalent.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import Any

__all__ = ["SourceChange", "package_root", "same_bytecode", "source_changes", "source_files"]

_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
_NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}
_LOGGER_NAMES = {"log", "logger", "logging"}
_TEXT_MAX = 160  # characters of a change's text


@dataclass(frozen=True)
class SourceChange:
    """One change of a file: `before` is replaced by `after` on `line`, in `function`; `text` is the changed file."""

    operator: str
    line: int
    column: int
    function: str
    before: str
    after: str
    text: str


def package_root(path: Path) -> Path:
    """Returns the folder of the outermost package that contains `path`."""
    folder = path.resolve() if path.is_dir() else path.resolve().parent
    while (folder.parent / "__init__.py").exists():
        folder = folder.parent
    return folder


def source_files(path: Path) -> list[Path]:
    """Returns the Python files at or below `path`."""
    return sorted(path.rglob("*.py")) if path.is_dir() else [path]


def same_bytecode(before: str, after: str) -> bool:
    """Returns whether two texts compile to the same instructions, constants and names."""
    return _instructions(compile(before, "x", "exec")) == _instructions(compile(after, "x", "exec"))


def _instructions(code: CodeType) -> tuple[Any, ...]:
    constants = [_instructions(c) if isinstance(c, CodeType) else (type(c), repr(c)) for c in code.co_consts]
    names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    return code.co_code, code.co_flags, code.co_exceptiontable, tuple(constants), names


def source_changes(text: str, skip: Collection[str] = ()) -> Iterator[SourceChange]:
    """Yields all changes of a file, in the order of their places; `skip` are names to exclude. Raises SyntaxError if it
    does not compile.
    """
    editor = _Editor(text)
    for node, function in _sites(ast.parse(text), skip):
        for operator, place, after in _edits(node, editor):
            change = editor.change(operator, place, function, after)
            if change is not None:
                yield change


class _Editor:
    """Replaces nodes in a text."""

    def __init__(self, text: str) -> None:
        self._data = text.encode()
        self._text = text
        starts = [0]
        for line in self._data.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        self._starts = starts

    def source(self, node: ast.AST) -> str:
        start, end = self._span(node)
        return self._data[start:end].decode()

    def change(self, operator: str, node: ast.AST, function: str, after: str) -> SourceChange | None:
        """Returns the change of `node` to the text `after`, or None if the result does not compile or is the same."""
        start, end = self._span(node)
        text = (self._data[:start] + after.encode() + self._data[end:]).decode()
        try:
            compile(text, "x", "exec")
        except SyntaxError:
            return None
        before = self.source(node)
        if before == after:
            return None
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        return SourceChange(operator, line, column, function, _short(before), _short(after), text)

    def _span(self, node: ast.AST) -> tuple[int, int]:
        lines = getattr(node, "lineno", 1), getattr(node, "end_lineno", 1)
        columns = getattr(node, "col_offset", 0), getattr(node, "end_col_offset", 0)
        return self._starts[lines[0] - 1] + columns[0], self._starts[lines[1] - 1] + columns[1]


def _short(text: str) -> str:
    joined = " ".join(text.split())
    return joined if len(joined) <= _TEXT_MAX else joined[: _TEXT_MAX - 2] + " …"


def _sites(tree: ast.AST, skip: Collection[str], function: str = "") -> Iterator[tuple[ast.AST, str]]:
    """Yields the nodes that may be changed, with the name of their function or class."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, (ast.Assert, ast.JoinedStr, ast.Import, ast.ImportFrom)) or _is_text(child):
            continue
        if _is_skipped(child, skip):
            continue
        inner = function
        if isinstance(child, (ast.FunctionDef, ast.ClassDef)):
            inner = f"{function}.{child.name}" if function else child.name
        yield child, inner
        if isinstance(child, ast.Raise):
            continue
        yield from _sites(_without_annotations(child), skip, inner)


def _is_skipped(node: ast.AST, skip: Collection[str]) -> bool:
    """Returns whether it is a function or class of a name in `skip`, a call of one, or assigns only to such names."""
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return name in skip
        case ast.Call(func=called):
            return _name_of(called) in skip
        case ast.Expr(value=ast.Call(func=called)):
            return _name_of(called) in skip
        case ast.Assign(targets=targets):
            return all(_name_of(target) in skip for target in targets)
        case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
            return _name_of(target) in skip
    return False


def _name_of(node: ast.AST) -> str:
    """Returns the last name of ``name``, ``value.name`` or ``name[key]``, or an empty text."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Subscript(value=value):
            return _name_of(value)
    return ""


def _is_text(node: ast.AST) -> bool:
    """Returns whether a statement is a docstring, a call of a logger, or the list of exported names."""
    if isinstance(node, ast.Assign) and any(
        isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets
    ):
        return True
    if not isinstance(node, ast.Expr):
        return False
    value = node.value
    if isinstance(value, ast.Constant):
        return True
    return (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Attribute)
        and isinstance(value.func.value, (ast.Name, ast.Attribute))
        and getattr(value.func.value, "id", getattr(value.func.value, "attr", "")).strip("_") in _LOGGER_NAMES
    )


def _group(nodes: Sequence[ast.AST]) -> ast.AST:
    return ast.Module(body=list(nodes), type_ignores=[])  # type: ignore[arg-type]


def _without_annotations(node: ast.AST) -> ast.AST:
    """Returns a node without annotations, decorators and base classes; its other children are the same objects."""
    if isinstance(node, ast.AnnAssign):
        return _group([node.value] if node.value is not None else [])
    if isinstance(node, ast.FunctionDef):
        defaults = [*node.args.defaults, *(default for default in node.args.kw_defaults if default)]
        return _group([*defaults, *node.body])
    if isinstance(node, ast.ClassDef):
        return _group(node.body)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("cast", "TypeVar"):
        return _group(node.args[1:])
    return node


def _edits(node: ast.AST, editor: _Editor) -> Iterator[tuple[str, ast.AST, str]]:
    """Yields operators, the replaced node, which is `node` or a child, and the text that replaces it."""
    if isinstance(node, (ast.If, ast.While, ast.IfExp)):
        yield "negate", node.test, f"not ({editor.source(node.test)})"
    elif isinstance(node, ast.FunctionDef) and not _returns_value(node):
        body = node.body[1:] if _is_text(node.body[0]) else node.body
        for statement in (body[:1] if len(body) == 1 else (body[0], body[len(body) // 2])) if body else ():
            if not isinstance(statement, ast.Pass):
                indent = " " * statement.col_offset
                yield "early-return", statement, f"return\n{indent}{editor.source(statement)}"
    for operator, after in _changes(node, editor):
        yield operator, node, after


def _returns_value(function: ast.FunctionDef) -> bool:
    return any(
        isinstance(inner, (ast.Yield, ast.YieldFrom))
        or (isinstance(inner, ast.Return) and inner.value is not None)
        for inner in ast.walk(function)
    )


def _changes(node: ast.AST, editor: _Editor) -> Iterator[tuple[str, str]]:
    """Yields the operators that apply to a node, and its text after the change."""
    match node:
        case ast.Compare():
            yield from _comparisons(node)
        case ast.Constant():
            yield from _constants(node)
        case ast.BinOp() if type(node.op) in _OPERATORS and not _is_union(node):
            yield "arithmetic", _with(node, "op", _OPERATORS[type(node.op)]())
        case ast.AugAssign() if type(node.op) in _OPERATORS:
            yield "arithmetic", _with(node, "op", _OPERATORS[type(node.op)]())
            yield "drop-statement", "pass"
        case ast.BoolOp():
            yield "and-or", _with(node, "op", ast.Or() if isinstance(node.op, ast.And) else ast.And())
            for index in range(len(node.values)):
                rest = [value for at, value in enumerate(node.values) if at != index]
                kept = rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)
                yield "drop-condition", f"({ast.unparse(kept)})"
        case ast.UnaryOp(op=ast.Not()):
            yield "drop-not", f"({editor.source(node.operand)})"
        case ast.Call():
            yield from _calls(node)
        case ast.Name() if node.id in _NAMES and isinstance(node.ctx, ast.Load):
            yield "min-max", _NAMES[node.id]
        case ast.Expr(value=ast.Call()):
            yield "drop-statement", "pass"
        case ast.Assign() if all(isinstance(t, (ast.Attribute, ast.Subscript)) for t in node.targets):
            yield "drop-statement", "pass"
        case ast.Delete() | ast.Raise():
            yield "drop-statement", "pass"
        case ast.Continue():
            yield "continue-break", "break"
        case ast.Break():
            yield "continue-break", "continue"
        case ast.Return(value=ast.expr() as value):
            if isinstance(value, (ast.Compare, ast.BoolOp, ast.UnaryOp)):
                yield "negate", f"return not ({ast.unparse(value)})"
        case ast.Return():
            yield "drop-statement", "pass"


def _with(node: ast.AST, field: str, value: Any) -> str:
    changed = copy.copy(node)
    setattr(changed, field, value)
    return ast.unparse(changed)


def _is_union(node: ast.BinOp) -> bool:
    """Returns whether it is the union of two types, as an alias may be."""
    return (
        isinstance(node.op, ast.BitOr) and isinstance(node.right, ast.Constant) and node.right.value is None
    )


def _comparisons(node: ast.Compare) -> Iterator[tuple[str, str]]:
    for index, operator in enumerate(node.ops):
        for other in _COMPARISONS.get(type(operator), ()):
            operators: Sequence[ast.cmpop] = [*node.ops[:index], other(), *node.ops[index + 1 :]]
            yield "comparison", _with(node, "ops", operators)


def _constants(node: ast.Constant) -> Iterator[tuple[str, str]]:
    value = node.value
    if isinstance(value, bool):
        yield "constant", repr(not value)
    elif isinstance(value, (int, float)):
        for other in dict.fromkeys((value + 1, value - 1, 0)):
            if other != value:
                yield "constant", f"({other!r})" if other < 0 else repr(other)


def _calls(node: ast.Call) -> Iterator[tuple[str, str]]:
    plain = not any(isinstance(argument, ast.Starred) for argument in node.args[:2])
    if len(node.args) > 1 and plain and not (isinstance(node.func, ast.Name) and node.func.id in _NAMES):
        yield "swap-arguments", _with(node, "args", [node.args[1], node.args[0], *node.args[2:]])
