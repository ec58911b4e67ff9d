"""What things are called in Go: packages, types, fields, locals."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass

from ...ir import Enumeration, Field, FieldType, Protocol, Text
from ...naming import Scope, camel, pascal, snake
from ...plan.layout import Layout, Place, constant_octets, layouts

__all__ = [
    "LOCALS",
    "MODULE",
    "MessageNames",
    "Packages",
    "ProtocolNames",
    "Slot",
    "comment",
    "exported",
    "octets",
    "quoted",
]

#: The module's path: a name that nobody serves, until it has a home. Whoever uses it replaces it by a folder.
MODULE = "zeps.example/wire"
#: What a field may not be called: the methods that every message has.
MEMBERS = frozenset(
    {"MessageName", "MessageID", "Size", "AppendTo", "Encode", "DecodeFrom", "AppendFrames", "DecodeFrames"}
)
_PREDECLARED = """
any append bool byte cap clear close complex complex64 complex128 copy delete error false float32 float64
imag int int8 int16 int32 int64 iota len make max min new nil panic print println real recover rune string true uint
uint8 uint16 uint32 uint64 uintptr"""
_OWN = "m frame frames rest dst wire binary bytes strings err i init"
#: What a local may not be called: what Go declares, what functions call their own, and what they call.
LOCALS = frozenset((*_PREDECLARED.split(), *_OWN.split()))
#: What a package's types and functions may not be called.
PACKAGE = frozenset({"Message", "Decode", "DecodeFrames", "Pair"})
_OTHERS = "wire driver main init binary bytes strings errors fmt testing m message carried event"
#: What a package may not be called.
PACKAGES = frozenset((*_PREDECLARED.split(), *_OTHERS.split()))
_WIDTH = 100


class Packages:
    """The packages, and folders, of protocols and machines: words in lower case, each taken once."""

    def __init__(self) -> None:
        self._scope = Scope("go", PACKAGES)

    def name(self, name: str) -> str:
        """The package of the protocol or machine called `name`."""
        found = self._scope.name(re.sub(r"[^a-z0-9]", "", snake(name)) or "x")
        return found.replace("_", "x") if found.startswith("_") else found


def exported(name: str) -> str:
    """`name` as one that other packages see."""
    spelled = pascal(name)
    return spelled if spelled[:1].isupper() else f"X{spelled}"


def quoted(value: str) -> str:
    """`value` as a string literal."""
    return octets(value.encode())


def octets(value: bytes) -> str:
    """`value` as a string literal: readable where it is UTF-8, and exact."""
    try:
        characters = value.decode()
    except UnicodeDecodeError:
        return '"' + "".join(_octet(octet) for octet in value) + '"'
    return '"' + "".join(_character(one) for one in characters) + '"'


def _octet(octet: int) -> str:
    return _character(chr(octet)) if 0x20 <= octet < 0x7F else f"\\x{octet:02x}"


def _character(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    if character == "\n":
        return "\\n"
    if character.isprintable():
        return character
    return "".join(f"\\x{octet:02x}" for octet in character.encode())


def comment(text: str, indent: int = 0) -> list[str]:
    """The lines of a comment, folded, without the slashes."""
    return textwrap.wrap(" ".join(text.split()), _WIDTH - indent)


@dataclass(frozen=True, slots=True)
class Slot:
    """A field and its names. `attribute` is empty for what no message shows."""

    place: Place
    attribute: str
    local: str
    constant: str = ""  # the name of the constant that holds a constant field's value
    measures: tuple[str, ...] = ()  # attributes that it counts or measures

    @property
    def field(self) -> Field:
        return self.place.field

    @property
    def octets(self) -> bytes | None:
        """A constant's octets on the wire."""
        return None if self.field.value is None else constant_octets(self.field)


@dataclass(frozen=True, slots=True)
class MessageNames:
    """A message: its type, the constant that holds its head, and its fields in the order of the wire."""

    layout: Layout
    type: str
    head: str
    head_constants: tuple[Slot, ...]
    slots: tuple[Slot, ...]
    topic: Slot | None

    @property
    def name(self) -> str:
        return self.layout.message.name

    @property
    def shown(self) -> tuple[Slot, ...]:
        """The fields of the struct, in the order of the wire."""
        topic = () if self.topic is None else (self.topic,)
        return topic + tuple(slot for slot in self.slots if slot.attribute)

    def named(self, field: str | None) -> Slot:
        """The slot of the field called `field`."""
        return next(slot for slot in self.slots if slot.field.name == field)


@dataclass(frozen=True, slots=True)
class EnumerationNames:
    enumeration: Enumeration
    type: str
    base: str
    members: tuple[str, ...]


class ProtocolNames:
    """Every name of a protocol's package."""

    def __init__(self, protocol: Protocol, package: str) -> None:
        self.protocol = protocol
        self.package = package
        self._scope = Scope("go", PACKAGE)
        found = layouts(protocol)
        types = [self._scope.name(exported(layout.message.name)) for layout in found]
        self.enumerations = {one.name: self._enumeration(one, found) for one in protocol.enumerations}
        self.constants = [self._scope.name(exported(one.name)) for one in protocol.constants]
        self.messages = [self._message(layout, type_) for layout, type_ in zip(found, types, strict=True)]
        self.multipart = any(layout.has_frames for layout in found)

    def message(self, name: str) -> MessageNames:
        """KeyError if the protocol's version has no message of that name."""
        for message in self.messages:
            if message.name == name:
                return message
        raise KeyError(name)

    def _enumeration(self, one: Enumeration, found: list[Layout]) -> EnumerationNames:
        type_ = self._scope.name(exported(one.name))
        members = tuple(self._scope.name(type_ + exported(member.name)) for member in one.members)
        return EnumerationNames(one, type_, _base(one, found), members)

    def _message(self, layout: Layout, type_: str) -> MessageNames:
        attributes, locals_ = Scope("go", MEMBERS), Scope("go", LOCALS)
        topic = None
        shown = {p.field.name: attributes.name(exported(p.field.name)) for p in layout.places if p.shown}
        if layout.has_topic:
            field = Field("topic", FieldType.STRING, text=Text.UTF8)
            topic = Slot(Place(field), attributes.name("Topic"), locals_.name("topic"))
        slots = []
        for place in (*layout.head_constants, *layout.places):
            name = place.field.name
            constant = "" if place.field.value is None else self._scope.name(type_ + exported(name))
            measures = tuple(shown[other.name] for other in place.measures)
            slots.append(
                Slot(place, shown.get(name, ""), locals_.name(camel(name) or "x"), constant, measures)
            )
        split = len(layout.head_constants)
        head = self._scope.name(f"head{type_}")
        return MessageNames(layout, type_, head, tuple(slots[:split]), tuple(slots[split:]), topic)

    # --- types

    def type_of(self, field: Field) -> str:
        """The type of the field's attribute."""
        if field.enumeration is not None and field.text is not Text.OCTETS:
            return self.enumerations[field.enumeration].type
        match field.type:
            case FieldType.NUMBER:
                return f"{'int' if field.signed else 'uint'}{8 * field.size}"
            case FieldType.VARINT:
                return "int64" if field.signed else "uint64"
            case FieldType.STRING if field.text is not Text.OCTETS:
                return "string"
            case FieldType.HASH:
                return "[]wire.OctetsPair" if field.text is Text.OCTETS else "[]wire.Pair"
            case FieldType.LIST:
                assert field.items is not None
                return f"[]{self.type_of(field.items)}"
            case FieldType.MSG:
                return "[][]byte"
            case _:
                return "[]byte"


def _uses(fields: list[Field], enumeration: str) -> list[Field]:
    """The numbers among `fields`, and their items, that have the enumeration."""
    found = []
    for field in fields:
        if field.enumeration == enumeration:
            found.append(field)
        if field.items is not None:
            found += _uses([field.items], enumeration)
    return found


def _base(one: Enumeration, found: list[Layout]) -> str:
    """The narrowest type that holds every member and whatever a field of the enumeration holds."""
    values = [member.value for member in one.members]
    if any(isinstance(value, str) for value in values):
        return "string"
    numbers = [value for value in values if isinstance(value, int)]
    uses = _uses([place.field for layout in found for place in layout.places], one.name)
    signed = any(field.signed for field in uses) or min(numbers, default=0) < 0
    size = max([8 if field.type is FieldType.VARINT else field.size for field in uses], default=1)
    while not all(_fits(value, size, signed) for value in numbers) and size < 8:
        size *= 2
    return f"{'int' if signed else 'uint'}{8 * size}"


def _fits(value: int, size: int, signed: bool) -> bool:
    least, greatest = (-(1 << 8 * size - 1), (1 << 8 * size - 1) - 1) if signed else (0, (1 << 8 * size) - 1)
    return least <= value <= greatest
