"""DELIVER frames as messages of a multicast socket.

A frame is a message of one part. A longer one than `PART_MAX` goes in several, and after them a CRC-32 of all: a
receiver that lost some of the flow may be handed the beginning of one message and the end of another as one.
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
    """The parts of the message that carries an encoded DELIVER."""
    if len(frame) <= PART_MAX:
        return [frame]
    parts = [frame[at : at + PART_MAX] for at in range(0, len(frame), PART_MAX)]
    return [*parts, zlib.crc32(frame).to_bytes(_CRC, "big")]


def join(parts: Sequence[bytes]) -> Deliver | None:
    """The DELIVER that a message carries; None if it carries none that is whole."""
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
