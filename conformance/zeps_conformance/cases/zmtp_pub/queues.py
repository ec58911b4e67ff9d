"""Queues: a slow subscriber does not affect other subscribers, and sending never waits."""

from __future__ import annotations

import time

from zeps_conformance.cases.registration import case
from zeps_conformance.cases.subscribers import received, subscribed
from zeps_conformance.cases.zmtp_pub.topics import listing
from zeps_conformance.sockets.pubsub import PubSubTrial, Subscriber

# bytes of a message that exceeds the buffers of two sockets, so that later messages are queued
STUFFING = 6 << 20
PROMPT = 3.0  # seconds within which an application that does not wait has sent a small message
SECOND = b"second part"


def _stuck(t: PubSubTrial) -> Subscriber:
    """Returns a subscriber to 'n' that stopped reading while a message larger than the transport's buffers was sent."""
    a = subscribed(t, "A", b"stuffing", b"n")
    t.check(
        t.app.send(b"stuffing", bytes(STUFFING)),
        "the large message is accepted",
        "it is not accepted",
        "ZMTP-P-11",
    )
    return a


def _send(t: PubSubTrial, *parts: bytes) -> None:
    """Sends a message, and checks that sending does not take more than 3 s and is not refused."""
    began = time.monotonic()
    taken = t.app.send(*parts)
    waited = time.monotonic() - began
    if not taken or waited > PROMPT:
        seen = f"it took {waited:.1f} s" if taken else "the library reports that it would block"
        t.check(False, "sending does not wait", seen, "ZMTP-P-11")


def _numbered(count: int) -> list[tuple[bytes, ...]]:
    return [(b"n%d" % number, SECOND) for number in range(count)]


def _follower(t: PubSubTrial) -> Subscriber:
    return subscribed(t, "B", b"n")


def _feed(t: PubSubTrial, b: Subscriber, count: int) -> None:
    """Sends `count` numbered messages of two parts, each after it is checked that B received the previous one."""
    for parts in _numbered(count):
        _send(t, *parts)
        b.expect_message(*parts, rule="ZMTP-P-18")


def _drain(t: PubSubTrial, a: Subscriber) -> list[tuple[bytes, ...]]:
    """Returns the numbered messages that A then receives: they follow the large one, and are the first ones sent."""
    messages = a.collect()
    large = messages[:1] == [(b"stuffing", bytes(STUFFING))]
    t.check(large, "the large message, whole", listing(messages), "ZMTP-F-8")
    seen = messages[1:]
    t.check(
        seen == _numbered(len(seen)), "the first messages, whole and in order", listing(seen), "ZMTP-F-10"
    )
    return seen


@case(
    "A subscriber that does not read delays neither other subscribers nor the application",
    "ZMTP-P-18",
    "ZMTP-P-11",
    "ZMTP-P-3",
)
def slow_subscriber(t: PubSubTrial) -> None:
    t.step("B subscribes to 'n'. A does too, and stops reading with a message of 6 MiB under way to it.")
    b = _follower(t)
    a = _stuck(t)
    t.step("The application sends 200 messages without waiting; B receives each at once.")
    _feed(t, b, 200)
    t.step("A reads again: it receives whole messages in order, from the first on.")
    _drain(t, a)


@case(
    "A queue has a configurable limit; messages beyond it are dropped whole",
    "ZMTP-P-6",
    "ZMTP-P-10",
    "ZMTP-P-11",
    "ZMTP-F-8",
)
def limit(t: PubSubTrial) -> None:
    t.step(
        "Queues hold 100 messages. B subscribes to 'n'; A does too, and stops reading with 6 MiB under way "
        "to it."
    )
    t.open(sndhwm=100)
    b = _follower(t)
    a = _stuck(t)
    t.step("The application sends 500 messages without waiting; B receives each at once.")
    _feed(t, b, 500)
    t.step("A reads again: it receives about 100 messages, whole and in order, and no more.")
    seen = _drain(t, a)
    t.check(len(seen) < 300, "not many more than 100 of 500 messages", f"{len(seen)} messages")
    t.step("Then A receives new messages.")
    t.compare("A receives", [(b"n later",)], received(t, a, b"n later"), "ZMTP-P-10")


@case("A burst that fits into the queue arrives whole", "ZMTP-P-3")
def burst(t: PubSubTrial) -> None:
    t.step("A reads nothing while the application sends 300 messages at once; then A receives all of them.")
    a = _follower(t)
    for parts in _numbered(300):
        _send(t, *parts)
    seen = a.collect()
    t.check(seen == _numbered(300), "300 messages in order", listing(seen))


@case("Sending without subscribers does not wait", "ZMTP-P-11", "ZMTP-S-7")
def nobody(t: PubSubTrial) -> None:
    t.step(
        "The application sends 300 messages while no peer is connected, and 300 that no peer subscribed to."
    )
    t.open()
    for _ in range(300):
        _send(t, b"elsewhere")
    a = _follower(t)
    for _ in range(300):
        _send(t, b"elsewhere")
    t.step("A receives the messages of its topic, and no earlier message.")
    t.compare("A receives", [(b"n",)], received(t, a, b"n"), "ZMTP-S-7")


def _gone(t: PubSubTrial, how: str) -> None:
    a = _stuck(t)
    for parts in _numbered(20):
        _send(t, *parts)
    a.close() if how == "close" else a.reset()
    t.step("A reconnects, and subscribes to the same topic: it receives new messages, and no old one.")
    again = subscribed(t, "A again", b"n")
    t.compare("A receives", [(b"new",)], received(t, again, b"new"))


@case("The queue of a subscriber that closes is discarded", "ZMTP-P-5")
def closed(t: PubSubTrial) -> None:
    t.step("A stops reading, with a message of 6 MiB under way to it and others behind it, and closes.")
    _gone(t, "close")


@case("The queue of a subscriber that disappears is discarded", "ZMTP-P-5")
def was_reset(t: PubSubTrial) -> None:
    t.step("A stops reading, with a message of 6 MiB under way to it and others behind it, and disappears.")
    _gone(t, "reset")


@case(
    "Subscribers that disappear while messages are under way do not affect other subscribers",
    "ZMTP-P-18",
    "ZMTP-P-5",
)
def vanishing(t: PubSubTrial) -> None:
    t.step("Ten subscribers subscribe to everything; B subscribes to 'n'.")
    b = _follower(t)
    others = [subscribed(t, f"A{number}", b"") for number in range(10)]
    t.step(
        "They disappear one after the other while the application sends 100 messages; B receives each of "
        "them, in order."
    )
    for number in range(100):
        if number % 10 == 5:
            others.pop().reset()
        _send(t, b"n%d" % number, bytes(5000))
        if number % 20 == 19:
            for earlier in range(number - 19, number + 1):
                b.expect_message(b"n%d" % earlier, bytes(5000))
