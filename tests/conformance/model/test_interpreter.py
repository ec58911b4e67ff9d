"""The interpreter: hand-written frames, and properties over everything that the model allows."""

from __future__ import annotations

from dataclasses import replace

import pytest
from frame_strategies import malformed_frames, messages
from hypothesis import given
from hypothesis import strategies as st

from zeps_conformance.model.definitions import Field, Message, Model, load_model
from zeps_conformance.model.interpreter import CODES, Interpreter, MalformedFrameError, UnsupportedModelError

CODEC = Interpreter(load_model())

BY_HAND = [
    ("ATTACH", {"stream": "s"}, "aa a5 01 04 5a 45 50 53 00 01 01 73"),
    ("ATTACH-OK", {}, "aa a5 02"),
    ("SUBSCRIBE", {"pattern": "a.", "latest": 258}, "aa a5 03 02 61 2e 00 00 00 00 00 00 01 02"),
    ("SUBSCRIBE-OK", {}, "aa a5 04"),
    ("CREDIT", {"credit": 1 << 56}, "aa a5 05 01 00 00 00 00 00 00 00"),
    ("PUBLISH", {"key": "é", "body": b"\x00\xff"}, "aa a5 06 02 c3 a9 00 00 00 02 00 ff"),
    ("DELIVER", {"sequence": 1, "key": "", "body": b""}, "aa a5 07 00 00 00 00 00 00 00 01 00 00 00 00 00"),
    ("PING", {}, "aa a5 08"),
    ("PING-OK", {}, "aa a5 09"),
    ("DETACH", {}, "aa a5 0a"),
    ("DETACH-OK", {}, "aa a5 0b"),
    ("INVALID", {"reason": "no"}, "aa a5 0c 02 6e 6f"),
]


@pytest.mark.parametrize(("name", "values", "hex_frame"), BY_HAND, ids=[entry[0] for entry in BY_HAND])
def test_frames_by_hand(name: str, values: dict[str, int | str | bytes], hex_frame: str) -> None:
    frame = bytes.fromhex(hex_frame)
    assert CODEC.encode(name, **values) == frame
    decoded = CODEC.decode(frame)
    assert (decoded.name, decoded.size) == (name, len(frame))
    assert {key: decoded[key] for key in values} == values


@pytest.mark.parametrize(
    ("hex_frame", "said"),
    [
        ("", "truncated: at byte 0"),
        ("aa", "truncated: at byte 1"),
        ("aa a5", "truncated: at byte 2"),
        ("ab a5 08", "bad-signature"),
        ("aa a4 08", "bad-signature"),
        ("00", "bad-signature"),
        ("aa a5 00", "unknown-message: at byte 2"),
        ("aa a5 0d", "unknown-message: at byte 2"),
        ("aa a5 08 00", "trailing: PING at byte 3"),
        ("aa a5 05 00 00 00", "truncated: CREDIT.credit at byte"),
        ("aa a5 01 04 5a 45 50 54 00 01 01 73", "bad-constant: ATTACH.protocol at byte 3"),
        ("aa a5 01 04 5a 45 50 53 00 02 01 73", "bad-constant: ATTACH.version at byte 8"),
        ("aa a5 01 04 5a 45 50 53 00 01 01 ff", "bad-text: ATTACH.stream"),
        ("aa a5 01 04 5a 45 50 53 00 01 01 7f", "bad-text: ATTACH.stream"),
        ("aa a5 01 04 5a 45 50 53 00 01 02 c2 85", "bad-text: ATTACH.stream"),
        ("aa a5 06 00 00 00 00 02 61", "truncated: PUBLISH.body"),
        ("aa a5 06 00 01 00 00 01 61", "too-long: PUBLISH.body"),
        ("aa a5 06 00 ff ff ff ff", "too-long: PUBLISH.body"),
    ],
)
def test_what_is_wrong_is_named(hex_frame: str, said: str) -> None:
    with pytest.raises(MalformedFrameError) as caught:
        CODEC.decode(bytes.fromhex(hex_frame))
    assert str(caught.value).startswith(said)
    assert CODEC.render(bytes.fromhex(hex_frame)).startswith("not a valid frame")


@given(messages(CODEC))
def test_what_is_encoded_is_decoded(message: tuple[str, dict[str, int | str | bytes]]) -> None:
    name, values = message
    decoded = CODEC.decode(CODEC.encode(name, **values))
    assert decoded.name == name
    assert {key: decoded[key] for key in values} == values


@given(messages(CODEC))
def test_the_layout_covers_the_frame(message: tuple[str, dict[str, int | str | bytes]]) -> None:
    frame = CODEC.encode(message[0], **message[1])
    at = CODEC.head_size
    for span in CODEC.layout(frame):
        assert span.start == at
        at = span.end
    assert at == len(frame)


@given(malformed_frames(CODEC))
def test_what_is_broken_is_refused(frame: bytes) -> None:
    with pytest.raises(MalformedFrameError) as caught:
        CODEC.decode(frame)
    assert caught.value.code in CODES


@given(st.binary(max_size=60).map(lambda data: CODEC.signature + data) | st.binary(max_size=60))
def test_any_bytes_are_a_message_or_one_error(data: bytes) -> None:
    try:
        decoded = CODEC.decode(data)
    except MalformedFrameError as error:
        code = error.code
    else:
        assert CODEC.encode(decoded.name, **decoded.values) == data
        code = CODES[0]
    assert code in CODES


def test_bytes_may_stand_for_text_that_is_none() -> None:
    assert CODEC.encode("ATTACH", stream=b"\xff\x00").endswith(b"\x02\xff\x00")
    assert CODEC.encode("ATTACH", protocol="OTHER", version=7, stream="s")[3:11] == b"\x05OTHER\x00\x07"


def test_what_cannot_be_encoded() -> None:
    with pytest.raises(KeyError, match="NOTHING"):
        CODEC.encode("NOTHING")
    with pytest.raises(KeyError, match="PUBLISH needs body"):
        CODEC.encode("PUBLISH", key="k")
    with pytest.raises(KeyError, match="PING does not have the field key"):
        CODEC.encode("PING", key="k")
    for values in ({"key": "x" * 256, "body": b""}, {"key": b"x" * 256, "body": b""}):
        with pytest.raises(ValueError, match="PUBLISH cannot be encoded"):
            CODEC.encode("PUBLISH", **values)
    with pytest.raises(ValueError, match="CREDIT cannot be encoded"):
        CODEC.encode("CREDIT", credit=1 << 64)


def test_render_is_short_and_printable() -> None:
    frame = CODEC.encode("PUBLISH", key="é" * 100, body=bytes(range(256)) * 10)
    text = CODEC.render(frame)
    assert text.replace("…", "").isascii()
    assert text.isprintable()
    assert len(text) < 400
    assert "(200 bytes)" in text
    assert "(2560 bytes)" in text


def _other(model: Model, *fields: Field) -> Interpreter:
    return Interpreter(replace(model, messages=(Message("OTHER", 1, fields),)))


def test_every_type_of_field_is_spoken(model: Model) -> None:
    codec = _other(
        model,
        Field("small", "number", 1, signed=True),
        Field("count", "varint"),
        Field("turn", "varint", signed=True),
        Field("raw", "octets", 3),
        Field("id", "uuid"),
        Field("names", "strings"),
        Field("table", "hash"),
        Field("list", "list", 2, items=Field("item", "number", 2)),
        Field("tail", "rest"),
    )
    frame = bytes.fromhex(
        "aaa501 ff 8001 03 616263 000102030405060708090a0b0c0d0e0f 00000001 00000002 686900000001 016b "
        "00000001 76 0002 0001 0002 ffff"
    )
    decoded = codec.decode(frame)
    assert (decoded["small"], decoded["count"], decoded["turn"], decoded["raw"]) == (-1, 128, -2, b"abc")
    assert (list(decoded["names"]), list(decoded["list"]), decoded["tail"]) == (["hi"], [1, 2], b"\xff\xff")  # type: ignore[arg-type]


def test_what_is_not_spoken_is_said(model: Model) -> None:
    with pytest.raises(UnsupportedModelError, match=r"OTHER\.body: the field type mystery"):
        _other(model, Field("body", "mystery"))


def test_frames_of_their_own_are_missed(model: Model) -> None:
    codec = _other(model, Field("word", "string"), Field("body", "frame"))
    assert codec.is_multipart("OTHER")
    with pytest.raises(MalformedFrameError, match=r"truncated: OTHER\.body"):
        codec.decode(b"\xaa\xa5\x01\x01x")
    assert codec.encode_frames("OTHER", word="x", body=b"b") == [b"\xaa\xa5\x01\x01x", b"b"]


@pytest.mark.parametrize(
    ("dispatch", "head", "unknown"),
    [("octet", b"\x01", b"\x02"), ("name", b"\x05OTHER", b"\x05OTHEN"), ("pubsub", b"\x01a b\0", b"\x02a\0")],
)
def test_every_dispatch_is_spoken(model: Model, dispatch: str, head: bytes, unknown: bytes) -> None:
    codec = Interpreter(
        replace(model, dispatch=dispatch, messages=(Message("OTHER", 1, (Field("n", "number"),)),))
    )
    topic = {"topic": "a b"} if dispatch == "pubsub" else {}
    assert codec.encode("OTHER", n=7, **topic) == head + b"\x07"
    assert codec.decode(head + b"\x07")["n"] == 7
    for frame, code in ((head, "truncated"), (unknown + b"\x07", "unknown-message"), (b"", "truncated")):
        with pytest.raises(MalformedFrameError, match=code):
            codec.decode(frame)


def test_constants_tell_messages_apart(model: Model) -> None:
    magic, two = Field("magic", "octets", 2, value=b"MM"), Field("kind", "number", value=2)
    messages = (
        Message("ONE", 1, (magic, Field("kind", "number", value=1))),
        Message("TWO", 2, (magic, two)),
        Message("OTHER", 3, (Field("word", "string", value="M"),)),
    )
    codec = Interpreter(replace(model, dispatch="constant", messages=messages))
    assert [codec.decode(frame).name for frame in (b"MM\x01", b"MM\x02", b"\x01M")] == ["ONE", "TWO", "OTHER"]
    for frame, code in ((b"MM", "truncated"), (b"MM\x03", "unknown-message"), (b"\x02M", "unknown-message")):
        with pytest.raises(MalformedFrameError, match=code):
            codec.decode(frame)


def test_siblings_count_and_measure(model: Model) -> None:
    codec = _other(
        model,
        Field("count", "number", 1, max=3, derived=True),
        Field("keys", "list", 0, count="count", items=Field("item", "string", 1)),
        Field("times", "list", 0, count="count", items=Field("item", "number", 2)),
        Field("size", "varint", derived=True),
        Field("body", "octets", 0, length="size"),
    )
    frame = codec.encode("OTHER", keys=["a", ""], times=[1, 2], body=b"xyz")
    assert frame == b"\xaa\xa5\x01\x02\x01a\x00\x00\x01\x00\x02\x03xyz"
    assert [field.name for field in codec.visible_fields("OTHER")] == ["keys", "times", "body"]
    assert codec.decode(frame)["times"] == [1, 2]
    with pytest.raises(MalformedFrameError, match=r"too-long: OTHER\.count"):
        codec.decode(frame[:3] + b"\x04" + frame[4:])
    with pytest.raises(MalformedFrameError, match=r"truncated: OTHER\.body"):
        codec.decode(frame[:-4] + b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01" + b"xyz")


def test_enumerations(model: Model) -> None:
    codec = Interpreter(
        replace(
            model,
            enumerations={"colour": (1, 7), "rights": (1, 2)},
            messages=(
                Message(
                    "OTHER",
                    1,
                    (
                        Field("colour", "number", enumeration="colour"),
                        Field("may", "number", enumeration="rights", flags=True),
                    ),
                ),
            ),
        )
    )
    assert codec.decode(b"\xaa\xa5\x01\x07\x03")["may"] == 3
    for frame in (b"\xaa\xa5\x01\x02\x03", b"\xaa\xa5\x01\x01\x04"):
        with pytest.raises(MalformedFrameError, match="bad-constant"):
            codec.decode(frame)


def test_visible_text_is_narrower(model: Model) -> None:
    codec = _other(model, Field("word", "string", 1, text="vchar"))
    assert codec.decode(codec.encode("OTHER", word="a-z"))["word"] == "a-z"
    with pytest.raises(MalformedFrameError, match="bad-text"):
        codec.decode(codec.encode("OTHER", word="a z"))
    assert (
        _other(model, Field("any", "string", 1, text="octets")).decode(b"\xaa\xa5\x01\x01\xff")["any"]
        == b"\xff"
    )


@pytest.mark.parametrize(
    ("field", "good", "bad"),
    [
        (
            Field("all", "hash", 0, max=2),
            {"": [], "016b00000000": [("k", "")], "0000000000" * 2: [("", ""), ("", "")]},
            {"016b": "truncated", "0000000000" * 2 + "00": "too-long", "01ff00": "bad-text"},
        ),
        (
            Field("all", "strings", 0, text="vchar"),
            {"0000000161": ["a"], "": []},
            {"000000": "truncated", "0000000120ff": "bad-text", "0000000261": "truncated"},
        ),
        (
            Field("all", "list", 0, items=Field("item", "number", 2), max=2),
            {"0001": [1], "00010002": [1, 2]},
            {"000100": "truncated", "0001000203": "too-long"},
        ),
    ],
)
def test_items_go_on_to_the_end_of_the_frame(
    model: Model, field: Field, good: dict[str, object], bad: dict[str, str]
) -> None:
    codec, head = _other(model, field), bytes.fromhex("aaa501")
    for hex_body, value in good.items():
        frame = head + bytes.fromhex(hex_body)
        assert codec.decode(frame)["all"] == value
        assert codec.encode("OTHER", all=value) == frame  # type: ignore[arg-type]
    for hex_body, code in bad.items():
        with pytest.raises(MalformedFrameError, match=rf"{code}: OTHER\.all"):
            codec.decode(head + bytes.fromhex(hex_body))


def test_what_is_reserved_is_zero_unless_it_is_given(model: Model) -> None:
    spare = Field("spare", "number", 4, reserved=True)
    codec = _other(model, spare, Field("word", "string"), Field("end", "octets", 2, reserved=True))
    assert [field.name for field in codec.visible_fields("OTHER")] == ["word"]
    assert codec.encode("OTHER", word="x").hex() == "aaa5010000000001780000"
    frame = codec.encode("OTHER", word="x", spare=b"abcd", end=b"ef")
    assert codec.decode(frame)["word"] == "x"
    with pytest.raises(MalformedFrameError, match=r"truncated: OTHER\.end"):
        codec.decode(frame[:-1])
    with pytest.raises(MalformedFrameError, match=r"truncated: OTHER\.spare"):
        codec.decode(frame[:5])


def test_one_message_alone_is_every_frame(model: Model) -> None:
    lone = Message("LONE", 1, (Field("kind", "number"),))
    codec = Interpreter(replace(model, dispatch="constant", messages=(lone,)))
    assert codec.decode(b"\x07")["kind"] == 7
    assert codec.encode("LONE", kind=7) == b"\x07"
    for frame, code in ((b"", "truncated"), (b"\x07\x07", "trailing")):
        with pytest.raises(MalformedFrameError, match=code):
            codec.decode(frame)
