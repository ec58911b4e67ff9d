"""Standard input of adapters."""

from __future__ import annotations

import os
from collections.abc import Iterator

__all__ = ["batches", "id_of"]

BATCH = 64


def batches() -> Iterator[list[bytes]]:
    """Yields the lines of standard input: all that are available, at most BATCH."""
    rest = b""
    while data := os.read(0, 1 << 16):
        *lines, rest = (rest + data).split(b"\n")
        for start in range(0, len(lines), BATCH):
            yield lines[start : start + BATCH]


def id_of(body: bytes) -> str:
    """Returns the id of a message: its first word."""
    return body.split(b" ", 1)[0].decode()
