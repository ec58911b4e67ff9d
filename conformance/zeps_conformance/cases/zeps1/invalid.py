"""Invalid input: INVALID, the end of the session, and no effect on other sessions."""

from __future__ import annotations

from zeps_conformance.broker.session import ALL, NEW, PLENTY, Item
from zeps_conformance.broker.trial import BrokerTrial
from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zeps1.refusals import (
    BROKER_ONLY,
    CLIENT_COMMANDS,
    NEGATIVE,
    refuse_each,
    refuse_without_session,
    sample,
)
from zeps_conformance.common.verdicts import LostError
from zeps_conformance.model.malform import Malformed, extended, raised_lengths, truncated, wrong_signatures
from zeps_conformance.wire.zmtp_codec import packaged_wire


def _broker_only(t: BrokerTrial, name: str) -> None:
    messages = t.messages(2)
    a, b = t.reader("A", "", NEW, credit=t.cost(*messages[0])), t.session("B")
    t.step(
        "In an open session, A sends a command that only a broker sends; it gets INVALID with the code "
        "unexpected."
    )
    a.send_frame(sample(t, name))
    a.expect_invalid("ZEPS-INVALID-7", name, "unexpected")
    t.step("The session has not changed: B publishes two messages, and A, with credit for one, receives one.")
    b.store(messages)
    a.expect_items(t.items(messages)[:1], "ZEPS-INVALID-5")
    a.quiet("the credit is used up", "ZEPS-INVALID-5")


for _name in BROKER_ONLY:
    case(
        f"A client that sends {_name} is refused, and keeps its session",
        "ZEPS-INVALID-7",
        "ZEPS-INVALID-5",
        "ZEPS-INVALID-9",
        subject=f"broker-only-{_name.lower()}",
        polarity=NEGATIVE,
    )(_broker_only, _name)


@case(
    "DELIVER and INVALID are refused as commands of a broker at the limits of their fields",
    "ZEPS-INVALID-7",
    "ZEPS-INVALID-9",
    polarity=NEGATIVE,
)
def broker_only_values(t: BrokerTrial) -> None:
    a = t.session("A")
    t.step("In an open session, A sends DELIVER with numbers, keys and bodies at their limits.")
    texts = ("", " ", "~", "é", "漢 x", "x" * 127, "x" * 128, "x" * 254, "x" * 255)
    numbers = (0, 1, 1 << 63, (1 << 64) - 2, (1 << 64) - 1)
    bodies = (b"", bytes(range(256)), bytes(16_777_216))
    values: list[tuple[int, str, bytes]] = [
        *((number, "k", b"b") for number in numbers),
        *((1, text, b"b") for text in texts),
        *((1, "k", body) for body in bodies),
    ]
    for sequence, key, body in values:
        a.send("DELIVER", sequence=sequence, key=key, body=body)
        a.expect_invalid("ZEPS-INVALID-7", "DELIVER", "unexpected")
    t.step("A sends INVALID with reasons of several lengths and kinds of characters.")
    for text in texts:
        a.send("INVALID", reason=text)
        a.expect_invalid("ZEPS-INVALID-7", "INVALID", "unexpected")
    t.step("The session is open.")
    a.barrier()


@case(
    "A body of DELIVER beyond the limit is not a command",
    "ZEPS-INVALID-1",
    "ZEPS-INVALID-2",
    polarity=NEGATIVE,
)
def broker_only_too_long(t: BrokerTrial) -> None:
    a = t.session("A")
    t.step("In an open session, A sends DELIVER with a body of one byte more than 16,777,216: bad input.")
    a.send("DELIVER", sequence=1, key="k", body=bytes(16_777_217))
    a.expect_invalid("ZEPS-INVALID-1", "a body of 16,777,217 bytes", "malformed")
    a.expect_no_session()


@case(
    "A reason has its form whatever the refused text is", "ZEPS-INVALID-8", "ZEPS-TEXT-2", polarity=NEGATIVE
)
def reason_stays_text(t: BrokerTrial) -> None:
    a = t.connect("A")
    t.step(
        "In an open session, A attaches again, with protocol names that are long, not ASCII, or contain "
        "characters that have a meaning in other formats."
    )
    for name in (
        "ZÉPS",
        "漢" * 85,
        "𝄞",
        "x" * 255,
        "é" * 127,
        "1 2 3",
        "%s%n{}",
        "' \"\\",
        "\u2028",
        "\u00a0",
    ):
        frame = t.codec.encode("ATTACH", protocol=name, stream=t.stream)
        a.attach()
        a.send_frame(frame)
        reason = a.expect_invalid("ZEPS-INVALID-8", f"protocol {name!a}")
        t.observe("a code and a text", repr(reason.text))
        a.expect_no_session()


@case(
    "After an INVALID that ends the session, the connection is usable or closed",
    "ZEPS-INVALID-2",
    "ZEPS-SESSION-6",
    polarity=NEGATIVE,
)
def may_close(t: BrokerTrial) -> None:
    t.step("A sends an invalid frame, and gets INVALID.")
    a = t.session("A")
    before = a.peer
    a.send_frame(b"\x00")
    a.expect_invalid("ZEPS-INVALID-1", "an invalid frame", "malformed")
    t.step("The session has ended: PING gets INVALID, or the connection is closed.")
    a.expect_no_session()
    t.step("Either the broker closes the connection, or A attaches over it and is served.")
    t.serve(a, "A is served again")
    how = (
        "over the same connection"
        if a.peer is before
        else "over a new connection, because the old one was closed"
    )
    t.observe("A is served after its refusal", how)


@case("INVALID ends the session, with subscriptions and credit", "ZEPS-INVALID-2", polarity=NEGATIVE)
def ends_session(t: BrokerTrial) -> None:
    t.step("A subscribes to a stream with plenty of credit, and then sends an invalid frame.")
    a, b = t.reader("A"), t.session("B")
    a.send_frame(b"\xaa\xa5\xff")
    a.expect_invalid("ZEPS-INVALID-1", "an unknown command")
    t.step("B publishes: A receives nothing, and its PING gets INVALID.")
    messages = t.messages(3)
    b.store(messages)
    a.expect_no_session()
    t.step("A attaches again: the subscription has ended; it subscribes: the credit has ended.")
    a.attach()
    a.grant(1)
    a.quiet("the subscription ended with the session", "ZEPS-INVALID-2")
    a.subscribe("", ALL)
    a.quiet("the credit ended with the session", "ZEPS-INVALID-2")
    a.grant(PLENTY)
    a.expect_items(t.items(messages))


@case("Each invalid frame gets its INVALID", "ZEPS-INVALID-1", "ZEPS-SESSION-1", polarity=NEGATIVE)
def one_each(t: BrokerTrial) -> None:
    t.step("A, in an open session, sends five invalid frames and ATTACH in one write.")
    a = t.session("A")
    bad = [
        b"",
        b"\x00",
        b"\xaa\xa5\x63",
        t.codec.encode("PING") + b"\x00",
        t.codec.encode("CREDIT", credit=1)[:-1],
    ]
    a.send_together([*bad, t.codec.encode("ATTACH", stream=t.stream)])
    t.step(
        "A receives INVALID five times, and then ATTACH-OK; unless the broker closes the connection after "
        "one."
    )
    try:
        for frame in bad:
            a.expect_invalid("ZEPS-INVALID-1", frame.hex(" ") or "the empty frame")
        a.expect("ATTACH-OK", "ZEPS-ATTACH-1")
        a.quiet("five invalid frames, five INVALID", "ZEPS-INVALID-1")
    except LostError:
        if not a.may_close:
            raise


@case("Invalid input does not change stored messages", "ZEPS-INVALID-3", polarity=NEGATIVE)
def harms_nothing_stored(t: BrokerTrial) -> None:
    messages = t.messages(5)
    t.fill(messages)
    t.step(
        "On a stream with five messages, A sends every command malformed in several ways, and publishes in "
        "between."
    )
    a = t.connect("A")
    for name in CLIENT_COMMANDS:
        frame = sample(t, name)
        bad: list[Malformed] = [*extended(t.codec, frame), *raised_lengths(t.codec, frame)]
        bad += list(truncated(t.codec, frame))[-2:] + list(wrong_signatures(t.codec, frame))[:2]
        for malformed in bad:
            a.attach()
            a.send_frame(malformed.frame)
            a.expect_invalid("ZEPS-INVALID-1", f"{name}, {malformed.label}")
        a.attach()
        a.store([(name, b"between")])
        messages.append((name, b"between"))
    t.step(
        "B reads the stream: the five messages have not changed, and A's valid messages follow without a gap."
    )
    t.reader("B").expect_items(t.items(messages), "ZEPS-INVALID-3")


@case("A refused PUBLISH takes no sequence", "ZEPS-INVALID-3", "ZEPS-SEQUENCE-2", polarity=NEGATIVE)
def bad_publish_stores_nothing(t: BrokerTrial) -> None:
    frame = t.codec.encode("PUBLISH", key="key", body=b"body")
    bad = [*truncated(t.codec, frame), *extended(t.codec, frame), *raised_lengths(t.codec, frame)]
    t.step("A subscribes to the stream; B alternately publishes valid and invalid messages.")
    a, b = t.reader("A"), t.connect("B")
    count = 0
    for malformed in bad:
        b.attach()
        b.send_together([t.codec.encode("PUBLISH", key="good", body=b"%d" % count), malformed.frame])
        b.expect_invalid("ZEPS-INVALID-1", malformed.label)
        count += 1
    t.step("A receives only the valid messages, numbered without gaps.")
    a.expect_items([Item(index + 1, "good", b"%d" % index) for index in range(count)], "ZEPS-INVALID-3")
    a.quiet("refused messages are not in the stream", "ZEPS-INVALID-3")


@case(
    "A session's invalid input does not affect other sessions",
    "ZEPS-INVALID-4",
    "ZEPS-SESSION-3",
    polarity=NEGATIVE,
)
def others_unmoved(t: BrokerTrial) -> None:
    messages = t.messages(12)
    t.step(
        "A subscribes to a stream with credit for six messages, B with plenty; O, on the same stream, has "
        "neither."
    )
    a = t.reader("A", credit=sum(t.cost(*message) for message in messages[:6]))
    b, c, offender = t.reader("B"), t.session("C"), t.session("O")
    t.step("C publishes twelve messages; between them O sends invalid input, alone and after subscriptions.")
    for index, (key, body) in enumerate(messages):
        c.store([(key, body)])
        if not offender.attached:
            offender.attach()
        if index % 3 == 0:
            offender.subscribe()
        offender.send_frame(t.random_bytes(1 + 5 * index))
        offender.expect_invalid("ZEPS-INVALID-1", "random bytes")
    t.step("A receives six messages, B twelve; their credit has not changed.")
    items = t.items(messages)
    a.expect_items(items[:6], "ZEPS-INVALID-4")
    a.quiet("the credit is used up", "ZEPS-INVALID-4")
    b.expect_items(items, "ZEPS-INVALID-4")
    a.grant(t.cost(*messages[6]))
    a.expect_items(items[6:7], "ZEPS-INVALID-4")
    a.quiet("the credit is used up", "ZEPS-INVALID-4")


@case("Random bytes are refused", "ZEPS-INVALID-1", "ZEPS-INVALID-4", polarity=NEGATIVE)
def random_octets(t: BrokerTrial) -> None:
    a = t.connect("A")
    t.step("A sends frames of random bytes, some with a valid signature, some with a valid command.")
    heads = (b"", t.codec.signature, *(sample(t, name)[:3] for name in CLIENT_COMMANDS))
    frames = [
        head + t.random_bytes(t.rng.choice((1, 2, 9, 40, 300, 3000))) for head in heads for _ in range(6)
    ]
    bad = [Malformed(f"{len(frame)} random bytes", "", frame) for frame in frames if _is_bad(t, frame)]
    count = refuse_each(a, bad, "ZEPS-INVALID-1")
    t.observe("every frame is refused", f"{count} frames")
    t.step("A sends some of them without a session, and a megabyte of zeros.")
    refuse_without_session(a, bad[::5], "ZEPS-INVALID-1")
    refuse_without_session(
        a, [Malformed("a megabyte of zeros", "bad-signature", bytes(1 << 20))], "ZEPS-INVALID-1"
    )


def _is_bad(t: BrokerTrial, frame: bytes) -> bool:
    return t.codec.render(frame).startswith("not a valid frame")


@case(
    "Input that is not ZMTP does not affect other connections",
    "ZEPS-INVALID-4",
    "ZEPS-INVALID-3",
    polarity=NEGATIVE,
)
def below_zmtp(t: BrokerTrial) -> None:
    wire = packaged_wire()
    hello = wire.greeting() + wire.ready(b"DEALER", [(b"Identity", b"")])
    attach = t.codec.encode("ATTACH", stream=t.stream)
    framed = bytes((0, len(attach))) + attach
    half = t.codec.encode("PUBLISH", key="half", body=b"a body that never ends")
    openings: tuple[tuple[str, bytes], ...] = (
        ("nothing at all", b""),
        ("a request of another protocol", b"GET / HTTP/1.1\r\nHost: broker\r\n\r\n"),
        ("ten bytes of a greeting", hello[:10]),
        ("half a greeting", hello[:40]),
        ("a greeting and half of READY", hello[:70]),
        ("a greeting with another mechanism", wire.greeting(mechanism=b"CURVE") + hello[64:]),
        ("random bytes", t.random_bytes(300)),
        ("a handshake and then random bytes", hello + b"\xff" + t.random_bytes(64)),
        (
            "a frame that announces 2^62 bytes",
            hello + framed + b"\x02" + (1 << 62).to_bytes(8, "big") + b"x",
        ),
        ("an ATTACH, and a truncated PUBLISH", hello + framed + bytes((0, len(half))) + half[:-5]),
        ("the first part of a message that never ends", hello + framed + b"\x01" + framed[1:]),
    )
    for index, (what, data) in enumerate(openings):
        t.step(f"A connection sends {what}, and is reset or closed.")
        with t.dial(f"Z{index}") as peer:
            if data:
                peer.send_raw(data, what)
            peer.listen(0.02)
            if index % 2:
                peer.reset()
    t.step("The stream is empty: the truncated PUBLISH is not in it.")
    t.reader("B").quiet("no message was complete", "ZEPS-INVALID-3")
    t.step("A ZMTP connection whose frame is not one of the protocol gets INVALID as usual.")
    last = t.session("L")
    last.send_frame(b"GET / HTTP/1.1")
    last.expect_invalid("ZEPS-INVALID-1", "a request of another protocol")
    last.expect_no_session()


@case(
    "A connection that breaks in the middle of a message publishes no part of it",
    "ZEPS-INVALID-3",
    polarity=NEGATIVE,
)
def broken_off(t: BrokerTrial) -> None:
    t.step("A publishes one message and half of another, and its connection is reset.")
    a = t.session("A")
    a.store([("whole", b"1")])
    frame = t.codec.encode("PUBLISH", key="half", body=t.random_bytes(200))
    a.peer.send_raw(bytes((0, len(frame))) + frame[:100], "the first half of a PUBLISH")
    a.vanish()
    t.step("B reads one message; C publishes, and its message is the second.")
    b = t.reader("B")
    b.expect_items([Item(1, "whole", b"1")], "ZEPS-INVALID-3")
    c = t.session("C")
    c.publish("next", b"2")
    b.expect_items([Item(2, "next", b"2")], "ZEPS-INVALID-3")
    t.step("A new connection in A's place sends an invalid frame, is refused, and is served again.")
    again = t.session("A2")
    again.send_frame(b"\xaa")
    again.expect_invalid("ZEPS-INVALID-1", "one byte")
    again.expect_no_session()
