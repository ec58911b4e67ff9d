"""Inputs of the machines of a connection to a socket: bytes that the suite sends, and what the application does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from zeps_conformance.common.dialects import V3_0, V3_1, Dialect
from zeps_conformance.learning.mealy import Output, Word
from zeps_conformance.wire.zmtp_codec import Wire

__all__ = [
    "CANCEL",
    "CANCELLING",
    "GREETINGS",
    "LEARNED_TYPES",
    "PUBLISH",
    "PUBLISHERS",
    "SENT",
    "SKIPPED",
    "SOCKET_INPUTS",
    "SUBSCRIBE",
    "SUBSCRIBER_INPUTS",
    "SUBSCRIBING",
    "TOPIC",
    "inputs_of",
    "sent_to",
    "socket_words",
    "subscriptions_max",
]

PUBLISHERS: Final = ("PUB", "XPUB")
LEARNED_TYPES: Final = (*PUBLISHERS, "SUB", "XSUB")
TOPIC: Final = b"t"
SKIPPED: Output = ("not sent",)

PUBLISH: Final = "application sends"
SUBSCRIBE, CANCEL = "application subscribes", "application cancels"
_COMMON: Mapping[str, Callable[[Wire], bytes]] = {
    "greeting 3.1": lambda wire: wire.greeting(V3_1.value),
    "greeting 3.0": lambda wire: wire.greeting(V3_0.value),
    "greeting of PLAIN": lambda wire: wire.greeting(mechanism=b"PLAIN"),
    "READY": lambda wire: wire.ready(b"SUB"),
    "READY malformed": lambda wire: wire.frame(
        wire.body("READY", properties=[(b"a", b"b")])[:-1], command=True
    ),
    "PING": lambda wire: wire.command("PING", ttl=0, context=b"c"),
    "unknown command": lambda wire: wire.frame(b"\x04NONE", command=True),
    "message": lambda wire: wire.message(b"data"),
    "ERROR": lambda wire: wire.command("ERROR", reason="over"),
}
#: Bytes of the inputs that the suite sends to a publisher.
SENT: Mapping[str, Callable[[Wire], bytes]] = {
    **_COMMON,
    "SUBSCRIBE": lambda wire: wire.subscribe(TOPIC, V3_1),
    "subscription": lambda wire: wire.subscribe(TOPIC, V3_0),
    "CANCEL": lambda wire: wire.cancel(TOPIC, V3_1),
    "cancellation": lambda wire: wire.cancel(TOPIC, V3_0),
}
#: Bytes of the inputs that the suite sends to a subscriber.
SENT_TO_SUBSCRIBERS: Mapping[str, Callable[[Wire], bytes]] = {
    **_COMMON,
    "READY": lambda wire: wire.ready(b"PUB"),
    "message": lambda wire: wire.message(TOPIC),
}
GREETINGS: Mapping[str, Dialect] = {"greeting 3.1": V3_1, "greeting 3.0": V3_0}
SUBSCRIBING, CANCELLING = ("SUBSCRIBE", "subscription", SUBSCRIBE), ("CANCEL", "cancellation", CANCEL)

SOCKET_INPUTS: Final = (*SENT, PUBLISH)
"""For a publisher: greetings of both versions and of another mechanism; READY, also with a truncated property;
subscription and cancellation as commands and as messages; PING; an unknown command; a message; ERROR; and a message
that the application sends.
"""
SUBSCRIBER_INPUTS: Final = (*SENT_TO_SUBSCRIBERS, SUBSCRIBE, CANCEL)
"""For a subscriber: the same without subscriptions and cancellations, which the application makes; the message has the
topic.
"""


def inputs_of(socket_type: str) -> tuple[str, ...]:
    """Returns the inputs of a socket type."""
    return SOCKET_INPUTS if socket_type in PUBLISHERS else SUBSCRIBER_INPUTS


def subscriptions_max(socket_type: str) -> int:
    """Returns the maximum number of subscriptions to the topic at a time. A publisher that counts them has a state for
    each number; whether a subscriber sends a second equal subscription is left open.
    """
    return 2 if socket_type in PUBLISHERS else 1


def sent_to(socket_type: str) -> Mapping[str, Callable[[Wire], bytes]]:
    """Returns the bytes of the inputs that the suite sends."""
    return SENT if socket_type in PUBLISHERS else SENT_TO_SUBSCRIBERS


def socket_words(socket_type: str = "PUB") -> list[Word]:
    """Returns words that every hypothesis is tested with: two inputs after the handshake of each version, and whether
    a message then arrives. A learner without them would rarely complete a handshake.
    """
    inputs = inputs_of(socket_type)
    last = PUBLISH if socket_type in PUBLISHERS else "message"
    pairs = [(one, two) for one in inputs for two in inputs]
    return [(greeting, "READY", *pair, last) for greeting in GREETINGS for pair in pairs]
