"""The statements of a decoder: one pass over the octets, each field checked before the next is looked at.

Numbers that lie side by side are unpacked together. Where one of them can be refused (a limit, an enumeration) the
run ends with it, so that the first field that is wrong is always the one that is reported.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...ir import Field, FieldType, Text
from ...naming import Scope, pascal, snake
from .lines import Lines, add, octets
from .plan import CODES, LOCALS, Formats, MessagePlan, Slot, least_octets, number_range

__all__ = ["Decoder", "is_scannable"]

#: Types whose content `scan` tells the place of.
_EXTENTS = (FieldType.STRING, FieldType.CHUNK, FieldType.REST)


def _is_plain_number(field: Field) -> bool:
    return field.type is FieldType.NUMBER and field.enumeration is None


def is_fixed(field: Field) -> bool:
    """Whether the field always takes the same octets."""
    if field.value is not None or field.type in (FieldType.NUMBER, FieldType.UUID):
        return True
    return field.type is FieldType.OCTETS and field.length is None


def _has_extent(field: Field) -> bool:
    if field.type is FieldType.LIST:
        return field.items is not None and _is_plain_number(field.items)
    return field.type in _EXTENTS or (field.type is FieldType.OCTETS and field.length is not None)


def is_scannable(plan: MessagePlan) -> bool:
    """Whether the message's variable fields can be found without decoding them."""
    return (
        plan.topic is None
        and any(_has_extent(slot.field) for slot in plan.slots)
        and all(
            is_fixed(s.field) or _has_extent(s.field) or s.field.type is FieldType.VARINT for s in plan.slots
        )
    )


@dataclass(frozen=True, slots=True)
class _Piece:
    """Part of a run: octets of a fixed size that are unpacked together with their neighbours."""

    field: str
    local: str
    code: str
    size: int


class Decoder:
    """Writes the statements that turn `data` into locals, from position ``base + offset`` on."""

    def __init__(
        self, plan: MessagePlan, formats: Formats, base: str = "", offset: int = 0, scan: bool = False
    ):
        self.out = Lines()
        self.extents: list[tuple[str, str]] = []
        self._plan = plan
        self._name = plan.message.name
        self._formats = formats
        self._scan = scan
        self._base = base
        self._offset = offset
        self._run: list[_Piece] = []
        self._constants: list[tuple[str, bytes]] = []
        self._scope = Scope("python", [*LOCALS, *(slot.local for slot in plan.slots)])
        self._conversions: list[str] = []
        self._closed = False  # whether the end of the frame has been checked

    # --- positions and errors

    def at(self, extra: int = 0) -> str:
        """The expression for the present position, `extra` octets on."""
        return add(self._base, self._offset + extra)

    def _error(self, code: str, field: str, start: str) -> str:
        return f'DecodeError("{code}", "{self._name}", "{field}", {start})'

    def _local(self, field: Field, suffix: str) -> str:
        return self._scope.name(f"{snake(field.name)}_{suffix}")

    # --- whole messages

    def head(self) -> None:
        """The constants that the message begins with."""
        plan = self._plan
        if plan.head[plan.dispatch_size :]:
            pieces = ", ".join(f'("{s.field.name}", {octets(s.octets or b"")})' for s in plan.head_constants)
            error = f'bad_constants("{self._name}", data, {self.at(plan.dispatch_size)}, {pieces})'
            self.out.refuse(f"not data.startswith({plan.upper}_HEAD)", error)
        self._offset += len(plan.head)

    def skip(self, count: int) -> None:
        """Go on `count` octets further."""
        self._offset += count

    def topic(self, slot: Slot) -> None:
        """Pub/sub: text up to the first NUL."""
        start = self.at()
        end = self._local(slot.field, "end")
        self.out.put(f'{end} = data.find(b"\\x00", {start})')
        self.out.refuse(f"{end} < 0", self._error("truncated", "topic", start))
        self._text(slot.field, "topic", slot.local, f"data[{start}:{end}]", start)
        self._base, self._offset = end, 1

    def fields(self, slots: tuple[Slot, ...]) -> None:
        """All fields, and the frame's end."""
        inline = [slot for slot in slots if slot.field.type not in (FieldType.FRAME, FieldType.MSG)]
        for index, slot in enumerate(inline):
            self._slot(slot, last=index == len(inline) - 1)
        self._flush_constants()
        self._flush(last=True)
        if not self._closed:
            end = self.at()
            self.out.refuse(f"size != {end}", f'DecodeError("trailing", "{self._name}", None, {end})')

    def leading(self, slots: tuple[Slot, ...]) -> None:
        """Fields of fixed size, and no look at what follows."""
        for slot in slots:
            self._slot(slot, last=False)
        self._flush_constants()
        self._flush(last=False)

    def frames(self, slots: tuple[Slot, ...]) -> None:
        """The fields that are ZeroMQ frames of their own, from the second frame on."""
        found = [slot for slot in slots if slot.field.type in (FieldType.FRAME, FieldType.MSG)]
        for index, slot in enumerate(found, 1):
            self.out.refuse(f"len(frames) <= {index}", self._error("truncated", slot.field.name, "size"))
            if slot.field.type is FieldType.MSG:
                self.out.put(f"{slot.local} = tuple(bytes(frame) for frame in frames[{index}:])")
                return
            self.out.put(f"{slot.local} = bytes(frames[{index}])")
            if slot.field.max is not None:
                too_long = self._error("too-long", slot.field.name, "size")
                self.out.refuse(f"len({slot.local}) > {slot.field.max}", too_long)
        error = f'DecodeError("trailing", "{self._name}", None, size)'
        self.out.refuse(f"len(frames) > {len(found) + 1}", error)

    # --- one field

    def _slot(self, slot: Slot, last: bool) -> None:
        if slot.octets is not None:
            self._flush(last=False)
            self._constants.append((slot.field.name, slot.octets))
            return
        self._flush_constants()
        self._value(slot.field, slot.field.name, slot.local, last)

    def _value(self, field: Field, shown: str, local: str, last: bool) -> None:
        match field.type:
            case FieldType.NUMBER:
                self._number(field, shown, local)
            case FieldType.VARINT:
                self._varint(field, shown, local)
            case FieldType.UUID:
                self._octets(shown, local, 16)
                if not self._scan:
                    self._conversions.append(f"{local} = UUID(bytes={local})")
            case FieldType.OCTETS if field.length is None:
                self._octets(shown, local, field.size)
            case FieldType.OCTETS:
                self._flush()
                self._content(field, shown, local, self._plan.named(field.length).local, self.at(), last)
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
        piece = _Piece(shown, "", f"{size}x", size) if self._scan else _Piece(shown, local, f"{size}s", size)
        self._run.append(piece)

    def _prefix(self, field: Field, shown: str) -> tuple[str, str]:
        """Read a length or a count of `size` octets: where it starts, and the local that holds it."""
        length = self._local(field, "length")
        start = self.at(sum(piece.size for piece in self._run))
        self._run.append(_Piece(shown, length, CODES[field.size], field.size))
        self._flush()
        return start, length

    def _number(self, field: Field, shown: str, local: str) -> None:
        code = CODES[field.size]
        raw = local if field.enumeration is None or self._scan else self._local(field, "value")
        start = self.at(sum(piece.size for piece in self._run))
        limited = field.enumeration is not None or (
            field.max is not None and field.max < number_range(field)[1]
        )
        if self._scan and not limited and not field.derived:
            self._run.append(_Piece(shown, "", f"{field.size}x", field.size))
            return
        self._run.append(_Piece(shown, raw, code.lower() if field.signed else code, field.size))
        if limited:
            self._flush()
            self._limit(field, shown, raw, start)
            self._member(field, shown, raw, local, start)

    def _varint(self, field: Field, shown: str, local: str) -> None:
        self._flush()
        start = self.at()
        end = self._local(field, "end")
        raw = local if field.enumeration is None or self._scan else self._local(field, "value")
        self.out.put(f'{raw}, {end} = varint(data, {start}, "{self._name}", "{shown}")')
        if field.signed:
            self.out.put(f"{raw} = ({raw} >> 1) ^ -({raw} & 1)")
        self._limit(field, shown, raw, start)
        self._member(field, shown, raw, local, start)
        self._base, self._offset = end, 0

    def _limit(self, field: Field, shown: str, value: str, start: str) -> None:
        if field.max is not None and field.max < number_range(field)[1]:
            self.out.refuse(f"{value} > {field.max}", self._error("too-long", shown, start))

    def _member(self, field: Field, shown: str, raw: str, local: str, start: str) -> None:
        if field.enumeration is None:
            return
        name = pascal(field.enumeration)
        error = self._error("bad-constant", shown, start)
        if field.flags:
            self.out.refuse(f"{raw} & ~_{snake(field.enumeration)}_mask", error)
            if not self._scan:
                self.out.put(f"{local} = {name}({raw})")
            return
        table = f"_{snake(field.enumeration)}_of"
        if self._scan:
            self.out.refuse(f"{raw} not in {table}", error)
        else:
            self.out.put(f"{local} = {table}.get({raw})")
            self.out.refuse(f"{local} is None", error)

    def _content(self, field: Field, shown: str, local: str, length: str, start: str, last: bool) -> None:
        """`length` octets from here on."""
        begin = self.at()
        end = self._local(field, "end")
        capacity = (1 << 8 * field.size) - 1
        if field.max is not None and (field.length is not None or field.max < capacity):
            self.out.refuse(f"{length} > {field.max}", self._error("too-long", shown, start))
        self.out.put(f"{end} = {begin} + {length}")
        is_text = field.type is FieldType.STRING and field.text is not Text.OCTETS and not self._scan
        if last and not is_text:
            error = f'ending("{self._name}", "{shown}", {start}, {end}, size)'
            self.out.refuse(f"{end} != size", error)
            self._closed = True
        else:
            self.out.refuse(f"{end} > size", self._error("truncated", shown, start))
        if self._scan:
            self.extents.append((begin, end))
        else:
            source = f"data[{begin}:]" if last and not is_text else f"data[{begin}:{end}]"
            self._text(field, shown, local, source, start)
        self._base, self._offset = end, 0

    def _text(self, field: Field, shown: str, local: str, source: str, start: str) -> None:
        if field.type is not FieldType.STRING or field.text is Text.OCTETS:
            self.out.put(f"{local} = {source}")
            return
        error = self._error("bad-text", shown, start)
        raw = local if field.enumeration is None else self._local(field, "value")
        with self.out.block("try:"):
            self.out.put(f"{raw} = {source}.decode()")
        with self.out.block("except UnicodeDecodeError:"):
            self.out.put(f"raise {error} from None")
        if field.text is Text.PRINTABLE:
            self.out.refuse(f"not {raw}.isprintable() and has_control({raw})", error)
        elif field.text is Text.VCHAR:
            self.out.refuse(f"not is_vchar({raw})", error)
        self._member(field, shown, raw, local, start)

    def _rest(self, field: Field, shown: str, local: str) -> None:
        self._flush()
        if field.max is not None:
            self.out.refuse(f"size > {self.at(field.max)}", self._error("too-long", shown, self.at()))
        if self._scan:
            self.extents.append((self.at(), "size"))
        else:
            self.out.put(f"{local} = data[{self.at()}:]")
        self._closed = True

    # --- many values

    def _count(self, field: Field, shown: str) -> tuple[str, str]:
        """Where the field starts, and the local that holds the number of its items."""
        if field.count is not None:
            self._flush()
            start, count = self.at(), self._plan.named(field.count).local
        else:
            start, count = self._prefix(field, shown)
        if field.max is not None:
            self.out.refuse(f"{count} > {field.max}", self._error("too-long", shown, start))
        return start, count

    def _list(self, field: Field, shown: str, local: str) -> None:
        assert field.items is not None
        item = field.items
        start, count = self._count(field, shown)
        if _is_plain_number(item):
            self._numbers(field, item, shown, local, count, start)
            return
        least = max(1, least_octets(item))
        need = count if least == 1 else f"{count} * {least}"
        self.out.refuse(f"{self.at()} + {need} > size", self._error("truncated", shown, start))
        at, items, one = self._local(field, "at"), self._local(field, "items"), self._local(field, "item")
        self.out.put(f"{at} = {self.at()}", f"{items} = []")
        with self.out.block(f"for _ in range({count}):"):
            self._base, self._offset = at, 0
            self._value(item, shown, one, last=False)
            self._flush()
            self.out.put(f"{items}.append({one})", f"{at} = {self.at()}")
        self.out.put(f"{local} = tuple({items})")
        self._base, self._offset = at, 0

    def _numbers(self, field: Field, item: Field, shown: str, local: str, count: str, start: str) -> None:
        begin, end = self.at(), self._local(field, "end")
        self.out.put(f"{end} = {begin} + {count}{'' if item.size == 1 else f' * {item.size}'}")
        self.out.refuse(f"{end} > size", self._error("truncated", shown, start))
        limited = item.max is not None and item.max < number_range(item)[1]
        if self._scan:
            self.extents.append((begin, end))
        if not self._scan or limited:
            code = CODES[item.size].lower() if item.signed else CODES[item.size]
            self.out.put(f'{local} = unpack_from(f">{{{count}}}{code}", data, {begin})')
        if limited:
            self.out.refuse(f"{local} and max({local}) > {item.max}", self._error("too-long", shown, start))
        self._base, self._offset = end, 0

    def _hash(self, field: Field, shown: str, local: str) -> None:
        start, count = self._count(field, shown)
        self.out.refuse(f"{self.at()} + {count} * 5 > size", self._error("truncated", shown, start))
        at, key, value = (self._local(field, suffix) for suffix in ("at", "key", "value"))
        kind = "bytes" if field.text is Text.OCTETS else "str"
        self.out.put(f"{at} = {self.at()}", f"{local}: dict[{kind}, {kind}] = {{}}")
        with self.out.block(f"for _ in range({count}):"):
            self._base, self._offset = at, 0
            for name, size in ((key, 1), (value, 4)):
                part = Field(name, FieldType.STRING, size=size, text=field.text)
                self._value(part, shown, name, last=False)
            self.out.put(f"{local}[{key}] = {value}", f"{at} = {self.at()}")
        self._base, self._offset = at, 0

    # --- runs

    def _flush_constants(self) -> None:
        if not self._constants:
            return
        wanted = b"".join(value for _, value in self._constants)
        pieces = ", ".join(f'("{name}", {octets(value)})' for name, value in self._constants)
        error = f'bad_constants("{self._name}", data, {self.at()}, {pieces})'
        self.out.refuse(f"data[{self.at()} : {self.at(len(wanted))}] != {octets(wanted)}", error)
        self._offset += len(wanted)
        self._constants.clear()

    def _flush(self, last: bool = False) -> None:
        """Unpack what has been gathered."""
        run, self._run = self._run, []
        if not run:
            return
        total = sum(piece.size for piece in run)
        pieces, offset = [], 0
        for piece in run:
            pieces.append(f'("{piece.field}", {self.at(offset)}, {self.at(offset + piece.size)})')
            offset += piece.size
        if last:
            error = f'misfit("{self._name}", size, {self.at(total)}, {", ".join(pieces)})'
            self.out.refuse(f"size != {self.at(total)}", error)
            self._closed = True
        else:
            error = f'truncated("{self._name}", size, {", ".join(pieces)})'
            self.out.refuse(f"size < {self.at(total)}", error)
        self._unpack(run, total)
        self._offset += total
        self.out.put(*self._conversions)
        self._conversions.clear()

    def _unpack(self, run: list[_Piece], total: int) -> None:
        named = [piece for piece in run if piece.local]
        if not named:
            return
        first = run.index(named[0])
        start = sum(piece.size for piece in run[:first])
        run = run[first:]
        if len(run) == 1 and run[0].code == "B":
            self.out.put(f"{run[0].local} = data[{self.at(start)}]")
        elif len(run) == 1 and run[0].code.endswith("s"):
            self.out.put(f"{run[0].local} = data[{self.at(start)} : {self.at(total)}]")
        else:
            unpack = self._formats.use("unpack_from", "".join(piece.code for piece in run))
            names = ", ".join(piece.local for piece in named)
            target = f"({names},)" if len(named) == 1 else names
            self.out.put(f"{target} = {unpack}(data, {self.at(start)})")
