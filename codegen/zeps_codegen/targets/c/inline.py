"""The common path of a codec, inline: whatever is rare or wrong goes to the tables, which say what it is."""

from __future__ import annotations

from collections.abc import Mapping

from ...ir import Text
from ...plan.operations import Constant, Content, Fixed, Items, Number, Operation, Plan, Reserved, Rest
from ..operators import U64_MAX
from .names import number, quoted
from .tables import limit_of

__all__ = ["Inline"]

_CHECKS = {Text.UTF8: "wire_is_utf8", Text.PRINTABLE: "wire_is_printable", Text.VCHAR: "wire_is_vchar"}


def _is_quick(operation: Operation) -> bool:
    match operation:
        case Number(size=size, enumeration=enumeration):
            return size > 0 and enumeration is None
        case Content(enumeration=enumeration):
            return enumeration is None
        case Items(parts=(Number(size=size, limit=None, enumeration=None),)):
            return size > 0
        case Constant() | Reserved() | Fixed() | Rest():
            return True
        case _:
            return False


def _size(operation: Operation) -> int | None:
    """The operation's octets, if they are always as many."""
    match operation:
        case Constant(_, octets):
            return len(octets)
        case Reserved(size=size) | Fixed(size=size):
            return size
        case Number(size=size) if size:
            return size
        case _:
            return None


def _least(operation: Operation) -> int:
    """The fewest octets of the operation."""
    match operation:
        case Number(size=0):
            return 1
        case Content(prefix=prefix) | Items(prefix=prefix):
            return prefix
        case _:
            return _size(operation) or 0


def _least_of(plan: Plan) -> int:
    return len(plan.head) + sum(_least(one) for one in plan.operations)


def _size_of(plan: Plan, members: Mapping[str, str]) -> str | None:
    """The size of the encoded message as an expression over `message`; None if it takes a loop."""
    parts = [str(_least_of(plan))]
    for one in plan.operations:
        match one:
            case Content(name=name) | Rest(name=name):
                parts.append(f"message->{members[name]}.size")
            case Items(name=name, parts=(Number(size=size),)) if size:
                parts.append(f"message->{members[name]}.count * {size}")
            case _ if _size(one) is None:
                return None
    return " + ".join(parts[1:] if parts[0] == "0" and len(parts) > 1 else parts)


class Inline:
    """The statements that decode and encode one message. `at` is where they are in the frame, which they step on behind
    what varies in size; `spare` is how many octets of it are left for what does.
    """

    def __init__(self, plan: Plan, members: Mapping[str, str], protocol: str, schema: str) -> None:
        self.size = _size_of(plan, members)
        self.decodes = all(map(_is_quick, plan.operations))
        self.encodes = self.decodes and not any(isinstance(one, Items) for one in plan.operations)
        self.reads: list[str] = []
        self.tests: list[str] = []
        """What sends a message that is encoded to the tables."""
        self.writes: list[str] = []
        variable = [one for one in plan.operations if _size(one) is None]
        self.has_spare = bool(variable)
        self.has_at = not all(map(_is_skipped, plan.operations))
        self.refuses = False
        """Whether there is a frame that the decoder leaves to the tables."""
        self._plan, self._members, self._protocol, self._schema = plan, members, protocol, schema
        self._last = variable[-1] if variable else None
        self._counts: dict[str, str] = {}
        self._offset = 0
        if self.decodes:
            self._begin()
            for one in plan.operations:
                self._operation(one)
            for lines in (self.reads, self.writes):  # nothing is read or written behind the last field
                if lines and lines[-1].startswith("at += "):
                    lines.pop()

    def _begin(self) -> None:
        least, head = _least_of(self._plan), self._plan.head
        tests = [f"size {'<' if self.has_spare else '!='} {least}"] if least or not self.has_spare else []
        self._refuse(tests + [_differs(head, least)] * bool(head))
        self.reads += ["at = data;"] if self.has_at else []
        self.reads += [f"spare = size - {least};"] if self.has_spare else []
        self._write_constant(head)

    def _refuse(self, tests: list[str]) -> None:
        if tests:
            self.refuses = True
            tables = f"&{self._protocol}, &{self._schema}"
            slowly = f"return wire_decode_message({tables}, message, data, size, error);"
            self.reads.append(f"if (WIRE_RARELY({' || '.join(tests)})) {{ {slowly} }}")

    def _at(self) -> str:
        return f"at + {self._offset}" if self._offset else "at"

    def _load(self, size: int) -> str:
        return f"at[{self._offset}]" if size == 1 else f"wire_load{size}({self._at()})"

    def _store(self, size: int, value: str) -> None:
        self.writes.append(f"wire_store{size}({self._at()}, {value});")
        self._offset += size

    def _write_constant(self, octets: bytes) -> None:
        while octets:
            size = next(size for size in (8, 4, 2, 1) if size <= len(octets))
            self._store(size, _hexadecimal(octets[:size].hex().upper()))
            octets = octets[size:]

    def _operation(self, operation: Operation) -> None:
        match operation:
            case Constant(_, octets):
                test = f"memcmp({self._at()}, {quoted(octets)}, {len(octets)}) != 0"
                self._refuse([test] if octets else [])
                self._write_constant(octets)
            case Reserved(_, size):
                self.writes.append(f"memset({self._at()}, 0, {size});")
                self._offset += size
            case Number():
                self._number(operation)
            case Fixed(name, _, size):
                member = f"message->{self._members[name]}"
                self.reads.append(f"{member} = wire_octets_of({self._at()}, {size});")
                self.tests.append(f"{member}.size != {size}")
                self.writes.append(f"wire_copy({self._at()}, {member}.data, {size});")
                self._offset += size
            case Content():
                self._content(operation)
            case Rest():
                self._rest(operation)
            case Items():
                self._items(operation)
            case _:
                raise ValueError(f"{operation.name} is not on the common path")

    def _number(self, one: Number) -> None:
        limit = limit_of(one)
        value = f"{f'(int{one.bits}_t)' if one.signed else ''}{self._load(one.size)}"
        if one.measures:
            found = self._counts[one.name] = f"count_{len(self._counts) + 1}"
            self.reads.append(f"const uint64_t {found} = {value};")
            first, *others = (f"message->{self._members[name]}.size" for name in one.measures)
            self.tests += [f"{other} != {first}" for other in others]
            most = one.greatest if limit is None and one.size < 8 else limit
        else:
            found = first = f"message->{self._members[one.name]}"
            self.reads.append(f"{found} = {value};")
            most = limit
        self._refuse(_over(found, limit))
        self.tests += _over(first, most)
        self._store(one.size, f"(uint{one.bits}_t){first}")

    def _content(self, one: Content) -> None:
        member = f"message->{self._members[one.name]}"
        count = self._count(one.prefix, one.measured_by, "size", f"{member}.size")
        size, most = f"(size_t){count}", one.most
        tests = [f"{count} {'!=' if one is self._last else '>'} spare", *_over(count, limit_of(one))]
        self.tests += _over(f"{member}.size", most if most is None or most < U64_MAX else None)
        if one.text is not None:
            tests.append(f"!{_CHECKS[one.text]}({self._at()}, {size})")
            self.tests.append(f"!{_CHECKS[one.text]}((const uint8_t *){member}.data, {member}.size)")
        self._refuse(tests)
        at = f"(const char *)({self._at()})" if one.is_string else self._at()
        self._octets(
            one, member, at, size, "wire_copy_text" if one.is_string and one.prefix == 1 else "wire_copy"
        )

    def _rest(self, one: Rest) -> None:
        member, limit = f"message->{self._members[one.name]}", limit_of(one)
        self._refuse(_over("spare", limit))
        self.tests += _over(f"{member}.size", limit)
        self._octets(one, member, self._at(), "spare", "wire_copy")

    def _octets(self, operation: Operation, member: str, at: str, size: str, copy: str) -> None:
        self.reads += [f"{member}.data = {at};", f"{member}.size = {size};"]
        self.writes.append(f"{copy}({self._at()}, {member}.data, {member}.size);")
        self._step(operation, size, f"{member}.size")

    def _items(self, one: Items) -> None:
        member, limit = f"message->{self._members[one.name]}", limit_of(one)
        each = one.least
        if one.is_open:
            count = f"(spare / {each})" if each > 1 else "spare"
            tests = [f"spare % {each} != 0"] if each > 1 else []
        else:
            count = self._count(one.prefix, one.counted_by, "count_of", f"{member}.count")
            tests = [f"{count} > spare / {each}"]
            tests += [f"{count} * {each} != spare"] if one is self._last else []
        self._refuse(tests + _over(count, limit))
        place = len(self._plan.constants) + self._plan.operations.index(one)
        self.reads += [
            f"{member}.count = (size_t){count};",
            f"{member}.items = NULL;",
            f"{member}.encoded.data = {self._at()};",
            f"{member}.encoded.size = (size_t){count} * {each};",
            f"{member}.encoded.item = {self._schema}.fields[{place}].item;",
        ]
        self._step(one, f"(size_t){count} * {each}", f"{member}.count * {each}")

    def _count(self, prefix: int, sibling: str | None, stem: str, value: str) -> str:
        """The length or count that a sibling has, or that stands in `prefix` octets."""
        if sibling is not None:
            return self._counts[sibling]
        name = f"{stem}_{len(self.reads)}"
        self.reads.append(f"const uint64_t {name} = {self._load(prefix)};")
        self._store(prefix, f"(uint{8 * prefix}_t){value}")
        return name

    def _step(self, operation: Operation, read: str, written: str) -> None:
        """Stand behind so many octets."""
        offset = f"{self._offset} + " if self._offset else ""
        if operation is not self._last:
            self.reads.append(f"spare -= {read};")
        self.reads.append(f"at += {offset}{read};")
        self.writes.append(f"at += {offset}{written};")
        self._offset = 0


def _is_skipped(operation: Operation) -> bool:
    return isinstance(operation, Reserved) or (isinstance(operation, Constant) and not operation.octets)


def _over(value: str, limit: int | None) -> list[str]:
    return [] if limit is None else [f"{value} > {number(limit)}"]


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
