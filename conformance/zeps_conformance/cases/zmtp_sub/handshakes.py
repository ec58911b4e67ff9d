"""Unfinished handshakes: they use few resources, and do not delay other publishers."""

from __future__ import annotations

from collections.abc import Callable

from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zmtp_sub.handmade_publishers import (
    SIGNATURE,
    VERSIONED,
    WHOLE,
    called,
    ready,
)
from zeps_conformance.sockets.pubsub import NEGATIVE, Connection, PubSubTrial

CROWD = 20
READ = 0.5  # seconds after which the implementation has read the input, however busy the machine is
DIGESTED = 0.05  # seconds after which the implementation has processed the input


def _greeted_partly(size: int) -> Callable[[PubSubTrial, str], Connection]:
    def stall(t: PubSubTrial, name: str) -> Connection:
        p = t.dial(name)
        p.send_raw(t.wire.greeting()[:size], f"{size} bytes of a greeting")
        return p

    return stall


def _introduced_partly(t: PubSubTrial, name: str) -> Connection:
    p = t.dial(name)
    p.send_raw(t.wire.greeting() + ready(t)[:-2], "a greeting, and READY without its last bytes")
    return p


STALLS: tuple[tuple[str, str, Callable[[PubSubTrial, str], Connection]], ...] = (
    ("silent", "before the first byte", _greeted_partly(0)),
    ("after-1", "after one byte", _greeted_partly(1)),
    ("after-10", "after the signature", _greeted_partly(SIGNATURE)),
    ("after-11", "after the major version", _greeted_partly(VERSIONED)),
    ("after-63", "one byte before the end of a greeting", _greeted_partly(WHOLE - 1)),
    ("before-ready", "before READY", _greeted_partly(WHOLE)),
    ("amid-ready", "in the middle of READY", _introduced_partly),
)


def _crowd(t: PubSubTrial, stall: Callable[[PubSubTrial, str], Connection]) -> None:
    t.app.subscribe(b"")
    early = t.publisher("early")
    t.step("Twenty publishers connect and stop at that point; then they send nothing more.")
    crowd = [stall(t, f"P{index}") for index in range(CROWD)]
    t.step("The messages of an earlier publisher and of two new publishers arrive.")
    for p in (early, t.publisher("late"), t.publisher("late and connecting", dial=True)):
        p.send(p.name.encode())
        t.app.expect(p.name.encode(), rule="ZMTP-U-6")
    t.step("The twenty disconnect, and the earlier publisher's message still arrives.")
    for stalled in crowd:
        stalled.close()
    early.barrier()


for _subject, _where, _stall in STALLS:
    case(
        f"Publishers that stop {_where} do not affect other publishers",
        "ZMTP-X-1",
        subject=_subject,
        polarity=NEGATIVE,
    )(_crowd, _stall)


@case(
    "A publisher that never sends a greeting does not affect other publishers",
    "ZMTP-U-10",
    "ZMTP-X-1",
    polarity=NEGATIVE,
)
def connected_to(t: PubSubTrial) -> None:
    t.app.subscribe(b"")
    t.step("The implementation connects to P, which sends nothing, and to Q, which sends only a greeting.")
    called(t, "P")
    called(t, "Q").send_greeting()
    t.step("R connects, and its message arrives.")
    t.publisher("R", dial=True).barrier()


@case("A handshake that takes too long is abandoned", "ZMTP-X-1", polarity=NEGATIVE)
def limited(t: PubSubTrial) -> None:
    t.open(handshake_ivl=100)
    for subject, where, stall in STALLS:
        if subject == "silent":
            continue
        t.step(
            f"A publisher connects and stops {where}: after 0.1 s the implementation may close the "
            "connection."
        )
        stall(t, "P").expect_closed(1.0, why="handshakes may take 0.1 s")


@case(
    "Publishers that disconnect before READY leave little memory behind",
    "ZMTP-X-1",
    polarity=NEGATIVE,
)
def come_and_go(t: PubSubTrial) -> None:
    t.step("A publisher's message arrives.")
    p = t.publisher("P")
    p.barrier()
    before = t.memory()
    t.step("300 connections are opened, send up to 64 bytes, and are closed or reset.")
    greeting = t.wire.greeting()
    for number in range(300):
        passing = t.dial("Q")
        if number % 3:
            passing.send_raw(greeting[: t.rng.randrange(WHOLE + 1)], "a part of a greeting", may_fail=True)
        if number % 2:
            passing.reset()
        else:
            passing.close()
    t.step(
        "The publisher's message still arrives, and memory has not grown by more than 64 KiB for each "
        "connection."
    )
    p.barrier()
    t.check_memory(before, 300 * (64 << 10))


@case(
    "Memory is not allocated for an announcement in the handshake", "ZMTP-X-2", "ZMTP-X-4", polarity=NEGATIVE
)
def announced(t: PubSubTrial) -> None:
    p = t.publisher("P")
    p.barrier()
    before = peak = t.memory()
    flags = t.wire.frame(b"", command=True, long=True)[:1]
    for size in (2**26, 2**28, 2**40):
        t.step(
            f"A publisher sends a greeting, announces a READY of {size:,} bytes, and disconnects after a "
            "while."
        )
        announcement = flags + size.to_bytes(8, "big") + b"\x05READY"
        q = t.dial("Q")
        q.send_raw(t.wire.greeting() + announcement, "an announcement")
        q.read_available(1.0, WHOLE)
        q.ends(READ)
        peak = max(peak, t.memory())
        q.close()
    t.step("P's message still arrives, and memory has not grown by more than 128 MiB.")
    p.read_available(DIGESTED)
    p.barrier()
    t.check_memory(before, 128 << 20, peak)
