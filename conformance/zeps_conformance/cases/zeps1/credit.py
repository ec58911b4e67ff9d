"""Credit: how it is counted and added up, and that deliveries never exceed it."""

from __future__ import annotations

from zeps_conformance.broker.referee import CREDIT_MAX
from zeps_conformance.broker.session import ALL, NEW, PLENTY
from zeps_conformance.broker.trial import BrokerTrial
from zeps_conformance.cases.registration import case


@case("Without credit nothing is delivered", "ZEPS-CREDIT-1")
def starts_at_zero(t: BrokerTrial) -> None:
    items = t.fill([("k", b""), *t.messages(2)])
    t.step(
        "A subscribes to everything and grants no credit: neither stored nor new messages arrive, not even "
        "empty ones."
    )
    a = t.session("A")
    a.subscribe("", ALL)
    a.quiet("it granted no credit", "ZEPS-CREDIT-1")
    b = t.session("B")
    b.store([("", b"")])
    a.quiet("it granted no credit", "ZEPS-CREDIT-1")
    t.step("A grants 0 bytes, which is a valid command and changes nothing.")
    a.grant(0)
    a.quiet("it granted no credit", "ZEPS-CREDIT-1")
    t.step("With credit the messages arrive.")
    a.grant(PLENTY)
    a.expect_items(items)
    a.expect("DELIVER", None, sequence=4, key="", body=b"")


@case("Credit counts the bytes of DELIVER frames", "ZEPS-CREDIT-2", "ZEPS-CREDIT-5", retains=1 << 20)
def counts_octets(t: BrokerTrial) -> None:
    messages = [
        ("", b""),
        ("k", b""),
        ("", b"b"),
        ("x" * 255, b""),
        ("é", t.random_bytes(250)),
        ("long", t.random_bytes(70_000)),
    ]
    items = t.fill(messages)
    a = t.session("A")
    a.subscribe("", ALL)
    for item, message in zip(items, messages, strict=True):
        cost = t.cost(*message, sequence=item.sequence)
        t.step(f"The next message costs {cost} bytes. A grants one byte less: nothing arrives.")
        a.grant(cost - 1)
        a.quiet("one byte of credit is missing", "ZEPS-CREDIT-5")
        t.step("A grants one byte: only that message arrives.")
        a.grant(1)
        a.expect_items([item], "ZEPS-CREDIT-2")
        a.quiet("the credit is used up", "ZEPS-CREDIT-5")


@case("Live messages cost the same as replayed messages", "ZEPS-CREDIT-2", "ZEPS-CREDIT-5")
def counts_octets_live(t: BrokerTrial) -> None:
    messages = t.messages(6, ("live", "longer.live"))
    t.step("A subscribes to new messages with exactly the credit that the first three cost.")
    a = t.reader("A", "", NEW, credit=sum(t.cost(*message) for message in messages[:3]))
    t.step("B publishes six messages, one by one: three arrive.")
    b = t.session("B")
    for key, body in messages:
        b.store([(key, body)])
    items = t.items(messages)
    a.expect_items(items[:3], "ZEPS-CREDIT-2")
    a.quiet("the credit is used up", "ZEPS-CREDIT-5")
    t.step("A grants the cost of the next two, and one byte less than that of the last: two arrive.")
    a.grant(sum(t.cost(*message) for message in messages[3:]) - 1)
    a.expect_items(items[3:5], "ZEPS-CREDIT-2")
    a.quiet("one byte of credit is missing", "ZEPS-CREDIT-5")
    a.grant(1)
    a.expect_items(items[5:], "ZEPS-CREDIT-2")


@case("Credit adds up", "ZEPS-CREDIT-3")
def adds_up(t: BrokerTrial) -> None:
    messages = t.messages(2)
    items = t.fill(messages)
    cost = t.cost(*messages[0])
    a = t.session("A")
    a.subscribe("", ALL)
    t.step("A grants one byte at a time, one less than the first message costs: nothing arrives.")
    grant = t.codec.encode("CREDIT", credit=1)
    a.send_together([grant] * (cost - 1))
    a.quiet("one byte of credit is missing", "ZEPS-CREDIT-5")
    t.step("With one more byte it arrives.")
    a.grant(1)
    a.expect_items(items[:1], "ZEPS-CREDIT-3")
    a.quiet("the credit is used up", "ZEPS-CREDIT-5")
    t.step("A grants 0 bytes, and the cost of the second message in two halves: it arrives.")
    cost = t.cost(*messages[1])
    for part in (0, cost // 2, 0, cost - cost // 2):
        a.grant(part)
    a.expect_items(items[1:], "ZEPS-CREDIT-3")


@case("Credit may be granted before a subscription exists", "ZEPS-CREDIT-3")
def before_subscribing(t: BrokerTrial) -> None:
    messages = t.messages(3)
    items = t.fill(messages)
    t.step("A grants the cost of one message, and that of one more, and then subscribes: two arrive.")
    a = t.session("A")
    a.grant(t.cost(*messages[0]))
    a.grant(t.cost(*messages[1]))
    a.subscribe("", ALL)
    a.expect_items(items[:2], "ZEPS-CREDIT-3")
    a.quiet("the credit is used up", "ZEPS-CREDIT-5")
    t.step("A grants the cost of the third message: it arrives.")
    a.grant(t.cost(*messages[2]))
    a.expect_items(items[2:], "ZEPS-CREDIT-3")


@case("Credit saturates at 2^64-1 and does not wrap", "ZEPS-CREDIT-4")
def saturates(t: BrokerTrial) -> None:
    items = t.fill(t.messages(5))
    for grants in (
        (CREDIT_MAX, 1),
        (1 << 63, 1 << 63),
        (CREDIT_MAX, CREDIT_MAX, 2),
        (CREDIT_MAX, 30),
        (30, CREDIT_MAX),
    ):
        t.step(
            f"In a new session A grants {' and '.join(map(str, grants))} bytes, and subscribes: everything "
            "arrives."
        )
        a = t.session("A")
        for amount in grants:
            a.grant(amount)
        a.barrier()
        a.subscribe("", ALL)
        a.expect_items(items, "ZEPS-CREDIT-4")
        a.detach()
        a.leave()


@case("Credit at its maximum is still counted", "ZEPS-CREDIT-4", "ZEPS-CREDIT-3")
def saturates_in_use(t: BrokerTrial) -> None:
    t.step("A grants 2^64-1 bytes, receives, grants 2^64-1 again, and still receives.")
    a = t.session("A")
    a.subscribe("", NEW)
    messages = t.messages(6)
    b = t.session("B")
    for index, (key, body) in enumerate(messages):
        a.grant(CREDIT_MAX)
        a.barrier()
        b.publish(key, body)
        a.expect_items(t.items(messages)[index : index + 1], "ZEPS-CREDIT-4")


@case("The broker never sends beyond the credit", "ZEPS-CREDIT-5", "ZEPS-CREDIT-3")
def never_beyond(t: BrokerTrial) -> None:
    messages = [(f"k{index}", t.random_bytes(t.rng.randrange(120))) for index in range(60)]
    items = t.fill(messages)
    a = t.session("A")
    a.subscribe("", ALL)
    t.step(
        "A grants uneven amounts of credit; after each it receives exactly the messages that the credit "
        "covers."
    )
    done, left = 0, 0
    while done < len(items):
        amount = t.rng.choice((1, 7, 40, 90, 200, 333))
        a.grant(amount)
        left += amount
        covered = done
        while covered < len(items) and (cost := t.cost(*messages[covered])) <= left:
            left -= cost
            covered += 1
        a.expect_items(items[done:covered], "ZEPS-CREDIT-5")
        if covered < len(items) and covered % 3 == 0:
            a.quiet("the remaining credit does not cover the next message", "ZEPS-CREDIT-5")
        done = covered
    t.step("Every message has arrived, once.")
    a.grant(PLENTY)
    a.quiet("it has received everything", "ZEPS-CREDIT-5")


@case(
    "A message larger than the credit waits, and no other message overtakes it",
    "ZEPS-CREDIT-6",
    "ZEPS-CREDIT-7",
)
def none_overtakes(t: BrokerTrial) -> None:
    messages = [("big", t.random_bytes(1000)), ("small", b"1"), ("small", b"2")]
    items = t.fill(messages)
    small = t.cost("small", b"1")
    t.step("A large message is first; A grants the cost of the two small ones behind it: nothing arrives.")
    a = t.reader("A", "", ALL, credit=2 * small)
    a.quiet(
        "the first message is larger than the credit, and no other message may overtake it", "ZEPS-CREDIT-7"
    )
    t.step("A grants the cost of the large message: all three arrive, the large one first.")
    a.grant(t.cost("big", messages[0][1]))
    a.expect_items(items, "ZEPS-CREDIT-6")
    t.step("The same with new messages: a large message waits, and so do the small ones behind it.")
    more = [("big", t.random_bytes(500)), ("small", b"3")]
    a.grant(small)
    b = t.session("B")
    b.store(more)
    a.quiet(
        "the first message is larger than the credit, and no other message may overtake it", "ZEPS-CREDIT-7"
    )
    t.step("B publishes one more small message, which the credit covers: it waits, too.")
    more.append(("small", b"4"))
    b.store(more[2:])
    a.quiet("the first message is larger than the credit, and no later one may overtake it", "ZEPS-CREDIT-7")
    a.grant(t.cost(*more[0]) + small)
    a.expect_items(t.items(more, first=4), "ZEPS-CREDIT-6")


@case("Messages that no subscription matches cost nothing", "ZEPS-CREDIT-2", "ZEPS-CREDIT-6")
def unmatched_costs_nothing(t: BrokerTrial) -> None:
    messages = [
        ("other", t.random_bytes(900)),
        ("mine", b"1"),
        ("other", t.random_bytes(900)),
        ("mine", b"2"),
    ]
    items = t.fill(messages)
    t.step(
        "A subscribes to mine, with credit for two small messages; large messages of another key are "
        "between them."
    )
    a = t.reader("A", "mine", ALL, credit=2 * t.cost("mine", b"1"))
    t.step("Both arrive.")
    a.expect_items(items[1::2], "ZEPS-CREDIT-2")
