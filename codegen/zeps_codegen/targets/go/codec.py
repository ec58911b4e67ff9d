"""Generates a message's operations: calls of the runtime's readers, which advance `rest`, and writers, and the size."""

from __future__ import annotations

from itertools import count

from ...ir import Relation, Text
from ...naming import Scope, camel
from ...plan import operations as op
from ...plan.operations import Content, Items, Number, Operation
from .names import MessageNames, ProtocolNames, literal

__all__ = ["SpelledMessage", "limited"]

_CHECKS = {Text.UTF8: "wire.IsUTF8", Text.PRINTABLE: "wire.IsPrintable", Text.VCHAR: "wire.IsVChar"}
_VALUES = Number | Content | op.Fixed | op.Rest | op.Topic
_Terms = list[int | str]
"""The terms of a sum of sizes: the constant number of bytes, and expressions."""


class SpelledMessage:
    """The code of a message's first frame: statements that read it, check its values before they are encoded, and write
    it through `w`, without the head, and the expression for its size.
    """

    def __init__(self, names: ProtocolNames, message: MessageNames) -> None:
        plan, attributes = message.plan, message.attributes
        self._names, self._message, self._serial = names, plan.name, count()
        numbers = [operation for operation in plan.operations if isinstance(operation, Number)]
        scope = Scope("go", {"m", "w", "wire", "frame", "frames", "rest", "found", "next", "code", "ok"})
        named = [operation.name for operation in plan.operations if isinstance(operation, _VALUES)]
        self._locals = {name: scope.name(f"{camel(name)}Value") for name in named}
        self._values = {name: f"m.{attribute}" for name, attribute in attributes.items()}
        measuring = [number for number in numbers if number.measures]
        self._measured = {number.name: f"len({self._values[number.measures[0]]})" for number in measuring}
        self.read: list[str] = []
        self.check: list[str] = []
        self.write: list[str] = []
        self._dst = "frames" if plan.apart else "dst"
        for constant in plan.constants:
            self._constant(constant.octets, literal(constant.name))
        sizes: _Terms = [len(plan.head)]
        taken, self.taken = dict[str, str](), ""
        """The statements that assign the message's values."""
        for number, operation in enumerate(plan.operations):
            value, target = self._values.get(operation.name, ""), self._locals.get(operation.name, "_")
            if number >= plan.tail:
                defaults = f"m.setDefaults({number - plan.tail})"
                self.read.append(f"if len(rest) == 0 {{\n{self.taken}{defaults}\nreturn nil\n}}")
            if target != "_":
                self.read.append(f"var {target} {names.type_of(operation)}")
                taken |= {value: target} if value else {}
                self.taken = f"{', '.join(taken)} = {', '.join(taken.values())}\n" if taken else ""
            sizes += self._spell(operation, literal(operation.name), value, target)
        self.size = _sum(sizes)
        """The size of the first frame in bytes."""

    # --- statements

    def _fault(self, code: str, name: str, offset: str = "len(frame)-len(rest)") -> str:
        return f"return wire.Fault({code}, {literal(self._message)}, {name}, {offset})"

    def _read(self, target: str, call: str, name: str, *checks: tuple[str, str]) -> None:
        """Adds statements that read `found`, check it (`checks` are conditions of errors and codes), and assign it."""
        tests = [(f"found, next, code, ok := wire.{call}; !ok", "code")]
        tests += [(test, f"wire.{code}") for test, code in checks]
        faults = " else ".join(f"if {test} {{\n{self._fault(code, name)}\n}}" for test, code in tests)
        self.read.append(f"{faults} else {{\n{target}, rest = found, next\n}}")

    def _refuse(self, name: str, *checks: tuple[str, str]) -> None:
        """Adds an encoder's checks before it writes: conditions of errors and their codes."""
        for test, code in checks:
            refusal = f"return {self._dst}, wire.Refuse(wire.{code}, {literal(self._message)}, {name})"
            self.check.append(f"if {test} {{\n{refusal}\n}}")

    def _limit(self, value: str, limit: int | None, name: str) -> None:
        if limit is not None:
            self._refuse(name, (f"wire.Exceeds(len({value}), {limited(limit)})", "TooLong"))

    def _constant(self, content: bytes, name: str) -> None:
        prefix = literal(content)
        fault = self._fault(f"wire.Differ(rest, {prefix})", name)
        self.read.append(f"if !wire.HasPrefix(rest, {prefix}) {{\n{fault}\n}}\nrest = rest[{len(content)}:]")

    # --- operations

    def _spell(self, operation: Operation, name: str, value: str, target: str) -> _Terms:
        """Adds statements that read into `target`, check and write `value`; returns the terms of the size in bytes."""
        match operation:
            case op.Constant(_, content):
                self._constant(content, name)
                self.write.append(f"w = w.Text({literal(content)})")
                return [len(content)]
            case op.Reserved(_, size):
                self._read("_", f"Octets(rest, {size}, wire.NoLimit)", name)
                self.write.append(f"w = w.Zeros({size})")
                return [size]
            case op.Topic():
                check = (f"found := wire.Text({value}, found); !wire.IsUTF8(found)", "BadText")
                self._read(target, "Topic(rest)", name, check)
                self._refuse(name, (f"!wire.IsTopic({value})", "BadText"))
                self.write.append(f"w = w.Text({value}).Uint8(0)")
                return [1, f"len({value})"]
            case op.Rest(limit=limit):
                test, fault = f"wire.Exceeds(len(rest), {limited(limit)})", self._fault("wire.TooLong", name)
                self.read += [f"if {test} {{\n{fault}\n}}"] * (limit is not None)
                self.read.append(f"{target} = rest[:len(rest):len(rest)]")
                self._limit(value, limit, name)
                self.write.append(f"w = w.Octets({value})")
                return [f"len({value})"]
            case op.Fixed(size=size):
                self._read(target, f"Octets(rest, {size}, wire.NoLimit)", name)
                length = f"len({value})"
                self._refuse(name, (f"{length} > {size}", "TooLong"), (f"{length} < {size}", "Truncated"))
                self.write.append(f"w = w.Octets({value})")
                return [size]
            case Number():
                return self._number(operation, name, value, target)
            case Content():
                return self._content(operation, name, value, target)
            case Items():
                return self._items(operation, name, value)
            case op.Apart(frame):
                raise ValueError(f"{frame} is a frame of its own, not an operation on the first frame")

    def _number(self, number: Number, name: str, value: str, target: str) -> _Terms:
        size, bits, limit, kind = number.size, number.bits, number.limit, self._names.type_of(number)
        plain, checks = f"uint{bits}", []
        if limit is not None:
            checks.append((f"{{}} > {limit}", "TooLong"))
        if number.enumeration is not None:
            checks.append((f"!{{}}.{'IsUnion' if number.flags else 'IsMember'}()", "BadConstant"))
        if number.measures:
            value, most = self._measured[number.name], number.greatest if limit is None else limit
            self._limit(value[4:-1], most, literal(number.measures[0]))
        encoding = [] if number.measures else [(test.format(value), code) for test, code in checks]
        checks = [(test.format("found"), code) for test, code in checks]
        wide = self._names.enumerations[number.enumeration].base if number.enumeration else plain
        if not wide.endswith(f"int{bits}"):
            encoding.append((f"{kind}({plain}({value})) != {value}", "TooLong"))
        for relation in number.relations:
            encoding.append((f"!({_related(relation, self._values | self._measured)})", "BadRelation"))
            read = self._values | self._locals | {number.name: "found"}
            checks.append((f"!({_related(relation, read)})", "BadRelation"))
        self._refuse(name, *encoding)
        method = "SignedNumber" if number.signed else "Number"
        call = f"Uint{bits}(rest)" if size and kind == plain else f"{method}[{kind}](rest, {size})"
        self._read(target, call, name, *checks)
        wide = f"wire.Zigzag(int64({value}))" if number.signed else f"uint64({value})"
        exact = value if kind == plain and not number.measures else f"{plain}({value})"
        self.write.append(f"w = w.Uint{bits}({exact})" if size else f"w = w.Varint({wide})")
        return [size or f"wire.VarintSize({wide})"]

    def _content(self, content: Content, name: str, value: str, target: str) -> _Terms:
        prefix, limit, text, given = content.prefix, limited(content.limit), content.text, value
        measured = f"uint64({self._locals[content.measured_by]}), " if content.measured_by else ""
        call = f"Octets{8 * prefix or ''}(rest, {measured}{limit})"
        if text is None:
            self._read(target, call, name)
        else:
            decoded, check, member = f"wire.Text({value}, found)", f"!{_CHECKS[text]}({{}})", []
            if content.enumeration is not None:
                given, decoded = f"string({value})", f"{self._names.type_of(content)}(found)"
                check, member = f"!{_CHECKS[text]}(string({{}}))", [("!{}.IsMember()", "BadConstant")]
            checks = [(f"found := {decoded}; {check}", "BadText"), *member]
            self._read(target, call, name, *((test.format("found"), code) for test, code in checks))
            self._refuse(name, *((test.format(value), code) for test, code in (*member, (check, "BadText"))))
        self._limit(value, content.most, name)
        length = f".Uint{8 * prefix}(uint{8 * prefix}(len({value})))" if prefix else ""
        self.write.append(f"w = w{length}.{'Octets' if text is None else 'Text'}({given})")
        return [prefix, f"len({value})"]

    def _items(self, items: Items, name: str, value: str) -> _Terms:
        serial, limit, kind = next(self._serial), limited(items.limit), self._names.type_of(items)[2:]
        local, number, item, prefix = f"items{serial}", f"count{serial}", f"item{serial}", items.prefix
        if items.is_open:
            declared = f"{local}, start{serial} := {value}[:0], len(frame)-len(rest)"
            self.read.append(f"{declared}\nfor len(rest) != 0 {{")
            full = self._fault("wire.TooLong", name, f"start{serial}")
            self.read.append(f"if uint64(len({local})) >= {limit} {{\n{full}\n}}")
        else:
            sibling = f"uint64({self._locals[items.counted_by]})" if items.counted_by else prefix
            self.read.append(f"var {number} uint64")
            call = f"Count{'ed' if items.counted_by else ''}(rest, {sibling}, {items.least}, {limit})"
            self._read(number, call, name)
            begin = len(self.read)
            self.read.append(f"{local} := wire.Room({value}, {number})\nfor ; {number} > 0; {number}-- {{")
        self._limit(value, items.most, name)
        self.write += [f"w = w.Uint{8 * prefix}(uint{8 * prefix}(len({value})))"] * bool(prefix)
        before, self.check = self.check, []
        self.read.append(f"var {item} {kind}")
        self.write.append(f"for _, {item} := range {value} {{")
        values = [f"{item}.Key", f"{item}.Value"] if items.is_pairs else [item]
        pairs = zip(items.parts, values, strict=True)
        terms = [self._spell(part, name, value, value) for part, value in pairs]
        self.read.append(f"{local} = append({local}, {item})\n}}\n{value} = {local}")
        if items.width and isinstance(items.item, Number) and not items.is_open:  # all at once
            self.read[begin:] = [f"{value}, rest = wire.Numbers({value}, rest, {number}, {items.width})"]
        self.write.append("}")
        loop = [f"for _, {item} := range {value} {{", *self.check, "}"]
        self.check = before + (loop if self.check else [])
        item_size = _sum([term for part in terms for term in part])
        size = f"wire.Sum({value}, func({item} {kind}) int {{ return {item_size} }})"
        return [prefix, f"{item_size}*len({value})" if item_size.isdecimal() else size]


def limited(limit: int | None) -> str:
    """A limit; NoLimit for None."""
    return "wire.NoLimit" if limit is None or limit >= (1 << 64) - 1 else str(limit)


def _related(relation: Relation, values: dict[str, str]) -> str:
    left, right = (f"uint64({values.get(str(side), side)})" for side in (relation.left, relation.right))
    return f"{left} {relation.operator} {right}"


def _sum(terms: _Terms) -> str:
    fixed = sum(term for term in terms if isinstance(term, int))
    varying = [term for term in terms if isinstance(term, str)]
    return " + ".join([str(fixed), *varying] if fixed or not varying else varying)
