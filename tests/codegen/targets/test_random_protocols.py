"""Random protocols: generated code agrees with the interpreter, with which it shares no code."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from campaigns import sized
from hypothesis import given, settings
from hypothesis import strategies as st
from random_protocols import fields_by_attribute, generated, messages, plain, plans, protocols, scan_of

from zeps_codegen import interpret
from zeps_codegen.ir import Field, FieldType, Protocol
from zeps_wire.errors import CODES, DecodeError, EncodeError

EXAMPLES = sized(20, 3000)


def frames_of(message: Any) -> list[bytes]:
    return message.encode_frames() if hasattr(message, "encode_frames") else [message.encode()]


def decoded(module: ModuleType, frames: Sequence[bytes]) -> Any:
    return module.decode_frames(frames) if hasattr(module, "decode_frames") else module.decode(frames[0])


def oracle_values(protocol: Protocol, frames: Sequence[bytes]) -> dict[str, Any]:
    """The values that the interpreter reads; fields of several frames are lists."""
    interpreted = interpret.decode(protocol, frames)
    head = {"signature": 2, "pubsub": 2, "octet": 1, "name": 1, "constant": 0}[protocol.dispatch.value]
    values: dict[str, Any] = {}
    for field in interpreted.message.fields:
        seen = [
            item.value for item in interpreted.fields[head:] if item.name == field.name and not item.constant
        ]
        if field.value is None and seen:
            values[field.name] = seen if field.type is FieldType.MSG else seen[-1]
    return values


def outcome(call: Callable[[], Any], error: type[Exception]) -> Any:
    """The return value of `call`, or the error of that type that it raises."""
    try:
        return call()
    except error as raised:
        return raised


def assert_same_values(protocol: Protocol, frames: Sequence[bytes], message: Any) -> None:
    plan = plans(protocol)[message.NAME]
    expected = oracle_values(protocol, frames)
    for name, field in fields_by_attribute(plan).items():
        assert plain(field, getattr(message, name)) == expected[field.name], field


@settings(max_examples=EXAMPLES)
@given(st.data())
def test_round_trip(data: st.DataObject) -> None:
    protocol = data.draw(protocols())
    with generated(protocol) as module:
        for plan in plans(protocol).values():
            message = data.draw(messages(module, plan))
            frames = frames_of(message)
            assert message.size() == sum(map(len, frames))
            assert decoded(module, frames) == message
            assert_same_values(protocol, frames, message)
            scan = scan_of(module, plan.message.name)
            if scan is not None and len(frames) == 1:
                bounds = scan(frames[0])
                assert list(bounds) == sorted(bounds)
                assert bounds[-1] <= len(frames[0])


def damaged(draw: Any, frames: list[bytes]) -> list[bytes]:
    """The frames, possibly with an error."""
    frame = frames[0]
    match draw(st.sampled_from(["cut", "extend", "octet", "octets", "random", "frames"])):
        case "cut":
            frame = frame[: draw(st.integers(0, len(frame)))]
        case "extend":
            frame += draw(st.binary(min_size=1, max_size=3))
        case "octet":
            at = draw(st.integers(0, max(0, len(frame) - 1)))
            frame = frame[:at] + draw(st.sampled_from([b"\xff", b"\x00", b"\x80", b"\x01"])) + frame[at + 1 :]
        case "octets":
            at = draw(st.integers(0, len(frame)))
            frame = frame[:at] + draw(st.binary(max_size=9)) + frame[at + draw(st.integers(0, 9)) :]
        case "random":
            frame = frame[: draw(st.integers(0, 6))] + draw(st.binary(max_size=40))
        case _:
            return frames[: draw(st.integers(1, len(frames)))] + draw(
                st.lists(st.binary(max_size=5), max_size=2)
            )
    return [frame, *frames[1:]]


def constant_named(protocol: Protocol, message: str | None, field: str | None) -> Field | None:
    for candidate in protocol.messages:
        for item in candidate.fields:
            if candidate.name == message and item.name == field and item.value is not None:
                return item
    return None


def assert_same_error(protocol: Protocol, error: DecodeError, fault: interpret.DecodeFault) -> None:
    assert error.code in CODES
    assert (error.message, error.field, error.offset) == (fault.message, fault.field, fault.offset), (
        error,
        fault,
    )
    if constant_named(protocol, error.message, error.field) is None:
        assert error.code == fault.code
    else:  # the interpreter decodes a constant like any value, and may report its length or text first
        assert error.code in ("bad-constant", "truncated")


@settings(max_examples=EXAMPLES * 3)
@given(st.data())
def test_damage_is_found_where_it_is(data: st.DataObject) -> None:
    protocol = data.draw(protocols())
    with generated(protocol) as module:
        plan = data.draw(st.sampled_from(list(plans(protocol).values())))
        whole = frames_of(data.draw(messages(module, plan)))
        for _ in range(8):
            frames = damaged(data.draw, whole)
            frames = frames if hasattr(module, "decode_frames") else frames[:1]
            result = outcome(functools.partial(decoded, module, frames), DecodeError)
            if not isinstance(result, DecodeError):
                assert_same_values(protocol, frames, result)
                assert decoded(module, frames_of(result)) == result
            elif (result.field, result.code) != ("topic", "bad-text"):  # the interpreter accepts any topic
                fault = outcome(functools.partial(interpret.decode, protocol, frames), interpret.DecodeFault)
                assert isinstance(fault, interpret.DecodeFault), result
                assert_same_error(protocol, result, fault)


@settings(max_examples=EXAMPLES)
@given(st.data())
def test_scan_finds_what_decode_finds(data: st.DataObject) -> None:
    protocol = data.draw(protocols())
    with generated(protocol) as module:
        for plan in plans(protocol).values():
            scan = scan_of(module, plan.message.name)
            if scan is None:
                continue
            frame = damaged(data.draw, frames_of(data.draw(messages(module, plan)))[:1])[0]
            missed = outcome(functools.partial(scan, frame), DecodeError)
            if isinstance(missed, DecodeError):
                result = outcome(functools.partial(decoded, module, [frame]), DecodeError)
                # decode checks text too, and identifies the message by its beginning
                assert isinstance(result, DecodeError) or plan.message.name != result.NAME
                if (
                    isinstance(result, DecodeError)
                    and result.message == plan.message.name
                    and result.code != "bad-text"
                ):
                    assert str(result) == str(missed)


@settings(max_examples=EXAMPLES)
@given(st.data())
def test_heads_are_what_frames_begin_with(data: st.DataObject) -> None:
    """`…_head` encodes the beginning of a frame; `unpack_…_head` reads it at any offset, or reports decode's error."""
    protocol = data.draw(protocols())
    with generated(protocol) as module:
        for plan in plans(protocol).values():
            unpack = getattr(module, f"unpack_{plan.lower}_head", None)
            if unpack is None:
                continue
            whole = frames_of(data.draw(messages(module, plan)))
            frame, size = whole[0], getattr(module, f"{plan.upper}_HEAD_SIZE")
            values = unpack(b"before" + frame, 6)
            head = getattr(module, f"{plan.lower}_head")(*values)
            assert len(head) == size
            assert unpack(memoryview(head)) == values
            damaged_head = damaged(data.draw, [frame])[0][:size]
            missed = outcome(functools.partial(unpack, damaged_head), DecodeError)
            result = outcome(functools.partial(decoded, module, [damaged_head]), DecodeError)
            if isinstance(missed, DecodeError) and result.message == plan.message.name:
                assert str(result) == str(missed)


@settings(max_examples=EXAMPLES)
@given(st.data())
def test_the_slow_codec_does_the_same(data: st.DataObject) -> None:
    """The slow codec of the runtime agrees with the generated functions."""
    protocol = data.draw(protocols())
    with generated(protocol) as module:
        for plan in plans(protocol).values():
            layout = getattr(module, f"_{plan.upper}_LAYOUT")
            message = data.draw(messages(module, plan))
            frames = frames_of(message)
            assert layout.write(message) == frames
            assert type(message)(**layout.read(frames[0], frames)) == message
            scan = scan_of(module, plan.message.name)
            if scan is not None:
                assert layout.scan(frames[0]) == scan(frames[0])


@settings(max_examples=EXAMPLES)
@given(st.data())
def test_encoders_refuse_what_their_decoders_would(data: st.DataObject) -> None:
    """An encoder raises EncodeError, or its frame decodes to the original values."""
    protocol = data.draw(protocols())
    with generated(protocol) as module:
        plan = data.draw(st.sampled_from(list(plans(protocol).values())))
        message = data.draw(messages(module, plan))
        if not fields_by_attribute(plan):
            return
        name, field = data.draw(st.sampled_from(list(fields_by_attribute(plan).items())))
        wild = data.draw(_wild(field, plain(field, getattr(message, name))))
        given_ = {name: getattr(message, name) for name in message.__match_args__}
        bad = getattr(module, plan.class_name)(**given_ | {name: wild})
        frames = outcome(functools.partial(frames_of, bad), EncodeError)
        if isinstance(frames, EncodeError):
            assert frames.code in CODES
            assert frames.field is None or frames.message == plan.message.name
        else:
            assert decoded(module, frames) == bad


def _wild(field: Field, value: Any) -> st.SearchStrategy[Any]:
    """Values of the right type, valid or invalid."""
    match field.type:
        case FieldType.NUMBER | FieldType.VARINT:
            return st.sampled_from(
                [-(2**70), -1, 0, 3, 127, 128, 255, 256, 2**16, 2**32, 2**63, 2**64 - 1, 2**64]
            )
        case FieldType.STRING if not isinstance(value, str) or field.text.value == "octets":
            return st.sampled_from([b"", b"x" * 255, b"x" * 256, b"x" * 70_000])
        case FieldType.STRING:
            return st.sampled_from(
                ["", "a b", "\x07", "\x85", "\ud800", "é" * 128, "x" * 256, "x" * 70_000, "a\0"]
            )
        case FieldType.LIST if field.items is not None:
            return st.lists(_wild(field.items, ""), max_size=5).map(tuple)
        case FieldType.OCTETS | FieldType.CHUNK | FieldType.REST | FieldType.FRAME:
            return st.sampled_from([b"", b"x", b"x" * 255, b"x" * 256, b"x" * 70_000])
        case FieldType.MSG:
            return st.sampled_from([(), (b"",), (b"x" * 9, b"")])
        case FieldType.STRINGS:
            texts = st.sampled_from(
                [b"x", b""] if field.text.value == "octets" else ["a b", "\x07", "\ud800", ""]
            )
            return st.lists(texts, max_size=5).map(tuple)
        case FieldType.HASH:
            is_bytes = field.text.value == "octets"
            texts = st.sampled_from([b"x", b"x" * 256] if is_bytes else ["a b", "\x07", "\ud800", "é" * 130])
            return st.lists(st.tuples(texts, texts), max_size=4).map(tuple)
        case _:
            return st.sampled_from([b"", b"x" * 15, b"x" * 16, b"x" * 17])
