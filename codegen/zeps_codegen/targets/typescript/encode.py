"""The statements of an encoder: check and measure everything, then write once into octets of exactly that size."""

from __future__ import annotations

import re

from ...ir import Text
from ...plan.operations import Constant, Content, Fixed, Items, Number, Operation, Reserved, Rest, Topic
from .lines import Lines, quoted
from .names import SAFE_MAX, MessageNames, ProtocolNames, literal
from .statements import Octets, Statements, as_number, item_of

__all__ = ["Encoder", "Sizer"]

_MEASURES = {Text.UTF8: "measureUtf8", Text.PRINTABLE: "measurePrintable", Text.VCHAR: "measureVchar"}
_SINGLY_MAX = 8  # so many constant octets are written one by one


class Values(Statements):
    """What measuring and writing have in common."""

    def __init__(self, protocol: ProtocolNames, names: MessageNames) -> None:
        super().__init__(protocol, names)
        self.sizes: dict[str, str] = {}
        """The locals that hold the octets of values which are measured already."""

    def wire(self, number: Number, value: str) -> str:
        """A number in LEB128 as it lies on the wire."""
        if number.measures:
            return as_number(True, False, value)
        value = as_number(True, self.protocol.is_big(number), value)
        return f"zigzag({value})" if number.signed else value

    def loop(self, items: Items, value: str, stem: str) -> tuple[str, list[str]]:
        """The head of a loop over items, and what their parts are called in it."""
        names = self.parts(items, stem)
        return f"for (const {item_of(items, names)} of {value})", names

    def size(self, operation: Operation, value: str) -> Octets:
        """What the value takes, unless it is items."""
        match operation:
            case Constant(octets=octets):
                return Octets(len(octets))
            case Topic():
                return Octets(1, (self.sizes.get(value) or f"utf8Size({value})",))
            case Number(size=0):
                return Octets(0, (self.sizes.get(value) or f"varintSize({self.wire(operation, value)})",))
            case Number(size=size) | Fixed(size=size) | Reserved(size=size):
                return Octets(size)
            case Content(prefix=prefix, text=Text()):
                return Octets(prefix, (self.sizes.get(value) or f"utf8Size({value})",))
            case Content(prefix=prefix):
                return Octets(prefix, (f"{value}.length",))
            case _:
                return Octets(0, (f"{value}.length",))


class Sizer(Values):
    """Writes the body of the function that tells the octets of a message, right or wrong."""

    def body(self) -> list[str]:
        """The statements, `return` included."""
        octets, loops = Octets(len(self.names.plan.head)), Lines()
        for operation, local in self.names.locals.items():
            octets += self._any(operation, self._shown(operation), local, loops)
        if not loops.lines:
            return [f"return {octets};"]
        return [f"let size = {octets};", *loops.lines, "return size;"]

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

    def _any(self, operation: Operation, value: str, stem: str, loops: Lines) -> Octets:
        """What needs a loop adds to `size`."""
        if not isinstance(operation, Items):
            return self.size(operation, value)
        head, names = self.loop(operation, value, stem)
        inner = Lines()
        parts = zip(operation.parts, names, strict=True)
        octets = sum((self._any(part, name, name, inner) for part, name in parts), Octets())
        if not octets.varying and not inner.lines:
            return Octets(operation.prefix, (_times(value, octets.fixed),))
        if operation.is_pairs:
            loops.put(f"{head} size += {octets};")
        else:
            with loops.block(head):
                loops.put(f"size += {octets};", *inner.lines)
        return Octets(operation.prefix)


class Encoder(Values):
    """Writes the body of one message's encoder."""

    def __init__(self, protocol: ProtocolNames, names: MessageNames) -> None:
        super().__init__(protocol, names)
        self._late = Lines()
        """Numbers that do not fit are refused after everything else."""
        self._deep = 0
        """How many loops are around."""

    def body(self) -> list[str]:
        """The statements, `return` included."""
        plan, names = self.names.plan, self.names
        pairs = [(names.locals[one], member) for one, member in names.members.items()]
        if pairs:
            taken = [local if local == member else f"{member}: {local}" for local, member in pairs]
            self.out.put(f"const {{ {', '.join(taken)} }} = message;")
        octets = Octets(len(plan.head))
        topics = [pair for pair in names.locals.items() if isinstance(pair[0], Topic)]
        others = [pair for pair in names.locals.items() if not isinstance(pair[0], Topic)]
        for operations in (topics, others):  # a topic is checked before lengths are compared
            for operation, local in operations:
                self._measure(operation, local)
            for operation, local in operations:
                self.field = operation.name
                octets += self._check(operation, local)
        self.out.put(*self._late.lines, f"const data = allocate({octets});")
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

    def _bounded(self, limit: int | None, greatest: int | None, length: str) -> None:
        """A length has a limit, and octets that hold none greater than `greatest`; what no length reaches is none."""
        if limit is not None and limit <= SAFE_MAX:
            self._refuse(f"{length} > {limit}", "too-long")
        if greatest is not None and greatest <= SAFE_MAX:
            self._refuse_late(f"{length} > {greatest}")

    def _check(self, operation: Operation, value: str) -> Octets:
        match operation:
            case Topic():
                self._check_text(Text.UTF8, value)
                self._refuse(f'{value}.includes("\\0")', "bad-text")
            case Number(measures=measures) if measures:
                self.field = measures[0]
                self._bounded(operation.limit, operation.greatest, value)
                if not operation.size:
                    self._measure_varint(operation, value, self.out)
            case Number():
                self._check_number(operation, value)
            case Content(limit=limit, text=text):
                if operation.enumeration is not None:
                    self._refuse(self.guard(operation.enumeration, value), "bad-constant")
                size = f"{value}.length" if text is None else self._check_text(text, value)
                self._bounded(limit, operation.most if limit is None else None, size)
            case Fixed(size=octets):
                self._refuse_unlike(value, octets)
            case Rest(limit=limit):
                self._bounded(limit, None, f"{value}.length")
            case Items():
                return self._check_items(operation, value)
        return self.size(operation, value)

    def _check_text(self, text: Text, value: str) -> str:
        """The local that holds its octets."""
        size = self.sizes[value] = self.local(value, "Size")
        self.out.put(f"const {size} = {_MEASURES[text]}({value}, {self.about});")
        return size

    def _measure_varint(self, number: Number, value: str, into: Lines) -> None:
        octets = f"varintSize({self.wire(number, value)})"
        self.sizes[value] = self.local(value, "Size")
        into.put(f"const {self.sizes[value]} = {octets};")

    def _check_number(self, number: Number, value: str) -> None:
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
        if not number.size and not self._deep:
            self._measure_varint(number, value, self._late)  # after it is known to fit

    def _outside(self, number: Number, value: str) -> str:
        """The condition that a number does not fit its octets; empty if its enumeration says that it does."""
        greatest, big = number.greatest, self.protocol.is_big(number)
        least = -greatest - 1 if number.signed else 0
        if number.enumeration is not None:
            plan = self.protocol.enumerations[number.enumeration].plan
            members = [plan.mask] if plan.is_flags else [int(one.value) for one in plan.members]
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
        self._bounded(items.limit, (1 << 8 * items.prefix) - 1 if items.prefix else None, f"{value}.length")
        head, names = self.loop(items, value, value)
        size = self.local(value, "Octets")
        outer = self.out, self._late
        self.out, self._late, self._deep = Lines(), Lines(), self._deep + 1
        parts = zip(items.parts, names, strict=True)
        octets = sum((self._check(part, name) for part, name in parts), Octets())
        checks, late = self.out.lines, self._late.lines
        (self.out, self._late), self._deep = outer, self._deep - 1
        into = self.out if checks else self._late
        if octets.varying:
            into.put(f"let {size} = 0;")
            late = [*late, f"{size} += {octets};"]
        if checks or late:
            with into.block(head):
                into.put(*checks, *late)
        return Octets(items.prefix, (size if octets.varying else _times(value, octets.fixed),))

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
                    self.sizes[value] = self.local(value, "Size")
                    self.out.put(f"const {self.sizes[value]} = utf8Size({value});")
                self._put_length(prefix, self.sizes[value])
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
        if number.size:
            self._store(number.size, value, not number.measures and self.protocol.is_big(number))
        else:
            self.end(value, f"putVarint(data, {self.at()}, {self.wire(number, value)})")

    def _store(self, size: int, value: str, big: bool = False) -> None:
        at, value = self.at(), as_number(size == 8, big, value)
        self.out.put(f"data[{at}] = {value};" if size == 1 else f"put{8 * size}(data, {at}, {value});")
        self.step(size)

    def _put_length(self, size: int, length: str) -> None:
        if size:
            self._store(size, length)

    def _put_text(self, value: str) -> None:
        self.end(value, f"putText(data, {self.at()}, {value}, {self.sizes[value]})")

    def _put_octets(self, value: str) -> None:
        self.out.put(f"data.set({value}, {self.at()});")
        self.end(value, f"{self.at()} + {value}.length")

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
