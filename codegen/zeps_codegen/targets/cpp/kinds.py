"""What a field is in C++: the type of its value, and the kind (see ``runtime/include/kinds.hpp``) that carries it."""

from __future__ import annotations

from collections.abc import Mapping

from ...ir import Enumeration, Field, FieldType, Text
from ...naming import pascal, snake, usable
from ...plan.layout import number_range
from ..errors import UnsupportedByTarget

__all__ = [
    "CLASSES",
    "class_name",
    "enumeration_name",
    "is_limited",
    "is_word",
    "kind_of",
    "may_misfit",
    "may_refuse",
    "value_type",
]

#: What a message's or an enumeration's class may not be called.
CLASSES = frozenset({"Message"})
_TEXTS = {Text.OCTETS: "octets", Text.UTF8: "utf8", Text.PRINTABLE: "printable", Text.VCHAR: "vchar"}

Enumerations = Mapping[str, Enumeration]


def class_name(message: str) -> str:
    """The class of the message called `message`."""
    return usable(pascal(message), "cpp", CLASSES)


def enumeration_name(enumeration: str) -> str:
    """The class of an enumeration; should a message have the name, the front end has said so."""
    return usable(pascal(enumeration), "cpp", CLASSES)


def is_word(enumeration: Enumeration) -> bool:
    """Whether it is an enumeration of words rather than of numbers."""
    return any(isinstance(member.value, str) for member in enumeration.members)


def is_limited(field: Field) -> bool:
    """Whether its limit is below what its octets hold."""
    if field.max is None:
        return False
    if field.type in (FieldType.NUMBER, FieldType.VARINT):
        return field.max < number_range(field)[1]
    if field.type in (FieldType.STRING, FieldType.CHUNK):
        return field.max < (1 << 8 * field.size) - 1
    return True


def value_type(field: Field, message: str) -> str:
    """The type of its value, within a protocol's namespace. UnsupportedByTarget for ZeroMQ frames."""
    if field.enumeration is not None and field.type in (FieldType.NUMBER, FieldType.VARINT):
        return enumeration_name(field.enumeration)
    match field.type:
        case FieldType.NUMBER | FieldType.VARINT:
            return "std::int64_t" if field.signed else "std::uint64_t"
        case FieldType.STRING:
            return "std::string_view"
        case FieldType.CHUNK | FieldType.OCTETS | FieldType.REST | FieldType.UUID:
            return "zeps_wire::Octets"
        case FieldType.HASH:
            return "zeps_wire::List<zeps_wire::Pair>"
        case FieldType.STRINGS:
            return "zeps_wire::List<std::string_view>"
        case FieldType.LIST:
            assert field.items is not None
            return f"zeps_wire::List<{value_type(field.items, message)}>"
        case _:
            raise UnsupportedByTarget("cpp", message, field.name, "a message is one frame here")


def kind_of(field: Field, message: str, enumerations: Enumerations) -> str:
    """The kind that carries it, as a type. UnsupportedByTarget for ZeroMQ frames."""
    limit = [f"{field.max}U"] if is_limited(field) else []
    match field.type:
        case FieldType.NUMBER:
            kind = _kind("Signed" if field.signed else "Number", str(field.size), *limit)
            return _member(kind, field)
        case FieldType.VARINT:
            return _member(_kind("Zigzag" if field.signed else "Varint", *limit), field)
        case FieldType.STRING:
            kind = _kind("String", str(field.size), f"zeps_wire::Text::{_TEXTS[field.text]}", *limit)
            if field.enumeration is None or field.text is Text.OCTETS:
                return kind
            return f"zeps_wire::kind::Word<{kind}, is_{snake(field.enumeration)}>"
        case FieldType.CHUNK:
            return _kind("Chunk", str(field.size), *limit)
        case FieldType.UUID:
            return _kind("Fixed", "16")
        case FieldType.OCTETS:
            return _kind("Measured", *limit) if field.length else _kind("Fixed", str(field.size))
        case FieldType.REST:
            return _kind("Rest", *limit)
        case FieldType.HASH:
            text = f"zeps_wire::Text::{_TEXTS[field.text]}"
            if field.open_ended:
                return _kind("OpenEnded", _kind("Entry", text), *limit)
            return _kind("Hash", text, *limit)
        case FieldType.STRINGS:
            item = Field("item", FieldType.STRING, size=4, text=field.text)
            return _kind("Listed", kind_of(item, message, enumerations), "4", *limit)
        case FieldType.LIST:
            assert field.items is not None
            item_kind = kind_of(field.items, message, enumerations)
            if field.count is not None:
                return _kind("Counted", item_kind, *limit)
            if field.open_ended:
                return _kind("OpenEnded", item_kind, *limit)
            return _kind("Listed", item_kind, str(field.size), *limit)
        case _:
            raise UnsupportedByTarget("cpp", message, field.name, "a message is one frame here")


def may_refuse(field: Field) -> bool:
    """Whether there are values of its type that the model forbids."""
    match field.type:
        case FieldType.NUMBER | FieldType.VARINT:
            return is_limited(field) or field.enumeration is not None
        case FieldType.STRING:
            return field.text is not Text.OCTETS or is_limited(field)
        case FieldType.CHUNK | FieldType.REST:
            return is_limited(field)
        case FieldType.OCTETS:
            return field.length is None or is_limited(field)
        case _:
            return True


def may_misfit(field: Field) -> bool:
    """Whether there are values of its type, and not forbidden, that its octets cannot hold."""
    match field.type:
        case FieldType.NUMBER:
            return field.size < 8 and (field.signed or not is_limited(field))
        case FieldType.STRING | FieldType.CHUNK:
            return field.size < 8 and not is_limited(field)
        case FieldType.LIST | FieldType.HASH | FieldType.STRINGS:
            return True
        case _:
            return False


def _kind(name: str, *arguments: str) -> str:
    return f"zeps_wire::kind::{name}<{', '.join(arguments)}>"


def _member(kind: str, field: Field) -> str:
    if field.enumeration is None:
        return kind
    known = f"is_{snake(field.enumeration)}" if not field.flags else f"is_all_{snake(field.enumeration)}"
    return f"zeps_wire::kind::Member<{kind}, {enumeration_name(field.enumeration)}, {known}>"
