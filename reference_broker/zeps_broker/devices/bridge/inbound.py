"""Which messages of the foreign broker's have been here before.

Two things bring a message again: an acknowledgement that was lost with its session, and a publisher that publishes
again what was not answered for. A message that its publisher has named is known by that name (and by its octets, for
those who name carelessly) among the last `_NAMED_MAX`. One without a name is known only if the broker says that it
hands it over again: then it is one of the last that the sessions before had handed over. So two equal messages remain
two.
"""

from __future__ import annotations

from collections import Counter, deque
from hashlib import blake2b

from zeps_broker.devices.bridge.port import Arrived

__all__ = ["Inbound"]

_NAMED_MAX = 65_536


class Inbound:
    """`window`: how many messages the foreign broker hands over before it waits for an acknowledgement."""

    def __init__(self, window: int) -> None:
        self._named: dict[bytes, None] = {}
        self._handed: deque[bytes] = deque(maxlen=window)
        """Nameless ones, of all sessions; none of those before is unacknowledged."""
        self._before: Counter[bytes] = Counter()
        """Those that were handed over in earlier sessions, and not again in this one."""

    def opened(self) -> None:
        """A session has begun."""
        self._before = Counter(self._handed)

    def repeats(self, message: Arrived) -> bool:
        """Whether the message has been here; to be asked once for each that arrives."""
        digest = _digest(message)
        if message.identity is not None:
            return self._repeats_named(digest)
        again = message.redelivered and self._before[digest] > 0
        if again:
            self._before[digest] -= 1
            if digest in self._handed:
                self._handed.remove(digest)
        self._handed.append(digest)
        return again

    def _repeats_named(self, digest: bytes) -> bool:
        if digest in self._named:
            return True
        if len(self._named) >= _NAMED_MAX:
            del self._named[next(iter(self._named))]
        self._named[digest] = None
        return False


def _digest(message: Arrived) -> bytes:
    """16 octets for the name and the frames; the sizes keep frames apart."""
    hashed = blake2b(digest_size=16)
    hashed.update(repr((message.identity, *map(len, message.frames))).encode("utf-8", "surrogatepass"))
    for frame in message.frames:
        hashed.update(frame)
    return hashed.digest()
