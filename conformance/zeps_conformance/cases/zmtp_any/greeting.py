"""Greetings: their form, how they are split into packets, and which parts are checked."""

from __future__ import annotations

from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zmtp_any.dialled_peers import (
    in_slices,
    join,
    unasked_bytes,
    version_of,
)
from zeps_conformance.sockets.pubsub import NEGATIVE
from zeps_conformance.sockets.trial import SocketTrial

RULES = {"mechanism": "ZMTP-G-9", "as_server": "ZMTP-G-13"}
OTHER_MECHANISMS = {
    "plain": b"PLAIN",
    "curve": b"CURVE",
    "longer": b"NULLS",
    "shorter": b"NUL",
    "small-letters": b"null",
    "none": b"",
    "not-padded-with-zeros": b"NULL".ljust(20),
}


@case(
    "A greeting has the 64 bytes of version 3",
    "ZMTP-G-1",
    "ZMTP-G-2",
    "ZMTP-G-9",
    "ZMTP-G-22",
    "ZMTP-G-10",
    "ZMTP-G-13",
)
def form(t: SocketTrial) -> None:
    t.step("A sends its greeting and receives 64 bytes.")
    a = t.dial("A")
    a.send_greeting()
    greeting = a.read_exactly(t.wire.greeting_size)
    t.step("They contain a signature, version 3.0 or 3.1, the mechanism NULL, as-server zero, and zeros.")
    major, minor = greeting[t.wire.major_at :][:2]
    t.check(major == 3 and minor in (0, 1), "version 3.0 or 3.1", f"version {major}.{minor}", "ZMTP-G-2")
    expected = t.wire.greeting(version=(major, minor), mechanism=b"NULL", as_server=0)
    for span in t.wire.zmtp.layout(expected):
        if span.field.name != "padding":
            right, seen = expected[span.start : span.end], greeting[span.start : span.end]
            t.compare(f"field {span.field.name}", right, seen, RULES.get(span.field.name, "ZMTP-G-1"))
    a.close()


@case(
    "A peer sends the whole greeting unprompted, or enough of it to detect an older peer",
    "ZMTP-G-4",
    "ZMTP-G-3",
    "ZMTP-G-19",
    "ZMTP-G-16",
)
def unasked(t: SocketTrial) -> None:
    t.step(
        "A connects and sends nothing: it receives 64 bytes, or 10 or 11 from a peer that detects older "
        "versions."
    )
    a = t.dial("A")
    first = unasked_bytes(a)
    whole, versioned = t.wire.greeting_size, t.wire.major_at + 1
    right = len(first) in (versioned - 1, versioned, whole)
    t.check(right, "64, 11 or 10 bytes", f"{len(first)} bytes", "ZMTP-G-4")
    if len(first) == t.wire.greeting_size:
        padding = next(span for span in t.wire.zmtp.layout(first) if span.field.name == "padding")
        padding_bytes = first[padding.start : padding.end]
        t.compare("padding", bytes(len(padding_bytes)), padding_bytes, "ZMTP-G-19")
    a.close()


@case("The eleven bytes of a version 3 peer are enough to receive the rest", "ZMTP-G-20", "ZMTP-G-12")
def eleven_are_enough(t: SocketTrial) -> None:
    t.step("A sends the signature and major version 3, as a peer does that detects older versions.")
    a = t.dial("A")
    greeting = t.wire.greeting(version_of(t))
    a.send_raw(greeting[: t.wire.major_at + 1], "signature and major version")
    t.step("A receives the whole greeting: two such peers must not wait for each other.")
    seen = a.read_available(t.options.timeout, t.wire.greeting_size)
    t.compare("bytes of the greeting", t.wire.greeting_size, len(seen))
    a.close()


def _cut(t: SocketTrial, cuts: tuple[int, ...]) -> None:
    t.step("A sends its greeting in slices, with a pause after each slice.")
    a = t.dial("A")
    in_slices(a, t.wire.greeting(version_of(t)), cuts, "its greeting is not complete")
    t.step("A receives a greeting, and after READY it is served.")
    a.read_greeting()
    join(t, a)


for _name, _cuts in {
    "cut-after-1": (1,),
    "cut-after-9": (9,),
    "cut-after-10": (10,),
    "cut-after-11": (11,),
    "cut-after-12": (12,),
    "cut-after-32": (32,),
    "cut-after-63": (63,),
    "cut-many-times": (1, 9, 10, 11, 12, 31, 63),
}.items():
    case(
        f"A greeting may arrive in slices: {_name.replace('-', ' ')}",
        "ZMTP-G-12",
        "ZMTP-G-1",
        "ZMTP-G-18",
        subject=_name,
    )(_cut, _cuts)


@case("A greeting and a READY may arrive byte by byte", "ZMTP-G-12", "ZMTP-N-3")
def octet_by_octet(t: SocketTrial) -> None:
    t.step("A sends its greeting and READY byte by byte.")
    a = t.dial("A")
    a.send_slowly(t.wire.greeting(version_of(t)), 0.001)
    a.read_greeting()
    a.send_slowly(t.wire.ready(t.peer_type.encode()), 0.001)
    a.finish_handshake()
    t.step("A is served.")
    t.serve(t.adopt(a))


@case("The padding of a signature is ignored", "ZMTP-G-5")
def padding(t: SocketTrial) -> None:
    paddings = (bytes(8), b"\xff" * 8, bytes(7) + b"\x01", b"\x7f" * 8, t.random_bytes(8))
    for number, padding_bytes in enumerate(paddings):
        t.step(f"A peer with padding {padding_bytes.hex(' ')} is served.")
        a = t.dial(f"A{number}")
        a.send_greeting(version_of(t), padding=padding_bytes)
        a.read_greeting()
        join(t, a, b"padding %d" % number, "ZMTP-G-5")


def _higher(t: SocketTrial, version: tuple[int, int]) -> None:
    t.step(f"A peer sends a greeting with version {version[0]}.{version[1]}.")
    a = t.dial("A")
    a.send_greeting(version=version)
    t.step("It receives a greeting of version 3, and is served as a peer of that version.")
    a.read_greeting()
    t.check(a.announced[0] == 3, "major version 3", f"{a.announced[0]}", "ZMTP-G-7")
    join(t, a, rule="ZMTP-G-7")


for _version in ((3, 2), (3, 9), (3, 255), (4, 0), (4, 9), (255, 255)):
    case(
        f"A peer of version {_version[0]}.{_version[1]} is accepted",
        "ZMTP-G-6",
        "ZMTP-G-7",
        subject=f"version-{_version[0]}-{_version[1]}",
    )(_higher, _version)


def _mechanism(t: SocketTrial, name: bytes) -> None:
    t.step("A announces a mechanism other than NULL.")
    a = t.dial("A")
    a.send_greeting(version_of(t), mechanism=name)
    a.read_available(0.3, t.wire.greeting_size)
    t.step("A sends READY: the connection is closed, at the latest now.")
    a.send_raw(t.wire.ready(t.peer_type.encode()), "READY", may_fail=True)
    t.check(a.ends(t.options.leaving), "the connection is closed", "it stays open")


for _name, _mechanism_name in OTHER_MECHANISMS.items():
    case(
        f"A peer with another mechanism is disconnected: {_name.replace('-', ' ')}",
        "ZMTP-G-11",
        subject=f"mechanism-{_name}",
        polarity=NEGATIVE,
    )(_mechanism, _mechanism_name)


@case(
    "A whole greeting is answered by a whole greeting, whatever its mechanism is",
    "ZMTP-G-12",
    polarity=NEGATIVE,
)
def answered_in_full(t: SocketTrial) -> None:
    t.step(
        "A sends a whole greeting with mechanism PLAIN in one packet: it receives 64 bytes before the end."
    )
    a = t.dial("A")
    a.send_greeting(version_of(t), mechanism=b"PLAIN")
    seen = a.read_available(t.options.timeout, t.wire.greeting_size)
    t.check(
        len(seen) >= t.wire.greeting_size,
        "64 bytes",
        f"{len(seen)} bytes{' and the end' if a.lost else ''}",
        libzmq=(
            "closes the connection before it has sent the rest of its greeting"
            if a.lost and len(seen) <= t.wire.major_at + 1
            else None
        ),
    )


@case("As-server is ignored with NULL", "ZMTP-G-23")
def as_server(t: SocketTrial) -> None:
    t.step("A sets as-server with NULL, which has no server role: A is served.")
    a = t.dial("A")
    a.send_greeting(version_of(t), as_server=1)
    a.read_greeting()
    join(t, a)
