"""What went over the wire during one case: every frame in both directions, with monotonic times."""

from __future__ import annotations

import time
from dataclasses import dataclass

__all__ = ["Entry", "WireLog"]

KEEP = 128  # octets of a frame that are kept


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that happened on one connection.

    `at` is in seconds since the log began. `direction` is ``>`` (the suite sent), ``<`` (the suite received)
    or ``-`` (something happened). `octets` are the frame's first :data:`KEEP`, `size` is its whole length.
    `part` and `parts` place a frame in its message.
    """

    at: float
    connection: str
    direction: str
    kind: str  # open, message, command, raw, close
    octets: bytes
    size: int
    text: str = ""
    part: int = 1
    parts: int = 1


class WireLog:
    """Entries in the order in which they happened. One log belongs to one case, which is one thread."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self.entries: list[Entry] = []

    def elapsed(self) -> float:
        """Seconds since the log began."""
        return time.monotonic() - self._began

    def note(self, connection: str, kind: str, text: str) -> None:
        """Something that is no frame: a connection opened or closed."""
        self.entries.append(Entry(self.elapsed(), connection, "-", kind, b"", 0, text))

    def frame(self, connection: str, direction: str, kind: str, octets: bytes, text: str = "") -> None:
        self.entries.append(
            Entry(self.elapsed(), connection, direction, kind, octets[:KEEP], len(octets), text)
        )

    def message(self, connection: str, direction: str, parts: tuple[bytes, ...], text: str = "") -> None:
        at = self.elapsed()
        for index, part in enumerate(parts, 1):
            entry = Entry(
                at, connection, direction, "message", part[:KEEP], len(part), text, index, len(parts)
            )
            self.entries.append(entry)
