"""What a protocol's header and source print that is neither in the model nor in the plan."""

from __future__ import annotations

from dataclasses import dataclass

from ...ir import Dispatch, Enumeration, Field, Protocol
from ...naming import Scope, screaming, snake
from ...plan.operations import Constant, Operation, Reserved, Topic
from .inline import Inline
from .lines import doc
from .names import MessageNames, Names, number, quoted
from .tables import Tables, check

__all__ = ["Codec", "doc_of"]

_DISPATCH = {
    Dispatch.SIGNATURE: "WIRE_BY_SIGNATURE",
    Dispatch.PUBSUB: "WIRE_BY_OCTET",
    Dispatch.OCTET: "WIRE_BY_OCTET",
    Dispatch.CONSTANT: "WIRE_BY_CONSTANT",
    Dispatch.NAME: "WIRE_BY_NAME",
}


@dataclass(frozen=True, slots=True)
class Define:
    """A macro or an enumerator."""

    name: str
    value: str
    doc: list[str]


@dataclass(frozen=True, slots=True)
class MessageView:
    names: MessageNames
    constants: list[Define]
    fields: list[str]
    inline: Inline


class Codec:
    """What templates/protocol.h.j2 and protocol.c.j2 print."""

    def __init__(self, protocol: Protocol, names: Names) -> None:
        self.protocol = protocol
        self.names = own = names.protocols[protocol.name]
        self.dispatch = _DISPATCH[protocol.dispatch]
        self.signature = f"0x{0xA0 | protocol.signature:02X}"
        self.quick = _quick(protocol.dispatch, self.signature)
        self.constants = [
            Define(names.scope.name(f"{own.upper}_{screaming(one.name)}"), _value(one.value), doc(one.doc))
            for one in protocol.constants
        ]
        self.enumerations = [(one, *self._enumeration(one, names)) for one in protocol.enumerations]
        self.tables = Tables({one.name: one for one in protocol.enumerations})
        self.messages = [
            self._message(one, f"{own.schemas}[{index}]", names.scope)
            for index, one in enumerate(own.messages.values())
        ]

    def _enumeration(self, one: Enumeration, names: Names) -> tuple[str | None, list[Define]]:
        """The name of its type and the members; without a name, they are macros."""
        stem = f"{self.names.upper}_{screaming(one.name)}"
        named = [(names.scope.name(f"{stem}_{screaming(member.name)}"), member) for member in one.members]
        values = [member.value for member in one.members]
        is_small = bool(values) and all(isinstance(value, int) and abs(value) < 1 << 31 for value in values)
        members = [
            Define(name, str(member.value) if is_small else _value(member.value), doc(member.doc))
            for name, member in named
        ]
        return names.scope.name(f"{self.names.file}_{snake(one.name)}") if is_small else None, members

    def _message(self, found: MessageNames, schema: str, scope: Scope) -> MessageView:
        check(found.message.name, (*found.plan.operations, *found.plan.apart))
        constants = [
            Define(scope.name(f"{found.macro}_{screaming(one.name)}"), _value(one.value), _doc_of_field(one))
            for one in found.message.fields
            if one.value is not None and self.protocol.has(one)
        ]
        inline = Inline(found.plan, found.members, self.names.table, schema)
        return MessageView(found, constants, self.tables.fields(found), inline)


def _quick(dispatch: Dispatch, signature: str) -> tuple[str, int] | None:
    """The test that a frame has an octet of id, and where that stands."""
    match dispatch:
        case Dispatch.SIGNATURE:
            return f"size > 2 && data[0] == 0xAA && data[1] == {signature}", 2
        case Dispatch.OCTET | Dispatch.PUBSUB:
            return "size > 0", 0
        case _:
            return None


def _value(value: int | str | bytes | None) -> str:
    if isinstance(value, str | bytes):
        return quoted(value)
    assert isinstance(value, int)
    return number(value)


def doc_of(operation: Operation) -> list[str]:
    """The comment of the operation's member."""
    return [] if isinstance(operation, Constant | Topic | Reserved) else _doc_of_field(operation.field)


def _doc_of_field(field: Field) -> list[str]:
    item = field if field.items is None else field.items
    values = "" if item.enumeration is None else f"{'Bits' if item.flags else 'One'} of {item.enumeration}."
    return doc(field.doc, values, indent=4)
