"""Detects repeated messages of the foreign broker.

A message is repeated if an acknowledgement was lost with its session, or if a publisher publishes it again. A message
that its publisher has named is detected by that name (and its bytes, for publishers that reuse names) among the last
65,536 named ones. One without a name is detected only if the broker marks it as redelivered, among the last that
earlier sessions delivered. So two equal messages remain two.
"""

from __future__ import annotations

from collections import Counter, deque
from hashlib import blake2b

from zeps_broker.devices.bridge.port import Arrived

__all__ = ["Inbound"]

_NAMED_MAX = 65_536


class Inbound:
    """The delivered messages, to compare new ones with: the last 65,536 with a name, and the last `window` without.
    `window` is the number of messages that the foreign broker delivers before it waits for an acknowledgement.
    """

    def __init__(self, window: int) -> None:
        self._named: dict[bytes, None] = {}
        self._handed: deque[bytes] = deque(maxlen=window)
        """Messages without a name, of all sessions; all earlier ones are acknowledged."""
        self._before: Counter[bytes] = Counter()
        """Messages that were delivered in earlier sessions, and not again in this one."""

    def opened(self) -> None:
        """Handles the start of a session."""
        self._before = Counter(self._handed)

    def repeats(self, message: Arrived) -> bool:
        """Returns whether the message is a repetition, and remembers it: call it once for each message, in order."""
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
    """Returns a hash of 16 bytes of the publisher's name for the message, the frames and their sizes."""
    hashed = blake2b(digest_size=16)
    hashed.update(repr((message.identity, *map(len, message.frames))).encode("utf-8", "surrogatepass"))
    for frame in message.frames:
        hashed.update(frame)
    return hashed.digest()
