"""The view of a protocol: its names and types, and the plans of its messages as data, which the runtime interprets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...ir import Protocol, Relation, Text
from ...naming import Scope
from ...plan import operations as op
from ...plan.build import plan_of
from ...plan.enumerations import enumeration_plans
from ...plan.layout import Layout, layouts
from ...plan.operations import Operation
from ...plan.run import default_of, zero_of
from .names import literal, lower, module_name, scoped

__all__ = ["CodecView", "MessageView"]

_RESERVED = ("decode", "decode_frames", "encode", "encode_frames", "messages", "name")


class MessageView:
    """A message: its module, the keys of all values that are read, by field in wire order (`keys`; the topic's field is
    ""), and the operations on the values in its struct, by key (`shown`).
    """

    def __init__(self, layout: Layout, module: str) -> None:
        self.layout, self.plan, self.module = layout, (plan := plan_of(layout)), module
        scope, names = Scope("elixir"), {"", *(field.name for field in layout.shown)}
        ends = [op.Constant(topic.name, b"\0") for topic in plan.operations[: layout.has_topic]]
        operations = (*plan.operations[: len(ends)], *ends, *plan.operations[len(ends) :])
        self.operations = (*plan.beginning, *operations)
        """On the first frame, with all of its bytes."""
        read = [operation for operation in plan.all if not isinstance(operation, op.Constant | op.Reserved)]
        self.keys = {op.key_of(operation): scope.name(lower(operation.name)) for operation in read}
        self.shown = {
            self.keys[op.key_of(operation)]: operation for operation in read if op.key_of(operation) in names
        }
        docs = {field.name: field.doc for field in layout.message.fields}
        docs |= {"": "What subscriptions are compared with"}
        self.docs = [(key, docs[op.key_of(operation)]) for key, operation in self.shown.items()]

    def starting_values(self) -> str:
        """The values of a new struct as ``key: value``, separated by commas: defaults of fields, or zero or empty."""
        values = {key: default_of(operation) or zero_of(operation) for key, operation in self.shown.items()}
        return ", ".join(f"{key}: {literal(value)}" for key, value in values.items())


class CodecView:
    """The variables of templates/codec.ex.j2 for a protocol."""

    def __init__(self, protocol: Protocol, module: str) -> None:
        self.protocol, self.module, self.title = protocol, module, f"codec: {protocol.title}"
        scope = Scope("elixir")
        named_layouts = [
            (layout, f"{module}.{scope.name(module_name(layout.message.name))}")
            for layout in layouts(protocol)
        ]
        self.messages = {layout.message.name: MessageView(layout, name) for layout, name in named_layouts}
        #: Longer beginnings first: of several messages whose beginnings match a frame, the first one is decoded.
        self.longest_first = sorted(self.messages.values(), key=lambda message: -len(message.plan.dispatch))
        self.enumerations = {
            plan.enumeration.name: (
                plan,
                f"{module}.{scope.name(module_name(plan.enumeration.name))}",
                scoped(Scope("elixir", ["members"]), plan.enumeration.members),
            )
            for plan in enumeration_plans(protocol)
        }
        self.constants = scoped(Scope("elixir", _RESERVED), protocol.constants)
        self.is_multipart = any(message.plan.apart for message in self.messages.values())

    def type_of(self, operation: Operation) -> str:
        """The type, in Elixir's notation, of the value that an operation reads."""
        match operation:
            case op.Number(enumeration=str(name)) | op.Content(enumeration=str(name)):
                return f"{self.enumerations[name][1]}.t()"
            case op.Number(signed=signed):
                return "integer()" if signed else "non_neg_integer()"
            case op.Topic() | op.Content(text=Text()):
                return "String.t()"
            case op.Items(parts=parts):
                inner = ", ".join(map(self.type_of, parts))
                return f"[{{{inner}}}]" if operation.is_pairs else f"[{inner}]"
            case op.Apart(is_rest=True):
                return "[binary()]"
            case _:
                return "binary()"

    def operation(
        self, operation: Operation, keys: Mapping[str, str], optional: bool = False, name: str = ""
    ) -> str:
        """An operation as the runtime's struct, without default slots. The frame may end before an `optional` one;
        parts of items have no entry in `keys`, the keys by field, and the `name` of their list.
        """
        name = name or operation.name
        given = {"kind": f":{type(operation).__name__.lower()}", "name": literal(name)}
        if not isinstance(operation, op.Constant) and op.key_of(operation) in keys:
            given["key"] = f":{keys[op.key_of(operation)]}"
        for slot, value in op.given(operation):
            match slot:
                case "name" | "field":
                    pass
                case "enumeration":
                    members = self.enumerations[value][0].enumeration.members
                    given["members"] = literal([member.value for member in members])
                case "counted_by" | "measured_by":
                    given["counted_by"] = f":{keys[value]}"
                case "measures":
                    given[slot] = _listed(f"{{:{keys[field]}, {literal(field)}}}" for field in value)
                case "relations":
                    given[slot] = _listed(_relation(relation, keys) for relation in value)
                case "parts":
                    given[slot] = _listed(self.operation(part, {}, name=name) for part in value)
                case _:
                    given[slot] = literal(value)
        if isinstance(operation, op.Topic):
            given["text"] = ":topic"
        if isinstance(operation, op.Content) and operation.is_string:
            given.setdefault("text", literal(Text.OCTETS))
        given |= {"optional": "true"} if optional else {}
        return f"%Operation{{{', '.join(f'{slot}: {value}' for slot, value in given.items())}}}"


def _listed(items: Iterable[str]) -> str:
    return f"[{', '.join(items)}]"


def _relation(relation: Relation, keys: Mapping[str, str]) -> str:
    right = f":{keys[relation.right]}" if isinstance(relation.right, str) else str(relation.right)
    return f"{{:{relation.operator}, :{keys[relation.left]}, {right}}}"
