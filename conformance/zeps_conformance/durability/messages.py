"""Bodies of test messages: a reader recognizes each message, and any change of its content."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

__all__ = ["MessageId", "body_of", "parse_body"]

_SIZE_MAX = 1200  # bytes of random content


class MessageId(NamedTuple):
    """The `number`-th message of a publisher, from 1."""

    publisher: int
    number: int

    def __str__(self) -> str:
        return f"{self.publisher}-{self.number}"


def body_of(message: MessageId, seed: int) -> str:
    """Returns printable ASCII without line breaks: the id, and 8 to 1,199 characters that depend on id and seed."""
    state = hashlib.shake_128(f"{seed}/{message}".encode())
    size = 8 + int.from_bytes(state.digest(4), "big") % (_SIZE_MAX - 8)
    return f"{message} {state.hexdigest(size)[:size]}"


def parse_body(body: str, seed: int) -> MessageId | None:
    """Returns the id if `body` is exactly that of :func:`body_of`, else None: it was changed, or never published."""
    name, _, _ = body.partition(" ")
    publisher, _, number = name.partition("-")
    if not (publisher.isdecimal() and number.isdecimal() and len(name) < 40):
        return None
    message = MessageId(int(publisher), int(number))
    return message if body_of(message, seed) == body else None
