"""Token buckets: a rate limit for each owner."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable

__all__ = ["Allowance"]

_OWNERS_MAX = 10_000


class Allowance:
    """A token bucket for each owner: `rate` tokens a second, and up to as many at once. Only the 10,000 owners
    for which `take` was called last are remembered; any other owner has a full bucket.
    """

    def __init__(self, rate: int) -> None:
        self._rate = rate
        self._buckets: OrderedDict[Hashable, tuple[float, float]] = OrderedDict()
        """Owner to its tokens and the time at which it had them."""

    def __len__(self) -> int:
        return len(self._buckets)

    def take(self, owner: Hashable, now: float) -> bool:
        """Takes a token; returns False, without taking one, if less is left. `now` is in monotonic seconds."""
        tokens, since = self._buckets.pop(owner, (float(self._rate), now))
        tokens = min(tokens + (now - since) * self._rate, float(self._rate))
        enough = tokens >= 1.0
        self._buckets[owner] = (tokens - 1.0 if enough else tokens, now)
        if len(self._buckets) > _OWNERS_MAX:
            self._buckets.popitem(last=False)
        return enough

    def forget(self, owner: Hashable) -> None:
        """Removes an owner that will not return; if it does, its bucket is full."""
        self._buckets.pop(owner, None)
