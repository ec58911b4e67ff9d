"""The view of a protocol's package: everything that its templates print, in Go's terms."""

from __future__ import annotations

from dataclasses import dataclass

from ...ir import Dispatch, Field
from .coder import Coder
from .names import MODULE, EnumerationNames, MessageNames, ProtocolNames, comment, octets, quoted

__all__ = ["CodecView", "view_codec"]


@dataclass(frozen=True, slots=True)
class ValueView:
    """A constant, or a field of a struct: `value` is the one's value or the other's type."""

    name: str
    value: str
    doc: list[str]


@dataclass(frozen=True, slots=True)
class EnumerationView:
    type: str
    base: str
    doc: list[str]
    members: list[ValueView]
    distinct: list[tuple[str, str]]  # each value once: (name, what the model calls it)
    union: str  # all members' bits, if any field holds a union of them


@dataclass(frozen=True, slots=True)
class MessageView:
    type: str
    name: str
    id: int
    head: str
    head_octets: str
    doc: list[str]
    constants: list[ValueView]
    fields: list[ValueView]
    size: list[str]
    check: list[str]  # of a method of its own if there may be several frames, else of AppendTo
    write: list[str]
    decode: list[str]
    frames: list[str]  # how the frames after the first are read; empty if there is no more than one
    more: list[tuple[str, bool]]  # the fields that are frames of their own: (attribute, whether it is many)


@dataclass(frozen=True, slots=True)
class CodecView:
    module: str
    package: str
    doc: list[str]
    constants: list[ValueView]
    enumerations: list[EnumerationView]
    messages: list[MessageView]
    multipart: bool
    dispatch: str  # number, name, beginning, or only: that one message is all there is
    before: int  # octets before the number
    signature: str
    cases: list[tuple[str, str]]  # what the dispatcher compares, and the message's type
    beginnings: str


def view_codec(names: ProtocolNames) -> CodecView:
    """What templates/codec.go.j2 prints for the protocol."""
    protocol = names.protocol
    flagged = _flagged([field for message in protocol.messages for field in message.fields])
    constants = [
        ValueView(
            name,
            _constant(one.value),
            comment(f"{name}: {one.doc}" if one.doc else f"{name} is the model's {one.name}."),
        )
        for name, one in zip(names.constants, protocol.constants, strict=True)
    ]
    return CodecView(
        MODULE,
        names.package,
        [*comment(f"Package {names.package} is the codec of {protocol.title}."), "", *comment(protocol.doc)],
        constants,
        [_enumeration(one, one.enumeration.name in flagged) for one in names.enumerations.values()],
        [_message(names, message) for message in names.messages],
        names.multipart,
        *_dispatch(names),
    )


def _dispatch(names: ProtocolNames) -> tuple[str, int, str, list[tuple[str, str]], str]:
    protocol, messages = names.protocol, names.messages
    if protocol.dispatch in (Dispatch.CONSTANT, Dispatch.NAME):
        # the longest beginning first, so that none hides another
        longest = sorted(messages, key=lambda message: -len(message.plan.dispatch))
        cases = [(octets(message.plan.dispatch), message.type) for message in longest]
        listed = ", ".join(beginning for beginning, _ in cases)
        if not all(message.plan.dispatch for message in messages):
            return "only", 0, '""', cases, ""
        return ("name" if protocol.dispatch is Dispatch.NAME else "beginning"), 0, '""', cases, listed
    signature = bytes([0xAA, 0xA0 | protocol.signature]) if protocol.dispatch is Dispatch.SIGNATURE else b""
    cases = [(str(message.layout.message.id), message.type) for message in messages]
    return "number", len(signature), octets(signature), cases, ""


def _message(names: ProtocolNames, message: MessageNames) -> MessageView:
    layout, plan = message.layout, message.plan
    coder = Coder(names, message, "" if names.multipart else "dst")
    code = coder.code()
    fields = {place.field.name: place.field for place in (*layout.head_constants, *layout.places)}
    docs = {name: field.doc for name, field in fields.items()}
    return MessageView(
        message.type,
        quoted(message.name),
        layout.message.id,
        message.head,
        octets(plan.head),
        comment(f"{message.type} is the message {message.name}. {layout.message.doc}"),
        [
            ValueView(
                constant,
                _constant(fields[name].value),
                comment(f"{constant} is what {name} always holds. {docs[name]}"),
            )
            for name, constant in message.constants.items()
        ],
        [
            ValueView(message.attributes[name], names.type_of(one), comment(docs.get(name, ""), indent=8))
            for name, one in message.shown.items()
        ],
        code.size,
        code.check,
        code.write,
        code.read,
        coder.read_more() if plan.apart else [],
        [(message.attributes[one.name], one.is_rest) for one in plan.apart],
    )


def _enumeration(one: EnumerationNames, flags: bool) -> EnumerationView:
    members = list(zip(one.members, one.enumeration.members, strict=True))
    distinct = {member.value: (name, quoted(member.name)) for name, member in reversed(members)}
    numbers = [member.value for _, member in members if isinstance(member.value, int)]
    return EnumerationView(
        one.type,
        one.base,
        comment(
            f"{one.type}: {one.enumeration.doc}" if one.enumeration.doc else f"{one.type} is one of these."
        ),
        [ValueView(name, _constant(member.value), comment(member.doc, indent=8)) for name, member in members],
        list(reversed(distinct.values())),
        " | ".join(one.members) if flags and numbers else "",
    )


def _constant(value: int | str | bytes | None) -> str:
    if isinstance(value, bytes):
        return octets(value)
    if isinstance(value, str):
        return quoted(value)
    return str(value) if value is not None and value < 1 << 63 else f"uint64({value})"


def _flagged(fields: list[Field]) -> set[str]:
    """The enumerations whose values are bits of some field."""
    found = {field.enumeration for field in fields if field.flags and field.enumeration}
    inner = [field.items for field in fields if field.items is not None]
    return found | (_flagged(inner) if inner else set())
