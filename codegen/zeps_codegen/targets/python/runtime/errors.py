"""What can go wrong with a message, with the same names in every language.

``LocalError`` is this program's own doing, ``RemoteError`` is the other side's. Both codecs use one taxonomy:

- ``truncated``: the frame ends before the field does
- ``trailing``: octets follow the last field
- ``bad-signature``: the frame does not begin as every frame of the protocol does
- ``unknown-message``: no message has this number, name or beginning
- ``bad-constant``: a constant field holds something else, or a value is not in its enumeration
- ``bad-text``: text that is not UTF-8, or holds what its class forbids
- ``too-long``: a length, a count or a number beyond its limit
- ``bad-relation``: two numbers, or a number and a constant, are not related as they have to be
- ``not-set``: a message that a machine sends has a field that the host has not filled; never of a frame
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
    where = "" if offset is None else f" at octet {offset}"
    return _unprintable.sub("?", f"{code}{place}{where}")[:_REASON_OCTETS_MAX]


class ProtocolError(Exception):
    """Every error of this package."""


class LocalError(ProtocolError):
    """This program broke the protocol."""


class RemoteError(ProtocolError):
    """The other side broke the protocol."""


class DecodeError(RemoteError):
    """Octets that are not a message.

    `code` is one of CODES; `message` and `field` are the model's names, as far as they are known; `offset` is
    where the field begins, in octets from the frame's start. The text is printable ASCII of at most 255
    octets: fit for the reason that a peer is told.
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
    """A message that its format cannot carry; `code`, `message` and `field` as in DecodeError."""

    def __init__(self, code: str, message: str | None = None, field: str | None = None) -> None:
        self.code = code
        self.message = message
        self.field = field

    def __str__(self) -> str:
        return _sentence(self.code, self.message, self.field, None)

    def __reduce__(self) -> tuple[type[EncodeError], tuple[str, str | None, str | None]]:
        return EncodeError, (self.code, self.message, self.field)


class UnexpectedEvent(RemoteError):  # noqa: N818
    """A message arrived that the machine's state does not take."""


class UnhandledEvent(LocalError):  # noqa: N818
    """The host or the application raised an event that the machine's state does not take, or does not take now."""
