"""Composes and parses INVALID's reason: ``code [SP first SP last] SP text`` (ZEPS-INVALID-8)."""

from __future__ import annotations

import re

from zeps_wire.errors import DecodeError
from zeps_wire.zeps import EndingCode, OpenCode

__all__ = ["Code", "compose", "of_decode_error", "parse"]

Code = EndingCode | OpenCode

_REASON_BYTES_MAX = 255
_FORM = re.compile(r"([a-z][a-z-]*)(?: (\d{1,20}) (\d{1,20}))? (.+)")


def compose(code: Code, text: str, sequences: tuple[int, int] | None = None) -> str:
    """Returns the reason, cut to 255 characters. `sequences` are the first and the last. In `text`, characters other
    than printable ASCII become `?`; an empty text becomes `no details`.
    """
    head = f"{code} " if sequences is None else f"{code} {sequences[0]} {sequences[1]} "
    printable = "".join(c if " " <= c <= "~" else "?" for c in text) or "no details"
    return (head + printable)[:_REASON_BYTES_MAX]


def parse(reason: str) -> tuple[str, tuple[int, int] | None, str]:
    """Returns code, (first, last) sequence or None, and text. Raises ValueError if the reason does not have the form
    ``code [first last] text``. A code that :data:`Code` does not have is returned as it is.
    """
    match = _FORM.fullmatch(reason)
    if match is None:
        raise ValueError(f"not of the form `code [first last] text`: {reason!r}")
    code, first, last, text = match.groups()
    return code, None if first is None else (int(first), int(last)), text


def of_decode_error(error: DecodeError) -> str:
    """Returns INVALID's reason for a frame that cannot be decoded: the code for the error, and the error as text."""
    return compose(_code(error), str(error))


def _code(error: DecodeError) -> EndingCode:
    match error.code, error.message, error.field:
        case "unknown-message", _, _:
            return EndingCode.UNKNOWN_COMMAND
        case "bad-constant", "ATTACH", "protocol":
            return EndingCode.UNSUPPORTED_PROTOCOL
        case "bad-constant", "ATTACH", "version":
            return EndingCode.UNSUPPORTED_VERSION
        case _:
            return EndingCode.MALFORMED
