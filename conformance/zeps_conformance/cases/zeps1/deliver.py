"""Delivery: ascending, and equal for every session."""

from __future__ import annotations

from zeps_conformance.broker.session import ALL, NEW, PLENTY
from zeps_conformance.broker.trial import BrokerTrial
from zeps_conformance.cases.registration import case


@case("A subscription's messages arrive in ascending sequence", "ZEPS-DELIVER-1")
def ascending(t: BrokerTrial) -> None:
    messages = t.messages(40, ("a", "b"))
    items = t.fill(messages[:20])
    t.step("A subscribes to a from the start while B publishes.")
    b = t.session("B")
    a = t.session("A")
    a.subscribe("a", ALL)
    b.publish_many(messages[20:30])
    a.grant(PLENTY)
    b.store(messages[30:])
    t.step("A receives all messages of a, stored and new, in ascending sequence.")
    items += t.items(messages[20:], first=21)
    a.expect_items(items[0::2], "ZEPS-DELIVER-1")


@case("Every session receives the same messages, live or replayed", "ZEPS-DELIVER-2")
def same_for_all(t: BrokerTrial) -> None:
    t.step(
        "A is live; B is live with credit for half; C subscribes afterwards and replays; D replays the "
        "second half."
    )
    messages = t.messages(20, ("k1", "k2"), size=200)
    a = t.reader("A", "", NEW)
    b = t.reader("B", "", NEW, credit=sum(t.cost(*message) for message in messages[:10]))
    items = t.fill(messages)
    c = t.reader("C", "", ALL)
    d = t.reader("D", "", 10)
    b.grant(PLENTY)
    t.step("Every sequence has the same key and body in each session.")
    for session in (a, b, c):
        session.expect_items(items, "ZEPS-DELIVER-2")
    d.expect_items(items[10:], "ZEPS-DELIVER-2")


@case("Twelve readers of one stream each receive everything once", "ZEPS-DELIVER-2", "ZEPS-GEAR-2")
def many_readers(t: BrokerTrial) -> None:
    t.step("Twelve sessions subscribe to one stream: six to everything, three to a, three to b.")
    patterns = ("", "a", "b", "")
    readers = [(patterns[index % 4], t.reader(f"A{index}", patterns[index % 4], NEW)) for index in range(12)]
    items = t.fill(t.messages(30, ("a", "b", "c")))
    t.step("Each receives its messages once, in order.")
    for pattern, reader in readers:
        reader.expect_items([item for item in items if item.key.startswith(pattern)], "ZEPS-DELIVER-2")
