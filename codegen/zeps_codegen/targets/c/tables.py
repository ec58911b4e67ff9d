"""What operations are in a message's struct, and in the tables that describe it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ...ir import Enumeration, Text
from ...plan.operations import (
    Apart,
    Constant,
    Content,
    Fixed,
    Items,
    Number,
    Operation,
    Reserved,
    Rest,
    Topic,
)
from ..errors import UnsupportedByTarget
from ..operators import U64_MAX
from .names import MessageNames, number, quoted

__all__ = ["Tables", "c_type", "check", "limit_of"]

_TEXTS = {
    None: "WIRE_ANY_OCTETS",
    Text.UTF8: "WIRE_UTF8",
    Text.PRINTABLE: "WIRE_PRINTABLE",
    Text.VCHAR: "WIRE_VCHAR",
}


def check(owner: str, operations: Iterable[Operation]) -> None:
    """UnsupportedByTarget if the tables cannot describe one of the operations."""
    for one in operations:
        if isinstance(one, Apart):
            raise UnsupportedByTarget(
                "c", owner, one.name, "messages of several frames are not for this package"
            )
        if isinstance(one, Items) and not one.is_pairs and isinstance(one.item, Items):
            raise UnsupportedByTarget("c", owner, one.name, "a list of lists")


def limit_of(operation: Number | Content | Rest | Items) -> int | None:
    """The operation's limit, unless nothing can go beyond it."""
    greatest = U64_MAX
    if isinstance(operation, Items) and operation.prefix:
        greatest = (1 << 8 * operation.prefix) - 1
    limit = operation.limit
    return None if limit is None or limit >= greatest else limit


def c_type(operation: Operation) -> str:
    """The type of the operation's member."""
    match operation:
        case Number(signed=signed, bits=bits):
            return f"{'' if signed else 'u'}int{bits}_t"
        case Topic() | Content(is_string=True):
            return "wire_text"
        case Items(is_pairs=True):
            return "wire_pairs"
        case Items(item=Number(signed=signed)):
            return "wire_integers" if signed else "wire_numbers"
        case Items(item=Content(is_string=True)):
            return "wire_texts"
        case Items():
            return "wire_blobs"
        case _:
            return "wire_octets"


@dataclass(slots=True)
class Tables:
    """The constant tables of one source file, in the order they are needed."""

    enumerations: Mapping[str, Enumeration]
    declared: list[str] = field(default_factory=list)

    def fields(self, message: MessageNames) -> list[str]:
        """The initializers of the message's wire_fields, constants and derived numbers included."""
        operations = (*message.plan.constants, *message.plan.operations)
        places = {one.name: index for index, one in enumerate(operations) if not isinstance(one, Topic)}
        return [self.field(one, one.name, message.type, message.member_of(one), places) for one in operations]

    def field(
        self,
        operation: Operation,
        name: str,
        struct: str = "",
        member: str | None = None,
        places: Mapping[str, int] | None = None,
    ) -> str:
        """The initializer of a wire_field; `member` is None for what the struct does not have."""
        parts = [f".name = {quoted(name)}", *self._kind(operation)]
        if isinstance(operation, Number | Content) and operation.enumeration is not None:
            parts.append(f".enumeration = &{self._enumeration(operation, operation.enumeration)}")
        if member is not None:
            parts.append(f".offset = offsetof({struct}, {member})")
        if isinstance(operation, Number) and operation.measures and places is not None:
            listed = [str(places[one]) for one in operation.measures]
            parts.append(f".measures = {self._listed('uint16_t', 'measures', listed)}")
            parts.append(f".measure_count = {len(listed)}")
        return f"{{{', '.join(parts)}}}"

    def _kind(self, operation: Operation) -> list[str]:
        match operation:
            case Constant(_, octets):
                constant = f".constant = (const uint8_t *){quoted(octets)}"
                return [".type = WIRE_CONSTANT", f".octets = {len(octets)}", constant]
            case Topic():
                return [".type = WIRE_TOPIC", ".text = WIRE_UTF8"]
            case Reserved(_, size):
                return [".type = WIRE_RESERVED", f".octets = {size}"]
            case Number(size=0):
                return [".type = WIRE_VARINT", *_signed(operation), *_limited(operation)]
            case Number(size=size):
                return [".type = WIRE_NUMBER", f".size = {size}", *_signed(operation), *_limited(operation)]
            case Content(is_string=True, prefix=size, text=text):
                return [
                    ".type = WIRE_STRING",
                    f".size = {size}",
                    *_limited(operation),
                    f".text = {_TEXTS[text]}",
                ]
            case Content(prefix=0):
                return [".type = WIRE_MEASURED", *_limited(operation)]
            case Content(prefix=size):
                return [".type = WIRE_CHUNK", f".size = {size}", *_limited(operation)]
            case Fixed(size=size):
                return [".type = WIRE_FIXED", f".octets = {size}"]
            case Rest():
                return [".type = WIRE_REST", *_limited(operation)]
            case Items():
                return self._items(operation)
            case Apart():
                raise ValueError("see check()")

    def _items(self, items: Items) -> list[str]:
        parts = [".type = WIRE_HASH" if items.is_pairs else ".type = WIRE_LIST"]
        if items.is_open:
            parts.append(".is_open_ended = true")
        elif items.prefix:
            parts.append(f".size = {items.prefix}")
        parts += _limited(items)
        match items.parts:
            case (Content(text=text), _):
                return [*parts, f".text = {_TEXTS[text]}"]
            case _:
                return [
                    *parts,
                    f".item = &{self._declare('wire_field', 'item', self.field(items.item, 'item'))}",
                ]

    def _enumeration(self, operation: Number | Content, name: str) -> str:
        values = [member.value for member in self.enumerations[name].members]
        if isinstance(operation, Content):
            texts = [f"{{{quoted(one)}, {len(one.encode())}}}" for one in values if isinstance(one, str)]
            parts = [f".count = {len(texts)}"]
            parts += [f".texts = {self._listed('wire_text', 'texts', texts)}"] if texts else []
        else:
            numbers = [one & U64_MAX for one in values if isinstance(one, int)]
            mask = 0
            for one in numbers:
                mask |= one
            flags = str(operation.flags).lower()
            parts = [f".flags = {flags}", f".mask = {number(mask)}", f".count = {len(numbers)}"]
            listed = [number(one) for one in numbers]
            parts += [f".numbers = {self._listed('uint64_t', 'numbers', listed)}"] if numbers else []
        return self._declare("wire_enumeration", "enumeration", f"{{{', '.join(parts)}}}")

    def _listed(self, kind: str, stem: str, values: Sequence[str]) -> str:
        return self._declare(kind, stem, f"{{{', '.join(values)}}}", "[]")

    def _declare(self, kind: str, stem: str, value: str, brackets: str = "") -> str:
        """The name of a table with that value; one serves all who need the same."""
        for line in self.declared:
            if line.startswith(f"static const {kind} {stem}_") and line.endswith(f"{brackets} = {value};"):
                return line.split()[3].removesuffix("[]")
        name = f"{stem}_{len(self.declared) + 1}"
        self.declared.append(f"static const {kind} {name}{brackets} = {value};")
        return name


def _signed(operation: Number) -> list[str]:
    return [".is_signed = true"] if operation.signed else []


def _limited(operation: Number | Content | Rest | Items) -> list[str]:
    limit = limit_of(operation)
    return [] if limit is None else [".is_limited = true", f".max = {number(limit)}"]
