"""The statements of a decoder: one pass over the octets, in which numbers that lie side by side are unpacked together.

No end of a field is compared with the frame's: a read of fixed octets beyond it fails, a slice is short, and the last
field's end, which must be the frame's, lies behind all others.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from struct import calcsize

from ...ir import Text
from ...naming import snake
from ...plan import operations as op
from .lines import CODES, Lines, number_code, numbers_of
from .names import Message, annotation, class_name, default, literal

__all__ = ["Reader"]


class Reader(Lines):
    """Turns `data`, from `base` on, into locals; with `scan`, into places of content whose size varies."""

    def __init__(
        self, message: Message, base: str = "", scan: bool = False, outer: Lines | None = None
    ) -> None:
        super().__init__(message, outer)
        self.extents: list[str] = []
        """Where the content of each field begins and ends."""
        self.is_scannable = True
        """Whether these are found without decoding anything else than numbers."""
        self._base, self._offset, self._scan = base, 0, scan
        self._run: list[tuple[str, str]] = []  # struct codes and locals of what is still to be read
        self._run_at = ""
        self._sized = ""  # the length of the text among it, in brackets

    def whole(self, is_multipart: bool = False) -> None:
        """All frames, if messages may have several."""
        plan = self.message.plan
        if is_multipart and not any(one.is_rest for one in plan.apart):
            self.refuse(f"len(frames) != {1 + len(plan.apart)}")
        self.leading(plan.operations)
        is_open = plan.extensible or isinstance([None, *plan.operations][-1], op.Rest)
        self.refuse(f"len(data) {'<' if is_open else '!='} {self._here()}")
        for index, one in enumerate(plan.apart, 1):
            self.is_scannable, local = False, self.message.local(one)
            self.put(
                f"{local} = tuple(map(bytes, frames[{index}:]))"
                if one.is_rest
                else f"{local} = bytes(frames[{index}])"
            )
            self.refuse(*[f"not {local}"] * one.is_rest)
            self.limit(f"max(map(len, {local}))" if one.is_rest else f"len({local})", one.limit)
        self.check()

    def leading(self, operations: Iterable[op.Operation]) -> None:
        """The head and the first operations, which are read with `check` only."""
        if self.message.plan.head:
            self._read(f"{len(self.message.plan.head)}s", "head")
        for number, one in enumerate(operations):
            if number < self.message.plan.tail:
                self._operation(one)
            else:
                self._absent(one)

    def _absent(self, one: op.Operation) -> None:
        """Read a field that may be behind the end of the frame, and then has its default."""
        self.check()
        at, inner, local = self.new(one.name, "at"), Reader(self.message, outer=self), self.message.local(one)
        inner._go(at)
        inner._operation(one)
        inner.check()
        self.put(f"{at}, {local} = {self._at()}, {default(one)}")
        self.loop(f"if {at} < len(data)", [*inner.lines, f"{at} = {inner._at()}"])
        self._go(at)
        self.is_scannable = False

    def check(self) -> None:
        self._here()
        super().check()

    # --- places

    def _at(self, more: int = 0) -> str:
        offset = self._offset + more
        return f"{self._base} + {offset}" if self._base and offset else self._base or str(offset)

    def _here(self) -> str:
        """The position after all that is to be read, which then has been."""
        names, codes = [local for _, local in self._run if local], "".join(code for code, _ in self._run)
        head, place = f"{self.message.upper}_HEAD", "" if self._run_at == "0" else f", {self._run_at}"
        if names == ["head"]:
            self.refuse(f"not data.startswith({head})")
        elif names and codes == "B":
            self.put(f"{names[0]} = data[{self._run_at}]")
        elif names:
            unpack = f"{self.use('unpack_from', codes)}{self._sized}(data{place})"
            self.put(f"{', '.join(names)}{',' * (len(names) == 1)} = {unpack}")
            self.refuse(*[f"head != {head}"] * (names[0] == "head"))
        self._run, self._sized = [], ""
        return self._at()

    def _go(self, base: str, offset: int = 0) -> None:
        self._base, self._offset = base, offset

    def _read(self, code: str, local: str = "") -> None:
        """Read `code` with its neighbours; without a local, step over it."""
        self._run_at = self._run_at if self._run else self._at()
        self._run.append((code, local))
        self._offset += calcsize(f">{code}")

    # --- one operation

    def _operation(self, one: op.Operation) -> None:
        local = self.message.local(one)
        match one:
            case op.Constant(_, octets):
                self._read(f"{len(octets)}s", local)
                self.refuse(f"{local} != {literal(octets)}")
            case op.Topic(name):
                start, end, self.is_scannable = self._here(), self.new(name, "end"), False
                self.put(f"{end} = data.index(0, {start})", f"{local} = UTF8_TEXTS[data[{start}:{end}]]")
                self._go(end, 1)
            case op.Reserved(_, size):
                self._read(f"{size}x")
            case op.Rest(_, _, limit):
                start = self._here()
                self.refuse(*[f"len(data) > {self._at(limit or 0)}"] * (limit is not None))
                self.extents += [start, "len(data)"]
                self.put(*[f"{local} = data[{start}:]"] * (not self._scan))
            case op.Number() | op.Content() | op.Fixed() | op.Items():
                self._part(one, local)

    def _part(self, part: op.Part, local: str) -> None:
        match part:
            case op.Number(size=0, signed=signed):
                start, end = self._here(), self.new(part.name, "end")
                self.put(f"{local}, {end} = {'signed_' * signed}varint(data, {start})")
                self._go(end)
            case op.Number(size=size, limit=None, enumeration=None, measures=()) | op.Fixed(size=size) if (
                self._scan
            ):
                self._read(f"{size}x")
            case op.Number():
                self._read(number_code(part), local)
            case op.Fixed(size=size):
                self._read(f"{size}s", local)
            case op.Content(prefix=1, text=str(text), limit=limit) if self._run and not (
                self._sized or self._scan
            ):
                length, end = self.new(part.name, "length"), self.new(part.name, "end")
                self.put(f"{length} = data[{self._at()}]")
                self._read("x")
                self.put(f"{end} = {self._at()} + {length}")
                self.limit(length, limit)
                self._run.append(("{}s", local))
                self._sized = f"[{length}]"
                self._conversions.append(f"{local} = {Text(text).name}_TEXTS[{local}]")
                self._go(end)
            case op.Content(measured_by=sibling, text=text):
                length, begin, end = self._count(part, sibling), self._here(), self.new(part.name, "end")
                self.put(f"{end} = {begin} + {length}")
                self.extents += [begin, end]
                table = f"{text.name}_TEXTS" if text is not None else ""
                source = f"{table}[data[{begin}:{end}]]" if table else f"data[{begin}:{end}]"
                self.put(*[f"{local} = {source}"] * (not self._scan))
                self._go(end)
            case op.Items():
                self._items(part, local)
        if isinstance(part, op.Number):
            self.limit(local, part.limit)
        if isinstance(part, op.Number) or (isinstance(part, op.Content) and not self._scan):
            self._member(part, local)

    def _member(self, part: op.Number | op.Content, local: str) -> None:
        """`local` becomes the member of its enumeration."""
        if part.enumeration is None:
            return
        known, name = snake(part.enumeration), class_name(part.enumeration)
        if isinstance(part, op.Number) and part.flags:
            self.refuse(f"{local} & ~_mask_of_{known}")
            self._conversions.append(f"{local} = {name}({local})")
        else:
            self._conversions.append(f"{local} = _members_of_{known}[{local}]")

    def _count(self, part: op.Content | op.Items, sibling: str | None) -> str:
        """The local that holds the length or the number of items."""
        count = self.new(part.name, "length") if sibling is None else self.message.local(sibling)
        if sibling is None:
            self._read(CODES[part.prefix], count)
        self.limit(count, part.limit)
        return count

    def _items(self, items: op.Items, local: str) -> None:
        number = numbers_of(items)
        if number is not None:
            self._numbers(items, number, local)
            return
        self.is_scannable, at, found = False, self.new(items.name, "at"), self.new(items.name, "items")
        if items.is_open:
            start, head = self._here(), f"while {at} < len(data)"
        else:
            count, start = self._count(items, items.counted_by), self._here()
            self.refuse(f"{start} + {count} * {items.least} > len(data)")
            head = f"for _ in range({count})"
        self.check()
        inner, names = Reader(self.message, at, outer=self), self.new_items(items)
        self.put(f"{at} = {start}", f"{found}: list[{annotation(items)[6:-6]}] = []")
        if items.is_open:
            inner.limit(f"len({found}) + 1", items.limit)
        for part, name in zip(items.parts, names, strict=True):
            inner._part(replace(part, name=f"{items.name}_{part.name}") if items.is_pairs else part, name)
        inner.check()
        inner.put(
            f"{found}.append({f'({names[0]}, {names[1]})' if items.is_pairs else names[0]})",
            f"{at} = {inner._here()}",
        )
        self.loop(head, inner.lines)
        self.put(f"{local} = tuple({found})")
        self._go(at)

    def _numbers(self, items: op.Items, number: op.Number, local: str) -> None:
        """Numbers of one size, which one call unpacks."""
        if items.is_open:
            count, begin = self.new(items.name, "count"), self._here()
            self.put(f"{count} = (len(data) - ({begin})) // {number.size}")
            self.refuse(f"{count} < 0")
            self.limit(count, items.limit)
        else:
            count, begin = self._count(items, items.counted_by), self._here()
        end = self.new(items.name, "end")
        self.put(f"{end} = {begin} + {count} * {number.size}")
        self.extents += [begin, end]
        if not self._scan or number.limit is not None:
            self.put(f'{local} = unpack_from(f">{{{count}}}{number_code(number)}", data, {begin})')
        self.limit(f"max({local}, default=0)", number.limit)
        self._go(end)
