"""Conversion of grammars to models: that of the ZEPS README, and errors in others."""

from __future__ import annotations

from pathlib import Path

import pytest

from zeps_codegen.ir import Message, Protocol
from zeps_codegen.load import load, load_bundle
from zeps_codegen.source.grammar_import import import_grammar

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
README = HERE / "grammars" / "zeps-readme.abnf"

BASE = """
signature = %xAA %xA5
string    = number-1 *VCHAR
number-1  = 1OCTET
number-2  = 2OCTET
number-4  = 4OCTET
"""


def wire(message: Message) -> tuple[object, ...]:
    """The parts of a message that affect the wire."""
    fields = tuple((item.name, item.type, item.size, item.signed, item.value) for item in message.fields)
    return message.name, message.id, fields


def imported(text: str, tmp_path: Path) -> Protocol:
    model, diagnostics = import_grammar(text, "g.abnf")
    assert model is not None, diagnostics
    path = tmp_path / "model.xml"
    path.write_text(model, encoding="utf-8")
    return load_bundle([path]).protocols[0]


def findings(text: str) -> list[tuple[int, str]]:
    _, diagnostics = import_grammar(text, "g.abnf")
    return [(item.line, item.code) for item in diagnostics]


def test_the_readmes_grammar_is_the_wire_format_of_our_model(tmp_path: Path) -> None:
    """Includes constants: the comments `Constant "ZEPS"` and `Protocol version 1` have their values."""
    protocol = imported(README.read_text(encoding="utf-8"), tmp_path)
    ours = load_bundle([ROOT / "protocol" / "zeps.xml"]).protocol("zeps")
    assert (protocol.name, protocol.signature, protocol.dispatch) == (
        ours.name,
        ours.signature,
        ours.dispatch,
    )
    assert [wire(item) for item in protocol.messages] == [wire(item) for item in ours.messages]


def test_the_readmes_double_names_are_findings_and_no_failure() -> None:
    text = README.read_text(encoding="utf-8")
    model, diagnostics = import_grammar(text, "g.abnf")
    assert model is not None
    lines = text.splitlines()
    twice = [(item.code, lines[item.line - 1].split()[0]) for item in diagnostics if "80" in item.code]
    from_comments = [("ZC808", "protocol"), ("ZC808", "version")]
    assert twice == [*from_comments, ("ZC803", "credit"), ("ZC802", "key"), ("ZC802", "body")]


def test_the_readmes_session_grammar_leaves_a_message_out(tmp_path: Path) -> None:
    model, _ = import_grammar(README.read_text(encoding="utf-8"), "g.abnf")
    path = tmp_path / "zeps.xml"
    path.write_text(model or "", encoding="utf-8")
    _, diagnostics = load([path])
    assert [(item.code, item.message.split()[0]) for item in diagnostics] == [("ZC510", "DETACH-OK")]


def test_all_kinds_of_fields(tmp_path: Path) -> None:
    protocol = imported(
        BASE
        + """
big = signature %d1 big-one big-two key uid tags map frame words magic name long count rest
big-one = number-4
big-two = 4OCTET
key = number-2 *OCTET
uid = uuid
tags = strings
map = hash
words = longstr
longstr = number-4 *VCHAR
magic = %x01.02.03
name = %d4 %s"ZEPS"
long = %x00.00.00.02 "ok"
count = %x00.07
rest = msg
""",
        tmp_path,
    )
    fields = [(item.name, item.type.value, item.size, item.value) for item in protocol.messages[0].fields]
    assert fields == [
        ("one", "number", 4, None),
        ("two", "octets", 4, None),
        ("key", "chunk", 2, None),
        ("uid", "uuid", 16, None),
        ("tags", "strings", 4, None),
        ("map", "hash", 4, None),
        ("words", "string", 4, None),
        ("magic", "octets", 3, b"\x01\x02\x03"),
        ("name", "string", 1, "ZEPS"),
        ("long", "string", 4, "ok"),
        ("count", "number", 2, 7),
        ("frame", "frame", 0, None),  # frames of their own follow the first
        ("rest", "msg", 0, None),
    ]


def test_a_field_that_is_there_again_belongs_to_the_message_before_it(tmp_path: Path) -> None:
    text = BASE + "a = signature %d1 x\nx = number-2\nb = signature %d2 x\nx = number-4\n"
    assert findings(text) == [(10, "ZC804")]
    protocol = imported(text, tmp_path)
    assert [item.fields[0].size for item in protocol.messages] == [2, 4]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = ( b\n", [(0, "ZC805"), (1, "ZC801")]),
        ("a = b\nb = c\n", [(0, "ZC805")]),
        (BASE + "a = signature %d1 ( x / y )\nx = number-1\n", [(7, "ZC806")]),
        (BASE + "a = signature %d1 nowhere\n", [(7, "ZC806")]),
        (BASE + "a = signature %d1\nb = %xAA %xA6 %d2\n", [(8, "ZC807")]),
        (BASE + "a = signature %d1 a\na = a\n", [(7, "ZC806"), (8, "ZC803")]),
        ("", [(0, "ZC805")]),
    ],
)
def test_what_cannot_be_imported(text: str, expected: list[tuple[int, str]]) -> None:
    model, _ = import_grammar(text, "g.abnf")
    assert model is None
    assert findings(text) == expected


def test_values_without_names_are_any_number_or_text(tmp_path: Path) -> None:
    text = (
        BASE
        + 'a = signature %d1 a-colour a-kind\na-colour = %x00.01 / %x00.05\na-kind = %d2 "ab" / %d1 "c"\n'
    )
    assert findings(text) == [(8, "ZC809"), (9, "ZC809")]
    message = imported(text, tmp_path).messages[0]
    fields = [(item.name, item.type.value, item.size) for item in message.fields]
    assert fields == [("colour", "number", 2), ("kind", "string", 1)]
