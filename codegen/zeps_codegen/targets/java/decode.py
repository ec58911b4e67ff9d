"""The statements of a decoder: field by field in the order of the wire, each compared with the frame's end first.

`data` is the frame's array, `start` and `end` are the frame's bounds in it, `at` is where the decoder stands; what
has a fixed size is read relative to `at`, which moves on where a size varies. With `view`, nothing is made of what
varies in size: its place is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ...ir import Field, FieldType, Text
from ...naming import Scope, camel
from ...plan.layout import least_octets, number_range
from .lines import Lines, plus
from .names import Imports, has_text, is_member, literal, local_scope, long_literal
from .plan import MessagePlan, Slot

__all__ = ["Decoder", "Extent", "above", "is_viewable", "number_literal"]

_READERS = {(1, False): "u8", (2, False): "u16", (4, False): "u32", (8, False): "u64"}
_READERS |= {(1, True): "i8", (2, True): "i16", (4, True): "i32", (8, True): "u64"}
_TEXTS = {Text.UTF8: "utf8", Text.PRINTABLE: "printable", Text.VCHAR: "vchar"}
_VERBS = {
    "TRUNCATED": "truncated",
    "TRAILING": "trailing",
    "BAD_CONSTANT": "badMember",
    "BAD_TEXT": "badText",
    "TOO_LONG": "tooLong",
}
_EXTENTS = (FieldType.STRING, FieldType.CHUNK, FieldType.REST, FieldType.OCTETS)
_PLAIN = (FieldType.NUMBER, FieldType.VARINT)


@dataclass(frozen=True, slots=True)
class Extent:
    """Where a view finds a field's content: locals that hold its place and its length."""

    slot: Slot
    at: str
    length: str


def is_viewable(plan: MessagePlan) -> bool:
    """Whether a view of the message is worth having: something varies in size, and nothing is a list."""
    fields = [slot.field for slot in plan.slots if slot.octets is None]
    kinds = {field.type for field in fields}
    enumerated = any(is_member(field) and field.type is FieldType.STRING for field in fields)
    if plan.topic is not None or plan.apart or enumerated or not kinds <= {*_EXTENTS, *_PLAIN}:
        return False
    return any(slot.component is not None and slot.field.type in _EXTENTS for slot in plan.slots)


def number_literal(value: int, kind: str) -> str:
    """A limit of a number of that type; what no int reaches is a long."""
    if kind == "long":
        return long_literal(value)
    return str(value) if value < 1 << 31 else long_literal(min(value, (1 << 63) - 1))


def above(length: str, limit: int) -> str:
    """The test whether an int is beyond a limit."""
    return f"{length} > {number_literal(limit, 'int')}"


class Decoder:
    """Writes the statements that turn a frame into locals."""

    def __init__(self, plan: MessagePlan, imports: Imports, view: bool = False, multipart: bool = False):
        self.out = Lines()
        self.extents: list[Extent] = []
        self._plan = plan
        self._imports = imports
        self._view = view
        self._multipart = multipart
        self._offset = 0  # octets from `at` to where the decoder stands
        self._base = "start"
        self._moves = False  # whether `at` has been declared
        self._scope: Scope = local_scope(slot.local for slot in (*plan.slots, *plan.head))
        self._kinds: dict[str, str] = {}  # the types of numbers that siblings refer to
        self._wide: set[str] = set()  # those that may be negative, since they have 64 bits

    # --- the whole message

    def whole(self) -> list[str]:
        plan = self._plan
        self._offset = plan.layout.dispatch_size
        for slot in plan.head:
            self._constant(slot)
        if plan.topic is not None:
            self._topic(plan.topic)
        for slot in plan.inline:
            if slot.octets is not None:
                self._constant(slot)
            elif slot.field.reserved:
                self._reserved(slot.field)
            else:
                self._value(slot.field, slot.field.name, slot.local)
        if not any(_takes_all(slot.field) for slot in plan.inline):
            error = self._error("TRAILING", None, self._here())
            self.out.refuse(f"end - {self._base} > {self._offset}", error)
        self._apart()
        return self.out.lines

    def _apart(self) -> None:
        """The fields that are ZeroMQ frames of their own, from the second frame on."""
        for index, slot in enumerate(self._plan.apart, 1):
            field, local = slot.field, slot.local
            self.out.refuse(f"frames.size() <= {index}", self._error("TRUNCATED", field.name, "end"))
            wrap = f"{self._imports.use('Octets')}.wrap(frames.get({{}}))"
            if field.type is FieldType.FRAME:
                self.out.put(f"final Octets {local} = {wrap.format(index)};")
                self._frame_limit(field, f"{local}.length()")
                continue
            self._imports.use("List", "ArrayList")
            self.out.put(f"final List<Octets> {local} = new ArrayList<>();")
            with self.out.block(f"for (int i = {index}; i < frames.size(); i++)"):
                self._frame_limit(field, "frames.get(i).length")
                self.out.put(f"{local}.add({wrap.format('i')});")
            return
        if self._multipart:
            error = self._error("TRAILING", None, "end")
            self.out.refuse(f"frames.size() > {len(self._plan.apart) + 1}", error)

    def _frame_limit(self, field: Field, length: str) -> None:
        if field.max is not None:
            self.out.refuse(above(length, field.max), self._error("TOO_LONG", field.name, "end"))

    # --- places and errors

    def _here(self) -> str:
        return plus(self._base, self._offset)

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
        target = " + ".join([self._here(), *([extra] if extra else [])])
        if not self._moves:
            self.out.put(f"int at = {target};")
        elif self._offset or extra:
            step = " + ".join([*([str(self._offset)] if self._offset else []), *([extra] if extra else [])])
            self.out.put(f"at += {step};")
        self._base, self._offset, self._moves = "at", 0, True

    def _local(self, shown: str, suffix: str) -> str:
        return self._scope.name(f"{shown}{suffix}")

    # --- fields

    def _constant(self, slot: Slot) -> None:
        self._imports.use("Wire")
        assert slot.octets is not None
        at = self._here()
        error = (
            f"Wire.badConstant(data, start, {at}, end, {slot.octets_name}, NAME, {literal(slot.field.name)})"
        )
        self.out.refuse(f"!Wire.holds(data, {at}, end, {slot.octets_name})", error)
        self._offset += len(slot.octets)

    def _topic(self, slot: Slot) -> None:
        """Pub/sub: text up to the first zero octet."""
        self._imports.use("Text")
        self._move()
        end = self._scope.name("topicEnd")
        self.out.put(f"int {end} = at;")
        with self.out.block(f"while ({end} < end && data[{end}] != 0)"):
            self.out.put(f"{end}++;")
        self.out.refuse(f"{end} == end", self._error("TRUNCATED", "topic", "at"))
        self.out.put(f"final String {slot.local} = Text.utf8(data, at, {end} - at);")
        self.out.refuse(f"{slot.local} == null", self._error("BAD_TEXT", "topic", "at"))
        self.out.put(f"at = {end} + 1;")

    def _reserved(self, field: Field) -> None:
        """Step over octets that mean nothing."""
        if field.size:
            self._need(field.size, field.name)
            self._offset += field.size

    def _value(self, field: Field, shown: str, local: str) -> None:
        match field.type:
            case FieldType.NUMBER:
                self._number(field, shown, local)
            case FieldType.VARINT:
                self._varint(field, shown, local)
            case FieldType.OCTETS if field.length is None:
                self._need(field.size, shown)
                self._keep(field, shown, local, self._here(), str(field.size))
                self._offset += field.size
            case FieldType.OCTETS:
                length = self._plan.named(field.length).local
                self._content(field, shown, local, length, self._kinds[length], 0)
            case FieldType.STRING | FieldType.CHUNK:
                length, kind = self._prefix(field, shown, "Length")
                self._content(field, shown, local, length, kind, field.size)
            case FieldType.REST:
                self._rest(field, shown, local)
            case FieldType.LIST:
                self._list(field, shown, local)
            case FieldType.HASH:
                self._hash(field, shown, local)
            case _:
                raise ValueError(f"{self._plan.name}.{shown}: no decoder for {field.type.value}")

    def _prefix(self, field: Field, shown: str, suffix: str) -> tuple[str, str]:
        """Read a length or a count, and stay before it: its local and type."""
        self._need(field.size, shown)
        return self._read(field.size, False, self._local(local_of(shown), suffix))

    def _read(self, size: int, signed: bool, local: str) -> tuple[str, str]:
        kind = "int" if size < 4 or (size == 4 and signed) else "long"
        reader = _READERS[size, signed]
        self.out.put(f"final {kind} {local} = {self._imports.use('Wire')}.{reader}(data, {self._here()});")
        self._kinds[local] = kind
        if size == 8 or signed:
            self._wide.add(local)
        return local, kind

    def _number(self, field: Field, shown: str, local: str) -> None:
        self._need(field.size, shown)
        raw = self._raw(field, shown, local)
        _, kind = self._read(field.size, field.signed, raw)
        self._limit(field, shown, raw, kind, self._here())
        self._member(field, shown, raw, local, self._here())
        self._offset += field.size

    def _raw(self, field: Field, shown: str, local: str) -> str:
        """The local of what the octets say, where that is not yet the value."""
        has_class = is_member(field)
        return self._local(local_of(shown), "Value") if has_class else local

    def _varint(self, field: Field, shown: str, local: str) -> None:
        self._imports.use("Wire")
        span, raw, at = self._local(local_of(shown), "Span"), self._raw(field, shown, local), self._here()
        self.out.put(f"final int {span} = Wire.varintSpan(data, {at}, end);")
        self.out.refuse(f"{span} == 0", self._error("TRUNCATED", shown, at))
        self.out.refuse(f"{span} < 0", self._error("TOO_LONG", shown, at))
        read = f"Wire.varint(data, {at}, {span})"
        self.out.put(f"final long {raw} = {f'Wire.unzigzag({read})' if field.signed else read};")
        self._kinds[raw] = "long"
        self._wide.add(raw)
        self._limit(field, shown, raw, "long", at)
        self._member(field, shown, raw, local, at)
        self._move(span)

    def _limit(self, field: Field, shown: str, value: str, kind: str, at: str) -> None:
        if field.max is None or field.max >= number_range(field)[1]:
            return
        greatest = number_literal(field.max, kind)
        self.out.refuse(self._beyond(value, greatest, field.signed), self._error("TOO_LONG", shown, at))

    def _beyond(self, value: str, greatest: str, signed: bool = False) -> str:
        if value in self._wide and not signed:
            return f"Long.compareUnsigned({value}, {greatest}) > 0"
        return f"{value} > {greatest}"

    def _short(self, count: str, left: str) -> str:
        return f"{count} < 0 || {count} > {left}" if count in self._wide else f"{count} > {left}"

    def _member(self, field: Field, shown: str, raw: str, local: str, at: str) -> None:
        if field.enumeration is None:
            return
        error, name = self._error("BAD_CONSTANT", shown, at), self._plan.names.classes[field.enumeration]
        if field.flags:
            self.out.refuse(f"({raw} & ~{name}.MASK) != 0", error)
            return
        self.out.put(f"final {name} {local} = {name}.of({raw});")
        self.out.refuse(f"{local} == null", error)

    def _content(self, field: Field, shown: str, local: str, length: str, kind: str, prefix: int) -> None:
        """`length` octets after the `prefix` octets that hold the length."""
        at = self._here()
        if field.max is not None and (not prefix or field.max < (1 << 8 * field.size) - 1):
            test = self._beyond(length, number_literal(field.max, kind))
            self.out.refuse(test, self._error("TOO_LONG", shown, at))
        left = f"end - {self._base}{f' - {self._offset + prefix}' if self._offset + prefix else ''}"
        self.out.refuse(self._short(length, left), self._error("TRUNCATED", shown, at))
        count = f"(int) {length}" if kind == "long" else length
        self._offset += prefix
        self._keep(field, shown, local, self._here(), count, at)
        self._move(count)

    def _keep(self, field: Field, shown: str, local: str, begin: str, length: str, at: str = "") -> None:
        """Make the value of octets that are there, or keep their place."""
        is_text = field.type is FieldType.STRING and has_text(field)
        if self._view:
            slot = next((slot for slot in self._plan.slots if slot.local == local), None)
            if slot is not None and slot.component is not None:
                place, size = self._local(local, "At"), self._local(local, "Octets")
                self.out.put(f"final int {place} = {begin};", f"final int {size} = {length};")
                self.extents.append(Extent(slot, place, size))
                if is_text:
                    verb = f"is{_TEXTS[field.text].capitalize()}"
                    test = f"!{self._imports.use('Text')}.{verb}(data, {place}, {size})"
                    self.out.refuse(test, self._error("BAD_TEXT", shown, at))
            return
        if not is_text:
            self.out.put(
                f"final Octets {local} = {self._imports.use('Octets')}.wrap(data, {begin}, {length});"
            )
            return
        raw = self._raw(field, shown, local)
        verb = _TEXTS[field.text]
        self.out.put(f"final String {raw} = {self._imports.use('Text')}.{verb}(data, {begin}, {length});")
        self.out.refuse(f"{raw} == null", self._error("BAD_TEXT", shown, at))
        self._member(field, shown, raw, local, at)

    def _rest(self, field: Field, shown: str, local: str) -> None:
        left = f"end - {self._base}{f' - {self._offset}' if self._offset else ''}"
        if field.max is not None:
            self.out.refuse(above(left, field.max), self._error("TOO_LONG", shown, self._here()))
        self._keep(field, shown, local, self._here(), left)

    # --- many values

    @contextmanager
    def _items(self, field: Field, shown: str, local: str, least: int) -> Iterator[None]:
        """The loop over the items, of at least `least` octets each, with the list that they are added to."""
        self._imports.use("List", "ArrayList")
        kind = self._plan.names.java_type(field, self._imports)
        if field.open_ended:
            self._move()
            begin = self._beginning(field, shown)
            size, head = "", "while (at < end)"
        else:
            count, begin = self._count(field, shown, least), ""
            size = f"(int) {count}" if self._kinds[count] == "long" else count
            index = self._local(local_of(shown), "Index")
            head = f"for (int {index} = 0; {index} < {count}; {index}++)"
        self.out.put(f"final {kind} {local} = new ArrayList<>({size});")
        with self.out.block(head):
            if begin and field.max is not None:
                full = f"{local}.size() >= {number_literal(field.max, 'int')}"
                self.out.refuse(full, self._error("TOO_LONG", shown, begin))
            yield
            self._move()

    def _beginning(self, field: Field, shown: str) -> str:
        """The local that holds where the items begin, if there may be too many of them; else nothing."""
        if field.max is None:
            return ""
        begin = self._local(local_of(shown), "At")
        self.out.put(f"final int {begin} = at;")
        return begin

    def _count(self, field: Field, shown: str, least: int) -> str:
        """The local that holds how many items follow, compared with the limit and with what is left."""
        prefix = 0 if field.count is not None else field.size
        if field.count is None:
            count, _ = self._prefix(field, shown, "Count")
        else:
            count = self._plan.named(field.count).local
        at = self._here()
        if field.max is not None and (not prefix or field.max < (1 << 8 * prefix) - 1):
            test = self._beyond(count, number_literal(field.max, self._kinds[count]))
            self.out.refuse(test, self._error("TOO_LONG", shown, at))
        left = f"end - {self._base}{f' - {self._offset + prefix}' if self._offset + prefix else ''}"
        share = f"({left}) / {least}" if least > 1 else left
        self.out.refuse(self._short(count, share), self._error("TRUNCATED", shown, at))
        self._offset += prefix
        self._move()
        return count

    def _list(self, field: Field, shown: str, local: str) -> None:
        assert field.items is not None
        one = self._local(local_of(shown), "Item")
        with self._items(field, shown, local, max(1, least_octets(field.items))):
            self._value(field.items, shown, one)
            self.out.put(f"{local}.add({one});")

    def _hash(self, field: Field, shown: str, local: str) -> None:
        key, one = self._local(local_of(shown), "Key"), self._local(local_of(shown), "Item")
        with self._items(field, shown, local, 5):
            for name, size in ((key, 1), (one, 4)):
                self._value(Field(name, FieldType.STRING, size=size, text=field.text), shown, name)
            self.out.put(f"{local}.add(new Entry<>({key}, {one}));")


def _takes_all(field: Field) -> bool:
    """Whether nothing can be left after the field."""
    return field.value is None and (field.type is FieldType.REST or field.open_ended)


def local_of(shown: str) -> str:
    """A field's name as the beginning of a local's."""
    return camel(shown)
