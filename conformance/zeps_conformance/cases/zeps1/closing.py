"""Closing: DETACH and DETACH-OK, and connections that end without them."""

from __future__ import annotations

from zeps_conformance.broker.session import ALL, NEW, PLENTY, Item
from zeps_conformance.broker.trial import BrokerTrial
from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zeps1.refusals import CLIENT_COMMANDS, NEGATIVE, sample


@case("DETACH gets DETACH-OK", "ZEPS-DETACH-1")
def answered(t: BrokerTrial) -> None:
    a = t.session("A")
    t.step("A sends DETACH and receives DETACH-OK.")
    a.detach()
    t.step("On the same connection A attaches again, to another stream, and detaches.")
    a.attach(t.new_stream("second"))
    a.barrier()
    a.detach()


@case("Nothing is delivered after DETACH-OK", "ZEPS-DETACH-6")
def ends_delivery(t: BrokerTrial) -> None:
    t.step("A subscribes to a stream with plenty of credit, and detaches; B publishes.")
    a, b = t.reader("A"), t.session("B")
    b.publish("before", b"1")
    a.expect_items([Item(1, "before", b"1")])
    a.detach()
    b.store(t.messages(5))
    t.step("A receives nothing: the next frame is the INVALID for its PING, twice.")
    a.expect_no_session("ZEPS-DETACH-6")
    a.expect_no_session("ZEPS-DETACH-6")
    t.step("A attaches again: neither subscription nor credit remains.")
    a.attach()
    a.quiet("the subscription ended with the session", "ZEPS-DETACH-2")
    a.subscribe("", ALL)
    a.quiet("the credit ended with the session", "ZEPS-DETACH-2")
    a.grant(PLENTY)
    a.expect("DELIVER", None, sequence=1, key="before", body=b"1")
    for sequence in range(2, 7):
        a.expect("DELIVER", None, sequence=sequence)


@case("DETACH in the middle of a replay ends it", "ZEPS-DETACH-1", "ZEPS-DETACH-6", retains=1 << 16)
def in_full_flow(t: BrokerTrial) -> None:
    t.fill(t.messages(400, size=100))
    t.step("In one write, A subscribes to 400 messages, grants credit, and detaches.")
    encode = t.codec.encode
    a = t.session("A")
    a.send_together(
        [encode("SUBSCRIBE", pattern="", latest=ALL), encode("CREDIT", credit=PLENTY), encode("DETACH")]
    )
    a.expect("SUBSCRIBE-OK", "ZEPS-SUBSCRIBE-1")
    t.step("Some messages may arrive; then DETACH-OK arrives, and after it nothing.")
    message = a.expect_any("DELIVER", "DETACH-OK")
    while message.name == "DELIVER":
        message = a.expect_any("DELIVER", "DETACH-OK")
    a.expect_no_session("ZEPS-DETACH-6")
    a.expect_no_session("ZEPS-DETACH-6")


@case("Messages published before DETACH are stored", "ZEPS-PING-3", "ZEPS-DETACH-1", "ZEPS-SEQUENCE-2")
def published_before(t: BrokerTrial) -> None:
    t.step("A publishes 30 messages and detaches, in one write; it receives DETACH-OK.")
    a = t.session("A")
    messages = t.messages(30)
    frames = [t.codec.encode("PUBLISH", key=key, body=body) for key, body in messages]
    a.send_together([*frames, t.codec.encode("DETACH")])
    a.expect("DETACH-OK", "ZEPS-DETACH-1")
    t.step("B reads all 30.")
    t.reader("B").expect_items(t.items(messages), "ZEPS-PING-3")


@case(
    "After DETACH-OK every command except ATTACH gets INVALID",
    "ZEPS-SESSION-1",
    "ZEPS-DETACH-2",
    polarity=NEGATIVE,
)
def commands_after(t: BrokerTrial) -> None:
    a = t.connect("A")
    for name in CLIENT_COMMANDS[1:]:
        t.step(f"A attaches, detaches, and then sends {name}: INVALID.")
        a.attach()
        a.detach()
        a.send_frame(sample(t, name))
        a.expect_invalid("ZEPS-SESSION-1", f"{name} after DETACH-OK", "no-session")
    t.step("Nothing was stored: the stream is empty.")
    t.reader("B").quiet("PUBLISH after DETACH-OK is not stored", "ZEPS-DETACH-2")


@case(
    "DETACH-OK in an open session is refused, and changes nothing",
    "ZEPS-DETACH-OK-1",
    "ZEPS-INVALID-5",
    polarity=NEGATIVE,
)
def detach_ok_unasked(t: BrokerTrial) -> None:
    messages = t.messages(2)
    t.step("A subscribes to a stream with credit for one message, and sends an unsolicited DETACH-OK.")
    a, b = t.reader("A", "", NEW, credit=t.cost(*messages[0])), t.session("B")
    a.send("DETACH-OK")
    a.expect_invalid("ZEPS-DETACH-OK-1", "DETACH-OK without DETACH", "unexpected")
    t.step("B publishes two messages: A, whose session remains open, receives one.")
    b.store(messages)
    a.expect_items(t.items(messages)[:1], "ZEPS-DETACH-OK-1")
    a.quiet("the credit is used up", "ZEPS-DETACH-OK-1")


@case(
    "A client that disconnects without DETACH does not affect other sessions",
    "ZEPS-SESSION-3",
    "ZEPS-SEQUENCE-2",
)
def without_detach(t: BrokerTrial) -> None:
    t.step(
        "A subscribes to the stream; ten clients publish, wait until that is stored, and close or reset "
        "their connections."
    )
    a = t.reader("A", "", NEW)
    for index in range(10):
        b = t.reader(f"B{index}", "", ALL)
        b.publish("k", b"%d" % index)
        b.barrier_amid_deliveries()
        if index % 2:
            b.vanish()
        else:
            b.leave()
    t.step("A receives all ten messages, and its own message.")
    a.publish("own", b"")
    a.expect_items([*(Item(index + 1, "k", b"%d" % index) for index in range(10)), Item(11, "own", b"")])


@case("A hundred sessions that attach and disappear do not affect another session", "ZEPS-SESSION-3")
def many_come_and_go(t: BrokerTrial) -> None:
    t.step(
        "A subscribes to the stream while 100 connections attach, every third one subscribes, and all are "
        "reset."
    )
    a = t.reader("A", "", NEW)
    for index in range(100):
        name = f"P{index % 10}"
        passing = t.session(name) if index % 3 else t.reader(name)
        passing.vanish()
    t.step("A publishes and receives.")
    a.publish("k", b"v")
    a.expect_items([Item(1, "k", b"v")], "ZEPS-SESSION-3")
