"""Opening a session: ATTACH and ATTACH-OK."""

from __future__ import annotations

from zeps_conformance.broker.session import ALL, PLENTY
from zeps_conformance.broker.trial import BrokerTrial
from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zeps1.refusals import NEGATIVE


@case("ATTACH is granted", "ZEPS-ATTACH-1", "ZEPS-FRAME-3", "ZEPS-FRAME-7")
def grants(t: BrokerTrial) -> None:
    t.step("A connects; ATTACH is its first command, and ATTACH-OK is the broker's first answer.")
    a = t.connect("A")
    a.attach()
    t.step("The session is open: PING gets PING-OK.")
    a.barrier()


@case("Another protocol name is refused", "ZEPS-ATTACH-2", polarity=NEGATIVE)
def other_protocol(t: BrokerTrial) -> None:
    a = t.connect("A")
    t.step(
        "A sends ATTACH with protocol names that are similar but not equal to ZEPS; each gets INVALID with "
        "its code."
    )
    for name in ("", "ZEP", "ZEPSS", "zeps", "ZEPS ", "SPEZ", "MALAMUTE"):
        frame = t.codec.encode("ATTACH", protocol=name, stream=t.stream)
        a.refused(frame, "ZEPS-ATTACH-2", f"protocol {name!a}", "unsupported-protocol")
        a.expect_no_session("ZEPS-ATTACH-2")


@case("An unsupported version is refused", "ZEPS-ATTACH-3", polarity=NEGATIVE)
def other_version(t: BrokerTrial) -> None:
    a = t.connect("A")
    t.step(
        "A sends ATTACH with versions 0, 255, 256 (1 in the wrong byte order) and 65535; each gets INVALID "
        "with its code."
    )
    for version in (0, 255, 256, 65535):
        frame = t.codec.encode("ATTACH", version=version, stream=t.stream)
        a.refused(frame, "ZEPS-ATTACH-3", f"version {version}", "unsupported-version")
        a.expect_no_session("ZEPS-ATTACH-3")


@case("An empty stream name is refused", "ZEPS-ATTACH-5", polarity=NEGATIVE)
def empty_stream(t: BrokerTrial) -> None:
    a = t.connect("A")
    t.step("A, without a session, attaches to the stream with the empty name.")
    a.refused(t.codec.encode("ATTACH", stream=""), "ZEPS-ATTACH-5", "the empty stream name", "stream-name")
    a.expect_no_session("ZEPS-ATTACH-5")


@case(
    "A refused ATTACH ends the open session",
    "ZEPS-ATTACH-2",
    "ZEPS-ATTACH-3",
    "ZEPS-ATTACH-5",
    "ZEPS-INVALID-2",
    polarity=NEGATIVE,
)
def bad_attach_ends_session(t: BrokerTrial) -> None:
    bad = (
        ("ZEPS-ATTACH-2", "unsupported-protocol", t.codec.encode("ATTACH", protocol="ZEPT", stream=t.stream)),
        ("ZEPS-ATTACH-3", "unsupported-version", t.codec.encode("ATTACH", version=0, stream=t.stream)),
        ("ZEPS-ATTACH-5", "stream-name", t.codec.encode("ATTACH", stream="")),
    )
    a = t.connect("A")
    t.step("In an open session, A attaches with another protocol, with another version, and to no stream.")
    for rule, code, frame in bad:
        a.attach()
        a.send_frame(frame)
        a.expect_invalid(rule, "ATTACH", code)
        t.step("The earlier session has ended: PING gets INVALID.")
        a.expect_no_session()


@case("Attaching again drops the subscriptions", "ZEPS-ATTACH-4", "ZEPS-SUBSCRIBE-10")
def again_forgets_subscriptions(t: BrokerTrial) -> None:
    t.step("A subscribes to everything, grants credit, and attaches again to the same stream.")
    a = t.reader("A")
    a.attach()
    t.step("A grants credit again, but does not subscribe; B publishes.")
    a.grant(PLENTY)
    items = t.fill(t.messages(3))
    a.quiet("its subscription ended with the old session", "ZEPS-ATTACH-4")
    t.step("A subscribes from the start: now everything arrives.")
    a.subscribe("", ALL)
    a.expect_items(items)


@case("Attaching again drops the credit", "ZEPS-ATTACH-4", "ZEPS-CREDIT-1")
def again_forgets_credit(t: BrokerTrial) -> None:
    t.step("A grants plenty of credit and attaches again to the same stream.")
    a = t.session("A")
    a.grant(PLENTY)
    a.attach()
    t.step("A subscribes, but grants no credit; B publishes.")
    a.subscribe("", ALL)
    messages = t.messages(2)
    items = t.fill(messages)
    a.quiet("its credit ended with the old session", "ZEPS-ATTACH-4")
    t.step(
        "A grants exactly the cost of the first message: the first message arrives, and the second does not."
    )
    a.grant(t.cost(*messages[0]))
    a.expect_items(items[:1])
    a.quiet("the credit is used up", "ZEPS-ATTACH-4")


@case("Attaching to another stream leaves the first", "ZEPS-ATTACH-4", "ZEPS-STREAM-1")
def again_other_stream(t: BrokerTrial) -> None:
    first, second = t.new_stream("first"), t.new_stream("second")
    t.step(
        "A subscribes to the first stream, then attaches to the second, subscribes and grants credit there."
    )
    a = t.reader("A", stream=first)
    a.read("", ALL, second)
    t.step("B publishes to the first stream, then to the second: A receives the messages of the second only.")
    of_first = t.fill(t.messages(2, ("first",)), first)
    of_second = t.fill(t.messages(2, ("second",)), second)
    a.expect_items(of_second, "ZEPS-ATTACH-4")
    a.quiet("it left the first stream", "ZEPS-ATTACH-4")
    t.step("A attaches to the first stream again: its messages are still stored.")
    a.read("", ALL, first)
    a.expect_items(of_first, "ZEPS-STREAM-1")
