"""Values near others: names, keys and numbers that differ at their end, by one byte, or only in length."""

from __future__ import annotations

from zeps_conformance.broker.session import ALL, NEW, PLENTY, Item
from zeps_conformance.broker.trial import BrokerTrial
from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zeps1.refusals import NEGATIVE, refuse_beyond_end, sample
from zeps_conformance.model.boundaries import boundaries, maximum

CUTS = (1, 7, 8, 15, 16, 31, 32, 63, 64, 127, 128)
"""Lengths in bytes at which an implementation may stop comparing."""
READERS = 8
SAME_HASH = ("Aa", "BB", "plumless", "buckeroo", "ab", "ba", "costarring", "liquor")
"""Texts with equal hashes or sums in pairs: of Java, CRC-32, the sum of bytes, FNV-1a."""


def _neighbours(longest: int) -> list[str]:
    """Returns texts of at most `longest` bytes, not empty, that differ from another at the end or in length."""
    texts = list(SAME_HASH)
    for cut in (*(cut for cut in CUTS if cut < longest), longest - 1):
        base = "n" * cut
        texts += [base, base + "a", base + "b", base[:-1] + "m", "m" + base[1:]]
    texts += ["n" * longest, "n" * (longest - 2) + "é", "n" * (longest - 2) + "è", "é", "è", "e"]
    return list(dict.fromkeys(texts))


@case(
    "Streams whose names are near each other are separate",
    "ZEPS-STREAM-1",
    "ZEPS-STREAM-3",
    "ZEPS-STREAM-2",
    limit=120.0,
)
def stream_names(t: BrokerTrial) -> None:
    mark = t.stream + "/"
    longest = maximum(t.codec.model.message("ATTACH").field("stream"))
    names = [mark, *(mark + text for text in _neighbours(longest - len(mark.encode())))]
    t.step(f"A publishes to {len(names)} streams whose names differ at their end, by one byte, or in length.")
    a = t.connect("A")
    for number, name in enumerate(names):
        a.attach(name, "ZEPS-STREAM-2")
        a.publish("name", b"%d" % number)
    a.barrier()
    t.step("B reads each: it contains only its own message, with sequence 1.")
    b = t.connect("B")
    for number, name in enumerate(names):
        b.read("", ALL, name, "ZEPS-STREAM-2")
        b.expect_items([Item(1, "name", b"%d" % number)], "ZEPS-STREAM-1")
        b.barrier("ZEPS-STREAM-1")


@case(
    "Keys and patterns that are near each other are compared to their end",
    "ZEPS-SUBSCRIBE-15",
    "ZEPS-PUBLISH-4",
    limit=120.0,
)
def keys_and_patterns(t: BrokerTrial) -> None:
    texts = _neighbours(maximum(t.codec.model.message("PUBLISH").field("key")))
    texts.append("")
    messages = [(text, b"%d" % number) for number, text in enumerate(texts)]
    t.step(
        "A subscribes live to every second of many texts that differ at their end, by a byte, or in length."
    )
    a = t.session("A")
    patterns = [text for text in texts[::2] if text]
    for pattern in patterns:
        a.subscribe(pattern, NEW)
    a.grant(PLENTY)
    t.step("B publishes with each text as the key: A receives the keys that begin with one of its patterns.")
    items = t.fill(messages)
    a.expect_items([item for item in items if item.key.startswith(tuple(patterns))], "ZEPS-SUBSCRIBE-15")
    t.step("C replays with each text as the only pattern.")
    c = t.connect("C")
    for text in texts:
        c.read(text, ALL)
        due = [item for item in items if item.key.encode().startswith(text.encode())]
        c.expect_items(due, "ZEPS-SUBSCRIBE-15")
        c.barrier()


@case(
    "Keys that begin alike for any number of bytes reach their own subscribers, live",
    "ZEPS-SUBSCRIBE-15",
    limit=60.0,
    retains=1 << 17,
)
def keys_at_each_length(t: BrokerTrial) -> None:
    longest = maximum(t.codec.model.message("PUBLISH").field("key"))
    beginnings = ["n" * length for length in range(longest)]
    t.step(
        f"{READERS} sessions share live subscriptions to a text of each length from 1 to {longest} that ends with a."
    )
    shares = [beginnings[number::READERS] for number in range(READERS)]
    readers = [t.session(f"A{number}") for number in range(READERS)]
    for reader, share in zip(readers, shares, strict=True):
        encode = t.codec.encode
        reader.send_together(
            [encode("SUBSCRIBE", pattern=beginning + "a", latest=NEW) for beginning in share]
        )
        for _ in share:
            reader.expect("SUBSCRIBE-OK", "ZEPS-SUBSCRIBE-1")
        reader.grant(PLENTY)
    t.step(
        "B publishes for each length a key that differs in its last byte, and then the key: only it arrives."
    )
    keys = [beginning + end for beginning in beginnings for end in "ba"]
    items = t.fill([(key, b"%d" % number) for number, key in enumerate(keys)])
    for reader, share in zip(readers, shares, strict=True):
        due = {beginning + "a" for beginning in share}
        reader.expect_items([item for item in items if item.key in due], "ZEPS-SUBSCRIBE-15")
    for reader in readers:
        reader.quiet("the other keys are not its own", "ZEPS-SUBSCRIBE-15")


@case(
    "Credit is counted in 64 bits",
    "ZEPS-CREDIT-3",
    "ZEPS-CREDIT-4",
    "ZEPS-CREDIT-2",
    "ZEPS-CREDIT-5",
    limit=120.0,
)
def credit(t: BrokerTrial) -> None:
    messages = t.messages(6, size=60)
    items = t.fill(messages)
    costs = [t.cost(*message) for message in messages]
    field = t.codec.model.message("CREDIT").field("credit")
    values = boundaries(field)
    t.step(
        "In new sessions, A grants values at which a count of fewer bits overflows: it receives what they cover."
    )
    a = t.connect("A")
    for value in values:
        a.attach()
        a.subscribe("", ALL)
        a.grant(value)
        covered = _covered(costs, value)
        a.expect_items(items[:covered], "ZEPS-CREDIT-5")
        a.barrier()
    t.step(
        "The same with values that overflow when half of the messages' cost is added, and with the sum of two."
    )
    half = sum(costs[:3])
    for value in boundaries(field, plus=half):
        a.attach()
        a.subscribe("", ALL)
        a.grant(half)
        a.expect_items(items[:3], "ZEPS-CREDIT-2")
        a.grant(value)
        a.expect_items(items[3 : 3 + _covered(costs[3:], value)], "ZEPS-CREDIT-3")
        a.barrier()
    for value in values[-9:]:
        a.attach()
        for part in (value, 3, value):
            a.grant(part)
        a.subscribe("", ALL)
        a.expect_items(items, "ZEPS-CREDIT-4")
        a.barrier()


@case(
    "A latest near the end, and at the limits of numbers, is compared exactly",
    "ZEPS-SUBSCRIBE-5",
    polarity=NEGATIVE,
    limit=120.0,
)
def latest(t: BrokerTrial) -> None:
    messages = t.messages(300, size=4)
    items = t.fill(messages)
    end = len(messages)
    a = t.session("A")
    field = t.codec.model.message("SUBSCRIBE").field("latest")
    values = sorted(
        {end + 1, end + 2, end + 256, end + (1 << 32), *boundaries(field), *boundaries(field, plus=end)}
    )
    t.step(
        "On a stream of 300 messages, A subscribes with values at which fewer bits would overflow: all refused."
    )
    for value in values[:-1]:
        if value > end:
            refuse_beyond_end(a, value, end)
    t.step("Values up to the end are granted, and deliver what follows.")
    b = t.connect("B")
    for value in [value for value in values if value <= end] + [127, 128, end - 1, end]:
        b.read("", value)
        b.expect_items(items[value:], "ZEPS-SUBSCRIBE-3")
        b.barrier()


@case("Routing ids of all forms are refused", "ZEPS-SESSION-5", polarity=NEGATIVE)
def routing_ids(t: BrokerTrial) -> None:
    mark = t.random_bytes(6)
    t.step("A's READY requests a routing id, of one to 255 bytes, some like those that a ROUTER chooses.")
    b = t.reader("B")
    ids = (
        b"\x80" + mark[:4],
        b"\xff" + mark[:4],
        b"\x7f" + mark[:4],
        mark,
        mark + b"\x00",
        mark.ljust(255, b"\xff"),
    )
    for number, routing_id in enumerate(ids):
        a = t.connect(f"A{number}", routing_id=routing_id)
        a.refused(t.codec.encode("ATTACH", stream=t.stream), "ZEPS-SESSION-5", "ATTACH", "routing-id")
        a.refused(sample(t, "PUBLISH"), "ZEPS-SESSION-5", "PUBLISH", "routing-id")
        a.leave()
    b.quiet("every PUBLISH was refused", "ZEPS-SESSION-5")


def _covered(costs: list[int], credit: int) -> int:
    """Returns how many of the first messages `credit` covers."""
    count = 0
    for cost in costs:
        credit -= cost
        if credit < 0:
            break
        count += 1
    return count
