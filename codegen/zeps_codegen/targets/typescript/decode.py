"""The statements of a decoder: one pass over the octets, field by field; the first that is wrong is reported."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ...ir import Field, FieldType, Text
from ...naming import Scope, camel
from ...plan.layout import Place, least_octets, number_range
from .lines import Lines, add, quoted
from .plan import LOCALS, SAFE_MAX, Carrier, MessagePlan, ProtocolPlan, Slot, is_raw_text, number

__all__ = ["CHECKS", "Decoder"]

#: What checks text of a class while it is read, and while it is measured.
CHECKS = {
    Text.UTF8: ("utf8", "measureUtf8"),
    Text.PRINTABLE: ("printable", "measurePrintable"),
    Text.VCHAR: ("vchar", "measureVchar"),
}


class Decoder:
    """Writes the body of one message's decoder, over `data`."""

    def __init__(self, protocol: ProtocolPlan, plan: MessagePlan, constants: dict[str, str]) -> None:
        self.out = Lines()
        self._protocol = protocol
        self._plan = plan
        self._constants = constants  # the modules' names for the octets of constant fields
        locals_ = [slot.local for slot in (*plan.slots, *([plan.topic] if plan.topic else []))]
        self._scope = Scope("typescript", [*LOCALS, *locals_])
        self._base, self._offset = "", 0

    def body(self) -> list[str]:
        """The statements, `return` included."""
        plan = self._plan
        self._offset = plan.layout.dispatch_size
        for place in plan.layout.head_constants:
            self._constant(place)
        if plan.topic is not None:
            self._topic(plan.topic)
        for slot in plan.slots:
            if slot.octets is not None:
                self._constant(slot.place)
            elif slot.field.reserved:
                self._reserved(slot.field)
            else:
                self._value(slot.field, slot.field.name, slot.local, derived=slot.member is None)
        if self._at() != "data.length":
            error = f'new DecodeError("trailing", {quoted(plan.spelled)}, null, {self._at()})'
            self.out.refuse(f"data.length > {self._at()}", error)
        pairs = [(slot.member, slot.local) for slot in plan.shown]
        members = [f"type: {quoted(plan.spelled)}"]
        members += [local if name == local else f"{name}: {local}" for name, local in pairs]
        self.out.put(f"return {{ {', '.join(members)} }};")
        return self.out.lines

    # --- places, names and errors

    def _at(self, extra: int = 0) -> str:
        return add(self._base, self._offset + extra)

    def _go(self, base: str, offset: int = 0) -> None:
        self._base, self._offset = base, offset

    def _local(self, local: str, suffix: str) -> str:
        return self._scope.name(f"{local.rstrip('_')}{suffix}")

    def _error(self, code: str, shown: str, at: str) -> str:
        return f"new DecodeError({quoted(code)}, {quoted(self._plan.spelled)}, {quoted(shown)}, {at})"

    def _need(self, end: str, shown: str, at: str) -> None:
        self.out.refuse(f"data.length < {end}", self._error("truncated", shown, at))

    # --- what is not a field's value

    def _constant(self, place: Place) -> None:
        octets = place.octets or b""
        if not octets:
            return
        name, at = self._constants[place.field.name], self._at()
        error = f"notConstant(data, {at}, {name}, {quoted(self._plan.spelled)}, {quoted(place.field.name)})"
        self.out.refuse(f"!holds(data, {at}, {name})", error)
        self._offset += len(octets)

    def _reserved(self, field: Field) -> None:
        """Octets that only have to be there."""
        if field.size:
            self._need(self._at(field.size), field.name, self._at())
            self._offset += field.size

    def _topic(self, slot: Slot) -> None:
        """Pub/sub: text up to the first NUL."""
        start, end = self._at(), self._local(slot.local, "End")
        self.out.put(f"const {end} = data.indexOf(0, {start});")
        self.out.refuse(f"{end} < 0", self._error("truncated", "topic", start))
        self._text(slot.field, "topic", slot.local, start, end, start)
        self._go(end, 1)

    # --- one value

    def _value(self, field: Field, shown: str, local: str, derived: bool = False) -> None:
        match field.type:
            case FieldType.NUMBER | FieldType.VARINT:
                self._number(field, shown, local, derived)
            case FieldType.OCTETS if field.length is None:
                start = self._at()
                self._need(self._at(field.size), shown, start)
                self._offset += field.size
                self._octets(local, start, self._at())
            case FieldType.OCTETS:
                self._content(field, shown, local, self._plan.named(field.length).local, self._at())
            case FieldType.STRING | FieldType.CHUNK:
                start, length = self._at(), self._local(local, "Length")
                self._prefix(field, shown, length)
                self._content(field, shown, local, length, start)
            case FieldType.REST:
                start = self._at()
                if field.max is not None and field.max <= SAFE_MAX:
                    self.out.refuse(
                        f"data.length > {self._at(field.max)}", self._error("too-long", shown, start)
                    )
                self._octets(local, start, "")
                self._go("data.length")
            case FieldType.LIST:
                self._list(field, shown, local)
            case FieldType.HASH:
                self._hash(field, shown, local)
            case _:
                raise ValueError(f"{self._plan.spelled}.{shown}: no decoder for {field.type.value}")

    def _octets(self, local: str, start: str, end: str) -> None:
        self.out.put(f"const {local} = data.subarray({', '.join(part for part in (start, end) if part)});")

    def _read(self, field: Field, shown: str, local: str, derived: bool) -> tuple[str, Carrier]:
        """The expression for the number that stands here, and what holds it; the reader then stands after it."""
        start = self._at()
        if field.type is FieldType.VARINT:
            end = self._local(local, "End")
            self.out.put(
                f"const {end} = varintEnd(data, {start}, {quoted(self._plan.spelled)}, {quoted(shown)});"
            )
            found = f"varint(data, {start}, {end})"
            self._go(end)
            return f"unzigzag({found})" if field.signed else found, Carrier.BIGINT
        self._need(self._at(field.size), shown, start)
        self._offset += field.size
        if derived and field.size == 8 and (field.max is None or field.max <= SAFE_MAX):
            return f"length64(data, {start})", Carrier.NUMBER
        kind = f"{'i' if field.signed else 'u'}{8 * field.size}"
        return f"{kind}(data, {start})", Carrier.BIGINT if field.size == 8 else Carrier.NUMBER

    def _number(self, field: Field, shown: str, local: str, derived: bool) -> None:
        start = self._at()
        expression, read = self._read(field, shown, local, derived)
        wanted = Carrier.NUMBER if derived else self._protocol.carrier(field)
        limited = field.max is not None and field.max < number_range(field)[1]
        if wanted is read or (wanted is Carrier.BIGINT and not limited):
            self.out.put(f"const {local} = {_as(wanted, read, expression)};")
            raw, carrier = local, wanted
        else:
            raw, carrier = self._local(local, "Read"), read
            self.out.put(f"const {raw} = {expression};")
        if limited and field.max is not None:
            self.out.refuse(f"{raw} > {number(field.max, carrier)}", self._error("too-long", shown, start))
        if raw != local:
            self.out.put(f"const {local} = {_as(wanted, carrier, raw)};")
        self._member(field, shown, local, start)

    def _member(self, field: Field, shown: str, local: str, start: str) -> None:
        if field.enumeration is not None and not is_raw_text(field):
            guard = self._protocol.enumerations[field.enumeration].guard
            self.out.refuse(f"!{guard}({local})", self._error("bad-constant", shown, start))

    def _prefix(self, field: Field, shown: str, length: str) -> None:
        """Read a length or a count of `size` octets, and compare it with the limit."""
        start = self._at()
        self._need(self._at(field.size), shown, start)
        wide = field.size == 8
        if wide and field.max is not None and field.max > SAFE_MAX:
            self.out.refuse(f"u64(data, {start}) > {field.max}n", self._error("too-long", shown, start))
        read = f"length64(data, {start})" if wide else f"u{8 * field.size}(data, {start})"
        self.out.put(f"const {length} = {read};")
        self._offset += field.size

    def _content(self, field: Field, shown: str, local: str, length: str, start: str) -> None:
        """`length` octets from here on."""
        begin, end = self._at(), self._local(local, "End")
        self._limit(field, shown, length, start)
        self.out.put(f"const {end} = {begin} + {length};")
        self._need(end, shown, start)
        if field.type is FieldType.STRING and not is_raw_text(field):
            self._text(field, shown, local, begin, end, start)
        else:
            self._octets(local, begin, end)
        self._go(end)

    def _limit(self, field: Field, shown: str, length: str, start: str) -> None:
        greatest = SAFE_MAX if field.length or field.count or field.size == 8 else (1 << 8 * field.size) - 1
        if field.max is not None and (field.max < greatest or field.max == greatest == SAFE_MAX):
            self.out.refuse(f"{length} > {field.max}", self._error("too-long", shown, start))

    def _text(self, field: Field, shown: str, local: str, begin: str, end: str, start: str) -> None:
        check = CHECKS[field.text][0]
        names = f"{quoted(self._plan.spelled)}, {quoted(shown)}"
        self.out.put(f"const {local} = {check}(data, {begin}, {end}, {names}, {start});")
        self._member(field, shown, local, start)

    # --- many values

    def _count(self, field: Field, shown: str, local: str, least: int) -> str:
        """How many items follow, of at least `least` octets each."""
        start = self._at()
        if field.count is not None:
            count = self._plan.named(field.count).local
        else:
            count = self._local(local, "Count")
            self._prefix(field, shown, count)
        self._limit(field, shown, count, start)
        self._need(f"{self._at()} + {count}{f' * {least}' if least > 1 else ''}", shown, start)
        return count

    def _list(self, field: Field, shown: str, local: str) -> None:
        assert field.items is not None
        item = field.items
        kind = self._protocol.type_of(item)
        with self._turns(field, shown, local, f"({kind})[]" if " " in kind else f"{kind}[]"):
            one = self._local(camel(local), "Item")
            self._value(item, shown, one)
            self.out.put(f"{local}.push({one});")

    def _hash(self, field: Field, shown: str, local: str) -> None:
        kind = "Uint8Array" if field.text is Text.OCTETS else "string"
        with self._turns(field, shown, local, f"[{kind}, {kind}][]"):
            names = [self._local(local, suffix) for suffix in ("Key", "Value")]
            for name, size in zip(names, (1, 4), strict=True):
                self._value(Field(shown, FieldType.STRING, size=size, text=field.text), shown, name)
            self.out.put(f"{local}.push([{', '.join(names)}]);")

    @contextmanager
    def _turns(self, field: Field, shown: str, local: str, kind: str) -> Iterator[None]:
        """A loop over items, which what is put inside reads and appends to the array `local` of type `kind`."""
        start, least = self._at(), 5 if field.items is None else max(1, least_octets(field.items))
        count = "" if field.open_ended else self._count(field, shown, local, least)
        at = self._local(local, "At")
        self.out.put(f"const {local}: {kind} = [];", f"let {at} = {self._at()};")
        if field.open_ended:
            head = f"while ({at} < data.length)"
        else:
            index = self._local(local, "Index")
            head = f"for (let {index} = 0; {index} < {count}; {index}++)"
        with self.out.block(head):
            if field.open_ended and field.max is not None and field.max <= SAFE_MAX:
                self.out.refuse(f"{local}.length === {field.max}", self._error("too-long", shown, start))
            self._go(at)
            yield
            self.out.put(f"{at} = {self._at()};")
        self._go("data.length" if field.open_ended else at)


def _as(wanted: Carrier, found: Carrier, expression: str) -> str:
    if wanted is found:
        return expression
    return f"Number({expression})" if wanted is Carrier.NUMBER else f"BigInt({expression})"
