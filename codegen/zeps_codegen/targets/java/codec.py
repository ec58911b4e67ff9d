"""The views of a protocol's package: everything that the templates print, in Java's terms."""

from __future__ import annotations

from dataclasses import dataclass

from ...ir import Dispatch, Enumeration, FieldType, Protocol
from ...naming import Scope, screaming
from ...plan.layout import constant_octets, layouts
from ...plan.operations import Number
from .decode import Decoder
from .encode import STORED_MAX, Encoder, encoded_size, encoder
from .lines import Lines
from .members import Member, octets
from .message import Message, messages_of, reach
from .names import (
    Imports,
    ProtocolNames,
    is_member,
    is_string_enumeration,
    javadoc,
    join_doc,
    literal,
    long_literal,
    sentence,
)
from .views import ViewView, view_of
from .writers import WriterView, writer_of

__all__ = [
    "EnumerationView",
    "MessageView",
    "ProtocolView",
    "RecordView",
    "has_view",
    "is_multipart",
    "plans_of",
    "view_enumerations",
    "view_message",
    "view_protocol",
    "view_record",
]


@dataclass(frozen=True, slots=True)
class EnumerationView:
    package: str
    class_name: str
    doc: list[str]
    kind: str  # of a member's value
    flags: bool
    members: list[Member]
    mask: str


@dataclass(frozen=True, slots=True)
class MessageView:
    package: str
    imports: list[str]
    doc: list[str]
    permitted: str
    multipart: bool


@dataclass(frozen=True, slots=True)
class RecordView:
    package: str
    imports: list[str]
    doc: list[str]
    class_name: str
    message: str
    id: int
    components: str
    constants: list[Member]
    hidden: list[Member]
    compact_doc: list[str]
    compact: list[str]
    size: list[str]
    encoder: Encoder
    decode: list[str]
    arguments: str
    frames: list[str]
    view: ViewView | None
    writer: WriterView | None
    multipart: bool


@dataclass(frozen=True, slots=True)
class ProtocolView:
    package: str
    imports: list[str]
    doc: list[str]
    class_name: str
    title: str
    constants: list[Member]
    hidden: list[Member]
    dispatch: list[str]
    multipart: bool


def view_protocol(protocol: Protocol, names: ProtocolNames, plans: list[Message]) -> ProtocolView:
    """What templates/Protocol.java.j2 prints."""
    imports = Imports()
    imports.use("ByteBuffer", "DecodeException", "Objects")
    multipart = is_multipart(plans)
    if multipart:
        imports.use("List")
    scope = Scope("java", {"SIGNATURE", *(f"BEGINNING_{index}" for index in range(len(plans)))})
    constants = []
    for one in protocol.constants:
        kind = "long" if isinstance(one.value, int) else "String"
        value = long_literal(one.value) if isinstance(one.value, int) else literal(one.value)
        doc = javadoc(sentence(one.doc, f"The model's constant {one.name}"))
        constants.append(Member(doc, kind, scope.name(screaming(one.name)), value))
    dispatch, hidden = _Dispatch(protocol, plans, imports, multipart).whole()
    return ProtocolView(
        names.package,
        imports.lines(),
        javadoc(sentence(protocol.title), sentence(protocol.doc)),
        names.main,
        sentence(protocol.title).rstrip("."),
        constants,
        hidden,
        dispatch,
        multipart,
    )


def is_multipart(plans: list[Message]) -> bool:
    return any(plan.plan.apart for plan in plans)


def has_view(plan: Message, multipart: bool) -> bool:
    """Whether a message has a view and a writer, as far as `multipart` of its protocol allows it."""
    return not multipart and plan.is_viewable


class _Dispatch:
    """The statements that find out which message a frame holds."""

    def __init__(self, protocol: Protocol, plans: list[Message], imports: Imports, multipart: bool):
        self._protocol, self._plans, self._imports = protocol, plans, imports
        self._arguments = "data, start, end, frames" if multipart else "data, start, end"
        self.out = Lines()
        self.hidden: list[Member] = []

    def whole(self) -> tuple[list[str], list[Member]]:
        match self._protocol.dispatch:
            case Dispatch.CONSTANT:
                self._by_constant()
            case Dispatch.NAME:
                self._by_name()
            case Dispatch.SIGNATURE:
                self._imports.use("Wire")
                signature = bytes([0xAA, 0xA0 | self._protocol.signature])
                self.hidden.append(Member([], "byte[]", "SIGNATURE", octets(signature)))
                test = f"end - start < 2 || Wire.u16(data, start) != 0x{signature.hex().upper()}"
                self.out.refuse(test, "Wire.badSignature(data, start, end, SIGNATURE)")
                self._by_number(2)
            case _:
                self._by_number(0)
        return self.out.lines, self.hidden

    def _error(self, code: str, offset: int) -> str:
        self._imports.use("Wire")
        if code == "TRUNCATED":
            return f"Wire.truncated(null, null, {offset})"
        return f"Wire.unknownMessage({offset})"

    def _by_number(self, at: int) -> None:
        self.out.refuse(f"end - start < {at + 1}", self._error("TRUNCATED", at))
        place = f"start + {at}" if at else "start"
        with self.out.block(f"switch (data[{place}] & 0xFF)"):
            for plan in self._plans:
                self.out.put(f"case {plan.layout.message.id}:")
                self.out.put(f"  return {plan.class_name}.read({self._arguments});")
            self.out.put("default:", f"  throw {self._error('UNKNOWN_MESSAGE', at)};")

    def _by_name(self) -> None:
        short = "end - start < 1 || end - start - 1 < (data[start] & 0xFF)"
        self.out.refuse(short, self._error("TRUNCATED", 0))
        self._imports.use("Wire")
        for index, plan in enumerate(self._plans):
            self._beginning(index, plan.plan.dispatch)
            with self.out.block(f"if (Wire.holds(data, start, end, BEGINNING_{index}))"):
                self.out.put(f"return {plan.class_name}.read({self._arguments});")
        self.out.put(f"throw {self._error('UNKNOWN_MESSAGE', 0)};")

    def _by_constant(self) -> None:
        """The longest beginning first, so that none hides another. What begins with nothing is all there is."""
        if not all(plan.plan.dispatch for plan in self._plans):
            self.out.put(f"return {self._plans[0].class_name}.read({self._arguments});")
            return
        self._imports.use("Wire")
        longest = sorted(self._plans, key=lambda plan: -len(plan.plan.dispatch))
        for index, plan in enumerate(longest):
            self._beginning(index, plan.plan.dispatch)
            with self.out.block(f"if (Wire.holds(data, start, end, BEGINNING_{index}))"):
                self.out.put(f"return {plan.class_name}.read({self._arguments});")
        tests = " || ".join(
            f"Wire.begins(data, start, end, BEGINNING_{index})" for index in range(len(longest))
        )
        self.out.refuse(tests or "false", self._error("TRUNCATED", 0))
        self.out.put(f"throw {self._error('UNKNOWN_MESSAGE', 0)};")

    def _beginning(self, index: int, wanted: bytes) -> None:
        self.hidden.append(Member([], "byte[]", f"BEGINNING_{index}", octets(wanted)))


def view_message(protocol: Protocol, names: ProtocolNames, plans: list[Message]) -> MessageView:
    """What templates/Message.java.j2 prints."""
    imports = Imports()
    imports.use("EncodeException")
    multipart = is_multipart(plans)
    if multipart:
        imports.use("List")
    return MessageView(
        names.package,
        imports.lines(),
        javadoc(f"A message of {sentence(protocol.title)}"),
        ", ".join(plan.class_name for plan in plans),
        multipart,
    )


def view_enumerations(protocol: Protocol, names: ProtocolNames) -> list[EnumerationView]:
    """What templates/Enumeration.java.j2 and Flags.java.j2 print."""
    flagged = _flags(protocol)
    return [_enumeration(one, names, one.name in flagged) for one in protocol.enumerations]


def _enumeration(one: Enumeration, names: ProtocolNames, flags: bool) -> EnumerationView:
    textual = is_string_enumeration(one)
    scope = Scope("java", {"MASK"} if flags else {"VALUES"})
    members, mask = [], 0
    for member in one.members:
        value = long_literal(member.value) if isinstance(member.value, int) else literal(member.value)
        mask |= member.value if isinstance(member.value, int) else 0
        name = scope.name(screaming(member.name))
        doc = javadoc(sentence(member.doc, f"The model's {member.name}"))
        members.append(Member(doc, "", name, value))
    doc = javadoc(sentence(one.doc, f"Values of {one.name}"))
    kind = "String" if textual else "long"
    return EnumerationView(
        names.package, names.classes[one.name], doc, kind, flags, members, long_literal(mask)
    )


def _flags(protocol: Protocol) -> set[str]:
    """The enumerations whose values are bits of some field."""
    fields = [field for message in protocol.messages for field in message.fields]
    names = set()
    while fields:
        field = fields.pop()
        if field.flags and field.enumeration:
            names.add(field.enumeration)
        if field.items is not None:
            fields.append(field.items)
    return names


def view_record(plan: Message, dispatch: Dispatch, multipart: bool) -> RecordView:
    """What templates/Record.java.j2 prints for a message."""
    imports = Imports()
    imports.use("Objects")
    message = plan.layout.message
    shown = plan.shown
    arguments = ", ".join(slot.local for slot in shown)
    components = ", ".join(f"{plan.type_of(slot, imports)} {slot.component}" for slot in shown)
    decode = Decoder(plan, imports, multipart=multipart).whole()
    imports.use("DecodeException", "EncodeException")
    if multipart:
        imports.use("List", "ArrayList")
    constants, hidden = _constants(plan, imports)
    viewable = has_view(plan, multipart)
    parts = (
        _record_doc(plan),
        plan.class_name,
        literal(message.name),
        message.id,
        components,
        constants,
        hidden,
        _compact_doc(plan),
        _compact(plan, imports),
        encoded_size(plan, imports),
        encoder(plan, imports),
        decode,
        arguments,
        _frames(plan),
        view_of(plan, imports, dispatch) if viewable else None,
        writer_of(plan, imports) if viewable else None,
        multipart,
    )
    return RecordView(plan.names.package, imports.lines(), *parts)


def _record_doc(plan: Message) -> list[str]:
    message = plan.layout.message
    tags = []
    for slot in plan.shown:
        field = slot.field
        what = sentence(field.doc, f"The message's {slot.component}")
        note = ""
        if isinstance(slot.operation, Number) and slot.operation.bits == 64 and not field.signed:
            note = "Unsigned: see {@link Long#compareUnsigned}." if field.enumeration is None else ""
        if is_member(slot.operation):
            note = "Null stands for a value that the enumeration does not have; it cannot be encoded."
        elif field.enumeration is not None and field.flags:
            note = f"Bits of {{@link {plan.names.classes[field.enumeration]}}}."
        tags.append(f"@param {slot.component} {join_doc(what, note)}")
    return javadoc(sentence(message.doc, message.name), tags=tags)


def _constants(plan: Message, imports: Imports) -> tuple[list[Member], list[Member]]:
    """What a message's constants are worth, and their octets."""
    constants, hidden = [], []
    for operation_name, (name, octets_name) in plan.constants.items():
        field, value = plan.slots[operation_name].field, plan.slots[operation_name].field.value
        doc = javadoc(sentence(field.doc, f"The constant {field.name}"))
        if isinstance(value, int):
            found = ("long", long_literal(value))
        elif isinstance(value, str) and field.type is FieldType.STRING:
            found = ("String", literal(value))
        else:
            content = value.encode() if isinstance(value, str) else value or b""
            found = (imports.use("Octets"), f"Octets.wrap(new byte[] {octets(content)})")
        constants.append(Member(doc, found[0], name, found[1]))
        hidden.append(Member([], "byte[]", octets_name, octets(constant_octets(field))))
    if len(plan.plan.head) > STORED_MAX:
        hidden.append(Member([], "byte[]", "HEAD", octets(plan.plan.head)))
    return constants, hidden


def _compact_doc(plan: Message) -> list[str]:
    tags = [f"@param {slot.component} {sentence(slot.field.doc, 'its value')}" for slot in plan.shown]
    return javadoc("Makes a message; nothing is checked but that nothing is null.", tags=tags)


def _compact(plan: Message, imports: Imports) -> list[str]:
    """The statements of the compact constructor: nothing is null, and nothing changes later."""
    lines = []
    for slot in plan.shown:
        name, kind = slot.component, plan.type_of(slot, imports)
        if kind.startswith("List<"):
            lines.append(f"{name} = List.copyOf({name});")
        elif kind not in ("int", "long") and not is_member(slot.operation):
            lines.append(f'Objects.requireNonNull({name}, "{name}");')
    return lines


def _frames(plan: Message) -> list[str]:
    """The statements that add the frames after the first."""
    lines = []
    for one in plan.plan.apart:
        name = reach(plan.slot(one).component)
        if not one.is_rest:
            lines.append(f"frames.add({name}.toByteArray());")
        else:
            lines += [f"for (final Octets item : {name}) {{", "  frames.add(item.toByteArray());", "}"]
    return lines


def plans_of(protocol: Protocol, package_name: str) -> tuple[ProtocolNames, list[Message]]:
    """The names of a protocol's package, and the plans of its messages."""
    chosen = [layout.message.name for layout in layouts(protocol)]
    names = ProtocolNames.of(package_name, protocol.name, chosen, protocol.enumerations)
    return names, messages_of(protocol, names)
