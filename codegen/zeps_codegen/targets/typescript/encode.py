"""The statements of an encoder: check and measure everything, then write once into octets of exactly that size."""

from __future__ import annotations

import re
from collections.abc import Callable

from ...ir import Field, FieldType, Text
from ...naming import Scope
from ...plan.layout import number_range
from .decode import CHECKS
from .lines import Lines, add, quoted
from .plan import LOCALS, SAFE_MAX, Carrier, MessagePlan, ProtocolPlan, Slot, is_raw_text, number

__all__ = ["Encoder", "Sizer"]

_SINGLY_MAX = 8  # so many constant octets are written one by one


class Sizer:
    """Writes the body of the function that tells the octets of a message, right or wrong."""

    def __init__(self, protocol: ProtocolPlan, plan: MessagePlan) -> None:
        self._protocol, self._plan = protocol, plan
        self._scope = Scope("typescript", [*LOCALS, *(slot.local for slot in plan.slots)])

    def body(self) -> list[str]:
        plan = self._plan
        fixed, parts, loops = len(plan.layout.head), [], Lines()
        if plan.topic is not None:
            fixed += 1
            parts.append(f"utf8Size(message.{plan.topic.member})")
        for slot in plan.slots:
            if slot.octets is not None:
                fixed += len(slot.octets)
            elif slot.measures:
                field = slot.field
                if field.type is FieldType.VARINT:
                    parts.append(f"varintSize(BigInt(message.{slot.measures[0].member}.length))")
                else:
                    fixed += field.size
            else:
                octets, found = self._part(slot.field, f"message.{slot.member}", slot.local, loops)
                fixed += octets
                parts += found
        total = " + ".join([str(fixed), *parts] if fixed or not parts else parts)
        if not loops.lines:
            return [f"return {total};"]
        return [f"let size = {total};", *loops.lines, "return size;"]

    def _part(self, field: Field, value: str, stem: str, loops: Lines) -> tuple[int, list[str]]:
        """The octets that are always there, and expressions for others; what needs a loop adds to `size`."""
        match field.type:
            case FieldType.NUMBER:
                return field.size, []
            case FieldType.VARINT:
                return 0, [f"varintSize({_wire(field, value, self._protocol)})"]
            case FieldType.STRING if not is_raw_text(field):
                return field.size, [f"utf8Size({value})"]
            case FieldType.STRING | FieldType.CHUNK:
                return field.size, [f"{value}.length"]
            case FieldType.OCTETS if field.length is None:
                return field.size, []
            case FieldType.LIST:
                return self._list(field, value, stem, loops)
            case FieldType.HASH:
                measure = "{}.length" if field.text is Text.OCTETS else "utf8Size({})"
                key, content = self._scope.name(f"{stem}Key"), self._scope.name(f"{stem}Value")
                each = f"{measure.format(key)} + {measure.format(content)}"
                loops.put(f"for (const [{key}, {content}] of {value}) size += 5 + {each};")
                return 0 if field.open_ended else 4, []
            case _:
                return 0, [f"{value}.length"]

    def _list(self, field: Field, value: str, stem: str, loops: Lines) -> tuple[int, list[str]]:
        assert field.items is not None
        prefix = 0 if field.count else field.size
        item = self._scope.name(f"{stem.rstrip('_')}Item")
        inner = Lines()
        octets, parts = self._part(field.items, item, item, inner)
        if not parts and not inner.lines:
            return prefix, [f"{value}.length * {octets}" if octets > 1 else f"{value}.length"]
        with loops.block(f"for (const {item} of {value})"):
            loops.put(
                f"size += {' + '.join([str(octets), *parts] if octets else parts or ['0'])};", *inner.lines
            )
        return prefix, []


class Encoder:
    """Writes the body of one message's encoder, over `message`."""

    def __init__(self, protocol: ProtocolPlan, plan: MessagePlan, constants: dict[str, str]) -> None:
        self.out = Lines()
        self._late = Lines()  # numbers that do not fit are refused after everything else
        self._deep = 0
        self._protocol, self._plan, self._constants = protocol, plan, constants
        locals_ = [slot.local for slot in (*plan.slots, *([plan.topic] if plan.topic else []))]
        self._scope = Scope("typescript", [*LOCALS, *locals_])
        self._sizes: dict[str, str] = {}  # text or number → the local that holds its octets
        self._base, self._offset = "", 0

    def body(self) -> list[str]:
        """The statements, `return` included."""
        plan = self._plan
        taken = [
            slot.local if slot.local == slot.member else f"{slot.member}: {slot.local}" for slot in plan.shown
        ]
        if taken:
            self.out.put(f"const {{ {', '.join(taken)} }} = message;")
        fixed, parts = len(plan.layout.head), []
        if plan.topic is not None:
            fixed += 1
            parts += self._check(plan.topic.field, "topic", plan.topic.local)[1]
            self.out.refuse(f'{plan.topic.local}.includes("\\0")', self._error("bad-text", "topic"))
        for slot in plan.slots:
            if slot.measures:
                self._measure(slot)
        for slot in plan.slots:
            octets, found = self._check_slot(slot)
            fixed += octets
            parts += found
        self.out.put(*self._late.lines)
        total = " + ".join([str(fixed), *parts] if fixed or not parts else parts)
        self.out.put(f"const data = allocate({total});")
        self._constant(plan.layout.head, self._constants.get(""))
        if plan.topic is not None:
            self._put_text(plan.topic.local)
            self._offset += 1  # a zero octet
        for slot in plan.slots:
            if slot.octets is not None:
                self._constant(slot.octets, self._constants[slot.field.name])
            elif slot.field.reserved:
                self._offset += slot.field.size  # zero, as all octets are to begin with
            elif slot.measures:
                self._put_number(slot.field, slot.local, Carrier.NUMBER)
            else:
                self._put(slot.field, slot.local)
        self.out.put("return data;")
        return _used(self.out.lines)

    def _error(self, code: str, shown: str) -> str:
        return f"new EncodeError({quoted(code)}, {quoted(self._plan.spelled)}, {quoted(shown)})"

    def _refuse_late(self, condition: str, error: str) -> None:
        self._late.refuse(condition, error)

    def _each(
        self, head: str, size: str, parts: Callable[[], tuple[int, list[str]]]
    ) -> tuple[int, list[str]]:
        """Check items one by one; `size` is the local that adds up what they take, if that varies."""
        outer = self.out, self._late
        self.out, self._late, self._deep = Lines(), Lines(), self._deep + 1
        octets, found = parts()
        checks, late = self.out.lines, self._late.lines
        (self.out, self._late), self._deep = outer, self._deep - 1
        if not checks and not late and not found:
            return octets, found
        into = self.out if checks else self._late
        if found:
            into.put(f"let {size} = 0;")
        with into.block(head):
            into.put(*checks, *late)
            if found:
                into.put(f"{size} += {' + '.join([str(octets), *found] if octets else found)};")
        return octets, found

    def _local(self, stem: str, suffix: str) -> str:
        return self._scope.name(f"{stem.rstrip('_')}{suffix}")

    # --- checks; each gives the octets that are always there, and expressions for the others

    def _measure(self, slot: Slot) -> None:
        """Compute a number that counts or measures other fields; they have to agree on it."""
        first, *others = slot.measures
        self.out.put(f"const {slot.local} = {first.local}.length;")
        for other in others:
            code = f'{other.local}.length > {slot.local} ? "too-long" : "truncated"'
            error = f"new EncodeError({code}, {quoted(self._plan.spelled)}, {quoted(other.field.name)})"
            self.out.refuse(f"{other.local}.length !== {slot.local}", error)

    def _check_slot(self, slot: Slot) -> tuple[int, list[str]]:
        field = slot.field
        if slot.octets is not None:
            return len(slot.octets), []
        if field.reserved:
            return field.size, []
        if not slot.measures:
            return self._check(field, field.name, slot.local)
        shown = slot.measures[0].field.name
        greatest = number_range(field)[1]
        if field.max is not None and field.max < greatest:
            self._limit(field, shown, slot.local)
        if field.type is FieldType.VARINT:
            size = self._local(slot.local, "Size")
            self.out.put(f"const {size} = varintSize(BigInt({slot.local}));")
            return 0, [size]
        if field.size < 8:
            self._refuse_late(f"{slot.local} > {greatest}", self._error("too-long", shown))
        return field.size, []

    def _check(self, field: Field, shown: str, value: str) -> tuple[int, list[str]]:
        match field.type:
            case FieldType.NUMBER | FieldType.VARINT:
                return self._check_number(field, shown, value)
            case FieldType.STRING if not is_raw_text(field):
                if field.enumeration is not None:
                    self._check_member(field, shown, value)
                size = self._local(value, "Size")
                names = f"{quoted(self._plan.spelled)}, {quoted(shown)}"
                self.out.put(f"const {size} = {CHECKS[field.text][1]}({value}, {names});")
                self._sizes[value] = size
                return self._check_length(field, shown, size)
            case FieldType.STRING | FieldType.CHUNK:
                return self._check_length(field, shown, f"{value}.length")
            case FieldType.OCTETS if field.length is None:
                code = f'{value}.length > {field.size} ? "too-long" : "truncated"'
                error = f"new EncodeError({code}, {quoted(self._plan.spelled)}, {quoted(shown)})"
                self.out.refuse(f"{value}.length !== {field.size}", error)
                return field.size, []
            case FieldType.LIST:
                return self._check_list(field, shown, value)
            case FieldType.HASH:
                return self._check_hash(field, shown, value)
            case _:
                self._limit(field, shown, f"{value}.length")
                return 0, [f"{value}.length"]

    def _limit(self, field: Field, shown: str, length: str) -> None:
        """A length or a count has a limit; one that no length reaches is none."""
        if field.max is not None and field.max <= SAFE_MAX:
            self.out.refuse(f"{length} > {field.max}", self._error("too-long", shown))

    def _check_length(self, field: Field, shown: str, size: str) -> tuple[int, list[str]]:
        """A length or a count of `size` octets before what it measures."""
        greatest = (1 << 8 * field.size) - 1
        if field.max is not None and field.max < greatest:
            self._limit(field, shown, size)
        elif field.size < 8 and not field.count and field.type not in (FieldType.LIST, FieldType.HASH):
            self._refuse_late(f"{size} > {greatest}", self._error("too-long", shown))
        return field.size, [size]

    def _check_member(self, field: Field, shown: str, value: str) -> None:
        guard = self._protocol.enumerations[field.enumeration or ""].guard
        self.out.refuse(f"!{guard}({value})", self._error("bad-constant", shown))

    def _check_number(self, field: Field, shown: str, value: str) -> tuple[int, list[str]]:
        carrier = self._protocol.carrier(field)
        error = self._error("too-long", shown)
        signed_varint = field.type is FieldType.VARINT and field.signed
        outside = self._outside(field, value, carrier)
        if outside and signed_varint:
            self.out.refuse(outside, error)
        if field.max is not None and field.max < number_range(field)[1]:
            self.out.refuse(f"{value} > {number(field.max, carrier)}", error)
        if field.enumeration is not None:
            self._check_member(field, shown, value)
        if outside and not signed_varint:
            self._refuse_late(outside, error)
        if field.type is not FieldType.VARINT:
            return field.size, []
        if self._deep:
            return 0, [f"varintSize({_wire(field, value, self._protocol)})"]
        # measured after it is known to fit
        size = self._local(value, "Size")
        self._late.put(f"const {size} = varintSize({_wire(field, value, self._protocol)});")
        return 0, [size]

    def _outside(self, field: Field, value: str, carrier: Carrier) -> str:
        """The condition that a number does not fit its octets; empty if its enumeration says that it does."""
        least, greatest = number_range(field)
        if field.enumeration is not None:
            plan = self._protocol.enumerations[field.enumeration]
            members = [plan.mask] if plan.flags else [int(one.value) for one in plan.enumeration.members]
            if all(least <= member <= greatest for member in members):
                return ""
            return f"{value} < {number(least, carrier)} || {value} > {number(greatest, carrier)}"
        if carrier is Carrier.BIGINT:
            return f"BigInt.{'asIntN' if field.signed else 'asUintN'}(64, {value}) !== {value}"
        match field.size, field.signed:
            case 4, True:
                return f"({value} | 0) !== {value}"
            case 4, False:
                return f"{value} >>> 0 !== {value}"
            case size, True:
                return f"({value} << {32 - 8 * size}) >> {32 - 8 * size} !== {value}"
            case size, _:
                return f"({value} & {greatest:#x}) !== {value}"

    def _check_list(self, field: Field, shown: str, value: str) -> tuple[int, list[str]]:
        assert field.items is not None
        self._limit(field, shown, f"{value}.length")
        prefix = 0 if field.count else field.size
        if prefix and prefix < 8:
            self._refuse_late(f"{value}.length > {(1 << 8 * prefix) - 1}", self._error("too-long", shown))
        item, size = self._local(value, "Item"), self._local(value, "Octets")
        items = field.items
        octets, found = self._each(
            f"for (const {item} of {value})", size, lambda: self._check(items, shown, item)
        )
        if found:
            return prefix, [size]
        return prefix, [f"{value}.length * {octets}" if octets > 1 else f"{value}.length"]

    def _check_hash(self, field: Field, shown: str, value: str) -> tuple[int, list[str]]:
        self._limit(field, shown, f"{value}.length")
        if not field.open_ended:
            self._refuse_late(f"{value}.length > {2**32 - 1}", self._error("too-long", shown))
        key, content, size = (self._local(value, suffix) for suffix in ("Key", "Value", "Octets"))

        def pair() -> tuple[int, list[str]]:
            parts = []
            for name, octets in ((key, 1), (content, 4)):
                part = Field(shown, FieldType.STRING, size=octets, text=field.text)
                parts += self._check(part, shown, name)[1]
            return 5, parts

        self._each(f"for (const [{key}, {content}] of {value})", size, pair)
        return 0 if field.open_ended else 4, [size]

    # --- writing

    def _at(self, extra: int = 0) -> str:
        return add(self._base, self._offset + extra)

    def _go(self, base: str, offset: int = 0) -> None:
        self._base, self._offset = base, offset

    def _constant(self, value: bytes, name: str | None) -> None:
        if name is None or len(value) <= _SINGLY_MAX:
            self.out.put(
                *(f"data[{self._at(index)}] = {octet:#04x};" for index, octet in enumerate(value) if octet)
            )
        else:
            self.out.put(f"data.set({name}, {self._at()});")
        self._offset += len(value)

    def _put(self, field: Field, value: str) -> None:
        match field.type:
            case FieldType.NUMBER | FieldType.VARINT:
                self._put_number(field, value, self._protocol.carrier(field))
            case FieldType.STRING if not is_raw_text(field):
                if value not in self._sizes or self._deep:
                    self._sizes[value] = self._local(value, "Size")
                    self.out.put(f"const {self._sizes[value]} = utf8Size({value});")
                self._put_length(field.size, self._sizes[value])
                self._put_text(value)
            case FieldType.STRING | FieldType.CHUNK:
                self._put_length(field.size, f"{value}.length")
                self._put_octets(value, f"{value}.length")
            case FieldType.OCTETS if field.length is None:
                self.out.put(f"data.set({value}, {self._at()});")
                self._offset += field.size
            case FieldType.LIST:
                if not (field.count or field.open_ended):
                    self._put_length(field.size, f"{value}.length")
                assert field.items is not None
                item = self._local(value, "Item")
                self._put_each(f"for (const {item} of {value})", value, [(field.items, item)])
            case FieldType.HASH:
                if not field.open_ended:
                    self._put_length(4, f"{value}.length")
                key, content = self._local(value, "Key"), self._local(value, "Value")
                parts = [
                    (Field("key", FieldType.STRING, size=size, text=field.text), name)
                    for name, size in ((key, 1), (content, 4))
                ]
                self._put_each(f"for (const [{key}, {content}] of {value})", value, parts)
            case _:
                self._put_octets(value, f"{value}.length")

    def _put_number(self, field: Field, value: str, carrier: Carrier) -> None:
        if field.type is FieldType.VARINT:
            end = self._local(value, "End")
            wire = (
                _wire(field, value, self._protocol)
                if carrier is not Carrier.NUMBER or field.enumeration
                else ""
            )
            self.out.put(f"const {end} = putVarint(data, {self._at()}, {wire or f'BigInt({value})'});")
            self._go(end)
            return
        if field.size == 8:
            value = f"BigInt({value})" if carrier is Carrier.NUMBER else value
        elif carrier is Carrier.BIGINT:
            value = f"Number({value})"
        self._store(field.size, value)

    def _store(self, size: int, value: str) -> None:
        at = self._at()
        self.out.put(f"data[{at}] = {value};" if size == 1 else f"put{8 * size}(data, {at}, {value});")
        self._offset += size

    def _put_length(self, size: int, length: str) -> None:
        self._store(size, f"BigInt({length})" if size == 8 else length)

    def _put_text(self, value: str) -> None:
        end = self._local(value, "End")
        self.out.put(f"const {end} = putText(data, {self._at()}, {value}, {self._sizes[value]});")
        self._go(end)

    def _put_octets(self, value: str, length: str) -> None:
        self.out.put(f"data.set({value}, {self._at()});")
        end = self._local(value, "End")
        self.out.put(f"const {end} = {self._at()} + {length};")
        self._go(end)

    def _put_each(self, head: str, value: str, parts: list[tuple[Field, str]]) -> None:
        at = self._local(value, "At")
        self.out.put(f"let {at} = {self._at()};")
        self._go(at)
        self._deep += 1
        with self.out.block(head):
            for field, name in parts:
                self._put(field, name)
            self.out.put(f"{at} = {self._at()};")
        self._deep -= 1
        self._go(at)


def _wire(field: Field, value: str, protocol: ProtocolPlan) -> str:
    """A varint as it lies on the wire."""
    if protocol.carrier(field) is Carrier.NUMBER:
        value = f"BigInt({value})"
    return f"zigzag({value})" if field.signed else value


def _used(lines: list[str]) -> list[str]:
    """The lines without the ends that nobody asks for."""
    kept: list[str] = []
    for line in reversed(lines):
        found = re.fullmatch(r"const (\w+End_*) = (put\w+\(.*\)|.* \+ .*);", line)
        if found and not any(re.search(rf"\b{found[1]}\b", later) for later in kept):
            line = f"{found[2]};" if found[2].startswith("put") else ""
        if line:
            kept.append(line)
    return kept[::-1]
