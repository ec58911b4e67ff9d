"""Heartbeats of version 3.1: PING is answered, and silence is detected."""

from __future__ import annotations

import time

from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zmtp_sub.handmade_publishers import RECONNECT_MS, deliver
from zeps_conformance.cases.zmtp_sub.reconnect import back
from zeps_conformance.cases.zmtp_sub.subscribe import remaining_topics
from zeps_conformance.sockets.pubsub import NEGATIVE, V3_0, V3_1, PubSubTrial
from zeps_conformance.wire.zmtp_side import CONTEXT_MAX

NEW = (V3_1,)
INTERVAL_MS = 40
TIMEOUT_MS = 120


@case("PING is answered by PONG with its context", "ZMTP-H-3", dialects=NEW)
def answered(t: PubSubTrial) -> None:
    p = t.publisher("P")
    t.step(
        "P sends PING with contexts of 0, 1 and 16 bytes and several times to live: it receives each "
        "context in PONG."
    )
    for ttl, context in (
        (0, b""),
        (0, b"c"),
        (600, b"\x00\xff" * 8),
        (65_535, b"x" * CONTEXT_MAX),
        (0, bytes(16)),
    ):
        p.ping(ttl, context)
        p.expect_pong(context)


@case("Many PINGs are answered, in order", "ZMTP-H-3", "ZMTP-F-10", dialects=NEW)
def many(t: PubSubTrial) -> None:
    p = t.publisher("P")
    t.step("P sends 200 PINGs in one write: it receives 200 PONGs, in order.")
    contexts = [b"%03d" % number for number in range(200)]
    p.send_raw(
        b"".join(t.wire.command("PING", ttl=0, context=ping_context) for ping_context in contexts),
        "200 PINGs",
    )
    for context in contexts:
        p.expect_pong(context)


@case("PING among messages is answered, and no message is lost", "ZMTP-H-3", "ZMTP-U-6", dialects=NEW)
def among_messages(t: PubSubTrial) -> None:
    p = t.publisher("P")
    t.app.subscribe(b"")
    t.step("P alternately sends messages and PINGs: all messages arrive, and all PONGs.")
    for number in range(20):
        p.send(b"%d" % number, b"body")
        p.ping(0, b"%d" % number)
    for number in range(20):
        t.app.expect(b"%d" % number, b"body")
        p.expect_pong(b"%d" % number)


@case("PING with a context of more than 16 bytes", "ZMTP-H-4", polarity=NEGATIVE, dialects=NEW)
def context_too_long(t: PubSubTrial) -> None:
    for size in (CONTEXT_MAX + 1, 100, 300):
        t.step(f"P sends PING with a context of {size} bytes, which is too long for a PONG.")
        p = t.publisher("P", dial=True)
        p.send_raw(t.wire.frame(t.wire.body("PING", ttl=0, context=b"") + b"c" * size, command=True), "PING")
        pong = p.next_pong(0.1)
        length = None if pong is None else len(pong.body) - len(t.wire.body("PONG", context=b""))
        t.check(
            length is None or length <= CONTEXT_MAX,
            "no PONG, or one of at most 16 bytes",
            f"{length} bytes",
        )
        ended = "kept" if p.lost is None else "closed"
        t.observed(
            f"{size} bytes: {'no PONG' if length is None else f'PONG with {length}'}, the connection is "
            f"{ended}"
        )


@case("PING with a truncated time to live", "ZMTP-H-8", polarity=NEGATIVE, dialects=NEW)
def ping_too_short(t: PubSubTrial) -> None:
    for size in (0, 1):
        t.step(f"P sends PING with {size} bytes instead of the two bytes of the time to live.")
        p = t.publisher("P", dial=True)
        body = t.wire.body("PING", ttl=0, context=b"")
        p.send_raw(t.wire.frame(body[: len(body) - 2 + size], command=True), "PING")
        pong = p.next_pong(0.1)
        t.check(
            p.lost is not None,
            "the connection is closed",
            f"it is kept, {'no' if pong is None else 'with a'} PONG",
        )


@case("PING on a connection of version 3.0", "ZMTP-H-9", polarity=NEGATIVE, dialects=(V3_0,))
def in_version_3_0(t: PubSubTrial) -> None:
    t.app.subscribe(b"")
    t.step("P, of version 3.0, sends PING, which that version does not have.")
    p = t.publisher("P", dial=True)
    p.ping(0, b"ctx")
    pong = p.next_pong(0.1)
    t.check(pong is None, "no PONG", "PONG")
    t.observed("the connection is " + ("kept" if p.lost is None else "closed"))
    t.app.expect_nothing("PING is a command", rule="ZMTP-U-11")


@case(
    "A publisher that is silent for longer than its time to live is disconnected",
    "ZMTP-H-6",
    "ZMTP-H-2",
    dialects=NEW,
)
def time_to_live(t: PubSubTrial) -> None:
    p = t.publisher("P")
    t.step(
        "P announces a time to live of 0.2 s, and is silent: the implementation ends the connection, not "
        "at once."
    )
    began = time.monotonic()
    p.ping(2, b"")
    p.expect_pong(b"")
    p.expect_closed(1.5, why="its time to live has passed")
    took = time.monotonic() - began
    t.check(took >= 0.15, "no sooner than after 0.2 s", f"after {took:.2f} s", "ZMTP-H-2")


@case("A publisher that sends within its time to live stays connected", "ZMTP-H-5", "ZMTP-H-6", dialects=NEW)
def time_to_live_kept(t: PubSubTrial) -> None:
    p = t.publisher("P")
    t.app.subscribe(b"")
    t.step("P announces a time to live of 0.3 s, and sends a message every 50 ms: the connection is kept.")
    p.ping(3, b"")
    p.expect_pong(b"")
    for number in range(10):
        p.expect_open(0.05, why="it sends in time")
        deliver(t, p, b"%d" % number)


@case("A time to live of zero sets no timeout", "ZMTP-H-10", dialects=NEW)
def no_time_to_live(t: PubSubTrial) -> None:
    p = t.publisher("P")
    t.step("P sends PING with a time to live of zero, and is silent: the connection is kept.")
    p.ping(0, b"")
    p.expect_pong(b"")
    p.expect_open(0.2, why="the time to live was zero")


@case(
    "A subscriber's own PING has a valid time to live and context",
    "ZMTP-H-2",
    "ZMTP-H-1",
    "ZMTP-H-4",
    dialects=NEW,
)
def own(t: PubSubTrial) -> None:
    t.open(heartbeat_ivl=INTERVAL_MS, heartbeat_timeout=1000, heartbeat_ttl=2500)
    t.step("The implementation is configured to send PING every 40 ms with a time to live of 2.5 s.")
    p = t.publisher("P")
    p.answers_pings = False
    ping = p.expect_command("PING", "ZMTP-H-1", within=1.0)
    t.compare("the time to live, in tenths of a second", 25, ping.values.get("ttl"))
    size = len(ping.body) - len(t.wire.body("PING", ttl=0, context=b""))
    t.check(size <= CONTEXT_MAX, "a context of at most 16 bytes", f"{size} bytes", "ZMTP-H-4")


@case("A publisher that answers PING is kept", "ZMTP-H-11", dialects=NEW)
def alive(t: PubSubTrial) -> None:
    t.open(heartbeat_ivl=INTERVAL_MS, heartbeat_timeout=TIMEOUT_MS)
    t.step("The implementation sends PING every 40 ms, and waits 120 ms for traffic. P answers: it is kept.")
    p = t.publisher("P")
    p.expect_open(0.4, why="it answers")
    p.barrier()


@case("Any traffic counts as a sign of life", "ZMTP-H-5", dialects=NEW)
def traffic(t: PubSubTrial) -> None:
    t.open(heartbeat_ivl=INTERVAL_MS, heartbeat_timeout=TIMEOUT_MS)
    t.step("P answers no PING, but sends a message every 30 ms: it is kept.")
    p = t.publisher("P")
    t.app.subscribe(b"")
    p.answers_pings = False
    for number in range(12):
        p.expect_open(0.03, why="it sends messages")
        deliver(t, p, b"%d" % number)


@case(
    "A publisher that does not answer PING is disconnected, and connected to again",
    "ZMTP-H-11",
    "ZMTP-H-7",
    "ZMTP-U-14",
    "ZMTP-U-15",
    dialects=NEW,
)
def dead(t: PubSubTrial) -> None:
    t.open(heartbeat_ivl=INTERVAL_MS, heartbeat_timeout=TIMEOUT_MS, reconnect_ivl=RECONNECT_MS)
    t.step("P does not answer PING: the implementation ends the connection, after a few PINGs at most.")
    p = t.publisher("P")
    t.app.subscribe(b"a")
    p.answers_pings = False
    pings = [frame for frame in p.expect_closed(2.0, why="it sends nothing") if frame.name == "PING"]
    t.check(len(pings) <= 10, "at most 10 PINGs", f"{len(pings)}", "ZMTP-H-7")
    t.step("It connects again, and subscribes again.")
    again = back(t, p)
    t.compare("the topics that P has", {b"a"}, remaining_topics(again.events()), "ZMTP-U-15")


@case("A publisher of version 3.0 receives no PING", "ZMTP-H-9", dialects=(V3_0,))
def towards_3_0(t: PubSubTrial) -> None:
    t.open(heartbeat_ivl=INTERVAL_MS, heartbeat_timeout=1000)
    t.step(
        "The implementation is configured to send PING every 40 ms; P is of version 3.0, which does not "
        "have PING."
    )
    p = t.publisher("P")
    p.answers_pings = False
    t.check(p.read_frame(0.15) is None, "no PING", "PING")
