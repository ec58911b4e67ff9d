"""Retention: which segments are removed: the oldest first, as a whole, and never the one that is being written."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from zeps_broker.journal.segment import Segment

__all__ = ["Retention"]

_SHARE = 4
_SEGMENT_BYTES_MIN = 4096


@dataclass(frozen=True, slots=True)
class Retention:
    """Retention bounds of each stream: at most `bytes_max` bytes of files when a segment begins, and nothing older than
    `seconds`; None means no bound. A segment is closed when it has a quarter of the bytes to retain, or a quarter of
    the time has passed since its first message. So three to five quarters of `bytes_max` are kept (unless a block is
    larger), and no message is kept for more than a quarter longer than `seconds`.
    """

    bytes_max: int | None = None
    seconds: float | None = None

    def segment_bytes(self, size_max: int) -> int:
        """Returns the bytes at which a segment is closed: at most the configured `size_max` bytes."""
        if self.bytes_max is None:
            return size_max
        return min(size_max, max(_SEGMENT_BYTES_MIN, self.bytes_max // _SHARE))

    def closes(self, first_time: int, now_us: int) -> bool:
        """Returns whether a segment with this first time must not take more messages; microseconds since the epoch."""
        return self.seconds is not None and now_us - first_time >= self.seconds * 1e6 / _SHARE

    def due(self, first_time: int | None, newest_time: int | None) -> int | None:
        """Returns when the next change by age occurs: the newest segment (first message: `first_time`) is closed, or
        the oldest (last message: `newest_time`) is removed; None if neither does. All times are microseconds since the
        epoch; None for a segment that has no message or does not exist.
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
        `newest_time(i)` is an upper bound of the times in segment i, in microseconds as `now_us`; None keeps it, unless
        its bytes are too many.
        """
        count = 0
        total = sum(segment.size for segment in segments)
        while count + 1 < len(segments):
            if self.bytes_max is None or total <= self.bytes_max:
                newest = newest_time(count) if self.seconds is not None else None
                if newest is None or self.seconds is None or now_us - newest < self.seconds * 1e6:
                    break
            total -= segments[count].size
            count += 1
        return count
