"""The interpreter: every type, every limit, and random bytes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zeps_codegen.compose import encode, wire_values
from zeps_codegen.interpret import Decoded, DecodeFault, decode
from zeps_codegen.ir import Dispatch, Field, FieldType, Message, Protocol
from zeps_codegen.load import load_bundle
from zeps_codegen.show import show_message

MODELS = Path(__file__).parents[1] / "source" / "models"
ROOT = Path(__file__).parents[3]
TAXONOMY = {
    "truncated",
    "trailing",
    "bad-signature",
    "unknown-message",
    "bad-constant",
    "bad-text",
    "too-long",
}


def protocol(name: str) -> Protocol:
    return load_bundle([MODELS / f"{name}.xml"]).protocols[0]


EVERYTHING = protocol("everything")
WEATHER = protocol("weather_proto")
TICKER = protocol("ticker_proto")
JOURNAL = load_bundle([ROOT / "protocol" / "journal.xml"]).protocols[0]
ZEPS = load_bundle([ROOT / "protocol" / "zeps.xml"]).protocols[0]

KNOWN = ROOT / "tests" / "codegen" / "targets" / "helpers" / "known"
TAILS = load_bundle([KNOWN / "tails.xml"]).protocols[0]
GREETING = load_bundle([KNOWN / "greeting.xml"]).protocols[0]

PAINT = (
    "20 05 0003 FFFFFFFE AC02 03 03 C3A9 20"  # colour, options, shift, amount, delta, label
    "00000002 0001 FFFF 0001 026162"  # points, names
    "02 01 02 0000000000000001 0000000000000002"  # widths_count, widths, heights
    "00000003 010203 0104 FF 0909"  # size, body, tiny, extra, tail
)


def values(decoded: Decoded) -> dict[str, object]:
    return {item.name: item.value for item in decoded.fields}


def fault(model: Protocol, *frames: str) -> tuple[str, int, str | None, str | None]:
    with pytest.raises(DecodeFault) as caught:
        decode(model, [bytes.fromhex(frame) for frame in frames])
    error = caught.value
    return error.code, error.offset, error.message, error.field


def test_every_type_of_ours() -> None:
    frame = bytes.fromhex(PAINT)
    decoded = decode(EVERYTHING, [frame])
    assert values(decoded) == {
        "id": 0x20,
        "colour": 5,
        "options": 3,
        "shift": -2,
        "amount": 300,
        "delta": -2,
        "label": "é ",
        "points": [1, 0xFFFF],
        "names": ["ab"],
        "widths_count": 2,
        "widths": [-1, 1],
        "heights": [1, 2],
        "size": 3,
        "body": b"\x01\x02\x03",
        "tiny": b"\x04",
        "extra": 255,
        "tail": b"\x09\x09",
    }
    ends = [item.offset + item.size for item in decoded.fields]
    assert [item.offset for item in decoded.fields] == [0, *ends[:-1]], "the fields cover the frame"
    assert ends[-1] == len(frame)


def test_every_type_of_zprotos() -> None:
    place = "02 4F6B 0010"
    tags = "00000002 00000001 61 00000000"
    headers = "00000001 01 6B 00000001 76"
    frame = f"AAA303 0001 {'11' * 16} 01020304 00000007 {place} 00000002 6869 {tags} {headers} 00000001 FF"
    decoded = decode(WEATHER, [bytes.fromhex(frame), b"map", b"one", b"two"])
    field_values = values(decoded)
    assert field_values["station_id"] == b"\x11" * 16
    assert (field_values["where_town"], field_values["where_height"]) == ("Ok", 16)
    assert (field_values["tags"], field_values["headers"], field_values["picture"]) == (
        ["a", ""],
        [("k", "v")],
        b"\xff",
    )
    assert [(item.name, item.frame) for item in decoded.fields[-3:]] == [("map", 1), ("rest", 2), ("rest", 3)]
    assert "1:0" in show_message(decoded, [bytes.fromhex(frame), b"map", b"one", b"two"])
    assert fault(WEATHER, frame, "00")[0] == "truncated", "msg is at least one frame"
    assert fault(WEATHER, frame) == ("truncated", len(bytes.fromhex(frame)), "REPORT", "map")
    assert fault(WEATHER, "AAA306 0001", "00") == ("trailing", 5, "NOTHING", None)


def test_pubsub_and_constants() -> None:
    decoded = decode(TICKER, [b"Tgold\0" + bytes(8)])
    assert (decoded.topic, decoded.message.name) == (b"gold", "TICK")
    assert fault(TICKER, "54 67") == ("truncated", 1, "TICK", "topic")
    assert decode(JOURNAL, [b"ZEPSJRNL\0\1" + bytes(16) + b"\1s"]).message.name == "SEGMENT"
    assert fault(JOURNAL, "5A45")[0] == "truncated"
    assert fault(JOURNAL, "5A46")[0] == "unknown-message"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("20 05", "20 04", ("bad-constant", 1, "colour")),
        ("0003 FF", "0007 FF", ("bad-constant", 2, "options")),
        ("AC02 03", "FFFFFFFFFFFFFFFFFF 03", ("too-long", 8, "amount")),
        ("03 C3A9 20", "03 C3 20 20", ("bad-text", 11, "label")),
        ("03 C3A9 20", "11 C3A9 20", ("too-long", 11, "label")),
        ("00000002 0001", "00000065 0001", ("too-long", 15, "points")),
        ("0001 026162", "FFFF 026162", ("truncated", 23, "names")),
        ("026162", "026120", ("bad-text", 25, "names")),
        ("00000003 01", "00010001 01", ("too-long", 47, "size")),
        ("00000003 01", "00000030 01", ("truncated", 51, "body")),
    ],
)
def test_every_error(old: str, new: str, expected: tuple[str, int, str]) -> None:
    assert PAINT.count(old) == 1
    code, offset, message, field = fault(EVERYTHING, PAINT.replace(old, new))
    assert (code, offset, field) == expected
    assert message == "PAINT"


@pytest.mark.parametrize("model", [EVERYTHING, WEATHER, TICKER, JOURNAL, ZEPS], ids=lambda model: model.name)
def test_bytes_at_random_are_a_message_or_one_named_error(model: Protocol) -> None:
    heads = st.sampled_from([bytes([item.id]) for item in model.messages])
    signed = heads.map(lambda head: bytes((0xAA, 0xA0 | model.signature)) + head)

    @given(
        st.builds(
            bytes.__add__, st.sampled_from([b"", b"ZEPSJRNL\0\1", b"ZBLK"]) | heads | signed, st.binary()
        )
    )
    def check(frame: bytes) -> None:
        error = None
        try:
            decoded = decode(model, [frame])
        except DecodeFault as caught:
            error = caught
        if error is None:
            assert show_message(decoded, [frame])
        else:
            assert error.code in TAXONOMY
            assert 0 <= error.offset <= len(frame)
            assert str(error).isascii()

    check()


def test_every_prefix_of_a_message_is_truncated() -> None:
    frame = bytes.fromhex(PAINT)
    tail = len(frame) - 2
    for size in range(tail):
        with pytest.raises(DecodeFault) as caught:
            decode(EVERYTHING, [frame[:size]])
        assert caught.value.code == "truncated"


def test_constants_of_every_type() -> None:
    fields = (
        Field("a", FieldType.VARINT, value=300),
        Field("b", FieldType.VARINT, signed=True, value=-3),
        Field("c", FieldType.NUMBER, 2, signed=True, value=-2),
        Field("d", FieldType.CHUNK, 2, value=b"xy"),
        Field("e", FieldType.VARINT, value=0),
    )
    model = Protocol("p", "", Dispatch.OCTET, 0, 1, (Message("M", 1, fields),))
    frame = bytes.fromhex("01 AC02 05 FFFE 0002 7879 00")
    assert [item.value for item in decode(model, [frame]).fields] == [1, 300, -3, -2, b"xy", 0]
    for index in range(1, len(frame)):
        assert fault(model, frame[:index].hex())[0] == "truncated"
        changed = bytearray(frame)
        changed[index] ^= 1
        assert fault(model, changed.hex())[0] == "bad-constant"


PAIR = "01 6B 00000001 76"  # k: v


@pytest.mark.parametrize(
    ("frame", "field", "value"),
    [
        ("01 00", "properties", []),
        (f"01 00 {PAIR} {PAIR} 01 61 00000000", "properties", [("k", "v"), ("k", "v"), ("a", "")]),
        ("02 01 FF 00000001 00", "pairs", [("\xff", "\0")]),
        ("03 010203 00000000 00000001 61", "words", ["", "a"]),
        ("04 0001 01020304 05", "numbers", []),
        ("04 0001 01020304 05 00000007 FFFFFFFF", "numbers", [7, 0xFFFFFFFF]),
        ("07 0001 0007 0001", "colours", [1, 7, 1]),
        ("08 00 01 AC02", "varints", [0, -1, 150]),
        ("09 02 0102 00 0000 0001 61", "chunks", [b"", b"a"]),
        ("0D", "none", []),
    ],
)
def test_items_go_on_to_the_end_of_the_frame(frame: str, field: str, value: object) -> None:
    decoded = decode(TAILS, [bytes.fromhex(frame)])
    assert values(decoded)[field] == value
    assert decoded.fields[-1].offset + decoded.fields[-1].size == len(bytes.fromhex(frame))


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        (f"01 00 {PAIR} 05 6B", ("truncated", 9, "properties")),
        (f"01 00 {PAIR} 01 6B 0000", ("truncated", 11, "properties")),
        (f"01 00 {PAIR} 01 07 00000000", ("bad-text", 9, "properties")),
        (f"02 {PAIR} {PAIR} {PAIR} FF", ("too-long", 1, "pairs")),  # with any bytes there
        ("03 010203 00000001 07 00", ("bad-text", 4, "words")),  # the first error, before the later ones
        ("03 000000 00000000 00000000 00", ("too-long", 4, "words")),
        ("04 0001 00000000 05 00000007 01", ("truncated", 12, "numbers")),
        ("05 0102030405 06", ("too-long", 1, "small")),
        ("06 0000000000000001 FF", ("truncated", 9, "signed")),
        ("07 0002 00", ("bad-constant", 1, "colours")),
        ("0D 00", ("too-long", 1, "none")),
    ],
)
def test_the_first_thing_wrong_counts_among_items_to_the_end(
    frame: str, expected: tuple[str, int, str]
) -> None:
    code, offset, _, field = fault(TAILS, frame)
    assert (code, offset, field) == expected


def test_what_is_reserved_only_has_to_be_there() -> None:
    frame = bytes.fromhex("0F FFFF 4142 FFFFFFFFFFFFFFFF 01 0007 FFFF")
    decoded = decode(TAILS, [frame])
    assert [item.name for item in decoded.fields if item.reserved] == ["first", "second", "last"]
    assert "(reserved)" in show_message(decoded, [frame])
    message, field_values = wire_values(TAILS, decoded)
    assert field_values == [[7]]
    assert encode(TAILS, message, field_values) == bytes.fromhex("0F 0000 4142 0000000000000000 01 0007 0000")
    assert fault(TAILS, "0F FF") == ("truncated", 1, "BETWEEN", "first")
    assert fault(TAILS, "0F FFFF 4142 FFFF") == ("truncated", 5, "BETWEEN", "second")
    assert fault(TAILS, "0F FFFF 4142 FFFFFFFFFFFFFFFF 00 FF") == ("truncated", 14, "BETWEEN", "last")
    assert fault(TAILS, "0F FFFF 4142 FFFFFFFFFFFFFFFF 00 FFFF 00")[0] == "trailing"


def test_a_lone_message_need_not_begin_with_a_constant() -> None:
    decoded = decode(GREETING, [b"xy\x7fNULL\0..."])
    assert values(decoded)["mechanism"] == b"NULL"
    assert fault(GREETING, "") == ("truncated", 0, "GREETING", "padding")
    assert fault(GREETING, "00 00 00") == ("bad-constant", 2, "GREETING", "magic")


def test_a_hash_keeps_every_pair_in_its_order() -> None:
    frame = bytes.fromhex(f"10 01020304 00000003 01 7A 00000000 {PAIR} 01 7A 00000001 31 00000000")
    message, field_values = wire_values(TAILS, decode(TAILS, [frame]))
    assert field_values[1] == [(b"z", b""), (b"k", b"v"), (b"z", b"1")]
    assert encode(TAILS, message, field_values) == frame


def test_shown_text_is_escaped() -> None:
    decoded = decode(ZEPS, [encode(ZEPS, ZEPS.message("ATTACH"), [b'a"b\\c'])])
    assert '"a\\"b\\\\c"' in show_message(decoded, [b""])
