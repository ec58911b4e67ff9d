"""Invalid behaviour of peers: other peers are served, and memory stays bounded."""

from __future__ import annotations

from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zmtp_any.dialled_peers import announced
from zeps_conformance.sockets.connection import Connection
from zeps_conformance.sockets.router import NEGATIVE, RouterTrial

FLOOD = 8 << 20  # bytes that a peer tries to send without reading
GROWTH = 96 << 20  # bytes by which memory may grow at most for a peer that does not read


def _floods(t: RouterTrial, a: Connection, data: bytes) -> None:
    """Sends `data` repeatedly without reading, until 8 MiB are accepted, or reading stops or the connection ends."""
    link = a.hand_over()
    link.settimeout(0.2)
    sent = 0
    try:
        while sent < FLOOD:
            sent += link.send(data)
        outcome = "all was accepted"
    except TimeoutError:
        outcome = "the implementation stopped reading"
    except OSError as error:
        outcome = f"it was disconnected: {error.strerror}"
    t.observed(f"after {sent >> 10} KiB {outcome}")
    t.hold(link)


def _flood(t: RouterTrial, what: str) -> None:
    t.allow(20)
    before = t.memory()
    t.step("A sends as fast as it can, and never reads.")
    a = t.dealer("A")
    asked = t.ask(bytes(2000))
    a.send_all(asked)
    units = {
        "pings": t.wire.command("PING", ttl=0, context=b"c" * 16) * 500,
        "requests": t.wire.message(*asked.said[-1]) * 10,
        "endless": t.wire.frame(bytes(200), more=True) * 200,
    }
    _floods(t, a, units[what])
    t.step("B is served meanwhile, and memory has not grown by more than 96 MiB.")
    b = t.dealer("B")
    for _ in range(5):
        t.serve(b)
    t.check_memory(before, GROWTH)


for _what, _title in {
    "pings": "PINGs of a peer that never reads the PONGs",
    "requests": "Requests of a peer that never reads the answers",
    "endless": "A message without an end",
}.items():
    case(
        f"{_title} do not delay other connections"
        if _what != "endless"
        else f"{_title} does not delay other connections",
        "ZMTP-X-4",
        "ZMTP-F-8",
        subject=f"flood-of-{_what}",
        polarity=NEGATIVE,
    )(_flood, _what)


@case(
    "Connections that are reset after requests do not affect other connections",
    "ZMTP-N-15",
    polarity=NEGATIVE,
)
def resets(t: RouterTrial) -> None:
    t.step("Forty peers send three requests each and reset their connections without reading the answers.")
    for number in range(40):
        a = t.dealer(f"A{number}")
        for asked in t.ask_all(*(t.random_bytes(500) for _ in range(3))):
            a.send_all(asked)
        a.reset()
    t.step("B is still served.")
    t.serve(t.dealer("B"))


@case("A peer that shuts down its sending direction, and still reads", "ZMTP-N-15", polarity=NEGATIVE)
def half_closed(t: RouterTrial) -> None:
    t.step("A sends a request and shuts down its sending direction.")
    a = t.dealer("A")
    a.send_all(t.ask(b"last"))
    a.shut_down_sending()
    t.observed("the connection is closed" if a.ends(1.0) else "the connection stays open")


@case("Frames of an unfinished message, and an announced frame", "ZMTP-X-4", "ZMTP-F-8", polarity=NEGATIVE)
def announced_in_part(t: RouterTrial) -> None:
    t.step("Peers send two frames of a message and announce a third frame of 2^31 to 2^63-1 bytes.")
    before = t.memory()
    for size in (1 << 31, 1 << 40, (1 << 63) - 1):
        a = t.dealer(f"A {size:#x}")
        data = t.wire.frame(b"one", more=True) * 2 + announced(t, "LONG-MORE", size, bytes(64))
        a.send_raw(data, f"{size} bytes announced", may_fail=True)
    t.serve(t.dealer("B"))
    t.check_memory(before, GROWTH)
