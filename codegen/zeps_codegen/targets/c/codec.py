"""Generates the operations of a codec: members of structs, entries of tables, and calls of readers and writers."""

from __future__ import annotations

from ...ir import Dispatch, Text
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

__all__ = [
    "c_type",
    "identifier",
    "is_quick",
    "literal",
    "natural",
    "places",
    "text_class",
    "varying",
    "wire_type",
]

_TEXTS = {
    None: "WIRE_ANY_OCTETS",
    Text.UTF8: "WIRE_UTF8",
    Text.PRINTABLE: "WIRE_PRINTABLE",
    Text.VCHAR: "WIRE_VCHAR",
}


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
    """A literal of a constant of the model."""
    return number(value) if isinstance(value, int) else quoted(value or "")


def identifier(names: ProtocolNames) -> str:
    """The C expression for the message of a frame in `data` and `size`: its id, or -1 if the frame has none; with
    dispatch by name or by constants its kind, or 0 for an unknown message.
    """
    match names.protocol.dispatch:
        case Dispatch.SIGNATURE:
            signature = f"0x{0xA0 | names.protocol.signature:02X}"
            return f"size > 2 && data[0] == 0xAA && data[1] == {signature} ? data[2] : -1"
        case Dispatch.OCTET | Dispatch.PUBSUB:
            return "size > 0 ? data[0] : -1"
        case _:
            return f"wire_find_kind(&{names.functions['protocol']}, data, size)"


# --- the common path, inline


def is_quick(plan: Plan) -> bool:
    """Whether the header has a specialised codec for the message; the tables handle all other messages, and errors."""
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
    """The members for texts and bytes of variable size, in wire order; without the topic, lists and frames."""
    return [member for operation, member in names.members.items() if isinstance(operation, Content | Rest)]


# --- the tables


def wire_type(operation: Operation) -> str:
    """The type of the operation in the tables."""
    match operation:
        case Number(size=size):
            return "NUMBER" if size else "VARINT"
        case Content(is_string=is_string, prefix=prefix):
            return "STRING" if is_string else "CHUNK" if prefix else "MEASURED"
        case Items(is_pairs=is_pairs):
            return "HASH" if is_pairs else "LIST"
        case Apart(is_rest=is_rest):
            return "FRAMES" if is_rest else "FRAME"
        case _:
            return type(operation).__name__.upper()


def text_class(operation: Content | Topic) -> str:
    """The class of the operation's text."""
    return _TEXTS[Text.UTF8 if isinstance(operation, Topic) else operation.text]


def places(plan: Plan) -> dict[str, int]:
    """The index of each field but the topic in the message's table, by the model's names; the topic has one too."""
    operations = enumerate((*plan.constants, *plan.all))
    return {operation.name: index for index, operation in operations if not isinstance(operation, Topic)}


def natural(value: int) -> str:
    """A number in two's complement of 64 bits."""
    return number(value & U64_MAX)
