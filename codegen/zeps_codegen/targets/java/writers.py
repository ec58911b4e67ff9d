"""The writer class of a message: takes its values where they lie, and encodes them without making a record."""

from __future__ import annotations

from dataclasses import dataclass

from .encode import Encoder, Span, encoder
from .members import Member
from .message import Message, Slot, reach
from .names import Imports, javadoc, join_doc, local_scope, sentence

__all__ = ["Setter", "WriterView", "writer_of"]

_PART = [
    "@param octets the array",
    "@param offset where they begin",
    "@param length how many there are",
    "@return this",
    "@throws IndexOutOfBoundsException if the array has no such part",
]


@dataclass(frozen=True, slots=True)
class Setter:
    doc: list[str]
    name: str
    parameters: str
    statements: list[str]


@dataclass(frozen=True, slots=True)
class WriterView:
    """The values of the message to come, the methods that take them, and what encodes them."""

    fields: list[Member]
    setters: list[Setter]
    encoder: Encoder


def writer_of(message: Message, imports: Imports) -> WriterView:
    """The writer of a message that has a view: none of its values is a list."""
    spans = _spans_of(message, imports)
    fields: list[Member] = []
    setters: list[Setter] = []
    for slot in message.shown:
        kind, name = message.type_of(slot, imports), slot.component
        if (span := spans.get(reach(name))) is not None:
            fields.append(Member([], "byte[]", name, " = NOTHING"))
            fields += [Member([], "int", span.at), Member([], "int", span.length)]
            setters += _of_span(slot, span, kind == "String", imports)
        else:
            fields.append(Member([], kind, name))
            doc = javadoc(_what(slot), tags=[f"@param {name} its value", "@return this"])
            setters.append(Setter(doc, name, f"{kind} {name}", [f"this.{name} = {name};", "return this;"]))
    return WriterView(fields, setters, encoder(message, imports, spans))


def _spans_of(message: Message, imports: Imports) -> dict[str, Span]:
    scope = local_scope(slot.component for slot in message.shown)
    return {
        reach(slot.component): Span(
            reach(slot.component), scope.name(f"{slot.component}At"), scope.name(f"{slot.component}Length")
        )
        for slot in message.shown
        if message.type_of(slot, imports) in ("String", "Octets")
    }


def _what(slot: Slot) -> str:
    return sentence(slot.field.doc, f"The message's {slot.component}")


def _of_span(slot: Slot, span: Span, textual: bool, imports: Imports) -> list[Setter]:
    """Octets are taken where they lie; a string as well, if they are text."""
    what, name = _what(slot), slot.component
    note = "Its octets in UTF-8, which are" if textual else "Its octets, which are"
    statements = [
        "Objects.checkFromIndexSize(offset, length, octets.length);",
        f"this.{name} = octets;",
        f"this.{span.at} = offset;",
        f"this.{span.length} = length;",
        "return this;",
    ]
    setters = [
        Setter(
            javadoc(
                join_doc(what, f"{note} looked at when the message is encoded, and not before."), tags=_PART
            ),
            name,
            "byte[] octets, int offset, int length",
            statements,
        ),
        Setter(
            javadoc(what, tags=["@param octets its octets, which are not copied", "@return this"]),
            name,
            f"{imports.use('Octets')} octets",
            [f"return {name}(octets.array(), octets.offset(), octets.length());"],
        ),
    ]
    if textual:
        tags = ["@param text a string, of which octets are made", "@return this"]
        made = [
            f"final byte[] octets = {imports.use('Text')}.octets(text);",
            f"return {name}(octets, 0, octets.length);",
        ]
        setters.append(Setter(javadoc(what, tags=tags), name, "String text", made))
    return setters
