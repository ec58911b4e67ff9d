"""A protocol's module beside the codecs: constants, enumerations, what fields may hold, dispatch, and an example."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ...ir import Constant, Dispatch, Field, FieldType, Protocol, Text
from ...naming import Scope, pascal, screaming
from ...plan.enumerations import EnumerationPlan, enumeration_plans
from ...plan.layout import number_range
from ...plan.operations import Content, Fixed, Items, Number, Rest, Topic
from .codec import Codec
from .docs import described, lines, sentence
from .literals import octets, quoted
from .names import Slot, Struct, built, message_type, module_name, structs, type_name

__all__ = ["Named", "example", "view_protocol"]

_TEXTS = {
    Text.OCTETS: "Octets",
    Text.UTF8: "UTF-8",
    Text.PRINTABLE: "UTF-8 without control characters",
    Text.VCHAR: "visible ASCII",
}


class Named(NamedTuple):
    """A constant."""

    name: str
    kind: str
    value: str
    doc: list[str]


def view_protocol(protocol: Protocol) -> dict[str, object]:
    """What templates/codec.rs.j2 prints."""
    found = structs(protocol)
    return {
        "protocol": protocol,
        "module": module_name(protocol.name),
        "example": example(protocol),
        "constants": _constants(protocol.constants),
        "enumerations": enumeration_plans(protocol),
        "members_of": _members,
        "screaming": screaming,
        "type_name": type_name,
        "structs": found,
        "any_message": message_type(found, "'a"),
        "longest_first": sorted(found, key=lambda one: -len(one.plan.dispatch)),
        "unknown": _unknown(protocol, found),
        "codec": Codec,
        "constants_of": _constants_of,
        "describe": _describe,
    }


def _constants_of(struct: Struct) -> list[Named]:
    """The constant fields of a message."""
    places = (*struct.layout.head_constants, *struct.layout.places)
    return _constants([place.field for place in places if place.octets is not None], "ID", "NAME")


def _constants(constants: Iterable[Constant | Field], *taken: str) -> list[Named]:
    scope = Scope("rust", taken)
    return [Named(scope.name(screaming(one.name)), *_literal(one.value), described(one)) for one in constants]


def _literal(value: int | str | bytes | None) -> tuple[str, str]:
    """The type of a constant, and its spelling."""
    if isinstance(value, bytes):
        return f"[u8; {len(value)}]", f"*{octets(value)}"
    if isinstance(value, str):
        return "&str", quoted(value)
    assert value is not None
    least, greatest = number_range(Field("", FieldType.VARINT, signed=value < 0))
    return f"{'i' if value < 0 else 'u'}{64 if least <= value <= greatest else 128}", str(value)


def _members(plan: EnumerationPlan) -> dict[str, str]:
    """What the members are called: a set's are constants."""
    scope = Scope("rust")
    spell = screaming if plan.is_flags else pascal
    return {one.name: scope.name(spell(one.name)) for one in plan.enumeration.members}


def _describe(slot: Slot) -> list[str]:
    """What the model says of a field, and what it may hold."""
    operation = slot.operation
    if not isinstance(operation, Number | Content | Fixed | Rest | Items):
        return ["What the message is about."]
    field = operation.field
    limits = []
    match operation:
        case Items(limit=limit) as items:
            limits += ["To the end of the frame."] * items.is_open
            limits += [
                "Keys and values in the order of the wire; equal keys are pairs of their own."
            ] * items.is_pairs
            limits += [f"At most {limit} items."] * (limit is not None)
        case Content(enumeration=None, most=most, is_string=True):
            limits.append(f"{_TEXTS[field.text]}, at most {most} octets.")
        case (Content(enumeration=None) | Rest()) as octets_ if octets_.limit is not None:
            limits.append(f"At most {octets_.limit} octets.")
        case (Number() | Content()) as value if value.limit is not None:
            limits.append(f"At most {value.limit}.")
    return lines(" ".join([sentence(field.doc) or f"The field `{field.name}`.", *limits]))


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


def example(protocol: Protocol) -> list[str]:
    """A message that is encoded and decoded: the one with most fields whose values are plain. Its own page tests it."""
    chosen = [one for one in structs(protocol) if all(_sample(slot) is not None for slot in one.shown)]
    if not chosen:
        return []
    struct = max(chosen, key=lambda one: len(one.shown))
    module = module_name(protocol.name)
    message = built(f"{module}::{struct.name}", (f"{slot.name}: {_sample(slot)}" for slot in struct.shown))
    return [
        f"use zeps_wire::{{{module}, Encode}};",
        "",
        f"let message = {message};",
        "let frame = message.encode()?;",
        f"assert_eq!({module}::decode(&frame), Ok({module}::Message::{struct.name}(message)));",
        f"assert!({module}::decode(&frame[..frame.len() - 1]).is_err());",
        "# Ok::<(), zeps_wire::EncodeError>(())",
    ]


def _sample(slot: Slot) -> str | None:
    match slot.operation:
        case Topic():
            return '"some"'
        case (Number() | Content()) as one if one.enumeration or (one.limit is not None and one.limit < 8):
            return None
        case Number():
            return "7"
        case Content(prefix=prefix, text=text, is_string=is_string) if prefix:
            return '"some"' if text else 'b"some"' if is_string else 'b"octets"'
        case _:
            return None
