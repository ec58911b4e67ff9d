"""Caches for generated codecs: text by its bytes, struct formats by the length of their text. All are bounded."""

from __future__ import annotations

from collections.abc import Callable
from struct import Struct
from typing import Any, TypeVar

from .text import is_printable, is_utf8, is_vchar

__all__ = [
    "OCTETS",
    "PRINTABLE_OCTETS",
    "PRINTABLE_TEXTS",
    "TEXTS",
    "UTF8_OCTETS",
    "UTF8_TEXTS",
    "VCHAR_OCTETS",
    "VCHAR_TEXTS",
    "OctetTable",
    "Sized",
    "TextTable",
    "packers",
    "unpackers",
]

_TEXTS_MAX = 8192
_TEXT_OCTETS_MAX = 64
_SIZE_MAX = 255

R = TypeVar("R")


class TextTable(dict[bytes, str]):
    """Caches decoded text by its bytes. Raises KeyError if the bytes are not valid UTF-8 or fail `holds`. Texts of more
    than 64 bytes are not cached; a table of 8192 texts is cleared before it gets another.
    """

    def __init__(self, holds: Callable[[str], bool]) -> None:
        super().__init__()
        self._holds = holds

    def __missing__(self, octets: bytes) -> str:
        try:
            text = octets.decode()
        except UnicodeDecodeError:
            raise KeyError(octets) from None
        if not self._holds(text):
            raise KeyError(octets)
        if len(octets) <= _TEXT_OCTETS_MAX:
            if len(self) >= _TEXTS_MAX:
                self.clear()
            self[octets] = text
        return text


class OctetTable(dict[str, bytes]):
    """Caches encoded bytes by their text. Raises KeyError if the text is not a str, is not encodable in UTF-8, or fails
    `holds`. Bounded like TextTable.
    """

    def __init__(self, holds: Callable[[str], bool]) -> None:
        super().__init__()
        self._holds = holds

    def __missing__(self, text: str) -> bytes:
        try:
            octets = text.encode()
        except (AttributeError, UnicodeEncodeError):
            raise KeyError(text) from None
        if not self._holds(text):
            raise KeyError(text)
        if len(octets) <= _TEXT_OCTETS_MAX:
            if len(self) >= _TEXTS_MAX:
                self.clear()
            self[text] = octets
        return octets


class Sized(dict[int, Callable[..., R]]):
    """Caches a method of Struct by the length of the text in its format. Raises KeyError if the length exceeds 255."""

    def __init__(self, form: str, method: Callable[[Struct], Callable[..., R]]) -> None:
        super().__init__()
        self._form, self._method = form, method

    def __missing__(self, size: int) -> Callable[..., R]:
        if size > _SIZE_MAX:
            raise KeyError(size)
        method = self[size] = self._method(Struct(self._form.format(size)))
        return method


def packers(form: str) -> Sized[bytes]:
    """The methods that pack `form`, by the length of the text in it."""
    return Sized(form, lambda struct: struct.pack)


def unpackers(form: str) -> Sized[tuple[Any, ...]]:
    """The methods that unpack `form` from an offset, by the length of the text in it."""
    return Sized(form, lambda struct: struct.unpack_from)


PRINTABLE_TEXTS, PRINTABLE_OCTETS = TextTable(is_printable), OctetTable(is_printable)
UTF8_TEXTS, UTF8_OCTETS = TextTable(is_utf8), OctetTable(is_utf8)
VCHAR_TEXTS, VCHAR_OCTETS = TextTable(is_vchar), OctetTable(is_vchar)
#: The same by the model's names of the classes of text.
TEXTS = {"printable": PRINTABLE_TEXTS, "utf-8": UTF8_TEXTS, "vchar": VCHAR_TEXTS}
OCTETS = {"printable": PRINTABLE_OCTETS, "utf-8": UTF8_OCTETS, "vchar": VCHAR_OCTETS}
