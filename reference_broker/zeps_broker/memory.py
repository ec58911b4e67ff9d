"""The memory that peers can use, divided into fair shares.

`memory_bytes_max` is the total beyond the memory of a broker without peers. Each kind of use has one share.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Budget", "Shares"]

_FRAME_BYTES_MIN = 20 << 20


@dataclass(slots=True)
class Budget:
    """Counts the bytes held, `used`, against a limit, `size`, which only :meth:`take` enforces; allocates nothing."""

    size: int
    used: int = 0

    @property
    def free(self) -> int:
        """Bytes that are not used; 0 if more than `size` are used."""
        return max(self.size - self.used, 0)

    def take(self, count: int) -> bool:
        """Counts `count` bytes as used; returns False, without counting any, if fewer are free."""
        if self.used + count > self.size:
            return False
        self.used += count
        return True

    def give(self, count: int) -> None:
        """Counts `count` bytes, which must have been taken, as free again."""
        self.used -= count


@dataclass(frozen=True, slots=True)
class Shares:
    """The shares of `memory_bytes_max`, in bytes."""

    incoming: int
    """Incomplete frames; at least 20 MiB, whatever the total."""
    outgoing: int
    """Output that peers have not read, in the queues of their connections."""
    topics: int
    """Topics of SUB sockets at gateways."""
    sessions: int
    """Sessions, their subscriptions, and answers that wait for peers with a full queue."""
    journal_cache: int
    """Recently written or read blocks of journals, and their indexes."""
    routes: int
    """Keys whose subscribers are remembered."""
    replay_cache: int
    """Blocks that sessions in low gear share, and the selections made from them."""
    replay_output: int
    """Output of one turn that was read from journals, before it is in the queues of connections."""

    @classmethod
    def of(cls, total: int) -> Shares:
        """Returns the shares of `total` bytes. The rest, less than a fifth, is left for the other work of a turn and
        for freed memory that malloc keeps.
        """
        part = total // 20
        return cls(
            max(3 * part, _FRAME_BYTES_MIN), 3 * part, part, 3 * part, 2 * part, part, part, total // 8
        )
