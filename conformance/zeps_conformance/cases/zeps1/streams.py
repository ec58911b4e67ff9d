"""Streams: isolation, and valid names."""

from __future__ import annotations

from zeps_conformance.broker.session import ALL, NEW, Item
from zeps_conformance.broker.trial import BrokerTrial
from zeps_conformance.cases.registration import case


def unusual_names(t: BrokerTrial) -> tuple[str, ...]:
    """Returns names of new streams that look like paths, are long, or contain every kind of character."""
    mark = t.stream.replace("/", "-")
    return (
        f"../../{mark}",
        f"/{mark}",
        f"{mark}/../x",
        f"./{mark}",
        f"{mark}/",
        f"{mark}\\..\\x",
        f"C:{mark}",
        f"{mark}.",
        f" {mark} ",
        f"%2e%2e%2f{mark}",
        f"{mark}*?[a]",
        f"{mark}'\"`$(x);|&<>",
        f"~{mark}",
        f"-{mark}",
        f"{mark}é漢𝄞",
        mark.ljust(255, "x"),
        mark + "é" * ((255 - len(mark)) // 2),
    )


@case("A stream's messages stay in that stream", "ZEPS-STREAM-1")
def isolated(t: BrokerTrial) -> None:
    one, other = t.new_stream("one"), t.new_stream("other")
    t.step("A subscribes to everything on one stream, B on another; both have credit.")
    a, b = t.reader("A", stream=one), t.reader("B", stream=other)
    t.step("C publishes to A's stream, D to B's, in turn.")
    c, d = t.session("C", one), t.session("D", other)
    to_one, to_other = t.messages(4, ("one",)), t.messages(4, ("other",))
    for (key, body), (other_key, other_body) in zip(to_one, to_other, strict=True):
        c.publish(key, body)
        d.publish(other_key, other_body)
        c.barrier()
        d.barrier()
    t.step("Each reader receives its own stream's messages, numbered from 1 without gaps, and nothing else.")
    a.expect_items(t.items(to_one), "ZEPS-STREAM-1")
    b.expect_items(t.items(to_other), "ZEPS-STREAM-1")
    a.quiet("it is not attached to the other stream", "ZEPS-STREAM-1")
    b.quiet("it is not attached to the other stream", "ZEPS-STREAM-1")


@case("Each stream has its own sequences", "ZEPS-STREAM-3", "ZEPS-SEQUENCE-1")
def own_sequence(t: BrokerTrial) -> None:
    t.step(
        "One publisher attaches to five streams in turn, and publishes one message more to each than to "
        "the one before."
    )
    streams = [t.new_stream("part") for _ in range(5)]
    a = t.connect("A")
    expected = {}
    for count, stream in enumerate(streams, 1):
        a.attach(stream)
        messages = t.messages(count)
        a.store(messages)
        expected[stream] = t.items(messages)
    t.step("B reads each from the start: each begins at 1.")
    b = t.connect("B")
    for stream in streams:
        b.read("", ALL, stream)
        b.expect_items(expected[stream], "ZEPS-STREAM-3")
        b.quiet("the stream has no more", "ZEPS-STREAM-3")


@case("Any non-empty string is a valid stream name", "ZEPS-STREAM-2", "ZEPS-TEXT-1")
def names(t: BrokerTrial) -> None:
    t.step("A attaches to streams whose names look like paths, are long, or contain every kind of character.")
    a = t.connect("A")
    for name in unusual_names(t):
        a.read("", ALL, name, "ZEPS-STREAM-2")
        a.publish("name", name.encode())
        a.expect_items([Item(1, "name", name.encode())], "ZEPS-STREAM-2")


@case("Names that file systems reserve are ordinary stream names", "ZEPS-STREAM-2")
def reserved_names(t: BrokerTrial) -> None:
    t.step("A subscribes, to a key of its own, on streams named like file systems' folders and devices.")
    a = t.connect("A")
    key = t.stream
    for name in (".", "..", "/", "nul", "con", "~", " "):
        a.read(key, NEW, name, "ZEPS-STREAM-2")
        a.publish(key, name.encode())
        a.expect("DELIVER", "ZEPS-STREAM-2", key=key, body=name.encode())


@case("Names that look alike are different streams", "ZEPS-STREAM-1", "ZEPS-STREAM-2")
def names_differ(t: BrokerTrial) -> None:
    mark = t.stream
    alike = (
        mark,
        mark.upper(),
        mark + " ",
        mark + "/",
        mark + "é",
        mark + "e\u0301",
        mark.replace("/", "%2f"),
    )
    t.step(
        "A publishes to streams whose names differ in case, in a space, a slash, or the form of an accent."
    )
    a = t.connect("A")
    for name in alike:
        a.attach(name, "ZEPS-STREAM-2")
        a.store([("name", name.encode())])
    t.step("B reads each: it contains only its own message.")
    b = t.connect("B")
    for name in alike:
        b.read("", ALL, name, "ZEPS-STREAM-2")
        b.expect_items([Item(1, "name", name.encode())], "ZEPS-STREAM-2")
        b.quiet("the other names are other streams", "ZEPS-STREAM-1")
