"""Spells the operations of a message: calls of what reads and writes in the runtime, and the sum of sizes.

A decoder's `rest` is what has not been read: it goes on when all of an operation is right.
"""

from __future__ import annotations

from itertools import count

from ...ir import Relation, Text
from ...naming import Scope, camel
from ...plan import operations as op
from ...plan.operations import Content, Items, Number, Operation
from .names import MessageNames, ProtocolNames, literal

__all__ = ["SpelledMessage", "limited"]

_CHECKS = {Text.UTF8: "wire.IsUTF8", Text.PRINTABLE: "wire.IsPrintable", Text.VCHAR: "wire.IsVChar"}
_Terms = list[int | str]
"""Of a sum of sizes: octets that are always there, and expressions for the others."""


class SpelledMessage:
    """The statements that read a message and write it through `w`, and its size."""

    def __init__(self, names: ProtocolNames, message: MessageNames) -> None:
        plan, attributes = message.plan, message.attributes
        self._names, self._message, self._serial = names, plan.name, count()
        numbers = [one for one in plan.operations if isinstance(one, Number)]
        scope = Scope("go", {"m", "w", "wire", "frame", "frames", "rest", "found", "next", "code"})
        hidden = [one.name for one in numbers if one.name not in attributes]
        self._locals = {name: scope.name(f"{camel(name)}Number") for name in hidden}
        self._values = {name: f"m.{attribute}" for name, attribute in attributes.items()}
        measuring = [one for one in numbers if one.measures]
        self._measured = {one.name: f"len({self._values[one.measures[0]]})" for one in measuring}
        self.read: list[str] = []
        self.write: list[str] = []
        for constant in plan.constants:
            self._constant(constant.octets, literal(constant.name))
        sizes: _Terms = [len(plan.head)]
        for number, operation in enumerate(plan.operations):
            if number >= plan.tail:
                self.read.append(f"if len(rest) == 0 {{\nm.setDefaults({number - plan.tail})\nreturn nil\n}}")
            if operation.name in self._locals:
                self.read.append(f"var {self._locals[operation.name]} {names.type_of(operation)}")
            sizes += self._spell(operation, literal(operation.name), self._values.get(operation.name, ""))
        # statements that begin with a dot go on writing, the others are loops
        lines = [f"w = w{one}" if one.startswith(".") else one for one in self.write]
        self.write = [one.replace(").Limit(", ").\nLimit(") for one in lines]
        self.size = _sum(sizes)
        """The octets of the first frame."""

    # --- statements

    def _fault(self, code: str, name: str, offset: str = "len(frame)-len(rest)") -> str:
        return f"return wire.Fault({code}, {literal(self._message)}, {name}, {offset})"

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
        wanted = literal(content)
        fault = self._fault(f"wire.Differ(rest, {wanted})", name)
        self.read.append(f"if !wire.HasPrefix(rest, {wanted}) {{\n{fault}\n}}\nrest = rest[{len(content)}:]")

    # --- operations

    def _spell(self, operation: Operation, name: str, value: str) -> _Terms:
        """Adds what reads the operation into `value`, and what writes it. The terms of its size."""
        match operation:
            case op.Constant(_, content):
                self._constant(content, name)
                self.write.append(f".Text({literal(content)})")
                return [len(content)]
            case op.Reserved(_, size):
                self._read("", f"Skip(rest, {size})", name)
                self.write.append(f".Zeros({size})")
                return [size]
            case op.Topic():
                check = (f"{value} = wire.Text({value}, found); !wire.IsUTF8({value})", "wire.BadText")
                self._read_checked("Topic(rest)", [check], "rest = next", name)
                self.write.append(
                    f".Check(wire.IsTopic({value}), wire.BadText, {name}).Text({value}).Uint8(0)"
                )
                return [1, f"len({value})"]
            case op.Rest(limit=limit):
                self._read(value, f"Rest(rest, {limited(limit)})", name)
                self.write.append(f".Limit(len({value}), {limited(limit)}, {name}).Octets({value})")
                return [f"len({value})"]
            case op.Fixed(size=size):
                self._read(value, f"Octets(rest, {size}, wire.NoLimit)", name)
                self.write.append(f".Agree(len({value}), {size}, {name}).Octets({value})")
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
        """`write` begins with what an encoder checks, each with its code; `checks` are those of the decoder."""
        size, bits, limit, kind = number.size, number.bits, number.limit, self._names.type_of(number)
        target, plain, checks, write = self._locals.get(number.name, value), f"uint{bits}", [], ""
        if number.measures:
            value, most = self._measured[number.name], limited(number.greatest if limit is None else limit)
            write = f".Limit({value}, {most}, {literal(number.measures[0])})"
        if limit is not None:
            checks.append((f"found > {limit}", "wire.TooLong"))
            write = write or f".Check({value} <= {limit}, wire.TooLong, {name})"
        if number.enumeration is not None:
            method = "IsUnion" if number.flags else "IsMember"
            checks.append((f"!found.{method}()", "wire.BadConstant"))
            write += f".Check({value}.{method}(), wire.BadConstant, {name})"
            if not self._names.enumerations[number.enumeration].base.endswith(f"int{bits}"):
                write += f".Check({kind}({plain}({value})) == {value}, wire.TooLong, {name})"
        for one in number.relations:
            write += f".Check({_related(one, self._values | self._measured)}, wire.BadRelation, {name})"
            read = self._values | self._locals | {number.name: "found"}
            checks.append((f"!({_related(one, read)})", "wire.BadRelation"))
        method = "SignedNumber" if number.signed else "Number"
        call = f"Uint{bits}(rest)" if size and kind == plain else f"{method}[{kind}](rest, {size})"
        if checks:
            self._read_checked(call, checks, f"{target}, rest = found, next", name)
        else:
            self._read(target, call, name)
        wide = f"wire.Zigzag(int64({value}))" if number.signed else f"uint64({value})"
        exact = value if kind == plain and not number.measures else f"{plain}({value})"
        self.write.append(write + (f".Uint{bits}({exact})" if size else f".Varint({wide})"))
        return [size or f"wire.VarintSize({wide})"]

    def _content(self, content: Content, name: str, value: str) -> _Terms:
        prefix, limit, text, given = content.prefix, limited(content.limit), content.text, value
        call, member = f"Octets{8 * prefix}(rest, {limit})", f"{value}.IsMember()"
        if content.measured_by is not None:
            call = f"Octets(rest, uint64({self._locals[content.measured_by]}), {limit})"
        limit = f".Limit(len({value}), {limited(content.most)}, {name})"
        length = f".Uint{8 * prefix}(uint{8 * prefix}(len({value})))" if prefix else ""
        if text is None:
            self._read(value, call, name)
            self.write.append(f"{limit}{length}.Octets({value})")
            return [prefix, f"len({value})"]
        found, checks, write = f"wire.Text({value}, found)", [], ""
        if content.enumeration is not None:
            given, found = f"string({value})", f"{self._names.type_of(content)}(found)"
            checks = [(f"!{member}", "wire.BadConstant")]
            write = f".Check({member}, wire.BadConstant, {name})"
        check = f"{_CHECKS[text]}({given})"
        checks.insert(0, (f"{value} = {found}; !{check}", "wire.BadText"))
        self._read_checked(call, checks, "rest = next", name)
        self.write.append(f"{write}.Check({check}, wire.BadText, {name}){limit}{length}.Text({given})")
        return [prefix, f"len({value})"]

    def _items(self, items: Items, name: str, value: str) -> _Terms:
        serial, limit, kind = next(self._serial), limited(items.limit), self._names.type_of(items)[2:]
        local, number, item, prefix = f"items{serial}", f"count{serial}", f"item{serial}", items.prefix
        if items.is_open:
            self.read.append(
                f"{local}, start{serial} := {value}[:0], len(frame)-len(rest)\nfor len(rest) != 0 {{"
            )
            full = self._fault("wire.TooLong", name, f"start{serial}")
            self.read.append(f"if uint64(len({local})) >= {limit} {{\n{full}\n}}")
        else:
            sibling = f"uint64({self._locals[items.counted_by]})" if items.counted_by else prefix
            self.read.append(f"var {number} uint64")
            call = f"Count{'ed' if items.counted_by else ''}(rest, {sibling}, {items.least}, {limit})"
            self._read(number, call, name)
            begin = len(self.read)
            self.read.append(f"{local} := wire.Room({value}, {number})\nfor ; {number} > 0; {number}-- {{")
        length = f".Uint{8 * prefix}(uint{8 * prefix}(len({value})))" if prefix else ""
        self.write.append(f".Limit(len({value}), {limited(items.most)}, {name}){length}")
        self.read.append(f"var {item} {kind}")
        self.write.append(f"for _, {item} := range {value} {{")
        values = [f"{item}.Key", f"{item}.Value"] if items.is_pairs else [item]
        terms = [self._spell(part, name, one) for part, one in zip(items.parts, values, strict=True)]
        self.read.append(f"{local} = append({local}, {item})\n}}\n{value} = {local}")
        if items.width and isinstance(items.item, Number) and not items.is_open:  # all at once
            self.read[begin:] = [f"{value}, rest = wire.Numbers({value}, rest, {number}, {items.width})"]
        self.write.append("}")
        each = _sum([term for part in terms for term in part])
        size = f"wire.Sum({value}, func({item} {kind}) int {{ return {each} }})"
        return [prefix, f"{each}*len({value})" if each.isdecimal() else size]


def limited(limit: int | None) -> str:
    """A limit, which may be none."""
    return "wire.NoLimit" if limit is None or limit >= (1 << 64) - 1 else str(limit)


def _related(relation: Relation, values: dict[str, str]) -> str:
    left, right = (
        str(one) if isinstance(one, int) else f"uint64({values[one]})"
        for one in (relation.left, relation.right)
    )
    return f"{left} {relation.operator} {right}"


def _sum(terms: _Terms) -> str:
    octets = sum(term for term in terms if isinstance(term, int))
    varying = [term for term in terms if isinstance(term, str)]
    return " + ".join([str(octets), *varying] if octets or not varying else varying)
