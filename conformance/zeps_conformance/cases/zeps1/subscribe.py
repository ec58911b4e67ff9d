"""Subscriptions: where they start, what they match, and how several form one union."""

from __future__ import annotations

from zeps_conformance.broker.session import ALL, NEW, PLENTY, Item
from zeps_conformance.broker.trial import BrokerTrial
from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zeps1.combination import expect_set
from zeps_conformance.cases.zeps1.refusals import NEGATIVE, refuse_beyond_end
from zeps_conformance.model.interpreter import render

MANY = 4096
"""Number of subscriptions of one session after which the search for the broker's maximum ends."""


@case("SUBSCRIBE-OK arrives before the subscription's messages", "ZEPS-SUBSCRIBE-1")
def answered_first(t: BrokerTrial) -> None:
    items = t.fill(t.messages(10))
    t.step(
        "A grants credit first, so that messages could arrive at once, and then subscribes from the start."
    )
    a = t.session("A")
    a.grant(PLENTY)
    a.send("SUBSCRIBE", pattern="", latest=ALL)
    a.expect("SUBSCRIBE-OK", "ZEPS-SUBSCRIBE-1")
    a.expect_items(items)
    t.step("Two more subscriptions, sent together, get one answer each.")
    subscribe = t.codec.encode("SUBSCRIBE", pattern="more", latest=NEW)
    a.send_together([subscribe, subscribe])
    a.expect("SUBSCRIBE-OK", "ZEPS-SUBSCRIBE-1")
    a.expect("SUBSCRIBE-OK", "ZEPS-SUBSCRIBE-1")
    t.step("A subscription to a stream without messages is answered like any other.")
    t.session("B", t.new_stream("empty")).subscribe("", ALL)


@case("A latest of 0 delivers every retained message", "ZEPS-SUBSCRIBE-2")
def everything(t: BrokerTrial) -> None:
    items = t.fill(t.messages(30, ("a", "b", "c")))
    t.step("A subscribes with latest 0 and receives all 30 messages, in order.")
    t.reader("A", "", ALL).expect_items(items, "ZEPS-SUBSCRIBE-2")
    t.step("B does the same with a pattern, and receives all matching messages.")
    t.reader("B", "b", ALL).expect_items(items[1::3], "ZEPS-SUBSCRIBE-2")


@case("A latest of n delivers the messages after n", "ZEPS-SUBSCRIBE-3")
def after_n(t: BrokerTrial) -> None:
    items = t.fill(t.messages(6))
    a = t.connect("A")
    t.step("For each n from 1 to 6, A subscribes in a new session with latest n.")
    for latest in range(1, 7):
        a.read("", latest)
        a.expect_items(items[latest:], "ZEPS-SUBSCRIBE-3")
        a.quiet(f"it did not subscribe to messages up to sequence {latest}", "ZEPS-SUBSCRIBE-3")
    a.detach()
    t.step("B subscribes with latest 4 and stays: new messages follow the replayed ones.")
    b = t.reader("B", "", 4)
    c = t.session("C")
    c.publish("seventh", b"7")
    b.expect_items([*items[4:], Item(7, "seventh", b"7")], "ZEPS-SUBSCRIBE-3")


@case("A latest of 2^64-1 delivers only new messages", "ZEPS-SUBSCRIBE-4")
def only_new(t: BrokerTrial) -> None:
    t.fill(t.messages(5))
    t.step("A stream contains 5 messages; A subscribes with latest 2^64-1: nothing arrives.")
    a = t.reader("A", "", NEW)
    a.quiet("no message is new", "ZEPS-SUBSCRIBE-4")
    t.step("B publishes two messages: A receives these, as 6 and 7.")
    b = t.session("B")
    more = t.messages(2)
    b.publish_many(more)
    a.expect_items(t.items(more, first=6), "ZEPS-SUBSCRIBE-4")


@case("A latest beyond the stream's end is refused", "ZEPS-SUBSCRIBE-5", polarity=NEGATIVE)
def beyond_end(t: BrokerTrial) -> None:
    t.fill(t.messages(3))
    a = t.session("A")
    t.step("The stream ends at 3; A subscribes with latest 4, 100, 2^63 and 2^64-2: each is refused.")
    for latest in (4, 100, 1 << 63, NEW - 1):
        refuse_beyond_end(a, latest, 3)
    t.step("A has credit, and B publishes 4 to 6: A receives nothing, because it has no subscription.")
    a.grant(PLENTY)
    b = t.session("B")
    more = t.messages(3)
    b.store(more)
    a.quiet("every subscription was refused", "ZEPS-SUBSCRIBE-5")
    t.step("C subscribes with latest 6, which is the end: that is granted, and delivers the next message.")
    c = t.reader("C", "", 6)
    b.publish("seventh", b"7")
    c.expect_items([Item(7, "seventh", b"7")], "ZEPS-SUBSCRIBE-3")
    t.step("D subscribes with latest 9 to a stream without messages: that is refused, too.")
    d = t.session("D", t.new_stream("empty"))
    refuse_beyond_end(d, 9, 0)


@case(
    "A latest is compared with the stream's end at the time when SUBSCRIBE is processed",
    "ZEPS-SUBSCRIBE-5",
    "ZEPS-PING-3",
)
def end_just_moved(t: BrokerTrial) -> None:
    messages = t.messages(9)
    items = t.fill(messages[:5])
    t.step("The stream ends at 5. A publishes three messages and subscribes with latest 7, in one write.")
    a = t.session("A")
    a.grant(PLENTY)
    frames = [t.codec.encode("PUBLISH", key=key, body=body) for key, body in messages[5:8]]
    a.send_together([*frames, t.codec.encode("SUBSCRIBE", pattern="", latest=7)])
    t.step("That is granted, because the stream then ends at 8; A receives 8, and 9 after it is published.")
    a.expect("SUBSCRIBE-OK", "ZEPS-SUBSCRIBE-5")
    a.publish(*messages[8])
    items += t.items(messages[5:], first=6)
    a.expect_items(items[7:], "ZEPS-SUBSCRIBE-3")


@case(
    "A refused SUBSCRIBE does not change the session, its subscriptions and its credit",
    "ZEPS-SUBSCRIBE-13",
    "ZEPS-INVALID-5",
    polarity=NEGATIVE,
)
def refused_changes_nothing(t: BrokerTrial) -> None:
    messages = [("mine", t.random_bytes(20)), ("other", t.random_bytes(20))] * 3
    cost = t.cost(*messages[0])
    t.step("A subscribes to mine, with credit for two messages.")
    a = t.reader("A", "mine", NEW, credit=2 * cost)
    t.step("In one write A publishes, subscribes with a latest beyond the end, and publishes again.")
    frames = [t.codec.encode("PUBLISH", key=key, body=body) for key, body in messages]
    refused = t.codec.encode("SUBSCRIBE", pattern="", latest=NEW - 1)
    a.send_together([*frames[:2], refused, *frames[2:]])
    t.step("The refusal arrives; every message is stored, and two of mine arrive, for which A has credit.")
    seen: list[str] = []
    items = t.items(messages)[0::2]
    for _ in range(3):
        message = a.expect_any("DELIVER", "INVALID")
        if message.name == "DELIVER":
            due = items[seen.count("DELIVER")]
            right = tuple(message.values.values()) == tuple(due)
            t.check(right, f"DELIVER of sequence {due.sequence}", render(message), "ZEPS-SUBSCRIBE-13")
        seen.append(message.name)
    t.check(seen.count("INVALID") == 1, "one refusal and two messages", ", ".join(seen), "ZEPS-SUBSCRIBE-13")
    a.quiet("the credit is used up", "ZEPS-SUBSCRIBE-13")
    t.step("B, which reads the stream, receives all six.")
    t.reader("B").expect_items(t.items(messages), "ZEPS-SUBSCRIBE-13")
    t.step("A grants credit for one more: it arrives.")
    a.grant(cost)
    a.expect_items(items[2:], "ZEPS-SUBSCRIBE-13")
    a.quiet("the credit is used up", "ZEPS-SUBSCRIBE-13")


@case(
    "A subscription beyond the maximum of a session is refused",
    "ZEPS-SUBSCRIBE-14",
    "ZEPS-SUBSCRIBE-13",
    polarity=NEGATIVE,
)
def too_many(t: BrokerTrial) -> None:
    t.step(f"A subscribes to one pattern after the other, up to {MANY:,}, until one is refused.")
    a = t.session("A")
    granted = 0
    while granted < MANY:
        batch = range(granted, granted + 64)
        a.send_together(
            [t.codec.encode("SUBSCRIBE", pattern=f"key{number:05d}", latest=NEW) for number in batch]
        )
        answers = [a.expect_any("SUBSCRIBE-OK", "INVALID") for _ in batch]
        names = [answer.name for answer in answers]
        granted += names.count("SUBSCRIBE-OK")
        if "INVALID" in names:
            break
    else:
        a.leave()
        t.unsupported(f"{MANY:,} subscriptions of one session are granted: the limit is not known")
    t.check(granted > 0, "a subscription is granted", "no subscription is granted", "ZEPS-SUBSCRIBE-14")
    t.step("From there on each is refused with the code too-many-subscriptions.")
    first = names.index("INVALID")
    for name, answer in zip(names[first:], answers[first:], strict=True):
        right = name == "INVALID" and str(answer["reason"]).startswith("too-many-subscriptions ")
        t.check(right, "INVALID with the code too-many-subscriptions", render(answer), "ZEPS-SUBSCRIBE-14")
    t.step(
        "Messages of the first, a middle, the last and a refused pattern are published: those of the granted "
        "patterns arrive."
    )
    a.grant(PLENTY)
    keys = [f"key{number:05d}" for number in (0, granted // 2, granted, granted - 1)]
    items = t.fill([(key, b"") for key in keys])
    a.expect_items([items[0], items[1], items[3]], "ZEPS-SUBSCRIBE-13")
    a.quiet("the pattern was refused", "ZEPS-SUBSCRIBE-14")


@case(
    "A pattern that is invalid in the stream's syntax is refused",
    "ZEPS-SUBSCRIBE-11",
    "ZEPS-SUBSCRIBE-8",
    "ZEPS-SUBSCRIBE-13",
    polarity=NEGATIVE,
)
def bad_pattern(t: BrokerTrial) -> None:
    stream = t.regex_stream()
    t.step("On a stream of regular expressions, A subscribes to ^a.c$ with credit for three messages.")
    a = t.session("A", stream)
    a.subscribe("^a.c$", ALL)
    messages = [(key, b"x") for key in ("abc", "a.c", "ac", "abcd", "a(c")]
    a.grant(3 * t.cost(*messages[0]))
    t.step("It subscribes to invalid regular expressions: each is refused, as a bad pattern.")
    for pattern in ("(", "a(b", "a)", "[a", "*", "a**", "a{2,1}", "(é", "(" * 255, "(" + "é" * 127):
        a.send("SUBSCRIBE", pattern=pattern, latest=ALL)
        a.expect_invalid("ZEPS-SUBSCRIBE-11", f"pattern {pattern!a}", "bad-pattern")
    t.step("B publishes: A receives the messages that the first pattern matches, for which it has credit.")
    items = t.fill(messages, stream)
    a.expect_items([items[0], items[1], items[4]], "ZEPS-SUBSCRIBE-8")
    a.quiet("the credit is used up", "ZEPS-SUBSCRIBE-13")
    t.step("C subscribes to the same texts on a stream of prefixes, where any text is a pattern.")
    c = t.session("C")
    for pattern in ("(", "a(b", "[a", "*"):
        c.subscribe(pattern, ALL)


@case("A pattern is served again after many others", "ZEPS-SUBSCRIBE-4", "ZEPS-SUBSCRIBE-15")
def patterns_in_turn(t: BrokerTrial) -> None:
    count = 150
    t.step(f"A attaches {count} times in turn, and each time subscribes to another pattern.")
    a, b = t.connect("A"), t.session("B")
    for number in range(count):
        a.read(f"p{number}.", NEW)
        a.barrier()
    t.step("A subscribes to some of them again: it receives what B publishes.")
    for sequence, number in enumerate((0, 1, count // 2, count - 1), 1):
        a.read(f"p{number}.", NEW)
        a.barrier()
        b.publish(f"p{number}.key", b"body")
        a.expect("DELIVER", "ZEPS-SUBSCRIBE-4", sequence=sequence, key=f"p{number}.key", body=b"body")


@case("A message that several subscriptions match is sent once", "ZEPS-SUBSCRIBE-6")
def union_live(t: BrokerTrial) -> None:
    t.step("A subscribes to everything, to a, to ab and to ab again; B publishes a, ab, abc, b.")
    a = t.session("A")
    a.grant(PLENTY)
    for pattern in ("", "a", "ab", "ab"):
        a.subscribe(pattern, NEW)
    items = t.fill([("a", b"1"), ("ab", b"2"), ("abc", b"3"), ("b", b"4")])
    t.step("Each message arrives once.")
    a.expect_items(items, "ZEPS-SUBSCRIBE-6")
    a.quiet("each message is sent once", "ZEPS-SUBSCRIBE-6")


@case("A replayed message that several subscriptions match is sent once", "ZEPS-SUBSCRIBE-6")
def union_replayed(t: BrokerTrial) -> None:
    items = t.fill([("a", b"1"), ("ab", b"2"), ("b", b"3"), ("abc", b"4"), ("c", b"5")])
    t.step("A, still without credit, subscribes to a, ab and b from the start, and then grants credit.")
    a = t.session("A")
    for pattern in ("a", "ab", "b"):
        a.subscribe(pattern, ALL)
    a.grant(PLENTY)
    t.step("Each message that matches at least one of them arrives once.")
    seen = [a.expect("DELIVER", "ZEPS-SUBSCRIBE-6") for _ in range(4)]
    numbers = sorted(int(message["sequence"]) for message in seen)
    t.check(numbers == [1, 2, 3, 4], "sequences 1 to 4, once each", str(numbers), "ZEPS-SUBSCRIBE-6")
    a.quiet(f"no pattern matches sequence {items[4].sequence}", "ZEPS-SUBSCRIBE-6")


@case("A message that several subscriptions match costs its credit once", "ZEPS-SUBSCRIBE-6", "ZEPS-CREDIT-2")
def union_cost(t: BrokerTrial) -> None:
    messages = t.messages(4, ("abc",))
    items = t.fill(messages)
    t.step("A subscribes to a, ab and abc, and grants exactly the cost of four messages.")
    a = t.session("A")
    for pattern in ("a", "ab", "abc"):
        a.subscribe(pattern, ALL)
    a.grant(sum(t.cost(*message) for message in messages))
    t.step("All four arrive, once each.")
    a.expect_items(items, "ZEPS-SUBSCRIBE-6")


@case("A new pattern with an older latest delivers only the messages that it adds", "ZEPS-SUBSCRIBE-7")
def older_adds(t: BrokerTrial) -> None:
    items = t.fill(t.messages(9, ("a", "b", "c")))
    t.step(
        "A reads all of a, then subscribes to everything from the start: b and c arrive, and a does not "
        "again."
    )
    a = t.reader("A", "a", ALL)
    a.expect_items(items[0::3])
    a.subscribe("", ALL)
    a.expect_items([item for item in items if item.key != "a"], "ZEPS-SUBSCRIBE-7")
    a.quiet("it has received every message of a", "ZEPS-SUBSCRIBE-7")
    t.step("B publishes one more of each: A receives each once.")
    b = t.session("B")
    more = t.messages(3, ("a", "b", "c"))
    b.publish_many(more)
    a.expect_items(t.items(more, first=10), "ZEPS-SUBSCRIBE-7")


@case("The same pattern with an older latest delivers only the earlier messages", "ZEPS-SUBSCRIBE-7")
def older_same_pattern(t: BrokerTrial) -> None:
    items = t.fill(t.messages(4))
    t.step("A subscribes to new messages, and receives 5 and 6.")
    a = t.reader("A", "", NEW)
    b = t.session("B")
    more = t.messages(2)
    b.publish_many(more)
    items += t.items(more, first=5)
    a.expect_items(items[4:])
    t.step("A subscribes to the same after 2: 3 and 4 arrive, and no message that it has received.")
    a.subscribe("", 2)
    a.expect_items(items[2:4], "ZEPS-SUBSCRIBE-7")
    a.quiet("it has received 5 and 6", "ZEPS-SUBSCRIBE-7")
    t.step("A subscribes once more from the start: 1 and 2 arrive. Then again: nothing arrives.")
    a.subscribe("", ALL)
    a.expect_items(items[:2], "ZEPS-SUBSCRIBE-7")
    a.subscribe("", ALL)
    a.quiet("it has received everything", "ZEPS-SUBSCRIBE-7")


@case(
    "A further subscription begins behind its own latest while earlier messages wait for credit",
    "ZEPS-SUBSCRIBE-3",
    "ZEPS-SUBSCRIBE-4",
    "ZEPS-SUBSCRIBE-6",
)
def further_starts(t: BrokerTrial) -> None:
    messages = t.messages(30, ("a", "b", "c"))
    items = t.fill(messages[:24])
    t.step(
        "A and B subscribe to a from the start, without credit; then A to b after 15, B to new messages of c."
    )
    a, b = t.session("A"), t.session("B")
    further = ((a, "b", 15, 15, "ZEPS-SUBSCRIBE-3"), (b, "c", NEW, len(items), "ZEPS-SUBSCRIBE-4"))
    for session, pattern, latest, _, _ in further:
        session.subscribe("a", ALL)
        session.subscribe(pattern, latest)
    t.step(
        "C publishes more. With credit, each receives all of a, and of its other pattern only what follows."
    )
    t.session("C").store(messages[24:])
    items = t.items(messages)
    for session, pattern, _, start, rule in further:
        due = [item for item in items if item.key == "a" or (item.key == pattern and item.sequence > start)]
        session.grant(PLENTY)
        expect_set(session, due, "ZEPS-SUBSCRIBE-6", rule)
        session.quiet("it has received everything", rule)


@case("A newer latest removes nothing", "ZEPS-SUBSCRIBE-6", "ZEPS-SUBSCRIBE-7")
def newer_takes_nothing(t: BrokerTrial) -> None:
    items = t.fill(t.messages(6))
    t.step(
        "A, without credit, subscribes to everything from the start, and then once more to new messages only."
    )
    a = t.session("A")
    a.subscribe("", ALL)
    a.subscribe("", NEW)
    t.step(
        "With credit, everything arrives: the second subscription adds to the first, and does not replace it."
    )
    a.grant(PLENTY)
    a.expect_items(items, "ZEPS-SUBSCRIBE-6")


@case(
    "The messages that an older latest adds arrive completely before later messages",
    "ZEPS-SUBSCRIBE-12",
    "ZEPS-SUBSCRIBE-16",
    "ZEPS-SUBSCRIBE-7",
)
def older_first(t: BrokerTrial) -> None:
    messages = t.messages(41, ("a", "b", "c", "d"))
    items = t.fill(messages[:25])
    t.step("A reads all of a, including the last message, with exactly the credit it costs.")
    a = t.reader("A", "a", ALL, credit=sum(t.cost(*message) for message in messages[:25:4]))
    a.expect_items(items[0::4])
    t.step("Without credit, A subscribes to c from the start, to b after 8, and to everything after 16.")
    for pattern, latest in (("c", ALL), ("b", 8), ("", 16)):
        a.subscribe(pattern, latest)
    t.step("B publishes more. A grants credit in steps, and still more is published in between.")
    b = t.session("B")
    older = [*items[2::4], *items[9::4], *items[19::4]]
    due = [*older, *t.items(messages[25:], first=26)]
    b.store(messages[25:33])
    for start in (0, 5, 10):
        part = due[start : start + 5]
        a.grant(sum(t.cost(item.key, item.body) for item in part))
        a.expect_items(part, "ZEPS-SUBSCRIBE-12")
        a.quiet("the credit is used up", "ZEPS-CREDIT-5")
        if start == 5:
            b.store(messages[33:])
    t.step("All past messages of c, then b, then d have arrived, and then the new ones; so does the rest.")
    a.grant(PLENTY)
    a.expect_items(due[15:], "ZEPS-SUBSCRIBE-12")


@case(
    "What several new subscriptions add from the past arrives in the order of the subscriptions",
    "ZEPS-SUBSCRIBE-16",
    "ZEPS-SUBSCRIBE-7",
)
def older_in_order(t: BrokerTrial) -> None:
    messages = t.messages(40, ("a", "b", "c", "d"))
    items = t.fill(messages)
    orders = {
        "descending": (("b", 30), ("c", 20), ("d", ALL)),
        "ascending": (("d", ALL), ("c", 20), ("b", 30)),
        "mixed": (("c", 20), ("d", 30), ("b", ALL), ("d", 10)),
    }
    for name, asked in orders.items():
        t.step(f"A reads all of a, with exactly its credit, and then subscribes with {name} starts.")
        a = t.reader("A", "a", ALL, credit=sum(t.cost(*message) for message in messages[0::4]))
        a.expect_items(items[0::4])
        due: list[Item] = []
        for pattern, latest in asked:
            a.subscribe(pattern, latest)
            due += [item for item in items[latest:] if item.key == pattern and item not in due]
        t.step("With credit, each adds its messages, in the order of the subscriptions.")
        a.grant(sum(t.cost(item.key, item.body) for item in due))
        a.expect_items(due, "ZEPS-SUBSCRIBE-16")
        a.quiet("it has received everything", "ZEPS-SUBSCRIBE-7")
        a.leave()


@case("A pattern matches the keys that begin with its bytes", "ZEPS-SUBSCRIBE-15")
def prefix(t: BrokerTrial) -> None:
    keys = ("a.b", "a", "ab", "a.", "A.b", "b.a", " a.b", "a.bc", "a/b", "axb", "", "a.b.c", "aa.b")
    items = t.fill([(key, key.encode()) for key in keys])
    a = t.connect("A")
    for pattern in ("a.b", "a", "a.b.c.d", "A", "b", " "):
        t.step(f"A subscribes to {pattern!a}, and receives exactly the keys that begin with it.")
        a.read(pattern, ALL)
        a.expect_items([item for item in items if item.key.startswith(pattern)], "ZEPS-SUBSCRIBE-15")
        a.quiet("the other keys do not begin with it", "ZEPS-SUBSCRIBE-15")


@case("A pattern's text has no special characters", "ZEPS-SUBSCRIBE-8")
def no_syntax(t: BrokerTrial) -> None:
    patterns = (
        *(".*", "a.*", "^a", "a*", "a?", "*", "#", "+", ">"),
        *("[ab]", "a|b", "(", "\\", "a/#", "**", "%", "re:a", "$"),
    )
    plain = ("a", "aa", "ab", "a.b", "b", "a/b")
    items = t.fill([(key, b"") for key in (*plain, *(f"{pattern}tail" for pattern in patterns))])
    a = t.connect("A")
    t.step(
        "For patterns of every wildcard syntax, A receives only the keys that begin with these exact "
        "characters."
    )
    for pattern in patterns:
        a.read(pattern, ALL)
        a.expect_items([item for item in items if item.key.startswith(pattern)], "ZEPS-SUBSCRIBE-8")
        a.quiet(f"{pattern!a} is literal text", "ZEPS-SUBSCRIBE-8")


@case("Prefixes are compared by bytes, not by letters", "ZEPS-SUBSCRIBE-15")
def octets(t: BrokerTrial) -> None:
    keys = ("é", "e\u0301", "É", "ß", "ss", "ﬁ", "fi", "İ", "i", "i\u0307")
    items = t.fill([(key, key.encode()) for key in keys])
    a = t.connect("A")
    t.step("Keys that are equal after normalisation or without case are different keys.")
    for pattern in ("é", "e", "É", "ß", "ﬁ", "fi", "i", "İ"):
        a.read(pattern, ALL)
        expected = [item for item in items if item.key.encode().startswith(pattern.encode())]
        a.expect_items(expected, "ZEPS-SUBSCRIBE-15")
        a.quiet("the others begin with other bytes", "ZEPS-SUBSCRIBE-15")


@case("Patterns match live messages as they match replayed ones", "ZEPS-SUBSCRIBE-15", "ZEPS-DELIVER-2")
def prefix_live(t: BrokerTrial) -> None:
    patterns = ("a.", "a.b", "b", "", "a.b.c.d")
    t.step("Five sessions subscribe to new messages with five patterns.")
    readers = [t.reader(f"A{index}", pattern, NEW) for index, pattern in enumerate(patterns)]
    items = t.fill(
        [(key, key.encode()) for key in ("a", "a.", "a.b", "a.b.c", "b", "ba", "c", "", "a.b.c.d")]
    )
    t.step("Each receives its messages; so do five others that replay them.")
    for index, (pattern, reader) in enumerate(zip(patterns, readers, strict=True)):
        expected = [item for item in items if item.key.startswith(pattern)]
        reader.expect_items(expected, "ZEPS-SUBSCRIBE-15")
        reader.quiet("the other keys do not match", "ZEPS-SUBSCRIBE-15")
        t.reader(f"B{index}", pattern, ALL).expect_items(expected, "ZEPS-DELIVER-2")


@case("The empty pattern matches every key, including the empty key", "ZEPS-SUBSCRIBE-9")
def empty_pattern(t: BrokerTrial) -> None:
    messages = [(key, b"x") for key in ("", "a", "", "é", " ", "z" * 255)]
    t.step("A subscribes with the empty pattern live; B replays it.")
    a = t.reader("A", "", NEW)
    items = t.fill(messages)
    a.expect_items(items, "ZEPS-SUBSCRIBE-9")
    t.reader("B", "", ALL).expect_items(items, "ZEPS-SUBSCRIBE-9")


@case("Without a subscription nothing is delivered", "ZEPS-SUBSCRIBE-10")
def none(t: BrokerTrial) -> None:
    t.step("A attaches and grants plenty of credit, but does not subscribe; B publishes.")
    a = t.session("A")
    a.grant(PLENTY)
    items = t.fill(t.messages(4))
    a.quiet("it has not subscribed", "ZEPS-SUBSCRIBE-10")
    t.step("A publishes itself: it still receives nothing.")
    a.publish("own", b"5")
    a.quiet("it has not subscribed", "ZEPS-SUBSCRIBE-10")
    t.step("A subscribes: now the credit that it granted before is used.")
    a.subscribe("", ALL)
    a.expect_items([*items, Item(5, "own", b"5")])


@case(
    "The messages that an older latest adds wait for credit, in order",
    "ZEPS-SUBSCRIBE-7",
    "ZEPS-CREDIT-5",
    "ZEPS-CREDIT-6",
)
def fill_under_credit(t: BrokerTrial) -> None:
    messages = t.messages(8, ("a", "b"))
    items = t.fill(messages)
    t.step(
        "A reads all of a with exactly the credit it costs, then subscribes to b from the start: nothing "
        "arrives."
    )
    a = t.reader("A", "a", ALL, credit=sum(t.cost(*message) for message in messages[0::2]))
    a.expect_items(items[0::2])
    a.subscribe("b", ALL)
    a.quiet("the credit is used up", "ZEPS-CREDIT-5")
    t.step("A grants one byte less than the next message of b costs, twice: it waits for that byte.")
    for item in items[1:5:2]:
        a.grant(t.cost(item.key, item.body) - 1)
        a.quiet("one byte of credit is missing", "ZEPS-CREDIT-5")
        a.grant(1)
        a.expect_items([item], "ZEPS-CREDIT-6")
    t.step("Credit is granted for one message at a time: b arrives, in ascending sequence.")
    for item in items[5::2]:
        a.grant(t.cost(item.key, item.body))
        a.expect_items([item], "ZEPS-SUBSCRIBE-7")
        a.quiet("the credit is used up", "ZEPS-CREDIT-5")
    a.grant(PLENTY)
    a.quiet("it has received everything", "ZEPS-SUBSCRIBE-7")
