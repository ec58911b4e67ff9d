"""Publishers of versions 2.0 and 1.0: a subscriber speaks their version, or closes the connection."""

from __future__ import annotations

import time

from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zmtp_any.dialled_peers import greeting_2_0, is_version_three
from zeps_conformance.cases.zmtp_sub.handmade_publishers import VERSIONED, want
from zeps_conformance.sockets.pubsub import NEGATIVE, V3_0, Connection, PubSubTrial

__all__ = ["speaks_version_2"]

REVISIONS = (1, 2)  # both denote version 2.0
MORE = 1  # the MORE flag, in version 1.0
TYPE = VERSIONED  # index of the socket type in a greeting of version 2.0
WHOLE = 14  # bytes of such a greeting with an empty identity
OWN_XSUB = 10  # libzmq's number for XSUB


def speaks_version_2(t: PubSubTrial, connection: Connection) -> bool:
    """Sends a publisher's greeting of version 2.0, and closes; returns whether the implementation answered in 2.0."""
    connection.send_raw(greeting_2_0(t, "PUB"), "greeting of version 2.0")
    greeting = connection.read_available(t.options.leaving, WHOLE)
    spoken = len(greeting) == WHOLE and not is_version_three(t, greeting)
    connection.close()
    return spoken


def _greeted(t: PubSubTrial, p: Connection, revision: int) -> bytes | None:
    """Returns the greeting of version 2.0, or None if the connection ends. Raises FailureError if neither happens."""
    p.send_raw(greeting_2_0(t, "PUB", revision), "greeting of version 2.0")
    greeting = p.read_available(t.options.leaving, WHOLE)
    third = len(greeting) == WHOLE and is_version_three(t, greeting)
    if len(greeting) == WHOLE and not third:
        return greeting
    closed = p.ends(t.options.leaving)
    knows_only_1 = third and revision == REVISIONS[-1] and not closed and speaks_version_2(t, t.dial("Q"))
    t.check(
        closed,
        "version 2.0 is spoken, or the connection is closed",
        "it continues with version 3" if third else f"{len(greeting)} bytes, and it stays open",
        "ZMTP-G-8",
        libzmq="treats revision 2 as version 3" if knows_only_1 else None,
    )
    return None


def _listening(t: PubSubTrial, p: Connection, count: int) -> bytes:
    """Returns the next `count` bytes, or those that arrive in time, while the application receives. They can be read
    again.
    """
    deadline = time.monotonic() + t.options.leaving
    while len(data := p.read_available(0.02, count, keep=True)) < count and time.monotonic() < deadline:
        t.app.listen()
    return data


def _version_2(t: PubSubTrial, revision: int) -> None:
    want(t, b"topic")
    t.step(
        "P connects to the implementation and sends a publisher's greeting of version 2.0, revision "
        f"{revision}."
    )
    p = t.dial("P")
    greeting = _greeted(t, p, revision)
    if greeting is None:
        t.observed("does not speak version 2.0, and closes the connection")
        return
    t.observed("speaks version 2.0")
    t.step("The greeting continues: its socket type is SUB, its identity empty.")
    proper = greeting_2_0(t, "SUB")
    t.compare("the identity's frame", proper[TYPE + 1 :], greeting[TYPE + 1 :], "ZMTP-F-12")
    t.step("The subscription arrives as a message, and messages are delivered.")
    subscription = t.wire.subscribe(b"topic", V3_0)
    t.compare("the subscription", subscription, _listening(t, p, len(subscription)), "ZMTP-F-12")
    p.send_raw(t.wire.message(b"topic", b"body"), "a message of two frames")
    t.app.expect(b"topic", b"body", rule="ZMTP-F-12")
    own = ("announces XSUB by a number that version 2.0 does not define", OWN_XSUB)
    t.compare("the type", proper[TYPE], greeting[TYPE], "ZMTP-S-17", libzmq=own)


for _revision in REVISIONS:
    case(
        f"A publisher of version 2.0 (revision {_revision}) is served in that version, or disconnected",
        "ZMTP-F-12",
        "ZMTP-F-16",
        "ZMTP-S-17",
        "ZMTP-G-21",
        "ZMTP-G-8",
        "ZMTP-G-24",
        subject=f"version-2-0-revision-{_revision}",
    )(_version_2, _revision)


@case("A peer of version 2.0 that is not a publisher is disconnected", "ZMTP-S-19", polarity=NEGATIVE)
def version_2_0_types(t: PubSubTrial) -> None:
    t.step("P sends a publisher's greeting of version 2.0, to detect whether that version is spoken.")
    if not speaks_version_2(t, t.dial("P")):
        t.unsupported("does not speak version 2.0")
    for index, socket_type in enumerate(("SUB", "PUSH", "PULL", "REP", "ROUTER"), 1):
        t.step(f"Q{index} sends a greeting as {socket_type}: the implementation closes the connection.")
        q = t.dial(f"Q{index}")
        q.send_raw(greeting_2_0(t, socket_type), "greeting of version 2.0")
        q.expect_closed(t.options.leaving, why="not a publisher")


def frame(t: PubSubTrial, body: bytes, flags: int = 0) -> bytes:
    """A frame of version 1.0."""
    return t.wire.old("zmtp_1").encode("FRAME", content=bytes((flags,)) + body)


def long_frame(body: bytes) -> bytes:
    """A frame of version 1.0 with an eight-byte length, without MORE."""
    return b"\xff" + (len(body) + 1).to_bytes(8, "big") + b"\x00" + body


def version_1(t: PubSubTrial) -> Connection | None:
    """Connects a publisher of version 1.0; returns None if the implementation closes it, or answers otherwise. Raises
    FailureError if the publisher's message is not delivered, and nothing else happens.
    """
    p = t.dial("P")
    p.send_raw(frame(t, b""), "empty identity of version 1.0")
    p.read_available(0.1)
    if p.lost is not None:
        return None
    p.send_raw(frame(t, b"probe"), "a message of version 1.0")
    if t.app.recv(0.5) == (b"probe",):
        return p
    t.check(
        bool(p.read_available(0.5)) or p.lost is not None,
        "version 1.0 is spoken, or the connection is closed",
        "neither: messages are not delivered, and the connection stays open",
        "ZMTP-G-8",
    )
    return None


@case(
    "A publisher of version 1.0 is served in that version, or disconnected",
    "ZMTP-F-13",
    "ZMTP-G-21",
    "ZMTP-G-8",
    "ZMTP-G-17",
)
def version_1_0(t: PubSubTrial) -> None:
    want(t, b"")
    t.step("P connects to the implementation and speaks version 1.0: an empty identity, then a message.")
    p = version_1(t)
    if p is None:
        t.observed("does not speak version 1.0, and closes the connection")
        return
    t.observed("speaks version 1.0")
    t.step("P sends messages of one and of several frames, and of sizes near the limit of the short length.")
    p.send_raw(
        frame(t, b"topic", MORE) + frame(t, b"", MORE) + frame(t, b"body"), "a message of three frames"
    )
    t.app.expect(b"topic", b"", b"body")
    for size in (0, 1, 252, 253):
        p.send_raw(frame(t, b"x" * size), f"a body of {size} bytes")
        t.app.expect(b"x" * size)
    for size in (254, 255, 256, 1000):
        p.send_raw(long_frame(b"x" * size), f"a body of {size} bytes, in the long form")
        t.app.expect(b"x" * size)


@case("A peer that speaks another protocol does not affect other connections", "ZMTP-G-8", polarity=NEGATIVE)
def not_zmtp(t: PubSubTrial) -> None:
    for what, data in (
        ("an HTTP request", b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        ("a TLS record", bytes.fromhex("1603010200010001fc0303") + t.random_bytes(200)),
        ("an SSH banner", b"SSH-2.0-OpenSSH_9.2\r\n"),
        ("100 zero bytes", bytes(100)),
        ("100 bytes of %xFF", b"\xff" * 100),
        ("random bytes", t.random_bytes(200)),
    ):
        t.step(f"P connects to the implementation and sends {what}, instead of a greeting.")
        p = t.dial("P")
        p.send_raw(data, what)
        p.read_available(0.02)
        p.close()
    t.step("Q, which speaks ZMTP, is served.")
    t.publisher("Q").barrier()
