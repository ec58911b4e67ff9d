"""The statements of a decoder: one pass over the octets; the first field that is wrong is the one reported.

Numbers that lie side by side are unpacked together. Where one of them can be refused (a limit, an
enumeration) the run ends with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ...ir import Field, FieldType, Text
from ...naming import snake
from ...plan.layout import least_octets, number_range
from .plan import CODES, Formats, MessagePlan, Slot, enumeration_name, item_annotation
from .reader import Piece, Reader

__all__ = ["Decoder", "is_fixed", "is_scannable"]

#: Types whose content `scan` tells the place of.
_EXTENTS = (FieldType.STRING, FieldType.CHUNK, FieldType.REST)
_APART = (FieldType.FRAME, FieldType.MSG)


def _is_plain_number(field: Field) -> bool:
    return field.type is FieldType.NUMBER and field.enumeration is None


def _is_limited(field: Field) -> bool:
    return field.enumeration is not None or (field.max is not None and field.max < number_range(field)[1])


def is_fixed(field: Field) -> bool:
    """Whether the field always takes the same octets."""
    if field.value is not None or field.type is FieldType.NUMBER:
        return True
    return field.type is FieldType.OCTETS and field.length is None


def _has_extent(field: Field) -> bool:
    if field.type is FieldType.LIST:
        return field.items is not None and _is_plain_number(field.items)
    return field.type in _EXTENTS or (field.type is FieldType.OCTETS and field.length is not None)


def is_scannable(plan: MessagePlan) -> bool:
    """Whether the message's variable fields can be found without decoding them."""
    fields = [slot.field for slot in plan.slots if slot.octets is None]
    if plan.topic is not None or not any(_has_extent(field) for field in fields):
        return False
    return all(is_fixed(f) or _has_extent(f) or f.type is FieldType.VARINT for f in fields)


class Decoder:
    """Writes the statements that turn `data` into locals; with `scan`, into places of variable content."""

    def __init__(self, plan: MessagePlan, formats: Formats, base: str = "", scan: bool = False):
        self.reader = Reader(plan, formats, base)
        self.out = self.reader.out
        self.extents: list[tuple[str, str]] = []
        self._plan = plan
        self._name = plan.message.name
        self._scan = scan

    # --- whole messages

    def topic(self, slot: Slot) -> None:
        """Pub/sub: text up to the first NUL."""
        self.reader.settle_head()
        start, end = self.reader.at(), self.reader.local(slot.field, "end")
        self.out.put(f'{end} = data.find(b"\\x00", {start})')
        self.out.refuse(f"{end} < 0", self.reader.error("truncated", "topic", start))
        self._text(slot.field, "topic", slot.local, f"data[{start}:{end}]", start, None)
        self.reader.go(end, 1)

    def fields(self, slots: tuple[Slot, ...]) -> None:
        """All fields, and the frame's end."""
        inline = [slot for slot in slots if slot.field.type not in _APART]
        self.leading(tuple(inline), last=True)
        self.reader.close()

    def leading(self, slots: tuple[Slot, ...], last: bool = False) -> None:
        """The fields, and no look at what follows."""
        constants: list[tuple[str, bytes]] = []
        for index, slot in enumerate(slots):
            if slot.octets is not None:
                self.reader.flush()
                constants.append((slot.field.name, slot.octets))
                continue
            if constants:
                self.reader.constants(constants)
                constants = []
            if slot.field.reserved:
                self.reader.gather(Piece(slot.field.name, "", f"{slot.field.size}x", slot.field.size))
                continue
            self._value(slot.field, slot.field.name, slot.local, last and index == len(slots) - 1)
        if constants:
            self.reader.constants(constants)
        self.reader.flush(last)

    def frames(self, slots: tuple[Slot, ...]) -> None:
        """The fields that are ZeroMQ frames of their own, from the second frame on."""
        found = [slot for slot in slots if slot.field.type in _APART]
        end = "len(data)"
        for index, slot in enumerate(found, 1):
            self.out.refuse(f"len(frames) <= {index}", self.reader.error("truncated", slot.field.name, end))
            if slot.field.type is FieldType.MSG:
                self.out.put(f"{slot.local} = tuple(bytes(frame) for frame in frames[{index}:])")
                if slot.field.max is not None:
                    error = self.reader.error("too-long", slot.field.name, end)
                    self.out.refuse(f"max(map(len, {slot.local})) > {slot.field.max}", error)
                return
            self.out.put(f"{slot.local} = bytes(frames[{index}])")
            if slot.field.max is not None:
                error = self.reader.error("too-long", slot.field.name, end)
                self.out.refuse(f"len({slot.local}) > {slot.field.max}", error)
        error = f'DecodeError("trailing", "{self._name}", None, {end})'
        self.out.refuse(f"len(frames) > {len(found) + 1}", error)

    # --- one field

    def _value(self, field: Field, shown: str, local: str, last: bool = False) -> None:
        match field.type:
            case FieldType.NUMBER:
                self._number(field, shown, local)
            case FieldType.VARINT:
                self._varint(field, shown, local)
            case FieldType.OCTETS if field.length is None:
                self._octets(shown, local, field.size)
            case FieldType.OCTETS:
                start = self._here()
                self._content(field, shown, local, self._plan.named(field.length).local, start, last)
            case FieldType.STRING | FieldType.CHUNK:
                start, length = self._prefix(field, shown)
                self._content(field, shown, local, length, start, last)
            case FieldType.REST:
                self._rest(field, shown, local)
            case FieldType.LIST:
                self._list(field, shown, local)
            case FieldType.HASH:
                self._hash(field, shown, local)
            case _:
                raise ValueError(f"{self._name}.{shown}: no decoder for {field.type.value}")

    def _octets(self, shown: str, local: str, size: int) -> None:
        """Octets of a fixed size; `scan` steps over them."""
        if self._scan:
            self.reader.gather(Piece(shown, "", f"{size}x", size))
        else:
            self.reader.gather(Piece(shown, local, f"{size}s", size))

    def _prefix(self, field: Field, shown: str) -> tuple[str, str]:
        """Read a length or a count of `size` octets: where it starts, and the local that holds it."""
        length, start = self.reader.local(field, "length"), self.reader.at()
        self.reader.gather(Piece(shown, length, CODES[field.size], field.size))
        self.reader.flush()
        return start, length

    def _number(self, field: Field, shown: str, local: str) -> None:
        code = CODES[field.size].lower() if field.signed else CODES[field.size]
        if self._scan and not _is_limited(field) and not field.derived:
            self.reader.gather(Piece(shown, "", f"{field.size}x", field.size))
            return
        raw = local if field.enumeration is None or self._scan else self.reader.local(field, "value")
        start = self.reader.at()
        self.reader.gather(Piece(shown, raw, code, field.size))
        if _is_limited(field):
            self.reader.flush()
            self._limit(field, shown, raw, start)
            self._member(field, shown, raw, local, start)

    def _varint(self, field: Field, shown: str, local: str) -> None:
        self.reader.settle_head()
        self.reader.settle()
        start, end = self.reader.at(), self.reader.local(field, "end")
        raw = local if field.enumeration is None or self._scan else self.reader.local(field, "value")
        self.out.put(f'{raw}, {end} = varint(data, {start}, "{self._name}", "{shown}")')
        if field.signed:
            self.out.put(f"{raw} = ({raw} >> 1) ^ -({raw} & 1)")
        self._limit(field, shown, raw, start)
        self._member(field, shown, raw, local, start)
        self.reader.go(end)

    def _limit(self, field: Field, shown: str, value: str, start: str) -> None:
        if field.max is not None and field.max < number_range(field)[1]:
            self.out.refuse(f"{value} > {field.max}", self.reader.error("too-long", shown, start))

    def _member(self, field: Field, shown: str, raw: str, local: str, start: str) -> None:
        if field.enumeration is None:
            return
        error = self.reader.error("bad-constant", shown, start)
        if field.flags:
            self.out.refuse(f"{raw} & ~_mask_of_{snake(field.enumeration)}", error)
            if not self._scan:
                self.out.put(f"{local} = {enumeration_name(field.enumeration)}({raw})")
            return
        table = f"_members_of_{snake(field.enumeration)}"
        if self._scan:
            self.out.refuse(f"{raw} not in {table}", error)
            return
        found = self.reader.local(field, "member")
        self.out.put(f"{found} = {table}.get({raw})")
        self.out.refuse(f"{found} is None", error)
        self.out.put(f"{local} = {found}")

    def _content(self, field: Field, shown: str, local: str, length: str, start: str, last: bool) -> None:
        """`length` octets from here on."""
        begin, end = self.reader.at(), self.reader.local(field, "end")
        if field.max is not None and (field.length is not None or field.max < (1 << 8 * field.size) - 1):
            self.out.refuse(f"{length} > {field.max}", self.reader.error("too-long", shown, start))
        self.out.put(f"{end} = {begin} + {length}")
        self.reader.pend(shown, start, end)
        if not last and self._is_wide(field):
            self.reader.settle()  # struct takes no offset beyond a machine word
        is_text = field.type is FieldType.STRING and field.text is not Text.OCTETS
        if self._scan:
            self.extents.append((begin, end))
        elif is_text:
            self._text(field, shown, local, f"data[{begin}:{end}]", start, end)
        self.reader.go(end)
        if last and not is_text:
            self.reader.close()
        if not self._scan and not is_text:
            self.out.put(f"{local} = data[{begin}:{'' if last else end}]")

    def _is_wide(self, field: Field) -> bool:
        """Whether the field's length may be a number of 64 bits."""
        counter = field if field.length is None else self._plan.named(field.length).field
        return counter.type is FieldType.VARINT or counter.size == 8

    def _text(self, field: Field, shown: str, local: str, source: str, start: str, end: str | None) -> None:
        """Text from `source`; it may be cut short where `end` has not been checked yet."""
        error = self.reader.error("bad-text", shown, start)
        if end is not None:
            error = f'bad_text("{self._name}", "{shown}", {start}, {end}, len(data))'
        raw = local if field.enumeration is None else self.reader.local(field, "value")
        with self.out.block("try:"):
            self.out.put(f"{raw} = {source}.decode()")
        with self.out.block("except UnicodeDecodeError:"):
            self.out.put(f"raise {error} from None")
        if field.text is Text.PRINTABLE:
            self.out.refuse(f"not {raw}.isprintable() and has_control({raw})", error)
        elif field.text is Text.VCHAR:
            self.out.refuse(f"not is_vchar({raw})", error)
        if field.enumeration is not None:
            self.reader.settle()
            self._member(field, shown, raw, local, start)

    def _rest(self, field: Field, shown: str, local: str) -> None:
        start = self._here()
        if field.max is not None:
            error = self.reader.error("too-long", shown, start)
            self.out.refuse(f"len(data) > {self.reader.at(field.max)}", error)
        if self._scan:
            self.extents.append((start, "len(data)"))
        else:
            self.out.put(f"{local} = data[{start}:]")
        self.reader.closed = True

    # --- many values

    def _here(self) -> str:
        """The position after all that has been read and checked."""
        self.reader.settle_head()
        self.reader.settle()
        return self.reader.at()

    def _count(self, field: Field, shown: str) -> tuple[str, str]:
        """Where the field starts, and the local that holds the number of its items."""
        if field.count is not None:
            start, count = self._here(), self._plan.named(field.count).local
        else:
            start, count = self._prefix(field, shown)
        if field.max is not None:
            self.out.refuse(f"{count} > {field.max}", self.reader.error("too-long", shown, start))
        return start, count

    @contextmanager
    def _turns(self, field: Field, shown: str, local: str, least: int) -> Iterator[str]:
        """A loop over items of at least `least` octets. What is put inside reads one, and appends it to the list
        whose name this gives.
        """
        if field.open_ended:
            start, head = self._here(), "while {} < len(data):"
        else:
            start, count = self._count(field, shown)
            self.reader.require(shown, start, f"{self.reader.at()} + {_times(count, least)}")
            head = f"for _ in range({count}):"
        at, items = (self.reader.local(field, suffix) for suffix in ("at", "items"))
        self.out.put(f"{at} = {self.reader.at()}", f"{items}: list[{item_annotation(field)}] = []")
        with self.out.block(head.format(at)):
            if field.open_ended and field.max is not None:
                self.out.refuse(f"len({items}) == {field.max}", self.reader.error("too-long", shown, start))
            self.reader.go(at)
            yield items
            self.out.put(f"{at} = {self.reader.at()}")
        self.out.put(f"{local} = tuple({items})")
        self.reader.go(at)
        self.reader.closed = field.open_ended

    def _list(self, field: Field, shown: str, local: str) -> None:
        assert field.items is not None
        item = field.items
        if _is_plain_number(item):
            numbers = self._open_numbers if field.open_ended else self._numbers
            numbers(field, item, shown, local)
            return
        with self._turns(field, shown, local, max(1, least_octets(item))) as items:
            one = self.reader.local(field, "item")
            self._value(item, shown, one)
            self.reader.flush()
            self.reader.settle()
            self.out.put(f"{items}.append({one})")

    def _hash(self, field: Field, shown: str, local: str) -> None:
        with self._turns(field, shown, local, 5) as pairs:
            key, value = (self.reader.local(field, suffix) for suffix in ("key", "value"))
            for name, size in ((key, 1), (value, 4)):
                self._value(Field(name, FieldType.STRING, size=size, text=field.text), shown, name)
            self.reader.settle()
            self.out.put(f"{pairs}.append(({key}, {value}))")

    def _numbers(self, field: Field, item: Field, shown: str, local: str) -> None:
        start, count = self._count(field, shown)
        begin, end = self.reader.at(), self.reader.local(field, "end")
        self.out.put(f"{end} = {begin} + {_times(count, item.size)}")
        self.reader.require(shown, start, end)
        if self._scan:
            self.extents.append((begin, end))
        self._unpack(item, shown, local, count, begin)
        self.reader.go(end)

    def _open_numbers(self, field: Field, item: Field, shown: str, local: str) -> None:
        """Numbers up to the frame's end. Where one can be refused, that goes before what is wrong with the end."""
        start = self._here()
        begin, count = (self.reader.local(field, suffix) for suffix in ("begin", "count"))
        rest = None if item.size == 1 else self.reader.local(field, "rest")
        whole = f"len(data) - {begin}"
        self.out.put(
            f"{begin} = {start}",
            f"{count} = {whole}" if rest is None else f"{count}, {rest} = divmod({whole}, {item.size})",
        )
        if self._scan:
            self.extents.append((begin, "len(data)"))
        if _is_limited(item):
            self._unpack(item, shown, local, count, begin, field.max)
        if field.max is not None:
            more = f" or ({count} == {field.max} and {rest})" if rest else ""
            self.out.refuse(f"{count} > {field.max}{more}", self.reader.error("too-long", shown, begin))
        if rest is not None:
            place = f"{begin} + {_times(count, item.size)}"
            self.out.refuse(rest, self.reader.error("truncated", shown, place))
        if not _is_limited(item):
            self._unpack(item, shown, local, count, begin)
        self.reader.closed = True

    def _unpack(
        self, item: Field, shown: str, local: str, count: str, begin: str, most: int | None = None
    ) -> None:
        """Read `count` numbers; the first `most` of them are compared with their limit."""
        if not self._scan or _is_limited(item):
            code = CODES[item.size].lower() if item.signed else CODES[item.size]
            self.out.put(f'{local} = unpack_from(f">{{{count}}}{code}", data, {begin})')
        if _is_limited(item):
            few = local if most is None else f"{local}[:{most}]"
            error = f'too_large("{self._name}", "{shown}", {begin}, {item.size}, {few}, {item.max})'
            self.out.refuse(f"{few} and max({few}) > {item.max}", error)


def _times(count: str, size: int) -> str:
    return count if size == 1 else f"{count} * {size}"
