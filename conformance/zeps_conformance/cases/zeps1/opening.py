"""Opening a session: ATTACH and ATTACH-OK."""

from __future__ import annotations

from zeps_conformance.broker.session import ALL, NEW, PLENTY
from zeps_conformance.broker.trial import BrokerTrial
from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zeps1.refusals import NEGATIVE, OWN_CAUSES


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
    for name in ("", "ZEP", "ZEPSS", "zeps", "ZEPs", "ZEPT", "AEPS", "ZEPS ", "SPEZ", "MALAMUTE"):
        frame = t.codec.encode("ATTACH", protocol=name, stream=t.stream)
        a.refused(frame, "ZEPS-ATTACH-2", f"protocol {name!a}", "unsupported-protocol")
        a.expect_no_session("ZEPS-ATTACH-2")


@case("An unsupported version is refused", "ZEPS-ATTACH-3", polarity=NEGATIVE)
def other_version(t: BrokerTrial) -> None:
    a = t.connect("A")
    t.step(
        "A sends ATTACH with versions 0, 255, 256 (1 in the wrong byte order), 257, 32769 and 65281 (of which "
        "the low byte is 1) and 65535; each gets INVALID with its code."
    )
    for version in (0, 255, 256, 257, 32769, 65281, 65535):
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


@case(
    "A refused ATTACH ends the session with its subscriptions and its credit",
    "ZEPS-INVALID-2",
    "ZEPS-ATTACH-5",
    polarity=NEGATIVE,
)
def bad_attach_forgets(t: BrokerTrial) -> None:
    encode = t.codec.encode
    a, b = t.connect("A"), t.session("B")
    for number, (what, frame) in enumerate(
        (
            ("another protocol", encode("ATTACH", protocol="ZEPT", stream=t.stream)),
            ("version 0", encode("ATTACH", version=0, stream=t.stream)),
            ("no stream", encode("ATTACH", stream="")),
        )
    ):
        t.step(f"A subscribes with plenty of credit, and attaches with {what}: INVALID.")
        a.read("", NEW)
        a.send_frame(frame)
        a.expect_invalid(None, f"ATTACH with {what}")
        t.step(
            "A attaches to another stream and grants credit; B publishes to the first: A receives nothing."
        )
        a.attach(t.new_stream("other"))
        a.grant(PLENTY)
        b.store([("first", b"%d" % number)])
        a.quiet("its subscription ended with the old session", "ZEPS-INVALID-2")
        a.attach(t.stream)


@case(
    "An ATTACH that the broker refuses for a cause of its own opens no session, and ends the open one",
    "ZEPS-ATTACH-6",
    "ZEPS-INVALID-2",
    "ZEPS-SESSION-1",
    polarity=NEGATIVE,
)
def closed_stream(t: BrokerTrial) -> None:
    closed = t.closed_stream()
    frame = t.codec.encode("ATTACH", stream=closed)
    a, b, c = t.connect("A"), t.reader("B", "", NEW), t.session("C")
    t.step("A, without a session, attaches to a stream that the broker refuses to open: INVALID, no session.")
    for _ in range(2):
        reason = a.refused(frame, "ZEPS-ATTACH-6", "a stream that the broker refuses")
        _check_cause(t, reason.code)
        a.expect_no_session("ZEPS-INVALID-2")
    t.step("B, with a subscription and plenty of credit, attaches to it: INVALID, and its session has ended.")
    b.send_frame(frame)
    _check_cause(t, b.expect_invalid("ZEPS-ATTACH-6", "a stream that the broker refuses").code)
    b.expect_no_session("ZEPS-INVALID-2")
    t.step(
        "C publishes to the stream of before. A and B attach to it, and have no subscription and no credit."
    )
    c.store([("k", b"v")])
    for session in (a, b):
        session.attach(t.stream)
        session.quiet("a refused ATTACH ends the subscriptions", "ZEPS-INVALID-2")
        session.subscribe("", ALL)
        session.quiet("a refused ATTACH ends the credit", "ZEPS-INVALID-2")
        session.grant(PLENTY)
        session.expect("DELIVER", "ZEPS-ATTACH-1", sequence=1, key="k", body=b"v")


def _check_cause(t: BrokerTrial, code: str) -> None:
    expected = f"INVALID {' or '.join(OWN_CAUSES)}"
    t.check(code in OWN_CAUSES, expected, f"INVALID {code}", "ZEPS-ATTACH-6")


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
    b, c = t.reader("B", stream=first), t.session("C", second)
    a.read("", ALL, second)
    t.step("B, which stays attached to the first stream, publishes to it, and C to the second.")
    messages = t.messages(2, ("first",)), t.messages(2, ("second",))
    of_first, of_second = (t.items(some) for some in messages)
    b.publish_many(messages[0])
    b.expect_items(of_first, "ZEPS-PUBLISH-2")
    c.store(messages[1])
    t.step("A receives the messages of the second stream only.")
    a.expect_items(of_second, "ZEPS-ATTACH-4")
    a.quiet("it left the first stream", "ZEPS-ATTACH-4")
    t.step("A attaches to the first stream again: its messages are still stored.")
    a.read("", ALL, first)
    a.expect_items(of_first, "ZEPS-STREAM-1")
