"""Subscribers whose subscriptions have taken effect, and the messages that they receive."""

from __future__ import annotations

from zeps_conformance.common.dialects import Dialect
from zeps_conformance.sockets.markers import Parts
from zeps_conformance.sockets.pubsub import PubSubTrial, Subscriber
from zeps_conformance.sockets.pubsub.proxy_trial import ProxyTrial
from zeps_conformance.wire.zmtp_codec import Properties

__all__ = ["received", "subscribed"]


def subscribed(
    t: PubSubTrial | ProxyTrial,
    name: str,
    *topics: bytes,
    dialect: Dialect | None = None,
    properties: Properties = (),
) -> Subscriber:
    """Returns a new subscriber, after its subscriptions to `topics` have taken effect."""
    peer = t.subscriber(name, dialect, properties=properties)
    peer.subscribe(*topics)
    peer.barrier()
    return peer


def received(t: PubSubTrial, peer: Subscriber, *messages: bytes | Parts) -> list[Parts]:
    """Sends `messages` (bytes: of one part) from the application; returns all that `peer` then has unread, in order."""
    for message in messages:
        t.app.send(*((message,) if isinstance(message, bytes) else message))
    return peer.collect()
