"""Which segments have had their time. Whole segments go, oldest first, and never the one that is being
written.
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
    """How much of each stream is kept: at most `octets` octets, nothing older than `seconds`; None is no
    bound.

    Because only whole segments go, a segment is closed when it has a quarter of what is retained, or when its
    first message has a quarter of its time behind it: so at least three quarters of `octets` are kept, and no
    message outlives `seconds` by more than a quarter.
    """

    octets: int | None = None
    seconds: float | None = None

    def segment_bytes(self, wanted: int) -> int:
        """The size at which a segment is closed, if the user wants `wanted`."""
        if self.octets is None:
            return wanted
        return min(wanted, max(_SEGMENT_OCTETS_MIN, self.octets // _SHARE))

    def closes(self, first_time: int, now_us: int) -> bool:
        """Whether a segment whose first message is of `first_time` takes no more messages."""
        return self.seconds is not None and now_us - first_time >= self.seconds * 1e6 / _SHARE

    def due(self, first_time: int | None, newest_time: int | None) -> int | None:
        """When the newest segment, whose first message is of `first_time`, takes no more messages, or the oldest goes,
        in which no message is newer than `newest_time`: whichever is first, in microseconds since the epoch. None for a
        segment that is empty or that there is not, or if neither will happen by age.
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
        """How many of `segments`, from the oldest on, go. `newest_time(i)` bounds the times in segment i from
        above.
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
