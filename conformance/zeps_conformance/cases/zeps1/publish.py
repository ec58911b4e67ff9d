"""Publishing: no answer, no preconditions, and messages unchanged and in order."""

from __future__ import annotations

from zeps_conformance.broker.session import ALL
from zeps_conformance.broker.trial import BrokerTrial
from zeps_conformance.cases.registration import case

BODY_MAX = 16_777_216


@case("PUBLISH has no answer", "ZEPS-PUBLISH-1")
def no_answer(t: BrokerTrial) -> None:
    a = t.session("A")
    t.step("A, which has not subscribed, publishes one message: it receives only PING-OK.")
    a.publish("k", b"v")
    a.quiet("PUBLISH has no answer", "ZEPS-PUBLISH-1")
    t.step("A publishes 100 messages in one write: again it receives only PING-OK.")
    a.publish_many(t.messages(100))
    a.quiet("PUBLISH has no answer", "ZEPS-PUBLISH-1")


@case("A publisher receives its own messages if it subscribes to them", "ZEPS-PUBLISH-2")
def own(t: BrokerTrial) -> None:
    t.step("A subscribes to mine., and publishes mine.1, other and mine.2.")
    a = t.reader("A", "mine.")
    messages = [("mine.1", b"1"), ("other", b"2"), ("mine.2", b"3")]
    a.publish_many(messages)
    t.step("A receives the two messages of mine.")
    a.expect_items(t.items(messages)[0::2], "ZEPS-PUBLISH-2")
    a.quiet("it did not subscribe to the other", "ZEPS-PUBLISH-2")


@case(
    "Messages directly before and behind one with the longest body are stored once",
    "ZEPS-PUBLISH-8",
    "ZEPS-PUBLISH-3",
    "ZEPS-SEQUENCE-2",
    retains=BODY_MAX + (1 << 20),
)
def beside_the_longest(t: BrokerTrial) -> None:
    t.allow(30)
    t.step("A publishes small messages, one with a body of 16 MiB, and small messages, in one write.")
    a = t.session("A")
    bodies = [b"1", b"", b"3" * 200, bytes(BODY_MAX), b"5", b"", b"7" * 200, b"8"]
    messages = [(f"key{number}", body) for number, body in enumerate(bodies)]
    a.store(messages)
    t.step("B receives all of them, in order.")
    t.reader("B").expect_items(t.items(messages), "ZEPS-PUBLISH-8")


@case("The messages of one publisher keep their order", "ZEPS-PUBLISH-3")
def keeps_order(t: BrokerTrial) -> None:
    t.step("A and B publish 150 numbered messages each, in bursts that overlap.")
    c = t.reader("C")
    a, b = t.session("A"), t.session("B")
    of_a = [("a", b"%d" % index) for index in range(150)]
    of_b = [("b", b"%d" % index) for index in range(150)]
    for start in range(0, 150, 25):
        a.publish_many(of_a[start : start + 25])
        b.publish_many(of_b[start : start + 25])
    a.barrier()
    b.barrier()
    t.step(
        "C receives 300 messages, numbered without gaps; those of each publisher are in the order of "
        "publishing."
    )
    got: dict[str, list[bytes]] = {}
    for sequence in range(1, 301):
        message = c.expect("DELIVER", "ZEPS-SEQUENCE-2", sequence=sequence)
        body = message["body"]
        assert isinstance(body, bytes)
        got.setdefault(str(message["key"]), []).append(body)
    for key, sent in (("a", of_a), ("b", of_b)):
        right = got.get(key) == [body for _, body in sent]
        t.check(
            right,
            f"the messages of {key} in the order of publishing",
            "that order" if right else "another",
            "ZEPS-PUBLISH-3",
        )


@case(
    "Messages of all sizes keep the order in which one write publishes them",
    "ZEPS-PUBLISH-3",
    retains=1 << 19,
)
def keeps_order_of_sizes(t: BrokerTrial) -> None:
    sizes = [0, 1, 200, 255, 256, 1000, 4095, 4096, 5000, 8192, 16_384, 20_000, 65_535, 65_536] * 2
    t.rng.shuffle(sizes)
    noise = t.random_bytes(max(sizes))
    t.step(f"A publishes {len(sizes)} messages of 0 to 65,536 bytes in one write, in an order from the seed.")
    a = t.reader("A")
    messages = [(f"number{index}", noise[:size]) for index, size in enumerate(sizes)]
    a.publish_many(messages)
    t.step("A receives them in the order of publishing; so does B, which replays them.")
    a.expect_items(t.items(messages), "ZEPS-PUBLISH-3")
    t.reader("B").expect_items(t.items(messages), "ZEPS-PUBLISH-3")


@case("Key and body arrive unchanged", "ZEPS-PUBLISH-4", retains=1 << 18)
def octet_for_octet(t: BrokerTrial) -> None:
    t.step("A publishes 60 messages with keys and bodies drawn at random from the seed.")
    a = t.reader("A")
    letters = "az. /*é漢𝄞\u00a0~\u0301\ufb01\u212b"  # the last three change when text is normalized
    messages = [
        (
            "".join(t.rng.choices(letters, k=t.rng.randrange(40))),
            t.random_bytes(t.rng.choice((0, 1, 9, 250, 251, 300, 4000))),
        )
        for _ in range(60)
    ]
    a.publish_many(messages)
    t.step("They arrive byte for byte, live and at B, which replays them.")
    a.expect_items(t.items(messages), "ZEPS-PUBLISH-4")
    t.reader("B").expect_items(t.items(messages), "ZEPS-PUBLISH-4")


@case("Publishing needs neither a subscription nor credit", "ZEPS-PUBLISH-5")
def needs_nothing(t: BrokerTrial) -> None:
    t.step("A attaches and publishes at once, without subscription or credit, before it has read ATTACH-OK.")
    a = t.connect("A")
    messages = t.messages(3)
    encode = t.codec.encode
    a.send_together(
        [
            encode("ATTACH", stream=t.stream),
            *(encode("PUBLISH", key=key, body=body) for key, body in messages),
        ]
    )
    a.expect("ATTACH-OK", "ZEPS-ATTACH-1")
    a.barrier()
    t.step("B reads them.")
    t.reader("B").expect_items(t.items(messages), "ZEPS-PUBLISH-5")


@case("Two equal messages are two messages", "ZEPS-PUBLISH-8", "ZEPS-SEQUENCE-2")
def twice_is_two(t: BrokerTrial) -> None:
    t.step("A publishes the same key and body five times.")
    messages = [("same", b"same")] * 5
    a = t.reader("A")
    a.publish_many(messages)
    t.step("Five messages arrive, with sequences 1 to 5.")
    a.expect_items(t.items(messages), "ZEPS-PUBLISH-8")


@case(
    "Published messages are stored exactly once, in the stream that is open at the time",
    "ZEPS-PUBLISH-8",
    "ZEPS-ATTACH-4",
)
def exactly_once(t: BrokerTrial) -> None:
    streams = [t.new_stream("one"), t.new_stream("two"), t.new_stream("three")]
    encode = t.codec.encode
    messages: dict[str, list[tuple[str, bytes]]] = {stream: [] for stream in streams}
    frames: list[bytes] = []
    t.step(
        "A, in one write, attaches twelve times, to three streams in turn, and publishes up to five messages each time."
    )
    for turn in range(12):
        stream = streams[turn % 3]
        burst = t.messages(t.rng.randrange(6), (f"turn{turn}",))
        messages[stream] += burst
        frames += [encode("ATTACH", stream=stream), *(encode("PUBLISH", key=k, body=b) for k, b in burst)]
    a = t.connect("A")
    a.send_together([*frames, encode("PING"), encode("DETACH")])
    for _ in range(12):
        a.expect("ATTACH-OK", "ZEPS-ATTACH-1")
    a.expect("PING-OK", "ZEPS-PING-1")
    a.expect("DETACH-OK", "ZEPS-DETACH-1")
    t.step("B reads each stream: every message is there once, in order, and nothing else.")
    for stream in streams:
        b = t.reader(f"B of {stream.rpartition('/')[2]}", stream=stream)
        b.expect_items(t.items(messages[stream]), "ZEPS-PUBLISH-8")
        b.quiet("each message is stored once", "ZEPS-PUBLISH-8")


@case("Messages without a reader are stored", "ZEPS-PUBLISH-5", "ZEPS-SUBSCRIBE-2")
def no_readers(t: BrokerTrial) -> None:
    t.step("A publishes to a stream without subscribers, and disconnects.")
    items = t.fill(t.messages(12))
    t.step("B connects later and reads all of them.")
    b = t.reader("B", "", ALL)
    b.expect_items(items, "ZEPS-SUBSCRIBE-2")
