"""Wire log of a case: the frames in both directions, each with its first 128 bytes and its time; a series of messages
is one line. On request the bytes of all connections are recorded too.
"""

from __future__ import annotations

import socket
import time

from zeps_conformance.common.results import WireLine
from zeps_conformance.common.traffic import Traffic

__all__ = ["KEEP", "WireLog"]

KEEP = 128  # bytes of a frame that are kept


class WireLog:
    """Lines in chronological order. A log begins with one attempt at a case and is not safe for several threads.
    `traffic`: the recorded bytes, None unless `record`.
    """

    def __init__(self, record: bool = False) -> None:
        self._began = time.monotonic()
        self.traffic = Traffic() if record else None
        self.lines: list[WireLine] = []

    def elapsed(self) -> float:
        """Seconds since the log began."""
        return time.monotonic() - self._began

    def note(self, connection: str, kind: str, text: str) -> None:
        """Logs an event that is not a frame. `kind` is ``open`` or ``close`` for a connection, ``app`` or ``note``."""
        self.lines.append(WireLine(self.elapsed(), connection, "-", kind, text))

    def accepted(self, connection: str, link: socket.socket, text: str) -> None:
        """Logs that the peer opened the connection of `link`."""
        self.note(connection, "open", text)
        if self.traffic is not None:
            self.traffic.accepted(link)

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
