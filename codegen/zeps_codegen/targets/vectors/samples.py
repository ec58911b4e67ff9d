"""Sample values of fields: an ordinary value, values at the edges of the format, and values beyond."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...ir import Enumeration, Field, FieldType, Protocol, Text
from ...plan.layout import item_of, number_range

__all__ = ["BAD_TEXTS", "CONTENT_MAX", "Samples", "controls"]

#: The maximum length of text and bytes, so that vectors stay readable. Fuzzing goes further.
CONTENT_MAX = 300

_NUMBERS = (
    *(
        -(1 << 63),
        -(1 << 31),
        -(1 << 15),
        -129,
        -128,
        -1,
        0,
        1,
        127,
        128,
        255,
        256,
        32767,
        32768,
        65535,
        65536,
    ),
    *((1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 32, (1 << 53) + 1, (1 << 63) - 1, 1 << 63, (1 << 64) - 1),
)

#: Bytes that are not UTF-8.
BAD_TEXTS: tuple[tuple[str, bytes], ...] = (
    ("no beginning", b"\x80"),
    ("cut short", b"a\xc3"),
    ("cut short in the middle", b"\xe2\x82a"),
    ("overlong of two", b"\xc0\xaf"),
    ("overlong of three", b"\xe0\x80\xaf"),
    ("overlong of four", b"\xf0\x80\x80\xaf"),
    ("a surrogate", b"\xed\xa0\x80"),
    ("a pair of surrogates", b"\xed\xa0\xbd\xed\xb8\x80"),
    ("beyond Unicode", b"\xf4\x90\x80\x80"),
    ("five bytes", b"\xf8\x88\x80\x80\x80"),
    ("not a byte of UTF-8", b"a\xffb"),
)

_CONTROLS = ("\0", "\t", "\n", "\x1f", "\x7f", "\x80", "\x85", "\x9f")

_TEXTS: dict[Text, tuple[tuple[str, bytes], ...]] = {
    Text.OCTETS: (("any bytes", bytes((0, 10, 127, 128, 192, 255))),),
    Text.UTF8: (
        ("control characters", "".join(_CONTROLS).encode()),
        ("the edges of each length", "\x7f\x80\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff".encode()),
    ),
    Text.PRINTABLE: (
        ("not quite control characters", "\xa0\xad\u2028\u2029\u200b\ufeff\ufffe\ue000".encode()),
        ("the edges of each length", " ~\xa0\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff".encode()),
    ),
    Text.VCHAR: (("the first and the last", b"!~"),),
}


def controls(text: Text) -> tuple[tuple[str, bytes], ...]:
    """Named pieces of valid UTF-8 that a class of text forbids; empty for octets and UTF-8."""
    pieces = [(f"U+{ord(char):04X}", char.encode()) for char in _CONTROLS] if text is not Text.UTF8 else []
    pieces += [("a space", b"a b"), ("beyond ASCII", "é".encode())] if text is Text.VCHAR else []
    return () if text is Text.OCTETS else tuple(pieces)


def _has_length(field: Field) -> bool:
    """Whether a length or a count of `size` bytes precedes the content; False for `strings` and hashes."""
    counted = field.type is FieldType.LIST and field.count is None and not field.open_ended
    return counted or field.type in (FieldType.STRING, FieldType.CHUNK)


class Samples:
    """Values of a protocol's fields: numbers, bytes (also for text), lists of values, and lists of pairs for hashes."""

    def __init__(self, protocol: Protocol) -> None:
        self._enumerations = {item.name: item for item in protocol.enumerations}

    def ordinary(self, field: Field) -> Any:
        """A value of ordinary size that is not empty, if possible."""
        members = self._members(field)
        match field.type:
            case _ if members and field.type is not FieldType.LIST:
                return members[-1]
            case FieldType.NUMBER | FieldType.VARINT:
                return min(7, self._greatest(field))
            case FieldType.STRING | FieldType.CHUNK | FieldType.REST | FieldType.FRAME:
                return f"{field.name}-7".encode()[: self.longest(field)]
            case FieldType.LIST | FieldType.STRINGS:
                inner = item_of(field)
                return [self.ordinary(inner), self.edges(inner)[0][1]][: self.longest(field)]
            case FieldType.HASH:
                return [(b"key", b"value"), (b"other", b"")][: self.longest(field)]
            case FieldType.UUID:
                return bytes(range(1, 17))
            case FieldType.MSG:
                return [b"one"[: self.longest(field)], b""]
            case _:
                size = min(3, self.longest(field)) if field.length else field.size
                return bytes(range(1, size + 1)) if size < 256 else b"x" * size

    def edges(self, field: Field) -> list[tuple[str, Any]]:
        """Values at the edges of the field's range, each with a name."""
        members = self._members(field)
        match field.type:
            case _ if members and field.type is not FieldType.LIST:
                combined = [sum(members), 0] if field.flags else []
                return [(str(value), value) for value in [*members, *combined]]
            case FieldType.NUMBER | FieldType.VARINT:
                least, _ = number_range(field)
                most = self._greatest(field)
                numbers = sorted({least, most, *(number for number in _NUMBERS if least <= number <= most)})
                return [(str(number), number) for number in numbers]
            case FieldType.STRING:
                texts = [named for named in _TEXTS[field.text] if len(named[1]) <= self.longest(field)]
                return [*self._lengths(field, b"x"), *texts]
            case FieldType.CHUNK | FieldType.REST | FieldType.FRAME:
                return self._lengths(field, b"\0")
            case FieldType.MSG:
                return [("an empty frame", [b""]), ("three frames", [b"", b"x" * self.longest(field), b""])]
            case FieldType.LIST | FieldType.STRINGS:
                return self._many(field)
            case FieldType.HASH:
                same = [(b"key", b"1"), (b"key", b"2"), (b"key", b"1")]
                pairs = {"0 pairs": [], "1 pairs": [(b"k" * 255, b"v" * 256)], "empty": [(b"", b"")]}
                pairs["equal keys"] = same
                return [named for named in pairs.items() if len(named[1]) <= self.longest(field)]
            case FieldType.UUID:
                return [("zeros", bytes(16)), ("ones", b"\xff" * 16)]
            case _ if field.length is not None:
                return self._lengths(field, b"\xff")
            case _:
                return [("zeros", bytes(field.size)), ("ones", b"\xff" * field.size)]

    def beyond(self, field: Field) -> list[tuple[str, Any]]:
        """Values that the field cannot hold, each with one error and a name."""
        match field.type:
            case FieldType.NUMBER | FieldType.VARINT:
                return self._numbers_beyond(field)
            case FieldType.STRING:
                return [*self._texts_beyond(field), *self._lengths_beyond(field, b"x")]
            case FieldType.CHUNK | FieldType.REST | FieldType.FRAME:
                return self._lengths_beyond(field, b"\0")
            case FieldType.MSG:
                beyond = self._lengths_beyond(field, b"\0")
                return [("no frame", []), *((name, [b"", content]) for name, content in beyond)]
            case FieldType.LIST | FieldType.STRINGS:
                inner = item_of(field)
                values = [(name, [self.ordinary(inner), value]) for name, value in self.beyond(inner)]
                values = [item for item in values if len(item[1]) <= self.longest(field)]
                return values + [
                    (name, [self.ordinary(inner)] * len(v)) for name, v in self._lengths_beyond(field, b"x")
                ]
            case FieldType.HASH:
                values = [(f"key: {name}", [(text, b"")]) for name, text in self._texts_beyond(field)]
                values += [(f"value: {name}", [(b"", text)]) for name, text in self._texts_beyond(field)]
                values = [*values, ("a long key", [(b"k" * 256, b"")])] if self.longest(field) else []
                return values + [
                    (name, [(b"key", b"")] * len(v)) for name, v in self._lengths_beyond(field, b"x")
                ]
            case FieldType.UUID:
                return [("15 octets", bytes(15)), ("17 octets", bytes(17))]
            case _ if field.length is not None:
                return self._lengths_beyond(field, b"\0")
            case _:
                return [("one octet less", bytes(field.size - 1)), ("one octet more", bytes(field.size + 1))]

    def longest(self, field: Field) -> int:
        """The maximum number of bytes or items of a value, at most CONTENT_MAX."""
        most = CONTENT_MAX if field.max is None else min(field.max, CONTENT_MAX)
        return min(most, (1 << 8 * field.size) - 1) if _has_length(field) else most

    def _members(self, field: Field) -> list[Any]:
        if field.enumeration is None:
            return []
        enum: Enumeration = self._enumerations[field.enumeration]
        return [item.value.encode() if isinstance(item.value, str) else item.value for item in enum.members]

    def _greatest(self, field: Field) -> int:
        most = number_range(field)[1]
        return most if field.max is None else min(most, field.max)

    def _lengths(self, field: Field, fill: bytes) -> list[tuple[str, bytes]]:
        most = self.longest(field)
        return [(f"{n} octets", fill * n) for n in sorted({0, 1, 255, 256, most}) if n <= most]

    def _many(self, field: Field) -> list[tuple[str, Any]]:
        inner, most = item_of(field), self.longest(field)
        few = min(most, 40)
        values = [(f"{n} items", [self.ordinary(inner)] * n) for n in sorted({0, min(1, few), few})]
        edges = [(f"item {name}", [value, self.ordinary(inner)]) for name, value in self.edges(inner)]
        return values + [item for item in edges if len(item[1]) <= most]

    def _numbers_beyond(self, field: Field) -> list[tuple[str, int]]:
        """Numbers of at most 8 bytes beyond the range, the limit or the enumeration, each named by its digits."""
        least, most = number_range(field)
        bottom, top = (-(1 << 63), (1 << 63) - 1) if field.signed else (0, (1 << 64) - 1)
        members = self._members(field)
        if members:
            known = 0
            for member in members:
                known |= member
            wrong = [n for n in range(257) if (n & ~known if field.flags else n not in members)]
            numbers = [*wrong[:2], most]
            return [(str(n), n) for n in numbers if n in wrong or n > 256]
        numbers = [self._greatest(field) + 1, most + 1, top, least - 1, bottom]
        return [
            (str(n), n)
            for n in dict.fromkeys(numbers)
            if bottom <= n <= top and not least <= n <= self._greatest(field)
        ]

    def _texts_beyond(self, field: Field) -> Iterator[tuple[str, bytes]]:
        if field.enumeration is not None:
            yield "no member", b"no member"
        elif field.text is not Text.OCTETS:
            longest = self.longest(field) if field.type is FieldType.STRING else 255
            yield from (named for named in (*BAD_TEXTS, *controls(field.text)) if len(named[1]) <= longest)

    def _lengths_beyond(self, field: Field, fill: bytes) -> list[tuple[str, bytes]]:
        limits = [field.max] if field.max is not None else []
        if _has_length(field):
            limits.append((1 << 8 * field.size) - 1)
        least = min(limits, default=CONTENT_MAX)
        return [(f"{least + 1} long", fill * (least + 1))] if least < CONTENT_MAX else []
