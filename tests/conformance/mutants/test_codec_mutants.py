"""Changes of codecs, faults, and the bounded check of equivalence."""

from __future__ import annotations

import pytest

from zeps_conformance.model.interpreter import Interpreter, MalformedFrameError
from zeps_conformance.mutants.codec_proof import DecoderCheck, equal_encoders
from zeps_conformance.mutants.faulty_codec import DECODE_FAULTS, ENCODE_FAULTS, Fault, FaultyCodec
from zeps_conformance.mutants.targets import ModelTarget


@pytest.mark.parametrize(
    ("fault", "frame"),
    [
        (Fault("reversed", "CREDIT", "credit"), b"\xaa\xa5\x05\x2a" + bytes(7)),
        (Fault("plus-one", "CREDIT", "credit"), b"\xaa\xa5\x05" + bytes(7) + b"\x29"),
        (Fault("minus-one", "CREDIT", "credit"), b"\xaa\xa5\x05" + bytes(7) + b"\x2b"),
        (Fault("truncated-accepted", "CREDIT", "credit"), b"\xaa\xa5\x05" + bytes(7)),
        (Fault("signature-ignored", "CREDIT"), b"\x00\x00\x05" + bytes(8)),
        (Fault("unknown-taken", "CREDIT"), b"\xaa\xa5\xee" + bytes(8)),
    ],
)
def test_a_faulty_decoder_takes_another_frame_for_the_message(
    fault: Fault, frame: bytes, codec: Interpreter
) -> None:
    decoded = FaultyCodec(codec, codec, fault).decode(frame)
    assert (decoded.name, decoded["credit"]) == (
        "CREDIT",
        42 if "-one" in fault.kind or fault.kind == "reversed" else 0,
    )
    assert FaultyCodec(codec, codec, fault).decode(codec.encode("PING")).name == "PING"


@pytest.mark.parametrize("kind", ENCODE_FAULTS)
def test_a_faulty_encoder_changes_only_its_message(kind: str, codec: Interpreter) -> None:
    faulty = FaultyCodec(codec, codec, None, Fault(kind, "DELIVER", "key"))
    values = {"sequence": 1, "key": "key", "body": b"body"}
    changed = faulty.encode("DELIVER", **values) != codec.encode("DELIVER", **values)
    assert changed is (kind != "reversed")  # a length of one byte is the same in both orders
    assert faulty.encode("INVALID", reason="x") == codec.encode("INVALID", reason="x")


@pytest.mark.parametrize("kind", DECODE_FAULTS)
def test_the_check_detects_each_kind_of_fault(kind: str, codec: Interpreter) -> None:
    place = ("CREDIT", "credit") if kind != "split-text" else ("ATTACH", "stream")
    faulty = FaultyCodec(codec, codec, Fault(kind, *place))
    assert not DecoderCheck(codec).is_equal(faulty.decode, place[0])


def test_the_check_accepts_the_same_decoder(codec: Interpreter) -> None:
    check = DecoderCheck(codec)
    assert all(check._agrees(codec.decode, name) for name in ("", "ATTACH", "PING"))


def test_equal_encoders_are_equal_and_others_are_not(codec: Interpreter) -> None:
    faulty = FaultyCodec(codec, codec, None, Fault("split-text", "INVALID", "reason"))
    assert equal_encoders(codec, codec.encode, codec.encode, "INVALID")
    assert not equal_encoders(codec, codec.encode, faulty.encode, "INVALID")


def test_changes_of_the_codec_are_many_and_have_different_names() -> None:
    mutants = list(ModelTarget(None).mutants("codec"))
    assert len(mutants) > 200
    assert len({mutant.id for mutant in mutants}) == len(mutants)


def test_a_frame_that_the_fault_does_not_repair_is_refused(codec: Interpreter) -> None:
    faulty = FaultyCodec(codec, codec, Fault("truncated-accepted", "PUBLISH", "body"))
    with pytest.raises(MalformedFrameError):
        faulty.decode(b"\xaa\xa5\x06\x01k\xff\xff\xff\xff")
