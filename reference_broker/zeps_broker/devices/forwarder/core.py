"""The forwarder, without a socket or a clock: input comes by methods, requests to upstreams are in `requests`.

The subscriptions of a subscriber that disconnects are removed; a publisher that reconnects gets all requests again. A
subscriber with a filter of another kind than a prefix gets every message, since forwarding subscriptions only saves
traffic (ZMTP-E-4). The filter itself goes up to publishers that support its kind (ZMTP-E-6).
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
"""Called with a topic at its first subscription (True) and at the cancellation of its last (False). A filter of another
kind counts as a subscription to everything, the empty topic."""

_ASKED_MAX = 64 << 10
"""Maximum bytes of a topic in a request to upstreams. A longer topic is requested by its prefix, which covers it: a
publisher that closes the connection for one long topic would cut off all subscribers below.
"""


@dataclass(frozen=True, slots=True)
class UpstreamRequest:
    """Changes to request from one upstream, in this order."""

    upstream: Upstream
    changes: Sequence[SubscriptionChange]


class ForwarderCore:
    """One node of a distribution tree. Call :meth:`flush`, or empty `requests`, after each call."""

    def __init__(
        self,
        policy: Policy | None = None,
        *,
        counted: bool = True,
        interest: Interest | None = None,
        topics: TopicLimits | None = None,
    ) -> None:
        """`policy` None: :class:`Count`. `counted` False: one cancel ends all subscriptions of a peer to a topic."""
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
        """Adds one subscription of a peer. Raises TopicLimitError, without adding, beyond a limit of `topics`."""
        self._counts["steps_in"] += 1
        self._take(self.subscriptions.subscribe(peer, topic))

    def cancel(self, peer: Peer, topic: Topic) -> None:
        """Cancels one subscription of a peer (unless `counted`, all to this topic); ignored if it has none."""
        self._counts["steps_in"] += 1
        self._take(self.subscriptions.cancel(peer, topic))

    def gone(self, peer: Peer) -> None:
        """Cancels all subscriptions of a peer, the longest topics first, so that none is requested in between."""
        self._take(
            SubscriptionChange(False, topic)
            for topic in sorted(self.subscriptions.remove(peer), key=_size, reverse=True)
        )

    # From above

    def match(self, first: bytes) -> tuple[Peer, ...]:
        """Returns the peers for a message with this first frame, often as the same object; counts the message."""
        counts = self._counts
        counts["messages_in"] += 1
        peers = self.subscriptions.match(first)
        counts["messages_out"] += len(peers)
        counts["messages_unwanted"] += not peers
        return peers

    def connected(self, link: Upstream, kinds: bytes = b"") -> None:
        """Handles a new connection that supports these `kinds` (one per byte): requests all wanted subscriptions."""
        if link not in self.links:
            self.links.append(link)
        self._emit(link, link.connected(self.policy.desired_counts, kinds))

    def lost(self, link: Upstream) -> None:
        """Handles the loss of an upstream's connection: nothing is requested from it until :meth:`connected`."""
        link.lost()

    def forget(self, link: Upstream) -> None:
        """Removes an upstream for good. It need not have been connected."""
        link.lost()
        if link in self.links:
            self.links.remove(link)
            self._sent_to_forgotten += link.sent

    def flush(self, ask: Callable[[UpstreamRequest], int]) -> None:
        """Sends all of `requests`, one call per upstream; `ask` returns how many changes, from the first, it took.
        After an upstream has not taken a change, later ones are not sent either, so that changes arrive in order.
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
        """Handles an upstream that took only the first `taken` changes: it is full until :meth:`writable`."""
        request.upstream.refused(request.changes[taken:])

    def writable(self, link: Upstream) -> None:
        """Handles an upstream that is no longer full: requests what is missing, then cancels what is superfluous."""
        self._emit(link, link.catch_up(self.policy.desired_counts))

    def stats(self) -> dict[str, int]:
        """Returns counters since the start (messages in, copies out, unmatched; changes of subscriptions in, and sent
        up), and the present numbers of topics, of their bytes, of requested topics, and of connected and of full
        upstreams.
        """
        return {
            **self._counts,
            "steps_up": self._sent_to_forgotten + sum(link.sent for link in self.links),
            "topics": len(self.subscriptions),
            "topics_bytes": self._budget.cost_bytes,
            "topics_up": len(self.policy.desired_counts),
            "upstreams": sum(link.up for link in self.links),
            "upstreams_full": sum(link.full for link in self.links),
        }

    def _take(self, steps: Iterable[SubscriptionChange]) -> None:
        """Appends what the policy makes of the table's changes to `requests`, and calls `interest`."""
        for more, topic in steps:
            asked = _asked(topic)
            if changes := self.policy.subscribed(asked) if more else self.policy.cancelled(asked):
                for link in self.links:
                    self._emit(link, link.follow(changes, self.policy.desired_counts))
            self._note(topic, 1 if more else -1)

    def _note(self, topic: Topic, more: int) -> None:
        """Calls `interest` for the first subscription to a topic (`more` is 1) and the last cancellation (-1)."""
        if self._interest is None:
            return
        named = EVERYTHING if isinstance(topic, Filter) else topic
        before = self._interested[named]
        self._interested[named] = after = before + more
        if not after:
            del self._interested[named]
        if not before or not after:
            self._interest(named, bool(after))

    def _emit(self, link: Upstream, steps: list[SubscriptionChange]) -> None:
        if steps:
            self.requests.append(UpstreamRequest(link, steps))


def _asked(topic: Topic) -> Topic:
    """Returns the topic to request from upstreams: at most 64 KiB of it, and everything for a longer filter."""
    if not isinstance(topic, Filter):
        return topic[:_ASKED_MAX]
    return topic if len(topic.content) <= _ASKED_MAX else EVERYTHING  # a filter has no prefix that covers it


def _size(topic: Topic) -> int:
    return 0 if isinstance(topic, Filter) else len(topic)
