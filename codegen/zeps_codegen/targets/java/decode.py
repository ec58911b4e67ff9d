"""The statements of a decoder: operation by operation, each compared with the frame's end first.

`data` is the frame's array, `start` and `end` are the frame's bounds in it, `at` is where the decoder stands; what
has a fixed size is read relative to `at`, which moves on where a size varies. With `view`, nothing is made of what
varies in size: its place is kept.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...naming import camel
from ...plan.operations import Constant, Content, Fixed, Items, Number, Operation, Part, Reserved, Rest, Topic
from .lines import Lines, plus
from .message import Message
from .names import (
    Imports,
    above,
    is_member,
    literal,
    local_scope,
    number_literal,
    number_type,
    text_verb,
)

__all__ = ["Decoder", "Extent"]

_VERBS = {
    "TRUNCATED": "truncated",
    "TRAILING": "trailing",
    "BAD_CONSTANT": "badMember",
    "BAD_TEXT": "badText",
    "TOO_LONG": "tooLong",
}


@dataclass(frozen=True, slots=True)
class Extent:
    """Where a view finds a field's content: locals that hold its place and its length."""

    at: str
    length: str


class Decoder:
    """Writes the statements that turn a frame into locals."""

    def __init__(self, message: Message, imports: Imports, view: bool = False, multipart: bool = False):
        self.out = Lines()
        self.extents: dict[str, Extent] = {}  # of a view, by the fields' locals
        self._message = message
        self._imports = imports
        self._view = view
        self._multipart = multipart
        self._offset = message.plan.seen  # octets from `at` to where the decoder stands
        self._base = "start"  # or `at`, once that has been declared
        self._scope = local_scope(slot.local for slot in message.slots.values())
        self._numbers: dict[str, tuple[Number, str]] = {}  # by their fields' names, with their locals

    def whole(self) -> list[str]:
        plan = self._message.plan
        for operation in (*plan.constants, *plan.operations):
            self._run(operation)
        if not plan.takes_all:
            self.out.refuse(
                f"end - {self._base} > {self._offset}", self._error("TRAILING", None, self._here())
            )
        self._apart()
        return self.out.lines

    def _run(self, operation: Operation) -> None:
        local = self._message.slot(operation).local
        match operation:
            case Constant(name, octets):
                self._constant(name, octets)
            case Topic(name):
                self._topic(name, local)
            case Reserved(name, size):
                if size:
                    self._need(size, name)
                    self._offset += size
            case Rest(name, _, limit):
                left = self._left()
                if limit is not None:
                    self.out.refuse(above(left, limit), self._error("TOO_LONG", name, self._here()))
                self._octets(local, *self._place(local, left))
            case Number() | Content() | Fixed() | Items():
                self._part(operation, operation.name, local)

    def _part(self, part: Part, shown: str, local: str) -> None:
        match part:
            case Number():
                self._number(part, shown, local)
            case Content():
                self._content(part, shown, local)
            case Fixed(size=size):
                self._need(size, shown)
                self._octets(local, *self._place(local, str(size)))
                self._offset += size
            case Items():
                self._items(part, shown, local)

    # --- places and errors

    def _here(self) -> str:
        return plus(self._base, self._offset)

    def _left(self, beyond: int = 0) -> str:
        """How many octets are left, `beyond` octets on."""
        offset = self._offset + beyond
        return f"end - {self._base} - {offset}" if offset else f"end - {self._base}"

    def _error(self, code: str, shown: str | None, at: str) -> str:
        self._imports.use("Wire")
        field = "null" if shown is None else literal(shown)
        offset = f"{at} - start"
        if at.startswith("start"):
            offset = at.removeprefix("start").removeprefix(" + ") or "0"
        return f"Wire.{_VERBS[code]}(NAME, {field}, {offset})"

    def _need(self, count: int, shown: str) -> None:
        """Compare `count` octets with what is left."""
        test = f"end - {self._base} < {self._offset + count}"
        self.out.refuse(test, self._error("TRUNCATED", shown, self._here()))

    def _move(self, extra: str = "") -> None:
        """Let `at` be where the decoder stands, `extra` octets on."""
        if self._base == "start":
            self.out.put(f"int at = {' + '.join(filter(None, [self._here(), extra]))};")
        elif self._offset or extra:
            self.out.put(f"at += {' + '.join(filter(None, [str(self._offset or ''), extra]))};")
        self._base, self._offset = "at", 0

    def _local(self, shown: str, suffix: str) -> str:
        return self._scope.name(f"{camel(shown)}{suffix}")

    # --- one operation

    def _constant(self, name: str, octets: bytes) -> None:
        wanted, at = self._message.constants[name][1], self._here()
        error = f"{self._imports.use('Wire')}.badConstant(data, start, {at}, end, {wanted}, NAME, {literal(name)})"
        self.out.refuse(f"!Wire.holds(data, {at}, end, {wanted})", error)
        self._offset += len(octets)

    def _topic(self, name: str, local: str) -> None:
        """Text up to the first zero octet."""
        self._imports.use("Text")
        self._move()
        end = self._scope.name("topicEnd")
        self.out.put(f"int {end} = at;")
        with self.out.block(f"while ({end} < end && data[{end}] != 0)"):
            self.out.put(f"{end}++;")
        self.out.refuse(f"{end} == end", self._error("TRUNCATED", name, "at"))
        self.out.put(f"final String {local} = Text.utf8(data, at, {end} - at);")
        self.out.refuse(f"{local} == null", self._error("BAD_TEXT", name, "at"))
        self.out.put(f"at = {end} + 1;")

    def _number(self, number: Number, shown: str, local: str) -> None:
        raw, at = self._raw(number, shown, local), self._here()
        if number.size:
            self._need(number.size, shown)
            self._read(number, raw)
            self._offset += number.size
            span = ""
        else:
            span = self._varint(number, shown, raw)
        kind = number_type(number)
        self._limit(number.limit, raw, kind, number.bits == 64 and not number.signed, shown, at)
        self._member(number, shown, raw, local, at)
        self._numbers[number.name] = number, raw
        if span:
            self._move(span)

    def _read(self, number: Number, local: str) -> None:
        reader = f"{'i' if number.signed and number.bits < 64 else 'u'}{number.bits}"
        read = f"{self._imports.use('Wire')}.{reader}(data, {self._here()})"
        self.out.put(f"final {number_type(number)} {local} = {read};")

    def _varint(self, number: Number, shown: str, local: str) -> str:
        """The local that holds how many octets the number takes."""
        self._imports.use("Wire")
        span, at = self._local(shown, "Span"), self._here()
        self.out.put(f"final int {span} = Wire.varintSpan(data, {at}, end);")
        self.out.refuse(f"{span} == 0", self._error("TRUNCATED", shown, at))
        self.out.refuse(f"{span} < 0", self._error("TOO_LONG", shown, at))
        read = f"Wire.varint(data, {at}, {span})"
        self.out.put(f"final long {local} = {f'Wire.unzigzag({read})' if number.signed else read};")
        return span

    def _raw(self, part: Number | Content, shown: str, local: str) -> str:
        """The local of what the octets say, where that is not yet the value."""
        return self._local(shown, "Value") if is_member(part) else local

    def _limit(self, limit: int | None, value: str, kind: str, unsigned: bool, shown: str, at: str) -> None:
        if limit is not None:
            most = number_literal(limit, kind)
            test = f"Long.compareUnsigned({value}, {most}) > 0" if unsigned else f"{value} > {most}"
            self.out.refuse(test, self._error("TOO_LONG", shown, at))

    def _member(self, part: Number | Content, shown: str, raw: str, local: str, at: str) -> None:
        if part.enumeration is None:
            return
        error, name = self._error("BAD_CONSTANT", shown, at), self._message.names.classes[part.enumeration]
        if is_member(part):
            self.out.put(f"final {name} {local} = {name}.of({raw});")
            self.out.refuse(f"{local} == null", error)
        else:
            self.out.refuse(f"({raw} & ~{name}.MASK) != 0", error)

    def _content(self, content: Content, shown: str, local: str) -> None:
        at = self._here()
        count = self._count(content, content.measured_by, content.limit, shown, "Length")
        begin, length = self._place(local, count)
        if content.text is None:
            self._octets(local, begin, length)
        else:
            self._text(content, shown, local, f"(data, {begin}, {length})", at)
        self._move(count)

    def _text(self, content: Content, shown: str, local: str, place: str, at: str) -> None:
        text, bad = self._imports.use("Text"), self._error("BAD_TEXT", shown, at)
        verb = text_verb(content)
        if self._view:
            self.out.refuse(f"!{text}.is{verb.capitalize()}{place}", bad)
            return
        raw = self._raw(content, shown, local)
        self.out.put(f"final String {raw} = {text}.{verb}{place};")
        self.out.refuse(f"{raw} == null", bad)
        self._member(content, shown, raw, local, at)

    def _place(self, local: str, length: str) -> tuple[str, str]:
        """Where so many octets begin, and how many they are. A view keeps both."""
        if not self._view:
            return self._here(), length
        at, octets = self._scope.name(f"{local}At"), self._scope.name(f"{local}Octets")
        self.out.put(f"final int {at} = {self._here()};", f"final int {octets} = {length};")
        self.extents[local] = Extent(at, octets)
        return at, octets

    def _octets(self, local: str, begin: str, length: str) -> None:
        if not self._view:
            wrapped = f"{self._imports.use('Octets')}.wrap(data, {begin}, {length})"
            self.out.put(f"final Octets {local} = {wrapped};")

    def _count(
        self, part: Content | Items, sibling: str | None, limit: int | None, shown: str, suffix: str
    ) -> str:
        """An int: the number in a prefix or in a sibling, compared with the limit and with what is left. The decoder
        then stands after the prefix.
        """
        at, prefix = self._here(), part.prefix
        if sibling is None:
            number, count = Number(part.name, part.field, prefix), self._local(shown, suffix)
            self._need(prefix, shown)
            self._read(number, count)
        else:
            number, count = self._numbers[sibling]
        kind, may_be_negative = number_type(number), number.bits == 64 or number.signed
        self._limit(limit, count, kind, may_be_negative, shown, at)
        left = self._left(prefix)
        share = f"({left}) / {part.least}" if isinstance(part, Items) and part.least > 1 else left
        test = f"{count} > {share}"
        self.out.refuse(
            f"{count} < 0 || {test}" if may_be_negative else test, self._error("TRUNCATED", shown, at)
        )
        self._offset += prefix
        return f"(int) {count}" if kind == "long" else count

    # --- many values

    def _items(self, items: Items, shown: str, local: str) -> None:
        self._imports.use("List", "ArrayList")
        kind = self._message.names.java_type(items, self._imports)
        names = [self._local(shown, suffix) for suffix in (("Key", "Item") if items.is_pairs else ("Item",))]
        begin = size = ""
        if items.is_open:
            self._move()
            if items.limit is not None:
                begin = self._local(shown, "At")
                self.out.put(f"final int {begin} = at;")
            head = "while (at < end)"
        else:
            all_fit = items.prefix and items.most == (1 << 8 * items.prefix) - 1
            limit = None if all_fit else items.limit
            size = self._count(items, items.counted_by, limit, shown, "Count")
            self._move()
            index, count = self._local(shown, "Index"), size.removeprefix("(int) ")
            head = f"for (int {index} = 0; {index} < {count}; {index}++)"
        self.out.put(f"final {kind} {local} = new ArrayList<>({size});")
        with self.out.block(head):
            if begin and items.limit is not None:
                full = f"{local}.size() >= {number_literal(items.limit, 'int')}"
                self.out.refuse(full, self._error("TOO_LONG", shown, begin))
            for part, name in zip(items.parts, names, strict=True):
                self._part(part, shown, name)
            value = f"new Entry<>({', '.join(names)})" if items.is_pairs else names[0]
            self.out.put(f"{local}.add({value});")
            self._move()

    # --- frames of their own

    def _apart(self) -> None:
        """The fields that are ZeroMQ frames of their own, from the second frame on."""
        apart = self._message.plan.apart
        for index, one in enumerate(apart, 1):
            local = self._message.slot(one).local
            self.out.refuse(f"frames.size() <= {index}", self._error("TRUNCATED", one.name, "end"))
            wrap = f"{self._imports.use('Octets')}.wrap(frames.get({{}}))"
            if not one.is_rest:
                self.out.put(f"final Octets {local} = {wrap.format(index)};")
                self._frame_limit(one.limit, one.name, f"{local}.length()")
                continue
            self._imports.use("List", "ArrayList")
            self.out.put(f"final List<Octets> {local} = new ArrayList<>();")
            with self.out.block(f"for (int i = {index}; i < frames.size(); i++)"):
                self._frame_limit(one.limit, one.name, "frames.get(i).length")
                self.out.put(f"{local}.add({wrap.format('i')});")
            return
        if self._multipart:
            self.out.refuse(f"frames.size() > {len(apart) + 1}", self._error("TRAILING", None, "end"))

    def _frame_limit(self, limit: int | None, shown: str, length: str) -> None:
        if limit is not None:
            self.out.refuse(above(length, limit), self._error("TOO_LONG", shown, "end"))
