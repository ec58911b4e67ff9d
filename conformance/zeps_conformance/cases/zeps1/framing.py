"""Frames: signature, numbers, a single part, and the exact number of bytes."""

from __future__ import annotations

from zeps_conformance.broker.session import ALL, Item
from zeps_conformance.broker.trial import BrokerTrial
from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zeps1.refusals import (
    BROKER_ONLY,
    CLIENT_COMMANDS,
    NEGATIVE,
    SAMPLES,
    refuse_each,
    refuse_without_session,
    sample,
)
from zeps_conformance.model.malform import Malformed, extended, raised_lengths, truncated, wrong_signatures


@case("A frame with another signature is refused", "ZEPS-FRAME-1", polarity=NEGATIVE)
def signature(t: BrokerTrial) -> None:
    a = t.connect("A")
    t.step(
        "In an open session, A sends PING with its signature reversed, missing, and with each bit of it "
        "flipped."
    )
    refuse_each(a, wrong_signatures(t.codec, t.codec.encode("PING")), "ZEPS-FRAME-1")
    t.step(
        "Without a session, A sends PING and ATTACH, each with its signature reversed, missing, and with one "
        "bit flipped."
    )
    refuse_without_session(a, list(wrong_signatures(t.codec, t.codec.encode("PING")))[:3], "ZEPS-FRAME-1")
    refuse_without_session(a, list(wrong_signatures(t.codec, sample(t, "ATTACH")))[:3], "ZEPS-FRAME-1")


@case("A frame with another signature is refused, whatever its command is", "ZEPS-FRAME-1", polarity=NEGATIVE)
def signature_of_each(t: BrokerTrial) -> None:
    a = t.connect("A")
    t.step("In an open session, A sends every command with its signature reversed, and with one bit flipped.")
    for name in SAMPLES:
        bad = list(wrong_signatures(t.codec, sample(t, name)))
        refuse_each(a, (bad[0], bad[-1]), "ZEPS-FRAME-1")


@case("A frame too short to contain a command is refused", "ZEPS-FRAME-1", polarity=NEGATIVE)
def empty(t: BrokerTrial) -> None:
    head = t.codec.encode("PING")
    bad = [Malformed(f"{size} bytes", "truncated", head[:size]) for size in (0, 1, 2)]
    bad.append(Malformed("one byte that begins no valid frame", "bad-signature", b"\x00"))
    a = t.connect("A")
    t.step("A sends frames of 0, 1 and 2 bytes, in an open session and without a session.")
    refuse_each(a, bad, "ZEPS-FRAME-1")
    refuse_without_session(a, bad, "ZEPS-FRAME-1")


@case("An undefined command number is refused", "ZEPS-FRAME-6", polarity=NEGATIVE)
def unknown_command(t: BrokerTrial) -> None:
    last = max(message.id for message in t.codec.model.messages)
    bad = [
        Malformed(
            f"command {number}{' with fields' if tail else ''}",
            "unknown-message",
            t.codec.signature + bytes((number,)) + tail,
        )
        for number in (0, last + 1, 127, 128, 255)
        for tail in (b"", b"\x00\x01\x02\x03")
    ]
    a = t.connect("A")
    t.step("In an open session of version 1, A sends command numbers that version 1 does not define.")
    refuse_each(a, bad, "ZEPS-FRAME-6")
    t.step(
        "A sends the same without a session, except the next number, which may open a session of another "
        "version."
    )
    refuse_without_session(a, bad[:2] + bad[4:], "ZEPS-FRAME-6")


@case("Numbers of 8 bytes are in network byte order", "ZEPS-FRAME-2")
def byte_order_latest(t: BrokerTrial) -> None:
    t.step("A stream contains 5 messages; A subscribes with latest 2.")
    items = t.fill(t.messages(5))
    a = t.reader("A", "", 2)
    t.step(
        "A receives 3 to 5, numbered in network byte order; in the wrong order, 2 would be beyond the end."
    )
    a.expect_items(items[2:], "ZEPS-FRAME-2")
    t.step("B subscribes with latest 2 in reversed byte order: that is refused, as beyond the end.")
    b = t.session("B")
    b.send("SUBSCRIBE", pattern="", latest=2 << 56)
    b.expect_invalid("ZEPS-FRAME-2", "a latest of 2^57", "beyond-end")


@case("Credit is in network byte order", "ZEPS-FRAME-2", "ZEPS-CREDIT-2")
def byte_order_credit(t: BrokerTrial) -> None:
    messages = t.messages(3)
    items = t.fill(messages)
    cost = t.cost(*messages[0])
    t.step(
        "A grants the cost of one message: one message arrives. In the wrong byte order, it would be "
        "enough for all."
    )
    a = t.reader("A", "", ALL, credit=cost)
    a.expect_items(items[:1], "ZEPS-FRAME-2")
    a.quiet("the credit is used up", "ZEPS-FRAME-2")
    t.step("A grants 2^56 bytes, which is 1 in the wrong byte order: everything arrives.")
    a.grant(1 << 56)
    a.expect_items(items[1:], "ZEPS-FRAME-2")


@case("A message of several parts is refused", "ZEPS-FRAME-8", polarity=NEGATIVE)
def one_part(t: BrokerTrial) -> None:
    ping, publish = t.codec.encode("PING"), t.codec.encode("PUBLISH", key="part", body=b"x")
    shapes: tuple[tuple[str, tuple[bytes, ...]], ...] = (
        ("two commands", (ping, ping)),
        ("a command and an empty part", (ping, b"")),
        ("an empty part and a command, as REQ sends", (b"", ping)),
        ("a PUBLISH with its body in several parts", (publish[:-1], publish[-1:])),
        ("a PUBLISH and a second part", (publish, b"more")),
        ("nine empty parts", (b"",) * 9),
    )
    a = t.connect("A")
    for what, parts in shapes:
        a.attach()
        t.step(f"In an open session, A sends {what} as one message.")
        a.send_parts(*parts)
        a.expect_invalid("ZEPS-FRAME-8", what, "malformed")
        a.expect_no_session()
    t.step("Without a session, A sends an ATTACH of two parts.")

    def attach_in_parts() -> None:
        a.send_parts(sample(t, "ATTACH"), b"")
        a.expect_invalid("ZEPS-FRAME-8", "an ATTACH of two parts", "malformed")

    a.unless_closed(attach_in_parts)
    a.expect_no_session("ZEPS-FRAME-8")
    t.step("No refused command is in the stream.")
    b = t.reader("B")
    b.quiet("no PUBLISH was valid", "ZEPS-FRAME-8")


def _truncated(t: BrokerTrial, name: str) -> None:
    a = t.connect("A")
    t.step("In an open session, A sends the command truncated at every byte; each gets INVALID.")
    frame = sample(t, name)
    refuse_each(a, truncated(t.codec, frame), "ZEPS-FRAME-5")
    t.step("Without a session, A sends it truncated by one byte.")
    refuse_without_session(a, list(truncated(t.codec, frame))[-1:], "ZEPS-FRAME-5")


def _extended(t: BrokerTrial, name: str) -> None:
    a = t.connect("A")
    t.step("In an open session, A sends the command with bytes after its last field; each gets INVALID.")
    frame = sample(t, name)
    refuse_each(a, extended(t.codec, frame), "ZEPS-FRAME-4")
    t.step("Without a session, A sends the same.")
    refuse_without_session(a, extended(t.codec, frame), "ZEPS-FRAME-4")


def _raised(t: BrokerTrial, name: str) -> None:
    a = t.connect("A")
    t.step("In an open session, A sends the command with each of its lengths increased; each gets INVALID.")
    refuse_each(a, raised_lengths(t.codec, sample(t, name)), "ZEPS-FRAME-5")


for _name in (*CLIENT_COMMANDS, "DETACH-OK", *BROKER_ONLY):
    case(
        f"{_name} truncated at any byte is refused",
        "ZEPS-FRAME-5",
        subject=f"truncated-{_name.lower()}",
        polarity=NEGATIVE,
    )(_truncated, _name)
    case(
        f"{_name} with trailing bytes is refused",
        "ZEPS-FRAME-4",
        subject=f"trailing-{_name.lower()}",
        polarity=NEGATIVE,
    )(_extended, _name)
for _name in ("ATTACH", "SUBSCRIBE", "PUBLISH", "DELIVER", "INVALID"):
    case(
        f"{_name} with a length beyond the end of the frame is refused",
        "ZEPS-FRAME-5",
        "ZEPS-CHUNK-2" if _name in ("PUBLISH", "DELIVER") else "ZEPS-TEXT-1",
        subject=f"raised-length-{_name.lower()}",
        polarity=NEGATIVE,
    )(_raised, _name)


@case("A small command in ZMTP's long form is equal to one in the short form", "ZEPS-FRAME-3")
def long_frame_form(t: BrokerTrial) -> None:
    t.step("A sends PUBLISH as a ZMTP frame with an 8-byte length, although its size fits into one byte.")
    a = t.reader("A")
    frame = t.codec.encode("PUBLISH", key="long", body=b"form")
    a.peer.send_raw(b"\x02" + len(frame).to_bytes(8, "big") + frame, "PUBLISH in ZMTP's long form")
    t.step("It is stored and delivered as usual.")
    a.expect_items([Item(1, "long", b"form")])
