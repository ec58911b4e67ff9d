"""The statements of a decoder: one pass over the octets; the first field that is wrong is the one reported.

Numbers that lie side by side are unpacked together. Where one of them can be refused (a limit, an
enumeration) the run ends with it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ...ir import Text
from ...naming import snake
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
from .lines import no_member, no_text, times
from .plan import CODES, Formats, MessagePlan, Slot, class_name, item_annotation, struct_code
from .reader import Piece, Reader

__all__ = ["Decoder", "fixed_size", "is_scannable", "numbers_of"]


def fixed_size(operation: Operation) -> int | None:
    """The octets that it always takes."""
    match operation:
        case Constant(_, octets):
            return len(octets)
        case Reserved(size=size) | Fixed(size=size):
            return size
        case Number(size=size) if size:
            return size
        case _:
            return None


def numbers_of(items: Items) -> Number | None:
    """The item, if it is a number that one call packs with the others."""
    match items.parts:
        case (Number(size=size, enumeration=None) as number,) if size:
            return number
        case _:
            return None


def is_scannable(plan: MessagePlan) -> bool:
    """Whether the message's variable fields can be found without decoding them."""
    operations = [slot.operation for slot in plan.slots]
    known = all(
        _has_extent(one) or fixed_size(one) is not None or isinstance(one, Number) for one in operations
    )
    return plan.topic is None and known and any(_has_extent(one) for one in operations)


def _has_extent(operation: Operation) -> bool:
    """Whether it has content of varying size whose place `scan` tells."""
    is_numbers = isinstance(operation, Items) and numbers_of(operation) is not None
    return is_numbers or isinstance(operation, Content | Rest)


class Decoder(Reader):
    """Writes the statements that turn `data` into locals; with `scan`, into places of variable content."""

    def __init__(self, plan: MessagePlan, formats: Formats, base: str = "", scan: bool = False):
        super().__init__(plan, formats, base)
        self.extents: list[str] = []  # where the content of each field begins and ends
        self._scan = scan

    # --- whole messages

    def whole(self) -> None:
        """All of the first frame."""
        self.head()
        self.fields(self._plan.inline, last=True)
        self.close()

    def fields(self, slots: Iterable[Slot], last: bool = False) -> None:
        """The fields, and no look at what follows."""
        slots, constants = list(slots), []
        for slot in slots:
            if isinstance(slot.operation, Constant):
                constants.append(slot.operation)
                continue
            self.constants(constants)
            constants = []
            self._operation(slot, last and slot is slots[-1])
        self.constants(constants)
        self.flush(last)

    def apart(self) -> None:
        """The fields that are ZeroMQ frames of their own, from the second frame on."""
        end = "len(data)"
        found = [slot for slot in self._plan.slots if isinstance(slot.operation, Apart)]
        for index, slot in enumerate(found, 1):
            match slot.operation:
                case Apart(name, _, is_rest, limit):
                    self.out.refuse(f"len(frames) <= {index}", self.error("truncated", name, end))
                    if is_rest:
                        self.out.put(f"{slot.local} = tuple(bytes(frame) for frame in frames[{index}:])")
                        self._limit(f"max(map(len, {slot.local}))", limit, name, end)
                        return
                    self.out.put(f"{slot.local} = bytes(frames[{index}])")
                    self._limit(f"len({slot.local})", limit, name, end)
        error = f'DecodeError("trailing", "{self.name}", None, {end})'
        self.out.refuse(f"len(frames) > {len(found) + 1}", error)

    # --- one operation

    def _operation(self, slot: Slot, last: bool) -> None:
        match slot.operation:
            case Topic(name):
                start, end = self.here(), self.local(name, "end")
                self.out.put(f'{end} = data.find(b"\\x00", {start})')
                self.out.refuse(f"{end} < 0", self.error("truncated", name, start))
                self._text(Text.UTF8, slot.local, f"data[{start}:{end}]", self.error("bad-text", name, start))
                self.go(end, 1)
            case Reserved(name, size):
                self.gather(Piece(name, "", f"{size}x"))
            case Rest(name, _, limit):
                start = self.here()
                self._limit("len(data)", None if limit is None else self.at(limit), name, start)
                if self._scan:
                    self.extents += [start, "len(data)"]
                else:
                    self.out.put(f"{slot.local} = data[{start}:]")
                self.closed = True
            case Number() | Content() | Fixed() | Items() as part:
                self._part(part, part.name, slot.local, last)

    def _part(self, part: Part, shown: str, local: str, last: bool = False) -> None:
        match part:
            case Number(size=0):
                self._varint(part, shown, local)
            case Number():
                self._number(part, shown, local)
            case Content():
                self._content(part, shown, local, last)
            case Fixed(_, _, size):
                self.gather(Piece(shown, "", f"{size}x") if self._scan else Piece(shown, local, f"{size}s"))
            case Items(is_open=is_open):
                number = numbers_of(part)
                if number is None:
                    self._items(part, shown, local)
                elif is_open:
                    self._open_numbers(part, number, shown, local)
                else:
                    self._numbers(part, number, shown, local)

    def _limit(self, value: str, limit: int | str | None, shown: str, start: str) -> None:
        if limit is not None:
            self.out.refuse(f"{value} > {limit}", self.error("too-long", shown, start))

    def _member(self, part: Number | Content, shown: str, raw: str, local: str, start: str) -> None:
        """`local` is the member of the enumeration that `raw` is."""
        if part.enumeration is None:
            return
        error = self.error("bad-constant", shown, start)
        if self._scan:
            self.out.refuse(no_member(part, raw), error)
        elif isinstance(part, Number) and part.flags:
            self.out.refuse(no_member(part, raw), error)
            self.out.put(f"{local} = {class_name(part.enumeration)}({raw})")
        else:
            found = self.local(part.name, "member")
            self.out.put(f"{found} = _members_of_{snake(part.enumeration)}.get({raw})")
            self.out.refuse(f"{found} is None", error)
            self.out.put(f"{local} = {found}")

    def _raw(self, part: Number | Content, local: str) -> str:
        """The local that holds the value before it is a member."""
        return local if part.enumeration is None or self._scan else self.local(part.name, "value")

    def _number(self, number: Number, shown: str, local: str) -> None:
        is_free = number.enumeration is None and number.limit is None
        if self._scan and is_free and not number.measures:
            self.gather(Piece(shown, "", f"{number.size}x"))
            return
        raw, start = self._raw(number, local), self.at()
        self.gather(Piece(shown, raw, struct_code(number)))
        if not is_free:
            self.flush()
            self._limit(raw, number.limit, shown, start)
            self._member(number, shown, raw, local, start)

    def _varint(self, number: Number, shown: str, local: str) -> None:
        start, end = self.here(), self.local(number.name, "end")
        raw = self._raw(number, local)
        self.out.put(f'{raw}, {end} = varint(data, {start}, "{self.name}", "{shown}")')
        if number.signed:
            self.out.put(f"{raw} = ({raw} >> 1) ^ -({raw} & 1)")
        self._limit(raw, number.limit, shown, start)
        self._member(number, shown, raw, local, start)
        self.go(end)

    def _count(self, part: Content | Items, sibling: str | None, shown: str) -> tuple[str, str]:
        """Where the field starts, and the local that holds its length or the number of its items: not too great."""
        if sibling is not None:
            start, count = self.here(), self._plan.named(sibling).local
        else:
            start, count = self.at(), self.local(part.name, "length")
            self.gather(Piece(shown, count, CODES[part.prefix]))
            self.flush()
        self._limit(count, part.limit, shown, start)
        return start, count

    def _content(self, content: Content, shown: str, local: str, last: bool) -> None:
        start, length = self._count(content, content.measured_by, shown)
        begin, end = self.at(), self.local(content.name, "end")
        self.out.put(f"{end} = {begin} + {length}")
        self.pend(shown, start, end)
        if not last and self._is_wide(content):
            self.settle()  # struct takes no offset beyond a machine word
        if self._scan:
            self.extents += [begin, end]
        elif content.text is not None:
            # it may be cut short where `end` has not been checked yet
            error = self._call("bad_text", f'"{shown}"', start, end, "len(data)")
            raw = self._raw(content, local)
            self._text(content.text, raw, f"data[{begin}:{end}]", error)
            if content.enumeration is not None:
                self.settle()
            self._member(content, shown, raw, local, start)
        self.go(end)
        if content.text is None:
            if last:
                self.close()
            if not self._scan:
                self.out.put(f"{local} = data[{begin}:{'' if last else end}]")

    def _is_wide(self, content: Content) -> bool:
        """Whether the length may be a number of 64 bits."""
        if content.measured_by is None:
            return content.prefix == 8
        counter = self._plan.named(content.measured_by).operation
        return isinstance(counter, Number) and counter.bits == 64

    def _text(self, text: Text, local: str, source: str, error: str) -> None:
        self.out.attempt(f"{local} = {source}.decode()", "UnicodeDecodeError", error)
        self.out.refuse(no_text(text, local), error)

    # --- many values

    def _items(self, items: Items, shown: str, local: str) -> None:
        """A loop over items."""
        if items.is_open:
            start, head = self.here(), "while {} < len(data):"
        else:
            start, count = self._count(items, items.counted_by, shown)
            self.require(shown, start, f"{self.at()} + {times(count, items.least)}")
            head = f"for _ in range({count}):"
        at, found = self.local(items.name, "at"), self.local(items.name, "items")
        self.out.put(f"{at} = {self.at()}", f"{found}: list[{item_annotation(items)}] = []")
        with self.out.block(head.format(at)):
            if items.is_open and items.limit is not None:
                self.out.refuse(f"len({found}) == {items.limit}", self.error("too-long", shown, start))
            self.go(at)
            suffixes = ("key", "value") if items.is_pairs else ("item",)
            names = [self.local(items.name, suffix) for suffix in suffixes]
            for part, name in zip(items.parts, names, strict=True):
                self._part(replace(part, name=name) if items.is_pairs else part, shown, name)
            self.flush()
            self.settle()
            self.out.put(f"{found}.append({f'({names[0]}, {names[1]})' if items.is_pairs else names[0]})")
            self.out.put(f"{at} = {self.at()}")
        self.out.put(f"{local} = tuple({found})")
        self.go(at)
        self.closed = items.is_open

    def _numbers(self, items: Items, number: Number, shown: str, local: str) -> None:
        start, count = self._count(items, items.counted_by, shown)
        begin, end = self.at(), self.local(items.name, "end")
        self.out.put(f"{end} = {begin} + {times(count, number.size)}")
        self.require(shown, start, end)
        if self._scan:
            self.extents += [begin, end]
        self._unpack(number, shown, local, count, begin)
        self.go(end)

    def _open_numbers(self, items: Items, number: Number, shown: str, local: str) -> None:
        """Numbers up to the frame's end. Where one can be refused, that goes before what is wrong with the end."""
        start = self.here()
        begin, count = self.local(items.name, "begin"), self.local(items.name, "count")
        rest = None if number.size == 1 else self.local(items.name, "rest")
        whole = f"len(data) - {begin}"
        counted = (
            f"{count} = {whole}" if rest is None else f"{count}, {rest} = divmod({whole}, {number.size})"
        )
        self.out.put(f"{begin} = {start}", counted)
        if self._scan:
            self.extents += [begin, "len(data)"]
        if number.limit is not None:
            self._unpack(number, shown, local, count, begin, items.limit)
        if items.limit is not None:
            more = f" or ({count} == {items.limit} and {rest})" if rest else ""
            self.out.refuse(f"{count} > {items.limit}{more}", self.error("too-long", shown, begin))
        if rest is not None:
            place = f"{begin} + {times(count, number.size)}"
            self.out.refuse(rest, self.error("truncated", shown, place))
        if number.limit is None:
            self._unpack(number, shown, local, count, begin)
        self.closed = True

    def _unpack(
        self, number: Number, shown: str, local: str, count: str, begin: str, most: int | None = None
    ) -> None:
        """Read `count` numbers; the first `most` of them are compared with their limit."""
        if not self._scan or number.limit is not None:
            self.out.put(f'{local} = unpack_from(f">{{{count}}}{struct_code(number)}", data, {begin})')
        if number.limit is not None:
            few = local if most is None else f"{local}[:{most}]"
            error = self._call("too_large", f'"{shown}"', begin, f"{number.size}", few, f"{number.limit}")
            self.out.refuse(f"{few} and max({few}) > {number.limit}", error)
