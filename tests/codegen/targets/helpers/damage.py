"""Frames with a random error."""

from __future__ import annotations

import random

__all__ = ["damaged"]


def damaged(data: bytes, chance: random.Random) -> bytes:
    """The bytes after one change: cut, extended, or with a byte replaced (possibly by itself), dropped or inserted."""
    at = chance.randrange(len(data) + 1)
    new_byte = bytes([chance.choice([0, 1, 0x7F, 0x80, 0xC3, 0xFF, chance.randrange(256)])])
    match chance.choice(["cut", "more", "replace", "replace", "replace", "drop", "insert"]):
        case "cut":
            return data[:at]
        case "more":
            return data + chance.randbytes(chance.randint(1, 3))
        case "drop":
            return data[:at] + data[at + 1 :]
        case "insert":
            return data[:at] + new_byte + data[at:]
        case _:
            return data[:at] + new_byte + data[at + 1 :]
