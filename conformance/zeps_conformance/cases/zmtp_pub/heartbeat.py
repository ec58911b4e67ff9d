"""Heartbeats of version 3.1 among subscriptions and messages, and the publisher's own heartbeats."""

from __future__ import annotations

from zeps_conformance.cases.registration import case
from zeps_conformance.cases.subscribers import subscribed
from zeps_conformance.cases.zmtp_any.heartbeat import ONLY_3_1
from zeps_conformance.common.verdicts import FailureError
from zeps_conformance.sockets.pubsub import Frame, PubSubTrial, Subscriber
from zeps_conformance.wire.zmtp_side import CONTEXT_MAX


@case("PING is answered while messages arrive", "ZMTP-H-3", "ZMTP-F-8", dialects=ONLY_3_1)
def amid_messages(t: PubSubTrial) -> None:
    t.step(
        "A subscribes to everything and sends PING between messages of several parts: each PING is answered."
    )
    a = subscribed(t, "A", b"")
    for number in range(20):
        t.app.send(b"%d" % number, b"", bytes(20_000))
        a.ping(context=b"%d" % number)
        a.expect_pong(b"%d" % number)
    t.step("All 20 messages arrive whole.")
    for number in range(20):
        a.expect_message(b"%d" % number, b"", bytes(20_000), rule="ZMTP-F-8")


@case("Any traffic counts as a sign of life: subscription", "ZMTP-H-5", "ZMTP-H-6", dialects=ONLY_3_1)
def alive_by_subscription(t: PubSubTrial) -> None:
    t.step("A sends PING with 0.3 s to live, and then subscribes every 0.1 s, for 0.7 s.")
    t.allow(3)
    a = t.subscriber("A")
    a.ping(ttl=3)
    a.expect_pong(b"", "ZMTP-H-3")
    for number in range(7):
        a.expect_open(0.1, why="A has sent a frame within its time to live")
        a.subscribe(b"%d" % number)
    t.step("A's connection is still open, and A is served.")
    t.serve(a)


@case(
    "The publisher's own PING, and its answer",
    "ZMTP-H-1",
    "ZMTP-H-2",
    "ZMTP-H-4",
    "ZMTP-H-11",
    dialects=ONLY_3_1,
)
def own(t: PubSubTrial) -> None:
    t.step("The publisher sends PING every 0.1 s, waits 0.3 s for traffic, and announces 0.5 s to live.")
    t.allow(3)
    t.open(heartbeat_ivl=100, heartbeat_timeout=300, heartbeat_ttl=500)
    a = t.subscriber("A")
    a.answers_pings = False
    a.subscribe(b"x")
    for _ in range(5):
        ping = _next_ping(t, a)
        t.compare("the time to live", 5, ping.values.get("ttl"), "ZMTP-H-2")
        context = ping.body[len(t.wire.body("PING", ttl=0, context=b"")) :]
        t.check(len(context) <= CONTEXT_MAX, "a context of at most 16 bytes", f"{len(context)}", "ZMTP-H-4")
        a.send_command("PONG", context=context)
    t.step("A answers five times, and is served.")
    t.app.send(b"x")
    a.expect_message(b"x", rule="ZMTP-H-11")
    t.step("A stops answering: the connection is closed.")
    t.check(a.ends(2.0), "the connection is closed", "it stays open", "ZMTP-H-11")


@case("Other traffic answers the publisher's PING too", "ZMTP-H-5", dialects=ONLY_3_1)
def own_answered_otherwise(t: PubSubTrial) -> None:
    t.step("The publisher sends PING every 0.1 s and waits 0.3 s for traffic; A only subscribes.")
    t.allow(3)
    t.open(heartbeat_ivl=100, heartbeat_timeout=300)
    a = t.subscriber("A")
    a.answers_pings = False
    _next_ping(t, a)
    for number in range(9):
        a.subscribe(b"%d" % number)
        a.expect_open(0.1, why="A has sent a frame in time")
    t.step("A is still served after 0.9 s.")
    t.app.send(b"8")
    a.expect_message(b"8")


def _next_ping(t: PubSubTrial, a: Subscriber) -> Frame:
    while True:
        frame = a.read_frame(2.0)
        if frame is None:
            raise FailureError("PING from the publisher", "nothing within 2 s", "ZMTP-H-1")
        if frame.name == "PING":
            return frame
