"""The greeting that a subscriber sends, and the greetings that it accepts from a publisher."""

from __future__ import annotations

from zeps_conformance.cases.races import rounds
from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zmtp_any.dialled_peers import unasked_bytes
from zeps_conformance.cases.zmtp_sub.handmade_publishers import (
    SIGNATURE,
    VERSIONED,
    WHOLE,
    called,
    deliver,
    dialled,
    greet,
    introduce,
    ready,
)
from zeps_conformance.cases.zmtp_sub.older import speaks_version_2
from zeps_conformance.common.verdicts import LostError
from zeps_conformance.sockets.pubsub import NEGATIVE, V3_0, Publisher, PubSubTrial

PADDING = slice(1, 9)
MINOR = 11
ENOUGH_SILENT = 10  # connections without input, after which the remaining ones are not checked

PARTS = (
    ("the first byte of the signature", slice(0, 1), "ZMTP-G-1"),
    ("the last byte of the signature", slice(9, 10), "ZMTP-G-1"),
    ("the major version", slice(10, 11), "ZMTP-G-2"),
    ("the mechanism, padded with zeros", slice(12, 32), "ZMTP-G-9"),
    ("as-server", slice(32, 33), "ZMTP-G-13"),
    ("the filler", slice(33, 64), "ZMTP-G-1"),
)


@case(
    "The greeting has 64 bytes, version 3, one mechanism, and zeros",
    "ZMTP-G-1",
    "ZMTP-G-2",
    "ZMTP-G-9",
    "ZMTP-G-22",
    "ZMTP-G-10",
    "ZMTP-G-13",
)
def form(t: PubSubTrial) -> None:
    t.step("The implementation connects to P. Both send greetings and complete the handshake.")
    p = called(t)
    p.send_greeting()
    p.read_greeting()
    introduce(t, p)
    t.step("Every part of the implementation's greeting has its required value; the padding is ignored.")
    greeting = p.greeting_bytes
    proper = t.wire.greeting()
    for what, place, rule in PARTS:
        t.compare(what, proper[place], greeting[place], rule)
    t.check(greeting[MINOR] in (0, 1), "minor version 0 or 1", str(greeting[MINOR]), "ZMTP-G-2")
    t.observed(f"version 3.{greeting[MINOR]}, padding {greeting[PADDING].hex(' ')}")


@case(
    "The greeting arrives unprompted: whole, or the 10 or 11 bytes that detect older versions",
    "ZMTP-G-4",
    "ZMTP-G-3",
    "ZMTP-G-19",
)
def opening(t: PubSubTrial) -> None:
    t.step("The implementation connects to P, which sends nothing and reads the unprompted bytes.")
    p = called(t)
    first = unasked_bytes(p)
    t.step("P sends signature and major version; if only a part arrived, the implementation sends the rest.")
    greeting = t.wire.greeting()
    p.send_raw(greeting[:VERSIONED], "signature and major version")
    both = p.read_available(t.options.timeout, WHOLE, keep=True)
    t.compare("bytes of the greeting, after P has sent 11", WHOLE, len(both))
    t.step("P sends the rest of its greeting, and its message arrives.")
    p.send_raw(greeting[VERSIONED:], "the rest of the greeting")
    p.read_greeting()
    introduce(t, p).barrier()
    t.observed(f"{len(first)} bytes arrive unprompted, the padding is {p.greeting_bytes[PADDING].hex(' ')}")
    if len(first) == WHOLE:
        t.compare("the padding", bytes(8), first[PADDING], "ZMTP-G-19")
    else:
        right = len(first) in (SIGNATURE, VERSIONED)
        t.check(right, "10 or 11 unprompted bytes, unless all are sent", f"{len(first)}")


@case("A greeting in two pieces is sent only to support older versions", "ZMTP-G-16")
def at_once(t: PubSubTrial) -> None:
    t.step("A publisher of version 2.0 detects whether that version is spoken.")
    older = speaks_version_2(t, t.dial("Q"))
    t.observed("speaks version 2.0" if older else "does not speak version 2.0")
    t.step("The implementation connects to P, which sends nothing and reads the unprompted bytes.")
    p = called(t)
    first = unasked_bytes(p)
    greet(t, p)
    introduce(t, p).barrier()
    t.check(
        len(first) == WHOLE or older,
        "the greeting is sent at once, or version 2.0 is spoken",
        f"{len(first)} bytes, and version 2.0 is not spoken",
    )


@case("A subscriber that connects sends bytes unprompted, every time", "ZMTP-G-4", "ZMTP-U-10")
def every_time(t: PubSubTrial) -> None:
    t.step("300 sockets or more of the implementation connect one after the other; each begins its greeting.")
    silent = 0
    for number in rounds(300, 2.0):
        other = t.socket(f"s{number}")
        listener = t.listener()
        other.connect(listener.endpoint)
        p = listener.accept(f"P{number}")
        silent += not p.read_available(0.3, SIGNATURE, keep=True)
        p.close()
        other.close()
        if silent == ENOUGH_SILENT:
            break
    t.compare("connections on which nothing arrives within 0.3 s", 0, silent)


@case(
    "A subscriber that has read a whole greeting sends one, even if it rejects the mechanism",
    "ZMTP-G-12",
    polarity=NEGATIVE,
)
def whole_for_whole(t: PubSubTrial) -> None:
    t.step(
        "P connects to the implementation, sends a whole greeting of another mechanism, and reads to the end."
    )
    p = t.dial("P")
    p.send_raw(t.wire.greeting(mechanism=b"PLAIN"), "greeting with PLAIN")
    greeting = p.read_available(t.options.timeout, WHOLE)
    short = len(greeting) < WHOLE and p.lost is not None
    t.check(
        len(greeting) == WHOLE,
        "64 bytes before the connection ends",
        f"{len(greeting)} bytes",
        libzmq="closes before it has sent the rest of its greeting" if short else None,
    )


def _cut(t: PubSubTrial, size: int) -> None:
    t.step(
        "The implementation connects to P, which sends its greeting in two pieces with a pause between them."
    )
    p = called(t)
    greeting = t.wire.greeting()
    p.send_raw(greeting[:size], "the first piece")
    p.expect_open(0.03, why="half a greeting is not an error")
    p.send_raw(greeting[size:], "the rest")
    p.read_greeting()
    t.step("The handshake completes, and messages arrive.")
    introduce(t, p).barrier()


for _size in (1, SIGNATURE, VERSIONED, WHOLE - 1):
    case(
        f"A greeting may arrive in two pieces, the first of {_size} byte{'s' if _size > 1 else ''}",
        "ZMTP-G-12",
        "ZMTP-G-20",
        "ZMTP-G-18",
        subject=f"cut-{_size}",
    )(_cut, _size)


@case("A greeting and a READY may arrive byte by byte", "ZMTP-G-12")
def octet_by_octet(t: PubSubTrial) -> None:
    t.step("The implementation connects to P, which sends its greeting byte by byte.")
    p = called(t)
    p.send_slowly(t.wire.greeting(), 0.002)
    p.read_greeting()
    t.step("P sends READY byte by byte too; then messages arrive.")
    p.send_slowly(ready(t), 0.002)
    p.expect_command("READY")
    Publisher.of(p).barrier()


@case("The padding of a signature is ignored", "ZMTP-G-5")
def padding(t: PubSubTrial) -> None:
    all_bits, last_bit, identity = b"\xff" * 8, b"\x00" * 7 + b"\x01", b"\x00" * 7 + b"\x15"
    for index, padding_bytes in enumerate(
        (all_bits, last_bit, identity, b"\x7f" * 8, t.random_bytes(8), t.random_bytes(8)), 1
    ):
        t.step(
            f"P{index} sends a greeting with a padding of {padding_bytes.hex(' ')}, and its message arrives."
        )
        greeting = t.wire.greeting()
        p = dialled(t, f"P{index}", greeting[: PADDING.start] + padding_bytes + greeting[PADDING.stop :])
        introduce(t, p).barrier()


@case("as-server is ignored with NULL", "ZMTP-G-23")
def as_server(t: PubSubTrial) -> None:
    t.step("The implementation connects to P, which sets as-server, and P's message arrives.")
    introduce(t, greet(t, called(t), t.wire.greeting(as_server=1))).barrier()
    t.step("Q connects and sets as-server, and its message arrives.")
    introduce(t, dialled(t, "Q", t.wire.greeting(as_server=1))).barrier()


def _higher(t: PubSubTrial, version: tuple[int, int]) -> None:
    t.step("P sends a greeting with the higher version, and the handshake is completed.")
    p = introduce(t, greet(t, called(t), t.wire.greeting(version)))
    t.app.subscribe(b"topic")
    t.step("The implementation speaks its own version: the subscription has its form, and messages arrive.")
    p.expect_subscribe(b"topic", "ZMTP-G-7")
    deliver(t, p, b"topic", b"body")


for _version in ((3, 2), (3, 9), (3, 255), (4, 0), (4, 1), (255, 255)):
    case(
        f"Version {_version[0]}.{_version[1]} is accepted",
        "ZMTP-G-6",
        "ZMTP-G-7",
        subject=f"version-{_version[0]}-{_version[1]}",
    )(_higher, _version)


@case("A subscriber speaks version 3.0 to a publisher of version 3.0", "ZMTP-S-5", "ZMTP-G-21", "ZMTP-G-8")
def lower_minor(t: PubSubTrial) -> None:
    t.step(
        "P sends a greeting with version 3.0: the implementation continues and subscribes in the form of "
        "3.0, or closes."
    )
    peer = greet(t, called(t), t.wire.greeting((3, 0)))
    try:
        p = introduce(t, peer, dialect=V3_0)
    except LostError as error:
        t.observe("the handshake with version 3.0, or the end of the connection", str(error))
        return
    t.app.subscribe(b"topic")
    p.expect_subscribe(b"topic", form=True)


MECHANISMS = (
    b"PLAIN",
    b"CURVE",
    b"GSSAPI",
    b"NULLX",
    b"NUL",
    b"null",
    b"NULL NULL",
    b"\x00NULL",
    b"NULL\x00NULL",
    b"",
    b"N" * 20,
    b"\xff" * 20,
)


@case("A publisher with a mechanism other than NULL is disconnected", "ZMTP-G-11", polarity=NEGATIVE)
def mechanisms(t: PubSubTrial) -> None:
    for index, mechanism in enumerate(MECHANISMS, 1):
        t.step(
            f"P{index} sends a greeting with the mechanism {mechanism!r}: the implementation closes the "
            "connection."
        )
        p = t.dial(f"P{index}")
        p.send_raw(t.wire.greeting(mechanism=mechanism), "greeting with another mechanism")
        p.expect_closed(t.options.leaving, why="another mechanism")


@case("READY does not make another mechanism acceptable", "ZMTP-G-11", polarity=NEGATIVE)
def mechanism_late(t: PubSubTrial) -> None:
    t.step("P sends a greeting with PLAIN, READY and a message at once: every time, all of it is refused.")
    t.app.subscribe(b"")
    for number in rounds(5, 1.0):
        p = t.dial(f"P{number}")
        p.send_raw(t.wire.greeting(mechanism=b"PLAIN") + ready(t) + t.wire.message(b"stray"), "all at once")
        p.expect_closed(t.options.leaving, why="another mechanism")
    t.app.expect_nothing("P was refused")
