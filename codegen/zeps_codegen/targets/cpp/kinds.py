"""What an operation is in C++: the type of its value, the kind (`runtime/include/kinds.hpp`) that carries it, and the
operation (`runtime/include/operations.hpp`) in a message's layout.

Enumerations are those of the namespace `protocol`.
"""

from __future__ import annotations

from ...ir import Text
from ...naming import snake
from ...plan.operations import (
    Apart,
    Constant,
    Content,
    Fixed,
    Items,
    Number,
    Operation,
    Reserved,
    Rest,
    Topic,
)
from .names import MessageNames, class_name
from .text import octets

__all__ = ["kind_of", "operation_of", "value_type"]

_TEXTS = {None: "octets", Text.UTF8: "utf8", Text.PRINTABLE: "printable", Text.VCHAR: "vchar"}


def value_type(operation: Operation, protocol: str) -> str:
    """The type of its value."""
    match operation:
        case Number(enumeration=str(enumeration)):
            return f"{protocol}::{class_name(enumeration)}"
        case Number(signed=signed):
            return "std::int64_t" if signed else "std::uint64_t"
        case Topic() | Content(is_string=True):
            return "std::string_view"
        case Content() | Fixed() | Rest() | Apart(is_rest=False):
            return "zeps_wire::Octets"
        case Apart():
            return "zeps_wire::List<zeps_wire::Octets>"
        case Items(is_pairs=True):
            return "zeps_wire::List<zeps_wire::Pair>"
        case Items(item=item):
            return f"zeps_wire::List<{value_type(item, protocol)}>"
        case _:
            raise ValueError(f"{operation.name} has no value")


def kind_of(operation: Operation, protocol: str) -> str:
    """The kind that carries it, as a type."""
    match operation:
        case Topic():
            return "kind::Topic"
        case Number(size=size, signed=signed, limit=limit, enumeration=enumeration):
            name = ("Signed" if signed else "Number") if size else ("Zigzag" if signed else "Varint")
            kind = _kind(name, size or None, limit)
            if enumeration is None:
                return kind
            known = f"{protocol}::is_{'all_' if operation.flags else ''}{snake(enumeration)}"
            return f"kind::Member<{kind}, {value_type(operation, protocol)}, {known}>"
        case Content(prefix=0, limit=limit):
            return _kind("Measured", limit)
        case Content(prefix=prefix, is_string=False, limit=limit):
            return _kind("Chunk", prefix, limit)
        case Content(prefix=prefix, limit=limit, enumeration=enumeration):
            kind = _kind("String", prefix, _text(operation), limit)
            return kind if enumeration is None else f"kind::Word<{kind}, {protocol}::is_{snake(enumeration)}>"
        case Fixed(size=size):
            return _kind("Fixed", size)
        case Rest(limit=limit):
            return _kind("Rest", limit)
        case Items(parts=parts, prefix=prefix, limit=limit):
            item = _kind("Entry", _text(parts[0])) if operation.is_pairs else kind_of(parts[0], protocol)
            if prefix:
                return _kind("Listed", item, prefix, limit)
            return _kind("OpenEnded" if operation.is_open else "Counted", item, limit)
        case _:
            raise ValueError(f"{operation.name} has no value")


def operation_of(operation: Operation, message: MessageNames, protocol: str) -> str:
    """The operation, as a type."""
    match operation:
        case Constant(_, content):
            return f"operation::Constant<{octets(content)}>"
        case Reserved(_, size):
            return f"operation::Reserved<{size}>"
        case Number() if operation not in message.shown:
            first = [message.place(name) for name in operation.measures[:1]]
            return _typed("Derived", kind_of(operation, protocol), message.place(operation.name), *first)
    pointer = f"&{protocol}::{message.class_name}::{message.member(operation)}"
    match operation:
        case Apart(is_rest=is_rest, limit=limit):
            return _typed("Frames" if is_rest else "Frame", pointer, None if limit is None else f"{limit}U")
        case Content(measured_by=str(sibling)) | Items(counted_by=str(sibling)):
            return _typed("Field", pointer, kind_of(operation, protocol), message.place(sibling))
        case _:
            return _typed("Field", pointer, kind_of(operation, protocol))


def _typed(name: str, *arguments: str | int | None) -> str:
    return f"operation::{name}<{', '.join(str(one) for one in arguments if one is not None)}>"


def _kind(name: str, *arguments: str | int | None) -> str:
    """The limit of a kind is its last argument."""
    *others, limit = arguments
    printed = [str(one) for one in others if one is not None]
    printed += (
        [] if limit is None else [f"{limit}U" if isinstance(limit, int) and name != "Fixed" else str(limit)]
    )
    return f"kind::{name}<{', '.join(printed)}>"


def _text(part: Operation) -> str:
    return f"Text::{_TEXTS[part.text if isinstance(part, Content) else None]}"
