"""Credit of the broker: a window that is reopened as the application consumes messages."""

from __future__ import annotations

from zeps_client.settings import LARGEST_FRAME, Settings

__all__ = ["Window"]


class Window:
    """Computes the credit to grant to the broker, in bytes of DELIVER frames. Its owner updates the two attributes."""

    __slots__ = ("_settings", "buffered", "largest")

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.buffered = 0
        """Bytes that arrived and that the application has not consumed."""
        self.largest = 0
        """Bytes of the longest frame that arrived."""

    def due(self, credit: int) -> int:
        """Returns the bytes to grant now, if the broker may still send `credit` bytes: 0, or at least half a window."""
        window = max(self._settings.window, 2 * self.largest)
        missing = window - credit - self.buffered
        return missing if missing > 0 and 2 * missing >= window else 0

    def due_when_quiet(self, credit: int) -> int:
        """Returns the bytes to grant when no message arrives although the application has consumed all; 0 if it has
        not, or if the broker may send the longest frame anyway. A grant lets a message pass that is longer than
        `credit` (ZEPS-CREDIT-6).
        """
        if self.buffered or credit >= LARGEST_FRAME:
            return 0
        return LARGEST_FRAME + self._settings.window - credit
