"""What the emitters know of a protocol: names in TypeScript, the types of values, and fields in their order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum

from ...ir import Enumeration, Field, FieldType, Protocol, Text
from ...naming import Scope, camel, kebab, pascal, screaming
from ...plan.layout import Layout, Place, layouts
from ..errors import UnsupportedByTarget

__all__ = [
    "SAFE_MAX",
    "Carrier",
    "EnumerationPlan",
    "MessagePlan",
    "Properties",
    "ProtocolPlan",
    "Slot",
    "carrier_of",
    "is_raw_text",
    "module_name",
    "number",
    "plan_protocol",
    "type_name",
]

#: The greatest integer that a JavaScript number tells from its neighbours.
SAFE_MAX = 2**53 - 1
_FLAGS_MAX = 2**31 - 1

_GLOBALS = """Array ArrayBuffer BigInt DecodeError EncodeError IDS Map Math Message Number ReadonlySet Set String
TypeError Uint8Array decode encode sizeOf"""
_LOCALS = """allocate at data holds i16 i32 i64 i8 index item latin1 length64 measurePrintable measureUtf8 measureVchar
message noSuchMessage notConstant printable put16 put32 put64 putText putVarint size u16 u32 u64 u8 unknownBeginning
unzigzag utf8 utf8Size varint varintEnd varintSize vchar zigzag"""

#: Types and values that a generated module uses by these names.
GLOBALS = frozenset(_GLOBALS.split())
#: What the statements of decoders and encoders call their own, or call.
LOCALS = GLOBALS | frozenset(_LOCALS.split())
#: What no property may be called: the discriminant, and what every object has.
MEMBERS = frozenset({"type", "constructor", "prototype", "toString", "valueOf"})


class Carrier(str, Enum):
    """What holds a number."""

    NUMBER = "number"
    BIGINT = "bigint"


@dataclass(frozen=True, slots=True)
class EnumerationPlan:
    enumeration: Enumeration
    name: str  # the constant object, and the type of its values
    guard: str  # the function that tells whether a value is one
    carrier: Carrier | None  # None: text
    flags: bool

    @property
    def mask(self) -> int:
        found = 0
        for member in self.enumeration.members:
            found |= int(member.value)
        return found


@dataclass(frozen=True, slots=True)
class Slot:
    """A field and its names. `member` is None for what no message shows: constants, what is reserved, derived
    numbers.
    """

    place: Place
    local: str
    member: str | None
    measures: tuple[Slot, ...] = ()  # derived: the fields that it counts or measures

    @property
    def field(self) -> Field:
        return self.place.field

    @property
    def octets(self) -> bytes | None:
        """A constant's octets on the wire."""
        return self.place.octets


@dataclass(frozen=True, slots=True)
class MessagePlan:
    layout: Layout
    name: str  # the interface
    prefix: str  # of its constants
    slots: tuple[Slot, ...]  # after the head, in the order of the wire
    topic: Slot | None  # pub/sub: what stands before the fields

    @property
    def spelled(self) -> str:
        """The message's name in the model."""
        return self.layout.message.name

    @property
    def shown(self) -> tuple[Slot, ...]:
        """What the interface has properties for, in the order of the wire."""
        topic = () if self.topic is None else (self.topic,)
        return topic + tuple(slot for slot in self.slots if slot.member is not None)

    def named(self, field: str | None) -> Slot:
        """The slot of the field called `field`."""
        return next(slot for slot in self.slots if slot.field.name == field)


@dataclass(frozen=True, slots=True)
class ProtocolPlan:
    protocol: Protocol
    messages: tuple[MessagePlan, ...]
    enumerations: dict[str, EnumerationPlan]

    def message(self, name: str) -> MessagePlan:
        """The plan of the message called `name`."""
        return next(one for one in self.messages if one.spelled == name)

    def type_of(self, field: Field) -> str:
        """The type of the field's property."""
        return type_name(field, self.enumerations)

    def carrier(self, field: Field) -> Carrier:
        """What holds the number of the field's property."""
        return carrier_of(field, self.enumerations)


def module_name(name: str) -> str:
    """The module of a protocol or machine, without its ending."""
    found = kebab(name) or "_"
    return f"{found}_" if found == "index" else found  # the package has an index of its own


class Properties:
    """Names of properties, which may be words of the language; each stands only once."""

    def __init__(self, taken: Iterable[str] = MEMBERS) -> None:
        self._taken = set(taken)

    def name(self, model: str) -> str:
        """The property for what the model calls `model`; it is then taken."""
        name = camel(model) or "field"
        name = f"_{name}" if name[0].isdigit() else name
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name


def number(value: int, carrier: Carrier) -> str:
    """`value` as a literal."""
    return f"{value}n" if carrier is Carrier.BIGINT else str(value)


def carrier_of(field: Field, enumerations: dict[str, EnumerationPlan]) -> Carrier:
    """What holds a number of the field's."""
    if field.enumeration is not None:
        found = enumerations[field.enumeration].carrier
        assert found is not None
        return found
    wide = field.type is FieldType.VARINT or field.size == 8
    return Carrier.BIGINT if wide else Carrier.NUMBER


def is_raw_text(field: Field) -> bool:
    """Text of any octets is octets."""
    return field.type is FieldType.STRING and field.text is Text.OCTETS


def type_name(field: Field, enumerations: dict[str, EnumerationPlan]) -> str:
    """The type of the field's property."""
    if is_raw_text(field):
        return "Uint8Array"
    if field.enumeration is not None:
        return enumerations[field.enumeration].name
    match field.type:
        case FieldType.NUMBER | FieldType.VARINT:
            return carrier_of(field, enumerations).value
        case FieldType.STRING:
            return "string"
        case FieldType.HASH:
            part = "Uint8Array" if field.text is Text.OCTETS else "string"
            return f"readonly (readonly [{part}, {part}])[]"
        case FieldType.LIST:
            assert field.items is not None
            item = type_name(field.items, enumerations)
            return f"readonly ({item})[]" if " " in item else f"readonly {item}[]"
        case _:
            return "Uint8Array"


def plan_protocol(protocol: Protocol) -> ProtocolPlan:
    """The names of all that the protocol's version has. UnsupportedByTarget if a message has frames of its own."""
    names = Scope("typescript", GLOBALS)
    wires = layouts(protocol)
    for wire in wires:
        _refuse_frames(wire)
    types = [names.name(pascal(wire.message.name)) for wire in wires]
    enumerations = _plan_enumerations(protocol, names)
    messages = tuple(_plan(wire, name) for wire, name in zip(wires, types, strict=True))
    return ProtocolPlan(protocol, messages, enumerations)


def _refuse_frames(wire: Layout) -> None:
    for place in wire.places:
        if place.field.type in (FieldType.FRAME, FieldType.MSG):
            raise UnsupportedByTarget(
                "typescript", wire.message.name, place.field.name, "a ZeroMQ frame of its own"
            )


def _plan_enumerations(protocol: Protocol, names: Scope) -> dict[str, EnumerationPlan]:
    flagged = _flags(protocol)
    found = {}
    for one in protocol.enumerations:
        numbers = [member.value for member in one.members if isinstance(member.value, int)]
        flags = one.name in flagged
        most = _FLAGS_MAX if flags else SAFE_MAX
        carrier = Carrier.NUMBER if all(-most <= value <= most for value in numbers) else Carrier.BIGINT
        name = names.name(pascal(one.name))
        textual = len(numbers) < len(one.members)
        found[one.name] = EnumerationPlan(one, name, f"is{name}", None if textual else carrier, flags)
    return found


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


def _plan(wire: Layout, name: str) -> MessagePlan:
    properties = Properties()
    locals_ = Scope("typescript", LOCALS)
    topic = None
    shown = {place.field.name: properties.name(place.field.name) for place in wire.places if place.shown}
    slots: dict[str, Slot] = {}
    for place in wire.places:
        local = locals_.name(camel(place.field.name) or "field")
        slots[place.field.name] = Slot(place, local, shown.get(place.field.name))
    for key, slot in slots.items():
        measures = tuple(slots[other.name] for other in slot.place.measures)
        slots[key] = replace(slot, measures=measures)
    if wire.has_topic:
        # it ends with a zero octet, so nothing limits its length
        field = Field("topic", FieldType.STRING, size=8, doc="What subscribers match.")
        topic = Slot(Place(field), locals_.name("topic"), properties.name("topic"))
    return MessagePlan(wire, name, screaming(wire.message.name), tuple(slots.values()), topic)
