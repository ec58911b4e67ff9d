"""Streams across several stops and crashes. These cases need a broker that the suite starts, and run alone."""

from __future__ import annotations

from zeps_conformance.broker.session import ALL, NEW, PLENTY, Item
from zeps_conformance.broker.trial import BrokerTrial
from zeps_conformance.cases.zeps1.refusals import refuse_beyond_end
from zeps_conformance.cases.zeps1.restart import controlled, crash, restart
from zeps_conformance.cases.zeps1.streams import unusual_names
from zeps_conformance.model.interpreter import render

SMALL = 2000  # bytes, of most messages of a long stream
LARGE = 1 << 20
LONG = 20  # MiB of a long stream


@controlled(
    "Several streams continue their own sequences over two restarts",
    "ZEPS-SEQUENCE-3",
    "ZEPS-STREAM-3",
    "ZEPS-SEQUENCE-2",
    limit=120.0,
)
def streams(t: BrokerTrial) -> None:
    names = [f"{t.stream}/{end}" for end in ("a", "b", "a ", "aa", "A")]
    items: dict[str, list[Item]] = {name: [] for name in names}
    for round_number, end in enumerate((restart, crash, None)):
        t.step("A publishes another number of messages to each of five streams with similar names, in turn.")
        a = t.connect(f"A{round_number}")
        for number, name in enumerate(names):
            a.attach(name)
            more = t.messages(1 + (number + 3 * round_number) % 5, (f"{round_number}{name[-2:]}",))
            a.store(more)
            items[name] += t.items(more, first=len(items[name]) + 1)
        t.step("B reads each from the start: nothing is missing.")
        b = t.connect(f"B{round_number}")
        for name in names:
            b.read("", ALL, name)
            b.expect_items(items[name], "ZEPS-SEQUENCE-3")
            b.barrier()
        if end is not None:
            t.step("The broker is stopped, or the second time killed, and started again.")
            end(t)
    t.step("C resumes each stream, in reverse order, at its last but one message, and receives the last.")
    c = t.connect("C")
    for name in reversed(names):
        c.read("", len(items[name]) - 1, name)
        c.expect_items(items[name][-1:], "ZEPS-STREAM-3")
        c.barrier()


@controlled(
    "Streams whose names contain every kind of character keep their messages over a stop and a crash",
    "ZEPS-STREAM-2",
    "ZEPS-SEQUENCE-3",
    "ZEPS-PUBLISH-4",
    limit=120.0,
)
def names(t: BrokerTrial) -> None:
    items: dict[str, list[Item]] = {name: [] for name in unusual_names(t)}
    for round_number, end in enumerate((restart, crash, None)):
        t.step(
            "A reads each stream from the start, and publishes one more message, with the name as its key."
        )
        a = t.connect(f"A{round_number}")
        for name, known in items.items():
            a.read("", ALL, name, "ZEPS-STREAM-2")
            a.expect_items(known, "ZEPS-SEQUENCE-3")
            known.append(Item(len(known) + 1, name, b"%d" % round_number))
            a.publish(name, b"%d" % round_number)
            a.expect_items(known[-1:], "ZEPS-SEQUENCE-3")
            a.barrier()
        if end is not None:
            t.step("The broker is stopped, or the second time killed, and started again.")
            end(t)


@controlled(
    "A long stream is read whole after a crash, and a subscription resumes in it",
    "ZEPS-SEQUENCE-3",
    "ZEPS-SUBSCRIBE-3",
    "ZEPS-PING-10",
    limit=120.0,
    retains=(LONG + 2) << 20,
)
def long_stream(t: BrokerTrial) -> None:
    size = t.volume(LONG, 1)
    noise = t.random_bytes(LARGE)
    messages = []
    for number in range(size):
        messages += [("small", b"%d.%d:" % (number, index) + noise[:SMALL]) for index in range(20)]
        messages.append(("large", b"%d:" % number + noise[: LARGE - 20 * SMALL - 5000]))
    t.step(
        f"A publishes {LONG} MiB in small and large messages; after PING-OK the broker is killed and started again."
    )
    a = t.session("A")
    for start in range(0, len(messages), 21):
        a.publish_many(messages[start : start + 21])
    a.barrier()
    items = t.items(messages)
    crash(t)
    t.step("B reads everything, C what follows the middle, D only the large messages.")
    middle = len(items) // 2
    b, c = t.reader("B"), t.reader("C", "", middle)
    b.expect_items(items, "ZEPS-PING-10")
    c.expect_items(items[middle:], "ZEPS-SUBSCRIBE-3")
    d = t.reader("D", "large")
    d.expect_items([item for item in items if item.key == "large"], "ZEPS-SEQUENCE-3")
    t.step("The next message has the next sequence.")
    d.publish("large", b"next")
    for session in (b, c, d):
        session.expect_items([Item(len(items) + 1, "large", b"next")], "ZEPS-SEQUENCE-2")


@controlled(
    "A latest means the same before and after a restart",
    "ZEPS-SUBSCRIBE-3",
    "ZEPS-SUBSCRIBE-4",
    "ZEPS-SUBSCRIBE-5",
    limit=120.0,
)
def latest(t: BrokerTrial) -> None:
    messages = t.messages(300, ("a", "b", "c"))
    items = t.fill(messages)
    t.step("A reads 257 of 300 messages; the broker is stopped and started again.")
    a = t.reader("A", credit=sum(t.cost(*message) for message in messages[:257]))
    a.expect_items(items[:257])
    restart(t)
    t.step("B resumes at 257, C subscribes at the end and to new messages only: C receives nothing.")
    b = t.reader("B", "", 257)
    b.expect_items(items[257:], "ZEPS-SUBSCRIBE-3")
    c = t.session("C")
    for pattern, start in (("a", NEW), ("b", len(items))):
        c.subscribe(pattern, start)
    c.grant(PLENTY)
    c.quiet("no message is new", "ZEPS-SUBSCRIBE-4")
    t.step("A latest beyond the end is refused, with the sequence after the end.")
    refuse_beyond_end(c, len(items) + 1, len(items))
    t.step(
        "New messages arrive at C; D, which subscribes with a filter from the start, receives old and new ones."
    )
    more = t.messages(3, ("a", "b", "c"))
    t.session("E").store(more)
    items += t.items(more, first=len(items) + 1)
    b.expect_items(items[300:], "ZEPS-SUBSCRIBE-3")
    c.expect_items(items[300:302], "ZEPS-SUBSCRIBE-4")
    t.reader("D", "b").expect_items(items[1::3], "ZEPS-SUBSCRIBE-2")


@controlled(
    "After a crash, confirmed messages are stored once, and unconfirmed ones once or not at all",
    "ZEPS-PING-10",
    "ZEPS-PUBLISH-8",
    "ZEPS-PUBLISH-3",
    limit=120.0,
)
def unconfirmed(t: BrokerTrial) -> None:
    published = {name: t.messages(120, (name,)) for name in "ABC"}
    t.step(
        "Three publishers publish 60 messages each, and wait for PING-OK; then 60 more each, without waiting."
    )
    sessions = {name: t.session(name) for name in published}
    for name, session in sessions.items():
        session.store(published[name][:60])
    for name, session in sessions.items():
        session.publish_many(published[name][60:])
    t.step("The broker is killed at once, and started again.")
    crash(t)
    t.step(
        "The stream has the confirmed messages of each, and then the first of the others, in order, without gaps."
    )
    _check_stored(t, published)


def _check_stored(t: BrokerTrial, published: dict[str, list[tuple[str, bytes]]]) -> None:
    """Reads the stream up to a marker, and checks it against what each publisher sent, of which 60 are confirmed."""
    end = t.session("marker")
    end.store([("marker", b"")])
    reader = t.reader("D")
    counts = dict.fromkeys(published, 0)
    sequence = 0
    while (message := reader.expect("DELIVER", "ZEPS-PING-10"))["key"] != "marker":
        sequence += 1
        name = str(message["key"])
        right = name in counts and counts[name] < len(published[name])
        right = right and tuple(message.values.values()) == (sequence, *published[name][counts[name]])
        if not right:
            expected = f"sequence {sequence} with the next message of its publisher"
            t.check(False, expected, render(message), "ZEPS-PUBLISH-3")
        counts[name] += 1
    for name, count in counts.items():
        t.check(count >= 60, f"the 60 confirmed messages of {name}", f"{count} of {name}", "ZEPS-PING-10")
