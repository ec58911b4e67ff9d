"""The statements of an encoder: one method checks and measures, in the order of the wire; one writes.

A record measures its text once, and hands what it takes from the one to the other; a writer has octets, which need not
be measured. Nothing is allocated but the frame.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from ...ir import Text
from ...naming import camel
from ...plan.layout import number_range
from ...plan.operations import (
    Apart,
    Constant,
    Content,
    Fixed,
    Items,
    Number,
    Operation,
    Part,
    Reserved,
    Rest,
    Topic,
)
from .lines import Lines, plus
from .message import Message, reach
from .names import Imports, above, is_member, literal, local_scope, number_literal, text_verb

__all__ = ["STORED_MAX", "Encoder", "Span", "encoded_size", "encoder"]

#: A head of more octets is kept as an array and copied.
STORED_MAX = 24
_INT_MAX = (1 << 31) - 1


class Span(NamedTuple):
    """A part of an array: what holds the array, the place of the first octet, and how many there are."""

    array: str
    at: str
    length: str


#: The values that are parts of arrays rather than strings and `Octets`.
Spans = Mapping[str, Span]
NO_SPANS: Spans = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Encoder:
    """What the methods `check` and `write` do, and the locals that both are given."""

    measured: list[str]
    locals: list[str]
    check: list[str]
    write: list[str]

    @property
    def parameters(self) -> list[str]:
        return [f"int {local}" for local in self.locals]


def encoder(message: Message, imports: Imports, spans: Spans = NO_SPANS) -> Encoder:
    """The encoder of a record, or of a writer, which has `spans`."""
    check, write = _Checker(message, imports, spans), _Writer(message, imports, spans)
    measured = []
    for slot in () if spans else message.shown:
        if slot.component in check.texts:
            size = f"Text.{text_verb(slot.operation)}Size({reach(slot.component)})"
            measured.append(f"final int {check.texts[slot.component]} = {size};")
    sizes = [] if spans else list(check.texts.values())
    return Encoder(measured, sizes, check.whole(), write.whole())


def encoded_size(message: Message, imports: Imports) -> list[str]:
    """The statements that count the octets of the encoded message, all frames together; nothing is checked."""
    sizer = _Sizer(message, imports)
    for operation in (*message.plan.operations, *message.plan.apart):
        sizer.add(operation)
    return sizer.result()


class _Walker:
    """What the passes share: how the value of an operation is reached."""

    def __init__(self, message: Message, imports: Imports, spans: Spans = NO_SPANS):
        self.out = Lines()
        self._message, self._imports, self._spans = message, imports, spans
        self.texts = self._texts()
        """By components that are one text each, what holds how many octets they take: a local if they are strings."""
        places = [message.slots[place.field.name].local for place in message.layout.places]
        components = [slot.component for slot in message.shown]
        self._scope = local_scope([*components, *places, *self.texts.values(), "total"])

    def _texts(self) -> dict[str, str]:
        shown = self._message.shown
        found = local_scope(slot.component for slot in shown)
        names = [
            slot.component for slot in shown if text_verb(slot.operation) and not is_member(slot.operation)
        ]
        if self._spans:
            return {name: self._spans[reach(name)].length for name in names}
        return {name: found.name(f"{name}Size") for name in names}

    def _value(self, operation: Operation) -> tuple[str, str, str | None]:
        """Of an operation on the message: the expression of its value, the value's type, and the local that holds what
        its text takes.
        """
        if isinstance(operation, Number) and operation.measures:
            return self._measure(operation.measures[0]), "int", None
        slot = self._message.slot(operation)
        kind = self._message.type_of(slot, self._imports)
        if is_member(operation):
            return f"{reach(slot.component)}.value()", "long", None
        return reach(slot.component), kind, self.texts.get(slot.component)

    def _measure(self, name: str) -> str:
        """What a number says of the field that it counts or measures."""
        slot = self._message.slots[name]
        if (span := self._spans.get(reach(slot.component))) is not None:
            return span.length
        return f"{reach(slot.component)}.{'size' if isinstance(slot.operation, Items) else 'length'}()"

    def _length(self, value: str) -> str:
        """How many octets a value has."""
        return self._spans[value].length if value in self._spans else f"{value}.length()"

    def _local(self, shown: str, suffix: str) -> str:
        return self._scope.name(f"{camel(shown)}{suffix}")

    def _loop(self, items: Items, shown: str, value: str) -> tuple[str, list[str]]:
        """The head of a loop over items, and the values of an item's parts."""
        if items.is_pairs:
            kind, one = (
                self._message.names.java_type(items.parts[0], self._imports),
                self._local(shown, "Entry"),
            )
            head = f"for (final {self._imports.use('Entry')}<{kind}> {one} : {value})"
            return head, [f"{one}.key()", f"{one}.value()"]
        kind, one = self._message.names.java_type(items.item, self._imports), self._local(shown, "Item")
        path = f"{one}.value()" if is_member(items.item) else one
        return f"for (final {kind} {one} : {value})", [path]


class _Sizer(_Walker):
    """Adds up octets: those that are always there, and expressions and loops for the others."""

    def __init__(self, message: Message, imports: Imports, spans: Spans = NO_SPANS):
        super().__init__(message, imports, spans)
        self._fixed = len(message.plan.head)
        self._parts: list[str] = []
        self._loops: list[tuple[Items | Apart, str]] = []

    def add(self, operation: Operation, known: str | None = None) -> None:
        """`known` is the local that holds what the operation's text takes."""
        match operation:
            case Constant(_, octets):
                self._fixed += len(octets)
                return
            case Reserved(_, size):
                self._fixed += size
                return
        value, _, _ = self._value(operation)
        fixed, expression = self._size(operation, value)
        self._fixed += fixed
        if isinstance(operation, Items | Apart) and expression is None:
            self._loops.append((operation, value))
        elif expression:
            self._parts.append(known or expression)

    def result(self) -> list[str]:
        """The statements that return the sum."""
        total = " + ".join([f"{self._fixed}L" if self._parts else str(self._fixed), *self._parts])
        if self._loops:
            self.out.put(f"long total = {total};")
            for operation, value in self._loops:
                self._sum(operation, value)
            total = "total"
        if self._loops or self._parts:
            total = f"{self._imports.use('Wire')}.frameSize({total}, NAME)"
        self.out.put(f"return {total};")
        return self.out.lines

    def _size(self, operation: Operation, value: str) -> tuple[int, str | None]:
        """The octets that are always there, and the expression for the others; None if it takes a loop."""
        match operation:
            case Number(size=0, signed=signed):
                number = f"Wire.zigzag({value})" if signed else value
                return 0, f"{self._imports.use('Wire')}.varintSize({number})"
            case Number(size=size) | Fixed(size=size):
                return size, ""
            case Topic():
                return 1, f"{self._imports.use('Text')}.size({value})"
            case Content(prefix=prefix, text=Text()):
                return prefix, f"{self._imports.use('Text')}.size({value})"
            case Content(prefix=prefix):
                return prefix, self._length(value)
            case Items(prefix=prefix, is_pairs=False):
                each, expression = self._size(operation.item, "item")
                return prefix, f"{each}L * {value}.size()" if expression == "" else None
            case Items(prefix=prefix):
                return prefix, None
            case Apart(is_rest=True):
                return 0, None
            case _:
                return 0, self._length(value)

    def _sum(self, operation: Items | Apart, value: str) -> None:
        """The loop that adds up items or frames."""
        parts: tuple[Operation, ...]
        if isinstance(operation, Apart):
            one = self._local(operation.name, "Item")
            head, paths, parts = f"for (final Octets {one} : {value})", [one], (Rest("", operation.field),)
        else:
            (head, paths), parts = self._loop(operation, operation.name, value), operation.parts
        with self.out.block(head):
            for part, path in zip(parts, paths, strict=True):
                fixed, expression = self._size(part, path)
                octets = [f"{fixed}L"] if fixed or not expression else []
                self.out.put(f"total += {' + '.join([*octets, *([expression] if expression else [])])};")
                if isinstance(part, Items) and expression is None:
                    self._sum(part, path)


class _Checker(_Walker):
    """Refuses what the format cannot carry, in the order of the wire, and measures the first frame."""

    def whole(self) -> list[str]:
        sizer = _Sizer(self._message, self._imports, self._spans)
        for operation in self._message.plan.operations:
            self._agree(operation)
        for operation in self._message.plan.operations:
            self._run(operation)
            known = None if isinstance(operation, Constant | Reserved) else self._value(operation)[2]
            sizer.add(operation, known)
        for one in self._message.plan.apart:
            self._apart(one)
        return [*self.out.lines, *sizer.result()]

    def _error(self, code: str, shown: str) -> str:
        self._imports.use("EncodeException", "ErrorCode")
        return f"new EncodeException(ErrorCode.{code}, NAME, {literal(shown)})"

    def _miscounted(self, shown: str, seen: str, wanted: str) -> None:
        error = f"{self._imports.use('Wire')}.miscounted(NAME, {literal(shown)}, {seen}, {wanted})"
        self.out.refuse(f"{seen} != {wanted}", error)

    def _agree(self, operation: Operation) -> None:
        """What one number counts or measures has to agree on it."""
        if isinstance(operation, Number):
            for other in operation.measures[1:]:
                self._miscounted(other, self._measure(other), self._measure(operation.measures[0]))

    def _run(self, operation: Operation) -> None:
        match operation:
            case Topic(name):
                value, _, size = self._value(operation)
                self.out.refuse(f"{size} < 0 || {value}.indexOf(0) >= 0", self._error("BAD_TEXT", name))
            case Rest(name, _, limit):
                self._limit(self._length(self._value(operation)[0]), limit, name)
            case Number(measures=(first, *_)):
                self._number(operation, first, *self._value(operation)[:2])
            case Number() | Content() | Fixed() | Items():
                if is_member(operation):
                    component = reach(self._message.slot(operation).component)
                    self.out.refuse(f"{component} == null", self._error("BAD_CONSTANT", operation.name))
                self._part(operation, operation.name, *self._value(operation))

    def _apart(self, apart: Apart) -> None:
        slot = self._message.slot(apart)
        value, item = reach(slot.component), f"{slot.local}Item"
        if not apart.is_rest:
            self._limit(f"{value}.length()", apart.limit, apart.name)
            return
        self.out.refuse(f"{value}.isEmpty()", self._error("TRUNCATED", apart.name))
        if apart.limit is not None:
            with self.out.block(f"for (final Octets {item} : {value})"):
                self._limit(f"{item}.length()", apart.limit, apart.name)

    def _limit(self, length: str, limit: int | None, shown: str) -> None:
        if limit is not None:
            self.out.refuse(above(length, limit), self._error("TOO_LONG", shown))

    def _part(self, part: Part, shown: str, value: str, kind: str, known: str | None = None) -> None:
        """Everything that may be wrong with `value`; `known` is the local that holds what its text takes."""
        match part:
            case Number():
                self._number(part, shown, value, kind)
            case Content():
                length = self._length(value) if part.text is None else self._text(part, shown, value, known)
                self._prefixed(part, length, shown)
            case Fixed(size=size):
                self._miscounted(shown, self._length(value), str(size))
            case Items():
                self._prefixed(part, f"{value}.size()", shown)
                self._items(part, shown, value)

    def _prefixed(self, part: Content | Items, length: str, shown: str) -> None:
        """A length or a count, which may reach more than an int does."""
        if part.most is not None and (not part.prefix or part.most < _INT_MAX):
            self._limit(length, part.most, shown)

    def _number(self, number: Number, shown: str, value: str, kind: str) -> None:
        least, greatest = number_range(number.field)
        too_long = self._error("TOO_LONG", shown)
        if number.limit is not None:
            most = number_literal(number.limit, kind)
            unsigned = number.bits == 64 and not number.signed and kind == "long"
            test = f"Long.compareUnsigned({value}, {most}) > 0" if unsigned else f"{value} > {most}"
            self.out.refuse(test, too_long)
        if number.enumeration is not None and number.flags:
            mask = f"{self._message.names.classes[number.enumeration]}.MASK"
            self.out.refuse(f"({value} & ~{mask}) != 0", self._error("BAD_CONSTANT", shown))
        if number.bits == 64 or (number.bits == 32 and kind == "int"):
            return
        suffix = "L" if kind == "long" else ""
        below = "" if number.measures and least == 0 else f"{value} < {least}{suffix} || "
        self.out.refuse(f"{below}{value} > {greatest}{suffix}", too_long)

    def _text(self, content: Content, shown: str, value: str, known: str | None) -> str:
        """The local that holds what the text takes."""
        verb, size = text_verb(content), known or self._local(shown, "Size")
        text = self._imports.use("Text")
        if known is None:
            self.out.put(f"final int {size} = {text}.{verb}Size({value});")
        test = f"{size} < 0"
        if value in self._spans:
            test = f"!{text}.is{verb.capitalize()}({', '.join(self._spans[value])})"
        self.out.refuse(test, self._error("BAD_TEXT", shown))
        return size

    def _items(self, items: Items, shown: str, value: str) -> None:
        head, paths = self._loop(items, shown, value)
        before, self.out = self.out, Lines()
        for part, path in zip(items.parts, paths, strict=True):
            kind = "long" if is_member(part) else self._message.names.java_type(part, self._imports)
            self._part(part, shown, path, kind)
        inner, self.out = self.out, before
        if inner.lines:
            with self.out.block(head):
                self.out.put(*inner.lines)


class _Writer(_Walker):
    """Writes the first frame into `out` from `start` on; everything has been checked and measured."""

    def __init__(self, message: Message, imports: Imports, spans: Spans = NO_SPANS):
        super().__init__(message, imports, spans)
        self._base, self._offset = "start", 0

    def whole(self) -> list[str]:
        self._constant(self._message.plan.head, "HEAD")
        for operation in self._message.plan.operations:
            self._run(operation)
        return self.out.lines

    def _run(self, operation: Operation) -> None:
        match operation:
            case Constant(name, octets):
                self._constant(octets, self._message.constants[name][1])
            case Reserved(_, size) if size > STORED_MAX:
                self.out.put(f"{self._imports.use('Wire')}.zero(out, {self._here()}, {size});")
                self._offset += size
            case Reserved(_, size):
                self._constant(bytes(size), "")
            case Topic():
                value, _, size_local = self._value(operation)
                self._put_text(value, str(size_local))
                self._constant(b"\0", "")
            case Rest():
                self._move(self._copied(self._value(operation)[0]))
            case Number() | Content() | Fixed() | Items():
                value, _, known = self._value(operation)
                self._part(operation, value, known)

    def _part(self, part: Part, value: str, known: str | None = None) -> None:
        match part:
            case Number(size=0, signed=signed):
                number = f"Wire.zigzag({value})" if signed else value
                self._move(f"{self._imports.use('Wire')}.putVarint(out, {self._here()}, {number})")
            case Number(size=size):
                self._number(size, value)
            case Content(prefix=prefix, text=Text()):
                size_local = known or self._local("text", "Size")
                if known is None:
                    self.out.put(f"final int {size_local} = {self._imports.use('Text')}.size({value});")
                self._number(prefix, size_local)
                self._put_text(value, size_local)
            case Content(prefix=prefix):
                self._number(prefix, self._length(value))
                self._move(self._copied(value))
            case Fixed(size=size):
                self.out.put(f"{self._copied(value)};")
                self._offset += size
            case Items(name, prefix=prefix):
                self._number(prefix, f"{value}.size()")
                self._move()
                head, paths = self._loop(part, name, value)
                with self.out.block(head):
                    for one, path in zip(part.parts, paths, strict=True):
                        self._part(one, path)
                    self._move()

    def _here(self) -> str:
        return plus(self._base, self._offset)

    def _move(self, target: str = "") -> None:
        """Let `at` be where the writer stands, or `target`."""
        if self._base == "start":
            self.out.put(f"int at = {target or self._here()};")
        elif target:
            self.out.put(f"at = {target};")
        elif self._offset:
            self.out.put(f"at += {self._offset};")
        self._base, self._offset = "at", 0

    def _constant(self, octets: bytes, name: str) -> None:
        if len(octets) > STORED_MAX:
            self.out.put(f"{self._imports.use('Wire')}.put(out, {self._here()}, {name});")
            self._offset += len(octets)
            return
        done = 0
        for size in (8, 4, 2, 1):
            while len(octets) - done >= size:
                digits = octets[done : done + size].hex().upper()
                self._number(size, f"0x{digits}{'L' if size >= 4 else ''}")
                done += size

    def _number(self, size: int, value: str) -> None:
        """A number of `size` octets, or none."""
        if size:
            self.out.put(f"{self._imports.use('Wire')}.put{8 * size}(out, {self._here()}, {value});")
            self._offset += size

    def _put_text(self, value: str, size: str) -> None:
        measured = ", ".join(self._spans.get(value, (value, size)))
        self._move(f"{self._imports.use('Text')}.put({measured}, out, {self._here()})")

    def _copied(self, value: str) -> str:
        """The expression that writes octets, and is the place after them."""
        if (span := self._spans.get(value)) is not None:
            return f"{self._imports.use('Wire')}.copy({', '.join(span)}, out, {self._here()})"
        return f"{value}.copyTo(out, {self._here()})"
