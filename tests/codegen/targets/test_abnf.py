"""Generated grammars: valid by RFC 5234 (and 7405), unique names, and agreement with encoded frames."""

from __future__ import annotations

import re

import pytest
from campaigns import sized
from hypothesis import given, settings
from hypothesis import strategies as st
from programs import BUNDLE, ROOT
from random_protocols import generated, messages, plans, protocols

from zeps_codegen.ir import Field, FieldType, Literal, Message, Protocol, Send
from zeps_codegen.targets.abnf import print_abnf

CORE = set("ALPHA BIT CHAR CR CRLF CTL DIGIT DQUOTE HEXDIG HTAB LF LWSP OCTET SP VCHAR WSP".lower().split())

# The grammar of ABNF itself, as regular expressions over one rule's text without comments.
NAME = r"[A-Za-z][A-Za-z0-9-]*"
TERMINAL = (
    r'%x[0-9A-F]+(?:(?:\.[0-9A-F]+)+|-[0-9A-F]+)?|%d[0-9]+(?:(?:\.[0-9]+)+|-[0-9]+)?|(?:%s)?"[ -!#-~]*"'
)
REPEATED = rf"(?P<name>{NAME})|(?P<terminal>{TERMINAL})|(?P<open>[(\[])"
TOKEN = re.compile(rf"(?P<repeat>[0-9]*\*[0-9]*|[0-9]+)?(?:{REPEATED})|(?P<close>[)\]])|(?P<bar>/)")


def rules_of(text: str) -> dict[str, str]:
    """The rules by name; everything in the text is a rule, a comment, a continuation or blank."""
    rules: dict[str, str] = {}
    name = ""
    for line in text.splitlines():
        assert line.isascii()
        code = re.sub(
            r";.*$", "", re.sub(r'"[^"]*"', lambda match: match.group().replace(";", ":"), line)
        ).rstrip()
        match = re.match(rf"({NAME}) *= (.*)$", code)
        if match:
            name = match.group(1)
            assert name.lower() not in {known.lower() for known in rules}, f"{name} is there twice"
            rules[name] = match.group(2)
        elif code:
            assert code[0] == " ", line
            rules[name] += code
    return rules


def check(text: str) -> dict[str, str]:
    """The rules of a grammar, which must be valid ABNF without undefined names."""
    rules = rules_of(text)
    known = {name.lower() for name in rules} | CORE
    for name, body in rules.items():
        assert name.lower() not in CORE
        brackets: list[str] = []
        at, need = 0, True
        while at < len(body):
            if body[at] == " ":
                at += 1
                continue
            token = TOKEN.match(body, at)
            assert token is not None, f"{name}: {body[at:]}"
            at = token.end()
            if token["name"]:
                assert token["name"].lower() in known, f"{name}: {token['name']} is not a rule"
            if token["open"]:
                brackets.append(")" if token["open"] == "(" else "]")
            if token["close"]:
                assert brackets.pop() == token["close"]
            if token["bar"]:
                assert not need, f"{name}: nothing before /"
            need = bool(token["bar"] or token["open"])
        assert not need, f"{name} ends too early"
        assert not brackets, f"{name}: a bracket is open"
    return rules


@pytest.mark.parametrize("protocol", BUNDLE.protocols, ids=lambda protocol: protocol.name)
def test_our_grammars_are_valid(protocol: Protocol) -> None:
    text = print_abnf(protocol)
    assert text.encode() == (ROOT / "generated" / "grammar" / f"{protocol.name}.abnf").read_bytes()
    check(text)


def test_a_message_and_its_field_do_not_collide() -> None:
    rules = check(print_abnf(BUNDLE.protocol("zeps")))
    assert rules["CREDIT"] == "signature %d5 credit-credit"
    assert rules["credit-credit"] == "number-8"
    assert rules["attach-protocol"] == '%x04 %s"ZEPS"'
    assert rules["C-ATTACH"] == "ATTACH"


def test_names_that_would_collide_are_told_apart() -> None:
    fields = (Field("ok", FieldType.NUMBER), Field("ok_field", FieldType.NUMBER))
    both = (Message("ATTACH", 1, fields), Message("ATTACH-OK", 2, ()), Message("STRING", 3, ()))
    protocol = Protocol("toy", "Toy", BUNDLE.protocols[0].dispatch.SIGNATURE, 1, 1, both)
    rules = check(print_abnf(protocol))
    assert rules["ATTACH"] == "signature %d1 attach-ok-field attach-ok-field-field"
    assert "STRING-MESSAGE" in rules


def test_a_rule_says_what_a_fields_text_holds() -> None:
    rules = check(print_abnf(BUNDLE.protocol("zeps")))
    assert rules["INVALID"] == "signature %d12 invalid-reason-field"
    assert rules["invalid-reason-field"] == "number-1 invalid-reason"
    assert rules["invalid-reason"] == "code [ SP first SP last ] SP text"


def test_only_text_that_is_free_has_a_rule_for_what_it_holds() -> None:
    session = "session = C:PUT\nput-key = 1*VCHAR\nput-number = 1*VCHAR\nput-kind = 1*VCHAR\n"
    fields = (
        Field("key", FieldType.STRING, 4),
        Field("number", FieldType.NUMBER, 2),
        Field("kind", FieldType.STRING, value="x"),
    )
    put = Message("PUT", 1, fields)
    protocol = Protocol("toy", "Toy", BUNDLE.protocols[0].dispatch.SIGNATURE, 1, 1, (put,), grammar=session)
    rules = check(print_abnf(protocol))
    assert rules["PUT"] == "signature %d1 put-key-field put-number-field put-kind-field"
    assert rules["put-key-field"] == "number-4 put-key"
    assert rules["put-number-field"] == "number-2"
    assert rules["put-kind-field"] == '%x01 %s"x"'


@settings(max_examples=sized(25, 800))
@given(protocols())
def test_any_protocols_grammar_is_valid(protocol: Protocol) -> None:
    check(print_abnf(protocol))


# --- the language of the grammar

_CLASS = {"OCTET": b"[\x00-\xff]", "VCHAR": b"[\x21-\x7e]", "SP": b"[ ]", "DIGIT": b"[0-9]"}


def as_expression(rules: dict[str, str], name: str) -> bytes:
    """A regular expression for a rule; lengths and counts are not checked."""
    parts: list[bytes] = []
    repeats: list[str | None] = []
    body, at = rules[name], 0
    while at < len(body):
        if body[at] == " ":
            at += 1
            continue
        token = TOKEN.match(body, at)
        assert token is not None
        at = token.end()
        if token["name"]:
            item = _CLASS.get(token["name"]) or as_expression(rules, token["name"])
        elif token["terminal"]:
            item = _terminal(token["terminal"])
        elif token["open"]:
            parts.append(b"(?:")
            repeats.append(token["repeat"])
            continue
        elif token["bar"]:
            parts.append(b"|")
            continue
        else:
            parts.append((b")" if token["close"] == ")" else b")?") + _repeat(repeats.pop()))
            continue
        parts.append(item + _repeat(token["repeat"]))
    return b"(?:" + b"".join(parts) + b")"


def _terminal(text: str) -> bytes:
    if text.endswith('"'):
        return b"(?:" + re.escape(text.removeprefix("%s")[1:-1].encode()) + b")"
    base, values = (16 if text[1] == "x" else 10), text[2:]
    if "-" in values:
        first, last = (b"\\x%02x" % int(value, base) for value in values.split("-"))
        return b"[" + first + b"-" + last + b"]"
    return b"(?:" + b"".join(b"\\x%02x" % int(value, base) for value in values.split(".")) + b")"


def _repeat(text: str | None) -> bytes:
    if not text:
        return b""
    if "*" not in text:
        return b"{%s}" % text.encode()
    least, most = text.split("*")
    return b"{%s,%s}" % ((least or "0").encode(), most.encode())


ZEPS = BUNDLE.protocol("zeps")
CODES = {member.value for enumeration in ZEPS.enumerations for member in enumeration.members}
SERVER = next(machine for machine in BUNDLE.machines if machine.name == "zeps_server")
#: Those that the server machine itself gives.
REASONS = [
    str(value.value)
    for row in SERVER.transitions
    for step in row.steps
    if isinstance(step, Send) and step.message == "INVALID"
    for _, value in step.fields
    if isinstance(value, Literal)
]


@pytest.mark.parametrize(
    "reason", ["retention 3 238 they are gone", "bad-pattern (", "damage 7 9 x", "damage 7 9 x\xe9", *REASONS]
)
def test_reasons_have_the_form_that_the_grammar_gives(reason: str) -> None:
    rules = check(print_abnf(ZEPS))
    octets = reason.encode()
    frame = b"\xaa\xa5\x0c" + bytes([len(octets)]) + octets
    assert re.fullmatch(as_expression(rules, "INVALID"), frame, re.DOTALL)
    assert reason.split()[0] in CODES


@pytest.mark.parametrize("reason", ["", "damage", "damage ", "Damage x", "damage x\t", "damage x\x7f"])
def test_other_reasons_do_not(reason: str) -> None:
    expression = as_expression(check(print_abnf(ZEPS)), "invalid-reason")
    assert not re.fullmatch(expression, reason.encode(), re.DOTALL)


SIMPLE = {
    FieldType.NUMBER,
    FieldType.STRING,
    FieldType.CHUNK,
    FieldType.UUID,
    FieldType.OCTETS,
    FieldType.REST,
}


@settings(max_examples=sized(20, 600))
@given(st.data())
def test_what_is_encoded_is_of_the_grammar(data: st.DataObject) -> None:
    simple = protocols().filter(
        lambda candidate: all(f.type in SIMPLE for m in candidate.messages for f in m.fields)
    )
    protocol = data.draw(simple)
    rules = check(print_abnf(protocol))
    with generated(protocol) as module:
        for plan in plans(protocol).values():
            frame = data.draw(messages(module, plan)).encode()
            name = next(rule for rule in rules if rule.upper() == plan.message.name.upper())
            assert re.fullmatch(as_expression(rules, name), frame, re.DOTALL), (rules[name], frame)
