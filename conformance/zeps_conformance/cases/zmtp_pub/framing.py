"""Frames: sizes, flags, and how they are cut into packets."""

from __future__ import annotations

from collections.abc import Callable

from zeps_conformance.cases.zmtp_pub.common import LEAVES, announced, fate, greeted, serve, shown
from zeps_conformance.pubsub import BOTH, NEGATIVE, V3_0, Connection, Trial, case

RESERVED = 0b11111000
MEBIBYTE = 1 << 20
SIZES = (0, 1, 2, 254, 255, 256, 257, 65_535, 65_536, MEBIBYTE)


@case(
    "zmtp-pub.framing.sizes",
    "Frames of all sizes have the flags and the size that belong to them",
    "ZMTP-F-2",
    "ZMTP-F-1",
    "ZMTP-F-4",
    "ZMTP-F-5",
    dialects=BOTH,
)
def sizes(t: Trial) -> None:
    a = t.subscriber("A")
    a.subscribe(b"")
    a.barrier()
    for size in SIZES:
        t.step(f"The application sends a message of {size} octets: one frame comes, short up to 255.")
        body = t.octets(size)
        t.app.send(body)
        frame = a.expect_message(body, rule="ZMTP-F-4")[-1]
        t.check(frame.flags & RESERVED == 0, "bits 7 to 3 zero", f"flags {frame.flags:#04x}", "ZMTP-F-1")
        t.check(not frame.more, "bit 0 zero", f"flags {frame.flags:#04x}")
        t.compare("bit 1, for a size of eight octets:", size > 255, frame.long, "ZMTP-F-5")


@case(
    "zmtp-pub.framing.parts",
    "All frames of a message but the last have bit 0",
    "ZMTP-F-2",
    "ZMTP-F-1",
    "ZMTP-F-11",
    dialects=BOTH,
)
def parts(t: Trial) -> None:
    a = t.subscriber("A")
    a.subscribe(b"")
    a.barrier()
    t.step("The application sends a message of five parts, large and small: five frames come.")
    message = (b"", b"one", t.octets(256), b"", t.octets(70_000))
    t.app.send(*message)
    for number, frame in enumerate(a.expect_message(*message, rule="ZMTP-F-11"), 1):
        t.check(frame.flags & RESERVED == 0, "bits 7 to 3 zero", f"flags {frame.flags:#04x}", "ZMTP-F-1")
        t.compare(f"bit 0 of frame {number}:", number < len(message), frame.more)


@case(
    "zmtp-pub.framing.long-form",
    "Small subscriptions and cancellations with a size of eight octets",
    "ZMTP-F-6",
    dialects=BOTH,
)
def long_form(t: Trial) -> None:
    t.step("A subscribes to 'x', '' and 'y' in long frames, and cancels '' in one: 'x' and 'y' are left.")
    a = t.subscriber("A")
    for topic in (b"x", b"", b"y"):
        a.subscribe(topic, long=True)
    a.cancel(b"", long=True)
    a.barrier()
    for topic in (b"x", b"z", b"y"):
        t.app.send(topic)
    t.compare("A receives", [(b"x",), (b"y",)], a.collect())


@case(
    "zmtp-pub.framing.octet-by-octet",
    "Subscriptions that come octet by octet",
    "ZMTP-F-2",
    dialects=BOTH,
)
def octet_by_octet(t: Trial) -> None:
    t.step("A sends two subscriptions and a cancellation, octet by octet.")
    a = t.subscriber("A")
    a.send_slowly(
        t.wire.subscribe(b"x", t.dialect)
        + t.wire.subscribe(b"y", t.dialect, long=True)
        + t.wire.cancel(b"x", t.dialect),
        0.002,
    )
    a.barrier()
    t.app.send(b"x")
    t.app.send(b"y")
    t.compare("A receives", [(b"y",)], a.collect())


@case(
    "zmtp-pub.framing.many-in-one-packet",
    "Many subscriptions in one packet",
    "ZMTP-F-2",
    dialects=BOTH,
)
def many_in_one_packet(t: Trial) -> None:
    t.step("A sends 300 subscriptions and 150 cancellations in one write.")
    a = t.subscriber("A")
    topics = [b"%03d" % number for number in range(300)]
    a.send_raw(
        b"".join(t.wire.subscribe(topic, t.dialect) for topic in topics)
        + b"".join(t.wire.cancel(topic, t.dialect) for topic in topics[::2]),
        "300 subscriptions and 150 cancellations",
    )
    a.barrier()
    t.step("The 150 that are left bring their messages.")
    for topic in topics:
        t.app.send(topic)
    t.compare("A receives", [(topic,) for topic in topics[1::2]], a.collect())


def _too_large(kind: str, size: int) -> Callable[[Trial], None]:
    def run(t: Trial) -> None:
        t.step("After the handshake, A begins a frame of a size that there is not: the connection is closed.")
        a = t.subscriber("A")
        a.send_raw(announced(t, kind, size), f"a frame of {size} octets")
        t.check(a.ends(LEAVES), "the connection is closed", "it stays open")

    return run


for _name_of_kind, _kind in {"message": "LONG-LAST", "more": "LONG-MORE", "command": "LONG-COMMAND"}.items():
    for _name, _size in {"2-to-63": 1 << 63, "all-ones": (1 << 64) - 1}.items():
        case(
            f"zmtp-pub.framing.too-large-{_name_of_kind}-{_name}",
            f"A frame of 2^63 octets or more is refused: {_name_of_kind}, {_name.replace('-', ' ')}",
            "ZMTP-F-7",
            polarity=NEGATIVE,
        )(_too_large(_kind, _size))


def _announced(t: Trial, connections: list[Connection], octets: bytes, size: int) -> None:
    """Send `octets`, which announce `size` octets, on all `connections`: memory must not follow the announcement."""
    before = t.memory()
    for connection in connections:
        connection.send_raw(octets, f"a frame of {size >> 20} MiB is announced, and 64 octets come")
    witness = t.subscriber("after the announcements")
    serve(t, witness, b"still served")
    grown = t.memory() - before
    allowed = len(connections) * size // 2
    t.check(
        grown < allowed,
        f"less than {allowed >> 20} MiB more memory for {len(connections)} announcements of {size >> 20} MiB",
        f"{grown >> 20} MiB more",
    )


@case(
    "zmtp-pub.framing.announced-message",
    "Memory is not taken for a message that was only announced",
    "ZMTP-X-2",
    polarity=NEGATIVE,
)
def announced_message(t: Trial) -> None:
    t.step("Four subscribers announce messages of 64 MiB each and send 64 octets of them.")
    peers: list[Connection] = [t.subscriber(f"A{number}") for number in range(4)]
    size = 64 * MEBIBYTE
    _announced(t, peers, announced(t, "LONG-LAST", size, bytes(64)), size)


@case(
    "zmtp-pub.framing.announced-command",
    "Memory is not taken for a READY that was only announced",
    "ZMTP-X-2",
    polarity=NEGATIVE,
)
def announced_command(t: Trial) -> None:
    t.step("Four peers greet, announce READYs of 64 MiB each and send 64 octets of them.")
    peers = [greeted(t, f"A{number}") for number in range(4)]
    size = 64 * MEBIBYTE
    ready = t.wire.body("READY", properties=[(b"Socket-Type", b"SUB")])
    _announced(t, peers, announced(t, "LONG-COMMAND", size, ready.ljust(64, b"\0")), size)


@case(
    "zmtp-pub.framing.announced-huge",
    "Announcements beyond any memory harm nobody",
    "ZMTP-X-2",
    polarity=NEGATIVE,
)
def announced_huge(t: Trial) -> None:
    t.step("Peers announce messages and commands of 2^31 to 2^63-1 octets and send 64 octets of them.")
    for kind in ("LONG-LAST", "LONG-MORE", "LONG-COMMAND"):
        for size in (1 << 31, 1 << 32, 1 << 40, (1 << 63) - 9, (1 << 63) - 1):
            a = t.subscriber(f"A {kind} {size:#x}")
            octets = announced(t, kind, size, bytes(64))
            a.send_raw(octets, f"{size} octets announced", may_fail=True)
    t.step("B is served.")
    serve(t, t.subscriber("B"))


def _reserved(flags: int) -> Callable[[Trial], None]:
    def run(t: Trial) -> None:
        t.step("A is served, and sends a frame with a reserved bit set.")
        a = t.subscriber("A")
        a.subscribe(b"x")
        a.barrier()
        a.send_raw(bytes((flags, 2)) + b"\x01y", f"a frame with flags {flags:#04x}")
        t.observed(fate(a))

    return run


for _flags in (0x08, 0x10, 0x20, 0x40, 0x80, 0xF8):
    case(
        f"zmtp-pub.framing.reserved-flags-{_flags:02x}",
        f"A frame with flags %x{_flags:02X} harms nobody",
        "ZMTP-F-1",
        polarity=NEGATIVE,
    )(_reserved(_flags))


def _command_with_more(flags: int) -> Callable[[Trial], None]:
    def run(t: Trial) -> None:
        t.step("A is served, and sends the command SUBSCRIBE with the bit for more frames.")
        a = t.subscriber("A")
        a.subscribe(b"x")
        a.barrier()
        body = t.wire.body("SUBSCRIBE", topic=b"y")
        size = len(body).to_bytes(8 if flags & 2 else 1, "big")
        a.send_raw(bytes((flags,)) + size + body, f"a command with flags {flags:#04x}")
        t.observed(fate(a))

    return run


for _flags in (0x05, 0x07):
    case(
        f"zmtp-pub.framing.command-with-more-{_flags:02x}",
        f"A command with bit 0, flags %x{_flags:02X}, harms nobody",
        "ZMTP-F-3",
        polarity=NEGATIVE,
    )(_command_with_more(_flags))


@case(
    "zmtp-pub.framing.own-commands",
    "The publisher's own commands have neither bit 0 nor a reserved bit",
    "ZMTP-F-3",
    "ZMTP-F-1",
    "ZMTP-F-14",
)
def own_commands(t: Trial) -> None:
    t.step("A reads the READY that it gets: a command frame, with the name as it is written.")
    a = greeted(t, "A")
    a.send_ready("SUB")
    ready = a.expect_command("READY")
    t.check(not ready.more, "bit 0 zero", f"flags {ready.flags:#04x}")
    t.check(ready.flags & RESERVED == 0, "bits 7 to 3 zero", f"flags {ready.flags:#04x}", "ZMTP-F-1")
    t.check(ready.command, "a command", f"flags {ready.flags:#04x}", "ZMTP-F-14")


@case(
    "zmtp-pub.framing.cut-subscription",
    "A subscription that does not arrive whole is none",
    "ZMTP-F-8",
    dialects=BOTH,
    types=("XPUB",),
    polarity=NEGATIVE,
)
def cut_subscription(t: Trial) -> None:
    t.step("A subscribes to 'x', sends all but the last octet of a subscription to 'yy', and leaves.")
    a = t.subscriber("A")
    a.subscribe(b"x")
    a.send_raw(t.wire.subscribe(b"yy", t.dialect)[:-1], "a subscription without its last octet")
    a.close()
    t.step("The application sees 'x', and nothing of 'yy' or 'y'.")
    t.app.expect_notice(True, b"x", "ZMTP-P-13")
    seen = [parts for parts in shown(t, t.subscriber("B")) if parts != (b"\x00x",)]
    t.compare("the application sees no more than that 'x' went:", [], seen)


@case(
    "zmtp-pub.framing.cut-message",
    "A message that does not arrive with all its frames is not shown",
    "ZMTP-F-8",
    types=("XPUB",),
    polarity=NEGATIVE,
)
def cut_message(t: Trial) -> None:
    t.step("A sends the first two frames of a message of three, and leaves.")
    a = t.subscriber("A")
    a.send_message(b"whole")
    frames = t.wire.frame(b"one", more=True) + t.wire.frame(b"two", more=True)
    a.send_raw(frames, "two frames with more to follow")
    a.close()
    t.step("The application gets what A sent before, and no part of that message.")
    t.app.expect(b"whole", rule="ZMTP-P-16")
    t.app.expect_nothing("the message was not complete")


@case(
    "zmtp-pub.framing.empty-message",
    "A subscriber's empty message is no subscription",
    "ZMTP-P-7",
    dialects=(V3_0,),
    types=("PUB",),
    polarity=NEGATIVE,
)
def empty_message(t: Trial) -> None:
    t.step("A subscribes to 'x' and sends an empty message: its subscriptions are what they were.")
    a = t.subscriber("A")
    a.subscribe(b"x")
    a.send_message(b"")
    a.barrier()
    t.app.send(b"y")
    t.app.send(b"x")
    t.compare("A receives", [(b"x",)], a.collect())
