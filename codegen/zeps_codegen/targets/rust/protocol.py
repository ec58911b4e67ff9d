"""A protocol's module beside the codecs: constants, enumerations, what fields may hold, dispatch, and an example."""

from __future__ import annotations

from ...ir import Dispatch, Field, Protocol, Text
from ...plan.enumerations import enumeration_plans
from ...plan.operations import Content, Fixed, Items, Number, Rest, Topic
from .docs import lines, sentence
from .literals import octets, quoted
from .names import Slot, Struct, built, message_type, module_name, structs

__all__ = ["constants_of", "describe", "literal", "sample", "view_protocol"]

_TEXTS = {
    Text.OCTETS: "Octets",
    Text.UTF8: "UTF-8",
    Text.PRINTABLE: "UTF-8 without control characters",
    Text.VCHAR: "visible ASCII",
}
_PAIRS = "Keys and values in the order of the wire; equal keys are pairs of their own."


def view_protocol(protocol: Protocol) -> dict[str, object]:
    """What templates/codec.rs.j2 prints."""
    found = structs(protocol)
    return {
        "protocol": protocol,
        "module": module_name(protocol.name),
        "sample": sample(protocol),
        "enumerations": enumeration_plans(protocol),
        "structs": found,
        "any_message": message_type(found, "'a"),
        "longest_first": sorted(found, key=lambda one: -len(one.plan.dispatch)),
        "unknown": _unknown(protocol, found),
    }


def constants_of(struct: Struct) -> list[Field]:
    """The constant fields of a message."""
    places = (*struct.layout.head_constants, *struct.layout.places)
    return [place.field for place in places if place.octets is not None]


def literal(value: int | str | bytes | None) -> tuple[str, str]:
    """The type of a constant, and its spelling."""
    if isinstance(value, bytes):
        return f"[u8; {len(value)}]", f"*{octets(value)}"
    if isinstance(value, str):
        return "&str", quoted(value)
    assert value is not None
    return f"{'i' if value < 0 else 'u'}{64 if -(1 << 63) <= value < 1 << 64 else 128}", str(value)


def describe(slot: Slot) -> list[str]:
    """What the model says of a field, and what it may hold."""
    operation = slot.operation
    if not isinstance(operation, Number | Content | Fixed | Rest | Items):
        return ["What the message is about."]
    said = [sentence(operation.field.doc) or f"The field `{operation.name}`."]
    match operation:
        case Items(limit=limit, is_open=is_open, is_pairs=is_pairs):
            said += ["To the end of the frame."] * is_open + [_PAIRS] * is_pairs
            said += [f"At most {limit} items."] * (limit is not None)
        case Content(enumeration=None, most=most, is_string=True):
            said.append(f"{_TEXTS[operation.field.text]}, at most {most} octets.")
        case Content(enumeration=None, limit=int(limit)) | Rest(limit=int(limit)):
            said.append(f"At most {limit} octets.")
        case Number(limit=int(limit)) | Content(limit=int(limit)):
            said.append(f"At most {limit}.")
    return lines(" ".join(said))


def _unknown(protocol: Protocol, structs: list[Struct]) -> str | None:
    """The error of a frame that holds no message; None if any frame holds one."""
    match protocol.dispatch:
        case Dispatch.CONSTANT:
            beginnings = [one.plan.dispatch for one in structs]
            listed = ", ".join(map(octets, beginnings))
            return f"wire::unknown_beginning(frame, &[{listed}])" if all(beginnings) else None
        case Dispatch.NAME:
            return "wire::unknown_name(frame)"
        case Dispatch.SIGNATURE:
            return f"wire::unknown_number(frame, &[0xaa, {0xA0 | protocol.signature:#x}])"
        case _:
            return "wire::unknown_number(frame, &[])"


def sample(protocol: Protocol) -> tuple[str, str] | None:
    """A struct for an example, and the expression for one: the one with most fields whose values are plain."""
    chosen = [one for one in structs(protocol) if all(_sample(slot) is not None for slot in one.shown)]
    if not chosen:
        return None
    struct = max(chosen, key=lambda one: len(one.shown))
    values = (f"{slot.name}: {_sample(slot)}" for slot in struct.shown)
    return struct.name, built(f"{module_name(protocol.name)}::{struct.name}", values)


def _sample(slot: Slot) -> str | None:
    match slot.operation:
        case Topic():
            return '"some"'
        case Number(enumeration=str()) | Content(enumeration=str()):
            return None
        case Number(limit=int(limit)) | Content(limit=int(limit)) if limit < 8:
            return None
        case Number():
            return "7"
        case Content(prefix=prefix, text=text, is_string=is_string) if prefix:
            return '"some"' if text else 'b"some"' if is_string else 'b"octets"'
        case _:
            return None
