"""Subscriptions of all peers: topics, counted for each peer.

A message matches a topic if its first frame begins with it, byte by byte (ZMTP-S-8). A filter of another kind matches
every message here, since this program supports no other kind (ZMTP-E-4). Subscribing is not idempotent (ZMTP-S-11): a
peer that subscribed to a topic twice must cancel it twice. libzmq's publishers keep a set instead; with
``counted=False`` so does this table. If a subscriber sends fewer cancels than subscriptions, as libzmq's own SUB does,
counting costs traffic until the peer disconnects, but never a message; a set would lose messages if the peer counts.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Hashable, Iterator
from typing import NamedTuple

from zeps_broker.topics.budget import TOPIC_OVERHEAD_BYTES, TopicBudget
from zeps_broker.topics.topic_tree import TopicTree

__all__ = ["EVERYTHING", "Filter", "Peer", "SubscriptionChange", "Subscriptions", "Topic", "cost_bytes"]

Peer = Hashable
"""A subscriber's handle."""


class Filter(NamedTuple):
    """A filter of another kind than a prefix (ZMTP-E); `kind` is one byte's value, `content` the filter's content."""

    kind: int
    content: bytes


Topic = bytes | Filter
"""The subject of a subscription: a prefix of messages, or a filter of another kind."""


class SubscriptionChange(NamedTuple):
    """One subscription to a topic (`subscribe` is true), or one cancellation."""

    subscribe: bool
    topic: Topic


EVERYTHING = b""
"""The prefix of every message."""

_HASHED_MAX = 256
"""Maximum bytes of a topic that is looked up by its hash, once for each length; longer topics are in a tree."""
_CACHE_MAX = 10_000
_CACHED_PEERS_MAX = 1_000_000
"""Maximum number of peer handles (8 bytes each) in all cached results; the last result may exceed it."""
_REMEMBERED_MAX = 1024
"""Maximum bytes of a cached prefix: with one very long topic the cache must not keep whole messages."""


class Subscriptions:
    """The subscriptions of all peers, and the topics that result."""

    def __init__(self, *, counted: bool = True, budget: TopicBudget | None = None) -> None:
        """`counted`: a topic subscribed to twice must be cancelled twice; if false, once. `budget` limits the peers of
        all tables that share it; None: a budget of its own with the default limits.
        """
        self.counted = counted
        self._budget = budget or TopicBudget()
        self.totals: Counter[Topic] = Counter()
        """Number of subscriptions of each topic, over all peers."""
        self._peers: dict[Topic, dict[Peer, int]] = {}
        self._topics: dict[Peer, dict[Topic, None]] = {}
        self._filters: Counter[Peer] = Counter()
        """Number of distinct filters of other kinds per peer; peers without such filters are absent."""
        self._lengths: Counter[int] = Counter()
        self._order: list[int] = []
        """The lengths of all topics, each once, ascending."""
        self._long = TopicTree()
        """The topics of more than _HASHED_MAX bytes."""
        self._cache: dict[bytes, tuple[Peer, ...]] = {}
        self._cached_peers = 0

    def __len__(self) -> int:
        """Number of distinct topics."""
        return len(self._peers)

    def has(self, peer: Peer, topic: Topic) -> bool:
        """Returns whether the peer is subscribed to exactly this topic."""
        return peer in self._peers.get(topic, ())

    def distinct(self, peer: Peer) -> int:
        """Returns the number of distinct topics of the peer, 0 if it is not known."""
        return len(self._topics.get(peer, ()))

    def subscribe(self, peer: Peer, topic: Topic) -> list[SubscriptionChange]:
        """Counts a subscription; returns the changes, empty for a repetition that is not counted. Raises
        TopicLimitError, without a change, if the peer may not have another.
        """
        has = self.has(peer, topic)
        if has and not self.counted:
            return []
        self._budget.take(peer, 0 if has else cost_bytes(topic))
        return self._add(peer, topic)

    def _add(self, peer: Peer, topic: Topic) -> list[SubscriptionChange]:
        """Adds a subscription whose cost is already counted."""
        peers = self._peers.get(topic)
        if peers is None:
            peers = self._peers[topic] = {}
            if not isinstance(topic, Filter):
                self._add_beginning(topic)
        count = peers.get(peer, 0)
        if not count:
            self._topics.setdefault(peer, {})[topic] = None
            if isinstance(topic, Filter):
                self._filters[peer] += 1
            self._forget_matches()
        peers[peer] = count + 1
        self.totals[topic] += 1
        return [SubscriptionChange(True, topic)]

    def cancel(self, peer: Peer, topic: Topic) -> list[SubscriptionChange]:
        """Cancels one subscription; returns no change if the peer does not have it (ZMTP-S-14: that is harmless)."""
        count = self._peers.get(topic, {}).get(peer, 0)
        if not count:
            return []
        self._drop(peer, topic, count, 1)
        self._budget.give_back(peer, cost_bytes(topic) if count == 1 else 0)
        return [SubscriptionChange(False, topic)]

    def remove(self, peer: Peer) -> list[Topic]:
        """Removes a peer, if present; returns its topics, each as often as the peer was subscribed to it."""
        gone: list[Topic] = []
        for topic in self._topics.get(peer, {}).copy():
            count = self._peers[topic][peer]
            self._drop(peer, topic, count, count)
            gone += [topic] * count
        self._budget.release(peer)
        return gone

    def match(self, frame: bytes) -> tuple[Peer, ...]:
        """Returns the peers with a topic or filter that matches a message with this first frame, each once."""
        longest = self._order[-1] if self._order else 0  # only this part of the frame affects the result
        beginning = frame[:longest]
        if len(beginning) > _REMEMBERED_MAX:
            return self._look_up(frame)
        peers = self._cache.get(beginning)
        if peers is None:
            peers = self._look_up(frame)
            if len(self._cache) >= _CACHE_MAX or self._cached_peers >= _CACHED_PEERS_MAX:
                self._forget_matches()
            self._cache[beginning] = peers
            self._cached_peers += len(peers)
        return peers

    def _forget_matches(self) -> None:
        self._cache.clear()
        self._cached_peers = 0

    def _look_up(self, frame: bytes) -> tuple[Peer, ...]:
        peers: dict[Peer, None] = dict.fromkeys(self._filters)
        for topic in self.topics_of(frame):
            peers.update(dict.fromkeys(self._peers[topic]))
        return tuple(peers)

    def topics_of(self, frame: bytes) -> Iterator[bytes]:
        """Yields the topics that the frame begins with, shortest first; no filters."""
        for length in self._order:
            if length > min(len(frame), _HASHED_MAX):
                break
            topic = frame[:length]
            if topic in self._peers:
                yield topic
        if len(frame) > _HASHED_MAX:
            yield from self._long.beginnings(frame)

    def wanted(self, prefix: bytes = b"") -> bool:
        """Returns whether any peer is subscribed, by topic or filter, to any messages that begin with `prefix`."""
        return any(True for _ in self.topics_of(prefix)) or any(
            isinstance(topic, Filter) or topic.startswith(prefix) for topic in self._peers
        )

    def _drop(self, peer: Peer, topic: Topic, count: int, less: int) -> None:
        self.totals[topic] -= less
        peers = self._peers[topic]
        if count > less:
            peers[peer] = count - less
            return
        del peers[peer]
        topics = self._topics[peer]
        del topics[topic]
        if not topics:
            del self._topics[peer]
        if isinstance(topic, Filter):
            self._filters[peer] -= 1
            if not self._filters[peer]:
                del self._filters[peer]
        self._forget_matches()
        if not peers:
            del self._peers[topic]
            del self.totals[topic]
            if not isinstance(topic, Filter):
                self._drop_beginning(topic)

    def _add_beginning(self, topic: bytes) -> None:
        length = len(topic)
        if length > _HASHED_MAX:
            self._long.add(topic)
        self._lengths[length] += 1
        if self._lengths[length] == 1:
            insort(self._order, length)

    def _drop_beginning(self, topic: bytes) -> None:
        length = len(topic)
        if length > _HASHED_MAX:
            self._long.remove(topic)
        self._lengths[length] -= 1
        if not self._lengths[length]:
            del self._lengths[length]
            del self._order[bisect_left(self._order, length)]


def cost_bytes(topic: Topic) -> int:
    """Returns the budget cost of a peer's first subscription to `topic`, in bytes."""
    return TOPIC_OVERHEAD_BYTES + len(topic.content if isinstance(topic, Filter) else topic)
