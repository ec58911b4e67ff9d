"""The statements of an encoder: what the format cannot carry, how large the frame is, and its octets in order."""

from __future__ import annotations

from dataclasses import dataclass

from ...ir import Field, FieldType, Text
from ...plan.layout import number_range
from .lines import Lines, octets, quoted
from .plan import MessagePlan, Names, Slot

__all__ = ["EncoderView", "encoder"]


@dataclass(frozen=True, slots=True)
class EncoderView:
    """The bodies of ``check``, ``size`` and ``write``."""

    check: list[str]
    size: str
    write: list[str]


def encoder(plan: MessagePlan, names: Names) -> EncoderView:
    """Everything that encodes the message."""
    return EncoderView(_Checks(plan, names).whole(), _size(plan, names), _write(plan, names))


class _Checks:
    """Counts that have to agree, then each field's own limits, then what its length's octets can hold."""

    def __init__(self, plan: MessagePlan, names: Names) -> None:
        self.out = Lines()
        self._plan = plan
        self._names = names
        self._late = Lines()

    def whole(self) -> list[str]:
        if self._plan.topic is not None:
            self._refuse(f"self.{self._plan.topic.name}.contains('\\0')", "BadText", "topic")
        for slot in self._plan.slots:
            self._agree(slot)
        for slot in self._plan.slots:
            if slot.octets is None:
                self._slot(slot)
        return [*self.out.lines, *self._late.lines, "Ok(())"]

    def _refuse(self, condition: str, code: str, shown: str, late: bool = False) -> None:
        out = self._late if late else self.out
        with out.block(f"if {condition}"):
            name = quoted(self._plan.name)
            out.put(f"return Err(EncodeError::new(Code::{code}, {name}, {quoted(shown)}));")

    def _agree(self, slot: Slot) -> None:
        """All that one number counts has to be as long as the first."""
        for other, shown in slot.measures[1:]:
            seen, wanted = f"self.{other}.len()", f"self.{slot.measures[0][0]}.len()"
            with self.out.block(f"if {seen} != {wanted}"):
                names = f"{quoted(self._plan.name)}, {quoted(shown)}"
                self.out.put(f"return Err(wire::miscounted({seen}, {wanted}, {names}));")

    def _slot(self, slot: Slot) -> None:
        field = slot.field
        if slot.measures:
            name, shown = slot.measures[0]
            self._length(field, f"self.{name}.len()", shown)
        elif slot.name is not None:
            self._value(field, f"self.{slot.name}", field.name)

    def _length(self, field: Field, length: str, shown: str) -> None:
        """A length or a count in a number's octets."""
        bits = 64 if field.type is FieldType.VARINT else 8 * field.size
        greatest = (1 << bits) - 1
        if field.max is not None and field.max < greatest:
            self._refuse(f"{length} as u64 > {field.max}", "TooLong", shown)
        elif bits < 64:
            self._refuse(f"{length} as u64 > {greatest}", "TooLong", shown, late=True)

    def _value(self, field: Field, value: str, shown: str) -> None:
        match field.type:
            case FieldType.NUMBER | FieldType.VARINT:
                if field.max is not None and field.max < number_range(field)[1]:
                    number = _number(field, value, self._names)
                    self._refuse(f"{number} > {field.max}", "TooLong", shown)
            case FieldType.STRING if field.enumeration is not None:
                self._length(field, f"{value}.as_str().len()", shown)
            case FieldType.STRING:
                self._forbid(field, value, shown)
                self._length(field, f"{value}.len()", shown)
            case FieldType.CHUNK:
                self._length(field, f"{value}.len()", shown)
            case FieldType.OCTETS if field.length is None:
                pass
            case FieldType.OCTETS | FieldType.REST:
                if field.max is not None:
                    self._refuse(f"{value}.len() as u64 > {field.max}", "TooLong", shown)
            case FieldType.LIST | FieldType.HASH:
                self._list(field, value, shown)
            case _:
                raise ValueError(f"{self._plan.name}.{shown}: no encoder for {field.type.value}")

    def _forbid(self, field: Field, value: str, shown: str) -> None:
        if field.text in (Text.PRINTABLE, Text.VCHAR):
            self._refuse(f"!Text::{field.text.value.capitalize()}.admits({value})", "BadText", shown)

    def _list(self, field: Field, value: str, shown: str) -> None:
        if field.count is None and not field.open_ended:
            self._length(field, f"{value}.len()", shown)
        elif field.max is not None:
            self._refuse(f"{value}.len() as u64 > {field.max}", "TooLong", shown)
        if field.items is not None:
            self._each(field.items, value, shown)
        elif field.text in (Text.PRINTABLE, Text.VCHAR):
            with self.out.block(f"for (key, value) in {value}"):
                self._forbid(field, "key", shown)
                self._forbid(field, "value", shown)

    def _each(self, item: Field, value: str, shown: str) -> None:
        """What every item has to be; what does not fit its form cannot be in a list."""
        inner = _Checks(self._plan, self._names)
        if item.type in (FieldType.CHUNK, FieldType.STRING) and item.enumeration is None:
            inner._forbid(item, "item", shown)
            if item.max is not None and item.max < (1 << 8 * item.size) - 1:
                inner._refuse(f"item.len() as u64 > {item.max}", "TooLong", shown)
        elif item.type is not FieldType.OCTETS:
            inner._value(item, "item", shown)
        lines = inner.out.lines + (inner._late.lines if item.type is not FieldType.LIST else [])
        if lines:
            with self.out.block(f"for item in {value}"):
                self.out.put(*lines)


def _number(field: Field, value: str, names: Names) -> str:
    """A field's value as the number that lies on the wire."""
    if field.enumeration is None:
        return value
    number = f"list::Numbered::to_number({value})"
    bits = 64 if field.type is FieldType.VARINT else 8 * field.size
    return f"{number} as {'i' if field.signed else 'u'}{bits}" if field.signed or bits < 64 else number


def _varint(field: Field, value: str, names: Names) -> str:
    """A field's value as LEB128 has it."""
    number = _number(field, value, names)
    return f"wire::zigzag({number})" if field.signed else number


def _size(plan: MessagePlan, names: Names) -> str:
    fixed, parts = len(plan.layout.head), []
    if plan.topic is not None:
        fixed += 1
        parts.append(f"self.{plan.topic.name}.len()")
    for slot in plan.slots:
        if slot.octets is not None:
            fixed += len(slot.octets)
        elif slot.measures:
            if slot.field.type is FieldType.VARINT:
                parts.append(f"wire::varint_size(self.{slot.measures[0][0]}.len() as u64)")
            else:
                fixed += slot.field.size
        else:
            more, part = _size_of(slot, names)
            fixed += more
            parts += part
    return " + ".join([str(fixed), *parts] if fixed or not parts else parts)


def _size_of(slot: Slot, names: Names) -> tuple[int, list[str]]:
    """The octets that a field always has, and those that depend on its value."""
    field, value = slot.field, f"self.{slot.name}"
    match field.type:
        case FieldType.NUMBER:
            return field.size, []
        case FieldType.VARINT:
            return 0, [f"wire::varint_size({_varint(field, value, names)})"]
        case FieldType.OCTETS if field.length is None:
            return field.size, []
        case FieldType.STRING if field.enumeration is not None:
            return field.size, [f"{value}.as_str().len()"]
        case FieldType.STRING | FieldType.CHUNK:
            return field.size, [f"{value}.len()"]
        case FieldType.LIST | FieldType.HASH:
            return 0 if field.count is not None else field.size, [f"{value}.size()"]
        case _:
            return 0, [f"{value}.len()"]


def _write(plan: MessagePlan, names: Names) -> list[str]:
    lines = [f"sink.put({octets(plan.layout.head)});"] if plan.layout.head else []
    if plan.topic is not None:
        lines += [f"sink.put(self.{plan.topic.name}.as_bytes());", 'sink.put(b"\\0");']
    for slot in plan.slots:
        field = slot.field
        if slot.octets is not None:
            lines.append(f"sink.put({octets(slot.octets)});")
        elif field.reserved:
            lines += [f"sink.put(&[0; {field.size}]);"] * (field.size > 0)
        elif slot.measures:
            length = f"self.{slot.measures[0][0]}.len()"
            varint = field.type is FieldType.VARINT
            lines.append(
                f"wire::put_varint({length} as u64, sink);" if varint else _put_length(field, length)
            )
        else:
            lines += _put(field, f"self.{slot.name}", names)
    return lines


def _put_length(field: Field, length: str) -> str:
    return f"wire::put_length::<{field.size}, S>({length}, sink);"


def _put(field: Field, value: str, names: Names) -> list[str]:
    match field.type:
        case FieldType.NUMBER:
            number = _number(field, value, names)
            return [f"sink.put(&{f'({number})' if ' ' in number else number}.to_be_bytes());"]
        case FieldType.VARINT:
            return [f"wire::put_varint({_varint(field, value, names)}, sink);"]
        case FieldType.STRING:
            if field.enumeration is not None:
                value = f"{value}.as_str()"
            content = (
                value if field.text is Text.OCTETS and field.enumeration is None else f"{value}.as_bytes()"
            )
            return [_put_length(field, f"{value}.len()"), f"sink.put({content});"]
        case FieldType.CHUNK:
            return [_put_length(field, f"{value}.len()"), f"sink.put({value});"]
        case FieldType.LIST | FieldType.HASH:
            uncounted = field.count is not None or field.open_ended
            count = [] if uncounted else [_put_length(field, f"{value}.len()")]
            return [*count, f"{value}.write(sink);"]
        case _:
            return [f"sink.put({value});"]
