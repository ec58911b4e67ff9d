"""The forwarder, without a socket or a clock: input comes by methods, what upstreams are to be asked is in `requests`.

Subscribers below and publishers above come and go. A subscriber that goes takes its subscriptions with it, each as
often as it had subscribed; a publisher that comes back is asked again for everything. A subscriber with a filter of
another kind than the beginning of a message gets every message: forwarding subscriptions saves traffic, and it is
always right to save none (ZMTP-E-4). The filter itself goes up to the publishers that know its kind (ZMTP-E-6).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import starmap

from zeps_broker.devices.forwarder.caps import CappedSubscriptions
from zeps_broker.devices.forwarder.policies import Count, Policy
from zeps_broker.devices.forwarder.upstream import Upstream
from zeps_broker.topics.budget import TopicBudget, TopicLimits
from zeps_broker.topics.subscriptions import (
    EVERYTHING,
    Filter,
    Peer,
    SubscriptionChange,
    Subscriptions,
    Topic,
)

__all__ = ["ForwarderCore", "Interest", "UpstreamRequest"]

Interest = Callable[[bytes, bool], None]
"""Told a topic when the first wants it (True), and when nobody does any more (False). A filter of another kind counts
as a subscription to everything, the empty topic."""

_ASKED_MAX = 64 << 10
"""Octets of a topic that upstreams are asked for. A longer one is asked for by its beginning, which covers it: what a
subscriber says in a message may be longer than the commands that a publisher takes, and a publisher that closes the
connection for one topic sends nobody below anything."""


@dataclass(frozen=True, slots=True)
class UpstreamRequest:
    """Changes to ask of one upstream, in this order."""

    upstream: Upstream
    changes: Sequence[SubscriptionChange]


class ForwarderCore:
    """One node of a distribution tree. :meth:`flush` it, or empty `requests`, after each call."""

    def __init__(
        self,
        policy: Policy | None = None,
        *,
        counted: bool = True,
        interest: Interest | None = None,
        topics: TopicLimits | None = None,
    ) -> None:
        """`topics` limits what peers may subscribe to; None: the default limits."""
        self.policy: Policy = policy or Count()
        cap = self.policy.topics_max
        self._budget = TopicBudget(topics)
        self.subscriptions = (
            Subscriptions(counted=counted, budget=self._budget)
            if cap is None
            else CappedSubscriptions(cap, counted=counted, budget=self._budget)
        )
        self.requests: list[UpstreamRequest] = []
        self.links: list[Upstream] = []
        self._interest = interest
        self._interested: Counter[bytes] = Counter()
        self._sent_to_forgotten = 0
        self._counts = {"messages_in": 0, "messages_out": 0, "messages_unwanted": 0, "steps_in": 0}

    # From below

    def subscribe(self, peer: Peer, topic: Topic) -> None:
        """A peer asks for a topic, once more. Raises TopicLimitError if it may not have more topics."""
        self._counts["steps_in"] += 1
        self._take(self.subscriptions.subscribe(peer, topic))

    def cancel(self, peer: Peer, topic: Topic) -> None:
        """A peer takes one subscription back; one that it has not is nothing."""
        self._counts["steps_in"] += 1
        self._take(self.subscriptions.cancel(peer, topic))

    def gone(self, peer: Peer) -> None:
        """A peer has left, or is lost. Its longest topics go first, so that none is bared only to go itself."""
        self._take(
            SubscriptionChange(False, topic)
            for topic in sorted(self.subscriptions.remove(peer), key=_size, reverse=True)
        )

    # From above

    def match(self, first: bytes) -> tuple[Peer, ...]:
        """Who gets a message of any upstream's, given its first frame. Equal answers are often the same tuple."""
        counts = self._counts
        counts["messages_in"] += 1
        peers = self.subscriptions.match(first)
        counts["messages_out"] += len(peers)
        counts["messages_unwanted"] += not peers
        return peers

    def connected(self, link: Upstream, kinds: bytes = b"") -> None:
        """An upstream is there, or there again; it knows filters of these kinds, one in each byte."""
        if link not in self.links:
            self.links.append(link)
        self._emit(link, link.connected(self.policy.wanted, kinds))

    def lost(self, link: Upstream) -> None:
        """An upstream is gone."""
        link.lost()

    def forget(self, link: Upstream) -> None:
        """An upstream will not come back, or as another one. It may be one that was never there."""
        link.lost()
        if link in self.links:
            self.links.remove(link)
            self._sent_to_forgotten += link.sent

    def flush(self, ask: Callable[[UpstreamRequest], int]) -> None:
        """Have everything in `requests` asked, once for each upstream; `ask` returns how many of the changes, the first
        ones, the upstream took.

        One that did not take a step is not asked for those after it either, though it may have room again: a
        cancellation must not arrive without what was to be there before.
        """
        steps: dict[Upstream, list[SubscriptionChange]] = {}
        for request in self.requests:
            steps.setdefault(request.upstream, []).extend(request.changes)
        self.requests = []
        for request in starmap(UpstreamRequest, steps.items()):
            taken = 0 if request.upstream.full else ask(request)
            if taken < len(request.changes):
                self.refused(request, taken)

    def refused(self, request: UpstreamRequest, taken: int) -> None:
        """An upstream took only the first `taken` of the changes: it is full until :meth:`writable`."""
        request.upstream.refused(request.changes[taken:])

    def writable(self, link: Upstream) -> None:
        """A full upstream takes more: it gets what it lacks by now."""
        self._emit(link, link.catch_up(self.policy.wanted))

    def stats(self) -> dict[str, int]:
        """Counts for a log line."""
        return {
            **self._counts,
            "steps_up": self._sent_to_forgotten + sum(link.sent for link in self.links),
            "topics": len(self.subscriptions),
            "topics_bytes": self._budget.cost_bytes,
            "topics_up": len(self.policy.wanted),
            "upstreams": sum(link.up for link in self.links),
            "upstreams_full": sum(link.full for link in self.links),
        }

    def _take(self, steps: Iterable[SubscriptionChange]) -> None:
        """What the table has taken goes up, and the producer is told."""
        for more, topic in steps:
            asked = _asked(topic)
            self._send_up(self.policy.subscribed(asked) if more else self.policy.cancelled(asked))
            self._note(topic, 1 if more else -1)

    def _note(self, topic: Topic, more: int) -> None:
        """Tell the producer of the first and of the last subscription to a topic."""
        if self._interest is None:
            return
        named = EVERYTHING if isinstance(topic, Filter) else topic
        before = self._interested[named]
        self._interested[named] = after = before + more
        if not after:
            del self._interested[named]
        if not before or not after:
            self._interest(named, bool(after))

    def _send_up(self, steps: list[SubscriptionChange]) -> None:
        if steps:
            for link in self.links:
                self._emit(link, link.follow(steps, self.policy.wanted))

    def _emit(self, link: Upstream, steps: list[SubscriptionChange]) -> None:
        if steps:
            self.requests.append(UpstreamRequest(link, steps))


def _asked(topic: Topic) -> Topic:
    """What upstreams are asked for in a topic's place."""
    if not isinstance(topic, Filter):
        return topic[:_ASKED_MAX]
    return (
        topic if len(topic.octets) <= _ASKED_MAX else EVERYTHING
    )  # a filter has no beginning that covers it


def _size(topic: Topic) -> int:
    return 0 if isinstance(topic, Filter) else len(topic)
