"""The view of a protocol's module: its messages with the statements of their functions."""

from __future__ import annotations

import dataclasses
from itertools import takewhile
from typing import Any

from ...ir import Dispatch, Protocol, Relation, Text, Type
from ...naming import Scope, screaming, snake
from ...plan import operations as op
from ...plan.enumerations import enumeration_plans
from ...plan.layout import Layout, layouts
from .names import Message, annotation, class_name, literal, tuple_of
from .statements import Statements, numbers_of

__all__ = ["codec_view", "default_of"]


def codec_view(protocol: Protocol) -> dict[str, Any]:
    """What templates/codec.py.j2 asks for `protocol`."""
    is_numbered = protocol.dispatch not in (Dispatch.CONSTANT, Dispatch.NAME)
    is_multipart = any(layout.has_frames for layout in layouts(protocol))
    messages = [CodedMessage(layout, is_numbered) for layout in layouts(protocol)]
    names = Scope("python", [f"{one.upper}_HEAD{suffix}" for one in messages for suffix in ("", "_SIZE")])
    return {
        "protocol": protocol,
        "messages": messages,
        "is_multipart": is_multipart,
        "formats": sorted(set().union(*(one.formats for one in messages))),
        "enumerations": enumeration_plans(protocol),
        "constants": [(names.name(screaming(one.name)), one) for one in protocol.constants],
        # what stands before the number, of protocols whose messages are numbered
        "signature": messages[0].plan.dispatch[:-1] if is_numbered else None,
        # the longest beginning first, so that none hides another
        "dispatched": messages if is_numbered else sorted(messages, key=lambda one: -len(one.plan.dispatch)),
    }


class CodedMessage(Message):
    """A message, and the statements of its functions."""

    def __init__(self, layout: Layout, is_numbered: bool) -> None:
        super().__init__(layout)
        self.formats: set[tuple[str, str]] = set()
        self.layout = _layout(self, is_numbered)
        plan, operations = self.plan, (*self.plan.operations, *self.plan.apart)
        whole, scanner = Statements(self, True), Statements(self, True, scan=True)
        for each in (whole, scanner):
            each.walk(plan.operations)
            each.close()
            each.finish()
        frames = [(f"self.{self.attribute(one)}", one.is_rest) for one in plan.apart]
        self.sizes = [
            whole.size,
            *(f"sum(map(len, {name}))" if is_rest else f"len({name})" for name, is_rest in frames),
        ]
        # what the slow codec does alone
        self.is_rare = bool(plan.apart) or any(
            isinstance(one, op.Number) and one.relations for one in operations
        )
        self.encode, self.decode = whole.writes, whole.reads
        self.formats |= whole.formats if not self.is_rare else set()
        self.lists = [one for one in operations if isinstance(one, op.Items) and numbers_of(one) is None]
        # where content of varying size lies, if it is found without decoding anything else than numbers
        is_scanned = bool(scanner.extents) and not (
            self.lists or layout.has_topic or plan.apart or plan.tail < len(plan.operations)
        )
        self.scan, self.extents = scanner.reads if is_scanned else [], scanner.extents
        self.formats |= {one for one in scanner.formats if is_scanned and one[0] != "pack"}
        varying = [one for one in operations if isinstance(one, op.Content | op.Rest | op.Items)]
        self.scanned = [f"`{self.attribute(one)}`" for one in varying]
        # the fields of fixed size after the head, and those of them that functions are told
        leading = list(takewhile(_size, plan.operations[: plan.tail]))
        self.head_size = len(plan.head) + sum(map(_size, leading))
        self.arguments = [one for one in leading if isinstance(one, op.Number | op.Fixed)]
        self.locals = list(map(self.local, self.arguments))
        self.has_head = bool(self.arguments) and len(leading) < len(operations)
        head = Statements(self, False, "offset")
        head.walk(leading)
        head.finish()
        self.pack, self.unpack = head.writes, head.reads
        self.formats |= head.formats if self.has_head else set()


def _size(one: op.Operation) -> int:
    """The octets that it always takes; 0 if they vary."""
    match one:
        case op.Constant(octets=octets):
            return len(octets)
        case op.Reserved(size=size) | op.Fixed(size=size) | op.Number(size=size):
            return size
        case _:
            return 0


def _layout(message: Message, is_numbered: bool) -> str:
    """The arguments of the runtime's Layout."""
    plan = message.plan
    operations = (*plan.constants, *plan.operations, *plan.apart)
    spelled = [f"Constant(None, {literal(plan.head[: plan.seen])})"] * bool(plan.seen) + list(
        map(_spelled, operations)
    )
    attributes = [literal(message.attribute(one)) for one in operations if one in message.shown]
    return (
        f"{literal(plan.name)}, {tuple_of(spelled)}, {tuple_of(attributes)}, {is_numbered}, {plan.extensible}"
    )


def _spelled(one: op.Operation | Relation) -> str:
    """An operation as the runtime has it, without what is its default, and enumerations by their members."""
    given = []
    for field in dataclasses.fields(one):
        value = getattr(one, field.name)
        match field.name:
            case "field" if value.default is not None:
                given.append(f"default={default_of(one)}")
            case "enumeration" if value is not None:
                is_flags = isinstance(one, op.Number) and one.flags
                given.append(f"members={class_name(value) if is_flags else f'_members_of_{snake(value)}'}")
            case "parts" | "relations" as name if value:
                given.append(f"{name}={tuple_of(map(_spelled, value))}")
            case name if name not in ("field", "flags") and value != field.default:
                given.append(f"{name}={literal(value.value if isinstance(value, Text) else value)}")
    return f"{type(one).__name__}({', '.join(given)})"


def default_of(one: op.Operation | Relation) -> str:
    """What the field is in a frame that ends before it; nothing if it has no default."""
    if isinstance(one, op.Constant | op.Topic | op.Reserved | Relation):
        return ""
    default = one.field.default
    if default is None or isinstance(one, op.Items):
        return "" if default is None else "()"
    if isinstance(one, op.Number | op.Content) and one.enumeration is not None:
        return f"{class_name(one.enumeration)}({literal(default)})"
    return literal(default, Type.OCTETS if annotation(one) == "bytes" else None)
