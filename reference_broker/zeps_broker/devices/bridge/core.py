"""The bridge, without a socket or a clock, between ZeroMQ's peers on one side and a foreign broker on the other.

Subscriptions are aggregated as in a forwarder, and go to the foreign broker as patterns. A pattern may match more than
requested, so messages from the foreign broker are matched again, prefix by prefix. Messages of ZeroMQ's publishers go
to the foreign broker. A message that the bridge published itself is delivered to ZeroMQ's subscribers only with `echo`,
because they can get it from its publisher.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from zeps_broker.devices.bridge.bindings import Bindings
from zeps_broker.devices.bridge.inbound import Inbound
from zeps_broker.devices.bridge.outbound import Outbound
from zeps_broker.devices.bridge.port import (
    Arrived,
    Changed,
    Event,
    Failed,
    ForeignBroker,
    Frames,
    Lost,
    Opened,
    Settled,
)
from zeps_broker.devices.forwarder.core import ForwarderCore
from zeps_broker.devices.forwarder.policies import Policy
from zeps_broker.devices.forwarder.upstream import Upstream
from zeps_broker.topics.budget import TopicLimits
from zeps_broker.topics.subscriptions import Peer

__all__ = ["Bridge", "BridgeSettings", "Deliver"]

Deliver = Callable[[Sequence[Peer], Frames], None]
"""Delivers a message to each of these subscribers, once."""


@dataclass(frozen=True, slots=True)
class BridgeSettings:
    """Settings of a bridge."""

    name: str
    """The bridge's unique name."""
    queue: int = 16 << 20
    """Maximum bytes, with overhead, of messages that the foreign broker has not answered; those beyond are dropped."""
    window: int = 1000
    """Maximum number of messages that the foreign broker delivers before one is acknowledged."""
    echo: bool = False
    """True if subscribers get messages that publishers sent through this bridge."""
    counted: bool = True
    """As in :class:`ForwarderCore`."""


class Bridge:
    """The bridge's core; subscribers' changes are passed to `device`. Call :meth:`flush` after each batch of calls."""

    def __init__(
        self,
        broker: ForeignBroker,
        settings: BridgeSettings,
        deliver: Deliver,
        policy: Policy | None = None,
        topics: TopicLimits | None = None,
    ) -> None:
        """`policy` None: :class:`Count`. `topics` limits the topics of subscribers; None: the default limits."""
        self._broker = broker
        self._settings = settings
        self._deliver = deliver
        self.device = ForwarderCore(policy, counted=settings.counted, topics=topics)
        self.device.connected(Upstream(settings.name))
        self.bindings = Bindings(broker.pattern)
        self.outbound = Outbound(settings.queue)
        self._inbound = Inbound(settings.window)
        self.session: int | None = None
        """The session with the foreign broker, or None."""
        self._tag = 0
        self._acknowledged = 0
        self._counts = dict.fromkeys(
            ("published", "settled", "refused", "dropped_out", "arrived", "own", "repeats", "sessions"), 0
        )

    # ZeroMQ's side

    def published(self, frames: Frames) -> bool:
        """Queues a publisher's message for :meth:`flush`; returns False if the queue is full, and drops it."""
        self._counts["published"] += 1
        taken = self.outbound.add(frames)
        self._counts["dropped_out"] += not taken
        return taken

    # The foreign side

    def handle(self, event: Event) -> None:
        """Handles the foreign broker's next event; delivers a message at once, ignores events of ended sessions."""
        if isinstance(event, Opened):
            self.session = event.session
            self._counts["sessions"] += 1
            self._tag = self._acknowledged = 0
            self.bindings.opened()
            self._inbound.opened()
        elif isinstance(event, Failed) or event.session != self.session:
            return
        elif isinstance(event, Arrived):
            self._arrived(event)
        elif isinstance(event, Settled):
            count = self.outbound.settled(event.number, event.multiple)
            self._counts["settled" if event.taken else "refused"] += count
        elif isinstance(event, Changed):
            self.bindings.changed()
        elif isinstance(event, Lost):
            self.session = None
            self.bindings.lost()
            self.outbound.lost()

    def flush(self) -> None:
        """Sends the due changes, messages and acknowledgement to the foreign broker; some wait for a session."""
        requests, self.device.requests = self.device.requests, []
        for request in requests:
            # A link that supports no other kind of filter is asked only for prefixes.
            self.bindings.follow((more, topic) for more, topic in request.changes if isinstance(topic, bytes))
        if self.session is None:
            return
        if steps := self.bindings.due():
            self._broker.change(self.session, steps)
        if messages := self.outbound.due():
            self._broker.publish(self.session, messages)
        if self._tag > self._acknowledged:
            self._acknowledged = self._tag
            self._broker.acknowledge(self.session, self._tag)

    @property
    def idle(self) -> bool:
        """Returns whether all messages were answered, and the subscriptions are as wanted; False without a session."""
        return not self.outbound and self.bindings.settled

    def stats(self) -> dict[str, int]:
        """Returns counters since the start (messages out and in; `delivered` counts each subscriber; sessions), and the
        present numbers of topics, patterns and unanswered messages; of topics and messages also the bytes.
        """
        device = self.device.stats()
        return {
            **self._counts,
            "unwanted": device["messages_unwanted"],
            "delivered": device["messages_out"],
            "topics": device["topics"],
            "topics_bytes": device["topics_bytes"],
            "patterns": len(self.bindings.desired_counts),
            "waiting": len(self.outbound),
            "waiting_octets": self.outbound.byte_count,
        }

    def _arrived(self, message: Arrived) -> None:
        self._tag = message.tag
        self._counts["arrived"] += 1
        if message.origin == self._settings.name and not self._settings.echo:
            self._counts["own"] += 1
        elif self._inbound.repeats(message):
            self._counts["repeats"] += 1
        elif peers := self.device.match(message.frames[0]):
            self._deliver(peers, message.frames)
