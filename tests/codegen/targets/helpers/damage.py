"""Frames with a random error."""

from __future__ import annotations

import random

__all__ = ["damaged"]


def damaged(octets: bytes, chance: random.Random) -> bytes:
    """The bytes after one change: cut, extended, or with a byte replaced (possibly by itself), dropped or inserted."""
    at = chance.randrange(len(octets) + 1)
    one = bytes([chance.choice([0, 1, 0x7F, 0x80, 0xC3, 0xFF, chance.randrange(256)])])
    match chance.choice(["cut", "more", "replace", "replace", "replace", "drop", "insert"]):
        case "cut":
            return octets[:at]
        case "more":
            return octets + chance.randbytes(chance.randint(1, 3))
        case "drop":
            return octets[:at] + octets[at + 1 :]
        case "insert":
            return octets[:at] + one + octets[at:]
        case _:
            return octets[:at] + one + octets[at + 1 :]
