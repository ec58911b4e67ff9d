"""Gears: real-time routing and historical replay, and the changes between them, which no client can observe."""

from __future__ import annotations

from zeps_conformance.broker.session import ALL, NEW, PLENTY, Session
from zeps_conformance.broker.trial import BrokerTrial
from zeps_conformance.cases.registration import case
from zeps_conformance.model.interpreter import render

GEARS = ("ZEPS-GEAR-1", "ZEPS-GEAR-2", "ZEPS-GEAR-3")


@case("Credit that runs out and is granted again loses, repeats and reorders nothing", *GEARS)
def starve_and_refill(t: BrokerTrial) -> None:
    t.step(
        "B publishes in bursts; A, which subscribes to new messages, is granted credit now and then, at "
        "random from the seed."
    )
    a, b = t.session("A"), t.session("B")
    a.subscribe("", NEW)
    messages: list[tuple[str, bytes]] = []
    for _ in range(40):
        burst = t.messages(t.rng.randrange(6), size=t.rng.randrange(1, 90))
        messages += burst
        if burst:
            b.publish_many(burst)
        if t.rng.random() < 0.5:
            a.grant(t.rng.choice((1, 30, 120, 400)))
        if t.rng.random() < 0.2:
            b.barrier()
    b.barrier()
    t.step("A is granted plenty: it receives every message, once, in order.")
    a.grant(PLENTY)
    a.expect_items(t.items(messages), "ZEPS-GEAR-1")
    a.quiet("it has received everything", "ZEPS-GEAR-2")


@case("A reader with credit for one message at a time misses none", *GEARS)
def one_at_a_time(t: BrokerTrial) -> None:
    t.step("B publishes two messages for each message that A, which always has credit for one, receives.")
    a, b = t.session("A"), t.session("B")
    a.subscribe("", NEW)
    messages = t.messages(40)
    items = t.items(messages)
    for index in range(20):
        b.publish_many(messages[2 * index : 2 * index + 2])
        a.grant(t.cost(*messages[index]))
        a.expect_items(items[index : index + 1], "ZEPS-GEAR-1")
    t.step("A is granted plenty: the remaining and the new messages arrive.")
    a.grant(PLENTY)
    a.expect_items(items[20:], "ZEPS-GEAR-1")
    b.publish("new", b"n")
    a.expect("DELIVER", "ZEPS-GEAR-1", sequence=41, key="new", body=b"n")


@case("A subscription from the start while messages arrive misses and repeats none", *GEARS)
def join_in_the_flow(t: BrokerTrial) -> None:
    t.step("B publishes in bursts without waiting; between the bursts, six readers subscribe from the start.")
    b = t.session("B")
    messages: list[tuple[str, bytes]] = []
    readers: list[Session] = []
    for index in range(6):
        burst = t.messages(30, (f"burst{index}",))
        messages += burst
        b.publish_many(burst)
        readers.append(t.reader(f"A{index}", "", ALL))
    b.publish_many(burst := t.messages(30, ("last",)))
    messages += burst
    t.step("Each receives every message, once, in order.")
    for reader in readers:
        reader.expect_items(t.items(messages), "ZEPS-GEAR-1")


@case("A reader that resumes at its last sequence misses and repeats none", *GEARS)
def resume(t: BrokerTrial) -> None:
    t.step(
        "A reads a part of B's messages, disconnects without DETACH, and resumes at its last sequence; "
        "eight times."
    )
    b = t.session("B")
    messages: list[tuple[str, bytes]] = []
    last = 0
    for index in range(8):
        burst = t.messages(7, (f"burst{index}",))
        messages += burst
        b.store(burst)
        a = t.session(f"A{index}")
        a.subscribe("", last)
        count = t.rng.randrange(1, 7)
        expected = t.items(messages)[last : last + count]
        a.grant(sum(t.cost(item.key, item.body) for item in expected))
        a.expect_items(expected, "ZEPS-GEAR-1")
        last += len(expected)
        a.vanish()
    t.step("A reconnects once more and reads the remaining messages.")
    t.reader("A", "", last).expect_items(t.items(messages)[last:], "ZEPS-GEAR-1")


@case("Gears change under a filter without loss", *GEARS)
def filtered(t: BrokerTrial) -> None:
    t.step(
        "A subscribes to a. from the start, with little credit, among three kinds of keys that B publishes."
    )
    messages = t.messages(90, ("a.x", "b.x", "c.x"))
    items = t.fill(messages[:30])
    a, b = t.session("A"), t.session("B")
    a.subscribe("a.", ALL)
    for start in range(30, 90, 12):
        a.grant(2 * t.cost(*messages[0]))
        b.publish_many(messages[start : start + 12])
    b.barrier()
    a.grant(PLENTY)
    t.step("A receives every message of a. once, in order, and then the new ones.")
    items += t.items(messages[30:], first=31)
    a.expect_items(items[0::3], "ZEPS-GEAR-1")
    b.publish("a.new", b"n")
    a.expect("DELIVER", "ZEPS-GEAR-1", sequence=91, key="a.new", body=b"n")
    a.quiet("it has received everything", "ZEPS-GEAR-2")


@case("A reader that stops reading for a while misses none", *GEARS, retains=8 << 20)
def unread_pipe(t: BrokerTrial) -> None:
    t.step(
        "A subscribes with plenty of credit, but does not read its connection, while B publishes 1,200 "
        "messages of 5 kB."
    )
    t.allow(30)
    a, b = t.reader("A", "", NEW), t.session("B")
    body = t.random_bytes(5000)
    messages = [("k", b"%d:" % index + body) for index in range(1200)]
    for start in range(0, len(messages), 100):
        b.publish_many(messages[start : start + 100])
        t.keep_alive()
    b.barrier()
    t.step("C, which reads, is served meanwhile.")
    c = t.reader("C", "", 1190)
    c.expect_items(t.items(messages)[1190:], "ZEPS-SESSION-3")
    c.detach()
    t.step("A reads: every message arrives, once, in order; and then the new ones.")
    a.expect_items(t.items(messages), "ZEPS-GEAR-1")
    b.publish("new", b"n")
    a.expect("DELIVER", "ZEPS-GEAR-1", sequence=1201, key="new", body=b"n")


@case("Readers in different gears of one stream receive the same", *GEARS, "ZEPS-SESSION-3")
def readers_apart(t: BrokerTrial) -> None:
    t.step(
        "A is live, B has no credit, C receives little credit at a time, D subscribes in the middle; E "
        "publishes."
    )
    messages = t.messages(60, ("k", "l"), size=60)
    items = t.items(messages)
    a, b, c, e = t.reader("A", "", NEW), t.session("B"), t.session("C"), t.session("E")
    b.subscribe("", NEW)
    c.subscribe("", NEW)
    d = None
    for start in range(0, 60, 5):
        e.publish_many(messages[start : start + 5])
        c.grant(150)
        if start == 30:
            d = t.reader("D", "l", ALL)
    e.barrier()
    t.step("A has received everything before the others are granted more.")
    a.expect_items(items, "ZEPS-GEAR-1")
    t.step("The others are granted plenty, and catch up.")
    b.grant(PLENTY)
    c.grant(PLENTY)
    b.expect_items(items, "ZEPS-GEAR-1")
    c.expect_items(items, "ZEPS-GEAR-1")
    assert d is not None
    d.expect_items(items[1::2], "ZEPS-GEAR-1")


@case("A long replay delays neither another replay nor new messages", "ZEPS-FAIR-1", retains=24 << 20)
def fair(t: BrokerTrial) -> None:
    t.allow(30)
    t.step("A stream contains 1,200 messages of 16 kB.")
    publisher = t.session("publisher")
    messages = [("long", b"%d:" % index + t.random_bytes(16) * 1024) for index in range(1200)]
    for start in range(0, len(messages), 100):
        publisher.store(messages[start : start + 100])
    count = len(messages)
    t.step(
        "A and B subscribe to all of it, C to the last twenty. L subscribes to another stream, to which P "
        "publishes."
    )
    live = t.new_stream("live")
    a, b, c = (t.session(name) for name in "ABC")
    reader, p = t.reader("L", "", NEW, live), t.session("P", live)
    encode = t.codec.encode
    for session, latest in ((a, ALL), (b, ALL), (c, count - 20)):
        session.send_together(
            [encode("SUBSCRIBE", pattern="", latest=latest), encode("CREDIT", credit=PLENTY)]
        )
    p.publish_many(t.messages(20))
    t.step(
        "A and B read without a pause. When C has received its twenty, and L those of P, A and B have not "
        "finished."
    )
    expected = {c: ["SUBSCRIBE-OK"] + ["DELIVER"] * 20, reader: ["DELIVER"] * 20}
    had = {a: 0, b: 0}
    while any(expected.values()) and max(had.values()) < count:
        for session in had:
            for _ in range(min(25, count - had[session])):
                had[session] += session.expect_any("SUBSCRIBE-OK", "DELIVER").name == "DELIVER"
        for session, names in expected.items():
            while names and (message := session.next(0.01)) is not None:
                t.check(
                    message.name == names.pop(0), "the requested messages", render(message), "ZEPS-FAIR-1"
                )
    waiting = [session.name for session, names in expected.items() if names]
    t.check(
        not waiting,
        f"C and L are served before a replay of {count:,} messages is over",
        f"{' and '.join(waiting) or 'neither'} waits; A has received {had[a]}, B {had[b]}",
        "ZEPS-FAIR-1",
    )
    a.leave()
    b.leave()
