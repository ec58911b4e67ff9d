"""Sequences: they start at 1, have no gaps, and identify one message each."""

from __future__ import annotations

from zeps_conformance.broker.session import ALL, NEW
from zeps_conformance.broker.trial import BrokerTrial
from zeps_conformance.cases.registration import case


@case("The first message of a stream has sequence 1", "ZEPS-SEQUENCE-1")
def from_one(t: BrokerTrial) -> None:
    t.step("A subscribes to a new stream; B publishes its first two messages.")
    a = t.reader("A")
    items = t.fill(t.messages(2))
    t.step("A receives them as sequences 1 and 2; so does C, which reads them later.")
    a.expect_items(items, "ZEPS-SEQUENCE-1")
    t.reader("C").expect_items(items, "ZEPS-SEQUENCE-1")


@case("Sequences have no gaps, whatever the publisher is", "ZEPS-SEQUENCE-2")
def no_gaps(t: BrokerTrial) -> None:
    t.step("A subscribes to the stream; B, C and D publish 20 messages each, in separate bursts.")
    a = t.reader("A")
    publishers = [t.session(name) for name in "BCD"]
    for burst in range(4):
        for publisher in publishers:
            publisher.publish_many(t.messages(5, (publisher.name,)))
        if burst % 2:
            publishers[burst % 3].barrier()
    for publisher in publishers:
        publisher.barrier()
    t.step("A receives 60 messages; their sequences are 1 to 60.")
    for sequence in range(1, 61):
        a.expect("DELIVER", "ZEPS-SEQUENCE-2", sequence=sequence)
    a.quiet("60 messages were published", "ZEPS-SEQUENCE-2")


@case("Messages that no session receives are numbered too", "ZEPS-SEQUENCE-2", "ZEPS-SUBSCRIBE-3")
def unsubscribed_counts(t: BrokerTrial) -> None:
    t.step("A subscribes to b. only, while messages of a. and b. are published in turn.")
    a = t.reader("A", "b.")
    items = t.fill(t.messages(6, ("a.", "b.")))
    t.step("A receives sequences 2, 4 and 6.")
    a.expect_items(items[1::2], "ZEPS-SEQUENCE-2")


@case("A sequence identifies the same message in every session", "ZEPS-SEQUENCE-3", "ZEPS-DELIVER-2")
def same_across_sessions(t: BrokerTrial) -> None:
    t.step("B publishes five messages and detaches; A reads them and detaches.")
    items = t.fill(t.messages(5))
    a = t.reader("A")
    a.expect_items(items)
    a.detach()
    t.step("No session is attached to the stream now; C attaches and publishes two more: they are 6 and 7.")
    c = t.session("C")
    more = t.messages(2)
    c.store(more)
    t.step("A attaches again, D for the first time: both read 1 to 7, the same as before.")
    items += t.items(more, first=6)
    a.read("", ALL)
    a.expect_items(items, "ZEPS-SEQUENCE-3")
    t.reader("D").expect_items(items, "ZEPS-SEQUENCE-3")


@case("The disconnection of a publisher does not remove a sequence", "ZEPS-SEQUENCE-2", "ZEPS-SEQUENCE-3")
def no_reuse_after_vanishing(t: BrokerTrial) -> None:
    t.step(
        "A subscribes to the stream; B publishes three messages, waits until they are stored, and its "
        "connection is reset."
    )
    a = t.reader("A", latest=NEW)
    b = t.session("B")
    messages = t.messages(3)
    b.store(messages)
    b.vanish()
    a.expect_items(t.items(messages))
    t.step("C publishes: its message is the fourth, live and replayed.")
    c = t.session("C")
    c.publish("fourth", b"4")
    messages.append(("fourth", b"4"))
    a.expect_items(t.items(messages)[3:], "ZEPS-SEQUENCE-3")
    t.reader("D").expect_items(t.items(messages), "ZEPS-SEQUENCE-3")
