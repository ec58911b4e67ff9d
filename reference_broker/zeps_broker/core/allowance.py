"""Rates: how often something may be done, by one and by all."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable

__all__ = ["Allowance"]

_OWNERS_MAX = 10_000


class Allowance:
    """A token bucket for each owner: `rate` tokens a second, and up to as many at once.

    Of the owners, the 10,000 that took last are remembered; another has a full bucket.
    """

    def __init__(self, rate: int) -> None:
        self._rate = rate
        self._buckets: OrderedDict[Hashable, tuple[float, float]] = OrderedDict()
        """Owner to tokens and the time at which it had them."""

    def __len__(self) -> int:
        return len(self._buckets)

    def take(self, owner: Hashable, now: float) -> bool:
        """Take a token; False if there is none. `now` is in seconds on a clock that never goes back."""
        tokens, since = self._buckets.pop(owner, (float(self._rate), now))
        tokens = min(tokens + (now - since) * self._rate, float(self._rate))
        enough = tokens >= 1.0
        self._buckets[owner] = (tokens - 1.0 if enough else tokens, now)
        if len(self._buckets) > _OWNERS_MAX:
            self._buckets.popitem(last=False)
        return enough

    def forget(self, owner: Hashable) -> None:
        """An owner who will never come again."""
        self._buckets.pop(owner, None)
