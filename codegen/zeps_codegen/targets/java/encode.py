"""The statements of an encoder: one method checks and measures, in the order of the wire; one writes.

A record measures its text once, and hands what it takes from the one to the other; a writer has octets, which need not
be measured. Nothing is allocated but the frame.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...ir import Field, FieldType, Text
from ...plan.layout import number_range
from .decode import above, number_literal
from .lines import plus
from .names import Imports, has_text, is_member, literal
from .plan import MessagePlan, Slot, reach
from .sizes import NO_SPANS, Sizer, Spans, Walker, frame_size, texts_of

__all__ = ["Encoder", "constant_stores", "encoder"]

_IS = {Text.UTF8: "isUtf8", Text.PRINTABLE: "isPrintable", Text.VCHAR: "isVchar"}
_SIZES = {Text.UTF8: "utf8Size", Text.PRINTABLE: "printableSize", Text.VCHAR: "vcharSize"}
#: A head of more octets is kept as an array and copied.
_STORED_MAX = 24


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


def encoder(plan: MessagePlan, imports: Imports, spans: Spans = NO_SPANS) -> Encoder:
    """The encoder of a record, or of a writer, which has `spans`."""
    measured = []
    sizes = {} if spans else texts_of(plan)
    for slot in plan.shown:
        if (local := sizes.get(str(slot.component))) is not None:
            size = f"{imports.use('Text')}.{_SIZES[slot.field.text]}({reach(slot.component)})"
            measured.append(f"final int {local} = {size};")
    check = _Checker(plan, imports, spans).whole()
    return Encoder(measured, list(sizes.values()), check, _Writer(plan, imports, spans).whole())


def constant_stores(octets: bytes, at: str, offset: int) -> list[str]:
    """The statements that write constant octets from ``at + offset`` on."""
    lines, done = [], 0
    for size in (8, 4, 2, 1):
        while len(octets) - done >= size:
            chunk = octets[done : done + size]
            value = int.from_bytes(chunk, "big")
            number = f"0x{chunk.hex().upper()}{'L' if size >= 4 else ''}"
            assert value >= 0
            lines.append(f"Wire.put{8 * size}(out, {plus(at, offset + done)}, {number});")
            done += size
    return lines


class _Checker(Walker):
    """Refuses what the format cannot carry, in the order of the wire, and measures the first frame."""

    def whole(self) -> list[str]:
        plan = self._plan
        self._agree()
        fixed = len(plan.layout.head)
        parts: list[str] = []
        loops: list[tuple[Field, str]] = []
        sizer = Sizer(plan, self._imports, self._spans)
        if plan.topic is not None:
            fixed += 1
            size = self._texts[str(plan.topic.component)]
            error = self._error("BAD_TEXT", "topic")
            self.out.refuse(f"{size} < 0 || {reach(plan.topic.component)}.indexOf(0) >= 0", error)
            parts.append(size)
        for slot in plan.inline:
            if slot.given is not None:
                fixed += len(slot.given)
                continue
            value, kind = self._of(slot)
            shown = slot.measures[0][0] if slot.measures else slot.field.name
            known = None if slot.measures else self._texts.get(str(slot.component))
            self._member(slot, shown)
            self._check(slot.field, shown, value, kind, known)
            octets, expression = sizer._size(slot.field, value)
            fixed += octets
            if expression is None:
                loops.append((slot.field, value))
            elif expression:
                parts.append(known or expression)
        self._apart()
        self._result(fixed, parts, loops)
        return self.out.lines

    def _result(self, fixed: int, parts: list[str], loops: list[tuple[Field, str]]) -> None:
        total = " + ".join([f"{fixed}L" if parts else str(fixed), *parts])
        if loops:
            self.out.put(f"long total = {total};")
            sizer = Sizer(self._plan, self._imports, self._spans)
            for field, value in loops:
                sizer._loop(field, value)
            self.out.put(*sizer.out.lines)
            total = "total"
        self.out.put(f"return {frame_size(self._imports, total) if loops or parts else total};")

    # --- errors

    def _error(self, code: str, shown: str) -> str:
        self._imports.use("EncodeException", "ErrorCode")
        return f"new EncodeException(ErrorCode.{code}, NAME, {literal(shown)})"

    def _miscounted(self, shown: str, seen: str, wanted: str) -> str:
        return f"{self._imports.use('Wire')}.miscounted(NAME, {literal(shown)}, {seen}, {wanted})"

    def _agree(self) -> None:
        """What one number counts or measures has to agree on it."""
        for slot in self._plan.inline:
            for other in slot.measures[1:]:
                measure, wanted = self._measure(other), self._measure(slot.measures[0])
                self.out.refuse(f"{measure} != {wanted}", self._miscounted(other[0], measure, wanted))

    def _apart(self) -> None:
        for slot in self._plan.apart:
            field, value = slot.field, reach(slot.component)
            error = self._error("TOO_LONG", field.name)
            if field.type is FieldType.FRAME:
                if field.max is not None:
                    self.out.refuse(above(f"{value}.length()", field.max), error)
                continue
            self.out.refuse(f"{value}.isEmpty()", self._error("TRUNCATED", field.name))
            if field.max is not None:
                with self.out.block(f"for (final Octets {slot.local}Item : {value})"):
                    self.out.refuse(above(f"{slot.local}Item.length()", field.max), error)

    # --- one field

    def _member(self, slot: Slot, shown: str) -> None:
        if is_member(slot.field) and not slot.measures:
            self.out.refuse(f"{reach(slot.component)} == null", self._error("BAD_CONSTANT", shown))

    def _check(self, field: Field, shown: str, value: str, kind: str, known: str | None = None) -> None:
        """Everything that may be wrong with `value`; `known` is the local that holds what its text takes."""
        match field.type:
            case FieldType.NUMBER | FieldType.VARINT:
                self._number(field, shown, value, kind)
            case FieldType.STRING if has_text(field):
                self._text(field, shown, value, known)
            case FieldType.STRING | FieldType.CHUNK:
                self._length(field, shown, self._octets(value))
            case FieldType.OCTETS if field.length is None:
                length = self._octets(value)
                error = self._miscounted(shown, length, str(field.size))
                self.out.refuse(f"{length} != {field.size}", error)
            case FieldType.OCTETS | FieldType.REST:
                if field.max is not None:
                    self.out.refuse(above(self._octets(value), field.max), self._error("TOO_LONG", shown))
            case FieldType.LIST:
                self._list(field, shown, value)
            case FieldType.HASH:
                self._hash(field, shown, value)
            case _:
                raise ValueError(f"{self._plan.name}.{shown}: no encoder for {field.type.value}")

    def _number(self, field: Field, shown: str, value: str, kind: str) -> None:
        least, greatest = number_range(field)
        too_long = self._error("TOO_LONG", shown)
        wide = not field.signed and greatest >= 1 << 63 and kind == "long"
        if field.max is not None and field.max < greatest:
            most = number_literal(field.max, kind)
            test = f"Long.compareUnsigned({value}, {most}) > 0" if wide else f"{value} > {most}"
            self.out.refuse(test, too_long)
        if field.enumeration is not None and field.flags:
            name = self._plan.names.classes[field.enumeration]
            self.out.refuse(f"({value} & ~{name}.MASK) != 0", self._error("BAD_CONSTANT", shown))
        if field.type is FieldType.VARINT or field.size == 8 or (field.size == 4 and kind == "int"):
            return
        suffix = "L" if kind == "long" else ""
        test = f"{value} < {least}{suffix} || {value} > {greatest}{suffix}"
        if least == 0 and (value.endswith((".size()", ".length()")) or value in self._lengths):
            test = f"{value} > {greatest}"
        self.out.refuse(test, too_long)

    def _text(self, field: Field, shown: str, value: str, known: str | None) -> None:
        size = known
        if size is None:
            size = self._local(shown, "Size")
            self.out.put(f"final int {size} = {self._imports.use('Text')}.{_SIZES[field.text]}({value});")
        test = f"{size} < 0"
        if value in self._spans:
            test = f"!{self._imports.use('Text')}.{_IS[field.text]}({', '.join(self._spans[value])})"
        self.out.refuse(test, self._error("BAD_TEXT", shown))
        self._length(field, shown, size)

    def _length(self, field: Field, shown: str, length: str) -> None:
        greatest = (1 << 8 * field.size) - 1
        if field.max is not None:
            greatest = min(greatest, field.max)
        if greatest < (1 << 31) - 1:
            self.out.refuse(f"{length} > {greatest}", self._error("TOO_LONG", shown))

    def _list(self, field: Field, shown: str, value: str) -> None:
        assert field.items is not None
        if field.count is None and not field.open_ended:
            self._length(field, shown, f"{value}.size()")
        elif field.max is not None:
            self.out.refuse(above(f"{value}.size()", field.max), self._error("TOO_LONG", shown))
        item = field.items
        one = self._local(shown, "Item")
        inner = _Checker(self._plan, self._imports)
        inner._scope = self._scope
        kind = self._item_type(item)
        path, inner_kind = one, kind
        if is_member(item):
            path = f"{one}.value()"
            inner_kind = "String" if item.type is FieldType.STRING else "long"
        inner._check(item, shown, path, inner_kind)
        if inner.out.lines:
            with self.out.block(f"for (final {kind} {one} : {value})"):
                self.out.put(*inner.out.lines)

    def _hash(self, field: Field, shown: str, value: str) -> None:
        if field.max is not None:
            self.out.refuse(above(f"{value}.size()", field.max), self._error("TOO_LONG", shown))
        entry = self._local(shown, "Entry")
        with self.out.block(self._entry_head(field, entry, value)):
            for part, path in self._hash_parts(field, entry):
                self._check(part, shown, path, "String")


class _Writer(Walker):
    """Writes the first frame into `out` from `start` on; everything has been checked and measured."""

    def __init__(self, plan: MessagePlan, imports: Imports, spans: Spans = NO_SPANS):
        super().__init__(plan, imports, spans)
        self._base, self._offset, self._moves = "start", 0, False

    def whole(self) -> list[str]:
        plan = self._plan
        self._constant(plan.layout.head, "HEAD")
        if plan.topic is not None:
            self._put_text(reach(plan.topic.component), self._texts[str(plan.topic.component)])
            self._constant(b"\0", "")
        for slot in plan.inline:
            if slot.field.reserved:
                self._reserved(slot.field.size)
                continue
            if slot.octets is not None:
                self._constant(slot.octets, str(slot.octets_name))
                continue
            value, kind = self._of(slot)
            self._write(
                slot.field, value, kind, None if slot.measures else self._texts.get(str(slot.component))
            )
        return self.out.lines

    def _here(self) -> str:
        return plus(self._base, self._offset)

    def _move(self, target: str = "") -> None:
        """Let `at` be where the writer stands, or `target`."""
        where = target or self._here()
        if not self._moves:
            self.out.put(f"int at = {where};")
        elif target:
            self.out.put(f"at = {target};")
        elif self._offset:
            self.out.put(f"at += {self._offset};")
        self._base, self._offset, self._moves = "at", 0, True

    def _constant(self, octets: bytes, name: str) -> None:
        if not octets:
            return
        self._imports.use("Wire")
        if len(octets) <= _STORED_MAX:
            self.out.put(*constant_stores(octets, self._base, self._offset))
        else:
            self.out.put(f"Wire.put(out, {self._here()}, {name});")
        self._offset += len(octets)

    def _reserved(self, size: int) -> None:
        if size > _STORED_MAX:
            self.out.put(f"{self._imports.use('Wire')}.zero(out, {self._here()}, {size});")
            self._offset += size
        else:
            self._constant(bytes(size), "")

    def _number(self, size: int, value: str) -> None:
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

    def _write(self, field: Field, value: str, kind: str, known: str | None = None) -> None:
        match field.type:
            case FieldType.NUMBER:
                self._number(field.size, value)
            case FieldType.VARINT:
                number = f"Wire.zigzag({value})" if field.signed else value
                self._move(f"{self._imports.use('Wire')}.putVarint(out, {self._here()}, {number})")
            case FieldType.STRING if has_text(field):
                size = known
                if size is None:
                    size = self._local("text", "Size")
                    self.out.put(f"final int {size} = {self._imports.use('Text')}.size({value});")
                self._number(field.size, size)
                self._put_text(value, size)
            case FieldType.STRING | FieldType.CHUNK:
                self._number(field.size, self._octets(value))
                self._move(self._copied(value))
            case FieldType.OCTETS if field.length is None:
                self.out.put(f"{self._copied(value)};")
                self._offset += field.size
            case FieldType.OCTETS | FieldType.REST:
                self._move(self._copied(value))
            case FieldType.LIST:
                self._list(field, value)
            case _:
                self._hash(field, value)

    def _list(self, field: Field, value: str) -> None:
        assert field.items is not None
        if field.count is None and not field.open_ended:
            self._number(field.size, f"{value}.size()")
        self._move()
        item, one = field.items, self._local(field.name, "Item")
        kind = self._item_type(item)
        numeric = is_member(item)
        with self.out.block(f"for (final {kind} {one} : {value})"):
            self._write(item, f"{one}.value()" if numeric else one, kind)
            self._move()

    def _hash(self, field: Field, value: str) -> None:
        if not field.open_ended:
            self._number(4, f"{value}.size()")
        self._move()
        entry = self._local(field.name, "Entry")
        with self.out.block(self._entry_head(field, entry, value)):
            for part, path in self._hash_parts(field, entry):
                self._write(part, path, "String")
            self._move()
