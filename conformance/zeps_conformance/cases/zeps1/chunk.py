"""Chunks: a four-byte length followed by any bytes."""

from __future__ import annotations

from zeps_conformance.broker.session import Item
from zeps_conformance.broker.trial import BrokerTrial
from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zeps1.refusals import NEGATIVE, refuse_each
from zeps_conformance.model.malform import Malformed

BODY_MAX = 16_777_216


@case("A body may contain any bytes", "ZEPS-CHUNK-1", "ZEPS-PUBLISH-4")
def any_octets(t: BrokerTrial) -> None:
    t.step(
        "A, which subscribes to the stream, publishes bodies of every byte value, of frames, and of bytes "
        "that are not text."
    )
    a = t.reader("A")
    bodies = (
        bytes(range(256)),
        bytes(range(255, -1, -1)),
        b"\x00",
        b"\xff" * 9,
        t.codec.encode("PING"),
        b"\xc0\x80\r\n",
    )
    messages = [("octets", body) for body in bodies]
    a.publish_many(messages)
    t.step("They arrive byte for byte.")
    a.expect_items(t.items(messages), "ZEPS-CHUNK-1")


@case("A body may be empty, and may be long", "ZEPS-CHUNK-1", "ZEPS-PUBLISH-4", retains=1 << 20)
def sizes(t: BrokerTrial) -> None:
    sizes_tried = (0, 1, 2, 127, 128, 239, 240, 241, 255, 256, 257, 65_535, 65_536, 65_537, 300_000)
    t.step(
        "A, which subscribes to the stream, publishes bodies on both sides of each size at which a frame's "
        "form changes."
    )
    a = t.reader("A")
    messages = [("size", t.random_bytes(size)) for size in sizes_tried]
    a.publish_many(messages)
    t.step("They arrive byte for byte, also at B, which reads them later.")
    a.expect_items(t.items(messages), "ZEPS-CHUNK-1")
    t.reader("B").expect_items(t.items(messages), "ZEPS-CHUNK-1")


@case("A length without the announced bytes is refused at once", "ZEPS-CHUNK-2", polarity=NEGATIVE)
def length_without_octets(t: BrokerTrial) -> None:
    head = t.codec.encode("PUBLISH", key="k", body=b"")[:-4]
    bad = [
        Malformed(
            f"a body of {size} bytes, of which {len(tail)} are sent",
            "truncated",
            head + size.to_bytes(4, "big") + tail,
        )
        for size in (1, 4, 1_000_000, BODY_MAX, BODY_MAX + 1, (1 << 31) - 1, 1 << 31, (1 << 32) - 1)
        for tail in (b"", b"abc")
        if size > len(tail)
    ]
    a = t.connect("A")
    t.step("A publishes bodies with lengths of up to 2^32-1 bytes that are not sent; each gets INVALID.")
    refuse_each(a, bad, "ZEPS-CHUNK-2")
    t.step("None of them is in the stream.")
    t.reader("B").quiet("no PUBLISH was valid", "ZEPS-CHUNK-2")


@case("A body of 16,777,216 bytes is delivered", "ZEPS-PUBLISH-7", "ZEPS-PUBLISH-4", retains=17 << 20)
def greatest(t: BrokerTrial) -> None:
    t.step("A, which subscribes to the stream, publishes a body of 16,777,216 bytes.")
    t.allow(30)
    a = t.reader("A")
    body = t.random_bytes(1 << 16) * (BODY_MAX >> 16)
    a.publish("greatest", body)
    t.step("It arrives byte for byte.")
    message = a.next(t.options.timeout * 4)
    seen = "nothing" if message is None else f"{message.name} of {message.size} bytes"
    right = message is not None and tuple(message.values.values()) == (1, "greatest", body)
    t.check(right, "DELIVER sequence=1 with the published body", seen, "ZEPS-PUBLISH-7")


@case("A body of 16,777,217 bytes is refused", "ZEPS-PUBLISH-7", polarity=NEGATIVE)
def too_long(t: BrokerTrial) -> None:
    t.allow(30)
    a = t.session("A")
    t.step("In an open session, A publishes a body that is one byte longer than the maximum.")
    a.send_frame(t.codec.encode("PUBLISH", key="too long", body=bytes(BODY_MAX + 1)))
    t.step("It gets INVALID, and is not in the stream.")
    message = a.next(t.options.timeout * 4)
    seen = "nothing" if message is None else message.name
    t.check(message is not None and message.name == "INVALID", "INVALID for the body", seen, "ZEPS-PUBLISH-7")
    a.expect_no_session()
    a.attach()
    a.store([("short", b"1")])
    t.reader("B").expect_items([Item(1, "short", b"1")], "ZEPS-PUBLISH-7")
