"""Spells the operations of a message: calls of what reads and writes in the runtime, and the sum of sizes.

A decoder's `rest` is what has not been read, so that an operation begins at ``len(frame)-len(rest)``: `rest` goes on
when all of it is right.
"""

from __future__ import annotations

from itertools import count

from ...ir import Text
from ...naming import Scope, camel
from ...plan import operations as op
from ...plan.operations import Content, Items, Number, Operation
from .names import MessageNames, ProtocolNames, octets, quoted

__all__ = ["SpelledMessage", "limited"]

_CHECKS = {Text.UTF8: "wire.IsUTF8", Text.PRINTABLE: "wire.IsPrintable", Text.VCHAR: "wire.IsVChar"}
_Terms = list[int | str]
"""Of a sum of sizes: octets that are always there, and expressions for the others."""


class SpelledMessage:
    """The statements that read a message and write it through `w`, and its size."""

    def __init__(self, names: ProtocolNames, message: MessageNames) -> None:
        plan, attributes = message.plan, message.attributes
        self._names, self._message, self._serial = names, plan.name, count()
        scope = Scope("go", {"m", "w", "wire", "frame", "frames", "rest", "found", "next", "code"})
        self._locals = {
            one.name: scope.name(f"{camel(one.name)}Number")
            for one in plan.operations
            if isinstance(one, Number) and one.name not in attributes
        }
        self._values = {name: f"m.{attribute}" for name, attribute in attributes.items()}
        self._measured = {
            one.name: f"len({self._values[one.measures[0]]})"
            for one in plan.operations
            if isinstance(one, Number) and one.measures
        }
        self.read: list[str] = []
        self.write: list[str] = []
        for constant in plan.constants:
            self._constant(constant.octets, quoted(constant.name))
        sizes: _Terms = [len(plan.head)]
        for number, operation in enumerate(plan.operations):
            if number >= plan.tail:
                self.read.append(f"if len(rest) == 0 {{\nm.setDefaults({number - plan.tail})\nreturn nil\n}}")
            if operation.name in self._locals:
                self.read.append(f"var {self._locals[operation.name]} {names.type_of(operation)}")
            sizes += self._spell(operation, quoted(operation.name), self._values.get(operation.name, ""))
        self.size = _sum(sizes)
        """The octets of the first frame."""

    # --- statements

    def _fault(self, code: str, name: str, offset: str = "len(frame)-len(rest)") -> str:
        return f"return wire.Fault({code}, {quoted(self._message)}, {name}, {offset})"

    def _read(self, target: str, call: str, name: str) -> None:
        """Adds what reads a value, or ends with a fault."""
        into = f"{target}, rest" if target else "rest"
        fault = self._fault("code", name)
        self.read.append(f'if {into}, code = wire.{call}; code != "" {{\n{fault}\n}}')

    def _read_checked(self, call: str, checks: list[tuple[str, str]], then: str, name: str) -> None:
        """Adds what reads `found`, compares it, and gives it to a field. Each check is what is wrong, and its code."""
        tests = [(f'found, next, code := wire.{call}; code != ""', "code"), *checks]
        faults = " else ".join(f"if {test} {{\n{self._fault(code, name)}\n}}" for test, code in tests)
        self.read.append(f"{faults} else {{\n{then}\n}}")

    def _constant(self, content: bytes, name: str) -> None:
        wanted = octets(content)
        fault = self._fault(f"wire.Differ(rest, {wanted})", name)
        self.read.append(f"if !wire.HasPrefix(rest, {wanted}) {{\n{fault}\n}}\nrest = rest[{len(content)}:]")

    def _refuse_unless(self, holds: str, code: str, name: str) -> None:
        """An encoder notes a fault."""
        self.write.append(f"w = w.Check({holds}, wire.{code}, {name})")

    def _limit(self, length: str, limit: int | None, name: str) -> None:
        if limit is not None and limit < (1 << 63) - 1:
            self.write.append(f"w = w.Limit({length}, {limit}, {name})")

    # --- operations

    def _spell(self, operation: Operation, name: str, value: str) -> _Terms:
        """Adds what reads the operation into `value`, and what writes it. The terms of its size."""
        match operation:
            case op.Constant(_, content):
                self._constant(content, name)
                self.write.append(f"w = w.Text({octets(content)})")
                return [len(content)]
            case op.Reserved(_, size):
                self._read("", f"Skip(rest, {size})", name)
                self.write.append(f"w = w.Zeros({size})")
                return [size]
            case op.Topic():
                check = (f"{value} = wire.Text({value}, found); !wire.IsUTF8({value})", "wire.BadText")
                self._read_checked("Topic(rest)", [check], "rest = next", name)
                self._refuse_unless(f"wire.IsTopic({value})", "BadText", name)
                self.write.append(f"w = w.Text({value}).Uint8(0)")
                return [1, f"len({value})"]
            case op.Rest(limit=limit):
                self._read(value, f"Rest(rest, {limited(limit)})", name)
                self._limit(f"len({value})", limit, name)
                self.write.append(f"w = w.Octets({value})")
                return [f"len({value})"]
            case op.Fixed(size=size):
                self._read(value, f"Octets(rest, {size}, wire.NoLimit)", name)
                self.write.append(f"w = w.Agree(len({value}), {size}, {name}).Octets({value})")
                return [size]
            case Number():
                return self._number(operation, name, value)
            case Content():
                return self._content(operation, name, value)
            case Items():
                return self._items(operation, name, value)
            case op.Apart():
                raise ValueError(f"{operation.name} is not in the first frame")

    def _number(self, number: Number, name: str, value: str) -> _Terms:
        size, bits, limit, kind = number.size, number.bits, number.limit, self._names.type_of(number)
        target, plain, checks = self._locals.get(number.name, value), f"uint{bits}", []
        if number.measures:
            value = self._measured[number.name]
            self._limit(value, number.greatest if limit is None else limit, quoted(number.measures[0]))
        elif limit is not None:
            self._refuse_unless(f"{value} <= {limit}", "TooLong", name)
        if limit is not None:
            checks.append((f"found > {limit}", "wire.TooLong"))
        if number.enumeration is not None:
            method = "IsUnion" if number.flags else "IsMember"
            checks.append((f"!found.{method}()", "wire.BadConstant"))
            self._refuse_unless(f"{value}.{method}()", "BadConstant", name)
            if not self._names.enumerations[number.enumeration].base.endswith(f"int{bits}"):
                self._refuse_unless(f"{kind}({plain}({value})) == {value}", "TooLong", name)
        for one in number.relations:
            left, right = (self._operand(name) for name in (one.left, one.right))
            self._refuse_unless(f"{left} {one.operator} {right}", "BadRelation", name)
            left, right = (self._operand(name, number) for name in (one.left, one.right))
            checks.append((f"!({left} {one.operator} {right})", "wire.BadRelation"))
        method = "SignedNumber" if number.signed else "Number"
        call = f"Uint{bits}(rest)" if size and kind == plain else f"{method}[{kind}](rest, {size})"
        if checks:
            self._read_checked(call, checks, f"{target}, rest = found, next", name)
        else:
            self._read(target, call, name)
        wide = f"wire.Zigzag(int64({value}))" if number.signed else f"uint64({value})"
        exact = value if kind == plain and not number.measures else f"{plain}({value})"
        self.write.append(f"w = w.Uint{bits}({exact})" if size else f"w = w.Varint({wide})")
        return [size or f"wire.VarintSize({wide})"]

    def _operand(self, operand: str | int, reading: Number | None = None) -> str:
        """A number that is compared: what a message has, or what a decoder has read when it has `found` this number."""
        if isinstance(operand, int):
            return str(operand)
        if reading is None:
            return f"uint64({self._measured.get(operand) or self._values[operand]})"
        earlier = self._locals.get(operand) or self._values.get(operand)
        return f"uint64({'found' if operand == reading.name else earlier})"

    def _content(self, content: Content, name: str, value: str) -> _Terms:
        prefix, limit, text, given = content.prefix, limited(content.limit), content.text, value
        call = f"Octets{8 * prefix}(rest, {limit})"
        if content.measured_by is not None:
            call = f"Octets(rest, uint64({self._locals[content.measured_by]}), {limit})"
        if text is None:
            self._read(value, call, name)
        else:
            found, member = f"wire.Text({value}, found)", []
            if content.enumeration is not None:
                given, found = f"string({value})", f"{self._names.type_of(content)}(found)"
                member = [(f"!{value}.IsMember()", "wire.BadConstant")]
                self._refuse_unless(f"{value}.IsMember()", "BadConstant", name)
            check = f"{_CHECKS[text]}({given})"
            checks = [(f"{value} = {found}; !{check}", "wire.BadText"), *member]
            self._read_checked(call, checks, "rest = next", name)
            self._refuse_unless(check, "BadText", name)
        self._limit(f"len({value})", content.most, name)
        length = f".Uint{8 * prefix}(uint{8 * prefix}(len({value})))" if prefix else ""
        self.write.append(f"w = w{length}.{'Octets' if text is None else 'Text'}({given})")
        return [prefix, f"len({value})"]

    def _items(self, items: Items, name: str, value: str) -> _Terms:
        serial, limit, kind = next(self._serial), limited(items.limit), self._names.type_of(items)[2:]
        local, number, item, prefix = f"items{serial}", f"count{serial}", f"item{serial}", items.prefix
        if items.is_open:
            self.read.append(f"{local} := {value}[:0]")
            full = self._fault("wire.TooLong", name, f"start{serial}")
            if items.limit is not None:
                self.read.append(f"start{serial} := len(frame)-len(rest)")
                full = f"if uint64(len({local})) == {limit} {{\n{full}\n}}"
            self.read += ["for len(rest) != 0 {", *[full] * (items.limit is not None)]
        else:
            sibling = f"uint64({self._locals[items.counted_by]})" if items.counted_by else prefix
            self.read.append(f"var {number} uint64")
            call = f"Count{'ed' if items.counted_by else ''}(rest, {sibling}, {items.least}, {limit})"
            self._read(number, call, name)
            self.read.append(f"{local} := wire.Room({value}, {number})\nfor ; {number} > 0; {number}-- {{")
        self._limit(f"len({value})", items.most, name)
        if prefix:
            self.write.append(f"w = w.Uint{8 * prefix}(uint{8 * prefix}(len({value})))")
        self.read.append(f"var {item} {kind}")
        self.write.append(f"for _, {item} := range {value} {{")
        values = [f"{item}.Key", f"{item}.Value"] if items.is_pairs else [item]
        terms = [self._spell(part, name, one) for part, one in zip(items.parts, values, strict=True)]
        self.read.append(f"{local} = append({local}, {item})\n}}\n{value} = {local}")
        self.write.append("}")
        each = _sum([term for part in terms for term in part])
        if each.isdecimal():
            return [prefix, f"{each}*len({value})"]
        return [prefix, f"wire.Sum({value}, func({item} {kind}) int {{ return {each} }})"]


def limited(limit: int | None) -> str:
    """A limit, which may be none."""
    return "wire.NoLimit" if limit is None or limit >= (1 << 64) - 1 else str(limit)


def _sum(terms: _Terms) -> str:
    octets_ = sum(term for term in terms if isinstance(term, int))
    varying = [term for term in terms if isinstance(term, str)]
    return " + ".join([str(octets_), *varying] if octets_ or not varying else varying)
