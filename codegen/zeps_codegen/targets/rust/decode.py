"""The statements of a decoder: each field is read and checked where it stands, in the order of the wire."""

from __future__ import annotations

from ...ir import Field, FieldType, Text
from ...plan.layout import least_octets, number_range
from .lines import Lines, octets, quoted
from .plan import MessagePlan, Names, Slot, enumeration_name

__all__ = ["decoder"]

_CLASSES = {Text.UTF8: "Text::Utf8", Text.PRINTABLE: "Text::Printable", Text.VCHAR: "Text::Vchar"}


def decoder(plan: MessagePlan, names: Names) -> list[str]:
    """The body of ``read``: `reader` stands behind what the dispatcher compared."""
    writer = _Decoder(plan, names)
    for place in plan.layout.head_constants:
        writer.constant(place.octets or b"", place.field.name)
    if plan.topic is not None:
        writer.out.put(f'let {plan.topic.local} = reader.topic("topic")?;')
    for slot in plan.slots:
        writer.slot(slot)
    writer.out.put("reader.end()?;")
    shown = [f"{s.name}: {s.local}" if s.name != s.local else s.local for s in plan.shown]
    built = f"{plan.class_name} {{ {', '.join(shown)} }}" if shown else plan.class_name
    writer.out.put(f"Ok({built})")
    return writer.out.lines


class _Decoder:
    def __init__(self, plan: MessagePlan, names: Names) -> None:
        self.out = Lines()
        self._plan = plan
        self._names = names

    def constant(self, value: bytes, field: str) -> None:
        self.out.put(f"reader.constant({octets(value)}, {quoted(field)})?;")

    def slot(self, slot: Slot) -> None:
        """Read one field into its local."""
        field = slot.field
        if slot.octets is not None:
            self.constant(slot.octets, field.name)
        elif field.reserved:
            self.out.put(f"reader.fixed::<{field.size}>({quoted(field.name)})?;")
        elif field.type is FieldType.LIST or field.type is FieldType.HASH:
            self._list(field, field.name, slot.local)
        else:
            self._value(field, field.name, slot.local)

    def _value(self, field: Field, shown: str, local: str | None) -> None:
        """Read one value; without a local it is only checked."""
        match field.type:
            case FieldType.NUMBER | FieldType.VARINT:
                self._number(field, shown, local)
            case FieldType.STRING if field.enumeration is not None:
                self.out.put("let start = reader.offset();")
                self.out.put(f"let raw = {self._text(field, shown)};")
                self._member(field, shown, local, "raw")
            case FieldType.LIST:
                self._list(field, shown, None)
            case _:
                found = self._plain(field, shown)
                self.out.put(f"let {local} = {found};" if local is not None else f"{found};")

    def _plain(self, field: Field, shown: str) -> str:
        """The expression for content that needs no check of its own here."""
        match field.type:
            case FieldType.STRING if field.text is not Text.OCTETS:
                return self._text(field, shown)
            case FieldType.STRING | FieldType.CHUNK:
                return f"reader.octets::<{field.size}>({quoted(shown)}, {_most(field)})?"
            case FieldType.OCTETS if field.length is None:
                return f"reader.fixed::<{field.size}>({quoted(shown)})?"
            case FieldType.OCTETS:
                length = self._as_u64(self._plan.named(field.length))
                return f"reader.measured({length}, {quoted(shown)}, {_most(field)})?"
            case FieldType.REST:
                return f"reader.rest({quoted(shown)}, {_most(field)})?"
            case _:
                raise ValueError(f"{self._plan.name}.{shown}: no decoder for {field.type.value}")

    def _text(self, field: Field, shown: str) -> str:
        text = _CLASSES.get(field.text, "Text::Utf8")
        return f"reader.text::<{field.size}>({quoted(shown)}, {_most(field)}, {text})?"

    def _as_u64(self, slot: Slot) -> str:
        return slot.local if slot.kind == "u64" else f"u64::from({slot.local})"

    def _number(self, field: Field, shown: str, local: str | None) -> None:
        limited = field.max is not None and field.max < number_range(field)[1]
        raw = (local or "item") if field.enumeration is None else "raw"
        read = _read_number(field, shown)
        if not limited and field.enumeration is None:
            self.out.put(f"let {local} = {read};" if local is not None else f"{read};")
            return
        self.out.put("let start = reader.offset();", f"let {raw} = {read};")
        if limited:
            self._refuse(f"{raw} > {field.max}", "TooLong", shown)
        if field.enumeration is not None:
            bits = field.size if field.type is FieldType.NUMBER else 8
            value = raw if (bits, field.signed) == (8, False) else f"u64::from({raw})"
            self._member(field, shown, local, f"{raw} as u64" if field.signed else value)

    def _member(self, field: Field, shown: str, local: str | None, value: str) -> None:
        assert field.enumeration is not None
        kind = enumeration_name(field.enumeration)
        trait = "Worded>::of_text" if self._names.is_worded(field.enumeration) else "Numbered>::of_number"
        target = f"let {local} = " if local is not None else ""
        self.out.put(
            f"{target}<{kind} as list::{trait}({value})"
            f".ok_or_else(|| reader.error(Code::BadConstant, {quoted(shown)}, start))?;"
        )

    def _refuse(self, condition: str, code: str, shown: str) -> None:
        with self.out.block(f"if {condition}"):
            self.out.put(f"return Err(reader.error(Code::{code}, {quoted(shown)}, start));")

    # --- many values

    def _list(self, field: Field, shown: str, local: str | None) -> None:
        """Check each item; the value is a view of their octets."""
        each = None if field.items is None else _each(field.items)
        if each is not None and field.open_ended:
            self.out.put(f"let items = reader.all({quoted(shown)}, {_most(field)}, {each})?;")
        elif each is not None:
            self.out.put(f"let items = {self._counted(field, shown)};", f"reader.skip(&items, {each});")
        else:
            with self.out.block(self._turns(field, shown)):
                for item in _parts(field):
                    self._value(item, shown, None)
        if local is not None:
            self.out.put(f"let {local} = reader.listed(&items);")

    def _turns(self, field: Field, shown: str) -> str:
        """The head of a loop over `items`."""
        if field.open_ended:
            self.out.put("let mut items = reader.open();")
            return f"while reader.more(&mut items, {quoted(shown)}, {_most(field)})?"
        self.out.put(f"let items = {self._counted(field, shown)};")
        return "for _ in 0..items.count"

    def _counted(self, field: Field, shown: str) -> str:
        """The expression for items whose number is known."""
        least = 5 if field.type is FieldType.HASH else max(1, least_octets(field.items or field))
        begin = f"{quoted(shown)}, {_most(field)}, {least}"
        if field.count is None:
            return f"reader.list::<{field.size}>({begin})?"
        return f"reader.counted({self._as_u64(self._plan.named(field.count))}, {begin})?"


def _parts(field: Field) -> list[Field]:
    """What one item consists of."""
    if field.items is not None:
        return [field.items]
    return [Field("item", FieldType.STRING, size=size, text=field.text) for size in (1, 4)]


def _each(item: Field) -> int | None:
    """The octets of an item that needs no check; None for others."""
    if item.type is FieldType.OCTETS:
        return item.size
    if item.type is not FieldType.NUMBER or item.enumeration is not None:
        return None
    return None if item.max is not None and item.max < number_range(item)[1] else item.size


def _most(field: Field) -> str:
    """The greatest length or count that is allowed."""
    return "u64::MAX" if field.max is None else str(field.max)


def _read_number(field: Field, shown: str) -> str:
    if field.type is FieldType.VARINT:
        read = f"reader.varint({quoted(shown)})?"
        return f"wire::unzigzag({read})" if field.signed else read
    kind = f"{'i' if field.signed else 'u'}{8 * field.size}"
    return f"{kind}::from_be_bytes(reader.array({quoted(shown)})?)"
