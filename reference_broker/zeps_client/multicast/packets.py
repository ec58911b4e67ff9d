"""DELIVER frames as multipart messages of a multicast socket. A frame of at most `PART_MAX` bytes is one part. A longer
frame is split, and a last part has a CRC-32 of the whole frame, since after a loss the parts of two messages may be
joined.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Final

from zeps_multicast import PART_MAX
from zeps_wire.errors import DecodeError
from zeps_wire.zeps import Deliver, decode

__all__ = ["join", "split"]

_CRC: Final = 4


def split(frame: bytes) -> list[bytes]:
    """Splits an encoded DELIVER into the parts of its message."""
    if len(frame) <= PART_MAX:
        return [frame]
    parts = [frame[at : at + PART_MAX] for at in range(0, len(frame), PART_MAX)]
    return [*parts, zlib.crc32(frame).to_bytes(_CRC, "big")]


def join(parts: Sequence[bytes]) -> Deliver | None:
    """Returns the DELIVER of a message, or None if the message is not a complete DELIVER."""
    frame = parts[0]
    if len(parts) > 1:
        frame = b"".join(parts[:-1])
        if zlib.crc32(frame).to_bytes(_CRC, "big") != parts[-1]:
            return None
    try:
        message = decode(frame)
    except DecodeError:
        return None
    return message if isinstance(message, Deliver) else None
