"""Heartbeats of version 3.1: PING and PONG, and time to live."""

from __future__ import annotations

import time

from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zmtp_any.dialled_peers import fate
from zeps_conformance.sockets.pubsub import NEGATIVE, V3_1
from zeps_conformance.sockets.trial import SocketTrial
from zeps_conformance.wire.zmtp_side import CONTEXT_MAX

__all__ = ["ONLY_3_1"]

ONLY_3_1 = (V3_1,)


def _answered(t: SocketTrial, context: bytes) -> None:
    t.step("A sends PING: it receives PONG with the same context, and is still served.")
    a = t.peer("A")
    for ttl in (0, 50, 600, 65_535):
        a.ping(ttl=ttl, context=context)
        a.expect_pong(context)
    t.serve(a)


for _size in (0, 1, 15, 16):
    case(
        f"PING with a context of {_size} bytes is answered by PONG with the same context",
        "ZMTP-H-3",
        subject=f"context-{_size}",
        dialects=ONLY_3_1,
    )(_answered, bytes(range(255, 255 - _size, -1)) if _size != 1 else b"\x00")


@case("Each of many PINGs is answered in order", "ZMTP-H-3", "ZMTP-F-10", dialects=ONLY_3_1)
def many(t: SocketTrial) -> None:
    t.step("A sends 100 PINGs with different contexts in one write: it receives 100 PONGs in that order.")
    a = t.peer("A")
    contexts = [b"%d" % number for number in range(100)]
    a.send_raw(b"".join(t.wire.command("PING", ttl=0, context=context) for context in contexts), "100 PINGs")
    for context in contexts:
        a.expect_pong(context)


@case("PING in a frame with an eight-byte size is answered", "ZMTP-H-3", "ZMTP-F-6", dialects=ONLY_3_1)
def long_form(t: SocketTrial) -> None:
    t.step("A sends PING in a long frame: it receives PONG.")
    a = t.peer("A")
    a.send_raw(t.wire.command("PING", long=True, ttl=0, context=b"long"), "PING, long")
    a.expect_pong(b"long", "ZMTP-F-6")


@case("PING with a context of 17 bytes", "ZMTP-H-4", dialects=ONLY_3_1, polarity=NEGATIVE)
def context_17(t: SocketTrial) -> None:
    t.step(
        "A sends PING with an invalid context of 17 bytes: a PONG, if any, has a context of at most 16 bytes."
    )
    a = t.peer("A")
    a.send_frame(t.wire.body("PING", ttl=0, context=bytes(CONTEXT_MAX)) + b"\x11", command=True)
    pong = a.next_pong(0.2)
    if pong is None:
        t.observed(f"no PONG; {fate(a)}")
        return
    context = pong.body[len(t.wire.body("PONG", context=b"")) :]
    t.check(
        len(context) <= CONTEXT_MAX,
        "a PONG with at most 16 bytes, or no PONG",
        f"a PONG with {len(context)} bytes",
    )
    t.observed(f"PONG with the first {len(context)} bytes")


@case(
    "An unsolicited PONG does not affect other connections", "ZMTP-H-3", dialects=ONLY_3_1, polarity=NEGATIVE
)
def pong_unasked(t: SocketTrial) -> None:
    t.step("A is served, and sends unsolicited PONGs, with and without a context.")
    a = t.peer("A")
    a.barrier()
    for context in (b"", b"unasked", bytes(CONTEXT_MAX)):
        a.send_command("PONG", context=context)
    t.observed(fate(a))


@case(
    "Silence for longer than a PING's time to live closes the connection",
    "ZMTP-H-6",
    "ZMTP-H-2",
    dialects=ONLY_3_1,
)
def expires(t: SocketTrial) -> None:
    t.step("A sends PING with a time to live of 0.3 s, and then sends nothing.")
    t.allow(3)
    a = t.peer("A")
    a.answers_pings = False
    began = time.monotonic()
    a.ping(ttl=3)
    a.expect_pong(b"", "ZMTP-H-3")
    t.step("A's connection is closed, not before that time and not long after it.")
    a.expect_open(max(began + 0.2 - time.monotonic(), 0.0), "ZMTP-H-2", "0.3 s have not passed")
    t.check(a.ends(2.0), "the connection is closed", f"it is open after {time.monotonic() - began:.1f} s")


@case("A time to live of zero sets no timeout", "ZMTP-H-10", dialects=ONLY_3_1)
def no_time_to_live(t: SocketTrial) -> None:
    t.step("A sends PING with a time to live of zero, and then nothing for 0.4 s: it is still served.")
    a = t.peer("A")
    a.barrier()
    a.ping(ttl=0)
    a.expect_pong(b"", "ZMTP-H-3")
    a.expect_open(0.4, why="the time to live was zero")
    t.serve(a)


@case("The time to live is in network byte order", "ZMTP-H-2", dialects=ONLY_3_1)
def byte_order(t: SocketTrial) -> None:
    t.step(
        "A sends PING with 25.6 s to live, which is 0.1 s in the wrong byte order, and then nothing for "
        "0.4 s."
    )
    a = t.peer("A")
    a.ping(ttl=256)
    a.expect_pong(b"", "ZMTP-H-3")
    a.expect_open(0.4, why="25.6 s have not passed")


def _signs_of_life(t: SocketTrial, sign: str) -> None:
    t.step("A sends PING with 0.5 s to live, and then other frames every 0.1 s, for 0.9 s.")
    t.allow(3)
    a = t.peer("A")
    a.ping(ttl=5)
    a.expect_pong(b"", "ZMTP-H-3")
    for number in range(9):
        a.expect_open(0.1, why="A has sent a frame within its time to live")
        if sign == "message":
            a.send_message(b"alive")
        elif sign == "pong":
            a.send_command("PONG", context=b"")
        else:
            a.ping(ttl=5, context=b"%d" % number)
    t.step("A's connection is still open, and A is served.")
    t.serve(a)


for _sign in ("message", "ping", "pong"):
    case(
        f"Any traffic counts as a sign of life: {_sign}",
        "ZMTP-H-5",
        "ZMTP-H-6",
        subject=f"alive-by-{_sign}",
        dialects=ONLY_3_1,
    )(_signs_of_life, _sign)
