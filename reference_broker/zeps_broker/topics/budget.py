"""Limits on the topics of each peer and of all peers together.

A topic costs its own bytes and those of its table entries. A peer may have a fixed number of subscriptions, a fixed
number of bytes, and never more bytes than are free. So a greedy peer takes at most half of the rest (a dynamic
threshold, as in :mod:`zeps_broker.devices.forwarder.shares`). A peer never loses topics to another.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

__all__ = ["TOPIC_OVERHEAD_BYTES", "TopicBudget", "TopicLimitError", "TopicLimits"]

TOPIC_OVERHEAD_BYTES = 1024
"""Measured bytes of a distinct topic of a peer besides its own: its entries in matcher, policy and publishers."""


class TopicLimitError(Exception):
    """A peer requested more topics than allowed. The text names the limit, for a log."""


@dataclass(frozen=True, slots=True)
class TopicLimits:
    """Maximum subscriptions of a peer, and the maximum memory for the topics of a peer and of all peers together."""

    subscriptions_max: int = 10_000
    """Subscriptions of one peer. Each repetition that must be cancelled separately counts."""
    peer_bytes_max: int = 16 << 20
    """Bytes of one peer's topics, plus TOPIC_OVERHEAD_BYTES for each."""
    total_bytes_max: int = 256 << 20
    """Bytes of all peers that share a budget, counted alike. A peer may not have more bytes than are free."""


@dataclass(slots=True)
class _Account:
    """The usage of one peer."""

    subscriptions: int = 0
    cost_bytes: int = 0


class TopicBudget:
    """Counts the subscriptions and the bytes of the topics of all peers, within `limits` (None: the defaults)."""

    def __init__(self, limits: TopicLimits | None = None) -> None:
        self._limits = limits or TopicLimits()
        self._accounts: dict[Hashable, _Account] = {}
        self.cost_bytes = 0
        """Bytes of all peers' topics."""

    def take(self, peer: Hashable, cost_bytes: int) -> None:
        """Counts a subscription, with cost 0 if repeated; raises TopicLimitError if it would exceed a limit."""
        limits = self._limits
        account = self._accounts.get(peer) or _Account()
        if account.subscriptions >= limits.subscriptions_max:
            raise TopicLimitError(f"more than {limits.subscriptions_max} subscriptions")
        cost = account.cost_bytes + cost_bytes
        if cost > limits.peer_bytes_max:
            raise TopicLimitError(f"topics of more than {limits.peer_bytes_max} bytes")
        if cost_bytes and cost > limits.total_bytes_max - self.cost_bytes:
            raise TopicLimitError(
                f"topics of more bytes than are free of the {limits.total_bytes_max} for all subscribers"
            )
        self._accounts[peer] = account
        account.subscriptions += 1
        account.cost_bytes = cost
        self.cost_bytes += cost_bytes

    def give_back(self, peer: Hashable, cost_bytes: int, subscriptions: int = 1) -> None:
        """Uncounts cancelled `subscriptions` (a number) that the peer has and that cost `cost_bytes` together."""
        account = self._accounts[peer]
        account.subscriptions -= subscriptions
        account.cost_bytes -= cost_bytes
        self.cost_bytes -= cost_bytes
        if not account.subscriptions:
            del self._accounts[peer]

    def release(self, peer: Hashable) -> None:
        """Uncounts all subscriptions of a peer that has left, if it has any."""
        account = self._accounts.pop(peer, None)
        if account is not None:
            self.cost_bytes -= account.cost_bytes
