"""Lost connections: a subscriber reconnects, and sends its subscriptions again."""

from __future__ import annotations

import time
from collections.abc import Callable

from zeps_conformance.cases.races import rounds
from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zmtp_sub.handmade_publishers import (
    SIGNATURE,
    deliver,
    greet,
    introduce,
    prompt,
    ready,
)
from zeps_conformance.cases.zmtp_sub.subscribe import remaining_topics
from zeps_conformance.common.verdicts import FailureError
from zeps_conformance.sockets.pubsub import (
    BOTH,
    V3_0,
    V3_1,
    Connection,
    Dialect,
    Listener,
    Publisher,
    PubSubTrial,
)

BACK = 3.0  # seconds in which an implementation that reconnects has done so
ENDS, SPELL = 12, 1.0  # handshakes that end in each way, at least, and the seconds that they take at least
GONE = 0.15  # seconds in which an implementation with a reconnection delay of 20 ms has connected again


def back(t: PubSubTrial, p: Publisher, dialect: Dialect | None = None) -> Publisher:
    """Waits at most 3 s until the implementation reconnects to the listener of `p`, and returns the new publisher.
    `dialect` is by default as for :func:`greet`. Raises FailureError if no connection arrives.
    """
    connection = p.listener.try_accept(BACK)
    if connection is None:
        raise FailureError("the implementation connects again", f"not within {BACK:g} s", "ZMTP-U-14")
    greeting = None if dialect is None else t.wire.greeting(dialect.value)
    again = introduce(t, greet(t, connection, greeting), dialect=dialect)
    again.listener = p.listener
    return again


def _lost(t: PubSubTrial, end: Callable[[Publisher], None], how: str) -> None:
    prompt(t)
    t.step("The implementation connects to P; the application subscribes to 'a' and 'b'.")
    p = t.publisher("P")
    t.app.subscribe(b"a", b"b")
    p.barrier()
    t.step(f"P {how}: the implementation connects again, and sends both subscriptions again.")
    end(p)
    again = back(t, p)
    t.compare("the topics that P has", {b"a", b"b"}, remaining_topics(again.events()), "ZMTP-U-15")
    t.step("P's message arrives.")
    deliver(t, again, b"a", b"body")


for _subject, _end, _how in (
    ("closed", Publisher.close, "closes the connection"),
    ("reset", Publisher.reset, "resets the connection"),
    ("half-closed", Publisher.shut_down_sending, "shuts down its sending direction"),
):
    case(
        f"When the publisher {_how}, the subscriber reconnects with its subscriptions",
        "ZMTP-U-14",
        "ZMTP-U-15",
        "ZMTP-N-23",
        subject=_subject,
        dialects=BOTH,
    )(_lost, _end, _how)


@case(
    "Subscriptions are sent again in the form of the new publisher's version",
    "ZMTP-U-15",
    "ZMTP-S-5",
    "ZMTP-S-1",
    "ZMTP-S-3",
    dialects=(V3_1,),
)
def other_dialect(t: PubSubTrial) -> None:
    prompt(t)
    t.step("The implementation connects to P of version 3.1; the application subscribes to 'a'.")
    p = t.publisher("P", V3_1)
    t.app.subscribe(b"a")
    p.expect_subscribe(b"a")
    for dialect in (V3_0, V3_1, V3_0):
        t.step(
            f"P disconnects, and returns with version {dialect}: the subscription to 'a' has that "
            "version's form."
        )
        p.close()
        p = back(t, p, dialect)
        p.expect_subscribe(b"a", form=True)
        deliver(t, p, b"a", str(dialect).encode())


@case(
    "A topic with several subscriptions is sent again, and can be cancelled",
    "ZMTP-U-15",
    "ZMTP-S-12",
    dialects=BOTH,
)
def each_once(t: PubSubTrial) -> None:
    prompt(t)
    t.step("The application subscribes to 'x' three times and to 'y' once; P disconnects and returns.")
    p = t.publisher("P")
    t.app.subscribe(b"x", b"x", b"x", b"y")
    p.barrier()
    p.close()
    again = back(t, p)
    events = again.events()
    t.compare("the topics that P has", {b"x", b"y"}, remaining_topics(events))
    t.observed(f"'x' is sent again {events.count(('subscribe', b'x'))} times")
    t.step("The application cancels all: P has no subscription.")
    t.app.unsubscribe(b"x", b"x", b"x", b"y")
    t.compare("the topics that P has now", set(), remaining_topics([*events, *again.events()]), "ZMTP-S-12")


@case("A publisher that returns receives the changes made while it was away", "ZMTP-U-15", dialects=BOTH)
def changed_meanwhile(t: PubSubTrial) -> None:
    prompt(t)
    t.step("The application subscribes to 'a0' and 'b'; P disconnects, and refuses connections.")
    p = t.publisher("P")
    t.app.subscribe(b"a0", b"b")
    p.barrier()
    t.step("The application cancels 'a0' and subscribes to 'a1'; P returns. This repeats for two seconds.")
    for number in rounds(3, 2.0):
        before, after = b"a%d" % number, b"a%d" % (number + 1)
        p.listener.pause()
        p.close()
        t.app.unsubscribe(before)
        t.app.subscribe(after)
        p.listener.resume()
        p = back(t, p)
        t.compare("the topics that P has", {b"b", after}, remaining_topics(p.events()))
        deliver(t, p, after, b"body")


@case("A subscriber can connect before its peer listens", "ZMTP-U-10", dialects=BOTH)
def late_publisher(t: PubSubTrial) -> None:
    prompt(t)
    t.step("The application connects to an endpoint that refuses connections, and subscribes without delay.")
    listener = t.listener()
    listener.pause()
    t.app.connect(listener.endpoint)
    t.app.subscribe(b"a")
    t.step("Then P listens: the implementation connects and subscribes, and P's message arrives.")
    listener.resume()
    p = Publisher.accept(listener, "P")
    p.expect_subscribe(b"a")
    deliver(t, p, b"a", b"body")


def _at_once(t: PubSubTrial, p: Connection) -> None:
    p.read_available(BACK, SIGNATURE, keep=True)


def _after_greeting(t: PubSubTrial, p: Connection) -> None:
    greet(t, p)


def _amid_ready(t: PubSubTrial, p: Connection) -> None:
    greet(t, p)
    p.send_raw(ready(t)[:9], "a part of READY")


def _before_their_ready(t: PubSubTrial, p: Connection) -> None:
    p.read_available(BACK, SIGNATURE, keep=True)
    p.send_raw(t.wire.greeting(t.dialect.value) + ready(t), "greeting and READY")


@case("A connection that ends during the handshake is retried", "ZMTP-N-23", "ZMTP-U-14", dialects=BOTH)
def during_handshake(t: PubSubTrial) -> None:
    prompt(t)
    listener = t.listener()
    t.app.connect(listener.endpoint)
    for how, say in (
        ("as soon as the implementation has begun its greeting", _at_once),
        ("after the greetings", _after_greeting),
        ("in the middle of its READY", _amid_ready),
        ("without reading the implementation's READY", _before_their_ready),
    ):
        t.step(f"The implementation connects; P closes the connection {how}. {ENDS} times or more.")
        for _ in rounds(ENDS, SPELL):
            say(t, p := _connects(listener))
            p.close()
    t.step("The implementation connects once more; P completes the handshake, and its message arrives.")
    introduce(t, greet(t, _connects(listener))).barrier()


def _connects(listener: Listener) -> Connection:
    """Returns the next connection of the implementation. Raises FailureError if none arrives within 3 s."""
    connection = listener.try_accept(BACK)
    if connection is None:
        raise FailureError("the implementation connects again", f"not within {BACK:g} s", "ZMTP-N-23")
    return connection


@case("A connection that is lost often is restored each time", "ZMTP-U-14", dialects=BOTH)
def often(t: PubSubTrial) -> None:
    prompt(t)
    t.step("The implementation connects to P, which receives the subscription and whose message arrives.")
    p = t.publisher("P")
    t.app.subscribe(b"a")
    p.expect_subscribe(b"a")
    for number in range(5):
        t.step(
            "P closes the connection: the implementation reconnects and subscribes again, and P's message "
            "arrives."
        )
        p.close()
        p = back(t, p)
        p.expect_subscribe(b"a")
        deliver(t, p, b"a", b"%d" % number)


@case(
    "When one publisher disconnects, the messages of others still arrive",
    "ZMTP-U-1",
    "ZMTP-F-10",
    dialects=BOTH,
)
def others_unharmed(t: PubSubTrial) -> None:
    prompt(t)
    t.step("The implementation connects to P and Q; the application subscribes to everything.")
    p, q = t.publisher("P"), t.publisher("Q")
    t.app.subscribe(b"")
    p.barrier()
    q.barrier()
    t.step("P disconnects while Q sends: all of Q's messages arrive, in order.")
    for number in range(20):
        q.send(b"q%d" % number)
        if number == 5:
            p.reset()
    for number in range(20):
        t.app.expect(b"q%d" % number, rule="ZMTP-F-10")
    q.barrier()


@case("There is a delay before the next connection", "ZMTP-N-23")
def delay(t: PubSubTrial) -> None:
    t.step(
        "The implementation connects, with its default delays; every connection is closed at once, for "
        "half a second."
    )
    listener = t.listener()
    t.app.connect(listener.endpoint)
    listener.accept("P").close()
    began, times = time.monotonic(), []
    while (left := began + 0.5 - time.monotonic()) > 0:
        again = listener.try_accept(left)
        if again is not None:
            times.append(time.monotonic() - began)
            again.close()
    t.check(len(times) <= 50, "no storm: at most 50 connections in half a second", f"{len(times)}")
    t.observed(
        "it reconnected after " + (", ".join(f"{1000 * at:.0f} ms" for at in times[:8]) or "more than 500 ms")
    )


@case(
    "After disconnecting, the implementation connects only when it is asked to again",
    "ZMTP-U-14",
    dialects=BOTH,
)
def disconnect(t: PubSubTrial) -> None:
    app = prompt(t)
    t.step("The implementation is connected to P and Q; the application disconnects from P.")
    p, q = t.publisher("P"), t.publisher("Q")
    app.subscribe(b"a")
    p.expect_subscribe(b"a")
    app.disconnect(p.listener.endpoint)
    while p.next_event() is not None:
        pass
    t.check(p.lost is not None, "the connection of P ends: the application disconnected", "it is open")
    t.step("The implementation does not reconnect by itself; Q's messages arrive.")
    p.listener.expect_no_connection("the application disconnected", GONE)
    q.barrier()
    t.step("The application connects to P again, which receives the subscription.")
    app.connect(p.listener.endpoint)
    again = back(t, p)
    again.expect_subscribe(b"a")
    again.barrier()
