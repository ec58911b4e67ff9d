"""Malformed frames: all of them are refused, and every relevant malformation is included."""

from __future__ import annotations

import pytest

from zeps_conformance.cases.zeps1.refusals import SAMPLES
from zeps_conformance.model.interpreter import Interpreter, MalformedFrameError
from zeps_conformance.model.malform import (
    BAD_CONTROLS,
    BAD_UTF8,
    bad_text,
    extended,
    raised_lengths,
    truncated,
    wrong_signatures,
)


def test_there_is_a_sample_of_every_message(codec: Interpreter) -> None:
    assert tuple(SAMPLES) == codec.names


@pytest.mark.parametrize("name", SAMPLES)
def test_every_form_is_refused_with_its_own_code(codec: Interpreter, name: str) -> None:
    frame = codec.encode(name, **SAMPLES[name])
    for way, codes in (
        (truncated, {"truncated"}),
        (extended, {"trailing"}),
        (wrong_signatures, {"bad-signature", "truncated"}),
        (raised_lengths, {"truncated", "bad-constant", "too-long", "bad-text", "trailing"}),
    ):
        forms = list(way(codec, frame))
        assert {form.code for form in forms} <= codes
        for form in forms:
            with pytest.raises(MalformedFrameError):
                codec.decode(form.frame)


def test_every_octet_is_cut_at(codec: Interpreter) -> None:
    frame = codec.encode("PUBLISH", key="key", body=b"body")
    assert [len(form.frame) for form in truncated(codec, frame)] == list(range(len(frame)))
    assert len(list(extended(codec, frame))) == 3
    assert len(list(wrong_signatures(codec, frame))) == 18


def test_lengths_are_raised_to_their_greatest(codec: Interpreter) -> None:
    frame = codec.encode("PUBLISH", key="key", body=b"body")
    raised = {form.frame for form in raised_lengths(codec, frame)}
    assert frame[:3] + b"\xff" + frame[4:] in raised
    assert frame[:7] + b"\xff\xff\xff\xff" + frame[11:] in raised
    assert frame[:7] + b"\x00\x00\x00\x05" + frame[11:] in raised


def test_text_that_is_none(codec: Interpreter) -> None:
    frame = codec.encode("SUBSCRIBE", pattern="abc", latest=1)
    for what, encoded in BAD_UTF8:
        assert bad_text(codec, frame, "pattern", encoded, what).code == "bad-text"
    for point in BAD_CONTROLS:
        form = bad_text(codec, frame, "pattern", chr(point).encode(), "a control character")
        assert form.frame[-8:] == frame[-8:]
    with pytest.raises(StopIteration):
        bad_text(codec, frame, "pattern", b"valid", "nothing wrong")
