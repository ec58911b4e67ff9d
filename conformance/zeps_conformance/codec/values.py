"""Random values of fields, as bytes and numbers: valid values, many of them limits, and invalid values."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from random import Random
from typing import Any

from zeps_conformance.model.definitions import Field, Message, Model
from zeps_conformance.model.malform import BAD_CONTROLS, BAD_UTF8

__all__ = ["Values"]

LONG = 5000
VERY_LONG = 70_000
_TRIES_MAX = 10_000

_EDGES = sorted({edge + by for bits in range(65) for edge in (1 << bits, -(1 << bits)) for by in (-1, 0, 1)})
_ASCII = [bytes((code,)) for code in range(0x21, 0x7F)]
_WIDE = [
    char.encode()
    for char in " \x00\t\x1f\x7f\x80\x9f\xa0\xad\xe9\u07ff\u0800\u2028\u20ac\ud7ff\ue000\ufeff\ufffd\uffff"
    "\U00010000\U0001f600\U0010ffff"
]
_PRINTABLE = [encoded for encoded in _WIDE if unicodedata.category(encoded.decode()) != "Cc"]
_ALPHABETS = {
    "utf-8": _ASCII + 3 * _WIDE,
    "printable": _ASCII + 3 * _PRINTABLE,
    "vchar": _ASCII,
    "octets": [bytes((octet,)) for octet in range(256)],
}


class Values:
    """Generator of values for the fields of a protocol."""

    def __init__(self, model: Model, random: Random) -> None:
        self.model, self.random = model, random
        self._edges: dict[tuple[int, int], list[int]] = {}

    def message(self, message: Message, fields: Sequence[Field]) -> list[Any]:
        """Returns valid values for `fields`, text as bytes. Raises ValueError after 10000 failed tries."""
        for _ in range(_TRIES_MAX):
            values = self._values(message, fields)
            numbers = _numbers(message, fields, values)
            if all(
                relation.holds(numbers)
                for spec in message.fields
                for relation in message.completed(spec.name)
            ):
                return values
        raise ValueError(f"{message.name}: no values found that satisfy its relations")

    def _values(self, message: Message, fields: Sequence[Field]) -> list[Any]:
        lengths: dict[str, int] = {}
        values = []
        for spec in fields:
            counter = spec.count or spec.length
            if counter is None:
                values.append(self.fitting(spec))
                continue
            limit = self._limit(message, counter)
            if spec.length is not None:
                values.append(self.random.randbytes(self._length(min([limit, *_own(spec)]), 40)))
            else:
                count = lengths.setdefault(counter, self._count(limit))
                item = spec.item()
                values.append([self.fitting(item) for _ in range(count)])
        return values

    def fitting(self, spec: Field) -> Any:
        """Returns a random valid value for the field, text as bytes. Raises ValueError for an unknown type."""
        random = self.random
        match spec.type:
            case "number" | "varint":
                return self._number(spec)
            case "string":
                return self._text(spec, (1 << 8 * spec.size) - 1)
            case "chunk" | "rest" | "octets" if spec.type != "octets" or spec.length is not None:
                most = (1 << 8 * spec.size) - 1 if spec.type == "chunk" else LONG
                return random.randbytes(self._length(min([most, *_own(spec)]), 40))
            case "octets":
                return self._fixed_bytes(spec.size)
            case "uuid":
                return self._fixed_bytes(16)
            case "list" | "strings":
                most = (1 << 8 * spec.size) - 1 if spec.type == "list" and spec.size else LONG
                item = spec.item()
                return [self.fitting(item) for _ in range(self._count(min([most, *_own(spec)])))]
            case "hash":
                return self._pairs(spec)
            case "frame":
                return random.randbytes(self._length(min([LONG, *_own(spec)]), 40))
            case "msg":
                most = min([LONG, *_own(spec)])
                return [random.randbytes(self._length(most, 40)) for _ in range(random.randint(1, 4))]
            case _:
                raise ValueError(f"{spec.name}: no values for a {spec.type}")

    def unfitting(self, spec: Field) -> Any:
        """Returns a random value that usually has a single error; sometimes it is valid."""
        random = self.random
        match spec.type:
            case "number" | "varint":
                bottom, top = (-(1 << 63), 1 << 63) if spec.signed else (0, 1 << 64)
                edges = [edge for edge in _EDGES if bottom <= edge < top]
                return random.choice([*edges, *self._beyond(spec, bottom, top)])
            case "string":
                most = min([(1 << 8 * spec.size) - 1, *_own(spec)])
                if spec.enumeration is not None or (spec.text != "octets" and random.random() < 0.6):
                    return self._bad_text(spec)[:most]
                return b"x" * self._beyond_length(spec, most)
            case "chunk":
                return bytes(self._beyond_length(spec, (1 << 8 * spec.size) - 1))
            case "uuid":
                return bytes(random.choice([0, 15, 17, 32]))
            case "octets" if spec.length is None:
                return bytes(max(0, spec.size + random.choice([-1, 1, 7])))
            case "list" | "strings":
                item = spec.item()
                if random.random() < 0.3:
                    few = self._beyond_length(spec, (1 << 8 * spec.size) - 1 if spec.size else VERY_LONG)
                    return [_shortest(item)] * min(few, LONG)
                items = [self.fitting(item), self.unfitting(item), self.fitting(item)]
                return items[1 : 1 + min([2, *_own(spec)])]
            case "hash":
                if spec.max is not None and (spec.max == 0 or (spec.max < LONG and random.random() < 0.2)):
                    return [(b"", b"")] * (spec.max + 1)
                if spec.text == "octets" or random.random() < 0.2:
                    return [(b"k" * 256, b"")]
                bad = self._bad_text(Field("part", "string", 4, text=spec.text))
                return random.choice([[(bad, b"x")], [(b"key", bad)]])
            case "msg":
                long = bytes(self._beyond_length(spec, 300))
                return random.choice([[], [long], [b"first", long]])
            case _:
                return bytes(self._beyond_length(spec, 300))

    def unfitting_items(self, message: Message, spec: Field, items: Sequence[Any]) -> list[Any]:
        """Returns a copy of `items` with an invalid, an additional or a missing item; sometimes it is valid."""
        item, changed = spec.item(), list(items)
        match self.random.choice(("item", "item", "more", "less")):
            case "item" if changed:
                changed[self.random.randrange(len(changed))] = self.unfitting(item)
            case "less" if changed:
                changed.pop()
            case _ if spec.count is not None and len(changed) < self._limit(message, spec.count):
                changed.append(self.fitting(item))
        return changed

    def _limit(self, message: Message, counter: str) -> int:
        """Returns the maximum number of items: the least of the maxima of the field `counter` and of what it counts."""
        most = self._greatest(message.field(counter))
        return min(
            [most, *(spec.max for spec in message.fields if spec.max is not None and spec.count == counter)]
        )

    # --- numbers

    def _range(self, spec: Field) -> tuple[int, int]:
        bits = 64 if spec.type == "varint" else 8 * spec.size
        least = -(1 << bits - 1) if spec.signed else 0
        return least, self._greatest(spec)

    def _greatest(self, spec: Field) -> int:
        bits = 64 if spec.type == "varint" else 8 * spec.size
        most = (1 << bits - spec.signed) - 1
        return most if spec.max is None else min(most, spec.max)

    def _number(self, spec: Field) -> int:
        if spec.enumeration is not None:
            members = [value for value in self.model.enumerations[spec.enumeration] if isinstance(value, int)]
            if not spec.flags:
                return self.random.choice(members)
            flags = 0
            for member in members:
                flags |= member * self.random.randint(0, 1)
            return flags
        least, most = self._range(spec)
        if self.random.random() < 0.5:
            edges = self._edges.get((least, most))
            if edges is None:
                edges = self._edges[least, most] = [edge for edge in (*_EDGES, most) if least <= edge <= most]
            return self.random.choice(edges)
        return min(max(least, self.random.getrandbits(self.random.randint(0, 64))), most)

    def _beyond(self, spec: Field, bottom: int, top: int) -> list[int]:
        least, most = self._range(spec)
        return 40 * [value for value in (most + 1, least - 1) if bottom <= value < top]

    # --- lengths and bytes

    def _length(self, most: int, few: int) -> int:
        """Returns a length up to `most`: usually at most `few`, sometimes larger or `most`, rarely beyond 5000."""
        chance = self.random.random()
        if chance < 0.9:
            return self.random.randint(0, min(few, most))
        if chance < 0.97:
            return min(most, self.random.choice([0, 1, 127, 128, 255, 256, 257, 300]))
        return min(most, self.random.choice([LONG, most]), VERY_LONG if self.random.random() < 0.03 else LONG)

    def _count(self, most: int) -> int:
        """Returns a number of items up to `most`: usually at most 4, never more than 300."""
        chance = self.random.random()
        few = 4 if chance < 0.95 else 40 if chance < 0.995 else 300
        return self.random.randint(0, min(few, most))

    def _beyond_length(self, spec: Field, most: int) -> int:
        limit = min([most, *_own(spec)])
        return limit + 1 if limit < VERY_LONG else self.random.randint(0, 9)

    def _fixed_bytes(self, size: int) -> bytes:
        return self.random.choice([bytes(size), b"\xff" * size, self.random.randbytes(size)])

    # --- text

    def _text(self, spec: Field, most: int) -> bytes:
        if spec.enumeration is not None:
            return str(self.random.choice(self.model.enumerations[spec.enumeration])).encode()
        length = self._length(min([most, *_own(spec)]), 12)
        alphabet = _ALPHABETS[spec.text]
        if spec.name == "topic":
            alphabet = [encoded for encoded in alphabet if encoded != b"\0"]
        text = b"".join(self.random.choices(alphabet, k=length))
        if len(text) <= length:
            return text
        return text[:length] if spec.text == "octets" else text[:length].decode("utf-8", "ignore").encode()

    def _bad_text(self, spec: Field) -> bytes:
        if spec.enumeration is not None:
            return b"not a member"
        bad = [sequence for _, sequence in BAD_UTF8]
        if spec.text in ("printable", "vchar"):
            bad += [chr(code).encode() for code in BAD_CONTROLS]
        if spec.text == "vchar":
            bad += [b" ", "é".encode(), b"\x7f"]
        if spec.name == "topic":
            bad.append(b"\0")
        return (
            self.random.choice([b"", b"a", "é".encode()])
            + self.random.choice(bad)
            + self.random.choice([b"", b"b"])
        )

    def _pairs(self, spec: Field) -> list[tuple[bytes, bytes]]:
        most = min([LONG, *_own(spec)])
        part = Field("part", "string", 1, text=spec.text)
        pairs = [(self.fitting(part), self.fitting(part)) for _ in range(self._count(most))]
        if len(pairs) > 1 and self.random.random() < 0.3:
            pairs[-1] = (pairs[0][0], pairs[-1][1])  # equal keys form two pairs
        return pairs


def _numbers(message: Message, fields: Sequence[Field], values: Sequence[Any]) -> dict[str, int]:
    """Returns the values of the message's number fields by name, including those that count or measure others."""
    given = {spec.name: value for spec, value in zip(fields, values, strict=True)}
    measured = {
        counter: len(given[spec.name]) for spec in fields for counter in (spec.count, spec.length) if counter
    }
    return {**measured, **{name: value for name, value in given.items() if isinstance(value, int)}}


def _own(spec: Field) -> list[int]:
    return [] if spec.max is None else [spec.max]


def _shortest(item: Field) -> Any:
    if item.type in ("number", "varint"):
        return 0
    return bytes(16 if item.type == "uuid" else item.size if item.type == "octets" else 0)
