"""ABNF: RFC 5234, RFC 7405 and zproto's dialect."""

from __future__ import annotations

import pytest

from zeps_codegen.report import Report
from zeps_codegen.source.abnf import (
    Alternation,
    Chars,
    Concatenation,
    Element,
    Grammar,
    Numbers,
    Prose,
    Reference,
    Repetition,
    parse_grammar,
    walk,
)

A, B, C = Reference("a"), Reference("b"), Reference("c")


def parse(text: str) -> tuple[Grammar, list[tuple[int, str]]]:
    report = Report()
    grammar = parse_grammar(text, "f.abnf", report)
    return grammar, [(item.line, item.code) for item in report.diagnostics]


@pytest.mark.parametrize(
    ("text", "element"),
    [
        ("a b", Concatenation((A, B))),
        ("a / b c", Alternation((A, Concatenation((B, C))))),
        ("a (b / c)", Concatenation((A, Alternation((B, C))))),
        ("((a))", A),
        ("[a b]", Repetition(Concatenation((A, B)), 0, 1)),
        ("*a", Repetition(A, 0, None)),
        ("1*a", Repetition(A, 1, None)),
        ("*2a", Repetition(A, 0, 2)),
        ("1*2(a b)", Repetition(Concatenation((A, B)), 1, 2)),
        ("4OCTET", Repetition(Reference("OCTET"), 4, 4)),
        ("2 a", Repetition(A, 2, 2)),
        ("%d13", Numbers((13,))),
        ("%d13.10", Numbers((13, 10))),
        ("%x41-5A", Numbers((0x41,), 0x5A)),
        ("%XaA %b1010", Concatenation((Numbers((0xAA,)), Numbers((10,))))),
        ('"text;/"', Chars("text;/")),
        ('%s"Text" %i"Text"', Concatenation((Chars("Text", True), Chars("Text")))),
        ("<free prose>", Prose("free prose")),
        (
            "C:ATTACH (S:ATTACH-OK / error)",
            Concatenation(
                (Reference("ATTACH", "C"), Alternation((Reference("ATTACH-OK", "S"), Reference("error"))))
            ),
        ),
    ],
)
def test_elements(text: str, element: Element) -> None:
    grammar, reported = parse(f"rule = {text} ; a comment\n")
    assert reported == []
    assert grammar.rules[0].element == element
    assert [item.text for item in grammar.rules[0].beside] == ["a comment"]


def test_rules_need_no_indentation_and_know_their_lines() -> None:
    grammar, reported = parse(
        "; above\n\n    one = a\n  / b ; beside\n    ; within\n   / c\n two =/ c\n; end"
    )
    assert reported == []
    one, two = grammar.rules
    assert (one.name, one.line, two.line, one.more, two.more) == ("one", 3, 7, False, True)
    assert one.element == Alternation((A, B, C))
    assert [item.line for item in walk(one.element) if isinstance(item, Reference)] == [3, 4, 6]
    assert [(item.text, item.line) for item in one.above] == [("above", 1)]
    assert [(item.text, item.line) for item in one.beside] == [("beside", 4), ("within", 5)]
    assert grammar.named("ONE") == (one,)


def test_one_bad_rule_does_not_hide_the_others() -> None:
    grammar, reported = parse("stray\nok = a\nbad = ( a\n  / ] b\nempty =\nfine = b\n")
    assert [rule.name for rule in grammar.rules] == ["ok", "fine"]
    assert reported == [(1, "ZC502"), (4, "ZC501"), (5, "ZC501")]


def test_the_dialect_is_read_and_said_to_be_one() -> None:
    grammar, reported = parse("a_b = c:HELLO\n    | S:WORLD\n")
    assert grammar.rules[0].element == Alternation((Reference("HELLO", "c"), Reference("WORLD", "S")))
    assert sorted(reported) == [(1, "ZC130"), (1, "ZC132"), (2, "ZC131")]
    _, reported = parse('x = "a|b" <c|d> ; e|f\n')
    assert reported == []


def test_deep_nesting_is_an_error_and_no_crash() -> None:
    _, reported = parse("deep = " + "(" * 5000 + "a" + ")" * 5000)
    assert [code for _, code in reported] in ([], ["ZC501"])


def test_a_message_rule_may_have_a_role() -> None:
    grammar, _ = parse("C:HELLO = signature %d1\n")
    assert (grammar.rules[0].name, grammar.rules[0].role) == ("HELLO", "C")
