"""What a field is in a message's struct, and in the tables that describe it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...ir import Enumeration, Field, FieldType, Text
from ...plan.layout import number_range
from ..errors import UnsupportedByTarget
from .names import number, quoted

__all__ = ["TEXTS", "Tables", "c_type", "limit_of"]

TEXTS = {
    Text.OCTETS: "WIRE_ANY_OCTETS",
    Text.UTF8: "WIRE_UTF8",
    Text.PRINTABLE: "WIRE_PRINTABLE",
    Text.VCHAR: "WIRE_VCHAR",
}
_TYPES = {
    FieldType.NUMBER: "WIRE_NUMBER",
    FieldType.VARINT: "WIRE_VARINT",
    FieldType.STRING: "WIRE_STRING",
    FieldType.CHUNK: "WIRE_CHUNK",
    FieldType.REST: "WIRE_REST",
    FieldType.LIST: "WIRE_LIST",
    FieldType.HASH: "WIRE_HASH",
}


def limit_of(field: Field) -> int | None:
    """The field's limit, unless its octets cannot go beyond it."""
    if field.max is None:
        return None
    if field.type in (FieldType.NUMBER, FieldType.VARINT):
        return field.max if field.max < number_range(field)[1] else None
    prefixed = field.type in (FieldType.STRING, FieldType.CHUNK, FieldType.LIST, FieldType.HASH)
    if prefixed and field.count is None and field.size and field.max >= (1 << 8 * field.size) - 1:
        return None
    return min(field.max, (1 << 64) - 1)


def c_type(field: Field) -> str:
    """The type of the field's member."""
    match field.type:
        case FieldType.NUMBER:
            return f"{'' if field.signed else 'u'}int{8 * field.size}_t"
        case FieldType.VARINT:
            return "int64_t" if field.signed else "uint64_t"
        case FieldType.STRING:
            return "wire_text"
        case FieldType.HASH:
            return "wire_pairs"
        case FieldType.LIST:
            assert field.items is not None
            return _list_type(field.items)
        case _:
            return "wire_octets"


def _list_type(item: Field) -> str:
    match item.type:
        case FieldType.NUMBER | FieldType.VARINT:
            return "wire_integers" if item.signed else "wire_numbers"
        case FieldType.STRING:
            return "wire_texts"
        case _:
            return "wire_blobs"


@dataclass(slots=True)
class Tables:
    """The constant tables of one source file, in the order they are needed."""

    enumerations: Mapping[str, Enumeration]
    declared: list[str]

    def field(
        self, field: Field, message: str, shown: str, struct: str, member: str | None, measures: list[int]
    ) -> str:
        """The initializer of a wire_field; `member` is None for what the struct does not have."""
        parts = [f".name = {quoted(shown)}", *self._kind(field, message)]
        if field.enumeration is not None:
            parts.append(f".enumeration = &{self._enumeration(field)}")
        if member is not None:
            parts.append(f".offset = offsetof({struct}, {member})")
        if measures:
            name = self._declare("uint16_t", "measures", f"{{{', '.join(map(str, measures))}}}", "[]")
            parts += [f".measures = {name}", f".measure_count = {len(measures)}"]
        return f"{{{', '.join(parts)}}}"

    def constant(self, name: str, value: bytes) -> str:
        """The initializer of a constant field."""
        octets = f"(const uint8_t *){quoted(value)}"
        return (
            f"{{.name = {quoted(name)}, .type = WIRE_CONSTANT, .octets = {len(value)}, .constant = {octets}}}"
        )

    def _kind(self, field: Field, message: str) -> list[str]:
        fixed = field.type is FieldType.OCTETS and field.length is None
        if field.reserved:
            return [".type = WIRE_RESERVED", f".octets = {field.size}"]
        if field.type is FieldType.OCTETS:
            parts = [f".type = {'WIRE_FIXED' if fixed else 'WIRE_MEASURED'}"]
            parts += [f".octets = {field.size}"] if fixed else []
        elif field.type in _TYPES:
            parts = [f".type = {_TYPES[field.type]}"]
        else:
            why = "messages of several frames are not for this package"
            raise UnsupportedByTarget("c", message, field.name, why)
        sized = (FieldType.NUMBER, FieldType.STRING, FieldType.CHUNK, FieldType.LIST, FieldType.HASH)
        if field.open_ended:
            parts.append(".is_open_ended = true")
        elif field.type in sized and field.count is None:
            parts.append(f".size = {field.size}")
        if field.signed:
            parts.append(".is_signed = true")
        if (limit := limit_of(field)) is not None and not fixed:
            parts += [".is_limited = true", f".max = {number(limit)}"]
        if field.type in (FieldType.STRING, FieldType.HASH):
            parts.append(f".text = {TEXTS[field.text]}")
        if field.items is not None:
            parts.append(f".item = &{self._item(field, field.items, message)}")
        return parts

    def _item(self, field: Field, item: Field, message: str) -> str:
        if item.type in (FieldType.LIST, FieldType.HASH):
            raise UnsupportedByTarget("c", message, field.name, "a list of lists")
        return self._declare("wire_field", "item", self.field(item, message, "item", "", None, []))

    def _enumeration(self, field: Field) -> str:
        found = self.enumerations[str(field.enumeration)]
        values = [member.value for member in found.members]
        if field.type is FieldType.STRING:
            texts = [value for value in values if isinstance(value, str)]
            listed = ", ".join(f"{{{quoted(value)}, {len(value.encode())}}}" for value in texts)
            parts = f".count = {len(texts)}"
            parts += (
                f", .texts = {self._declare('wire_text', 'texts', f'{{{listed}}}', '[]')}" if texts else ""
            )
        else:
            numbers = [value for value in values if isinstance(value, int)]
            mask = 0
            for value in numbers:
                mask |= value
            listed = ", ".join(_unsigned(value) for value in numbers)
            parts = f".flags = {str(field.flags).lower()}, .mask = {_unsigned(mask)}, .count = {len(numbers)}"
            parts += (
                f", .numbers = {self._declare('uint64_t', 'numbers', f'{{{listed}}}', '[]')}"
                if numbers
                else ""
            )
        return self._declare("wire_enumeration", "enumeration", f"{{{parts}}}")

    def _declare(self, kind: str, stem: str, value: str, brackets: str = "") -> str:
        """The name of a table with that value; one serves all who need the same."""
        for line in self.declared:
            if line.startswith(f"static const {kind} {stem}_") and line.endswith(f"{brackets} = {value};"):
                return line.split()[3].removesuffix("[]")
        name = f"{stem}_{len(self.declared) + 1}"
        self.declared.append(f"static const {kind} {name}{brackets} = {value};")
        return name


def _unsigned(value: int) -> str:
    return number(value & ((1 << 64) - 1))
