"""The statements of a decoder: one pass over the octets; the first operation that finds something wrong reports it."""

from __future__ import annotations

from ...ir import Text
from ...plan.operations import Constant, Content, Fixed, Items, Number, Operation, Reserved, Rest, Topic
from .lines import quoted
from .names import SAFE_MAX, literal
from .statements import Statements, as_number, item_of

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
                end = self.end(local, f"data.indexOf(0, {start})")
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
            self.out.put(f"const {local} = {as_number(big, read_big, expression)};")
        else:
            raw, raw_big = self.local(local, "Read"), read_big
            self.out.put(f"const {raw} = {expression};")
        if number.limit is not None:
            self._refuse(f"{raw} > {literal(number.limit, raw_big)}", "too-long", start)
        if raw != local:
            self.out.put(f"const {local} = {as_number(big, raw_big, raw)};")
        if number.enumeration is not None:
            self._refuse(self.guard(number.enumeration, local), "bad-constant", start)

    def _read(self, number: Number, local: str) -> tuple[str, bool]:
        """Step over the number; the expression for it, and whether that is a bigint."""
        start = self.at()
        if not number.size:
            end = self.end(local, f"varintEnd(data, {start}, {self.about})")
            found = f"varint(data, {start}, {end})"
            return f"unzigzag({found})" if number.signed else found, True
        self._over(number.size)
        if number.measures and number.size == 8 and (number.limit is None or number.limit <= SAFE_MAX):
            return f"length64(data, {start})", False
        return f"{'i' if number.signed else 'u'}{number.bits}(data, {start})", number.size == 8

    def _length(self, operation: Content | Items, sibling: str | None, local: str) -> str:
        """The local that holds the length or the count, once that is known to be no greater than its limit."""
        start, size, limit = self.at(), operation.prefix, operation.limit
        if size:
            length = self.local(local, "Length" if isinstance(operation, Content) else "Count")
            self._over(size)
            if size == 8 and limit is not None and limit > SAFE_MAX:
                self._refuse(f"u64(data, {start}) > {limit}n", "too-long", start)
            self.out.put(f"const {length} = {'length64' if size == 8 else f'u{8 * size}'}(data, {start});")
        else:
            length = self.names.local(sibling)
        greatest = (1 << 8 * size) - 1 if 0 < size < 8 else SAFE_MAX + 1
        if limit is not None and limit < greatest:
            self._refuse(f"{length} > {limit}", "too-long", start)
        return length

    def _content(self, content: Content, local: str) -> None:
        start = self.at()
        length = self._length(content, content.measured_by, local)
        begin = self.at()
        end = self.end(local, f"{begin} + {length}")
        self._need(end, start)
        if content.text is None:
            self._octets(local, begin, end)
        else:
            self._text(content.text, local, begin, end, start)
        if content.enumeration is not None:
            self._refuse(self.guard(content.enumeration, local), "bad-constant", start)

    def _items(self, items: Items, local: str) -> None:
        start = self.at()
        if not items.is_open:
            count = self._length(items, items.counted_by, local)
            self._need(f"{self.at()} + {count}{f' * {items.least}' if items.least > 1 else ''}", start)
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
