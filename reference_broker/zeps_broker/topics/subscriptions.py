"""Subscriptions of all peers: topics, counted for each peer.

A message matches a topic if its first frame begins with it, byte by byte (ZMTP-S-8). A filter of another kind matches
every message here, since this program knows no other kind (ZMTP-E-4). Subscribing is not idempotent
(ZMTP-S-11): a peer that asked for a topic twice has to take it back twice. libzmq's publishers keep a set instead; with
``counted=False`` so does this table. Where a subscriber sends fewer cancels than subscriptions, as libzmq's own SUB
does, counting costs traffic until the peer goes, and never a message; a set would cost messages where the peer counts.
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
    """A filter of another kind than the beginning of a message (ZMTP-E)."""

    kind: int
    octets: bytes


Topic = bytes | Filter
"""What a peer can subscribe to: the beginning of messages, or a filter of another kind."""


class SubscriptionChange(NamedTuple):
    """One subscription to a topic (`subscribe`), or the cancellation of one."""

    subscribe: bool
    topic: Topic


EVERYTHING = b""
"""The beginning of every message."""

_HASHED_MAX = 256
"""Bytes of the longest topic that is looked for by its hash, once for each length. Longer topics are in a tree, where a
frame is compared once: hashing a long frame for each length would cost many times what the frame holds."""
_CACHE_MAX = 10_000
_CACHED_PEERS_MAX = 1_000_000
"""Handles of peers in all cached answers, of 8 bytes each; the last answer may exceed it."""
_REMEMBERED_MAX = 1024
"""Octets of a beginning that is remembered: one very long topic must not make the cache keep whole messages."""


class Subscriptions:
    """The subscriptions of all peers, and what they come to."""

    def __init__(self, *, counted: bool = True, budget: TopicBudget | None = None) -> None:
        """`budget` limits the peers of this table and of all others that share it; None: a budget of its own."""
        self.counted = counted
        self._budget = budget or TopicBudget()
        self.totals: Counter[Topic] = Counter()
        """How many subscriptions each topic has, over all peers."""
        self._peers: dict[Topic, dict[Peer, int]] = {}
        self._topics: dict[Peer, dict[Topic, None]] = {}
        self._filters: Counter[Peer] = Counter()
        """How many distinct filters of other kinds each peer has; peers with none are absent."""
        self._lengths: Counter[int] = Counter()
        self._order: list[int] = []
        """The lengths of all topics, each once, ascending."""
        self._long = TopicTree()
        """The topics of more than _HASHED_MAX bytes."""
        self._cache: dict[bytes, tuple[Peer, ...]] = {}
        self._cached_peers = 0

    def __len__(self) -> int:
        """How many distinct topics are wanted."""
        return len(self._peers)

    def has(self, peer: Peer, topic: Topic) -> bool:
        """Whether the peer is subscribed to the topic."""
        return peer in self._peers.get(topic, ())

    def distinct(self, peer: Peer) -> int:
        """How many different topics the peer is subscribed to."""
        return len(self._topics.get(peer, ()))

    def subscribe(self, peer: Peer, topic: Topic) -> list[SubscriptionChange]:
        """Count one subscription; the steps that the table has taken, none if it was there and is not counted twice.

        Raises TopicLimitError, and takes nothing, if the peer may not have one more.
        """
        has = self.has(peer, topic)
        if has and not self.counted:
            return []
        self._budget.take(peer, 0 if has else cost_bytes(topic))
        return self._add(peer, topic)

    def _add(self, peer: Peer, topic: Topic) -> list[SubscriptionChange]:
        """A subscription that is paid for."""
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
        """Take one subscription back; no step if the peer has none (ZMTP-S-14: that does no harm)."""
        count = self._peers.get(topic, {}).get(peer, 0)
        if not count:
            return []
        self._drop(peer, topic, count, 1)
        self._budget.give_back(peer, cost_bytes(topic) if count == 1 else 0)
        return [SubscriptionChange(False, topic)]

    def remove(self, peer: Peer) -> list[Topic]:
        """The peer is gone: all its topics, each as often as it was subscribed to."""
        gone: list[Topic] = []
        for topic in self._topics.get(peer, {}).copy():
            count = self._peers[topic][peer]
            self._drop(peer, topic, count, count)
            gone += [topic] * count
        self._budget.release(peer)
        return gone

    def match(self, frame: bytes) -> tuple[Peer, ...]:
        """The peers that want a message with this first frame, each once."""
        longest = self._order[-1] if self._order else 0  # no more of the frame can make a difference
        beginning = frame[:longest]
        if len(beginning) > _REMEMBERED_MAX:
            return self._look_up(frame)
        found = self._cache.get(beginning)
        if found is None:
            found = self._look_up(frame)
            if len(self._cache) >= _CACHE_MAX or self._cached_peers >= _CACHED_PEERS_MAX:
                self._forget_matches()
            self._cache[beginning] = found
            self._cached_peers += len(found)
        return found

    def _forget_matches(self) -> None:
        self._cache.clear()
        self._cached_peers = 0

    def _look_up(self, frame: bytes) -> tuple[Peer, ...]:
        peers: dict[Peer, None] = dict.fromkeys(self._filters)
        for topic in self.topics_of(frame):
            peers.update(dict.fromkeys(self._peers[topic]))
        return tuple(peers)

    def topics_of(self, frame: bytes) -> Iterator[bytes]:
        """The topics that the frame begins with, shortest first."""
        for length in self._order:
            if length > min(len(frame), _HASHED_MAX):
                break
            topic = frame[:length]
            if topic in self._peers:
                yield topic
        if len(frame) > _HASHED_MAX:
            yield from self._long.beginnings(frame)

    def wanted(self, prefix: bytes = b"") -> bool:
        """Whether anybody wants messages that begin with `prefix`, all or some of them."""
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
    """What a peer's first subscription to `topic` costs of its budget."""
    return TOPIC_OVERHEAD_BYTES + len(topic.octets if isinstance(topic, Filter) else topic)
