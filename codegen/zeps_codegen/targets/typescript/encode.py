"""The statements of an encoder: check and measure everything, then write once into octets of exactly that size."""

from __future__ import annotations

import re

from ...ir import Text
from ...plan.layout import number_range
from ...plan.operations import Constant, Content, Fixed, Items, Number, Operation, Reserved, Rest, Topic
from .lines import Lines, quoted
from .names import SAFE_MAX, literal
from .statements import Statements, added, item_of

__all__ = ["Encoder", "Sizer"]

_MEASURES = {Text.UTF8: "measureUtf8", Text.PRINTABLE: "measurePrintable", Text.VCHAR: "measureVchar"}
_SINGLY_MAX = 8  # so many constant octets are written one by one

Octets = tuple[int, list[str]]
"""The octets that are always there, and expressions for others."""


class Values(Statements):
    """What measuring and writing have in common."""

    def wire(self, number: Number, value: str) -> str:
        """A number in LEB128 as it lies on the wire."""
        if number.measures:
            return f"BigInt({value})"
        value = value if self.protocol.is_big(number) else f"BigInt({value})"
        return f"zigzag({value})" if number.signed else value

    def loop(self, items: Items, value: str, stem: str) -> tuple[str, list[str]]:
        """The head of a loop over items, and what their parts are called in it."""
        names = self.parts(items, stem)
        return f"for (const {item_of(items, names)} of {value})", names


class Sizer(Values):
    """Writes the body of the function that tells the octets of a message, right or wrong."""

    def body(self) -> list[str]:
        """The statements, `return` included."""
        fixed, parts, loops = len(self.names.plan.head), [], Lines()
        for operation, local in self.names.locals.items():
            octets, found = self._octets(operation, self._shown(operation), local, loops)
            fixed += octets
            parts += found
        total = added(fixed, parts)
        if not loops.lines:
            return [f"return {total};"]
        return [f"let size = {total};", *loops.lines, "return size;"]

    def parts(self, items: Items, stem: str) -> list[str]:
        """New locals for the parts of an item; those of a pair keep an underscore at the stem's end."""
        if items.is_pairs:
            return [self.scope.name(f"{stem}{suffix}") for suffix in ("Key", "Value")]
        return super().parts(items, stem)

    def _shown(self, operation: Operation) -> str:
        """The expression for the operation's value; empty if it has none."""
        if isinstance(operation, Number) and operation.measures:
            return f"message.{self.names.properties[operation.measures[0]][1]}.length"
        return f"message.{self.names.members[operation]}" if operation in self.names.members else ""

    def _octets(self, operation: Operation, value: str, stem: str, loops: Lines) -> Octets:
        """What needs a loop adds to `size`."""
        match operation:
            case Constant(octets=octets):
                return len(octets), []
            case Topic():
                return 1, [f"utf8Size({value})"]
            case Number(size=0):
                return 0, [f"varintSize({self.wire(operation, value)})"]
            case Number(size=size) | Fixed(size=size) | Reserved(size=size):
                return size, []
            case Content(prefix=prefix, text=text):
                return prefix, [f"{value}.length" if text is None else f"utf8Size({value})"]
            case Items():
                return self._items(operation, value, stem, loops)
            case _:
                return 0, [f"{value}.length"]

    def _items(self, items: Items, value: str, stem: str, loops: Lines) -> Octets:
        head, names = self.loop(items, value, stem)
        fixed, parts, inner = 0, [], Lines()
        for part, name in zip(items.parts, names, strict=True):
            octets, found = self._octets(part, name, name, inner)
            fixed += octets
            parts += found
        if not parts and not inner.lines:
            return items.prefix, [_times(value, fixed)]
        step = f"size += {added(fixed, parts)};"
        if items.is_pairs:
            loops.put(f"{head} {step}")
        else:
            with loops.block(head):
                loops.put(step, *inner.lines)
        return items.prefix, []


class Encoder(Values):
    """Writes the body of one message's encoder."""

    _late: Lines
    """Numbers that do not fit are refused after everything else."""

    def body(self) -> list[str]:
        """The statements, `return` included."""
        plan, names = self.names.plan, self.names
        self._late, self._deep = Lines(), 0
        self._sizes: dict[str, str] = {}  # text → the local that holds its octets
        taken = [
            names.locals[one] if names.locals[one] == member else f"{member}: {names.locals[one]}"
            for one, member in names.members.items()
        ]
        if taken:
            self.out.put(f"const {{ {', '.join(taken)} }} = message;")
        fixed, parts = len(plan.head), []
        topics = [pair for pair in names.locals.items() if isinstance(pair[0], Topic)]
        others = [pair for pair in names.locals.items() if not isinstance(pair[0], Topic)]
        for operations in (topics, others):
            for operation, local in operations:
                self._measure(operation, local)
            for operation, local in operations:
                self.field = operation.name
                octets, found = self._check(operation, local)
                fixed += octets
                parts += found
        self.out.put(*self._late.lines, f"const data = allocate({added(fixed, parts)});")
        self._put_constant(plan.head, names.head)
        for operation, local in names.locals.items():
            self._put(operation, local)
        self.out.put("return data;")
        return _used(self.out.lines)

    # --- checks; each gives what is measured

    def _error(self, code: str) -> str:
        return f"new EncodeError({code}, {self.about})"

    def _refuse(self, condition: str, code: str) -> None:
        self.out.refuse(condition, self._error(quoted(code)))

    def _refuse_late(self, condition: str) -> None:
        self._late.refuse(condition, self._error('"too-long"'))

    def _refuse_unlike(self, value: str, length: str | int) -> None:
        """A length has to be this one."""
        code = f'{value}.length > {length} ? "too-long" : "truncated"'
        self.out.refuse(f"{value}.length !== {length}", self._error(code))

    def _measure(self, operation: Operation, local: str) -> None:
        """Compute a number that counts or measures other fields; they have to agree on it."""
        if isinstance(operation, Number) and operation.measures:
            first, *others = (self.names.local(name) for name in operation.measures)
            self.out.put(f"const {local} = {first}.length;")
            for self.field, other in zip(operation.measures[1:], others, strict=True):
                self._refuse_unlike(other, local)

    def _limit(self, limit: int | None, length: str) -> None:
        """A limit that no length reaches is none."""
        if limit is not None and limit <= SAFE_MAX:
            self._refuse(f"{length} > {limit}", "too-long")

    def _check(self, operation: Operation, value: str) -> Octets:
        match operation:
            case Constant(octets=octets):
                return len(octets), []
            case Reserved(size=size):
                return size, []
            case Topic():
                size_of_text = self._check_text(Text.UTF8, value)
                self._refuse(f'{value}.includes("\\0")', "bad-text")
                return 1, [size_of_text]
            case Number(measures=measures) if measures:
                return self._check_length(operation, value)
            case Number():
                return self._check_number(operation, value)
            case Content():
                return self._check_content(operation, value)
            case Fixed(size=size):
                self._refuse_unlike(value, size)
                return size, []
            case Items():
                return self._check_items(operation, value)
            case Rest(limit=limit):
                self._limit(limit, f"{value}.length")
        return 0, [f"{value}.length"]

    def _check_text(self, text: Text, value: str) -> str:
        """The local that holds its octets."""
        size = self._sizes[value] = self.local(value, "Size")
        self.out.put(f"const {size} = {_MEASURES[text]}({value}, {self.about});")
        return size

    def _check_length(self, number: Number, value: str) -> Octets:
        """A number that :meth:`_measure` computed."""
        self.field = number.measures[0]
        self._limit(number.limit, value)
        if not number.size:
            size = self.local(value, "Size")
            self.out.put(f"const {size} = varintSize({self.wire(number, value)});")
            return 0, [size]
        if number.size < 8:
            self._refuse_late(f"{value} > {number_range(number.field)[1]}")
        return number.size, []

    def _check_content(self, content: Content, value: str) -> Octets:
        size = f"{value}.length"
        if content.enumeration is not None:
            self._refuse(self.guard(content.enumeration, value), "bad-constant")
        if content.text is not None:
            size = self._check_text(content.text, value)
        self._limit(content.limit, size)
        if content.limit is None and 0 < content.prefix < 8:
            self._refuse_late(f"{size} > {content.most}")
        return content.prefix, [size]

    def _check_number(self, number: Number, value: str) -> Octets:
        outside = self._outside(number, value)
        zigzagged = not number.size and number.signed
        if outside and zigzagged:
            self._refuse(outside, "too-long")
        if number.limit is not None:
            self._refuse(f"{value} > {literal(number.limit, self.protocol.is_big(number))}", "too-long")
        if number.enumeration is not None:
            self._refuse(self.guard(number.enumeration, value), "bad-constant")
        if outside and not zigzagged:
            self._refuse_late(outside)
        if number.size:
            return number.size, []
        octets = f"varintSize({self.wire(number, value)})"
        if self._deep:
            return 0, [octets]
        size = self.local(value, "Size")  # measured after it is known to fit
        self._late.put(f"const {size} = {octets};")
        return 0, [size]

    def _outside(self, number: Number, value: str) -> str:
        """The condition that a number does not fit its octets; empty if its enumeration says that it does."""
        (least, greatest), big = number_range(number.field), self.protocol.is_big(number)
        if number.enumeration is not None:
            names = self.protocol.enumerations[number.enumeration]
            members = [names.mask] if names.flags else [int(one.value) for one in names.enumeration.members]
            if all(least <= member <= greatest for member in members):
                return ""
            return f"{value} < {literal(least, big)} || {value} > {literal(greatest, big)}"
        if big:
            return f"BigInt.{'asIntN' if number.signed else 'asUintN'}(64, {value}) !== {value}"
        match number.bits, number.signed:
            case 32, True:
                return f"({value} | 0) !== {value}"
            case 32, False:
                return f"{value} >>> 0 !== {value}"
            case bits, True:
                return f"({value} << {32 - bits}) >> {32 - bits} !== {value}"
            case _:
                return f"({value} & {greatest:#x}) !== {value}"

    def _check_items(self, items: Items, value: str) -> Octets:
        self._limit(items.limit, f"{value}.length")
        if 0 < items.prefix < 8:
            self._refuse_late(f"{value}.length > {(1 << 8 * items.prefix) - 1}")
        head, names = self.loop(items, value, value)
        size = self.local(value, "Octets")
        outer = self.out, self._late
        self.out, self._late, self._deep = Lines(), Lines(), self._deep + 1
        fixed, parts = 0, []
        for part, name in zip(items.parts, names, strict=True):
            octets, found = self._check(part, name)
            fixed += octets
            parts += found
        checks, late = self.out.lines, self._late.lines
        (self.out, self._late), self._deep = outer, self._deep - 1
        if checks or late or parts:
            into = self.out if checks else self._late
            if parts:
                into.put(f"let {size} = 0;")
            with into.block(head):
                into.put(*checks, *late)
                if parts:
                    into.put(f"{size} += {added(fixed, parts)};")
        return items.prefix, [size if parts else _times(value, fixed)]

    # --- writing

    def _put(self, operation: Operation, value: str) -> None:
        match operation:
            case Constant(octets=octets):
                self._put_constant(octets, self.names.octets[operation])
            case Reserved(size=size):
                self.step(size)  # zero, as all octets are to begin with
            case Topic():
                self._put_text(value)
                self.step(1)  # a zero octet
            case Number():
                self._put_number(operation, value)
            case Fixed(size=size):
                self.out.put(f"data.set({value}, {self.at()});")
                self.step(size)
            case Content(prefix=prefix, text=text) if text is not None:
                if self._deep:
                    self._sizes[value] = self.local(value, "Size")
                    self.out.put(f"const {self._sizes[value]} = utf8Size({value});")
                self._put_length(prefix, self._sizes[value])
                self._put_text(value)
            case Content(prefix=prefix):
                self._put_length(prefix, f"{value}.length")
                self._put_octets(value)
            case Items(prefix=prefix):
                self._put_length(prefix, f"{value}.length")
                self._put_items(operation, value)
            case _:
                self._put_octets(value)

    def _put_constant(self, octets: bytes, name: str) -> None:
        if len(octets) <= _SINGLY_MAX:
            places = [(self.at(index), octet) for index, octet in enumerate(octets) if octet]
            self.out.put(*(f"data[{at}] = {octet:#04x};" for at, octet in places))
        else:
            self.out.put(f"data.set({name}, {self.at()});")
        self.step(len(octets))

    def _put_number(self, number: Number, value: str) -> None:
        big = not number.measures and self.protocol.is_big(number)
        if number.size:
            if big and number.size < 8:
                value = f"Number({value})"
            self._store(number.size, value if big or number.size < 8 else f"BigInt({value})")
            return
        end = self.local(value, "End")
        self.out.put(f"const {end} = putVarint(data, {self.at()}, {self.wire(number, value)});")
        self.go(end)

    def _store(self, size: int, value: str) -> None:
        put = f"data[{self.at()}] = {value};" if size == 1 else f"put{8 * size}(data, {self.at()}, {value});"
        self.out.put(put)
        self.step(size)

    def _put_length(self, size: int, length: str) -> None:
        if size:
            self._store(size, f"BigInt({length})" if size == 8 else length)

    def _put_text(self, value: str) -> None:
        end = self.local(value, "End")
        self.out.put(f"const {end} = putText(data, {self.at()}, {value}, {self._sizes[value]});")
        self.go(end)

    def _put_octets(self, value: str) -> None:
        end = self.local(value, "End")
        self.out.put(f"data.set({value}, {self.at()});", f"const {end} = {self.at()} + {value}.length;")
        self.go(end)

    def _put_items(self, items: Items, value: str) -> None:
        head, names = self.loop(items, value, value)
        at = self.local(value, "At")
        self.out.put(f"let {at} = {self.at()};")
        self.go(at)
        self._deep += 1
        with self.out.block(head):
            for part, name in zip(items.parts, names, strict=True):
                self._put(part, name)
            self.out.put(f"{at} = {self.at()};")
        self._deep -= 1
        self.go(at)


def _times(value: str, octets: int) -> str:
    """The octets of items that have so many each."""
    return f"{value}.length * {octets}" if octets > 1 else f"{value}.length"


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
