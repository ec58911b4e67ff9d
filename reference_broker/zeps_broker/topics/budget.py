"""Limits on the topics of each peer and of all peers together.

A topic costs its own bytes and those of the tables that it is in. A peer may have a fixed number of subscriptions, a
fixed number of bytes, and never more bytes than are free: a greedy peer takes half of what is left at most; the rest
is there for those with few topics (a dynamic threshold, as in :mod:`zeps_broker.devices.forwarder.shares`). Nothing is
taken from a peer for another.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

__all__ = ["TOPIC_OVERHEAD_BYTES", "TopicBudget", "TopicLimitError", "TopicLimits"]

TOPIC_OVERHEAD_BYTES = 1024
"""What a distinct topic of a peer costs in addition to its own bytes: its entries in the tables of the matcher, the
policy and the publishers, as measured."""


class TopicLimitError(Exception):
    """A peer asked for more topics than it may have. The text names the limit, for a log."""


@dataclass(frozen=True, slots=True)
class TopicLimits:
    """How many subscriptions peers may have, and how much memory these may take."""

    subscriptions_max: int = 10_000
    """Subscriptions of one peer. Each repetition that has to be cancelled separately counts."""
    peer_bytes_max: int = 16 << 20
    """Bytes of one peer's topics, with TOPIC_OVERHEAD_BYTES for each."""
    total_bytes_max: int = 256 << 20
    """The same of all peers that share a budget. A peer may not have more bytes than are free."""


class _Account:
    """What one peer has."""

    __slots__ = ("cost_bytes", "subscriptions")

    def __init__(self) -> None:
        self.subscriptions = 0
        self.cost_bytes = 0


class TopicBudget:
    """What the topics of all peers cost."""

    def __init__(self, limits: TopicLimits | None = None) -> None:
        self._limits = limits or TopicLimits()
        self._accounts: dict[Hashable, _Account] = {}
        self.cost_bytes = 0
        """Of all peers' topics."""

    def take(self, peer: Hashable, cost_bytes: int) -> None:
        """Count a subscription. One that repeats another costs no bytes.

        Raises TopicLimitError, and counts nothing, if the peer would exceed a limit.
        """
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
        """The peer cancelled subscriptions, which cost so many bytes together."""
        account = self._accounts[peer]
        account.subscriptions -= subscriptions
        account.cost_bytes -= cost_bytes
        self.cost_bytes -= cost_bytes
        if not account.subscriptions:
            del self._accounts[peer]

    def release(self, peer: Hashable) -> None:
        """The peer has left."""
        account = self._accounts.pop(peer, None)
        if account is not None:
            self.cost_bytes -= account.cost_bytes
