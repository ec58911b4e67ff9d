"""The short cuts of messages that are numbers, a text and a body: see runtime/shapes.py."""

from __future__ import annotations

from dataclasses import dataclass

from ...ir import Text
from ...plan.operations import Content, Number
from .lines import Lines
from .plan import CODES, MessagePlan, Slot, struct_code

__all__ = ["Shape", "made", "shape_of"]

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
    numbers: tuple[Number, ...]
    texts: tuple[str, str]
    """The stem of the tables for the text, and the test they make."""
    prefix: int
    """Octets of the body's length."""
    greatest: int | None
    """The greatest length of the body."""

    @property
    def definitions(self) -> list[str]:
        """The message's tables."""
        lead = f"{len(self.plan.wire.head)}s{''.join(struct_code(number) for number in self.numbers)}"
        tail = f"{{}}s{CODES[self.prefix]}{{}}s"
        fixed = self._at() + 1 + self.prefix
        return [
            f'_{self.plan.upper}_UNPACKERS = UnpackerTable(">{lead}x{tail}", {fixed}, {self.greatest})',
            f'_{self.plan.upper}_PACKERS = PackerTable(">{lead}{CODES[1]}{tail}", {self.greatest})',
        ]

    def _at(self) -> int:
        return len(self.plan.wire.head) + sum(number.size for number in self.numbers)

    def decoding(self) -> list[str]:
        """The statements that return the message if `data` looks like an earlier frame."""
        scope, out, plan = self.plan.locals(), Lines(), self.plan
        *numbers, text, body = (slot.local for slot in plan.slots)
        coded, length = scope.name(f"{text}_octets"), scope.name(f"{body}_length")
        unpack, size = scope.name("unpack_all"), scope.name("size")
        with out.block("try:"):
            out.put(f"{unpack}, {size} = _{plan.upper}_UNPACKERS[data[{self._at()}], len(data)]")
            out.put(f"{', '.join(['head', *numbers, coded, length, body])} = {unpack}(data)")
            out.put(f"{text} = {self.texts[0]}_TEXTS[{coded}]")
        with out.block("except (IndexError, KeyError):"):
            out.put("pass")
        with out.block("else:"), out.block(f"if head == {plan.upper}_HEAD and {length} == {size}:"):
            out.put(*made(plan))
        return out.lines

    def encoding(self) -> list[str]:
        """The statements that return the frame of a message that looks like an earlier one."""
        scope, out, plan = self.plan.locals(), Lines(), self.plan
        *numbers, text, content = (f"self.{slot.attribute}" for slot in plan.slots)
        coded, body = scope.name(f"{plan.slots[-2].local}_octets"), scope.name(plan.slots[-1].local)
        size = scope.name("size")
        values = ", ".join([f"{plan.upper}_HEAD", *numbers, size, coded, f"len({body})", body])
        with out.block("try:"):
            out.put(f"{coded}, {body} = {self.texts[0]}_OCTETS[{text}], {content}")
            out.put(f"{size} = len({coded})")
            out.put(f"return _{plan.upper}_PACKERS[{size}, len({body})]({values})")
        with out.block("except (KeyError, error):"):
            out.put("pass")
        return out.lines


def made(plan: MessagePlan) -> list[str]:
    """The statements that return the message made of locals."""
    if not plan.shown:
        return [f"return _the_{plan.lower}"]
    return [
        f"message = _new_{plan.lower}()",
        *(f"message.{slot.attribute} = {slot.local}" for slot in plan.shown),
        f"message.__class__ = {plan.class_name}",
        "return message",
    ]


def shape_of(plan: MessagePlan, multipart: bool) -> Shape | None:
    """The message's shape, if it has one of this kind."""
    if multipart or plan.topic is not None or not plan.wire.head or len(plan.slots) < 2:
        return None
    *slots, text, body = plan.slots
    numbers = tuple(filter(None, map(_plain_number, slots)))
    match text.operation, body.operation:
        case Content(prefix=1, limit=None, text=Text() as kind, enumeration=None), Content() as chunk:
            if len(numbers) == len(slots) and chunk.prefix and not chunk.is_string:
                return Shape(plan, numbers, TEXTS[kind], chunk.prefix, chunk.most)
    return None


def _plain_number(slot: Slot) -> Number | None:
    """What the slot shows, if it is a number of fixed size that needs no look."""
    match slot:
        case Slot(Number(size=size, limit=None, enumeration=None) as number, attribute=str()) if size:
            return number
        case _:
            return None
