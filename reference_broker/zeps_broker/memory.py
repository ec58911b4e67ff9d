"""The memory that peers can take, divided into fair shares.

`memory_bytes_max` is the total above what a broker without peers needs. What one kind of peer takes comes out of one
share, so that slow readers cannot take what large messages need, and the reverse.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Budget", "Shares"]

_FRAME_BYTES_MIN = 20 << 20


@dataclass(slots=True)
class Budget:
    """Bytes that one part of the broker may hold, and how many it holds."""

    size: int
    used: int = 0

    @property
    def free(self) -> int:
        """Bytes that are left; 0 if too many are held."""
        return max(self.size - self.used, 0)

    def take(self, count: int) -> bool:
        """Take bytes; False, and nothing is taken, if they are not there."""
        if self.used + count > self.size:
            return False
        self.used += count
        return True

    def give(self, count: int) -> None:
        """Give bytes back."""
        self.used -= count


@dataclass(frozen=True, slots=True)
class Shares:
    """The parts of `memory_bytes_max`, in bytes."""

    incoming: int
    """Frames that have not arrived whole."""
    outgoing: int
    """Messages that peers have not read."""
    topics: int
    """Topics of SUB sockets at gateways."""
    sessions: int
    """Sessions, their subscriptions, and answers that they have not read."""
    journal_cache: int
    """Blocks written last."""
    routes: int
    """Keys whose subscribers are remembered."""
    replay_cache: int
    """Blocks that sessions read from journals."""

    @classmethod
    def of(cls, total: int) -> Shares:
        """The shares of a total. The rest, three tenths, is left for what a turn works on, and for what malloc keeps
        of freed memory: under mixed attacks the process held up to a fifth more than was counted.
        """
        part = total // 20
        return cls(max(3 * part, _FRAME_BYTES_MIN), 3 * part, part, 3 * part, 2 * part, part, part)
