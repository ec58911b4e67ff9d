"""Model to grammar to model: the result equals the original, for our models and for random ones."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from campaigns import sized
from hypothesis import given, settings
from hypothesis import strategies as st

from zeps_codegen.ir import Dispatch, Field, FieldType, Message, Protocol, Text
from zeps_codegen.load import load_bundle
from zeps_codegen.model import fold
from zeps_codegen.passes.grammar import CORE_RULES
from zeps_codegen.report import Report
from zeps_codegen.source.abnf import parse_grammar
from zeps_codegen.source.grammar_import import import_grammar
from zeps_codegen.targets.abnf.target import print_abnf

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
MODELS = [
    ROOT / "protocol" / "zeps.xml",
    ROOT / "protocol" / "journal.xml",
    *(HERE / "models" / f"{name}.xml" for name in ("weather_proto", "ticker_proto", "everything")),
]


def there_and_back(protocol: Protocol) -> Protocol:
    """The protocol that `import` creates from the grammar that `abnf` prints."""
    text = print_abnf(protocol)
    report = Report()
    parse_grammar(text, "g.abnf", report)
    assert report.diagnostics == [], "the printed text is plain ABNF, without a dialect"
    model, diagnostics = import_grammar(text, "g.abnf")
    assert model is not None, f"{diagnostics}\n{text}"
    assert not [item for item in diagnostics if item.code in ("ZC802", "ZC803", "ZC804")], "names are unique"
    with TemporaryDirectory() as folder:
        path = Path(folder, "model.xml")
        path.write_text(model, encoding="utf-8")
        return load_bundle([path]).protocols[0]


def constant_bytes(field: Field) -> object:
    """The encoding of a constant: a grammar has only its bytes."""
    if field.value is None:
        return None
    if isinstance(field.value, int):
        return field.value.to_bytes(field.size, "big", signed=field.signed)
    value = field.value.encode() if isinstance(field.value, str) else field.value
    if field.type in (FieldType.STRING, FieldType.CHUNK):
        return len(value).to_bytes(field.size, "big") + value
    return value


def shape(field: Field | None) -> tuple[object, ...]:
    """The parts of a field that a grammar and its comments have."""
    if field is None:
        return ()
    if field.value is not None:
        return ("constant", constant_bytes(field))
    signed = field.signed and field.type is not FieldType.LIST
    counted = (field.max, field.count, field.length, field.derived, field.reserved)
    return (field.type, field.size, signed, *counted, shape(field.items))


def wire(protocol: Protocol) -> list[object]:
    numbered = protocol.dispatch not in (Dispatch.CONSTANT, Dispatch.NAME)
    return [
        (fold(item.name), item.id if numbered else 0, [(field.name, shape(field)) for field in item.fields])
        for item in protocol.messages
    ]


def assert_comes_back(protocol: Protocol) -> Protocol:
    """Asserts that the imported protocol has the same wire format, and returns it."""
    returned = there_and_back(protocol)
    assert (returned.dispatch, returned.signature) == (protocol.dispatch, protocol.signature)
    assert wire(returned) == wire(protocol)
    return returned


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_the_wire_format_comes_back(path: Path) -> None:
    returned = assert_comes_back(load_bundle([path]).protocols[0])
    assert wire(there_and_back(returned)) == wire(returned)


@pytest.mark.parametrize("path", MODELS[:3], ids=lambda path: path.stem)
def test_the_session_grammar_comes_back(path: Path) -> None:
    protocol = load_bundle([path]).protocols[0]
    grammars = [parse_grammar(item.grammar, "g", Report()) for item in (protocol, there_and_back(protocol))]
    first, second = ([(rule.name, rule.element) for rule in grammar.rules] for grammar in grammars)
    assert first == second


def test_text_classes_and_docs_come_back() -> None:
    protocol = load_bundle([ROOT / "protocol" / "zeps.xml"]).protocols[0]
    returned = there_and_back(protocol)
    for ours, theirs in zip(protocol.messages, returned.messages, strict=True):
        assert theirs.doc == ours.doc
        for our_field, their_field in zip(ours.fields, theirs.fields, strict=True):
            assert their_field.doc == our_field.doc
            if our_field.type is FieldType.STRING and our_field.value is None:
                assert their_field.text is Text.PRINTABLE


CONTENTS = st.lists(
    st.sampled_from(['"x"', "letter", "1*DIGIT", "[ SP VCHAR ]", "%x21-7E", "( ALPHA / DQUOTE )", '*" "']),
    min_size=1,
)


@settings(max_examples=sized(20, 300))
@given(CONTENTS, st.sampled_from([1, 4]))
def test_the_rule_that_says_what_a_text_holds_comes_back(content: list[str], size: int) -> None:
    """Includes the rules that it uses; the field has the narrowest class of text."""
    narrowest = Text.PRINTABLE if {"[ SP VCHAR ]", '*" "'} & {*content} else Text.VCHAR
    fields = (
        Field("key", FieldType.STRING, size, text=narrowest, doc="Its key"),
        Field("n", FieldType.NUMBER),
    )
    others = (Field("a", FieldType.STRING, text=Text.PRINTABLE), Field("b", FieldType.STRING, text=Text.UTF8))
    messages = (Message("PUT", 1, fields), Message("OTHER", 2, others))
    grammar = f"session = *( C:PUT / C:OTHER )\nput-key = {' '.join(content)}\n"
    grammar += "letter = %x61-7A\n" * ("letter" in content)
    returned = there_and_back(Protocol("p", "P", Dispatch.SIGNATURE, 0, 1, messages, grammar=grammar))
    assert returned.grammar.split() == grammar.split()
    assert (returned.messages[0].fields[0].text, returned.messages[0].fields[0].doc) == (narrowest, "Its key")
    assert (
        wire(there_and_back(returned))
        == wire(returned)
        == wire(Protocol("p", "P", Dispatch.SIGNATURE, 0, 1, messages))
    )


@pytest.mark.parametrize(
    "content", ["*OCTET", "1*HTAB", "%x00-20", "<whatever>", "put-key", "missing", "1*utf8"]
)
def test_a_rule_for_text_that_is_none_is_no_field(content: str) -> None:
    text = f"PUT = %xAA.A1 %d1 put-key-field\nput-key-field = number-1 put-key ; called key\nput-key = {content}\n"
    model, diagnostics = import_grammar(text, "g.abnf")
    assert (model, [(diagnostic.line, diagnostic.code) for diagnostic in diagnostics][-1:]) == (
        None,
        [(1, "ZC806")],
    )


def test_a_rule_for_text_is_called_after_message_and_field() -> None:
    """A rule with another name is not kept."""
    text = "PUT = %xAA.A1 %d1 put-key\nput-key = number-1 other\nother = 1*VCHAR\n"
    model, diagnostics = import_grammar(text, "g.abnf")
    assert (model, [(diagnostic.line, diagnostic.code) for diagnostic in diagnostics]) == (
        None,
        [(1, "ZC806")],
    )


SHARED = "string number_4 signature octet topic vchar digit hash number dictionary"  # names of rules
LIKELY = "a key key_body body c_key key_field a_key key_message octet_message utf8"
MESSAGES = st.sampled_from([*LIKELY.split(), *SHARED.split()])
NAMES = MESSAGES | st.sampled_from(["tail", "utf_8", "printable", "x_2", "x_4", "message", "field"])
SIZES = st.sampled_from([1, 2, 4, 8])
TEXTS = st.sampled_from([Text.UTF8, Text.PRINTABLE, Text.VCHAR])
WORDS = st.text(st.characters(codec="ascii", categories=["L", "N"]), max_size=8)


def plain(name: str) -> st.SearchStrategy[Field]:
    return st.one_of(
        st.builds(Field, st.just(name), st.just(FieldType.NUMBER), SIZES, st.booleans()),
        st.builds(Field, st.just(name), st.just(FieldType.STRING), st.sampled_from([1, 4]), text=TEXTS),
        st.builds(Field, st.just(name), st.just(FieldType.CHUNK), SIZES, max=st.none() | st.integers(1, 255)),
        st.builds(Field, st.just(name), st.just(FieldType.OCTETS), st.integers(1, 40)),
        st.builds(Field, st.just(name), st.just(FieldType.VARINT), signed=st.booleans()),
        st.just(Field(name, FieldType.UUID, 16)),
    )


def items() -> st.SearchStrategy[Field]:
    """Items of a list, which have no limit of their own."""
    return plain("item").map(lambda item: dataclasses.replace(item, max=None))


def constants(name: str) -> st.SearchStrategy[Field]:
    number = SIZES.flatmap(
        lambda size: st.integers(0, 256**size - 1).map(lambda v: Field(name, FieldType.NUMBER, size, value=v))
    )
    text = st.builds(Field, st.just(name), st.just(FieldType.STRING), st.sampled_from([1, 4]), value=WORDS)
    raw = st.binary(min_size=1, max_size=12).map(lambda v: Field(name, FieldType.OCTETS, len(v), value=v))
    return number | text | raw


def fields(name: str) -> st.SearchStrategy[Field]:
    lists = st.builds(Field, st.just(name), st.just(FieldType.LIST), SIZES, items=items())
    many = st.builds(
        Field, st.just(name), st.sampled_from([FieldType.STRINGS, FieldType.HASH]), st.just(4), text=TEXTS
    )
    kinds = st.sampled_from([FieldType.NUMBER, FieldType.OCTETS])
    reserved = st.builds(Field, st.just(name), kinds, SIZES, reserved=st.just(True))
    return plain(name) | constants(name) | lists | many | reserved


def open_ended(name: str) -> st.SearchStrategy[Field]:
    """Items until the end of the frame."""
    kind = st.sampled_from([FieldType.LIST, FieldType.STRINGS, FieldType.HASH])
    many = st.builds(Field, st.just(name), kind, st.just(0), text=TEXTS, max=st.none() | st.integers(1, 9))
    return many.flatmap(
        lambda field: (
            items().map(lambda item: dataclasses.replace(field, items=item))
            if field.type is FieldType.LIST
            else st.just(field)
        )
    )


@st.composite
def protocols(draw: st.DrawFn) -> Protocol:
    """Small protocols with names that are likely to clash."""
    messages = []
    for number, name in enumerate(draw(st.lists(MESSAGES, min_size=1, max_size=3, unique=True)), start=1):
        inner = draw(st.lists(NAMES, max_size=4, unique=True))
        parts = [draw(fields(item)) for item in inner]
        if inner and draw(st.booleans()):
            parts[-1] = draw(open_ended(inner[-1]))
        messages.append(Message(name.upper().replace("_", "-"), number, tuple(parts)))
    known = [Dispatch.SIGNATURE, Dispatch.OCTET, Dispatch.NAME]
    if not any(field.name == "topic" for message in messages for field in message.fields):
        known.append(Dispatch.PUBSUB)
    alone = len(messages) == 1 and bool(messages[0].fields)
    dispatch = draw(st.sampled_from([*known, Dispatch.CONSTANT] if alone else known))
    signature = draw(st.integers(0, 15)) if dispatch is Dispatch.SIGNATURE else 0
    return Protocol("p", "P", dispatch, signature, 1, tuple(messages))


@settings(max_examples=sized(30, 1000))
@given(protocols())
def test_random_protocols_come_back(protocol: Protocol) -> None:
    assert_comes_back(protocol)


def assert_single(protocol: Protocol) -> None:
    """Asserts that the printed grammar has each rule once, and no core rule of RFC 5234."""
    names = [rule.name.lower() for rule in parse_grammar(print_abnf(protocol), "g.abnf", Report()).rules]
    assert len(names) == len(set(names))
    assert not CORE_RULES & set(names)


@settings(max_examples=sized(15, 500))
@given(protocols())
def test_each_rule_stands_once_and_none_is_a_core_rule(protocol: Protocol) -> None:
    assert_single(protocol)


@pytest.mark.parametrize("dispatch", [Dispatch.SIGNATURE, Dispatch.NAME, Dispatch.PUBSUB, Dispatch.OCTET])
@pytest.mark.parametrize(
    "name",
    ["OCTET", "TOPIC", "STRING", "VCHAR", "DIGIT", "NUMBER-4", "UUID", "C-TOPIC-TAIL", "TOPIC-SESSION"],
)
def test_a_message_named_like_another_rule_keeps_its_name(name: str, dispatch: Dispatch) -> None:
    """The rule gets another name, a comment has the message's name, and the session grammar is unchanged."""
    field = Field("subject" if dispatch is Dispatch.PUBSUB else "topic", FieldType.NUMBER, 4, doc="Counts")
    messages = (Message(name, 1, (field,), doc="Says so."), Message("TOPIC-TAIL", 2, (field,)))
    grammar = f"topic-session = C:{name} S:{name} C:TOPIC-TAIL\n"
    protocol = Protocol("p", "P", dispatch, 0, 1, messages, grammar=grammar)
    assert_single(protocol)
    returned = assert_comes_back(protocol)
    assert (returned.messages[0].doc, returned.messages[0].fields[0].doc) == ("Says so.", "Counts")
    assert returned.grammar.split() == grammar.split()


@pytest.mark.parametrize(
    ("body", "attributes"),
    [
        ("*( string longstr )", {"type": "hash", "count": "rest"}),
        ("*property", {"type": "hash", "count": "rest"}),
        ("*( short long )", {"type": "hash", "count": "rest", "text": "octets"}),
        ("*longstr", {"type": "list", "of": "longstr", "count": "rest"}),
        ("*number-2", {"type": "list", "of": "number", "size": "2", "count": "rest"}),
    ],
)
def test_what_goes_on_to_the_end_is_seen_without_a_comment(body: str, attributes: dict[str, str]) -> None:
    text = (
        f"A = %xAA.A1 %d1 a-all\na-all = {body}\nproperty = string longstr\n"
        "string = number-1 *VCHAR\nlongstr = number-4 *VCHAR\nshort = number-1 *OCTET\nlong = number-4 *OCTET\n"
    )
    model, _ = import_grammar(text, "g.abnf")
    assert model is not None
    spelled = " ".join(f'{name}="{value}"' for name, value in attributes.items())
    field_line = next(line for line in model.splitlines() if 'name="all"' in line)
    assert all(part in field_line for part in spelled.split()), field_line
    refused, _ = import_grammar(
        text.replace("a-all\n", "a-all a-after\n", 1) + "a-after = number-1\n", "g.abnf"
    )
    assert refused is None, "it has to be the last"


@pytest.mark.parametrize("kind", [FieldType.NUMBER, FieldType.VARINT])
def test_signed_items_of_a_list_come_back_signed(kind: FieldType) -> None:
    item = Field("item", kind, 2 if kind is FieldType.NUMBER else 0, True)
    many = Field("many", FieldType.LIST, 4, items=item)
    returned = there_and_back(Protocol("p", "P", Dispatch.SIGNATURE, 0, 1, (Message("A", 1, (many,)),)))
    items = returned.messages[0].fields[0].items
    assert items is not None
    assert items.signed
