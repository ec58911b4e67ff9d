"""Refusals: peers of an incompatible type, and ERROR."""

from __future__ import annotations

from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zmtp_sub.handmade_publishers import dialled, greet, prompt, ready
from zeps_conformance.sockets.pubsub import BOTH, NEGATIVE, PubSubTrial

BY_NOW = 0.2  # seconds in which an implementation with a reconnection delay of 20 ms has connected again


@case("PUB and XPUB are publishers", "ZMTP-N-8", dialects=BOTH)
def fitting_types(t: PubSubTrial) -> None:
    for socket_type in ("PUB", "XPUB"):
        t.step(f"The implementation connects to a {socket_type}, whose message arrives.")
        t.publisher(socket_type, socket_type=socket_type).barrier()


WRONG = ("SUB", "XSUB", "PUSH", "PULL", "REQ", "REP", "DEALER", "ROUTER", "PAIR", "RADIO", "pub", "PUBX", "")


@case("A peer that is not a publisher is disconnected", "ZMTP-N-8", polarity=NEGATIVE)
def types(t: PubSubTrial) -> None:
    t.app.subscribe(b"")
    for socket_type in WRONG:
        t.step(
            f"A peer connects that sends the type {socket_type!r}: it is disconnected, and its message is "
            "not delivered."
        )
        p = dialled(t, socket_type or "nameless")
        p.send_raw(
            ready(t, (b"Socket-Type", socket_type.encode())) + t.wire.message(b"stray"), "READY and a message"
        )
        p.expect_closed(t.options.leaving, why="not a publisher")
    t.app.expect_nothing("no publisher sent a message")


@case(
    "A peer of a wrong type receives ERROR before the connection is closed",
    "ZMTP-N-9",
    polarity=NEGATIVE,
    dialects=BOTH,
)
def told(t: PubSubTrial) -> None:
    t.step("A peer connects that sends the type PUSH: it receives ERROR, and then is disconnected.")
    p = dialled(t)
    p.send_raw(ready(t, (b"Socket-Type", b"PUSH")), "READY of a PUSH")
    names = [frame.name for frame in p.expect_closed(t.options.leaving, why="not a publisher")]
    t.check("ERROR" in names, "ERROR, then the end", f"{', '.join(names) or 'nothing'}, then the end")


@case("ERROR instead of READY closes the connection", "ZMTP-N-21", polarity=NEGATIVE, dialects=BOTH)
def error(t: PubSubTrial) -> None:
    prompt(t)
    t.step("The implementation connects to P, which answers its READY with ERROR: it closes the connection.")
    listener = t.listener()
    t.app.connect(listener.endpoint)
    p = greet(t, listener.accept("P"))
    p.expect_command("READY")
    p.send_raw(t.wire.command("ERROR", reason=b"not today"), "ERROR")
    p.expect_closed(t.options.leaving, why="ERROR is fatal")
    t.step(
        "With NULL, the implementation does not have credentials that it could change: it may reconnect or "
        "not."
    )
    again = listener.try_accept(BY_NOW)
    t.observed("does not reconnect" if again is None else "reconnects")


@case("The reason of ERROR is ignored", "ZMTP-N-16", "ZMTP-N-21", polarity=NEGATIVE)
def reasons(t: PubSubTrial) -> None:
    for reason in (b"", b"Invalid socket type", b"300", b"r" * 255, b"\xff\x00", b"please go on"):
        t.step(f"A publisher connects and sends ERROR with the reason {reason[:20]!r}: the connection ends.")
        p = dialled(t)
        p.send_raw(t.wire.command("ERROR", reason=reason), "ERROR")
        p.expect_closed(t.options.leaving, why="ERROR is fatal")


@case(
    "ERROR with a malformed reason closes the connection too",
    "ZMTP-N-15",
    "ZMTP-N-21",
    "ZMTP-N-14",
    polarity=NEGATIVE,
)
def malformed_error(t: PubSubTrial) -> None:
    name = t.wire.body("ERROR", reason=b"")[:-1]
    for what, tail in (
        ("no reason", b""),
        ("a truncated reason", b"\x10cut"),
        ("bytes after the reason", b"\x01rr"),
    ):
        t.step(f"A publisher connects and sends ERROR with {what}: the connection ends.")
        p = dialled(t)
        p.send_raw(t.wire.frame(name + tail, command=True), "malformed ERROR")
        p.expect_closed(t.options.leaving, why="ERROR, malformed or not")


@case(
    "ERROR after the handshake does not reach the application",
    "ZMTP-U-11",
    "ZMTP-N-21",
    polarity=NEGATIVE,
    dialects=BOTH,
)
def error_later(t: PubSubTrial) -> None:
    t.app.subscribe(b"")
    t.step("P, whose handshake is complete, sends ERROR, which is valid only in the handshake.")
    p = t.publisher("P")
    p.send_raw(t.wire.command("ERROR", reason=b"late"), "ERROR")
    p.read_available(0.05)
    t.observed("keeps the connection" if p.lost is None else "closes the connection")
    t.app.expect_nothing("ERROR is a command")
