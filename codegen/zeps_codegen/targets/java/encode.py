"""The statements of an encoder: one method checks and measures, in the order of the wire; one writes.

What text takes is measured once and handed from the one to the other; nothing is allocated but the frame.
"""

from __future__ import annotations

from ...ir import Field, FieldType, Text
from ...naming import Scope, camel
from ..layout import least_octets, number_range
from .decode import above, number_literal
from .lines import Lines, plus
from .names import Imports, has_text, is_member, literal, local_scope
from .plan import MessagePlan, Slot, reach

__all__ = ["Checker", "Sizer", "Writer", "constant_stores", "texts_of"]

_SIZES = {Text.UTF8: "utf8Size", Text.PRINTABLE: "printableSize", Text.VCHAR: "vcharSize"}
#: A head of more octets is kept as an array and copied.
_STORED_MAX = 24


def texts_of(plan: MessagePlan, scope: Scope | None = None) -> dict[str, str]:
    """The components that are one text each, and the locals that hold what they take in octets."""
    found = scope or local_scope(slot.component or "" for slot in plan.shown)
    return {
        str(slot.component): found.name(f"{slot.component}Size")
        for slot in plan.shown
        if slot.field.type is FieldType.STRING and has_text(slot.field) and not is_member(slot.field)
    }


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


def _frame_size(imports: Imports, total: str) -> str:
    return f"{imports.use('Wire')}.frameSize({total}, NAME)"


class _Walker:
    """What the three passes share: how a field's value is reached."""

    def __init__(self, plan: MessagePlan, imports: Imports):
        self.out = Lines()
        self._plan = plan
        self._imports = imports
        taken = [*(slot.component or "" for slot in plan.shown), *(slot.local for slot in plan.slots)]
        self._texts = texts_of(plan)
        self._scope = local_scope([*taken, *self._texts.values(), "total"])

    def _of(self, slot: Slot) -> tuple[str, str]:
        """The expression of the slot's value, and its type."""
        if slot.measures:
            return slot.measures[0][2], "int"
        kind = self._plan.java_type(slot, self._imports)
        if is_member(slot.field):
            return (
                f"{reach(slot.component)}.value()",
                "String" if slot.field.type is FieldType.STRING else "long",
            )
        return reach(slot.component), kind

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


class Sizer(_Walker):
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
            self.out.put(f"return {_frame_size(self._imports, total) if parts else total};")
            return self.out.lines
        self.out.put(f"long total = {total};")
        for field, value in loops:
            self._loop(field, value)
        self.out.put(f"return {_frame_size(self._imports, 'total')};")
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
                return field.size, f"{value}.length()"
            case FieldType.OCTETS if field.length is None:
                return field.size, ""
            case FieldType.OCTETS | FieldType.REST | FieldType.FRAME:
                return 0, f"{value}.length()"
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


class Checker(_Walker):
    """Refuses what the format cannot carry, in the order of the wire, and measures the first frame."""

    def whole(self) -> list[str]:
        plan = self._plan
        self._agree()
        fixed = len(plan.layout.head)
        parts: list[str] = []
        loops: list[tuple[Field, str]] = []
        sizer = Sizer(plan, self._imports)
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
            sizer = Sizer(self._plan, self._imports)
            for field, value in loops:
                sizer._loop(field, value)
            self.out.put(*sizer.out.lines)
            total = "total"
        self.out.put(f"return {_frame_size(self._imports, total) if loops or parts else total};")

    # --- errors

    def _error(self, code: str, shown: str) -> str:
        self._imports.use("EncodeException", "ErrorCode")
        return f"new EncodeException(ErrorCode.{code}, NAME, {literal(shown)})"

    def _miscounted(self, shown: str, seen: str, wanted: str) -> str:
        return f"{self._imports.use('Wire')}.miscounted(NAME, {literal(shown)}, {seen}, {wanted})"

    def _agree(self) -> None:
        """What one number counts or measures has to agree on it."""
        for slot in self._plan.inline:
            for shown, _, measure in slot.measures[1:]:
                wanted = slot.measures[0][2]
                self.out.refuse(f"{measure} != {wanted}", self._miscounted(shown, measure, wanted))

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
                self._length(field, shown, f"{value}.length()")
            case FieldType.OCTETS if field.length is None:
                error = self._miscounted(shown, f"{value}.length()", str(field.size))
                self.out.refuse(f"{value}.length() != {field.size}", error)
            case FieldType.OCTETS | FieldType.REST:
                if field.max is not None:
                    self.out.refuse(above(f"{value}.length()", field.max), self._error("TOO_LONG", shown))
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
        if least == 0 and value.endswith((".size()", ".length()")):
            test = f"{value} > {greatest}"
        self.out.refuse(test, too_long)

    def _text(self, field: Field, shown: str, value: str, known: str | None) -> None:
        size = known
        if size is None:
            size = self._local(shown, "Size")
            self.out.put(f"final int {size} = {self._imports.use('Text')}.{_SIZES[field.text]}({value});")
        self.out.refuse(f"{size} < 0", self._error("BAD_TEXT", shown))
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
        inner = Checker(self._plan, self._imports)
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


class Writer(_Walker):
    """Writes the first frame into `out` from `start` on; everything has been checked and measured."""

    def __init__(self, plan: MessagePlan, imports: Imports):
        super().__init__(plan, imports)
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
        self._move(f"{self._imports.use('Text')}.put({value}, {size}, out, {self._here()})")

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
                self._number(field.size, f"{value}.length()")
                self._move(f"{value}.copyTo(out, {self._here()})")
            case FieldType.OCTETS if field.length is None:
                self.out.put(f"{value}.copyTo(out, {self._here()});")
                self._offset += field.size
            case FieldType.OCTETS | FieldType.REST:
                self._move(f"{value}.copyTo(out, {self._here()})")
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
