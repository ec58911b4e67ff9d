"""Spells the operations of a codec: members of structs, entries of tables, and calls of the reader and the writer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from ...ir import Dispatch, Enumeration, Relation, Text
from ...plan.operations import (
    Apart,
    Constant,
    Content,
    Fixed,
    Items,
    Number,
    Operation,
    Plan,
    Reserved,
    Rest,
    Topic,
)
from ..operators import U64_MAX
from .names import MessageNames, ProtocolNames, number, quoted

__all__ = ["c_type", "call", "entries", "entry", "identifier", "is_quick", "literal", "varying"]

_TEXTS = {
    None: "WIRE_ANY_OCTETS",
    Text.UTF8: "WIRE_UTF8",
    Text.PRINTABLE: "WIRE_PRINTABLE",
    Text.VCHAR: "WIRE_VCHAR",
}
_COMPARISONS = {"==": "EQ", "!=": "NE", "<": "LT", "<=": "LE", ">": "GT", ">=": "GE"}
_TYPES = {Constant: "CONSTANT", Topic: "TOPIC", Reserved: "RESERVED", Fixed: "FIXED", Rest: "REST"}


def c_type(operation: Operation) -> str:
    """The type of the operation's member."""
    match operation:
        case Number(signed=signed, bits=bits):
            return f"{'' if signed else 'u'}int{bits}_t"
        case Topic() | Content(is_string=True):
            return "wire_text"
        case Items(is_pairs=True):
            return "wire_pairs"
        case Items(item=Number(signed=signed)):
            return "wire_integers" if signed else "wire_numbers"
        case Items(item=Content(is_string=True)):
            return "wire_texts"
        case Items(item=Items()):
            return "wire_lists"
        case Items() | Apart(is_rest=True):
            return "wire_blobs"
        case _:
            return "wire_octets"


def literal(value: int | str | bytes | None) -> str:
    """A constant of the model."""
    return number(value) if isinstance(value, int) else quoted(value or "")


def identifier(names: ProtocolNames) -> str:
    """An expression that tells messages apart: by their ids, or by their kinds if it calls wire_find_kind()."""
    match names.protocol.dispatch:
        case Dispatch.SIGNATURE:
            signature = f"0x{0xA0 | names.protocol.signature:02X}"
            return f"size > 2 && data[0] == 0xAA && data[1] == {signature} ? data[2] : -1"
        case Dispatch.OCTET | Dispatch.PUBSUB:
            return "size > 0 ? data[0] : -1"
        case _:
            return f"wire_find_kind(&{names.table}, data, size)"


# --- the common path, inline


def is_quick(plan: Plan) -> bool:
    """Whether the header has a codec of its own for the message; the tables serve all others, and what is wrong."""
    is_plain = not plan.apart and not plan.extensible and plan.tail == len(plan.operations)
    return is_plain and all(map(_is_quick, plan.operations))


def _is_quick(operation: Operation) -> bool:
    match operation:
        case Number(size=size, enumeration=None, measures=(), relations=()):
            return size > 0
        case Content(prefix=prefix, enumeration=None):
            return prefix > 0
        case Constant() | Reserved() | Fixed() | Rest():
            return True
        case _:
            return False


def varying(names: MessageNames) -> list[str]:
    """The members whose octets vary in number."""
    return [member for one, member in names.members.items() if isinstance(one, Content | Rest)]


def call(verb: str, stream: str, operation: Operation, names: MessageNames) -> str:
    """The call that reads or writes the operation."""
    member = f"&{stream}, &message->{names.members.get(operation)}"
    is_last = names.members.get(operation) in varying(names)[-1:]
    last = f", {str(is_last).lower()}" if verb == "read" else ""
    match operation:
        case Constant(_, octets):
            return f"wire_{verb}_constant(&{stream}, {quoted(octets)}, {len(octets)})"
        case Reserved(_, size):
            return f"wire_{verb}_reserved(&{stream}, {size})"
        case Number(signed=signed, bits=bits, limit=limit, greatest=greatest):
            most = number(greatest if limit is None else limit)
            return f"wire_{verb}_{'i' if signed else 'u'}{bits}({member}, {most})"
        case Fixed(size=size):
            return f"wire_{verb}_fixed({member}, {size})"
        case Content(is_string=True, prefix=prefix, text=text):
            return f"wire_{verb}_text({member}, {prefix}, {_most(operation)}{last}, {_TEXTS[text]})"
        case Content(prefix=prefix):
            return f"wire_{verb}_octets({member}, {prefix}, {_most(operation)}{last})"
        case Rest():
            return f"wire_{verb}_rest({member}, {_most(operation)})"
        case _:
            raise ValueError(f"{operation.name} is not on the common path")


def _most(operation: Content | Rest) -> str:
    most = operation.limit if isinstance(operation, Rest) else operation.most
    return number(U64_MAX if most is None else most)


# --- the tables


def entries(names: MessageNames) -> list[str]:
    """The initializers of the message's wire_fields, constants and derived numbers included."""
    plan, enumerations = names.plan, names.enumerations
    operations = (*plan.constants, *plan.operations, *plan.apart)
    places = {one.name: index for index, one in enumerate(operations) if not isinstance(one, Topic)}
    return [
        entry(one, enumerations, names.type, names.members.get(one), places, one.name) for one in operations
    ]


def entry(
    operation: Operation,
    enumerations: Mapping[str, Enumeration],
    struct: str = "",
    member: str | None = None,
    places: Mapping[str, int] = MappingProxyType({}),
    name: str = "item",
) -> str:
    """The initializer of a wire_field; `member` is None for what `struct` does not have."""
    values: dict[str, Any] = {"name": quoted(name), "type": f"WIRE_{_TYPES.get(type(operation))}"}
    match operation:
        case Constant(_, octets):
            values |= {"octets": len(octets), "constant": f"(const uint8_t *){quoted(octets)}"}
        case Topic():
            values |= {"text": "WIRE_UTF8"}
        case Reserved(_, size) | Fixed(size=size):
            values |= {"octets": size}
        case Number(size=size, signed=signed, measures=measures):
            width = operation.bits // 8 if struct else 8
            values |= {"type": "WIRE_NUMBER" if size else "WIRE_VARINT", "size": size, "width": width}
            values |= {"is_signed": "true" if signed else None, "measure_count": len(measures)}
            values["measures"] = _array("uint16_t", (str(places[one]) for one in measures))
            relations = [_relation(one, places) for one in operation.relations if places]
            values |= {"relations": _array("wire_relation", relations), "relation_count": len(relations)}
        case Content(prefix=prefix, text=text):
            kind = "STRING" if operation.is_string else "CHUNK" if prefix else "MEASURED"
            values |= {"type": f"WIRE_{kind}", "size": prefix, "text": _TEXTS[text] if text else None}
        case Items(prefix=prefix, parts=parts, is_open=is_open):
            item = f"&(const wire_field){entry(parts[0], enumerations)}"
            if isinstance(parts[0], Content) and operation.is_pairs:
                item = f"wire_pair_parts[{_TEXTS[parts[0].text]}]"
            kind = "HASH" if operation.is_pairs else "LIST"
            values |= {"type": f"WIRE_{kind}", "size": prefix, "item": item}
            values |= {"is_open_ended": "true" if is_open else None}
        case Apart(is_rest=is_rest):
            values |= {"type": "WIRE_FRAMES" if is_rest else "WIRE_FRAME"}
            values |= {"item": "&wire_frame_item" if is_rest else None}
    if isinstance(operation, Number | Content) and operation.enumeration is not None:
        values["enumeration"] = _enumeration(operation, enumerations[operation.enumeration])
    limit, default = (
        getattr(operation, "limit", None),
        getattr(getattr(operation, "field", None), "default", None),
    )
    if limit is not None:
        values |= {"is_limited": "true", "max": number(limit)}
    if default is not None and not isinstance(operation, Items):
        values["fallback"] = f"&(const wire_value){{{_value(default)}}}"
    if member is not None:
        values["offset"] = f"offsetof({struct}, {member})"
    return _struct(values)


def _enumeration(operation: Number | Content, enumeration: Enumeration) -> str:
    members = [member.value for member in enumeration.members]
    values: dict[str, Any] = {"count": len(members)}
    if isinstance(operation, Content):
        texts = (f"{{{quoted(one)}, {len(one.encode())}}}" for one in members if isinstance(one, str))
        values["texts"] = _array("wire_text", texts)
    else:
        numbers = [one & U64_MAX for one in members if isinstance(one, int)]
        mask = 0
        for one in numbers:
            mask |= one
        values |= {"numbers": _array("uint64_t", map(number, numbers)), "mask": number(mask)}
        values |= {"flags": "true" if operation.flags else None}
    return f"&(const wire_enumeration){_struct(values)}"


def _value(value: int | str | bytes) -> str:
    if isinstance(value, int):
        return f".number = {number(value & U64_MAX)}"
    octets = value.encode() if isinstance(value, str) else value
    return f".octets = {{(const uint8_t *){quoted(octets)}, {len(octets)}}}"


def _relation(relation: Relation, places: Mapping[str, int]) -> str:
    right = relation.right
    place, constant = (-1, number(right)) if isinstance(right, int) else (places[right], "0")
    return f"{{{places[relation.left]}, WIRE_{_COMPARISONS[relation.operator]}, {place}, {constant}}}"


def _array(kind: str, values: Iterable[str]) -> str | None:
    listed = ", ".join(values)
    return f"(const {kind}[]){{{listed}}}" if listed else None


def _struct(values: Mapping[str, Any]) -> str:
    """An initializer; what is None or 0 is left to C."""
    return f"{{{', '.join(f'.{name} = {value}' for name, value in values.items() if value)}}}"
