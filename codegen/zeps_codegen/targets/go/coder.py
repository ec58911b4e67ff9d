"""Spells the operations of a message: each one's decoding, checks, writing and size, side by side.

In a decoder, `rest` is what has not been read yet, so that `len(frame)-len(rest)` is where the operation in hand
begins. An encoder first checks everything, and then writes one buffer once.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ...ir import Dispatch, Text
from ...naming import Scope
from ...plan.operations import (
    Apart,
    Constant,
    Content,
    Fixed,
    Items,
    Number,
    Operation,
    Part,
    Reserved,
    Rest,
    Topic,
)
from .names import LOCALS, MessageNames, ProtocolNames, octets, quoted

__all__ = ["Code", "Coder"]

_CHECKS = {Text.UTF8: "wire.IsUTF8", Text.PRINTABLE: "wire.IsPrintable", Text.VCHAR: "wire.IsVChar"}
_HERE = "len(frame)-len(rest)"
_INT_MAX = (1 << 31) - 1  # what an int holds everywhere
_LEN_MAX = (1 << 63) - 1  # no length is greater anywhere


@dataclass(slots=True)
class Code:
    """The statements of one operation, or of several."""

    read: list[str] = field(default_factory=list)
    check: list[str] = field(default_factory=list)
    write: list[str] = field(default_factory=list)
    fixed: int = 0
    """Octets that are always there."""
    terms: list[str] = field(default_factory=list)
    """The numbers of those that vary."""
    loops: list[str] = field(default_factory=list)
    """Statements that add the rest to `size`."""

    def add(self, other: Code) -> None:
        self.read += other.read
        self.check += other.check
        self.write += other.write
        self.fixed += other.fixed
        self.terms += other.terms
        self.loops += other.loops

    @property
    def total(self) -> str:
        """The sum of what needs no loop."""
        return " + ".join([str(self.fixed), *self.terms] if self.fixed or not self.terms else self.terms)

    @property
    def size(self) -> list[str]:
        """The statements that return the octets of all operations."""
        if not self.loops:
            return [f"return {self.total}"]
        return [f"size := {self.total}", *self.loops, "return size"]


class Coder:
    """Spells the operations of one message; `beside` is what its encoder returns beside an error."""

    def __init__(self, names: ProtocolNames, message: MessageNames, beside: str = "") -> None:
        self._names = names
        self._message = message
        self._plan = message.plan
        self._return = f"return {beside}, " if beside else "return "
        self._scope = Scope("go", {*LOCALS, *message.locals.values()})

    def code(self) -> Code:
        """All operations; `read` is that of the first frame."""
        found, operations = self._head(), self._plan.operations
        for operation in operations:
            if isinstance(operation, Number):
                found.check += self._agree(operation)
        constants: list[Constant] = []
        for operation in operations:
            if isinstance(operation, Constant):
                constants.append(operation)
            elif constants:
                found.read += self._compare(constants)
                constants = []
            found.add(self._operation(operation))
        found.read += self._compare(constants)
        if not self._plan.takes_all:
            found.read += self._fault("len(rest) != 0", "Trailing", "")
        for operation in operations:
            if (attribute := self._message.attributes.get(operation.name)) is not None:
                found.read.append(f"m.{attribute} = {self._message.locals[operation.name]}")
        found.read.append("return nil")
        for apart in self._plan.apart:
            found.add(self._apart(apart))
        return found

    def read_more(self) -> list[str]:
        """The statements that read the frames after the first."""
        lines, apart, end = [], self._plan.apart, "len(frames[0])"
        for index, one in enumerate(apart, 1):
            attribute = f"m.{self._message.attributes[one.name]}"
            lines += self._fault(f"len(frames) <= {index}", "Truncated", one.name, end)
            frame = "more" if one.is_rest else f"frames[{index}]"
            limit = []
            if one.limit is not None:
                limit = self._fault(f"uint64(len({frame})) > {one.limit}", "TooLong", one.name, end)
            if limit and one.is_rest:
                limit = [f"for _, more := range frames[{index}:] {{", *limit, "}"]
            taken = f"append({attribute}[:0], frames[{index}:]...)" if one.is_rest else frame
            lines += [*limit, f"{attribute} = {taken}"]
        if not apart or not apart[-1].is_rest:
            lines += self._fault(f"len(frames) > {len(apart) + 1}", "Trailing", "", end)
        return [*lines, "return nil"]

    # --- errors

    def _fault(self, condition: str, code: str, shown: str, offset: str = _HERE) -> list[str]:
        error = f"wire.Fault(wire.{code}, {quoted(self._message.name)}, {quoted(shown)}, {offset})"
        return [f"if {condition} {{", f"return {error}", "}"]

    def _refuse(self, condition: str, code: str, shown: str) -> list[str]:
        error = f"wire.Refuse(wire.{code}, {quoted(self._message.name)}, {quoted(shown)})"
        return [f"if {condition} {{", f"{self._return}{error}", "}"]

    def _miscounted(self, seen: str, wanted: str, shown: str) -> list[str]:
        error = f"wire.Miscounted({quoted(self._message.name)}, {quoted(shown)}, {seen}, {wanted})"
        return [f"if {seen} != {wanted} {{", f"{self._return}{error}", "}"]

    def _above(self, length: str, limit: int | None, shown: str) -> list[str]:
        """An encoder's error for a length, an int, that is more than `limit`."""
        if limit is None or limit >= _LEN_MAX:
            return []
        value = length if limit <= _INT_MAX else f"uint64({length})"
        return self._refuse(f"{value} > {limit}", "TooLong", shown)

    def _agree(self, number: Number) -> list[str]:
        """What one number counts and measures has to be as long as the first of them."""
        lines: list[str] = []
        for name in number.measures[1:]:
            seen, wanted = (f"len({self._value(one)})" for one in (name, number.measures[0]))
            lines += self._miscounted(seen, wanted, name)
        return lines

    # --- operations

    def _value(self, name: str) -> str:
        return f"m.{self._message.attributes.get(name, '')}"

    def _head(self) -> Code:
        """The constants at the frame's beginning."""
        plan, head = self._plan, self._plan.head
        size = len(head)
        if not head:
            return Code(read=["rest := frame"])
        begin, constants = head[: plan.seen], list(plan.constants)
        if self._names.protocol.dispatch is Dispatch.NAME:
            begin, constants = b"", [Constant("", begin), *constants]
        listed = "".join(f", {_constant(one)}" for one in constants)
        error = f"wire.Misread(frame, {quoted(self._message.name)}, {octets(begin)}{listed})"
        return Code(
            read=[
                f"if len(frame) < {size} || string(frame[:{size}]) != {self._message.head} {{",
                f"return {error}",
                "}",
                f"rest := frame[{size}:]",
            ],
            write=[f"dst = append(dst, {self._message.head}...)"],
            fixed=size,
        )

    def _compare(self, constants: list[Constant]) -> list[str]:
        """The statements that compare constants which follow each other, all at once."""
        if not constants:
            return []
        wanted = b"".join(one.octets for one in constants)
        listed = ", ".join(_constant(one) for one in constants)
        size = len(wanted)
        return [
            f"if len(rest) < {size} || string(rest[:{size}]) != {octets(wanted)} {{",
            f"return wire.BadConstants(frame, {quoted(self._message.name)}, {_HERE}, {listed})",
            "}",
            f"rest = rest[{size}:]",
        ]

    def _operation(self, operation: Operation) -> Code:
        match operation:
            case Constant(_, content):  # which _compare reads
                return Code(write=[f"dst = append(dst, {octets(content)}...)"], fixed=len(content))
            case Topic(name):
                return self._topic(name)
            case Reserved(name, size):
                if not size:
                    return Code()
                read = [*self._fault(f"len(rest) < {size}", "Truncated", name), f"rest = rest[{size}:]"]
                return Code(read, write=[f"dst = append(dst, make([]byte, {size})...)"], fixed=size)
            case Rest(name, _, limit):
                return self._rest(name, limit)
            case Number() | Content() | Fixed() | Items():
                local, value = self._message.locals[operation.name], self._value(operation.name)
                if isinstance(operation, Number) and operation.measures:
                    value = f"len({self._value(operation.measures[0])})"
                found = self._part(operation, operation.name, local, value, value)
                if operation.name not in self._message.attributes:
                    found.read.append(f"_ = {local}")
                return found
            case Apart():
                raise ValueError("a frame of its own is no part of the first one")

    def _topic(self, name: str) -> Code:
        end, local, value = self._scope.name("end"), self._message.locals[name], self._value(name)
        return Code(
            read=[
                f"{end} := bytes.IndexByte(rest, 0)",
                *self._fault(f"{end} < 0", "Truncated", name),
                f"{local} := wire.Text({value}, rest[:{end}])",
                *self._fault(f"!wire.IsUTF8({local})", "BadText", name),
                f"rest = rest[{end}+1:]",
            ],
            check=[
                *self._refuse(f"!wire.IsUTF8({value})", "BadText", name),
                *self._refuse(f"strings.IndexByte({value}, 0) >= 0", "BadText", name),
            ],
            write=[f"dst = append(dst, {value}...)", "dst = append(dst, 0)"],
            fixed=1,
            terms=[f"len({value})"],
        )

    def _rest(self, name: str, limit: int | None) -> Code:
        local, value = self._message.locals[name], self._value(name)
        read = [] if limit is None else self._fault(f"uint64(len(rest)) > {limit}", "TooLong", name)
        read.append(f"{local} := rest[:len(rest):len(rest)]")  # nothing looks at rest again
        check = self._above(f"len({value})", limit, name)
        return Code(read, check, [f"dst = append(dst, {value}...)"], terms=[f"len({value})"])

    def _apart(self, apart: Apart) -> Code:
        """A frame of its own, but for its reading."""
        name, value = apart.name, self._value(apart.name)
        if not apart.is_rest:
            return Code(check=self._above(f"len({value})", apart.limit, name), terms=[f"len({value})"])
        check = self._refuse(f"len({value}) == 0", "Truncated", name)
        if each := self._above("len(more)", apart.limit, name):
            check += [f"for _, more := range {value} {{", *each, "}"]
        return Code(check=check, loops=[f"for _, more := range {value} {{", "size += len(more)", "}"])

    # --- parts

    def _part(self, part: Part, shown: str, local: str, value: str, old: str = "") -> Code:
        """A decoder declares `local`, an encoder has `value`; `old` is where that of an earlier decode lies."""
        match part:
            case Number():
                return self._number(part, shown, local, value)
            case Content():
                return self._content(part, shown, local, value, old)
            case Fixed(size=size):
                read = [
                    *self._fault(f"len(rest) < {size}", "Truncated", shown),
                    f"{local} := rest[:{size}:{size}]",
                    f"rest = rest[{size}:]",
                ]
                check = self._miscounted(f"len({value})", str(size), shown)
                return Code(read, check, [f"dst = append(dst, {value}...)"], size)
            case Items():
                return self._items(part, shown, local, value, old)

    def _number(self, number: Number, shown: str, local: str, value: str) -> Code:
        size, is_length = number.size, bool(number.measures)
        check = self._check_number(number, shown, value)
        is_plain = not (number.signed or number.enumeration or is_length)
        if size:
            raw = f"int{8 * size}({_first(size)})" if number.signed else _first(size)
            read = self._fault(f"len(rest) < {size}", "Truncated", shown)
            read += [*self._settle(number, shown, local, raw), f"rest = rest[{size}:]"]
            return Code(read, check, [_put(size, value, is_plain)], size)
        raw, length, code = (self._scope.name(f"{local}{part}") for part in ("Raw", "Size", "Code"))
        error = f"wire.Fault({code}, {quoted(self._message.name)}, {quoted(shown)}, {_HERE})"
        read = [
            f"{raw}, {length}, {code} := wire.Varint(rest)",
            f'if {code} != "" {{',
            f"return {error}",
            "}",
        ]
        read += self._settle(number, shown, local, f"wire.Unzigzag({raw})" if number.signed else raw)
        read.append(f"rest = rest[{length}:]")
        wide = value if is_plain else f"uint64({value})"
        if number.signed:
            wide = f"wire.Zigzag(int64({value}))" if number.enumeration else f"wire.Zigzag({value})"
        return Code(
            read, check, [f"dst = wire.AppendVarint(dst, {wide})"], terms=[f"wire.VarintSize({wide})"]
        )

    def _settle(self, number: Number, shown: str, local: str, raw: str) -> list[str]:
        """Give `local` the number, within its limit and its enumeration."""
        lines, plain = [], local
        if number.enumeration is not None and number.limit is not None:
            plain = self._scope.name(f"{local}Number")
        if number.enumeration is None or number.limit is not None:
            lines.append(f"{plain} := {raw}")
            raw = plain
        if number.limit is not None:
            lines += self._fault(f"{plain} > {number.limit}", "TooLong", shown)
        if number.enumeration is not None:
            lines.append(f"{local} := {self._names.type_of(number)}({raw})")
            lines += self._fault(_no_member(number, local), "BadConstant", shown)
        return lines

    def _check_number(self, number: Number, shown: str, value: str) -> list[str]:
        if number.measures:
            greatest = (1 << number.bits - number.signed) - 1
            return self._above(value, greatest if number.limit is None else number.limit, number.measures[0])
        check = []
        if number.limit is not None:
            wide = f"{'int64' if number.signed else 'uint64'}({value})" if number.enumeration else value
            check += self._refuse(f"{wide} > {number.limit}", "TooLong", shown)
        if number.enumeration is not None:
            check += self._refuse(_no_member(number, value), "BadConstant", shown)
        return check

    def _content(self, content: Content, shown: str, local: str, value: str, old: str) -> Code:
        prefix, size = content.prefix, self._scope.name(f"{local}Size")
        read = self._count(prefix, content.measured_by, size, shown)
        if content.limit is not None:
            read += self._fault(f"{size} > {content.limit}", "TooLong", shown)
        left, end = (f"len(rest)-{prefix}", f"{prefix}+{size}") if prefix else ("len(rest)", size)
        read += self._fault(f"{size} > uint64({left})", "Truncated", shown)
        if content.text is None:
            read.append(f"{local} := rest[{prefix or ''}:{end}:{end}]")
        else:
            read += self._text(content, shown, local, f"rest[{prefix}:{end}]", old)
        read.append(f"rest = rest[{end}:]")
        check = []
        if content.enumeration is not None:
            check += self._refuse(_no_member(content, value), "BadConstant", shown)
        if content.text is not None:
            text = value if content.enumeration is None else f"string({value})"
            check += self._refuse(f"!{_CHECKS[content.text]}({text})", "BadText", shown)
        check += self._above(f"len({value})", content.most, shown)
        write = [_put(prefix, f"len({value})")] if prefix else []
        write.append(f"dst = append(dst, {value}...)")
        return Code(read, check, write, prefix, [f"len({value})"])

    def _text(self, content: Content, shown: str, local: str, found: str, old: str) -> list[str]:
        """Give `local` the text in the octets `found`."""
        assert content.text is not None
        text = local if content.enumeration is None else self._scope.name(f"{local}Text")
        kept = old and content.enumeration is None
        lines = [f"{text} := wire.Text({old}, {found})" if kept else f"{text} := string({found})"]
        lines += self._fault(f"!{_CHECKS[content.text]}({text})", "BadText", shown)
        if content.enumeration is not None:
            lines.append(f"{local} := {self._names.type_of(content)}({text})")
            lines += self._fault(_no_member(content, local), "BadConstant", shown)
        return lines

    def _count(self, prefix: int, sibling: str | None, local: str, shown: str) -> list[str]:
        """Declare `local`, the number in a prefix or in a sibling."""
        if sibling is not None:
            return [f"{local} := uint64({self._message.locals[sibling]})"]
        return [
            *self._fault(f"len(rest) < {prefix}", "Truncated", shown),
            f"{local} := uint64({_first(prefix)})",
        ]

    def _items(self, items: Items, shown: str, local: str, value: str, old: str) -> Code:
        kind, prefix = self._names.type_of(items), items.prefix
        item = "item" if value.startswith("m.") or items.is_pairs else f"{value}Item"
        suffixes = ("Key", "Value") if items.is_pairs else ("Item",)
        locals_ = [self._scope.name(f"{local}{suffix}") for suffix in suffixes]
        values = [f"{item}.Key", f"{item}.Value"] if items.is_pairs else [item]
        loop = f"for _, {item} := range {value} {{"
        read, each = self._read_items(items, shown, local, old or f"{kind}(nil)"), Code()
        for part, name, one in zip(items.parts, locals_, values, strict=True):
            each.add(self._part(part, shown, name, one))
        taken = f"{kind[2:]}{{Key: {locals_[0]}, Value: {locals_[1]}}}" if items.is_pairs else locals_[0]
        found = Code(
            [*read, *each.read, f"{local} = append({local}, {taken})", "}"],
            self._above(f"len({value})", items.most, shown),
            [*([_put(prefix, f"len({value})")] if prefix else []), loop, *each.write, "}"],
            prefix,
        )
        if each.check:
            found.check += [loop, *each.check, "}"]
        if each.terms or each.loops:
            found.loops = [loop, f"size += {each.total}", *each.loops, "}"]
        else:
            found.terms = [f"{each.fixed}*len({value})"]
        return found

    def _read_items(self, items: Items, shown: str, local: str, old: str) -> list[str]:
        """Declare `local`, empty, and begin the loop over the items."""
        limit, prefix, least = items.limit, items.prefix, items.least
        if items.is_open:
            loop = [f"{local} := {old}[:0]", "for len(rest) != 0 {"]
            if limit is None:
                return loop
            begin = self._scope.name(f"{local}At")
            full = self._fault(f"uint64(len({local})) == {limit}", "TooLong", shown, begin)
            return [f"{begin} := len(frame) - len(rest)", *loop, *full]
        count = self._scope.name(f"{local}Count")
        lines = self._count(prefix, items.counted_by, count, shown)
        if limit is not None:
            lines += self._fault(f"{count} > {limit}", "TooLong", shown)
        left = f"uint64(len(rest)-{prefix})" if prefix else "uint64(len(rest))"
        lines += self._fault(f"{count} > {left}" + (f"/{least}" if least > 1 else ""), "Truncated", shown)
        if prefix:
            lines.append(f"rest = rest[{prefix}:]")
        return [*lines, f"{local} := wire.Room({old}, {count})", f"for ; {count} > 0; {count}-- {{"]


def _first(size: int) -> str:
    """The number at the beginning of `rest`."""
    return "rest[0]" if size == 1 else f"binary.BigEndian.Uint{8 * size}(rest)"


def _put(size: int, value: str, is_plain: bool = False) -> str:
    """Append a number; `is_plain` if it is of the very type."""
    if size == 1:
        return f"dst = append(dst, {value})" if is_plain else f"dst = append(dst, byte({value}))"
    number = value if is_plain else f"uint{8 * size}({value})"
    return f"dst = binary.BigEndian.AppendUint{8 * size}(dst, {number})"


def _no_member(part: Number | Content, value: str) -> str:
    is_union = isinstance(part, Number) and part.flags
    return f"!{value}.{'IsUnion' if is_union else 'IsMember'}()"


def _constant(constant: Constant) -> str:
    return f"wire.Constant{{Field: {quoted(constant.name)}, Octets: {octets(constant.octets)}}}"
