"""ZEPS codec: every input decodes to a message or raises one named error. `make soak` takes 20,000 examples."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import struct
from collections.abc import Callable
from typing import Any

import pytest
from campaigns import sized
from hypothesis import example, given, settings
from hypothesis import strategies as st

from zeps_wire import zeps
from zeps_wire.errors import CODES, DecodeError, EncodeError
from zeps_wire.text import check_printable

U64 = 2**64 - 1
BODY_MAX = 16_777_216
CONTROLS = [*map(chr, range(0x20)), *map(chr, range(0x7F, 0xA0))]
BAD_UTF8 = [b"\xff", b"\xc3", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80"]
BAD_TEXT = [*BAD_UTF8, *(control.encode() for control in CONTROLS)]

texts = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=80).filter(
    lambda text: len(text.encode()) <= 255
)
numbers = st.integers(0, U64) | st.sampled_from([0, 1, 255, 256, 2**32 - 1, 2**63, U64])
bodies = st.binary(max_size=400)

MESSAGES: dict[type, st.SearchStrategy[Any]] = {
    zeps.Attach: st.builds(zeps.Attach, texts),
    zeps.AttachOk: st.just(zeps.AttachOk()),
    zeps.Subscribe: st.builds(zeps.Subscribe, texts, numbers),
    zeps.SubscribeOk: st.just(zeps.SubscribeOk()),
    zeps.Credit: st.builds(zeps.Credit, numbers),
    zeps.Publish: st.builds(zeps.Publish, texts, bodies),
    zeps.Deliver: st.builds(zeps.Deliver, numbers, texts, bodies),
    zeps.Ping: st.just(zeps.Ping()),
    zeps.PingOk: st.just(zeps.PingOk()),
    zeps.Detach: st.just(zeps.Detach()),
    zeps.DetachOk: st.just(zeps.DetachOk()),
    zeps.Invalid: st.builds(zeps.Invalid, texts),
}
messages = st.one_of(list(MESSAGES.values()))
TEXTUAL = (zeps.Attach, zeps.Subscribe, zeps.Publish, zeps.Deliver, zeps.Invalid)
with_text = st.one_of([MESSAGES[kind] for kind in TEXTUAL])

#: Each message with text, as a function of the text's bytes: frames that no encoder produces.
FORGED: dict[str, Callable[[bytes], bytes]] = {
    "ATTACH.stream": lambda text: b"\xaa\xa5\x01\x04ZEPS\x00\x01" + bytes([len(text)]) + text,
    "SUBSCRIBE.pattern": lambda text: b"\xaa\xa5\x03" + bytes([len(text)]) + text + bytes(8),
    "PUBLISH.key": lambda text: b"\xaa\xa5\x06" + bytes([len(text)]) + text + b"\x00\x00\x00\x01x",
    "DELIVER.key": lambda text: b"\xaa\xa5\x07" + bytes(8) + bytes([len(text)]) + text + b"\x00\x00\x00\x01x",
    "INVALID.reason": lambda text: b"\xaa\xa5\x0c" + bytes([len(text)]) + text,
}


def failure(data: bytes | bytearray | memoryview) -> DecodeError:
    with pytest.raises(DecodeError) as caught:
        zeps.decode(data)
    error = caught.value
    reason = str(error)
    assert error.code in CODES
    assert 0 <= error.offset <= len(data)
    assert reason.isascii()
    assert reason.isprintable()
    assert 0 < len(reason) <= 255
    assert zeps.Invalid(reason).encode()
    return error


def outcome(data: bytes) -> object:
    """Returns the message, or the frame's error."""
    try:
        return zeps.decode(data)
    except DecodeError as error:
        return error.code, error.message, error.field, error.offset


def length_fields(message: zeps.Message) -> list[tuple[str, int, int]]:
    """Returns the lengths in the message's frame: (field, offset, bytes)."""
    match message:
        case zeps.Attach():
            return [("protocol", 3, 1), ("stream", 10, 1)]
        case zeps.Subscribe() | zeps.Invalid():
            return [("pattern" if isinstance(message, zeps.Subscribe) else "reason", 3, 1)]
        case zeps.Publish(key=key):
            return [("key", 3, 1), ("body", 4 + len(key.encode()), 4)]
        case zeps.Deliver(key=key):
            return [("key", 11, 1), ("body", 12 + len(key.encode()), 4)]
        case _:
            return []


@settings(max_examples=sized(500, 20_000))
@given(messages)
@example(zeps.Publish("k" * 255, b""))
@example(zeps.Deliver(U64, "", bytes(range(256))))
def test_what_is_encoded_decodes_to_itself(message: zeps.Message) -> None:
    frame = message.encode()
    assert zeps.encode(message) == frame
    assert zeps.decode(frame) == message
    assert message.size() == len(frame)
    again = zeps.decode(memoryview(bytearray(frame)))
    assert again == message
    assert hash(again) == hash(message)


@settings(max_examples=sized(200, 20_000))
@given(messages)
def test_a_frame_cut_anywhere_is_truncated(message: zeps.Message) -> None:
    frame = message.encode()
    for size in range(len(frame)):
        error = failure(frame[:size])
        assert error.code == "truncated"
        assert error.message == (message.NAME if size >= 3 else None)
        assert error.offset <= size


@settings(max_examples=sized(150, 20_000))
@given(messages, st.binary(min_size=1, max_size=4))
def test_an_octet_more_is_trailing(message: zeps.Message, more: bytes) -> None:
    frame = message.encode()
    error = failure(frame + more)
    assert (error.code, error.message) == ("trailing", message.NAME)
    assert (error.field, error.offset) == (None, len(frame))


@settings(max_examples=sized(200, 20_000))
@given(with_text, st.data())
def test_a_length_raised_is_found(message: zeps.Message, data: st.DataObject) -> None:
    frame = message.encode()
    field, offset, size = data.draw(st.sampled_from(length_fields(message)))
    length = int.from_bytes(frame[offset : offset + size], "big")
    greatest = 256**size - 1
    if length == greatest:
        return
    raised = data.draw(st.integers(length + 1, greatest) | st.sampled_from([length + 1, greatest]))
    error = failure(frame[:offset] + raised.to_bytes(size, "big") + frame[offset + size :])
    if field == "protocol":
        assert (error.code, error.field, error.offset) == ("bad-constant", "protocol", 3)
    elif field == "body":
        code = "too-long" if raised > BODY_MAX else "truncated"
        assert (error.code, error.field, error.offset) == (code, "body", offset)
    elif (error.code, error.field) != ("truncated", field):
        # the following bytes were taken for text, and the first error is there
        assert error.message == message.NAME
        assert error.code in ("bad-text", "truncated", "too-long", "trailing")


@settings(max_examples=sized(150, 20_000))
@given(messages, st.binary(min_size=2, max_size=2).filter(lambda signature: signature != b"\xaa\xa5"))
def test_another_signature_is_no_frame_of_ours(message: zeps.Message, signature: bytes) -> None:
    error = failure(signature + message.encode()[2:])
    assert (error.code, error.message, error.field, error.offset) == ("bad-signature", None, None, 0)


@settings(max_examples=sized(100, 20_000))
@given(st.integers(0, 255).filter(lambda number: number not in zeps.MESSAGES), st.binary(max_size=30))
def test_an_unknown_number_is_named(number: int, rest: bytes) -> None:
    error = failure(b"\xaa\xa5" + bytes([number]) + rest)
    assert (error.code, error.message, error.offset) == ("unknown-message", None, 2)


@settings(max_examples=sized(100, 20_000))
@given(st.integers(3, 9), st.integers(1, 255), texts)
def test_another_constant_is_named(at: int, change: int, stream: str) -> None:
    frame = bytearray(zeps.Attach(stream).encode())
    frame[at] ^= change
    error = failure(frame)
    field, start = ("protocol", 3) if at < 8 else ("version", 8)
    assert (error.code, error.message, error.field) == ("bad-constant", "ATTACH", field)
    assert error.offset == start


@pytest.mark.parametrize("place", FORGED)
@settings(max_examples=sized(50, 20_000))
@given(texts, st.sampled_from(BAD_TEXT), texts)
def test_bad_text_is_named(place: str, before: str, bad: bytes, after: str) -> None:
    start = before.encode()[:100].decode(errors="ignore").encode()
    text = start + bad + after.encode()[:1] * after[:1].isascii()
    error = failure(FORGED[place](text))
    assert (error.code, f"{error.message}.{error.field}") == ("bad-text", place)
    with pytest.raises(DecodeError, match="bad-text"):
        check_printable(text)


@pytest.mark.parametrize("place", FORGED)
@pytest.mark.parametrize("character", CONTROLS, ids=lambda character: f"U+{ord(character):04X}")
def test_each_control_character_is_bad_text(place: str, character: str) -> None:
    assert failure(FORGED[place](f"a{character}".encode())).code == "bad-text"


@settings(max_examples=sized(50, 20_000))
@given(texts)
def test_good_text_passes_the_check_of_bytes(text: str) -> None:
    check_printable(text.encode())


@settings(max_examples=sized(300, 20_000))
@given(st.binary(max_size=60) | st.binary(max_size=40).map(lambda rest: b"\xaa\xa5" + rest))
def test_random_bytes_are_a_message_or_a_named_error(data: bytes) -> None:
    try:
        message = zeps.decode(data)
    except DecodeError:
        failure(data)
    else:
        assert message.encode() == data


@settings(max_examples=sized(200, 20_000))
@given(messages, st.data())
def test_damaged_bytes_are_a_message_or_a_named_error(message: zeps.Message, data: st.DataObject) -> None:
    frame = bytearray(message.encode())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(frame) - 1))
        frame[at] = data.draw(st.integers(0, 255))
    result = outcome(bytes(frame))
    if not isinstance(result, tuple):
        assert result.encode() == frame  # type: ignore[attr-defined]


@settings(max_examples=sized(100, 20_000))
@given(messages, messages, st.data())
def test_nothing_of_an_earlier_message_shows(
    first: zeps.Message, second: zeps.Message, data: st.DataObject
) -> None:
    """The result for a frame does not depend on frames decoded before it, valid or invalid."""
    frame = second.encode()
    cut = frame[: data.draw(st.integers(0, len(frame)))]
    alone = outcome(cut)
    before = zeps.decode(first.encode())
    for encoded in (frame, cut, first.encode(), cut):
        outcome(encoded)
    assert outcome(cut) == alone
    assert before == first


@settings(max_examples=sized(150, 20_000))
@given(with_text | MESSAGES[zeps.Credit], st.data())
def test_scan_tells_where_content_lies(message: zeps.Message, data: st.DataObject) -> None:
    scans = {
        zeps.Attach: (zeps.scan_attach, ["stream"]),
        zeps.Subscribe: (zeps.scan_subscribe, ["pattern"]),
        zeps.Publish: (zeps.scan_publish, ["key", "body"]),
        zeps.Deliver: (zeps.scan_deliver, ["key", "body"]),
        zeps.Invalid: (zeps.scan_invalid, ["reason"]),
    }
    if type(message) not in scans:
        return
    scan, names = scans[type(message)]
    frame = message.encode()
    bounds = scan(frame)
    for index, name in enumerate(names):
        content = getattr(message, name)
        encoded = content.encode() if isinstance(content, str) else content
        assert frame[bounds[2 * index] : bounds[2 * index + 1]] == encoded
    cut = data.draw(st.integers(3, len(frame)))
    broken = frame[:cut] + data.draw(st.binary(max_size=2))
    result = outcome(broken)
    if not isinstance(result, tuple):
        assert scan(broken)
    elif result[0] != "bad-text":
        with pytest.raises(DecodeError) as caught:
            scan(broken)
        error = caught.value
        assert (error.code, error.message, error.field, error.offset) == result


@settings(max_examples=sized(50, 20_000))
@given(numbers, texts, bodies)
def test_heads_are_what_frames_begin_with(sequence: int, key: str, body: bytes) -> None:
    frame = zeps.Deliver(sequence, key, body).encode()
    publish = zeps.Publish(key, body).encode()
    assert publish.startswith(zeps.PUBLISH_HEAD)
    assert zeps.deliver_head(sequence) + publish[len(zeps.PUBLISH_HEAD) :] == frame
    assert len(zeps.deliver_head(sequence)) == zeps.DELIVER_HEAD_SIZE
    assert zeps.unpack_deliver_head(b"x" + frame, 1) == (sequence,)


def test_a_body_may_be_as_long_as_the_limit_and_no_longer() -> None:
    body = bytes(BODY_MAX)
    assert zeps.decode(zeps.Publish("k", body).encode()) == zeps.Publish("k", body)
    for message in (zeps.Publish("k", body + b"x"), zeps.Deliver(1, "k", body + b"x")):
        with pytest.raises(EncodeError) as caught:
            message.encode()
        assert (caught.value.code, caught.value.field) == ("too-long", "body")
    error = failure(b"\xaa\xa5\x06\x01k" + struct.pack(">I", BODY_MAX + 1) + body + b"x")
    assert (error.code, error.field, error.offset) == ("too-long", "body", 5)


@pytest.mark.parametrize(
    ("message", "code", "field"),
    [
        (zeps.Attach("x" * 256), "too-long", "stream"),
        (zeps.Attach("é" * 128), "too-long", "stream"),
        (zeps.Attach("a\nb"), "bad-text", "stream"),
        (zeps.Attach("\ud800"), "bad-text", "stream"),
        (zeps.Subscribe("x", 2**64), "too-long", "latest"),
        (zeps.Subscribe("x", -1), "too-long", "latest"),
        (zeps.Subscribe("\x9f", 0), "bad-text", "pattern"),
        (zeps.Credit(-1), "too-long", "credit"),
        (zeps.Deliver(2**64, "k", b""), "too-long", "sequence"),
        (zeps.Deliver(1, "\x7f", b""), "bad-text", "key"),
        (zeps.Invalid("r" * 256), "too-long", "reason"),
    ],
)
def test_what_a_frame_cannot_carry_is_not_encoded(message: zeps.Message, code: str, field: str) -> None:
    with pytest.raises(EncodeError) as caught:
        message.encode()
    assert (caught.value.code, caught.value.message, caught.value.field) == (code, message.NAME, field)


def test_a_number_is_a_number() -> None:
    with pytest.raises(TypeError, match=r"CREDIT\.credit"):
        zeps.Credit("7").encode()  # type: ignore[arg-type]
    with pytest.raises(EncodeError, match=r"too-long: DELIVER\.sequence"):
        zeps.deliver_head(-1)


@pytest.mark.parametrize("message", [zeps.Deliver(7, "k", b"b"), zeps.Ping(), zeps.Attach("s")])
def test_messages_are_frozen_values(message: zeps.Message) -> None:
    decoded = zeps.decode(message.encode())
    assert type(decoded) is type(message)
    assert repr(decoded) == repr(message)
    assert pickle.loads(pickle.dumps(decoded)) == copy.deepcopy(decoded) == message
    assert not hasattr(decoded, "__dict__")
    for field in dataclasses.fields(decoded):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(decoded, field.name, 0)
    assert dataclasses.replace(decoded) == message


def test_the_seeds_bytes() -> None:
    """The frames of the specification, octet for octet."""
    frames = {
        zeps.Attach("weather"): "aaa501 04 5a455053 0001 07 77656174686572",
        zeps.AttachOk(): "aaa502",
        zeps.Subscribe("uk.", 7): "aaa503 03 756b2e 0000000000000007",
        zeps.SubscribeOk(): "aaa504",
        zeps.Credit(65536): "aaa505 0000000000010000",
        zeps.Publish("uk.rain", b"now"): "aaa506 07 756b2e7261696e 00000003 6e6f77",
        zeps.Deliver(1, "uk.rain", b"now"): "aaa507 0000000000000001 07 756b2e7261696e 00000003 6e6f77",
        zeps.Ping(): "aaa508",
        zeps.PingOk(): "aaa509",
        zeps.Detach(): "aaa50a",
        zeps.DetachOk(): "aaa50b",
        zeps.Invalid("no"): "aaa50c 02 6e6f",
    }
    assert {type(message) for message in frames} == set(zeps.MESSAGES.values())
    for message, digits in frames.items():
        assert message.encode() == bytes.fromhex(digits)
        assert zeps.decode(bytes.fromhex(digits)) == message
    assert (zeps.LATEST_ALL, zeps.LATEST_NEW) == (0, U64)
    assert (zeps.Attach.PROTOCOL, zeps.Attach.VERSION) == ("ZEPS", 1)
    assert (zeps.Attach.ID, zeps.AttachOk.ID, zeps.AttachOk.NAME) == (1, 2, "ATTACH-OK")
