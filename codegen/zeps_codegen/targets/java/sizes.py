"""What the passes of an encoder share, and the one that measures a whole message."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from ...ir import Field, FieldType
from ...naming import camel
from ...plan.layout import least_octets
from .lines import Lines
from .names import Imports, has_text, is_member, local_scope
from .plan import MessagePlan, Slot, reach

__all__ = ["NO_SPANS", "Sizer", "Span", "Spans", "Walker", "frame_size", "texts_of"]


class Span(NamedTuple):
    """A part of an array: what holds the array, the place of the first octet, and how many there are."""

    array: str
    at: str
    length: str


#: The values that are parts of arrays rather than strings and `Octets`.
Spans = Mapping[str, Span]
NO_SPANS: Spans = MappingProxyType({})


def texts_of(plan: MessagePlan, spans: Spans = NO_SPANS) -> dict[str, str]:
    """The components that are one text each, and what holds how many octets they take: a local if they are strings."""
    found = local_scope(slot.component or "" for slot in plan.shown)
    texts = [
        slot
        for slot in plan.shown
        if slot.field.type is FieldType.STRING and has_text(slot.field) and not is_member(slot.field)
    ]
    return {
        str(slot.component): spans[reach(slot.component)].length
        if spans
        else found.name(f"{slot.component}Size")
        for slot in texts
    }


def frame_size(imports: Imports, total: str) -> str:
    return f"{imports.use('Wire')}.frameSize({total}, NAME)"


class Walker:
    """What the passes share: how a field's value is reached."""

    def __init__(self, plan: MessagePlan, imports: Imports, spans: Spans = NO_SPANS):
        self.out = Lines()
        self._plan = plan
        self._imports = imports
        self._spans = spans
        self._lengths = {span.length for span in spans.values()}
        taken = [*(slot.component or "" for slot in plan.shown), *(slot.local for slot in plan.slots)]
        self._texts = texts_of(plan, spans)
        self._scope = local_scope([*taken, *self._texts.values(), "total"])

    def _of(self, slot: Slot) -> tuple[str, str]:
        """The expression of the slot's value, and its type."""
        if slot.measures:
            return self._measure(slot.measures[0]), "int"
        kind = self._plan.java_type(slot, self._imports)
        if is_member(slot.field):
            return (
                f"{reach(slot.component)}.value()",
                "String" if slot.field.type is FieldType.STRING else "long",
            )
        return reach(slot.component), kind

    def _measure(self, measured: tuple[str, str, str]) -> str:
        """What a number says of a field that it counts or measures: see :class:`.plan.Slot`."""
        _, component, how = measured
        span = self._spans.get(reach(component))
        return how if span is None else span.length

    def _octets(self, value: str) -> str:
        """How many octets a value has."""
        return self._spans[value].length if value in self._spans else f"{value}.length()"

    def _item_type(self, field: Field) -> str:
        return self._plan.names.java_type(field, self._imports)

    def _local(self, shown: str, suffix: str) -> str:
        return self._scope.name(f"{camel(shown)}{suffix}")

    def _hash_parts(self, field: Field, entry: str) -> list[tuple[Field, str]]:
        return [
            (Field("key", FieldType.STRING, size=1, text=field.text), f"{entry}.key()"),
            (Field("value", FieldType.STRING, size=4, text=field.text), f"{entry}.value()"),
        ]

    def _entry_head(self, field: Field, entry: str, value: str) -> str:
        kind = "String" if has_text(field) else "Octets"
        return f"for (final {self._imports.use('Entry')}<{kind}> {entry} : {value})"


class Sizer(Walker):
    """The octets of the encoded message, all frames together; nothing is checked."""

    def whole(self) -> list[str]:
        plan = self._plan
        fixed = len(plan.layout.head)
        parts: list[str] = []
        loops: list[tuple[Field, str]] = []
        if plan.topic is not None:
            fixed += 1
            parts.append(f"{self._imports.use('Text')}.size({reach(plan.topic.component)})")
        for slot in plan.slots:
            if slot.given is not None:
                fixed += len(slot.given)
                continue
            value, _ = self._of(slot)
            octets, expression = self._size(slot.field, value)
            fixed += octets
            if expression is None:
                loops.append((slot.field, value))
            elif expression:
                parts.append(expression)
        total = " + ".join([f"{fixed}L" if parts else str(fixed), *parts])
        if not loops:
            self.out.put(f"return {frame_size(self._imports, total) if parts else total};")
            return self.out.lines
        self.out.put(f"long total = {total};")
        for field, value in loops:
            self._loop(field, value)
        self.out.put(f"return {frame_size(self._imports, 'total')};")
        return self.out.lines

    def _size(self, field: Field, value: str) -> tuple[int, str | None]:
        """The octets that are always there, and the expression for the others; None if it takes a loop."""
        match field.type:
            case FieldType.NUMBER:
                return field.size, ""
            case FieldType.VARINT:
                zigzag = f"Wire.zigzag({value})" if field.signed else value
                return 0, f"{self._imports.use('Wire')}.varintSize({zigzag})"
            case FieldType.STRING if has_text(field):
                return field.size, f"{self._imports.use('Text')}.size({value})"
            case FieldType.STRING | FieldType.CHUNK:
                return field.size, self._octets(value)
            case FieldType.OCTETS if field.length is None:
                return field.size, ""
            case FieldType.OCTETS | FieldType.REST | FieldType.FRAME:
                return 0, self._octets(value)
            case FieldType.LIST:
                assert field.items is not None
                prefix = 0 if field.count else field.size
                each, expression = self._size(field.items, "item")
                return prefix, f"{each}L * {value}.size()" if expression == "" else None
            case FieldType.HASH:
                return least_octets(field), None
            case _:
                return 0, None

    def _loop(self, field: Field, value: str) -> None:
        if field.type is FieldType.HASH:
            entry = self._local(field.name, "Entry")
            with self.out.block(self._entry_head(field, entry, value)):
                for part, path in self._hash_parts(field, entry):
                    octets, expression = self._size(part, path)
                    self.out.put(f"total += {octets}L + {expression};")
            return
        item = field.items or Field("item", FieldType.FRAME)
        kind, one = self._item_type(item), self._local(field.name, "Item")
        with self.out.block(f"for (final {kind} {one} : {value})"):
            path = f"{one}.value()" if is_member(item) else one
            octets, expression = self._size(item, path)
            parts = [
                *([f"{octets}L"] if octets or not expression else []),
                *([expression] if expression else []),
            ]
            self.out.put(f"total += {' + '.join(parts)};")
            if expression is None:
                self._loop(item, path)
