"""The statements of decoders and encoders: fixed octets that lie side by side are unpacked and packed together.

Where something is wrong or rare they end with one of the runtime's FAULTS, and its slow codec does the work. A decoder
compares no end of a field with the frame's: a read of fixed octets beyond it fails, a slice is short, and the last
field's end, which must be the frame's, lies behind all others.
"""

from __future__ import annotations

from collections.abc import Iterable
from struct import calcsize

from ...naming import snake
from ...plan import operations as op
from .names import Message, class_name, literal

__all__ = ["Statements", "format_name", "numbers_of"]

_CODES = {1: "B", 2: "H", 4: "I", 8: "Q"}
_SPELLED = {ord(code): f"_u{size}" for size, code in _CODES.items()}
_SPELLED |= {ord(code.lower()): f"_i{size}" for size, code in _CODES.items()}
_JOIN_FROM = 5  # so many pieces are joined rather than added


def format_name(method: str, codes: str) -> str:
    """What the method of a compiled format is called."""
    return f"_{method}_{codes.translate(_SPELLED).replace('{}', '_n').strip('_')}"


def numbers_of(items: op.Items) -> op.Number | None:
    """The item, if it is a number that one call packs with the others."""
    item = items.parts[0]
    is_number = isinstance(item, op.Number) and item.size and item.enumeration is None and not items.is_pairs
    return item if is_number and isinstance(item, op.Number) else None


def _code(number: op.Number) -> str:
    return _CODES[number.size].lower() if number.signed else _CODES[number.size]


class Statements:
    """What reads the operations of a message from `data`, from `base` on, into locals, and what writes values.

    With `scan` only that is read which tells where content of varying size lies. Values are attributes if `is_whole`,
    else locals.
    """

    def __init__(self, message: Message, is_whole: bool, base: str = "", scan: bool = False) -> None:
        self.message, self.reads, self.writes = message, list[str](), list[str]()
        self.formats: set[tuple[str, str]] = set()
        """What is unpacked and packed: (method of Struct, codes)."""
        self.extents: list[str] = []
        """Where the content of each field begins and ends."""
        self._is_whole, self._base, self._offset, self._scan = is_whole, base, 0, scan
        self._scope, self._wrong, self._unfit, self._conversions = (
            message.scope(),
            list[str](),
            list[str](),
            list[str](),
        )
        self._run: list[tuple[str, str, str, str]] = []  # fixed octets: code and local; code and expression
        self._run_at = ""
        self._is_closed = False  # whether the end of the frame has been looked at
        self._sized = ("", "")  # the length of the text among them, in brackets, when read and written
        self._pieces: list[tuple[str, bool]] = []  # finished expressions, and whether they may be large
        self._octets, self._sizes = 0, list[str]()

    def walk(self, operations: Iterable[op.Operation]) -> None:
        """The head and the first operations."""
        head, name = self.message.plan.head, self.message.attribute
        if head:
            self._gather(f"{len(head)}s", "head", f"{self.message.upper}_HEAD")
        for one in operations:
            value = local = self.message.local(one)
            match one:
                case op.Number(measures=(first, *others)) if self._is_whole:
                    value = f"len(self.{name(first)})"
                    self._unfit += [f"len(self.{name(other)}) != {value}" for other in others]
                case _ if self._is_whole and one in self.message.shown:
                    value = f"self.{name(one)}"
            self._operation(one, local, value)

    def close(self) -> None:
        """Nothing may follow."""
        plan, last = self.message.plan, [None, *self.message.plan.operations][-1]
        is_open = plan.extensible or isinstance(last, op.Rest)
        if [local for _, local, _, _ in self._run] == ["head"] and not (
            self._base or plan.operations or is_open
        ):
            self._here()
            self._wrong = [f"data != {self.message.upper}_HEAD"]
        elif not self._is_closed:
            self._wrong.append(f"len(data) {'<' if is_open else '!='} {self._here()}")

    def finish(self) -> None:
        """Look at what was read, and return what was written."""
        self._check()
        if self._unfit:
            self.writes += [f"if {' or '.join(self._unfit)}:", "    raise ValueError"]
        pieces = [piece for piece, _ in self._pieces] or ['b""']
        is_joined = len(pieces) >= _JOIN_FROM or any(is_large for _, is_large in self._pieces[:-1])
        self.writes.append(
            f'return b"".join(({", ".join(pieces)}))' if is_joined else f"return {' + '.join(pieces)}"
        )

    @property
    def size(self) -> str:
        """The expression for the octets of the frame."""
        return " + ".join([str(self._octets)] * (self._octets > 0 or not self._sizes) + self._sizes)

    # --- what is gathered

    def _gather(self, code: str, local: str = "", value: str = "") -> None:
        self._run_at = self._run_at if self._run else self._at()
        self._run.append((code, local, code, value))
        self._offset += calcsize(f">{code}")
        self._octets += calcsize(f">{code}")

    def _format(self, method: str, codes: Iterable[str], sized: str) -> str:
        self.formats.add((method, "".join(codes)))
        return f"{format_name(method, ''.join(codes))}{sized}"

    def _here(self) -> str:
        """The position after the run, which has then been read and written."""
        read, locals_, written, values = zip(*self._run, strict=True) if self._run else ((), (), (), ())
        names, head = list(filter(None, locals_)), f"{self.message.upper}_HEAD"
        if names == ["head"]:
            self._wrong.append(f"not data.startswith({head})")
        elif names and read == ("B",):
            self.reads.append(f"{names[0]} = data[{self._run_at}]")
        elif names:
            place = f", {self._run_at}" if self._run_at != "0" else ""
            unpack = self._format("unpack_from", read, self._sized[0])
            self.reads.append(f"{', '.join(names)}{',' * (len(names) == 1)} = {unpack}(data{place})")
            self._wrong += [f"head != {head}"] * (names[0] == "head")
        if len(written) == 1 and written[0].endswith("s"):
            self._pieces.append((values[0], False))
        elif written:
            pack = self._format("pack", written, self._sized[1])
            self._pieces.append((f"{pack}({', '.join(filter(None, values))})", False))
        self._run, self._sized = [], ("", "")
        return self._at()

    def _check(self) -> None:
        self._here()
        if self._wrong:
            self.reads += [f"if {' or '.join(self._wrong)}:", "    raise ValueError"]
        self.reads += self._conversions
        self._wrong, self._conversions = [], []

    def _at(self, more: int = 0) -> str:
        offset = self._offset + more
        return f"{self._base} + {offset}" if self._base and offset else self._base or str(offset)

    def _new(self, one: op.Operation, suffix: str) -> str:
        return self._scope.name(f"{snake(str(one.name))}_{suffix}")

    def _limit(self, read: str, written: str, limit: int | None) -> None:
        self._wrong += [f"{read} > {limit}"] * (limit is not None)
        self._unfit += [f"{written} > {limit}"] * (limit is not None)

    def _count(self, one: op.Content | op.Items, sibling: str | None, value: str) -> str:
        """The local that holds the length or the number of items."""
        count = (
            self._new(one, "length") if sibling is None else self.message.local(self.message.named[sibling])
        )
        if sibling is None:
            self._gather(_CODES[one.prefix], count, value)
        self._limit(count, value, one.limit)
        return count

    def _varying(self, one: op.Operation, length: str, piece: str, size: str, is_large: bool = True) -> str:
        """The slice of content of `length` octets, which `piece` writes."""
        begin, end = self._here(), self._new(one, "end")
        self.reads.append(f"{end} = {begin} + {length}")
        self.extents += [begin, end]
        self._base, self._offset = end, 0
        self._pieces.append((piece, is_large))
        self._sizes.append(size)
        return f"data[{begin}:{end}]"

    def _read(
        self, one: op.Operation, local: str, read: str, piece: str, size: str, is_large: bool = False
    ) -> None:
        """`read` gives the value and its end."""
        start, end = self._here(), self._new(one, "end")
        self.reads.append(f"{local}, {end} = {read.format(start)}")
        self._base, self._offset = end, 0
        self._pieces.append((piece, is_large))
        self._sizes.append(size)

    # --- one operation

    def _operation(self, one: op.Operation, local: str, value: str) -> None:
        plan, scan = self.message.plan, self._scan
        last = plan.operations[-1]
        match one:
            case op.Constant(_, octets):
                self._gather(f"{len(octets)}s", local, literal(octets))
                self._wrong.append(f"{local} != {literal(octets)}")
            case op.Reserved(_, size):
                self._gather(f"{size}x")
            case op.Fixed(size=size) | op.Number(size=size, limit=None, enumeration=None, measures=()) if (
                scan and size
            ):
                self._gather(f"{size}x")
            case op.Fixed(size=size):
                self._gather(f"{size}s", local, value)
                self._unfit.append(f"len({value}) != {size}")
            case op.Number(size=0, signed=signed):
                name = f"{'signed_' * signed}varint"
                self._read(
                    one, local, f"{name}(data, {{}})", f"{name}_octets({value})", f"{name}_size({value})"
                )
            case op.Number():
                self._gather(_code(one), local, value)
            case op.Topic():
                coded = self._new(one, "octets")
                self.writes.append(f"{coded} = UTF8_OCTETS[{value}]")
                self._unfit.append(f"0 in {coded}")
                self._read(one, local, "read_topic(data, {})", coded, f"octets_of({value})")
                self._gather("x")
            case op.Rest(limit=limit):
                start, length = self._here(), f"len({value})"
                self._limit(f"len(data) - ({start})", length, limit)
                self.extents += [start, "len(data)"]
                self.reads += [f"{local} = data[{start}:]"] * (not scan)
                self._pieces.append((value, True))
                self._sizes.append(length)
            case op.Content(text=None, measured_by=None) if one is last and not (scan or plan.extensible):
                count, begin = self._count(one, None, f"len({value})"), self._here()
                self.reads.append(f"{local} = data[{begin}:]")
                self._wrong.append(f"len({local}) != {count}")
                self._pieces.append((value, True))
                self._sizes.append(f"len({value})")
                self._is_closed = True
            case op.Content(prefix=prefix, measured_by=sibling, text=None):
                length = f"len({value})"
                source = self._varying(one, self._count(one, sibling, length), value, length, prefix != 1)
                self.reads += [f"{local} = {source}"] * (not scan)
            case op.Content(prefix=prefix, measured_by=sibling, text=text) if text is not None:
                coded, table, sized = self._new(one, "octets"), f"{text.name}_TEXTS", f"octets_of({value})"
                self.writes.append(f"{coded} = {text.name}_OCTETS[{value}]")
                if prefix == 1 and self._run and not (scan or self._sized[0]):
                    length, end = self._new(one, "length"), self._new(one, "end")
                    self.reads += [f"{length} = data[{self._at()}]", f"{end} = {self._at(1)} + {length}"]
                    self._limit(length, f"len({coded})", one.limit)
                    self._run += [("x", "", "B", f"len({coded})"), ("{}s", local, "{}s", coded)]
                    self._sized = f"[{length}]", f"[len({coded})]"
                    self._conversions.append(f"{local} = {table}[{local}]")
                    self._base, self._offset, self._octets = end, 0, self._octets + 1
                    self._sizes.append(sized)
                else:
                    count = self._count(one, sibling, f"len({coded})")
                    source = self._varying(one, count, coded, sized, prefix != 1)
                    self.reads += [f"{local} = {table}[{source}]"] * (not scan)
            case op.Items() if (number := numbers_of(one)) is not None:
                code, sibling = _code(number), one.counted_by
                count = self._new(one, "count") if one.is_open else self._count(one, sibling, f"len({value})")
                if one.is_open:
                    self.reads.append(f"{count} = (len(data) - ({self._here()})) // {number.size}")
                    self._wrong.append(f"{count} < 0")
                    self._limit(count, f"len({value})", one.limit)
                packed = f'pack(f">{{len({value})}}{code}", *{value})'
                self._varying(one, f"{count} * {number.size}", packed, f"{number.size} * len({value})")
                unpacked = f'{local} = unpack_from(f">{{{count}}}{code}", data, {self.extents[-2]})'
                self.reads += [unpacked] * (not scan or number.limit is not None)
                self._limit(f"max({local}, default=0)", f"max({value}, default=0)", number.limit)
            case op.Items(counted_by=sibling):
                items = self.message.items(one)
                given = f", {self.message.local(self.message.named[sibling])}" if sibling is not None else ""
                self._wrong.append(f"len(data) < {self._here()}")
                self._check()
                self._read(
                    one,
                    local,
                    f"{items}.read(data, {{}}{given})",
                    f"{items}.write({value})",
                    f"{items}.size({value})",
                    True,
                )
        if isinstance(one, op.Number):
            self._limit(local, value, one.limit)
        match one:
            case op.Number(enumeration=str(name), flags=True):
                self._wrong.append(f"{local} & ~_mask_of_{snake(name)}")
                self._unfit.append(f"{value} & ~_mask_of_{snake(name)}")
                self._conversions.append(f"{local} = {class_name(name)}({local})")
            case op.Number(enumeration=str(name)) | op.Content(enumeration=str(name)):
                is_read = not (scan and isinstance(one, op.Content))
                self._conversions += [f"{local} = _members_of_{snake(name)}[{local}]"] * is_read
                self._unfit.append(f"{value} not in _members_of_{snake(name)}")
