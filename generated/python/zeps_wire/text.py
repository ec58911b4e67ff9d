"""Classes of text: UTF-8, UTF-8 without control characters, and visible ASCII.

Control characters are Unicode's category Cc: U+0000 to U+001F and U+007F to U+009F.
"""

from __future__ import annotations

import re

from .errors import DecodeError

__all__ = [
    "check_printable",
    "check_utf8",
    "check_vchar",
    "has_control",
    "is_printable",
    "is_utf8",
    "is_vchar",
    "octets_of",
]

_control = re.compile("[\x00-\x1f\x7f-\x9f]").search


def has_control(text: str) -> bool:
    """Whether `text` contains a control character."""
    return _control(text) is not None


def is_printable(text: str) -> bool:
    """Whether `text` contains no control characters."""
    return text.isprintable() or _control(text) is None


def is_utf8(text: str) -> bool:
    """Accepts every text."""
    return True


def is_vchar(text: str) -> bool:
    """Whether `text` consists of visible ASCII (%x21-7E)."""
    return text.isascii() and text.isprintable() and " " not in text


def octets_of(text: str) -> int:
    """The size of `text` in UTF-8, in bytes."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def check_utf8(octets: bytes) -> None:
    """Raises DecodeError ``bad-text``, with the offset in `octets`, unless these are well-formed UTF-8."""
    try:
        octets.decode()
    except UnicodeDecodeError as error:
        raise DecodeError("bad-text", offset=error.start) from None


def check_printable(octets: bytes) -> None:
    """Raises DecodeError ``bad-text`` with the offset, unless `octets` are UTF-8 without control characters."""
    try:
        text = octets.decode()
    except UnicodeDecodeError as error:
        raise DecodeError("bad-text", offset=error.start) from None
    if not text.isprintable() and (found := _control(text)):
        raise DecodeError("bad-text", offset=octets_of(text[: found.start()]))


def check_vchar(octets: bytes) -> None:
    """Raises DecodeError ``bad-text``, with the offset in `octets`, unless these are visible ASCII."""
    for offset, octet in enumerate(octets):
        if not 0x21 <= octet <= 0x7E:
            raise DecodeError("bad-text", offset=offset)
