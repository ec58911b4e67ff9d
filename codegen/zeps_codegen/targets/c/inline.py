"""The common path of a codec, inline: whatever is rare or wrong goes to the tables, which say what it is."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ...ir import Field, FieldType, Text
from ...plan.layout import Layout, Place, least_octets, number_range
from .names import number, quoted
from .types import limit_of

__all__ = ["decoder", "encoder", "size_of"]

_CHECKS = {Text.UTF8: "wire_is_utf8", Text.PRINTABLE: "wire_is_printable", Text.VCHAR: "wire_is_vchar"}
Members = Mapping[str, str]


def _is_plain_number(field: Field | None) -> bool:
    return field is not None and field.type is FieldType.NUMBER and field.enumeration is None


def _is_quick(place: Place) -> bool:
    field = place.field
    if place.octets is not None:
        return True
    match field.type:
        case FieldType.NUMBER | FieldType.STRING:
            return field.enumeration is None
        case FieldType.LIST:
            return _is_plain_number(field.items) and field.items is not None and field.items.max is None
        case FieldType.CHUNK | FieldType.OCTETS | FieldType.REST:
            return True
        case _:
            return False


def _least(place: Place) -> int:
    return len(place.octets) if place.octets is not None else least_octets(place.field)


def _is_variable(place: Place) -> bool:
    field = place.field
    fixed = field.type is FieldType.NUMBER or (field.type is FieldType.OCTETS and field.length is None)
    return place.octets is None and not fixed


def _differs(head: bytes, room: int) -> str:
    """The test that `data`, of at least `room` octets, does not begin with `head`: one comparison, where a load is as
    long or longer, because compilers take the calls that a memcmp may be for likely.
    """
    size = next((size for size in (1, 2, 4, 8) if len(head) <= size <= room), None)
    if size is None:
        return f"memcmp(data, {quoted(head)}, {len(head)}) != 0"
    load = "data[0]" if size == 1 else f"wire_load{size}(data)"
    spare = 2 * (size - len(head))
    if spare:
        load = f"({load} & {_hexadecimal('FF' * len(head) + '0' * spare)})"
    return f"{load} != {_hexadecimal(head.hex().upper() + '0' * spare)}"


def _hexadecimal(digits: str) -> str:
    return f"UINT64_C(0x{digits})" if len(digits) > 8 else f"0x{digits}"


def decoder(layout: Layout, members: Members) -> list[str] | None:
    """The statements between the declarations and ``return WIRE_OK``; ``CAREFULLY;`` stands for the way out."""
    if layout.has_topic or not all(map(_is_quick, layout.places)):
        return None
    return _Decoder(layout, members).lines


class _Decoder:
    def __init__(self, layout: Layout, members: Members) -> None:
        self._members = members
        self._offset = len(layout.head)
        self._counts: dict[str, str] = {}
        self.lines: list[str] = []
        variable = [place for place in layout.places if _is_variable(place)]
        self._last = variable[-1] if variable else None
        least = len(layout.head) + sum(map(_least, layout.places))
        tests = [f"size {'<' if variable else '!='} {least}"] if least or not variable else []
        if layout.head:
            tests.append(_differs(layout.head, least))
        if tests:
            self._refuse(" || ".join(tests))
        if layout.places:
            self.lines.append("at = data;")
        if variable:
            self.lines.append(f"spare = size - {least};")
        for place in layout.places:
            self._place(place)
        _drop_last_step(self.lines)
        readers = [line for line in self.lines if "at" in re.findall(r"\w+", line)]
        if readers == ["at = data;"]:  # all that there is is reserved
            self.lines.remove("at = data;")

    def _refuse(self, test: str) -> None:
        self.lines.append(f"if (WIRE_RARELY({test})) {{ CAREFULLY; }}")

    def _at(self) -> str:
        return f"at + {self._offset}" if self._offset else "at"

    def _load(self, size: int) -> str:
        return f"at[{self._offset}]" if size == 1 else f"wire_load{size}({self._at()})"

    def _place(self, place: Place) -> None:
        field = place.field
        if place.octets is not None:
            if place.octets:
                self._refuse(f"memcmp({self._at()}, {quoted(place.octets)}, {len(place.octets)}) != 0")
            self._offset += len(place.octets)
            return
        if field.reserved:
            self._offset += field.size
            return
        member = f"message->{self._members[field.name]}" if place.shown else ""
        match field.type:
            case FieldType.NUMBER:
                self._number(place, member)
            case FieldType.OCTETS if field.length is None:
                self.lines.append(f"{member} = wire_octets_of({self._at()}, {field.size});")
                self._offset += field.size
            case FieldType.LIST:
                self._list(place, member)
            case _:
                self._content(place, member)

    def _number(self, place: Place, member: str) -> None:
        field = place.field
        value = self._load(field.size)
        if field.signed:
            value = f"(int{8 * field.size}_t){value}"
        if not place.shown:
            member = f"count_{len(self._counts) + 1}"
            self._counts[field.name] = member
            self.lines.append(f"const uint64_t {member} = {value};")
        else:
            self.lines.append(f"{member} = {value};")
        self._offset += field.size
        if (limit := limit_of(field)) is not None:
            self._refuse(f"{member} > {number(limit)}")

    def _count(self, place: Place, name: str) -> str:
        """The length or count of a field, which is looked at where it stands."""
        field = place.field
        sibling = field.length or field.count
        if sibling is not None:
            return self._counts[sibling]
        if field.type is FieldType.REST:
            return "spare"
        self.lines.append(f"const uint64_t {name} = {self._load(field.size)};")
        self._offset += field.size
        return name

    def _content(self, place: Place, member: str) -> None:
        field = place.field
        count = self._count(place, f"size_{len(self.lines)}")
        tests = [] if count == "spare" else [f"{count} {'!=' if place is self._last else '>'} spare"]
        if (limit := limit_of(field)) is not None:
            tests.append(f"{count} > {number(limit)}")
        size = count if count == "spare" else f"(size_t){count}"
        if field.type is FieldType.STRING and field.text in _CHECKS:
            tests.append(f"!{_CHECKS[field.text]}({self._at()}, {size})")
        if tests:
            self._refuse(" || ".join(tests))
        cast = "(const char *)" if field.type is FieldType.STRING else ""
        self.lines += [f"{member}.data = {cast}{'(' + self._at() + ')' if cast else self._at()};"]
        self.lines += [f"{member}.size = {size};"]
        self._go(place, size)

    def _go(self, place: Place, size: str) -> None:
        """Stand behind `size` octets."""
        if place is not self._last:
            self.lines.append(f"spare -= {size};")
        self.lines.append(f"at += {f'{self._offset} + ' if self._offset else ''}{size};")
        self._offset = 0

    def _list(self, place: Place, member: str) -> None:
        field = place.field
        assert field.items is not None
        each = field.items.size
        if field.open_ended:
            count = f"(spare / {each})" if each > 1 else "spare"
            tests = [f"spare % {each} != 0"] if each > 1 else []
        else:
            count = self._count(place, f"count_of_{len(self.lines)}")
            tests = [f"{count} > spare / {each}"]
            tests += [f"{count} * {each} != spare"] if place is self._last else []
        if (limit := limit_of(field)) is not None:
            tests.append(f"{count} > {number(limit)}")
        if tests:
            self._refuse(" || ".join(tests))
        index = f"ITEM({field.name})"
        self.lines += [
            f"{member}.count = (size_t){count};",
            f"{member}.items = NULL;",
            f"{member}.encoded.data = {self._at()};",
            f"{member}.encoded.size = (size_t){count} * {each};",
            f"{member}.encoded.item = {index};",
        ]
        self._go(place, f"(size_t){count} * {each}")


def size_of(layout: Layout, members: Members) -> str | None:
    """The size of the encoded message as an expression over `message`; None if it takes a loop."""
    if layout.has_topic:
        return None
    fixed = len(layout.head) + sum(map(_least, layout.places))
    parts = []
    for place in layout.places:
        field = place.field
        if not _is_variable(place):
            continue
        if field.type in (FieldType.VARINT, FieldType.HASH):
            return None
        value = f"message->{members[field.name]}" if place.shown else ""
        if field.type is FieldType.LIST:
            if field.items is None or field.items.type is not FieldType.NUMBER:
                return None
            parts.append(f"{value}.count * {field.items.size}")
        else:
            parts.append(f"{value}.size")
    return " + ".join([str(fixed), *parts] if fixed or not parts else parts)


def encoder(layout: Layout, members: Members) -> tuple[list[str], list[str]] | None:
    """The tests that send a message to the tables, and the statements that write it; `at` is where."""
    lists = any(place.field.type is FieldType.LIST for place in layout.places)
    if layout.has_topic or lists or not all(map(_is_quick, layout.places)):
        return None
    writer = _Encoder(members)
    if layout.head:
        writer.constant(layout.head)
    for place in layout.places:
        writer.place(place)
    _drop_last_step(writer.lines)
    return writer.tests, writer.lines


def _drop_last_step(lines: list[str]) -> None:
    """Nothing is read or written behind the last field."""
    if lines and lines[-1].startswith("at += "):
        lines.pop()


class _Encoder:
    def __init__(self, members: Members) -> None:
        self._members = members
        self._offset = 0
        self.tests: list[str] = []
        self.lines: list[str] = []

    def _at(self) -> str:
        return f"at + {self._offset}" if self._offset else "at"

    def constant(self, octets: bytes) -> None:
        while octets:
            size = next(size for size in (8, 4, 2, 1) if size <= len(octets))
            self._store(
                size,
                f"UINT64_C(0x{octets[:size].hex().upper()})"
                if size == 8
                else f"0x{octets[:size].hex().upper()}",
            )
            octets = octets[size:]

    def _store(self, size: int, value: str) -> None:
        cast = "" if value.startswith(("UINT64_C", "0x")) else f"(uint{8 * size}_t)"
        self.lines.append(f"wire_store{size}({self._at()}, {cast}{value});")
        self._offset += size

    def _copy(self, value: str, size: str, function: str = "wire_copy") -> None:
        self.lines.append(f"{function}({self._at()}, {value}.data, {size});")

    def place(self, place: Place) -> None:
        field = place.field
        if place.octets is not None:
            self.constant(place.octets)
            return
        if field.reserved:
            self.lines.append(f"memset({self._at()}, 0, {field.size});")
            self._offset += field.size
            return
        if field.type is FieldType.NUMBER:
            self._number(place)
            return
        value = f"message->{self._members[field.name]}"
        if field.type is FieldType.OCTETS and field.length is None:
            self.tests.append(f"{value}.size != {field.size}")
            self._copy(value, str(field.size))
            self._offset += field.size
            return
        limits = [one for one in (limit_of(field),) if one is not None]
        if field.type in (FieldType.STRING, FieldType.CHUNK):
            limits += [(1 << 8 * field.size) - 1] if field.size < 8 else []
            self._store(field.size, f"{value}.size")
        if limits:
            self.tests.append(f"{value}.size > {number(min(limits))}")
        if field.type is FieldType.STRING and field.text in _CHECKS:
            self.tests.append(f"!{_CHECKS[field.text]}((const uint8_t *){value}.data, {value}.size)")
        short = field.type is FieldType.STRING and field.size == 1
        self._copy(value, f"{value}.size", "wire_copy_text" if short else "wire_copy")
        self.lines.append(f"at += {f'{self._offset} + ' if self._offset else ''}{value}.size;")
        self._offset = 0

    def _number(self, place: Place) -> None:
        field = place.field
        limits = [one for one in (limit_of(field),) if one is not None]
        if place.shown:
            value = f"message->{self._members[field.name]}"
        else:
            values = [f"message->{self._members[other.name]}.size" for other in place.measures]
            value = values[0]
            self.tests += [f"{other} != {value}" for other in values[1:]]
            limits += [number_range(field)[1]] if field.size < 8 else []
        if limits:
            self.tests.append(f"{value} > {number(min(limits))}")
        self._store(field.size, value)
