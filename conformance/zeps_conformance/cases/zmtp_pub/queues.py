"""Queues: one slow subscriber costs nobody else anything, and sending never waits."""

from __future__ import annotations

import time

from zeps_conformance.cases.zmtp_pub.topics import listing
from zeps_conformance.sockets.pubsub import PubSubTrial, Subscriber, case

STUFFING = 6 << 20  # octets: more than the buffers of two sockets hold, so that what follows has to be queued
PROMPT = 3.0  # seconds within which an application that does not wait has sent a small message
SECOND = b"second part"


def _stuck(t: PubSubTrial) -> Subscriber:
    """A subscriber to 'n' that reads no more, with a message under way that does not fit into the transport."""
    a = t.subscriber("A")
    a.subscribe(b"stuffing")
    a.subscribe(b"n")
    a.barrier()
    t.check(t.app.send(b"stuffing", bytes(STUFFING)), "the large message is taken", "it is not", "ZMTP-P-11")
    return a


def _send(t: PubSubTrial, *parts: bytes) -> None:
    """Send, and see that it neither waits nor is refused."""
    began = time.monotonic()
    taken = t.app.send(*parts)
    waited = time.monotonic() - began
    if not taken or waited > PROMPT:
        seen = f"it took {waited:.1f} s" if taken else "the library says that it would block"
        t.check(False, "sending does not wait", seen, "ZMTP-P-11")


def _numbered(count: int) -> list[tuple[bytes, ...]]:
    return [(b"n%d" % number, SECOND) for number in range(count)]


def _follower(t: PubSubTrial) -> Subscriber:
    b = t.subscriber("B")
    b.subscribe(b"n")
    b.barrier()
    return b


def _feed(t: PubSubTrial, b: Subscriber, count: int) -> None:
    """Send `count` numbered messages of two parts, each as soon as B has the one before."""
    for parts in _numbered(count):
        _send(t, *parts)
        b.expect_message(*parts, rule="ZMTP-P-18")


def _drain(t: PubSubTrial, a: Subscriber) -> list[tuple[bytes, ...]]:
    """What A gets once it reads again: the large message, and a beginning of the numbered ones."""
    messages = a.collect()
    large = messages[:1] == [(b"stuffing", bytes(STUFFING))]
    t.check(large, "the message that was under way, whole", listing(messages), "ZMTP-F-8")
    seen = messages[1:]
    t.check(
        seen == _numbered(len(seen)), "the first messages, whole and in order", listing(seen), "ZMTP-F-10"
    )
    return seen


@case(
    "zmtp-pub.queues.slow-subscriber",
    "One that does not read hurts no other, and nobody waits for it",
    "ZMTP-P-18",
    "ZMTP-P-11",
    "ZMTP-P-3",
)
def slow_subscriber(t: PubSubTrial) -> None:
    t.step("B follows 'n'. A does too, and stops reading with a message of 6 MiB under way to it.")
    b = _follower(t)
    a = _stuck(t)
    t.step("The application sends 200 messages without waiting; B gets each as soon as it is sent.")
    _feed(t, b, 200)
    t.step("A reads again: what it gets are whole messages in order, from the first on.")
    _drain(t, a)


@case(
    "zmtp-pub.queues.limit",
    "A queue has a limit that can be set; what goes beyond it is dropped whole",
    "ZMTP-P-6",
    "ZMTP-P-10",
    "ZMTP-P-11",
    "ZMTP-F-8",
)
def limit(t: PubSubTrial) -> None:
    t.step(
        "Queues hold 100 messages. B follows 'n'; A does too, and stops reading with 6 MiB under way to it."
    )
    t.open(sndhwm=100)
    b = _follower(t)
    a = _stuck(t)
    t.step("The application sends 500 messages without waiting; B gets each as soon as it is sent.")
    _feed(t, b, 500)
    t.step("A reads again: it gets about 100 messages, whole and in order, and no more.")
    seen = _drain(t, a)
    t.check(len(seen) < 300, "not many more than 100 of 500 messages", f"{len(seen)} messages")
    t.step("Then it gets what is sent.")
    t.app.send(b"n later")
    t.compare("A receives", [(b"n later",)], a.collect(), "ZMTP-P-10")


@case("zmtp-pub.queues.burst", "A burst that fits into the queue arrives whole", "ZMTP-P-3")
def burst(t: PubSubTrial) -> None:
    t.step("A reads nothing while the application sends 300 messages at once; then it gets all.")
    a = _follower(t)
    for parts in _numbered(300):
        _send(t, *parts)
    seen = a.collect()
    t.check(seen == _numbered(300), "300 messages in order", listing(seen))


@case("zmtp-pub.queues.nobody", "Sending to nobody does not wait", "ZMTP-P-11", "ZMTP-S-7")
def nobody(t: PubSubTrial) -> None:
    t.step("The application sends 300 messages while nobody is connected, and 300 that nobody asked for.")
    t.open()
    for _ in range(300):
        _send(t, b"elsewhere")
    a = _follower(t)
    for _ in range(300):
        _send(t, b"elsewhere")
    t.step("A gets what it asked for, and nothing of what was before.")
    t.app.send(b"n")
    t.compare("A receives", [(b"n",)], a.collect(), "ZMTP-S-7")


def _gone(t: PubSubTrial, how: str) -> None:
    a = _stuck(t)
    for parts in _numbered(20):
        _send(t, *parts)
    a.close() if how == "close" else a.reset()
    t.step("A comes again, and subscribes to the same: it gets what is sent from now on, and nothing old.")
    again = t.subscriber("A again")
    again.subscribe(b"n")
    again.barrier()
    t.app.send(b"new")
    t.compare("A receives", [(b"new",)], again.collect())


@case("zmtp-pub.queues.closed", "The queue of a subscriber that closes goes with it", "ZMTP-P-5")
def closed(t: PubSubTrial) -> None:
    t.step("A stops reading, with a message of 6 MiB under way to it and others behind it, and closes.")
    _gone(t, "close")


@case(
    "zmtp-pub.queues.was-reset",
    "The queue of a subscriber that vanishes goes with it",
    "ZMTP-P-5",
)
def was_reset(t: PubSubTrial) -> None:
    t.step("A stops reading, with a message of 6 MiB under way to it and others behind it, and vanishes.")
    _gone(t, "reset")


@case(
    "zmtp-pub.queues.vanishing",
    "Subscribers that vanish while messages are under way harm no other",
    "ZMTP-P-18",
    "ZMTP-P-5",
)
def vanishing(t: PubSubTrial) -> None:
    t.step("Ten subscribers follow everything; B follows 'n'.")
    b = _follower(t)
    others = [t.subscriber(f"A{number}") for number in range(10)]
    for other in others:
        other.subscribe(b"")
        other.barrier()
    t.step("They vanish one by one while the application sends 100 messages; B gets every one, in order.")
    for number in range(100):
        if number % 10 == 5:
            others.pop().reset()
        _send(t, b"n%d" % number, bytes(5000))
        if number % 20 == 19:
            for earlier in range(number - 19, number + 1):
                b.expect_message(b"n%d" % earlier, bytes(5000))
