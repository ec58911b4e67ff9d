"""The statements of an encoder: first everything is checked, then one buffer is written once.

What is wrong is found in the same order in every language: fields that are counted together and differ, then field
by field in the order of the wire.
"""

from __future__ import annotations

from ...ir import Field, FieldType, Text
from ...plan.layout import least_octets, number_range
from .decode import TEXT_CHECKS
from .names import MessageNames, ProtocolNames, octets, quoted

__all__ = ["Encoder"]

_APART = (FieldType.FRAME, FieldType.MSG)
_INT_MAX = (1 << 31) - 1  # what an int holds everywhere


class Encoder:
    """Writes the bodies of a message's `Size`, checks and `write`; `beside` is what goes back beside an error."""

    def __init__(self, names: ProtocolNames, message: MessageNames, beside: str = "") -> None:
        self._names = names
        self._message = message
        self._return = f"return {beside}, " if beside else "return "
        self._inline = [slot for slot in message.slots if slot.field.type not in _APART]

    # --- checks

    def check(self) -> list[str]:
        """The statements that return an error."""
        checks: list[str] = []
        for slot in self._inline:
            for other in slot.measures[1:]:
                seen, wanted = f"len(m.{other})", f"len(m.{slot.measures[0]})"
                self._miscounted(checks, seen, wanted, self._shown(other))
        if (topic := self._message.topic) is not None:
            text = f"m.{topic.attribute}"
            self._refuse(checks, f"!wire.IsUTF8({text})", "BadText", "topic")
            self._refuse(checks, f"strings.IndexByte({text}, 0) >= 0", "BadText", "topic")
        for slot in self._inline:
            if slot.octets is not None:
                continue
            if slot.measures:
                self._measure(checks, slot.field, self._shown(slot.measures[0]), f"len(m.{slot.measures[0]})")
            elif slot.attribute:
                self._check(checks, slot.field, slot.field.name, f"m.{slot.attribute}")
        return [*checks, *self._check_frames()]

    def _shown(self, attribute: str) -> str:
        return next(slot.field.name for slot in self._message.slots if slot.attribute == attribute)

    def _refuse(self, lines: list[str], condition: str, code: str, shown: str) -> None:
        error = f"wire.Refuse(wire.{code}, {quoted(self._message.name)}, {quoted(shown)})"
        lines += [f"if {condition} {{", f"{self._return}{error}", "}"]

    def _miscounted(self, lines: list[str], seen: str, wanted: str, shown: str) -> None:
        error = f"wire.Miscounted({quoted(self._message.name)}, {quoted(shown)}, {seen}, {wanted})"
        lines += [f"if {seen} != {wanted} {{", f"{self._return}{error}", "}"]

    def _measure(self, checks: list[str], field: Field, shown: str, value: str) -> None:
        """A number that is a length or a count."""
        self._limit(checks, field, shown, value, number_range(field)[1])

    def _limit(self, checks: list[str], field: Field, shown: str, value: str, greatest: int) -> None:
        limit = greatest if field.max is None else min(field.max, greatest)
        if limit < (1 << 63) - 1:
            self._refuse(checks, _above(value, limit), "TooLong", shown)

    def _length(self, checks: list[str], field: Field, shown: str, value: str) -> None:
        """A length of `size` octets before the field itself."""
        self._limit(checks, field, shown, f"len({value})", (1 << 8 * field.size) - 1)

    def _check(self, checks: list[str], field: Field, shown: str, value: str) -> None:
        match field.type:
            case FieldType.NUMBER | FieldType.VARINT:
                if field.max is not None and field.max < number_range(field)[1]:
                    self._refuse(checks, _beyond(value, field), "TooLong", shown)
                if field.enumeration is not None:
                    test = f"!{value}.{'IsUnion' if field.flags else 'IsMember'}()"
                    self._refuse(checks, test, "BadConstant", shown)
            case FieldType.OCTETS if field.length is None:
                self._miscounted(checks, f"len({value})", str(field.size), shown)
            case FieldType.STRING if field.text is not Text.OCTETS:
                if field.enumeration is not None:
                    self._refuse(checks, f"!{value}.IsMember()", "BadConstant", shown)
                text = f"string({value})" if field.enumeration is not None else value
                self._refuse(checks, f"!{TEXT_CHECKS[field.text]}({text})", "BadText", shown)
                self._length(checks, field, shown, value)
            case FieldType.STRING | FieldType.CHUNK:
                self._length(checks, field, shown, value)
            case FieldType.OCTETS | FieldType.REST:
                if field.max is not None:
                    self._refuse(checks, _above(f"len({value})", field.max), "TooLong", shown)
            case FieldType.LIST:
                self._check_list(checks, field, shown, value)
            case FieldType.HASH:
                self._check_count(checks, field, shown, value)
                key, content = _pair(field)
                parts = [(key, "item.Key"), (content, "item.Value")]
                self._check_items(checks, shown, value, "item", parts)
            case _:
                raise ValueError(f"{self._message.name}.{shown}: no encoder for {field.type.value}")

    def _check_count(self, checks: list[str], field: Field, shown: str, value: str) -> None:
        uncounted = field.count is not None or field.open_ended
        greatest = (1 << 64) - 1 if uncounted else (1 << 8 * field.size) - 1
        self._limit(checks, field, shown, f"len({value})", greatest)

    def _check_list(self, checks: list[str], field: Field, shown: str, value: str) -> None:
        assert field.items is not None
        self._check_count(checks, field, shown, value)
        item = "item" if value.startswith("m.") else f"{value}Item"
        self._check_items(checks, shown, value, item, [(field.items, item)])

    def _check_items(
        self, checks: list[str], shown: str, value: str, item: str, parts: list[tuple[Field, str]]
    ) -> None:
        inner: list[str] = []
        for field, name in parts:
            self._check(inner, field, shown, name)
        if inner:
            checks += [f"for _, {item} := range {value} {{", *inner, "}"]

    def _check_frames(self) -> list[str]:
        lines: list[str] = []
        for slot in self._message.slots:
            field, value = slot.field, f"m.{slot.attribute}"
            if field.type is FieldType.FRAME and field.max is not None:
                self._refuse(lines, _above(f"len({value})", field.max), "TooLong", field.name)
            elif field.type is FieldType.MSG:
                self._refuse(lines, f"len({value}) == 0", "Truncated", field.name)
                if field.max is not None:
                    lines.append(f"for _, more := range {value} {{")
                    self._refuse(lines, _above("len(more)", field.max), "TooLong", field.name)
                    lines.append("}")
        return lines

    # --- octets

    def write(self) -> list[str]:
        """The statements that append the first frame to `dst`."""
        lines: list[str] = []
        if self._message.layout.head:
            lines.append(f"dst = append(dst, {self._message.head}...)")
        if (topic := self._message.topic) is not None:
            lines += [f"dst = append(dst, m.{topic.attribute}...)", "dst = append(dst, 0)"]
        for slot in self._inline:
            if slot.octets is not None:
                lines.append(f"dst = append(dst, {octets(slot.octets)}...)")
            elif slot.field.reserved:
                if slot.field.size:
                    lines.append(f"dst = append(dst, make([]byte, {slot.field.size})...)")
            elif slot.measures:
                self._write(lines, slot.field, f"len(m.{slot.measures[0]})")
            elif slot.attribute:
                self._write(lines, slot.field, f"m.{slot.attribute}")
        return lines

    def _write(self, lines: list[str], field: Field, value: str) -> None:
        match field.type:
            case FieldType.NUMBER:
                lines.append(_put(field.size, value, plain=_is_plain(field, value)))
            case FieldType.VARINT:
                lines.append(f"dst = wire.AppendVarint(dst, {_unsigned(field, value)})")
            case FieldType.STRING | FieldType.CHUNK:
                lines += [_put(field.size, f"len({value})"), f"dst = append(dst, {value}...)"]
            case FieldType.OCTETS | FieldType.REST:
                lines.append(f"dst = append(dst, {value}...)")
            case FieldType.LIST:
                assert field.items is not None
                if field.count is None and not field.open_ended:
                    lines.append(_put(field.size, f"len({value})"))
                item = "item" if value.startswith("m.") else f"{value}Item"
                lines.append(f"for _, {item} := range {value} {{")
                self._write(lines, field.items, item)
                lines.append("}")
            case _:
                if not field.open_ended:
                    lines.append(_put(4, f"len({value})"))
                lines.append(f"for _, item := range {value} {{")
                for part, name in zip(_pair(field), ("item.Key", "item.Value"), strict=True):
                    self._write(lines, part, name)
                lines.append("}")

    # --- sizes

    def size(self) -> list[str]:
        """The statements that return the octets of the encoded message, all frames together."""
        fixed, terms, loops = len(self._message.layout.head), [], []
        if (topic := self._message.topic) is not None:
            fixed += 1
            terms.append(f"len(m.{topic.attribute})")
        for slot in self._message.slots:
            if slot.octets is not None:
                fixed += len(slot.octets)
                continue
            value = f"len(m.{slot.measures[0]})" if slot.measures else f"m.{slot.attribute}"
            least, more, loop = self._size(slot.field, value)
            fixed += least
            terms += more
            loops += loop
        total = " + ".join([str(fixed), *terms] if fixed or not terms else terms)
        return [f"return {total}"] if not loops else [f"size := {total}", *loops, "return size"]

    def _size(self, field: Field, value: str) -> tuple[int, list[str], list[str]]:
        """The octets that are always there, terms for those that vary, and loops that add to `size`."""
        match field.type:
            case FieldType.NUMBER:
                return field.size, [], []
            case FieldType.VARINT:
                return 0, [f"wire.VarintSize({_unsigned(field, value)})"], []
            case FieldType.STRING | FieldType.CHUNK:
                return field.size, [f"len({value})"], []
            case FieldType.OCTETS if field.length is None:
                return field.size, [], []
            case FieldType.OCTETS | FieldType.REST | FieldType.FRAME:
                return 0, [f"len({value})"], []
            case FieldType.MSG:
                return 0, [], [f"for _, more := range {value} {{", "size += len(more)", "}"]
            case FieldType.HASH:
                terms = ["5", "len(item.Key)", "len(item.Value)"]
                loop = [f"for _, item := range {value} {{", f"size += {' + '.join(terms)}", "}"]
                return least_octets(field), [], loop
            case _:
                assert field.items is not None
                item = "item" if value.startswith("m.") else f"{value}Item"
                least, more, loop = self._size(field.items, item)
                fixed = 0 if field.count else field.size
                if not more and not loop:
                    return fixed, [f"{least}*len({value})"], []
                each = " + ".join([str(least), *more] if least or not more else more)
                return fixed, [], [f"for _, {item} := range {value} {{", f"size += {each}", *loop, "}"]


def _pair(field: Field) -> tuple[Field, Field]:
    """A hash's key and value."""
    return (
        Field("key", FieldType.STRING, size=1, text=field.text),
        Field("value", FieldType.STRING, size=4, text=field.text),
    )


def _above(value: str, limit: int) -> str:
    """Whether `value`, an int, is more than `limit`."""
    return f"{value} > {limit}" if limit <= _INT_MAX else f"uint64({value}) > {limit}"


def _beyond(value: str, field: Field) -> str:
    """Whether a number is more than the field's limit, in a type that holds both."""
    if field.enumeration is None:
        return f"{value} > {field.max}"
    return f"{'int64' if field.signed else 'uint64'}({value}) > {field.max}"


def _unsigned(field: Field, value: str) -> str:
    if field.signed:
        return f"wire.Zigzag(int64({value}))" if field.enumeration else f"wire.Zigzag({value})"
    return value if _is_plain(field, value) else f"uint64({value})"


def _is_plain(field: Field, value: str) -> bool:
    """Whether the number's type in Go is the unsigned one of its octets."""
    return not field.signed and field.enumeration is None and not value.startswith("len(")


def _put(size: int, value: str, plain: bool = False) -> str:
    """Append a number; `plain` if it is of the very type."""
    if size == 1:
        return f"dst = append(dst, {value})" if plain else f"dst = append(dst, byte({value}))"
    number = value if plain else f"uint{8 * size}({value})"
    return f"dst = binary.BigEndian.AppendUint{8 * size}(dst, {number})"
