"""Retention: decides which segments are removed. Only whole segments are removed, the oldest first, and never the
segment that is being written.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from zeps_broker.journal.segment import Segment

__all__ = ["Retention"]

_SHARE = 4
_SEGMENT_OCTETS_MIN = 4096


@dataclass(frozen=True, slots=True)
class Retention:
    """Retention bounds of each stream: at most `octets` bytes of files when a segment begins, and nothing older than
    `seconds`; None means no bound.

    Because only whole segments are removed, a segment is closed when it has a quarter of the bytes to retain, or when
    a quarter of the time has passed since its first message. So three quarters to five quarters of `octets` are kept
    (unless a block is larger), and no message is kept for more than a quarter longer than `seconds`.
    """

    octets: int | None = None
    seconds: float | None = None

    def segment_bytes(self, wanted: int) -> int:
        """Returns the bytes at which a segment is closed: at most the configured `wanted` bytes."""
        if self.octets is None:
            return wanted
        return min(wanted, max(_SEGMENT_OCTETS_MIN, self.octets // _SHARE))

    def closes(self, first_time: int, now_us: int) -> bool:
        """Returns whether a segment whose first message has the time `first_time` must not take more messages.

        Both times are in microseconds since the epoch.
        """
        return self.seconds is not None and now_us - first_time >= self.seconds * 1e6 / _SHARE

    def due(self, first_time: int | None, newest_time: int | None) -> int | None:
        """Returns the time, in microseconds since the epoch, of the next change by age: the newest segment, whose
        first message has the time `first_time`, is closed, or the oldest segment, without a message newer than
        `newest_time`, is removed. Returns None if neither happens by age.

        Arguments have the same unit; None if the segment has no message or does not exist.
        """
        if self.seconds is None:
            return None
        moments = [] if first_time is None else [first_time + self.seconds * 1e6 / _SHARE]
        if newest_time is not None:
            moments.append(newest_time + self.seconds * 1e6)
        return math.ceil(min(moments)) if moments else None

    def expired(
        self, segments: Sequence[Segment], now_us: int, newest_time: Callable[[int], int | None]
    ) -> int:
        """Returns how many of `segments` (oldest first) must be removed, from the oldest on; never the newest.

        `newest_time(i)` is an upper bound of the times in segment i, in microseconds since the epoch as `now_us`; None
        keeps the segment, unless its bytes are too many.
        """
        count = 0
        octets = sum(segment.size for segment in segments)
        while count + 1 < len(segments):
            if self.octets is None or octets <= self.octets:
                newest = newest_time(count) if self.seconds is not None else None
                if newest is None or self.seconds is None or now_us - newest < self.seconds * 1e6:
                    break
            octets -= segments[count].size
            count += 1
        return count
