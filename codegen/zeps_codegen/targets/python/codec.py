"""The view of a protocol's module: its messages with the statements of their functions."""

from __future__ import annotations

from itertools import takewhile
from typing import Any

from ...ir import Dispatch, Protocol, Relation, Text, Type
from ...naming import Scope, screaming, snake
from ...plan import operations as op
from ...plan.enumerations import enumeration_plans
from ...plan.layout import Layout, layouts
from .names import Message, annotation, class_name, literal, tuple_of
from .statements import Statements

__all__ = ["codec_view", "default_of"]


def codec_view(protocol: Protocol) -> dict[str, Any]:
    """The variables of templates/codec.py.j2 for `protocol`."""
    is_numbered = protocol.dispatch not in (Dispatch.CONSTANT, Dispatch.NAME)
    messages = [CodedMessage(layout, is_numbered) for layout in layouts(protocol)]
    heads = [f"{message.upper}_HEAD" for message in messages]
    names = Scope("python", [head + suffix for head in heads for suffix in ("", "_SIZE")])
    longest_first = sorted(messages, key=lambda message: -len(message.plan.dispatch))
    return {
        "protocol": protocol,
        "messages": messages,
        "is_multipart": any(message.plan.apart for message in messages),
        "formats": sorted(set().union(*(message.formats for message in messages))),
        "enumerations": enumeration_plans(protocol),
        "constants": [(names.name(screaming(constant.name)), constant) for constant in protocol.constants],
        "signature": messages[0].plan.dispatch[:-1] if is_numbered else None,
        "dispatched": messages if is_numbered else longest_first,  # longer prefixes match first
    }


class CodedMessage(Message):
    """A message, and the statements of its functions."""

    def __init__(self, layout: Layout, is_numbered: bool) -> None:
        super().__init__(layout)
        plan, operations = self.plan, self.plan.all
        listed = (*plan.beginning, *operations)
        attributes = [literal(self.attribute(part)) for part in operations if part in self.shown]
        given = [literal(plan.name), tuple_of(map(_spelled, listed)), tuple_of(attributes)]
        self.layout = ", ".join([*given, str(is_numbered), str(plan.extensible)])
        """The arguments of the runtime's Layout."""
        kinds, first = op.Constant | op.Reserved | op.Fixed, plan.operations[: plan.tail]
        leading = [*takewhile(lambda part: isinstance(part, kinds) or getattr(part, "size", 0), first)]
        self.head, self.whole = Statements(self, leading, "offset"), Statements(self, plan.operations)
        self.scan = Statements(self, plan.operations, scan=True)
        self.arguments = [part for part in leading if isinstance(part, op.Number | op.Fixed)]
        """The fields of fixed size after the head, which functions for the head get as arguments."""
        self.locals = list(map(self.local, self.arguments))
        self.has_head = bool(self.arguments) and len(leading) < len(operations)
        self.head_count = len(listed) - len(operations) + len(leading)
        self.is_rare = plan.apart != () or any(getattr(part, "relations", ()) for part in operations)
        """Whether only the slow codec handles the message."""
        varying = [part for part in operations if isinstance(part, op.Content | op.Rest | op.Items)]
        self.varying = [f"`{self.attribute(part)}`" for part in varying]
        is_hidden = self.whole.has_loop or layout.has_topic or plan.apart
        self.has_scan = bool(varying) and not (is_hidden or plan.tail < len(plan.operations))
        """Whether content of variable size can be located by decoding only numbers."""
        used = [self.whole, *[self.scan] * self.has_scan, *[self.head] * self.has_head]
        self.formats = set().union(*(statements.formats for statements in used if not self.is_rare))


def _spelled(operation: op.Operation | Relation) -> str:
    """The expression that constructs an operation, without default arguments, and with members of enumerations."""
    given = []
    for name, value in op.given(operation):
        if name == "field":
            given += [f"default={default_of(operation)}"] * (value.default is not None)
        elif name == "enumeration":
            is_flags = isinstance(operation, op.Number) and operation.flags
            given.append(f"members={class_name(value) if is_flags else f'_members_of_{snake(value)}'}")
        elif name in ("parts", "relations"):
            given.append(f"{name}={tuple_of(map(_spelled, value))}")
        elif name != "flags":
            given.append(f"{name}={literal(value.value if isinstance(value, Text) else value)}")
    return f"_op.{type(operation).__name__}({', '.join(given)})"


def default_of(operation: op.Operation | Relation) -> str:
    """The expression for the value of the field in a frame that ends before it; empty without a default."""
    default = getattr(getattr(operation, "field", None), "default", None)
    if default is None or isinstance(operation, op.Items | Relation):
        return "()" * (default is not None)
    if isinstance(operation, op.Number | op.Content) and operation.enumeration is not None:
        return f"{class_name(operation.enumeration)}({literal(default)})"
    return literal(default, Type.OCTETS if annotation(operation) == "bytes" else None)
