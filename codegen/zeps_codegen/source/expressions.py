"""Parser for guards and values: a syntax tree without types; `passes/expressions.py` resolves names and types."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput

__all__ = ["Apply", "Literal", "Node", "Reference", "SizeOf", "SyntaxFault", "parse_expression"]


@dataclass(frozen=True, slots=True)
class Literal:
    value: int | str | bool


@dataclass(frozen=True, slots=True)
class Reference:
    """A variable or a constant; if `message` is set, a field of the event's message or method."""

    name: str
    message: bool = False


@dataclass(frozen=True, slots=True)
class SizeOf:
    message: str


@dataclass(frozen=True, slots=True)
class Apply:
    """An operator with its operands: one for `not`, two for every other operator."""

    operator: str
    operands: tuple[Node, ...]


Node = Literal | Reference | SizeOf | Apply


class SyntaxFault(Exception):  # noqa: N818 (the model's, not ours)
    """The text is not an expression. `column` counts from 1."""

    def __init__(self, message: str, column: int) -> None:
        super().__init__(message)
        self.column = column


DEPTH_MAX = 100
"""The maximum nesting of operators; compilers of some languages accept at most 256 nested parentheses."""

_WORDS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}


@lru_cache(maxsize=1)
def _parser() -> Lark:
    text = files(__package__).joinpath("expressions.lark").read_text(encoding="utf-8")
    return Lark(text, parser="lalr", lexer="contextual")


def parse_expression(text: str) -> Node:
    """Parses an expression. Raises SyntaxFault, also beyond 4096 characters or DEPTH_MAX nested operators."""
    if len(text) > 4096:
        raise SyntaxFault("the expression is longer than 4096 characters", 4097)
    try:
        node = _node(_parser().parse(text))
        if _depth(node) > DEPTH_MAX:
            raise RecursionError
        return node
    except UnexpectedInput as error:
        column = error.column if isinstance(error.column, int) and error.column > 0 else len(text) + 1
        rest = text[column - 1 :].strip()
        where = f"at {rest[:20]!r}" if rest else "at the end"
        raise SyntaxFault(f"not an expression: unexpected {where}", column) from None
    except RecursionError:
        raise SyntaxFault("the expression is nested too deeply", 1) from None


def _depth(node: Node) -> int:
    """The maximum nesting of operators."""
    deepest, open_ = 0, [(node, 0)]
    while open_:
        inner, depth = open_.pop()
        deepest = max(deepest, depth)
        if isinstance(inner, Apply):
            open_ += [(operand, depth + 1) for operand in inner.operands]
    return deepest


def _node(tree: Tree[Token] | Token) -> Node:
    assert isinstance(tree, Tree)
    children = tree.children
    kind = str(tree.data)
    if kind in ("disjunction", "conjunction"):
        return _chain("or" if kind == "disjunction" else "and", [_node(child) for child in children])
    if kind == "negation":
        return Apply("not", (_node(children[0]),))
    if kind == "comparison":
        operator = str(children[1])
        return Apply(_WORDS.get(operator, operator), (_node(children[0]), _node(children[2])))
    if kind == "sum":
        node = _node(children[0])
        for sign, operand in zip(children[1::2], children[2::2], strict=True):
            node = Apply(str(sign), (node, _node(operand)))
        return node
    return _atom(kind, children)


def _atom(kind: str, children: list[Tree[Token] | Token]) -> Node:
    text = str(children[0]) if children else ""
    if kind == "number":
        return Literal(int(text, 0) if text.lower().startswith("0x") else int(text))
    if kind == "string":
        return Literal(text[1:-1])
    if kind in ("true", "false"):
        return Literal(kind == "true")
    if kind == "size":
        return SizeOf(text)
    return Reference(text, message=kind == "field")


def _chain(operator: str, nodes: list[Node]) -> Node:
    node = nodes[0]
    for other in nodes[1:]:
        node = Apply(operator, (node, other))
    return node
