"""The statements of an encoder: check what the format cannot carry, then join the pieces once."""

from __future__ import annotations

from ...ir import Field, FieldType, Text
from ...naming import Scope, snake
from ...plan.layout import number_range
from .lines import Lines, octets
from .plan import CODES, LOCALS, Formats, MessagePlan, Slot

__all__ = ["Encoder", "head_arguments", "size_expression"]

_JOIN_FROM = 5  # so many pieces are joined rather than added


class Encoder:
    """Writes the body of a message's `encode` or `encode_frames`, or of its `…_head`."""

    def __init__(self, plan: MessagePlan, formats: Formats):
        self.out = Lines()
        self._plan = plan
        self._name = plan.message.name
        self._formats = formats
        self._scope = Scope("python", [*LOCALS, *(slot.local for slot in plan.slots)])
        self._parts: list[str] = []  # finished expressions
        self._run: list[tuple[str, str]] = []  # (struct code, expression) not yet packed together
        self._checks: list[str] = []  # arguments of out_of_range
        self._guard = False  # whether struct may refuse something
        self._large = False  # whether a part that may be large is not the last one

    def whole(self) -> list[str]:
        """The statements that return the encoded message."""
        plan = self._plan
        body = Encoder(plan, self._formats)
        inline = [s for s in plan.slots if s.field.type not in (FieldType.FRAME, FieldType.MSG)]
        body._constant(plan.head, f"{plan.upper}_HEAD")
        if plan.topic is not None:
            body._topic(plan.topic)
        for slot in inline:
            if slot.measures:
                body._measure(slot)
        for slot in inline:
            body._slot(slot)
        result = body._result()
        if plan.has_frames:
            result = body._frames(result)
        body.out.put(f"return {result}")
        return self._guarded(body)

    def leading(self, slots: tuple[Slot, ...]) -> list[str]:
        """The statements that return the head and the fields of fixed size after it, from locals."""
        body = Encoder(self._plan, self._formats)
        body._constant(self._plan.head, f"{self._plan.upper}_HEAD")
        for slot in slots:
            if slot.octets is not None:
                body._constant(slot.octets)
            elif slot.field.reserved:
                body._constant(bytes(slot.field.size))
            else:
                body._fixed(slot.field, slot.field.name, slot.local)
        body.out.put(f"return {body._result()}")
        return self._guarded(body)

    def _guarded(self, body: Encoder) -> list[str]:
        if not body._guard:
            self.out.put(*body.out.lines)
        else:
            with self.out.block("try:"):
                self.out.put(*body.out.lines)
            with self.out.block("except error:"):
                arguments = ", ".join([f'"{self._name}"', *body._checks])
                self.out.put(f"raise out_of_range({arguments}) from None")
        return self.out.lines

    # --- pieces

    def _error(self, code: str, shown: str) -> str:
        return f'EncodeError("{code}", "{self._name}", "{shown}")'

    def _constant(self, value: bytes, name: str | None = None) -> None:
        if value:
            self._run.append((f"{len(value)}s", name or octets(value)))

    def _part(self, expression: str) -> None:
        self._flush()
        self._parts.append(expression)

    def _flush(self) -> None:
        run, self._run = self._run, []
        if not run:
            return
        if all(code.endswith("s") and len(code) > 1 for code, _ in run):
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

    def _length(self, field: Field, shown: str, expression: str, check: str) -> None:
        """A length or a count of `size` octets; `check` is the same expression in terms of self."""
        greatest = (1 << 8 * field.size) - 1
        self._packed(CODES[field.size], expression, f'("{shown}", {check}, 0, {greatest})')

    # --- fields

    def _topic(self, slot: Slot) -> None:
        value = self._text(slot.field, "topic", f"self.{slot.attribute}")
        self.out.refuse(f'b"\\x00" in {value}', self._error("bad-text", "topic"))
        self._part(value)
        self._constant(b"\x00")

    def _measure(self, slot: Slot) -> None:
        """Compute a number that counts or measures other fields; they have to agree on it."""
        first, *others = slot.measures
        self.out.put(f"{slot.local} = len(self.{first})")
        for other in others:
            error = f'miscounted("{self._name}", "{snake(other)}", len(self.{other}), {slot.local})'
            self.out.refuse(f"len(self.{other}) != {slot.local}", error)

    def _slot(self, slot: Slot) -> None:
        field = slot.field
        if slot.octets is not None or field.reserved:
            self._constant(bytes(field.size) if slot.octets is None else slot.octets)
            return
        value = slot.local if slot.measures else f"self.{slot.attribute}"
        shown = snake(slot.measures[0]) if slot.measures else field.name
        check = f"len(self.{slot.measures[0]})" if slot.measures else value
        self._value(field, shown, value, check)

    def _value(self, field: Field, shown: str, value: str, check: str) -> None:
        match field.type:
            case FieldType.NUMBER:
                self._fixed(field, shown, value, check)
            case FieldType.VARINT:
                self._limit(field, shown, value)
                zigzag = f"({value} << 1) ^ ({value} >> 63)" if field.signed else value
                self._part(f'varint_octets({zigzag}, "{self._name}", "{shown}")')
            case FieldType.OCTETS if field.length is None:
                error = f'miscounted("{self._name}", "{shown}", len({value}), {field.size})'
                self.out.refuse(f"len({value}) != {field.size}", error)
                self._run.append((f"{field.size}s", value))
            case FieldType.STRING if field.text is not Text.OCTETS:
                encoded = self._text(field, shown, value)
                if field.max is not None and field.max < (1 << 8 * field.size) - 1:
                    self.out.refuse(f"len({encoded}) > {field.max}", self._error("too-long", shown))
                self._length(field, shown, f"len({encoded})", f"octets_of({check})")
                self._content(encoded, field.size > 1)
            case FieldType.STRING | FieldType.CHUNK:
                length = f"len({value})"
                if field.max is not None and field.max < (1 << 8 * field.size) - 1:
                    length = self._scope.name(f"{snake(shown)}_length")
                    self.out.put(f"{length} = len({value})")
                    self.out.refuse(f"{length} > {field.max}", self._error("too-long", shown))
                self._length(field, shown, length, f"len({check})")
                self._content(value, field.size > 1)
            case FieldType.OCTETS | FieldType.REST:
                if field.max is not None:
                    self.out.refuse(f"len({value}) > {field.max}", self._error("too-long", shown))
                self._content(value, True)
            case FieldType.LIST:
                self._list(field, shown, value, check)
            case FieldType.HASH:
                self._hash(field, shown, value, check)
            case _:
                raise ValueError(f"{self._name}.{shown}: no encoder for {field.type.value}")

    def _content(self, value: str, large: bool) -> None:
        self._large = self._large or self._last_is_large
        self._part(value)
        self._last_is_large = large

    _last_is_large = False

    def _limit(self, field: Field, shown: str, value: str) -> None:
        least, greatest = number_range(field)
        if field.type is FieldType.VARINT and field.signed:
            self.out.refuse(f"not {least} <= {value} <= {greatest}", self._error("too-long", shown))
        if field.max is not None and field.max < greatest:
            self.out.refuse(f"{value} > {field.max}", self._error("too-long", shown))
        if field.enumeration is not None:
            name = snake(field.enumeration)
            test = f"{value} & ~_mask_of_{name}" if field.flags else f"{value} not in _members_of_{name}"
            self.out.refuse(test, self._error("bad-constant", shown))

    def _fixed(self, field: Field, shown: str, value: str, check: str | None = None) -> None:
        """A number, or octets of a fixed size."""
        if field.type is FieldType.OCTETS:
            self._value(field, shown, value, value)
            return
        self._limit(field, shown, value)
        least, greatest = number_range(field)
        code = CODES[field.size].lower() if field.signed else CODES[field.size]
        self._packed(code, value, f'("{shown}", {check or value}, {least}, {greatest})')

    def _text(self, field: Field, shown: str, value: str) -> str:
        """Check the text and encode it; the local that holds its octets."""
        encoded = self._scope.name(f"{snake(shown)}_octets")
        error = self._error("bad-text", shown)
        if field.enumeration is not None:
            self.out.refuse(
                f"{value} not in _members_of_{snake(field.enumeration)}", self._error("bad-constant", shown)
            )
        with self.out.block("try:"):
            self.out.put(f"{encoded} = {value}.encode()")
        with self.out.block("except UnicodeEncodeError:"):
            self.out.put(f"raise {error} from None")
        if field.text is Text.PRINTABLE:
            self.out.refuse(f"not {value}.isprintable() and has_control({value})", error)
        elif field.text is Text.VCHAR:
            self.out.refuse(f"not is_vchar({value})", error)
        return encoded

    def _list(self, field: Field, shown: str, value: str, check: str) -> None:
        assert field.items is not None
        if field.max is not None:
            self.out.refuse(f"len({value}) > {field.max}", self._error("too-long", shown))
        if field.count is None and not field.open_ended:
            self._length(field, shown, f"len({value})", f"len({check})")
        item = field.items
        if item.type is FieldType.NUMBER and item.enumeration is None:
            least, greatest = number_range(item)
            if item.max is not None and item.max < greatest:
                self.out.refuse(f"{value} and max({value}) > {item.max}", self._error("too-long", shown))
            code = CODES[item.size].lower() if item.signed else CODES[item.size]
            self._guard = True
            self._checks.append(f'*(("{shown}", item, {least}, {greatest}) for item in {check})')
            self._content(f'pack(f">{{len({value})}}{code}", *{value})', True)
            return
        self._loop(f"for {{}} in {value}", shown, check, [(item, "item", "{}")])

    def _hash(self, field: Field, shown: str, value: str, check: str) -> None:
        if field.max is not None:
            self.out.refuse(f"len({value}) > {field.max}", self._error("too-long", shown))
        if not field.open_ended:
            self._length(field, shown, f"len({value})", f"len({check})")
        key = Field("key", FieldType.STRING, size=1, text=field.text)
        content = Field("value", FieldType.STRING, size=4, text=field.text)
        parts = [(key, "key", "{}[0]"), (content, "value", "{}[1]")]
        self._loop(f"for {{}} in {value}", shown, check, parts)

    def _loop(self, head: str, shown: str, check: str, parts: list[tuple[Field, str, str]]) -> None:
        """Encode items one by one into a local list of pieces."""
        names = [self._scope.name(f"{snake(shown)}_{suffix}") for _, suffix, _ in parts]
        inner = Encoder(self._plan, self._formats)
        inner._scope = self._scope
        for (field, _, path), name in zip(parts, names, strict=True):
            inner._value(field, shown, name, path.format("item"))
        each = head.format(", ".join(names))
        result = inner._result()
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

    def _frames(self, first: str) -> str:
        parts = [first]
        for slot in self._plan.slots:
            value = f"self.{slot.attribute}"
            if slot.field.type is FieldType.FRAME:
                if slot.field.max is not None:
                    self.out.refuse(
                        f"len({value}) > {slot.field.max}", self._error("too-long", slot.field.name)
                    )
                parts.append(value)
            elif slot.field.type is FieldType.MSG:
                self.out.refuse(f"not {value}", self._error("truncated", slot.field.name))
                if slot.field.max is not None:
                    test = f"max(map(len, {value})) > {slot.field.max}"
                    self.out.refuse(test, self._error("too-long", slot.field.name))
                parts.append(f"*{value}")
        return f"[{', '.join(parts)}]"


def head_arguments(slots: tuple[Slot, ...]) -> list[Slot]:
    """What the leading fields of fixed size need to be told."""
    return [slot for slot in slots if slot.octets is None and not slot.field.reserved]


def size_expression(plan: MessagePlan) -> str:
    """The octets of the encoded message, all frames together."""
    fixed = len(plan.head)
    parts = []
    if plan.topic is not None:
        fixed += 1
        parts.append(f"octets_of(self.{plan.topic.attribute})")
    for slot in plan.slots:
        constant = slot.octets
        if constant is not None:
            fixed += len(constant)
            continue
        value = f"len(self.{slot.measures[0]})" if slot.measures else f"self.{slot.attribute}"
        octets_, expression = _size(slot.field, value, 0)
        fixed += octets_
        if expression:
            parts.append(expression)
    return " + ".join([str(fixed), *parts] if fixed or not parts else parts)


def _size(field: Field, value: str, depth: int) -> tuple[int, str]:
    """The octets that are always there, and the expression for those that depend on the value."""
    item = f"item_{depth}" if depth else "item"
    match field.type:
        case FieldType.NUMBER:
            return field.size, ""
        case FieldType.VARINT:
            zigzag = f"({value} << 1) ^ ({value} >> 63)" if field.signed else value
            return 0, f"varint_size({zigzag})"
        case FieldType.STRING if field.text is not Text.OCTETS:
            return field.size, f"octets_of({value})"
        case FieldType.STRING | FieldType.CHUNK:
            return field.size, f"len({value})"
        case FieldType.OCTETS if field.length is None:
            return field.size, ""
        case FieldType.OCTETS | FieldType.REST | FieldType.FRAME:
            return 0, f"len({value})"
        case FieldType.MSG:
            return 0, f"sum(len(frame) for frame in {value})"
        case FieldType.HASH:
            measure = "len" if field.text is Text.OCTETS else "octets_of"
            pairs = f"sum({measure}(key) + {measure}(item) for key, item in {value})"
            return 0 if field.open_ended else 4, f"5 * len({value}) + {pairs}"
        case FieldType.LIST:
            assert field.items is not None
            each, expression = _size(field.items, item, depth + 1)
            prefix = 0 if field.count else field.size
            parts = [f"{each} * len({value})"] if each else []
            if expression:
                parts.append(f"sum({expression} for {item} in {value})")
            return prefix, " + ".join(parts)
        case _:
            raise ValueError(f"{field.name}: no size for {field.type.value}")
