"""Wire log of a case: every frame in both directions, with its first 128 bytes and its time."""

from __future__ import annotations

import time

from zeps_conformance.common.results import WireLine

__all__ = ["KEEP", "WireLog"]

KEEP = 128  # bytes of a frame that are kept


class WireLog:
    """Lines in chronological order. A log begins with one attempt at a case and is not safe for several threads."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self.lines: list[WireLine] = []

    def elapsed(self) -> float:
        """Seconds since the log began."""
        return time.monotonic() - self._began

    def note(self, connection: str, kind: str, text: str) -> None:
        """Logs an event that is not a frame. `kind` is ``open`` or ``close`` for a connection, ``app`` or ``note``."""
        self.lines.append(WireLine(self.elapsed(), connection, "-", kind, text))

    def frame(self, connection: str, direction: str, kind: str, data: bytes, text: str = "") -> None:
        line = WireLine(self.elapsed(), connection, direction, kind, text, data[:KEEP].hex(), len(data))
        self.lines.append(line)

    def message(self, connection: str, direction: str, parts: tuple[bytes, ...], text: str = "") -> None:
        at = self.elapsed()
        for index, part in enumerate(parts, 1):
            hexadecimal = part[:KEEP].hex()
            line = WireLine(
                at, connection, direction, "message", text, hexadecimal, len(part), index, len(parts)
            )
            self.lines.append(line)
