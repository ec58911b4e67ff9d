"""The view of a protocol's header and source: everything that the templates print, in C's terms."""

from __future__ import annotations

from dataclasses import dataclass

from ...ir import Constant, Dispatch, Enumeration, Field, Protocol
from ...naming import Scope, screaming, snake
from ...plan.layout import Layout, Place
from . import inline
from .lines import doc
from .names import LANGUAGE, MessageNames, Names, ProtocolNames, number, quoted
from .types import Tables, c_type

__all__ = ["CodecView", "members_of", "view_codec"]

_DISPATCH = {
    Dispatch.SIGNATURE: "WIRE_BY_SIGNATURE",
    Dispatch.PUBSUB: "WIRE_BY_OCTET",
    Dispatch.OCTET: "WIRE_BY_OCTET",
    Dispatch.CONSTANT: "WIRE_BY_CONSTANT",
    Dispatch.NAME: "WIRE_BY_NAME",
}


@dataclass(frozen=True, slots=True)
class Define:
    name: str
    value: str
    doc: list[str]


@dataclass(frozen=True, slots=True)
class EnumView:
    """`members` are enumerators, or macros if `type` is None."""

    type: str | None
    doc: list[str]
    members: list[Define]


@dataclass(frozen=True, slots=True)
class MemberView:
    type: str
    name: str
    doc: list[str]


@dataclass(frozen=True, slots=True)
class MessageView:
    names: MessageNames
    name: str
    doc: list[str]
    id: int
    number: int
    index: int
    members: list[MemberView]
    constants: list[Define]
    decoder: list[str] | None
    has_spare: bool
    has_at: bool
    is_always_right: bool  # there is no frame that the decoder refuses
    encoder: list[str] | None
    tests: str
    size: str | None
    head: str
    head_size: int
    dispatch_size: int
    fields_table: str
    fields: list[str]


@dataclass(frozen=True, slots=True)
class CodecView:
    names: ProtocolNames
    name: str
    guard: str
    doc: list[str]
    constants: list[Define]
    enumerations: list[EnumView]
    messages: list[MessageView]
    tables: list[str]
    dispatch: str
    signature: str
    quick: tuple[str, int] | None  # the test for the signature, and where the octet of id stands


def members_of(layout: Layout) -> dict[str, str]:
    """The members of the message's struct, by their fields' names."""
    scope = Scope(LANGUAGE)
    return {field.name: scope.name(snake(field.name)) for field in layout.shown}


def view_codec(protocol: Protocol, names: Names) -> CodecView:
    """What templates/protocol.h.j2 and protocol.c.j2 print."""
    own = names.protocols[protocol.name]
    tables = Tables({one.name: one for one in protocol.enumerations}, [])
    messages = [
        _message(layout, index, names, own, tables) for index, layout in enumerate(names.layouts(protocol))
    ]
    signature = 0xA0 | protocol.signature
    quick = None
    if protocol.dispatch is Dispatch.SIGNATURE:
        quick = (f"size > 2 && data[0] == 0xAA && data[1] == {signature:#04X}".replace("0X", "0x"), 2)
    elif protocol.dispatch in (Dispatch.OCTET, Dispatch.PUBSUB):
        quick = ("size > 0", 0)
    return CodecView(
        own,
        protocol.name,
        f"ZEPS_WIRE_{own.upper}_H",
        doc(f"@file {protocol.title}.", protocol.doc),
        [_define(one, names.scope.name(f"{own.upper}_{screaming(one.name)}")) for one in protocol.constants],
        [_enumeration(one, names, own) for one in protocol.enumerations],
        messages,
        tables.declared,
        _DISPATCH[protocol.dispatch],
        f"0x{signature:02X}",
        quick,
    )


def _value(value: int | str | bytes) -> str:
    if not isinstance(value, int):
        return quoted(value)
    return number(value) if value < 0 or value >= 1 << 15 else str(value)


def _define(one: Constant, name: str) -> Define:
    return Define(name, _value(one.value), doc(one.doc))


def _enumeration(one: Enumeration, names: Names, own: ProtocolNames) -> EnumView:
    stem = f"{own.upper}_{screaming(one.name)}"
    members = [
        Define(names.scope.name(f"{stem}_{screaming(member.name)}"), _value(member.value), doc(member.doc))
        for member in one.members
    ]
    small = all(isinstance(member.value, int) and abs(member.value) < 1 << 31 for member in one.members)
    if small and members:
        members = [
            Define(member.name, str(raw.value), member.doc)
            for member, raw in zip(members, one.members, strict=True)
        ]
    name = names.scope.name(f"{own.file}_{snake(one.name)}") if small and members else None
    return EnumView(name, doc(one.doc, default=f"Values of {one.name}."), members)


def _message(layout: Layout, index: int, names: Names, own: ProtocolNames, tables: Tables) -> MessageView:
    message = layout.message
    found = own.messages[message.name]
    members = members_of(layout)
    topic = None
    if layout.has_topic:
        topic = Scope(LANGUAGE, members.values()).name("topic")
    fields = _fields(layout, members, topic, found, tables)
    shown = [MemberView("wire_text", topic, [])] if topic is not None else []
    shown += [MemberView(c_type(one), members[one.name], _doc(one)) for one in layout.shown]
    decoder = inline.decoder(layout, members)
    encoder = inline.encoder(layout, members)
    places = (*layout.head_constants, *layout.places)
    items = {
        place.field.name: f"{own.schemas}[{index}].fields[{position}].item"
        for position, place in enumerate(places)
    }
    return MessageView(
        found,
        quoted(message.name),
        doc(message.doc, default=f"{message.name}."),
        message.id,
        index + 1,
        index,
        shown or [MemberView("unsigned char", "nothing", doc("The message has no fields."))],
        _constants(layout, names, found),
        None if decoder is None else [_placed(line, items, found, own, index) for line in decoder],
        decoder is not None and any(line.startswith("spare =") for line in decoder),
        decoder is not None and any(line.startswith("at =") for line in decoder),
        decoder is not None and not any("CAREFULLY" in line for line in decoder),
        None if encoder is None else encoder[1],
        "" if encoder is None else "".join(f"{test} || " for test in encoder[0]),
        inline.size_of(layout, members),
        quoted(layout.dispatch),
        layout.dispatch_size,
        len(layout.dispatch),
        f"fields_of_{found.member}",
        fields,
    )


def _placed(line: str, items: dict[str, str], found: MessageNames, own: ProtocolNames, index: int) -> str:
    call = f"wire_decode_message(&{own.table}, &{own.schemas}[{index}], message, data, size, error)"
    line = line.replace("CAREFULLY;", f"return {call};")
    if "ITEM(" in line:
        before, _, rest = line.partition("ITEM(")
        name, _, after = rest.partition(")")
        line = before + items[name] + after
    return line


def _doc(field: Field) -> list[str]:
    item = field if field.items is None else field.items
    values = "" if item.enumeration is None else f"{'Bits' if item.flags else 'One'} of {item.enumeration}."
    return doc(field.doc, values, indent=4)


def _constants(layout: Layout, names: Names, found: MessageNames) -> list[Define]:
    return [
        Define(
            names.scope.name(f"{found.macro}_{screaming(place.field.name)}"),
            _value(place.field.value),
            _doc(place.field),
        )
        for place in (*layout.head_constants, *layout.places)
        if place.field.value is not None
    ]


def _fields(
    layout: Layout, members: dict[str, str], topic: str | None, found: MessageNames, tables: Tables
) -> list[str]:
    """The initializers of the message's wire_fields, constants and derived numbers included."""
    places = (*layout.head_constants, *layout.places)
    fields = []
    if topic is not None:
        place_of = f"offsetof({found.type}, {topic})"
        fields.append(f'{{.name = "topic", .type = WIRE_TOPIC, .text = WIRE_UTF8, .offset = {place_of}}}')
    for place in places:
        field = place.field
        if place.octets is not None:
            fields.append(tables.constant(field.name, place.octets))
            continue
        member = members.get(field.name)
        measures = [_position(other, places) + (topic is not None) for other in place.measures]
        fields.append(tables.field(field, layout.message.name, field.name, found.type, member, measures))
    return fields


def _position(field: Field, places: tuple[Place, ...]) -> int:
    return next(index for index, place in enumerate(places) if place.field.name == field.name)
