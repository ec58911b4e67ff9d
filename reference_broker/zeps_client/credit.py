"""How much the broker may send: the window, kept open as the application consumes."""

from __future__ import annotations

from zeps_client.settings import LARGEST_FRAME, Settings

__all__ = ["Window"]


class Window:
    """Octets of DELIVER frames: granted to the broker, waiting for the application, or free to be granted."""

    __slots__ = ("_settings", "buffered", "largest")

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.buffered = 0
        """Octets that arrived and that the application has not consumed."""
        self.largest = 0
        """Octets of the longest frame that arrived."""

    def due(self, credit: int) -> int:
        """Octets to grant now, when `credit` is what the broker may still send:

        0, or at least half a window.
        """
        window = max(self._settings.window, 2 * self.largest)
        missing = window - credit - self.buffered
        return missing if missing > 0 and 2 * missing >= window else 0

    def due_when_quiet(self, credit: int) -> int:
        """Octets to grant when nothing arrives although the application has consumed everything.

        Perhaps nothing is there; perhaps a message waits that is longer than `credit` (ZEPS-CREDIT-6). With
        the longest frame and a window more, such messages pass, and it takes a whole window until this comes
        up again.
        """
        if self.buffered or credit >= LARGEST_FRAME:
            return 0
        return LARGEST_FRAME + self._settings.window - credit
