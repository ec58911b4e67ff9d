"""Errors of codecs and machines. Decoders and encoders use the same codes, with the same names in every language:

- ``truncated``: the frame ends before the field does, or the value to encode is too short
- ``trailing``: bytes follow the last field
- ``bad-signature``: the frame does not begin with the protocol's signature
- ``unknown-message``: no message has this number, name or beginning
- ``bad-constant``: a constant field has another value, or a value is not in its enumeration
- ``bad-text``: a text that is not UTF-8, or has a character that its class forbids
- ``too-long``: a length, a count or a number beyond its limit
- ``bad-relation``: a relation between two numbers, or a number and a constant, is false
- ``not-set``: the host has not filled a field of a message that a machine sends; does not occur in decoders
"""

from __future__ import annotations

import re

__all__ = [
    "CODES",
    "DecodeError",
    "EncodeError",
    "LocalError",
    "ProtocolError",
    "RemoteError",
    "UnexpectedEvent",
    "UnhandledEvent",
]

CODES = (
    "truncated",
    "trailing",
    "bad-signature",
    "unknown-message",
    "bad-constant",
    "bad-text",
    "too-long",
    "bad-relation",
    "not-set",
)

_REASON_OCTETS_MAX = 255
_unprintable = re.compile("[^ -~]")


def _sentence(code: str, message: str | None, field: str | None, offset: int | None) -> str:
    place = "" if message is None else f": {message}" if field is None else f": {message}.{field}"
    where = "" if offset is None else f" at byte {offset}"
    return _unprintable.sub("?", f"{code}{place}{where}")[:_REASON_OCTETS_MAX]


class ProtocolError(Exception):
    """The base class of the errors of this package."""


class LocalError(ProtocolError):
    """This program violated the protocol."""


class RemoteError(ProtocolError):
    """The peer violated the protocol."""


class DecodeError(RemoteError):
    """The frame is not a message of the protocol. `code` is one of CODES; `message` and `field` are the model's names,
    None if unknown; `offset` is the number of bytes in the first frame before the field, item, message number or
    trailing bytes, or the size of the first frame for errors in a later one. The text is printable ASCII of at most 255
    bytes, so that it can be sent to the peer as a reason.
    """

    def __init__(
        self, code: str, message: str | None = None, field: str | None = None, offset: int = 0
    ) -> None:
        self.code = code
        self.message = message
        self.field = field
        self.offset = offset

    def __str__(self) -> str:
        return _sentence(self.code, self.message, self.field, self.offset)

    def __reduce__(self) -> tuple[type[DecodeError], tuple[str, str | None, str | None, int]]:
        return DecodeError, (self.code, self.message, self.field, self.offset)


class EncodeError(LocalError):
    """The message cannot be encoded; `code`, `message` and `field` as in DecodeError."""

    def __init__(self, code: str, message: str | None = None, field: str | None = None) -> None:
        self.code = code
        self.message = message
        self.field = field

    def __str__(self) -> str:
        return _sentence(self.code, self.message, self.field, None)

    def __reduce__(self) -> tuple[type[EncodeError], tuple[str, str | None, str | None]]:
        return EncodeError, (self.code, self.message, self.field)


class UnexpectedEvent(RemoteError):  # noqa: N818
    """The peer sent a message that the machine's state does not handle."""


class UnhandledEvent(LocalError):  # noqa: N818
    """The host or the application raised an event that the state does not handle, or that is not allowed at that
    moment: an internal event outside of an action, or any other event inside of one. Also if more than RAISES_MAX
    internal events follow each other, and for a message that is received inside of an action.
    """
