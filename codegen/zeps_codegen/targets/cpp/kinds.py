"""The C++ form of an operation: the type and kind (`kinds.hpp`) of its value, and the operation (`operations.hpp`)."""

from __future__ import annotations

from dataclasses import replace

from ...ir import Field, Relation, Text
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
from .text import COMPARISONS, byte_list, literal

__all__ = ["as_field", "default_of", "kind_of", "operation_of", "value_type"]

_TEXTS = {None: "octets", Text.UTF8: "utf8", Text.PRINTABLE: "printable", Text.VCHAR: "vchar"}


def value_type(operation: Operation, protocol: str) -> str:
    """The type of its value; enumerations belong to the namespace `protocol`."""
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
            raise ValueError(f"{operation.name}: constant and reserved fields have no type in C++")


def kind_of(operation: Operation, protocol: str) -> str:
    """The type of the operation's kind."""
    match operation:
        case Topic():
            return "kind::Topic"
        case Number(size=size, signed=signed, limit=limit, enumeration=enumeration):
            name = ("Signed" if signed else "Number") if size else ("Zigzag" if signed else "Varint")
            kind = _typed(f"kind::{name}", size or None, _limit(limit))
            if enumeration is None:
                return kind
            known = f"{protocol}::is_{'all_' if operation.flags else ''}{snake(enumeration)}"
            return _typed("kind::Member", kind, value_type(operation, protocol), known)
        case Content(prefix=0, limit=limit):
            return _typed("kind::Measured", _limit(limit))
        case Content(prefix=prefix, is_string=False, limit=limit):
            return _typed("kind::Chunk", prefix, _limit(limit))
        case Content(prefix=prefix, limit=limit, enumeration=enumeration):
            kind = _typed("kind::String", prefix, _text(operation), _limit(limit))
            if enumeration is None:
                return kind
            return _typed("kind::Word", kind, f"{protocol}::is_{snake(enumeration)}")
        case Fixed(size=size):
            return _typed("kind::Fixed", size)
        case Rest(limit=limit):
            return _typed("kind::Rest", _limit(limit))
        case Items(parts=parts, prefix=prefix, limit=limit):
            item = (
                _typed("kind::Entry", _text(parts[0])) if operation.is_pairs else kind_of(parts[0], protocol)
            )
            name = "Listed" if prefix else "OpenEnded" if operation.is_open else "Counted"
            return _typed(f"kind::{name}", item, prefix or None, _limit(limit))
        case _:
            raise ValueError(f"{operation.name}: only fields of the first frame with a value have a kind")


def operation_of(operation: Operation, message: MessageNames, protocol: str) -> str:
    """The type of the operation in the layout."""
    match operation:
        case Constant(_, content):
            return f"operation::Constant<{byte_list(content)}>"
        case Reserved(_, size):
            return _typed("operation::Reserved", size)
        case Number(relations=relations) if relations:
            number = operation_of(replace(operation, relations=()), message, protocol)
            return _typed(
                "operation::Related", number, *(_relation(relation, message) for relation in relations)
            )
        case Number(name) if name not in message.shown_names:
            first = [message.place(measured) for measured in operation.measures[:1]]
            return _typed("operation::Derived", kind_of(operation, protocol), message.place(name), *first)
    pointer = f"&{protocol}::{message.class_name}::{message.member(operation)}"
    match operation:
        case Apart(is_rest=is_rest, limit=limit):
            return _typed(f"operation::Frame{'s' if is_rest else ''}", pointer, _limit(limit))
        case Content(measured_by=str(sibling)) | Items(counted_by=str(sibling)):
            return _typed("operation::Field", pointer, kind_of(operation, protocol), message.place(sibling))
        case _:
            return _typed("operation::Field", pointer, kind_of(operation, protocol))


def as_field(value: str, operation: Operation, protocol: str) -> str:
    """`value`, an expression for a computed number or text, converted to the type of the message's member."""
    match operation:
        case Number(enumeration=enumeration, signed=signed) if signed or enumeration is not None:
            return f"static_cast<{value_type(operation, protocol)}>({value})"
        case Content(is_string=True, text=None):
            return f"zeps_wire::text_of({value})"
        case _:
            return value


def default_of(operation: Operation, protocol: str) -> str:
    """The initialiser of a member; empty if the field has no default."""
    match operation:
        case Number(field=Field(default=int() as value)):
            return as_field(literal(value), operation, protocol)
        case Content(is_string=True, field=Field(default=str() | bytes() as text)):
            return literal(text)
        case (
            Content(field=Field(default=str() | bytes() as text))
            | Fixed(field=Field(default=str() | bytes() as text))
        ):
            return f"zeps_wire::octets_of({literal(text)})"
        case _:
            return ""


def _typed(name: str, *arguments: str | int | None) -> str:
    return f"{name}<{', '.join(str(argument) for argument in arguments if argument is not None)}>"


def _limit(limit: int | None) -> str | None:
    return None if limit is None else literal(limit)


def _relation(relation: Relation, message: MessageNames) -> str:
    left, right = (
        f"operation::Literal<{literal(side)}>"
        if isinstance(side, int)
        else f"operation::NumberAt<{message.place(side)}>"
        for side in (relation.left, relation.right)
    )
    return _typed("operation::Relation", left, f"std::{COMPARISONS[relation.operator]}<>", right)


def _text(part: Operation) -> str:
    return f"Text::{_TEXTS[part.text if isinstance(part, Content) else None]}"
