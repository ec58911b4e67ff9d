"""The short cuts of messages that are numbers, a text and a body: see runtime/shapes.py."""

from __future__ import annotations

from dataclasses import dataclass

from ...ir import Field, FieldType, Text
from ...naming import Scope
from ...plan.layout import number_range
from .lines import Lines
from .plan import CODES, LOCALS, MessagePlan, Slot

__all__ = ["Shape", "shape_of"]

#: The tables of texts, and what they demand.
TEXTS = {
    Text.PRINTABLE: ("_PRINTABLE", "is_printable"),
    Text.UTF8: ("_UTF8", "is_utf8"),
    Text.VCHAR: ("_VCHAR", "is_vchar"),
}


@dataclass(frozen=True, slots=True)
class Shape:
    """A message after whose head come `numbers`, then `text`, then `body`, and nothing else."""

    plan: MessagePlan
    numbers: tuple[Slot, ...]
    text: Slot
    body: Slot

    @property
    def texts(self) -> tuple[str, str]:
        """The stem of the tables for the text, and the test they make."""
        return TEXTS[self.text.field.text]

    @property
    def definitions(self) -> list[str]:
        """The message's tables."""
        lead = f"{len(self.plan.head)}s{''.join(_code(slot.field) for slot in self.numbers)}"
        tail = f"{{}}s{CODES[self.body.field.size]}{{}}s"
        greatest = self.body.field.max
        if greatest is None:
            greatest = (1 << 8 * self.body.field.size) - 1
        fixed = self._at() + 1 + self.body.field.size
        return [
            f'_{self.plan.upper}_UNPACKERS = UnpackerTable(">{lead}x{tail}", {fixed}, {greatest})',
            f'_{self.plan.upper}_PACKERS = PackerTable(">{lead}{CODES[1]}{tail}", {greatest})',
        ]

    def _at(self) -> int:
        return len(self.plan.head) + sum(slot.field.size for slot in self.numbers)

    def _scope(self) -> Scope:
        return Scope("python", [*LOCALS, *(slot.local for slot in self.plan.slots)])

    def decoding(self) -> list[str]:
        """The statements that return the message if `data` looks like an earlier frame."""
        scope, out, plan = self._scope(), Lines(), self.plan
        text, length = scope.name(f"{self.text.local}_octets"), scope.name(f"{self.body.local}_length")
        unpack, size = scope.name("unpack_all"), scope.name("size")
        read = ["head", *(slot.local for slot in self.numbers), text, length, self.body.local]
        with out.block("try:"):
            out.put(f"{unpack}, {size} = _{plan.upper}_UNPACKERS[data[{self._at()}], len(data)]")
            out.put(f"{', '.join(read)} = {unpack}(data)")
            out.put(f"{self.text.local} = {self.texts[0]}_TEXTS[{text}]")
        with out.block("except (IndexError, KeyError):"):
            out.put("pass")
        with out.block("else:"), out.block(f"if head == {plan.upper}_HEAD and {length} == {size}:"):
            out.put(f"message = _new_{plan.lower}()")
            out.put(
                *(
                    f"message.{slot.attribute} = {slot.local}"
                    for slot in (*self.numbers, self.text, self.body)
                )
            )
            out.put(f"message.__class__ = {plan.class_name}", "return message")
        return out.lines

    def encoding(self) -> list[str]:
        """The statements that return the frame of a message that looks like an earlier one."""
        scope, out, plan = self._scope(), Lines(), self.plan
        text, body, size = (
            scope.name(name) for name in (f"{self.text.local}_octets", self.body.local, "size")
        )
        values = [
            f"{plan.upper}_HEAD",
            *(f"self.{slot.attribute}" for slot in self.numbers),
            size,
            text,
            f"len({body})",
            body,
        ]
        with out.block("try:"):
            out.put(
                f"{text}, {body} = {self.texts[0]}_OCTETS[self.{self.text.attribute}], self.{self.body.attribute}"
            )
            out.put(f"{size} = len({text})")
            out.put(f"return _{plan.upper}_PACKERS[{size}, len({body})]({', '.join(values)})")
        with out.block("except (KeyError, error):"):
            out.put("pass")
        return out.lines


def shape_of(plan: MessagePlan, multipart: bool) -> Shape | None:
    """The message's shape, if it has one of this kind."""
    if multipart or plan.topic is not None or len(plan.slots) < 2 or not plan.head:
        return None
    *numbers, text, body = plan.slots
    fits = (
        all(_is_plain(slot.field) and slot.attribute is not None for slot in numbers)
        and _is_short_text(text.field)
        and body.field.type is FieldType.CHUNK
        and None not in (text.attribute, body.attribute)
    )
    return Shape(plan, tuple(numbers), text, body) if fits else None


def _code(field: Field) -> str:
    return CODES[field.size].lower() if field.signed else CODES[field.size]


def _is_plain(field: Field) -> bool:
    limited = field.max is not None and field.max < number_range(field)[1]
    return (
        field.type is FieldType.NUMBER and field.value is None and field.enumeration is None and not limited
    )


def _is_short_text(field: Field) -> bool:
    limited = field.max is not None and field.max < 255
    plain = field.value is None and field.enumeration is None and not limited
    return field.type is FieldType.STRING and field.size == 1 and field.text in TEXTS and plain
