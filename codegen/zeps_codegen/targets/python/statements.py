"""Generates the statements of decoders and encoders, which raise one of the runtime's FAULTS for wrong or rare values,
and leave them to the slow codec. Only the last field's end is compared with the end of the frame.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from struct import calcsize

from ...naming import snake
from ...plan import operations as op
from .names import Message, class_name, literal, tuple_of

__all__ = ["Statements", "format_name"]

_PAIRS = {1: "Bb", 2: "Hh", 4: "Ii", 8: "Qq"}
_CODES = {(size, code.islower()): code for size, codes in _PAIRS.items() for code in codes}
_SPELLED = {ord(code): f"_{'i' if is_signed else 'u'}{size}" for (size, is_signed), code in _CODES.items()}


def format_name(method: str, codes: str) -> str:
    """The name of the method of a compiled format: ``_pack_u1_u4`` for ``pack`` and the codes ``BI``."""
    return f"_{method}_{codes.translate(_SPELLED).replace('{}', '_n').strip('_')}"


class Statements:
    """The statements that read a message's operations from `data` at `base` into locals, and that write values, with
    `base` from locals. With `scan` only the values that locate content of variable size are read.
    """

    def _begin(self, base: str) -> None:
        """Starts anew at the position `base`, without statements and pending fixed reads and writes."""
        self._base, self._offset, self._run_at, self.constant_size = base, 0, "", 0
        self._run: list[tuple[str, str, str, str]] = []  # codes read, locals, codes written, values
        self.reads, self.writes, self._conversions = list[str](), list[str](), list[str]()
        self._wrong, self._unfit = list[str](), list[str]()
        self._pieces, self._sizes = list[str](), list[str]()

    def __init__(
        self, message: Message, operations: Sequence[op.Operation], base: str = "", scan: bool = False
    ) -> None:
        self.message, self._scope, self._scan = message, message.scope(), scan
        self.formats, self.extents = set[tuple[str, str]](), list[str]()
        """The unpacked and packed runs, (method of Struct, codes), and the bounds of each field's content."""
        self._sized = ("", "")  # the length of the text among the run, in brackets, when read and written
        self._is_closed = self.has_loop = False  # `_is_closed`: the end of the frame was compared
        self._begin(base)
        if message.plan.head:
            self._gather(f"{len(message.plan.head)}s", "head", f"{message.upper}_HEAD")
        for operation in operations:
            value = local = message.local(operation)
            if not base and isinstance(operation, op.Number) and operation.measures:
                value, *others = [f"len(self.{message.attribute(counted)})" for counted in operation.measures]
                self._unfit += [f"{other} != {value}" for other in others]
            elif not base and operation in message.shown:
                value = f"self.{message.attribute(operation)}"
            self._operation(operation, local, value)
        end, head = self._here(), f"{message.upper}_HEAD"
        is_open = message.plan.extensible or isinstance([None, *operations][-1], op.Rest)
        if self._wrong == [f"not data.startswith({head})"] and not (operations or is_open):
            self._wrong, self._is_closed = [f"data != {head}"], True
        self._wrong += [f"len(data) < {end}"] * (is_open and not (base or self._is_closed))
        self._check()
        fault = f"if len(data) != {end}:", f"    raise trailing(data, {literal(message.plan.name)}, {end})"
        self.reads += fault * (not (base or is_open or self._is_closed))
        pieces = self._pieces or ['b""']
        written = " + ".join(pieces) if len(pieces) < 3 else f'b"".join({tuple_of(pieces)})'
        self.writes.append(f"return {written}")

    @property
    def size(self) -> str:
        """The expression for the size of the frame or an item in bytes, of which `constant_size` are constant."""
        constant = [str(self.constant_size)] * (self.constant_size > 0 or not self._sizes)
        return " + ".join(constant + self._sizes)

    def _gather(self, code: str, local: str = "", value: str = "") -> None:
        self._run_at = self._run_at if self._run else self._at()
        self._run.append((code, local, code, value))
        self._offset += calcsize(f">{code}")
        self.constant_size += calcsize(f">{code}")

    def _piece(self, expression: str, size: str) -> None:
        self._pieces.append(expression)
        self._sizes.append(size)

    def _format(self, method: str, codes: Iterable[str], sized: str) -> str:
        self.formats.add((method, "".join(codes)))
        return f"{format_name(method, ''.join(codes))}{sized}"

    def _here(self) -> str:
        """The position after the run, whose statements are generated first."""
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
            self._pieces.append(values[0])
        elif written and not self._scan:
            pack = self._format("pack", written, self._sized[1])
            self._pieces.append(f"{pack}({', '.join(filter(None, values))})")
        self._run, self._sized = [], ("", "")
        return self._at()

    def _check(self) -> None:
        self._here()
        for wrong, lines in ((self._wrong, self.reads), (self._unfit, self.writes)):
            lines += [f"if {' or '.join(wrong)}:", "    raise ValueError"] * bool(wrong)
            wrong.clear()
        self.reads += self._conversions
        self._conversions = []

    def _at(self, more: int = 0) -> str:
        offset = self._offset + more
        return f"{self._base} + {offset}" if self._base and offset else self._base or str(offset)

    def _new(self, operation: op.Operation, suffix: str) -> str:
        return self._scope.name(f"{snake(str(operation.name))}_{suffix}")

    def _end(self, operation: op.Operation) -> str:
        self._base, self._offset = self._new(operation, "end"), 0
        return self._base

    def _limit(self, read: str, written: str, limit: int | None) -> None:
        self._wrong += [f"{read} > {limit}"] * (limit is not None)
        self._unfit += [f"{written} > {limit}"] * (limit is not None)

    def _count(self, operation: op.Content | op.Items, sibling: str | None, value: str) -> str:
        """The expression for the length or the number of items; for an open list, for the maximum number."""
        count = self.message.local(sibling) if sibling is not None else self._new(operation, "length")
        if sibling is None and operation.prefix:
            self._gather(_CODES[operation.prefix, False], count, value)
        elif isinstance(operation, op.Items) and operation.is_open:
            count = f"(len(data) - ({self._here()})) // {operation.least}"
        self._limit(count, value, operation.limit)
        return count

    def _extent(self, operation: op.Operation, length: str) -> str:
        """The slice of the content of `length` bytes. The position moves to its end, and `extents` gets its bounds."""
        begin, end = self._here(), self._end(operation)
        self.reads.append(f"{end} = {begin} + {length}")
        self.extents += [begin, end]
        return f"data[{begin}:{end}]"

    def _loop(self, operation: op.Items, local: str, value: str) -> None:
        items, pieces, inner = self._new(operation, "items"), self._new(operation, "pieces"), copy(self)
        names, self.has_loop = [self._new(operation, part.name) for part in operation.parts], True
        named, item = ", ".join(names), tuple_of(names) if operation.is_pairs else names[0]
        count = more = ""
        if operation.is_open and operation.limit is not None:
            self._unfit.append(f"len({value}) > {operation.limit}")
            more = f" and len({items}) < {operation.limit}"
        elif not operation.is_open:
            count = self._count(operation, operation.counted_by, f"len({value})")
            self._wrong.append(f"{self._here()} + {count} * {operation.least} > len(data)")
        self._check()
        start, end = self._here(), self._end(operation)
        inner._begin(end)
        for part, name in zip(operation.parts, names, strict=True):
            inner._operation(part, name, name)
        head = f"for _ in range({count}):" if count else f"while {end} < len(data){more}:"
        appended = [f"{end} = {inner._here()}", f"{items}.append({item})"]
        inner._check()
        self.reads += [f"{items}: list[Any] = []", f"{end} = {start}", head]
        self.reads += [f"    {line}" for line in (*inner.reads, *appended)]
        self.reads.append(f"{local} = tuple({items})")
        place = f"{literal(self.message.plan.name)}, {literal(operation.name)}, {start}"
        self.reads += [f"if {end} < len(data):", f'    raise DecodeError("too-long", {place})'] * bool(more)
        added, fixed = f"{pieces} += {tuple_of(inner._pieces)}", f"{inner.size} * len({value})"
        self.writes += [f"{pieces}: list[bytes] = []", f"for {named} in {value}:"]
        self.writes += [f"    {line}" for line in (*inner.writes, added)]
        varying = f"sum([{inner.size} for {named} in {value}])"
        self._piece(f'b"".join({pieces})', varying if inner._sizes else fixed)

    def _operation(self, operation: op.Operation, local: str, value: str) -> None:
        plan, scan, length = self.message.plan, self._scan, f"len({value})"
        match operation:
            case op.Constant(_, content):
                self._gather(f"{len(content)}s", local, literal(content))
                self._wrong.append(f"{local} != {literal(content)}")
            case op.Reserved(_, size):
                self._gather(f"{size}x")
            case op.Fixed(size=size):
                self._gather(*(f"{size}x",) if scan else (f"{size}s", local, value))
                self._unfit.append(f"{length} != {size}")
            case op.Number(size=0, signed=signed):
                name, start = f"{'signed_' * signed}varint", self._here()
                self.reads.append(f"{local}, {self._end(operation)} = {name}(data, {start})")
                self._piece(f"{name}_octets({value})", f"{name}_size({value})")
            case op.Number(size=size, limit=None, enumeration=None, measures=()) if scan:
                self._gather(f"{size}x")
            case op.Number():
                self._gather(_CODES[operation.size, operation.signed], local, value)
            case op.Topic():
                coded, start = self._new(operation, "octets"), self._here()
                self.writes.append(f"{coded} = UTF8_OCTETS[{value}]")
                self._unfit.append(f"0 in {coded}")
                self.reads.append(f"{local}, {self._end(operation)} = read_topic(data, {start})")
                self._piece(coded, f"octets_of({value})")
                self._gather("x")
            case op.Rest(limit=limit):
                start = self._here()
                self._limit(f"len(data) - ({start})", length, limit)
                self.extents += [start, "len(data)"]
                self.reads += [f"{local} = data[{start}:]"] * (not scan)
                self._piece(value, length)
            case op.Content(prefix=prefix, measured_by=sibling, text=text):
                coded, coded_size, read = value, length, "{}"
                if text is not None:
                    coded, coded_size = self._new(operation, "octets"), f"octets_of({value})"
                    read = f"{text.name}_TEXTS[{{}}]"
                    self.writes.append(f"{coded} = {text.name}_OCTETS[{value}]")
                if text is not None and prefix == 1 and self._run and not (scan or self._sized[0]):
                    count, begin = self._new(operation, "length"), self._at(1)
                    self.reads.append(f"{count} = data[{self._at()}]")
                    self.reads.append(f"{self._end(operation)} = {begin} + {count}")
                    self._limit(count, f"len({coded})", operation.limit)
                    self._run += [("x", "", "B", f"len({coded})"), ("{}s", local, "{}s", coded)]
                    self._sized = f"[{count}]", f"[len({coded})]"
                    self._conversions.append(f"{local} = {read.format(local)}")
                    self.constant_size += 1
                    self._sizes.append(coded_size)
                elif text or sibling or scan or plan.extensible or operation is not plan.operations[-1]:
                    source = self._extent(operation, self._count(operation, sibling, f"len({coded})"))
                    self.reads += [f"{local} = {read.format(source)}"] * (not scan)
                    self._piece(coded, coded_size)
                else:
                    self._wrong.append(f"len({local}) != {self._count(operation, None, length)}")
                    self.reads.append(f"{local} = data[{self._here()}:]")
                    self._piece(value, length)
                    self._is_closed = True
            case op.Items(parts=(op.Number(size=1 | 2 | 4 | 8 as size, enumeration=None) as number,)):
                count = self._count(operation, operation.counted_by, length)
                code = _CODES[size, number.signed]
                self._check()
                self._extent(operation, f"{count} * {size}")
                unpacked = f'unpack_from(f">{{{count}}}{code}", data, {self.extents[-2]})'
                self.reads += [f"{local} = {unpacked}"] * (not scan or number.limit is not None)
                self._limit(f"max({local}, default=0)", f"max({value}, default=0)", number.limit)
                self._piece(f'pack(f">{{{length}}}{code}", *{value})', f"{size} * {length}")
            case op.Items():
                self._loop(operation, local, value)
        if isinstance(operation, op.Number):
            self._limit(local, value, operation.limit)
        match operation:
            case op.Items(is_open=True):
                self._wrong.append(f"len(data) != {self._here()}")
                self._is_closed = True
            case op.Number(enumeration=str(name), flags=True):
                self._wrong.append(f"{local} & ~_mask_of_{snake(name)}")
                self._unfit.append(f"{value} & ~_mask_of_{snake(name)}")
                self._conversions.append(f"{local} = {class_name(name)}({local})")
            case op.Number(enumeration=str(name)) | op.Content(enumeration=str(name)):
                is_read = not (scan and isinstance(operation, op.Content))
                self._conversions += [f"{local} = _members_of_{snake(name)}[{local}]"] * is_read
                self._unfit.append(f"{value} not in _members_of_{snake(name)}")
