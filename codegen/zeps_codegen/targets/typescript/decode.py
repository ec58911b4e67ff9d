"""The statements of a decoder: one pass over the octets; the first operation that finds something wrong reports it."""

from __future__ import annotations

from ...ir import Text
from ...plan.operations import Constant, Content, Fixed, Items, Number, Operation, Reserved, Rest, Topic
from .lines import quoted
from .names import SAFE_MAX, literal
from .statements import Statements, item_of

__all__ = ["Decoder"]

_CHECKS = {Text.UTF8: "utf8", Text.PRINTABLE: "printable", Text.VCHAR: "vchar"}


class Decoder(Statements):
    """Writes the body of one message's decoder."""

    def body(self) -> list[str]:
        """The statements, `return` included."""
        plan, names = self.names.plan, self.names
        self.step(plan.seen)
        for constant in plan.constants:
            self._take(constant, "")
        for operation, local in names.locals.items():
            self._take(operation, local)
        if self.at() != "data.length":
            error = f'new DecodeError("trailing", {quoted(plan.name)}, null, {self.at()})'
            self.out.refuse(f"data.length > {self.at()}", error)
        pairs = [(member, names.locals[one]) for one, member in names.members.items()]
        members = [f"type: {quoted(plan.name)}"]
        members += [local if name == local else f"{name}: {local}" for name, local in pairs]
        self.out.put(f"return {{ {', '.join(members)} }};")
        return self.out.lines

    def _take(self, operation: Operation, local: str) -> None:
        self.field = operation.name
        self._value(operation, local)

    def _refuse(self, condition: str, code: str, at: str) -> None:
        self.out.refuse(condition, f"new DecodeError({quoted(code)}, {self.about}, {at})")

    def _need(self, end: str, at: str) -> None:
        self._refuse(f"data.length < {end}", "truncated", at)

    def _over(self, octets: int) -> None:
        """Step over octets that have to be there."""
        self._need(self.at(octets), self.at())
        self.step(octets)

    def _value(self, operation: Operation, local: str) -> None:
        start = self.at()
        match operation:
            case Constant(octets=octets) if octets:
                name = self.names.octets[operation]
                self.out.refuse(
                    f"!holds(data, {start}, {name})", f"notConstant(data, {start}, {name}, {self.about})"
                )
                self.step(len(octets))
            case Topic():
                end = self.local(local, "End")
                self.out.put(f"const {end} = data.indexOf(0, {start});")
                self._refuse(f"{end} < 0", "truncated", start)
                self._text(Text.UTF8, local, start, end, start)
                self.go(end, 1)
            case Reserved(size=size) if size:
                self._over(size)
            case Number():
                self._number(operation, local)
            case Fixed(size=size):
                self._over(size)
                self._octets(local, start, self.at())
            case Content():
                self._content(operation, local)
            case Rest(limit=limit):
                if limit is not None and limit <= SAFE_MAX:
                    self._refuse(f"data.length > {self.at(limit)}", "too-long", start)
                self._octets(local, start)
                self.go("data.length")
            case Items():
                self._items(operation, local)
            case _:
                pass

    def _octets(self, local: str, *places: str) -> None:
        self.out.put(f"const {local} = data.subarray({', '.join(places)});")

    def _text(self, text: Text, local: str, begin: str, end: str, start: str) -> None:
        self.out.put(f"const {local} = {_CHECKS[text]}(data, {begin}, {end}, {self.about}, {start});")

    def _number(self, number: Number, local: str) -> None:
        start, is_length = self.at(), bool(number.measures)
        expression, read_big = self._read(number, local)
        big = not is_length and self.protocol.is_big(number)
        raw, raw_big = local, big
        if big is read_big or (big and number.limit is None):
            self.out.put(f"const {local} = {_as(big, read_big, expression)};")
        else:
            raw, raw_big = self.local(local, "Read"), read_big
            self.out.put(f"const {raw} = {expression};")
        if number.limit is not None:
            self._refuse(f"{raw} > {literal(number.limit, raw_big)}", "too-long", start)
        if raw != local:
            self.out.put(f"const {local} = {_as(big, raw_big, raw)};")
        if number.enumeration is not None:
            self._refuse(self.guard(number.enumeration, local), "bad-constant", start)

    def _read(self, number: Number, local: str) -> tuple[str, bool]:
        """Step over the number; the expression for it, and whether that is a bigint."""
        start = self.at()
        if not number.size:
            end = self.local(local, "End")
            self.out.put(f"const {end} = varintEnd(data, {start}, {self.about});")
            self.go(end)
            found = f"varint(data, {start}, {end})"
            return f"unzigzag({found})" if number.signed else found, True
        self._over(number.size)
        if number.measures and number.size == 8 and (number.limit is None or number.limit <= SAFE_MAX):
            return f"length64(data, {start})", False
        return f"{'i' if number.signed else 'u'}{number.bits}(data, {start})", number.size == 8

    def _prefix(self, size: int, limit: int | None, length: str) -> None:
        """Read a length or a count; a limit that no number tells from its neighbours is compared at once."""
        start = self.at()
        self._over(size)
        if size == 8 and limit is not None and limit > SAFE_MAX:
            self._refuse(f"u64(data, {start}) > {limit}n", "too-long", start)
        self.out.put(f"const {length} = {'length64' if size == 8 else f'u{8 * size}'}(data, {start});")

    def _limit(self, limit: int | None, length: str, start: str) -> None:
        if limit is not None and limit <= SAFE_MAX:
            self._refuse(f"{length} > {limit}", "too-long", start)

    def _content(self, content: Content, local: str) -> None:
        start = self.at()
        if content.prefix:
            length = self.local(local, "Length")
            self._prefix(content.prefix, content.limit, length)
        else:
            length = self.names.local(content.measured_by)
        begin, end = self.at(), self.local(local, "End")
        self._limit(content.limit, length, start)
        self.out.put(f"const {end} = {begin} + {length};")
        self._need(end, start)
        if content.text is None:
            self._octets(local, begin, end)
        else:
            self._text(content.text, local, begin, end, start)
        if content.enumeration is not None:
            self._refuse(self.guard(content.enumeration, local), "bad-constant", start)
        self.go(end)

    def _count(self, items: Items, local: str) -> str:
        """How many items follow."""
        start, limit = self.at(), items.limit
        if items.prefix:
            count = self.local(local, "Count")
            self._prefix(items.prefix, limit, count)
            if limit is not None and items.prefix < 8 and limit >= (1 << 8 * items.prefix) - 1:
                limit = None
        else:
            count = self.names.local(items.counted_by)
        self._limit(limit, count, start)
        self._need(f"{self.at()} + {count}{f' * {items.least}' if items.least > 1 else ''}", start)
        return count

    def _items(self, items: Items, local: str) -> None:
        start = self.at()
        count = "" if items.is_open else self._count(items, local)
        at = self.local(local, "At")
        self.out.put(f"const {local}: {self.protocol.array_type(items)} = [];", f"let {at} = {self.at()};")
        if items.is_open:
            head = f"while ({at} < data.length)"
        else:
            index = self.local(local, "Index")
            head = f"for (let {index} = 0; {index} < {count}; {index}++)"
        with self.out.block(head):
            if items.is_open and items.limit is not None and items.limit <= SAFE_MAX:
                self._refuse(f"{local}.length === {items.limit}", "too-long", start)
            self.go(at)
            parts = self.parts(items, local)
            for part, name in zip(items.parts, parts, strict=True):
                self._value(part, name)
            self.out.put(f"{local}.push({item_of(items, parts)});", f"{at} = {self.at()};")
        self.go("data.length" if items.is_open else at)


def _as(big: bool, found: bool, expression: str) -> str:
    """The number as a bigint if it is to be `big`, else as a number; `found` tells whether it is a bigint."""
    if big is found:
        return expression
    return f"BigInt({expression})" if big else f"Number({expression})"
