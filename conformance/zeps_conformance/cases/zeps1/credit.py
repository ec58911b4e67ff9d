"""Credit: what it counts, how it adds up, and that it is never overdrawn."""

from __future__ import annotations

from zeps_conformance.broker.referee import CREDIT_MAX
from zeps_conformance.broker.session import ALL, NEW, PLENTY
from zeps_conformance.broker.trial import BrokerTrial
from zeps_conformance.common.case import case


@case("zeps1.credit.starts-at-zero", "Without credit nothing is delivered", "ZEPS-CREDIT-1")
def starts_at_zero(t: BrokerTrial) -> None:
    items = t.fill([("k", b""), *t.messages(2)])
    t.step(
        "A subscribes to everything and grants nothing: neither stored nor new messages come, not even "
        "empty ones."
    )
    a = t.session("A")
    a.subscribe("", ALL)
    a.quiet("it granted no credit", "ZEPS-CREDIT-1")
    b = t.session("B")
    b.publish("", b"")
    b.barrier()
    a.quiet("it granted no credit", "ZEPS-CREDIT-1")
    t.step("A grants 0 octets, which is a valid command and changes nothing.")
    a.grant(0)
    a.quiet("it granted no credit", "ZEPS-CREDIT-1")
    t.step("With credit they come.")
    a.grant(PLENTY)
    a.expect_items(items)
    a.expect("DELIVER", None, sequence=4, key="", body=b"")


@case(
    "zeps1.credit.counts-octets",
    "Credit counts the octets of DELIVER frames",
    "ZEPS-CREDIT-2",
    "ZEPS-CREDIT-5",
)
def counts_octets(t: BrokerTrial) -> None:
    messages = [
        ("", b""),
        ("k", b""),
        ("", b"b"),
        ("x" * 255, b""),
        ("é", t.octets(250)),
        ("long", t.octets(70_000)),
    ]
    items = t.fill(messages)
    a = t.session("A")
    a.subscribe("", ALL)
    for item, message in zip(items, messages, strict=True):
        cost = t.cost(*message, sequence=item.sequence)
        t.step(f"The next message costs {cost} octets. A grants one less: nothing comes.")
        a.grant(cost - 1)
        a.quiet("one octet of credit is missing", "ZEPS-CREDIT-5")
        t.step("A grants one octet: the message comes, and no other.")
        a.grant(1)
        a.expect_items([item], "ZEPS-CREDIT-2")
        a.quiet("the credit is used up", "ZEPS-CREDIT-5")


@case(
    "zeps1.credit.counts-octets-live",
    "Live messages cost what replayed ones cost",
    "ZEPS-CREDIT-2",
    "ZEPS-CREDIT-5",
)
def counts_octets_live(t: BrokerTrial) -> None:
    messages = t.messages(6, ("live", "longer.live"))
    t.step("A follows new messages with exactly the credit that the first three cost.")
    a = t.session("A")
    a.subscribe("", NEW)
    a.grant(sum(t.cost(*message) for message in messages[:3]))
    t.step("B publishes six, one by one: three come.")
    b = t.session("B")
    for key, body in messages:
        b.publish(key, body)
        b.barrier()
    items = t.items(messages)
    a.expect_items(items[:3], "ZEPS-CREDIT-2")
    a.quiet("the credit is used up", "ZEPS-CREDIT-5")
    t.step("A grants what two more cost, and one octet less than the last: two come.")
    a.grant(sum(t.cost(*message) for message in messages[3:]) - 1)
    a.expect_items(items[3:5], "ZEPS-CREDIT-2")
    a.quiet("one octet of credit is missing", "ZEPS-CREDIT-5")
    a.grant(1)
    a.expect_items(items[5:], "ZEPS-CREDIT-2")


@case("zeps1.credit.adds-up", "Credit adds up", "ZEPS-CREDIT-3")
def adds_up(t: BrokerTrial) -> None:
    messages = t.messages(2)
    items = t.fill(messages)
    cost = t.cost(*messages[0])
    a = t.session("A")
    a.subscribe("", ALL)
    t.step("A grants one octet at a time, one less than the first message costs: nothing comes.")
    grant = t.codec.encode("CREDIT", credit=1)
    a.send_together([grant] * (cost - 1))
    a.quiet("one octet of credit is missing", "ZEPS-CREDIT-5")
    t.step("With one octet more it comes.")
    a.grant(1)
    a.expect_items(items[:1], "ZEPS-CREDIT-3")
    a.quiet("the credit is used up", "ZEPS-CREDIT-5")
    t.step("Grants of 0 and of what the second message costs, in two halves: it comes.")
    cost = t.cost(*messages[1])
    for part in (0, cost // 2, 0, cost - cost // 2):
        a.grant(part)
    a.expect_items(items[1:], "ZEPS-CREDIT-3")


@case(
    "zeps1.credit.before-subscribing", "Credit may be granted before there is a subscription", "ZEPS-CREDIT-3"
)
def before_subscribing(t: BrokerTrial) -> None:
    messages = t.messages(3)
    items = t.fill(messages)
    t.step("A grants what one message costs, and what one more costs, and then subscribes: two come.")
    a = t.session("A")
    a.grant(t.cost(*messages[0]))
    a.grant(t.cost(*messages[1]))
    a.subscribe("", ALL)
    a.expect_items(items[:2], "ZEPS-CREDIT-3")
    a.quiet("the credit is used up", "ZEPS-CREDIT-5")
    t.step("A grants what the third costs: it comes.")
    a.grant(t.cost(*messages[2]))
    a.expect_items(items[2:], "ZEPS-CREDIT-3")


@case("zeps1.credit.saturates", "Credit saturates at 2^64-1 and does not wrap", "ZEPS-CREDIT-4")
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
            f"In a new session A grants {' and '.join(map(str, grants))} octets, and subscribes: "
            "everything comes."
        )
        a = t.session("A")
        for octets in grants:
            a.grant(octets)
        a.barrier()
        a.subscribe("", ALL)
        a.expect_items(items, "ZEPS-CREDIT-4")
        a.detach()
        a.leave()


@case(
    "zeps1.credit.saturates-in-use",
    "Credit at its greatest goes on counting",
    "ZEPS-CREDIT-4",
    "ZEPS-CREDIT-3",
)
def saturates_in_use(t: BrokerTrial) -> None:
    t.step("A grants 2^64-1 octets, receives, grants 2^64-1 again, and goes on receiving.")
    a = t.session("A")
    a.subscribe("", NEW)
    messages = t.messages(6)
    b = t.session("B")
    for index, (key, body) in enumerate(messages):
        a.grant(CREDIT_MAX)
        a.barrier()
        b.publish(key, body)
        a.expect_items(t.items(messages)[index : index + 1], "ZEPS-CREDIT-4")


@case(
    "zeps1.credit.never-beyond", "The broker never sends beyond the credit", "ZEPS-CREDIT-5", "ZEPS-CREDIT-3"
)
def never_beyond(t: BrokerTrial) -> None:
    messages = [(f"k{index}", t.octets(t.rng.randrange(120))) for index in range(60)]
    items = t.fill(messages)
    a = t.session("A")
    a.subscribe("", ALL)
    t.step("A grants uneven slices of credit; after each comes exactly what it covers, and no octet more.")
    done, left = 0, 0
    while done < len(items):
        octets = t.rng.choice((1, 7, 40, 90, 200, 333))
        a.grant(octets)
        left += octets
        covered = done
        while covered < len(items) and (cost := t.cost(*messages[covered])) <= left:
            left -= cost
            covered += 1
        a.expect_items(items[done:covered], "ZEPS-CREDIT-5")
        if covered < len(items) and covered % 3 == 0:
            a.quiet("the credit left does not cover the next message", "ZEPS-CREDIT-5")
        done = covered
    t.step("Everything has come, once.")
    a.grant(PLENTY)
    a.quiet("it has had everything", "ZEPS-CREDIT-5")


@case(
    "zeps1.credit.none-overtakes",
    "A message larger than the credit waits, and none overtakes it",
    "ZEPS-CREDIT-6",
    "ZEPS-CREDIT-7",
)
def none_overtakes(t: BrokerTrial) -> None:
    messages = [("big", t.octets(1000)), ("small", b"1"), ("small", b"2")]
    items = t.fill(messages)
    small = t.cost("small", b"1")
    t.step("A large message is first; A grants what both small ones behind it cost: nothing comes.")
    a = t.session("A")
    a.subscribe("", ALL)
    a.grant(2 * small)
    a.quiet("the first message is larger than the credit, and none may overtake it", "ZEPS-CREDIT-7")
    t.step("A grants what the large one costs: all three come, the large one first.")
    a.grant(t.cost("big", messages[0][1]))
    a.expect_items(items, "ZEPS-CREDIT-6")
    t.step("The same with new messages: a large one waits, and the small ones behind it.")
    more = [("big", t.octets(500)), ("small", b"3")]
    a.grant(small)
    b = t.session("B")
    b.publish_many(more)
    b.barrier()
    a.quiet("the first message is larger than the credit, and none may overtake it", "ZEPS-CREDIT-7")
    a.grant(t.cost(*more[0]))
    a.expect_items(t.items(more, first=4), "ZEPS-CREDIT-6")


@case(
    "zeps1.credit.unmatched-costs-nothing",
    "Messages that no subscription matches cost nothing",
    "ZEPS-CREDIT-2",
    "ZEPS-CREDIT-6",
)
def unmatched_costs_nothing(t: BrokerTrial) -> None:
    messages = [("other", t.octets(900)), ("mine", b"1"), ("other", t.octets(900)), ("mine", b"2")]
    items = t.fill(messages)
    t.step("A follows mine, with the credit for two small messages; large ones of another key lie between.")
    a = t.session("A")
    a.subscribe("mine", ALL)
    a.grant(2 * t.cost("mine", b"1"))
    t.step("Both come.")
    a.expect_items(items[1::2], "ZEPS-CREDIT-2")
