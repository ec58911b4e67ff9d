"""ZMTP without sockets: the engine's output, and its lenient input."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zeps_conformance.wire.zmtp_codec import packaged_wire
from zeps_conformance.wire.zmtp_engine import Engine, Ready, ReceivedCommand, ReceivedMessage, ZmtpError

WIRE = packaged_wire()


def command_frame(name: bytes, data: bytes) -> bytes:
    """A command with the given bytes as its fields, whatever the models define."""
    return WIRE.frame(bytes((len(name),)) + name + data, command=True)


def shaken() -> Engine:
    engine = Engine(b"DEALER")
    engine.feed(WIRE.greeting() + WIRE.ready(b"ROUTER"))
    engine.answers.clear()
    return engine


def test_the_greeting_has_64_bytes() -> None:
    greeting = WIRE.greeting()
    assert len(greeting) == 64
    assert greeting[:12] == b"\xff" + bytes(8) + b"\x7f\x03\x01"
    assert greeting[12:32] == b"NULL".ljust(20, b"\x00")
    assert greeting[32:] == bytes(32)


def test_ready_names_type_and_identity() -> None:
    assert WIRE.ready(b"DEALER", [(b"Identity", b"me")]) == (
        b"\x04\x2b\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER\x08Identity\x00\x00\x00\x02me"
    )
    assert b"Identity" not in WIRE.ready(b"ROUTER")


def test_a_handshake_octet_by_octet() -> None:
    engine, events = Engine(b"DEALER", b"id"), []
    for octet in WIRE.greeting() + WIRE.ready(b"ROUTER") + WIRE.message(b"hello"):
        events += engine.feed(bytes((octet,)))
    assert events == [Ready({"socket-type": b"ROUTER"}), ReceivedMessage((b"hello",))]
    assert bytes(engine.answers) == WIRE.ready(b"DEALER", [(b"Identity", b"id")])


def test_the_first_ten_bytes_are_enough_to_wait_for() -> None:
    engine = Engine(b"DEALER")
    assert engine.feed(WIRE.greeting()[:10]) == []
    assert not engine.greeted
    engine.feed(WIRE.greeting()[10:])
    assert engine.greeted


def test_padding_minor_version_and_unknown_properties_do_not_matter() -> None:
    engine = Engine(b"DEALER")
    odd = b"\xff\x00\x00\x00\x00\x00\x00\x00\x01\x7f\x03\x09" + WIRE.greeting()[12:]
    ready = command_frame(b"READY", b"\x0bSOCKET-TYPE\x00\x00\x00\x06ROUTER\x03X-a\x00\x00\x00\x00")
    assert engine.feed(odd + ready) == [Ready({"socket-type": b"ROUTER", "x-a": b""})]


@given(st.lists(st.lists(st.binary(max_size=300), min_size=1, max_size=4), max_size=6), st.randoms())
def test_messages_come_whole_however_they_are_cut(messages: list[list[bytes]], random: object) -> None:
    engine, events = shaken(), []
    stream = b"".join(WIRE.message(*parts) for parts in messages)
    while stream:
        size = random.randrange(1, len(stream) + 1)  # type: ignore[attr-defined]
        events += engine.feed(stream[:size])
        stream = stream[size:]
    assert events == [ReceivedMessage(tuple(parts)) for parts in messages]


@pytest.mark.parametrize(
    ("size", "head"), [(0, b"\x00\x00"), (255, b"\x00\xff"), (256, b"\x02" + (256).to_bytes(8, "big"))]
)
def test_short_frames_end_at_255(size: int, head: bytes) -> None:
    assert WIRE.frame(bytes(size))[: len(head)] == head


def test_a_long_frame_may_be_small() -> None:
    assert shaken().feed(b"\x02" + (2).to_bytes(8, "big") + b"hi") == [ReceivedMessage((b"hi",))]


def test_a_command_is_named_by_its_length() -> None:
    assert shaken().feed(command_frame(b"\x01", b"data")) == [ReceivedCommand("\x01", b"data")]


def test_ping_is_answered_with_its_context() -> None:
    engine = shaken()
    assert engine.feed(command_frame(b"PING", b"\x00\x0acontext")) == [
        ReceivedCommand("PING", b"\x00\x0acontext")
    ]
    assert bytes(engine.answers) == command_frame(b"PONG", b"context")


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"HTTP/1.1 400", "does not begin with %xFF"),
        (b"\xff" + bytes(8) + b"\x7e", "ZMTP 1"),
        (b"\xff" + bytes(8) + b"\x7f\x01", "version 1"),
        (WIRE.greeting(mechanism=b"CURVE"), "mechanism 'CURVE'"),
        (WIRE.greeting() + b"\x00\x01x", "a message before READY"),
        (WIRE.greeting() + b"\x08\x00", "invalid flags: %x08"),
        (WIRE.greeting() + b"\x04\x00", "a command without a name"),
        (WIRE.greeting() + command_frame(b"READY", b"\x05x"), "malformed metadata"),
        (WIRE.greeting() + command_frame(b"READY", b"\x00\x00\x00\x00\x00"), "malformed metadata"),
        (WIRE.greeting() + command_frame(b"ERROR", b"\x03no!"), "ERROR: 'no!'"),
        (WIRE.greeting() + b"\x02" + (1 << 40).to_bytes(8, "big"), "a frame of 1099511627785 bytes"),
    ],
)
def test_what_breaks_the_protocol_is_said(data: bytes, complaint: str) -> None:
    with pytest.raises(ZmtpError, match=complaint):
        Engine(b"DEALER").feed(data)
