"""Heartbeats of version 3.1: PING and PONG, and time to live."""

from __future__ import annotations

import time
from collections.abc import Callable

from zeps_conformance.cases.zmtp_any.dialled_peers import fate, shared
from zeps_conformance.sockets.pubsub import NEGATIVE, V3_1
from zeps_conformance.sockets.trial import SocketTrial

__all__ = ["CONTEXT_MAX", "ONLY_3_1"]

CONTEXT_MAX = 16
ONLY_3_1 = (V3_1,)


def _answered(context: bytes) -> Callable[[SocketTrial], None]:
    def run(t: SocketTrial) -> None:
        t.step("A sends PING; PONG comes with the same context, and A is served on.")
        a = t.peer("A")
        for ttl in (0, 50, 600, 65_535):
            a.ping(ttl=ttl, context=context)
            a.expect_pong(context)
        t.serve(a)

    return run


for _size in (0, 1, 15, 16):
    shared(
        f"heartbeat.context-{_size}",
        f"PING with a context of {_size} octets is answered by PONG with the same",
        "ZMTP-H-3",
        dialects=ONLY_3_1,
    )(_answered(bytes(range(255, 255 - _size, -1)) if _size != 1 else b"\x00"))


@shared(
    "heartbeat.many",
    "Each of many PINGs is answered, in order",
    "ZMTP-H-3",
    "ZMTP-F-10",
    dialects=ONLY_3_1,
)
def many(t: SocketTrial) -> None:
    t.step("A sends 100 PINGs with different contexts in one write; 100 PONGs come in that order.")
    a = t.peer("A")
    contexts = [b"%d" % number for number in range(100)]
    a.send_raw(b"".join(t.wire.command("PING", ttl=0, context=context) for context in contexts), "100 PINGs")
    for context in contexts:
        a.expect_pong(context)


@shared(
    "heartbeat.long-form",
    "PING with a size of eight octets is answered",
    "ZMTP-H-3",
    "ZMTP-F-6",
    dialects=ONLY_3_1,
)
def long_form(t: SocketTrial) -> None:
    t.step("A sends PING in a long frame; PONG comes.")
    a = t.peer("A")
    a.send_raw(t.wire.command("PING", long=True, ttl=0, context=b"long"), "PING, long")
    a.expect_pong(b"long", "ZMTP-F-6")


@shared(
    "heartbeat.context-17",
    "PING with a context of 17 octets",
    "ZMTP-H-4",
    dialects=ONLY_3_1,
    polarity=NEGATIVE,
)
def context_17(t: SocketTrial) -> None:
    t.step("A sends PING with a context of 17 octets, which no peer may: what is answered has at most 16.")
    a = t.peer("A")
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


@shared(
    "heartbeat.pong-unasked",
    "A PONG that answers nothing harms nobody",
    "ZMTP-H-3",
    dialects=ONLY_3_1,
    polarity=NEGATIVE,
)
def pong_unasked(t: SocketTrial) -> None:
    t.step("A is served, and sends PONGs that nobody asked for, with a context and without.")
    a = t.peer("A")
    a.barrier()
    for context in (b"", b"unasked", bytes(CONTEXT_MAX)):
        a.send_command("PONG", context=context)
    t.observed(fate(a))


@shared(
    "heartbeat.expires",
    "Silence for longer than a PING's time to live ends the connection",
    "ZMTP-H-6",
    "ZMTP-H-2",
    dialects=ONLY_3_1,
)
def expires(t: SocketTrial) -> None:
    t.step("A sends PING with 0.3 s to live, and falls silent.")
    t.allow(3)
    a = t.peer("A")
    a.answers_pings = False
    began = time.monotonic()
    a.ping(ttl=3)
    a.expect_pong(b"", "ZMTP-H-3")
    t.step("Its connection is closed, not before that time and not long after.")
    a.expect_open(0.2, "ZMTP-H-2", "0.3 s have not passed")
    t.check(a.ends(2.0), "the connection is closed", f"it is open after {time.monotonic() - began:.1f} s")


@shared("heartbeat.no-time-to-live", "A time to live of zero means none", "ZMTP-H-10", dialects=ONLY_3_1)
def no_time_to_live(t: SocketTrial) -> None:
    t.step("A sends PING without a time to live, and falls silent for 0.4 s: it is served after that.")
    a = t.peer("A")
    a.barrier()
    a.ping(ttl=0)
    a.expect_pong(b"", "ZMTP-H-3")
    a.expect_open(0.4, why="no time to live was given")
    t.serve(a)


@shared(
    "heartbeat.byte-order",
    "The time to live is in network byte order",
    "ZMTP-H-2",
    dialects=ONLY_3_1,
)
def byte_order(t: SocketTrial) -> None:
    t.step("A sends PING with 25.6 s to live, which turned round would be 0.1 s, and falls silent for 0.4 s.")
    a = t.peer("A")
    a.ping(ttl=256)
    a.expect_pong(b"", "ZMTP-H-3")
    a.expect_open(0.4, why="25.6 s have not passed")


def _signs_of_life(sign: str) -> Callable[[SocketTrial], None]:
    def run(t: SocketTrial) -> None:
        t.step("A sends PING with 0.5 s to live, and then something else every 0.1 s, for 0.9 s.")
        t.allow(3)
        a = t.peer("A")
        a.ping(ttl=5)
        a.expect_pong(b"", "ZMTP-H-3")
        for number in range(9):
            a.expect_open(0.1, why="A has shown a sign of life")
            if sign == "message":
                a.send_message(b"alive")
            elif sign == "pong":
                a.send_command("PONG", context=b"")
            else:
                a.ping(ttl=5, context=b"%d" % number)
        t.step("It is still there, and is served.")
        t.serve(a)

    return run


for _sign in ("message", "ping", "pong"):
    shared(
        f"heartbeat.alive-by-{_sign}",
        f"Whatever arrives is a sign of life: {_sign}",
        "ZMTP-H-5",
        "ZMTP-H-6",
        dialects=ONLY_3_1,
    )(_signs_of_life(_sign))
