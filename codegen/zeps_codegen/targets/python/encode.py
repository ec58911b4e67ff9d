"""The statements of an encoder: check what the format cannot carry, then join the pieces once."""

from __future__ import annotations

from collections.abc import Iterable

from ...ir import Text
from ...naming import snake
from ...plan.layout import number_range
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
from .decode import numbers_of
from .lines import Lines, no_member, no_text
from .plan import CODES, Formats, MessagePlan, Slot, octets, struct_code

__all__ = ["Encoder", "head_arguments", "size_expression"]

_JOIN_FROM = 5  # so many pieces are joined rather than added


class Encoder:
    """Writes the body of a message's `encode` or `encode_frames`, or of its `…_head`."""

    def __init__(self, plan: MessagePlan, formats: Formats):
        self.out = Lines()
        self._plan = plan
        self._name = plan.message.name
        self._formats = formats
        self._scope = plan.locals()
        self._parts: list[str] = []  # finished expressions
        self._run: list[tuple[str, str]] = []  # (struct code, expression) not yet packed together
        self._checks: list[str] = []  # arguments of out_of_range
        self._guard = False  # whether struct may refuse something
        self._large = False  # whether a part that may be large is not the last one
        self._last_is_large = False

    # --- whole messages

    def whole(self) -> list[str]:
        """The statements that return the encoded message."""
        self._constant(self._plan.wire.head, f"{self._plan.upper}_HEAD")
        if self._plan.topic is not None:
            self._topic(f"self.{self._plan.topic.attribute}")
        for slot in self._plan.inline:
            if slot.measures:
                self._measure(slot)
        for slot in self._plan.inline:
            self._operation(slot)
        return self._returned(self._apart(self._result()))

    def leading(self, slots: Iterable[Slot]) -> list[str]:
        """The statements that return the head and the fields of fixed size after it, from locals."""
        self._constant(self._plan.wire.head, f"{self._plan.upper}_HEAD")
        for slot in slots:
            match slot.operation:
                case Number() | Fixed() as part:
                    self._part(part, part.name, slot.local, slot.local)
                case _:
                    self._operation(slot)
        return self._returned(self._result())

    def _returned(self, result: str) -> list[str]:
        self.out.put(f"return {result}")
        if not self._guard:
            return self.out.lines
        guarded = Lines()
        with guarded.block("try:"):
            guarded.put(*self.out.lines)
        with guarded.block("except error:"):
            arguments = ", ".join([f'"{self._name}"', *self._checks])
            guarded.put(f"raise out_of_range({arguments}) from None")
        return guarded.lines

    # --- pieces

    def _error(self, code: str, shown: str) -> str:
        return f'EncodeError("{code}", "{self._name}", "{shown}")'

    def _constant(self, value: bytes, name: str | None = None) -> None:
        if value:
            self._run.append((f"{len(value)}s", name or octets(value)))

    def _piece(self, expression: str) -> None:
        self._flush()
        self._parts.append(expression)

    def _content(self, expression: str, large: bool) -> None:
        self._large = self._large or self._last_is_large
        self._piece(expression)
        self._last_is_large = large

    def _flush(self) -> None:
        run, self._run = self._run, []
        if all(code.endswith("s") for code, _ in run):
            self._parts += [expression for _, expression in run]
            return
        pack = self._formats.use("pack", "".join(code for code, _ in run))
        self._parts.append(f"{pack}({', '.join(expression for _, expression in run)})")

    def _result(self) -> str:
        self._flush()
        if not self._parts:
            return 'b""'
        if self._large or len(self._parts) >= _JOIN_FROM:
            return f'b"".join(({", ".join(self._parts)}))'
        return " + ".join(self._parts)

    def _packed(self, code: str, expression: str, check: str) -> None:
        self._run.append((code, expression))
        self._checks.append(check)
        self._guard = True

    def _length(self, prefix: int, shown: str, expression: str, check: str) -> None:
        """A length or a count of `prefix` octets, if there is one; `check` is the same expression in terms of self."""
        if prefix:
            self._packed(CODES[prefix], expression, f'("{shown}", {check}, 0, {(1 << 8 * prefix) - 1})')

    # --- one operation

    def _topic(self, value: str) -> None:
        octets = self._text(Text.UTF8, "topic", value)
        self.out.refuse(f'b"\\x00" in {octets}', self._error("bad-text", "topic"))
        self._piece(octets)
        self._constant(b"\x00")

    def _measure(self, slot: Slot) -> None:
        """Compute a number that counts or measures other fields; they have to agree on it."""
        first, *others = slot.measures
        self.out.put(f"{slot.local} = len(self.{first})")
        for other in others:
            self._agree(snake(other), f"self.{other}", slot.local)

    def _agree(self, shown: str, value: str, wanted: int | str) -> None:
        error = f'miscounted("{self._name}", "{shown}", len({value}), {wanted})'
        self.out.refuse(f"len({value}) != {wanted}", error)

    def _operation(self, slot: Slot) -> None:
        value = f"self.{slot.attribute}"
        match slot.operation:
            case Constant(_, octets):
                self._constant(octets)
            case Reserved(_, size):
                self._constant(bytes(size))
            case Rest(name, _, limit):
                self._limit(f"len({value})", limit, name)
                self._content(value, True)
            case Number(measures=(first, *_)) as number:
                self._part(number, first, slot.local, f"len(self.{slot.measures[0]})")
            case Number() | Content() | Fixed() | Items() as part:
                self._part(part, part.name, value, value)

    def _part(self, part: Part, shown: str, value: str, check: str) -> None:
        """One value; `check` is the same expression in terms of self, where nothing but a name is bound."""
        match part:
            case Number(_, _, size, signed, limit):
                least, greatest = number_range(part.field)
                if signed and not size:
                    self.out.refuse(f"not {least} <= {value} <= {greatest}", self._error("too-long", shown))
                self._limit(value, limit, shown)
                self._member(part, shown, value)
                if size:
                    self._packed(struct_code(part), value, f'("{shown}", {check}, {least}, {greatest})')
                else:
                    self._piece(f'varint_octets({_zigzag(part, value)}, "{self._name}", "{shown}")')
            case Fixed(_, _, size):
                self._agree(shown, value, size)
                self._run.append((f"{size}s", value))
            case Content(_, _, prefix, _, limit, text):
                length, measured = f"len({value})", f"len({check})"
                if text is not None:
                    self._member(part, shown, value)
                    value = self._text(text, shown, value)
                    length, measured = f"len({value})", f"octets_of({check})"
                elif limit is not None and prefix:
                    length = self._scope.name(f"{snake(shown)}_length")
                    self.out.put(f"{length} = len({value})")
                self._limit(length, limit, shown)
                self._length(prefix, shown, length, measured)
                self._content(value, prefix != 1)
            case Items():
                self._items(part, shown, value, check)

    def _limit(self, value: str, limit: int | None, shown: str) -> None:
        if limit is not None:
            self.out.refuse(f"{value} > {limit}", self._error("too-long", shown))

    def _member(self, part: Number | Content, shown: str, value: str) -> None:
        if part.enumeration is not None:
            self.out.refuse(no_member(part, value), self._error("bad-constant", shown))

    def _text(self, text: Text, shown: str, value: str) -> str:
        """Check the text and encode it; the local that holds its octets."""
        encoded, error = self._scope.name(f"{snake(shown)}_octets"), self._error("bad-text", shown)
        self.out.attempt(f"{encoded} = {value}.encode()", "UnicodeEncodeError", error)
        self.out.refuse(no_text(text, value), error)
        return encoded

    def _items(self, items: Items, shown: str, value: str, check: str) -> None:
        self._limit(f"len({value})", items.limit, shown)
        self._length(items.prefix, shown, f"len({value})", f"len({check})")
        number = numbers_of(items)
        if number is None:
            self._loop(items, shown, value, check)
            return
        self._limit(f"{value} and max({value})", number.limit, shown)
        least, greatest = number_range(number.field)
        self._guard = True
        self._checks.append(f'*(("{shown}", item, {least}, {greatest}) for item in {check})')
        self._content(f'pack(f">{{len({value})}}{struct_code(number)}", *{value})', True)

    def _loop(self, items: Items, shown: str, value: str, check: str) -> None:
        """Encode items one by one into a local list of pieces."""
        suffixes = ("key", "value") if items.is_pairs else ("item",)
        paths = ("item[0]", "item[1]") if items.is_pairs else ("item",)
        names = [self._scope.name(f"{snake(shown)}_{suffix}") for suffix in suffixes]
        inner = Encoder(self._plan, self._formats)
        inner._scope = self._scope
        for part, name, path in zip(items.parts, names, paths, strict=True):
            inner._part(part, shown, name, path)
        each, result = f"for {', '.join(names)} in {value}", inner._result()
        if inner.out.lines:
            pieces = self._scope.name(f"{snake(shown)}_pieces")
            self.out.put(f"{pieces} = []")
            with self.out.block(f"{each}:"):
                self.out.put(*inner.out.lines, f"{pieces}.append({result})")
        else:
            pieces = f"[{result} {each}]"
        self._guard = self._guard or inner._guard
        # what lies two lists deep is not named: the error then has no field
        self._checks += [f"*({one} for item in {check})" for one in inner._checks if not one.startswith("*")]
        self._content(f'b"".join({pieces})', True)

    def _apart(self, first: str) -> str:
        """The list of frames whose first is `first`; that expression itself if the message is one frame."""
        parts = [first]
        for slot in self._plan.slots:
            value = f"self.{slot.attribute}"
            match slot.operation:
                case Apart(name, _, is_rest, limit):
                    if is_rest:
                        self.out.refuse(f"not {value}", self._error("truncated", name))
                    self._limit(f"max(map(len, {value}))" if is_rest else f"len({value})", limit, name)
                    parts.append(f"*{value}" if is_rest else value)
        return f"[{', '.join(parts)}]" if self._plan.wire.apart else first


def head_arguments(slots: Iterable[Slot]) -> list[Slot]:
    """What the leading fields of fixed size need to be told."""
    return [slot for slot in slots if isinstance(slot.operation, Number | Fixed)]


def _zigzag(number: Number, value: str) -> str:
    return f"({value} << 1) ^ ({value} >> 63)" if number.signed else value


def size_expression(plan: MessagePlan) -> str:
    """The octets of the encoded message, all frames together."""
    fixed, parts = len(plan.wire.head), []
    for slot in (*(() if plan.topic is None else (plan.topic,)), *plan.slots):
        value = f"len(self.{slot.measures[0]})" if slot.measures else f"self.{slot.attribute}"
        size, expression = _size(slot.operation, value)
        fixed += size
        parts += [expression] if expression else []
    return " + ".join([str(fixed), *parts] if fixed or not parts else parts)


def _size(operation: Operation, value: str, depth: int = 0) -> tuple[int, str]:
    """The octets that are always there, and the expression for those that depend on the value."""
    match operation:
        case Constant(_, octets):
            return len(octets), ""
        case Number(size=0):
            return 0, f"varint_size({_zigzag(operation, value)})"
        case Number(size=size) | Fixed(size=size) | Reserved(size=size):
            return size, ""
        case Topic():
            return 1, f"octets_of({value})"
        case Content(prefix=prefix, text=text):
            return prefix, f"len({value})" if text is None else f"octets_of({value})"
        case Apart(is_rest=True):
            return 0, f"sum(len(frame) for frame in {value})"
        case Rest() | Apart():
            return 0, f"len({value})"
        case Items(prefix=prefix, parts=parts):
            item = f"item_{depth}" if depth else "item"
            names = ["key", item] if operation.is_pairs else [item]
            sizes = [_size(part, name, depth + 1) for part, name in zip(parts, names, strict=True)]
            each, varying = sum(size for size, _ in sizes), [one for _, one in sizes if one]
            found = [f"{each} * len({value})"] if each else []
            found += [f"sum({' + '.join(varying)} for {', '.join(names)} in {value})"] if varying else []
            return prefix, " + ".join(found)
