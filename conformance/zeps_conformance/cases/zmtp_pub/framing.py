"""Frames: sizes, flags, and how they are split into packets."""

from __future__ import annotations

from zeps_conformance.cases.registration import case
from zeps_conformance.cases.subscribers import received, subscribed
from zeps_conformance.cases.zmtp_pub.topics import drain_notices
from zeps_conformance.sockets.pubsub import BOTH, NEGATIVE, V3_0, PubSubTrial

RESERVED = 0b11111000
SIZES = (0, 1, 2, 254, 255, 256, 257, 65_535, 65_536, 1 << 20)


@case(
    "Frames of all sizes have the right flags and size",
    "ZMTP-F-2",
    "ZMTP-F-1",
    "ZMTP-F-4",
    "ZMTP-F-5",
    dialects=BOTH,
)
def sizes(t: PubSubTrial) -> None:
    a = subscribed(t, "A", b"")
    for size in SIZES:
        t.step(f"The application sends a message of {size} bytes: one frame arrives, short up to 255 bytes.")
        body = t.random_bytes(size)
        t.app.send(body)
        frame = a.expect_message(body, rule="ZMTP-F-4")[-1]
        t.check(frame.flags & RESERVED == 0, "bits 7 to 3 zero", f"flags {frame.flags:#04x}", "ZMTP-F-1")
        t.check(not frame.more, "bit 0 zero", f"flags {frame.flags:#04x}")
        t.compare("bit 1, for an eight-byte size:", size > 255, frame.long, "ZMTP-F-5")


@case(
    "All frames of a message except the last have bit 0", "ZMTP-F-2", "ZMTP-F-1", "ZMTP-F-11", dialects=BOTH
)
def parts(t: PubSubTrial) -> None:
    a = subscribed(t, "A", b"")
    t.step("The application sends a message of five parts, large and small: five frames arrive.")
    message = (b"", b"one", t.random_bytes(256), b"", t.random_bytes(70_000))
    t.app.send(*message)
    for number, frame in enumerate(a.expect_message(*message, rule="ZMTP-F-11"), 1):
        t.check(frame.flags & RESERVED == 0, "bits 7 to 3 zero", f"flags {frame.flags:#04x}", "ZMTP-F-1")
        t.compare(f"bit 0 of frame {number}:", number < len(message), frame.more)


@case("Small subscriptions and cancellations with an eight-byte size", "ZMTP-F-6", dialects=BOTH)
def long_form(t: PubSubTrial) -> None:
    t.step(
        "A subscribes to 'x', '' and 'y' in long frames, and cancels '' in a long frame: 'x' and 'y' remain."
    )
    a = t.subscriber("A")
    a.subscribe(b"x", b"", b"y", long=True)
    a.cancel(b"", long=True)
    a.barrier()
    t.compare("A receives", [(b"x",), (b"y",)], received(t, a, b"x", b"z", b"y"))


@case("Subscriptions that arrive byte by byte", "ZMTP-F-2", dialects=BOTH)
def octet_by_octet(t: PubSubTrial) -> None:
    t.step("A sends two subscriptions and a cancellation, byte by byte.")
    a = t.subscriber("A")
    a.send_slowly(
        t.wire.subscribe(b"x", t.dialect)
        + t.wire.subscribe(b"y", t.dialect, long=True)
        + t.wire.cancel(b"x", t.dialect),
        0.002,
    )
    a.barrier()
    t.compare("A receives", [(b"y",)], received(t, a, b"x", b"y"))


@case("Many subscriptions in one packet", "ZMTP-F-2", dialects=BOTH)
def many_in_one_packet(t: PubSubTrial) -> None:
    t.step("A sends 300 subscriptions and 150 cancellations in one write.")
    a = t.subscriber("A")
    topics = [b"%03d" % number for number in range(300)]
    a.send_raw(
        b"".join(t.wire.subscribe(topic, t.dialect) for topic in topics)
        + b"".join(t.wire.cancel(topic, t.dialect) for topic in topics[::2]),
        "300 subscriptions and 150 cancellations",
    )
    a.barrier()
    t.step("The 150 remaining subscriptions match their messages.")
    t.compare("A receives", [(topic,) for topic in topics[1::2]], received(t, a, *topics))


@case(
    "An incomplete subscription has no effect", "ZMTP-F-8", dialects=BOTH, types=("XPUB",), polarity=NEGATIVE
)
def cut_subscription(t: PubSubTrial) -> None:
    t.step("A subscribes to 'x', sends all but the last byte of a subscription to 'yy', and disconnects.")
    a = t.subscriber("A")
    a.subscribe(b"x")
    a.send_raw(t.wire.subscribe(b"yy", t.dialect)[:-1], "a subscription without its last byte")
    a.close()
    t.step("The application receives 'x', and neither 'yy' nor 'y'.")
    t.app.expect_notice(True, b"x", "ZMTP-P-13")
    seen = [parts for parts in drain_notices(t, t.subscriber("B")) if parts != (b"\x00x",)]
    t.compare("the application receives only the cancellation of 'x':", [], seen)


@case(
    "An incomplete message is not delivered to the application",
    "ZMTP-F-8",
    types=("XPUB",),
    polarity=NEGATIVE,
)
def cut_message(t: PubSubTrial) -> None:
    t.step("A sends the first two frames of a three-frame message, and disconnects.")
    a = t.subscriber("A")
    a.send_message(b"whole")
    frames = t.wire.frame(b"one", more=True) + t.wire.frame(b"two", more=True)
    a.send_raw(frames, "two frames with MORE")
    a.close()
    t.step("The application receives what A sent before, and no part of that message.")
    t.app.expect(b"whole", rule="ZMTP-P-16")
    t.app.expect_nothing("the message was incomplete")


@case(
    "A subscriber's empty message is not a subscription",
    "ZMTP-P-7",
    dialects=(V3_0,),
    types=("PUB",),
    polarity=NEGATIVE,
)
def empty_message(t: PubSubTrial) -> None:
    t.step("A subscribes to 'x' and sends an empty message: its subscriptions do not change.")
    a = t.subscriber("A")
    a.subscribe(b"x")
    a.send_message(b"")
    a.barrier()
    t.compare("A receives", [(b"x",)], received(t, a, b"y", b"x"))
