"""What an operation is in C++: the type of its value, and the kind (`runtime/include/kinds.hpp`) that carries it."""

from __future__ import annotations

from ...ir import Text
from ...naming import snake
from ...plan.operations import Content, Fixed, Items, Number, Operation, Rest, Topic
from .names import enumeration_name

__all__ = ["kind_of", "may_misfit", "may_refuse", "value_type"]

_TEXTS = {None: "octets", Text.UTF8: "utf8", Text.PRINTABLE: "printable", Text.VCHAR: "vchar"}


def value_type(operation: Operation) -> str:
    """The type of its value, within a protocol's namespace."""
    match operation:
        case Number(enumeration=str(enumeration)):
            return enumeration_name(enumeration)
        case Number(signed=signed):
            return "std::int64_t" if signed else "std::uint64_t"
        case Topic() | Content(is_string=True):
            return "std::string_view"
        case Content() | Fixed() | Rest():
            return "zeps_wire::Octets"
        case Items(is_pairs=True):
            return "zeps_wire::List<zeps_wire::Pair>"
        case Items(item=item):
            return f"zeps_wire::List<{value_type(item)}>"
        case _:
            raise ValueError(f"{operation.name} has no value")


def kind_of(operation: Operation) -> str:
    """The kind that carries it, as a type."""
    match operation:
        case Topic():
            return "zeps_wire::kind::Topic"
        case Number(size=size, signed=signed):
            sized = ("Signed" if signed else "Number", str(size))
            kind = _kind(*(sized if size else ("Zigzag" if signed else "Varint",)), *_limit(operation))
            if operation.enumeration is None:
                return kind
            known = f"is_{'all_' if operation.flags else ''}{snake(operation.enumeration)}"
            return f"zeps_wire::kind::Member<{kind}, {enumeration_name(operation.enumeration)}, {known}>"
        case Content(prefix=0):
            return _kind("Measured", *_limit(operation))
        case Content(prefix=prefix, is_string=False):
            return _kind("Chunk", str(prefix), *_limit(operation))
        case Content(prefix=prefix):
            kind = _kind("String", str(prefix), _text(operation), *_limit(operation))
            if operation.enumeration is None:
                return kind
            return f"zeps_wire::kind::Word<{kind}, is_{snake(operation.enumeration)}>"
        case Fixed(size=size):
            return _kind("Fixed", str(size))
        case Rest():
            return _kind("Rest", *_limit(operation))
        case Items(is_pairs=True, parts=(Content() as key, _), is_open=is_open):
            entry = ("OpenEnded", _kind("Entry", _text(key))) if is_open else ("Hash", _text(key))
            return _kind(*entry, *_limit(operation))
        case Items(item=item, is_open=True):
            return _kind("OpenEnded", kind_of(item), *_limit(operation))
        case Items(item=item, prefix=0):
            return _kind("Counted", kind_of(item), *_limit(operation))
        case Items(item=item, prefix=prefix):
            return _kind("Listed", kind_of(item), str(prefix), *_limit(operation))
        case _:
            raise ValueError(f"{operation.name} has no value")


def may_refuse(operation: Operation) -> bool:
    """Whether there are values of its type that the model forbids."""
    match operation:
        case Number(limit=limit, enumeration=enumeration):
            return limit is not None or enumeration is not None
        case Content(limit=limit, text=text):
            return limit is not None or text is not None
        case Rest(limit=limit):
            return limit is not None
        case _:
            return True


def may_misfit(operation: Operation) -> bool:
    """Whether there are values of its type, and not forbidden, that its octets cannot hold."""
    match operation:
        case Number(size=size, signed=signed, limit=limit):
            return 0 < size < 8 and (signed or limit is None)
        case Content(prefix=prefix, limit=limit):
            return 0 < prefix < 8 and limit is None
        case _:
            return isinstance(operation, Items)


def _limit(operation: Number | Content | Rest | Items) -> list[str]:
    return [] if operation.limit is None else [f"{operation.limit}U"]


def _text(content: Content) -> str:
    return f"zeps_wire::Text::{_TEXTS[content.text]}"


def _kind(name: str, *arguments: str) -> str:
    return f"zeps_wire::kind::{name}<{', '.join(arguments)}>"
