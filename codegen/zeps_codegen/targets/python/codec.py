"""The view of a protocol's module: its messages with the statements of their functions."""

from __future__ import annotations

import dataclasses
from itertools import takewhile
from typing import Any

from ...ir import Dispatch, Protocol, Text
from ...naming import Scope, screaming, snake
from ...plan import operations as op
from ...plan.enumerations import enumeration_plans
from ...plan.layout import Layout, layouts
from .decode import Reader
from .encode import Writer
from .lines import Lines, fixed_size
from .names import Message, literal

__all__ = ["codec_view"]


def codec_view(protocol: Protocol) -> dict[str, Any]:
    """What templates/codec.py.j2 asks for `protocol`."""
    is_numbered = protocol.dispatch not in (Dispatch.CONSTANT, Dispatch.NAME)
    is_multipart = any(layout.has_frames for layout in layouts(protocol))
    messages = [CodedMessage(layout, is_numbered, is_multipart) for layout in layouts(protocol)]
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

    def __init__(self, layout: Layout, is_numbered: bool, is_multipart: bool) -> None:
        super().__init__(layout)
        plan, operations = self.plan, (*self.plan.operations, *self.plan.apart)
        self.formats: set[tuple[str, str]] = set()
        self.layout = _layout(self, is_numbered)
        writer, reader, scanner = Writer(self), Reader(self), Reader(self, scan=True)
        writer.whole()
        reader.whole(is_multipart)
        scanner.whole()
        self.size = writer.size
        self.encode, self.decode = self._used(writer), self._used(reader)
        # where content of varying size lies, if there is a function for it
        self.scan = self._used(scanner) if scanner.is_scannable and scanner.extents else []
        self.extents = scanner.extents
        varying = [one for one in plan.operations if isinstance(one, op.Content | op.Rest | op.Items)]
        self.scanned = [f"`{self.attribute(one)}`" for one in varying]
        # the fields of fixed size after the head, and those of them that functions are told
        leading = list(takewhile(fixed_size, plan.operations[: plan.tail]))
        self.head_size = len(plan.head) + sum(map(fixed_size, leading))
        self.arguments = [one for one in leading if isinstance(one, op.Number | op.Fixed)]
        self.argument_names = [self.local(one) for one in self.arguments]
        self.has_head = bool(self.arguments) and len(leading) < len(operations)
        if self.has_head:
            writer, reader = Writer(self), Reader(self, "offset")
            writer.leading(leading)
            writer.finish()
            reader.leading(leading)
            reader.check()
            self.pack, self.unpack = self._used(writer), self._used(reader)

    def _used(self, lines: Lines) -> list[str]:
        self.formats |= lines.formats
        return lines.lines


def _layout(message: Message, is_numbered: bool) -> str:
    """The arguments of the runtime's Layout."""
    plan = message.plan
    operations = [*plan.constants, *plan.operations, *plan.apart]
    spelled = [f"Constant(None, {literal(plan.head[: plan.seen])}), "] * bool(plan.seen)
    spelled += [f"{_operation(one)}, " for one in operations]
    attributes = [f"{literal(message.attribute(one))}, " for one in operations if one in message.shown]
    return f"{literal(plan.name)}, {is_numbered}, ({''.join(spelled)}), ({''.join(attributes)})"


def _operation(one: op.Operation) -> str:
    """An operation as the runtime has it: what is not its default, enumerations by their members or bits."""
    given = []
    for field in dataclasses.fields(one):
        value = getattr(one, field.name)
        if field.name == "enumeration" and value is not None:
            given.append(
                f"members=_{'mask' if getattr(one, 'flags', False) else 'members'}_of_{snake(value)}"
            )
        elif field.name == "parts":
            given.append(f"parts=({''.join(f'{_operation(part)}, ' for part in value)})")
        elif field.name not in ("field", "flags") and value != field.default:
            given.append(f"{field.name}={literal(value.value if isinstance(value, Text) else value)}")
    return f"{type(one).__name__}({', '.join(given)})"
