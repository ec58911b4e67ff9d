"""The view of a protocol's module: everything that the template prints, in Rust's terms."""

from __future__ import annotations

from dataclasses import dataclass

from ...ir import Constant, Dispatch, Enumeration, Field, FieldType, Protocol, Text
from ...naming import Scope, pascal, screaming, snake
from ...plan.layout import number_range
from .decode import decoder
from .docs import lines, sentence
from .encode import EncoderView, encoder
from .lines import octets, quoted
from .plan import MessagePlan, Names, Slot, enumeration_name, plan_messages

__all__ = ["CodecView", "literal", "module_name", "view_codec"]

_TEXTS = {
    Text.OCTETS: "Octets",
    Text.UTF8: "UTF-8",
    Text.PRINTABLE: "UTF-8 without control characters",
    Text.VCHAR: "visible ASCII",
}
_MODULES = """alloc answers core crate error fields lib list lists machine main request runner std text wire
zeps_wire"""
#: Modules of the crate that no protocol or machine may have the name of.
MODULES = frozenset(_MODULES.split())


@dataclass(frozen=True, slots=True)
class ConstantView:
    name: str
    kind: str
    value: str
    doc: list[str]


@dataclass(frozen=True, slots=True)
class EnumerationView:
    """`flags`: a set of bits. An alias is a member whose value an earlier one has."""

    class_name: str
    doc: list[str]
    members: list[ConstantView]
    aliases: list[ConstantView]
    number: str
    mask: str
    worded: bool
    flags: bool


@dataclass(frozen=True, slots=True)
class FieldView:
    name: str
    kind: str
    doc: list[str]


@dataclass(frozen=True, slots=True)
class MessageView:
    class_name: str
    typed: str  # with the lifetime 'a, if it has one
    elided: str
    id: int
    name: str
    doc: list[str]
    constants: list[ConstantView]
    fields: list[FieldView]
    encode: EncoderView
    decode: list[str]
    pattern: str
    before: int


@dataclass(frozen=True, slots=True)
class CodecView:
    module: str
    doc: list[str]
    example: list[str]
    constants: list[ConstantView]
    enumerations: list[EnumerationView]
    messages: list[MessageView]
    dispatched: list[MessageView]  # the longest beginning first, so that none hides another
    generic: str  # <'a> if any message borrows
    elided: str
    unknown: str | None


def module_name(name: str) -> str:
    """The module of a protocol or machine."""
    return Scope("rust", MODULES).name(snake(name))


def view_codec(protocol: Protocol) -> CodecView:
    """What templates/codec.rs.j2 prints for `protocol`."""
    plans = plan_messages(protocol)
    names = Names(protocol.enumerations)
    flagged = flag_names(protocol)
    borrows = any(plan.borrows for plan in plans)
    scope = Scope("rust")
    messages = {plan.name: _message(plan, protocol, names) for plan in plans}
    longest = sorted(plans, key=lambda plan: -len(plan.layout.dispatch))
    return CodecView(
        module_name(protocol.name),
        lines(sentence(protocol.title), protocol.doc),
        _example(plans, module_name(protocol.name)),
        [_constant(one, scope) for one in protocol.constants],
        [_enumeration(one, one.name in flagged) for one in protocol.enumerations],
        list(messages.values()),
        [messages[plan.name] for plan in longest],
        "<'a>" if borrows else "",
        "<'_>" if borrows else "",
        _unknown(protocol, plans),
    )


def literal(value: int | str | bytes | bool) -> tuple[str, str]:
    """The type of a constant, and its spelling."""
    if isinstance(value, bool):
        return "bool", str(value).lower()
    if isinstance(value, bytes):
        return f"[u8; {len(value)}]", f"*{octets(value)}"
    if isinstance(value, str):
        return "&str", quoted(value)
    least, greatest = number_range(Field("", FieldType.VARINT, signed=value < 0))
    wide = "128" if not least <= value <= greatest else "64"
    return f"{'i' if value < 0 else 'u'}{wide}", str(value)


def _constant(one: Constant, scope: Scope, doc: str | None = None) -> ConstantView:
    kind, value = literal(one.value)
    text = doc if doc is not None else one.doc
    return ConstantView(
        scope.name(screaming(one.name)), kind, value, lines(sentence(text), default=f"{one.name}.")
    )


def flag_names(protocol: Protocol) -> set[str]:
    """The enumerations whose values are bits of some field."""
    fields = [field for message in protocol.messages for field in message.fields]
    fields += [field.items for field in fields if field.items is not None]
    return {field.enumeration for field in fields if field.flags and field.enumeration is not None}


def _enumeration(one: Enumeration, flagged: bool) -> EnumerationView:
    worded = any(isinstance(member.value, str) for member in one.members)
    values = [member.value for member in one.members if isinstance(member.value, int)]
    flags = flagged and not worded
    scope = Scope("rust")
    members: list[ConstantView] = []
    aliases: list[ConstantView] = []
    first: dict[int | str, str] = {}
    signed = any(value < 0 for value in values)
    for member in one.members:
        value = str(member.value) if worded else member.value
        name = scope.name(screaming(member.name) if flags else pascal(member.name))
        doc = lines(sentence(member.doc), default=f"{member.name}.")
        digits = f"{value:#x}" if flags and isinstance(value, int) else str(value)
        spelled = digits if isinstance(value, int) else quoted(value)
        if value in first and not flags:
            aliases.append(ConstantView(screaming(member.name), "Self", f"Self::{first[value]}", doc))
            continue
        first.setdefault(value, name)
        members.append(ConstantView(name, "Self", spelled, doc))
    mask = 0
    for number in values:
        mask |= number & (1 << 64) - 1
    return EnumerationView(
        enumeration_name(one.name),
        lines(sentence(one.doc), default=f"Values of {one.name}."),
        members,
        aliases,
        "i64" if signed else "u64",
        f"{mask:#x}",
        worded,
        flags,
    )


def _message(plan: MessagePlan, protocol: Protocol, names: Names) -> MessageView:
    scope = Scope("rust", {"ID", "NAME"})
    constants = []
    for place in (*plan.layout.head_constants, *plan.layout.places):
        if place.field.value is not None:
            one = Constant(place.field.name, place.field.value)  # type: ignore[arg-type]
            constants.append(_constant(one, scope, place.field.doc))
    before = 0 if protocol.dispatch is Dispatch.CONSTANT else plan.layout.dispatch_size
    return MessageView(
        plan.class_name,
        plan.typed(),
        plan.typed("'_"),
        plan.layout.message.id,
        plan.name,
        lines(sentence(plan.layout.message.doc), default=f"{plan.name}."),
        constants,
        [FieldView(str(slot.name), slot.kind, _field_doc(slot, plan)) for slot in plan.shown],
        encoder(plan, names),
        decoder(plan, names),
        "".join(f"{octet:#04x}, " for octet in plan.layout.dispatch),
        before,
    )


def _field_doc(slot: Slot, plan: MessagePlan) -> list[str]:
    """What the model says of a field, and what it may hold."""
    field = slot.field
    text = sentence(field.doc) or f"The field `{field.name}`."
    limits = ["To the end of the frame."] if field.open_ended else []
    if field.type is FieldType.HASH:
        limits.append("Keys and values in the order of the wire; equal keys are pairs of their own.")
    if field.type is FieldType.STRING and slot is not plan.topic and field.enumeration is None:
        most = min(
            field.max if field.max is not None else (1 << 8 * field.size) - 1, (1 << 8 * field.size) - 1
        )
        limits.append(f"{_TEXTS[field.text]}, at most {most} octets.")
    elif field.max is not None and field.type in (FieldType.CHUNK, FieldType.OCTETS, FieldType.REST):
        limits.append(f"At most {field.max} octets.")
    elif field.max is not None and field.type in (FieldType.LIST, FieldType.HASH):
        limits.append(f"At most {field.max} items.")
    elif field.max is not None and field.max < number_range(field)[1]:
        limits.append(f"At most {field.max}.")
    return lines(" ".join([text, *limits]))


def _unknown(protocol: Protocol, plans: list[MessagePlan]) -> str | None:
    """The error of a frame that holds no message; None if any frame holds one."""
    match protocol.dispatch:
        case Dispatch.CONSTANT:
            beginnings = ", ".join(octets(plan.layout.dispatch) for plan in plans)
            empty = any(not plan.layout.dispatch for plan in plans)
            return None if empty else f"wire::unknown_beginning(frame, &[{beginnings}])"
        case Dispatch.NAME:
            return "wire::unknown_name(frame)"
        case Dispatch.SIGNATURE:
            return f"wire::unknown_number(frame, &[0xaa, {0xA0 | protocol.signature:#x}])"
        case _:
            return "wire::unknown_number(frame, &[])"


# --- an example for the module's page, which its own tests run


def _example(plans: list[MessagePlan], module: str) -> list[str]:
    """A message that is encoded and decoded; the one with most fields whose values are plain."""
    chosen = [plan for plan in plans if all(_sample(slot) is not None for slot in plan.shown)]
    if not chosen:
        return []
    plan = max(chosen, key=lambda plan: len(plan.shown))
    fields = ", ".join(f"{slot.name}: {_sample(slot)}" for slot in plan.shown)
    built = f"{module}::{plan.class_name}{f' {{ {fields} }}' if fields else ''}"
    return [
        f"use zeps_wire::{{{module}, Encode}};",
        "",
        f"let message = {built};",
        "let frame = message.encode()?;",
        f"assert_eq!({module}::decode(&frame), Ok({module}::Message::{plan.class_name}(message)));",
        f"assert!({module}::decode(&frame[..frame.len() - 1]).is_err());",
        "# Ok::<(), zeps_wire::EncodeError>(())",
    ]


def _sample(slot: Slot) -> str | None:
    field = slot.field
    if field.enumeration is not None or (field.max is not None and field.max < 8):
        return None
    match field.type:
        case FieldType.NUMBER | FieldType.VARINT:
            return "7"
        case FieldType.STRING:
            return 'b"some"' if field.text is Text.OCTETS else '"some"'
        case FieldType.CHUNK:
            return 'b"octets"'
        case _:
            return None
