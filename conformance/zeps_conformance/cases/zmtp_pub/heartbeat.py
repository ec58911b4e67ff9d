"""Heartbeats of version 3.1: PING and PONG, time to live, and the publisher's own."""

from __future__ import annotations

import time
from collections.abc import Callable

from zeps_conformance.cases.zmtp_pub.common import fate, serve
from zeps_conformance.pubsub import NEGATIVE, V3_1, Frame, Subscriber, Trial, case

CONTEXT_MAX = 16
ONLY_3_1 = (V3_1,)


def _answered(context: bytes) -> Callable[[Trial], None]:
    def run(t: Trial) -> None:
        t.step("A sends PING; PONG comes with the same context, and A is served on.")
        a = t.subscriber("A")
        for ttl in (0, 1, 600, 65_535):
            a.ping(ttl=ttl, context=context)
            a.expect_pong(context)
        serve(t, a)

    return run


for _size in (0, 1, 15, 16):
    case(
        f"zmtp-pub.heartbeat.context-{_size}",
        f"PING with a context of {_size} octets is answered by PONG with the same",
        "ZMTP-H-3",
        dialects=ONLY_3_1,
    )(_answered(bytes(range(255, 255 - _size, -1)) if _size != 1 else b"\x00"))


@case(
    "zmtp-pub.heartbeat.many",
    "Each of many PINGs is answered, in order",
    "ZMTP-H-3",
    "ZMTP-F-10",
    dialects=ONLY_3_1,
)
def many(t: Trial) -> None:
    t.step("A sends 100 PINGs with different contexts in one write; 100 PONGs come in that order.")
    a = t.subscriber("A")
    contexts = [b"%d" % number for number in range(100)]
    a.send_raw(b"".join(t.wire.command("PING", ttl=0, context=context) for context in contexts), "100 PINGs")
    for context in contexts:
        a.expect_pong(context)


@case(
    "zmtp-pub.heartbeat.amid-messages",
    "PING is answered while messages come",
    "ZMTP-H-3",
    "ZMTP-F-8",
    dialects=ONLY_3_1,
)
def amid_messages(t: Trial) -> None:
    t.step("A follows everything and sends PING between messages of several parts.")
    a = t.subscriber("A")
    a.subscribe(b"")
    a.barrier()
    for number in range(20):
        t.app.send(b"%d" % number, b"", bytes(20_000))
        a.ping(context=b"%d" % number)
    t.step("All 20 messages come, whole, and all 20 PONGs.")
    for number in range(20):
        a.expect_pong(b"%d" % number)
    for number in range(20):
        a.expect_message(b"%d" % number, b"", bytes(20_000), rule="ZMTP-F-8")


@case(
    "zmtp-pub.heartbeat.long-form",
    "PING with a size of eight octets is answered",
    "ZMTP-H-3",
    "ZMTP-F-6",
    dialects=ONLY_3_1,
)
def long_form(t: Trial) -> None:
    t.step("A sends PING in a long frame; PONG comes.")
    a = t.subscriber("A")
    a.send_raw(t.wire.command("PING", long=True, ttl=0, context=b"long"), "PING, long")
    a.expect_pong(b"long", "ZMTP-F-6")


@case(
    "zmtp-pub.heartbeat.context-17",
    "PING with a context of 17 octets",
    "ZMTP-H-4",
    dialects=ONLY_3_1,
    polarity=NEGATIVE,
)
def context_17(t: Trial) -> None:
    t.step("A sends PING with a context of 17 octets, which no peer may: what is answered has at most 16.")
    a = t.subscriber("A")
    a.send_frame(t.wire.body("PING", ttl=0, context=bytes(CONTEXT_MAX)) + b"\x11", command=True)
    pong = a.next_pong(0.2)
    if pong is None:
        t.observed(f"no PONG; {fate(a)}")
        return
    context = pong.body[len(t.wire.body("PONG", context=b"")) :]
    t.check(
        len(context) <= CONTEXT_MAX,
        "a PONG with at most 16 octets, or none",
        f"a PONG with {len(context)} octets",
    )
    t.observed(f"PONG with the first {len(context)} octets")


@case(
    "zmtp-pub.heartbeat.pong-unasked",
    "A PONG that answers nothing harms nobody",
    "ZMTP-H-3",
    dialects=ONLY_3_1,
    polarity=NEGATIVE,
)
def pong_unasked(t: Trial) -> None:
    t.step("A subscribes to 'x' and sends PONGs that nobody asked for, with a context and without.")
    a = t.subscriber("A")
    a.subscribe(b"x")
    for context in (b"", b"unasked", bytes(CONTEXT_MAX)):
        a.send_command("PONG", context=context)
    t.observed(fate(a))


@case(
    "zmtp-pub.heartbeat.expires",
    "Silence for longer than a PING's time to live ends the connection",
    "ZMTP-H-6",
    "ZMTP-H-2",
    dialects=ONLY_3_1,
)
def expires(t: Trial) -> None:
    t.step("A sends PING with 0.3 s to live, and falls silent.")
    t.allow(3)
    a = t.subscriber("A")
    a.answers_pings = False
    began = time.monotonic()
    a.ping(ttl=3)
    a.expect_pong(b"", "ZMTP-H-3")
    t.step("Its connection is closed, not before that time and not long after.")
    a.expect_open(0.2, "ZMTP-H-2", "0.3 s have not passed")
    t.check(a.ends(2.0), "the connection is closed", f"it is open after {time.monotonic() - began:.1f} s")


@case(
    "zmtp-pub.heartbeat.no-time-to-live", "A time to live of zero means none", "ZMTP-H-2", dialects=ONLY_3_1
)
def no_time_to_live(t: Trial) -> None:
    t.step("A sends PING without a time to live, and falls silent for 0.4 s: it is served after that.")
    a = t.subscriber("A")
    a.subscribe(b"x")
    a.barrier()
    a.ping(ttl=0)
    a.expect_pong(b"", "ZMTP-H-3")
    a.expect_open(0.4, why="no time to live was given")
    t.app.send(b"x")
    a.expect_message(b"x")


@case(
    "zmtp-pub.heartbeat.byte-order",
    "The time to live is in network byte order",
    "ZMTP-H-2",
    dialects=ONLY_3_1,
)
def byte_order(t: Trial) -> None:
    t.step("A sends PING with 25.6 s to live, which turned round would be 0.1 s, and falls silent for 0.4 s.")
    a = t.subscriber("A")
    a.ping(ttl=256)
    a.expect_pong(b"", "ZMTP-H-3")
    a.expect_open(0.4, why="25.6 s have not passed")


def _signs_of_life(sign: str) -> Callable[[Trial], None]:
    def run(t: Trial) -> None:
        t.step("A sends PING with 0.3 s to live, and then something else every 0.1 s, for 0.7 s.")
        t.allow(3)
        a = t.subscriber("A")
        a.ping(ttl=3)
        a.expect_pong(b"", "ZMTP-H-3")
        for number in range(7):
            a.expect_open(0.1, why="A has shown a sign of life")
            if sign == "message":
                a.send_message(b"alive")
            elif sign == "pong":
                a.send_command("PONG", context=b"")
            elif sign == "ping":
                a.ping(ttl=3, context=b"%d" % number)
            else:
                a.subscribe(b"%d" % number)
        t.step("It is still there, and is served.")
        serve(t, a)

    return run


for _sign in ("subscription", "message", "ping", "pong"):
    case(
        f"zmtp-pub.heartbeat.alive-by-{_sign}",
        f"Whatever arrives is a sign of life: {_sign}",
        "ZMTP-H-5",
        "ZMTP-H-6",
        dialects=ONLY_3_1,
    )(_signs_of_life(_sign))


@case(
    "zmtp-pub.heartbeat.own",
    "The publisher's own PING, and its answer",
    "ZMTP-H-1",
    "ZMTP-H-2",
    "ZMTP-H-4",
    "ZMTP-H-6",
    dialects=ONLY_3_1,
)
def own(t: Trial) -> None:
    t.step("The publisher sends PING every 0.1 s, waits 0.3 s for a sign of life, and gives 0.5 s to live.")
    t.allow(3)
    t.open(heartbeat_ivl=100, heartbeat_timeout=300, heartbeat_ttl=500)
    a = t.subscriber("A")
    a.answers_pings = False
    a.subscribe(b"x")
    for _ in range(5):
        ping = _next_ping(t, a)
        t.compare("the time to live", 5, ping.values["ttl"], "ZMTP-H-2")
        context = ping.body[len(t.wire.body("PING", ttl=0, context=b"")) :]
        t.check(len(context) <= CONTEXT_MAX, "a context of at most 16 octets", f"{len(context)}", "ZMTP-H-4")
        a.send_command("PONG", context=context)
    t.step("A answers five times, and is served.")
    t.app.send(b"x")
    a.expect_message(b"x", rule="ZMTP-H-6")
    t.step("It answers no more: the connection is closed.")
    t.check(a.ends(2.0), "the connection is closed", "it stays open", "ZMTP-H-6")


@case(
    "zmtp-pub.heartbeat.own-answered-otherwise",
    "Other traffic answers the publisher's PING too",
    "ZMTP-H-5",
    dialects=ONLY_3_1,
)
def own_answered_otherwise(t: Trial) -> None:
    t.step("The publisher sends PING every 0.1 s and waits 0.3 s for a sign of life; A only subscribes.")
    t.allow(3)
    t.open(heartbeat_ivl=100, heartbeat_timeout=300)
    a = t.subscriber("A")
    a.answers_pings = False
    _next_ping(t, a)
    for number in range(9):
        a.subscribe(b"%d" % number)
        a.expect_open(0.1, why="A has shown a sign of life")
    t.step("It is served after 0.9 s.")
    t.app.send(b"8")
    a.expect_message(b"8")


def _next_ping(t: Trial, a: Subscriber) -> Frame:
    while True:
        frame = a.read_frame(2.0)
        if frame is None or frame.name == "PING":
            t.check(frame is not None, "PING from the publisher", "nothing within 2 s", "ZMTP-H-1")
            assert frame is not None
            return frame
