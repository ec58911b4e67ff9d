"""The text of guards and values."""

from __future__ import annotations

import pytest

from zeps_codegen.source.expressions import (
    Apply,
    Literal,
    Node,
    Reference,
    SizeOf,
    SyntaxFault,
    parse_expression,
)

A, B, C = Reference("a"), Reference("b"), Reference("c")


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("a", A),
        ("0x1F", Literal(31)),
        ("007", Literal(7)),
        ("'it; \"is\"'", Literal('it; "is"')),
        ('""', Literal("")),
        ("true", Literal(True)),
        ("message.size", Reference("size", message=True)),
        ("size(ATTACH-OK)", SizeOf("ATTACH-OK")),
        ("a - b + c", Apply("+", (Apply("-", (A, B)), C))),
        ("a - (b + c)", Apply("-", (A, Apply("+", (B, C))))),
        ("a + 1 >= b", Apply(">=", (Apply("+", (A, Literal(1))), B))),
        ("a lt b", Apply("<", (A, B))),
        ("a or b and not c", Apply("or", (A, Apply("and", (B, Apply("not", (C,))))))),
        ("!a && b || c", Apply("or", (Apply("and", (Apply("not", (A,)), B)), C))),
        ("not a == b", Apply("not", (Apply("==", (A, B)),))),
        ("order + android", Apply("+", (Reference("order"), Reference("android")))),
    ],
)
def test_trees(text: str, node: Node) -> None:
    assert parse_expression(text) == node
    assert parse_expression(f"\n ( {text} )\t") == node


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("", 1),
        ("a +", 3),
        ("a == b == c", 8),
        ("message", 1),
        ("a b", 3),
        ("'open", 1),
        ("size()", 6),
        ("(a", 2),
    ],
)
def test_what_is_no_expression(text: str, column: int) -> None:
    with pytest.raises(SyntaxFault) as caught:
        parse_expression(text)
    assert caught.value.column == column


def test_length_and_depth_are_bounded() -> None:
    with pytest.raises(SyntaxFault, match="longer"):
        parse_expression("a + " * 2000 + "a")
    with pytest.raises(SyntaxFault):
        parse_expression("(" * 2000 + "a" + ")" * 1999)
