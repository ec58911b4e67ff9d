"""INVALID's reason: its form, its shortened text, and the code of each input that cannot be decoded."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zeps_broker.core.reasons import compose, of_decode_error, parse
from zeps_wire.errors import DecodeError
from zeps_wire.zeps import Attach, EndingCode, Invalid, OpenCode, Ping, decode

FORM = re.compile(r"[a-z][a-z-]*( \d{1,20} \d{1,20})? [ -~]+")
SEQUENCES = st.none() | st.tuples(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))


@given(st.sampled_from([*EndingCode, *OpenCode]), st.text(max_size=300), SEQUENCES)
def test_a_reason_has_the_form_whatever_its_text(
    code: EndingCode | OpenCode, text: str, sequences: tuple[int, int] | None
) -> None:
    reason = compose(code, f"why: {text}", sequences)
    assert FORM.fullmatch(reason)
    assert decode(Invalid(reason).encode()) == Invalid(reason)
    found_code, found_sequences, found_text = parse(reason)
    assert (found_code, found_sequences) == (code, sequences)
    assert found_text.startswith("why: ")


def test_what_has_not_the_form_is_an_error() -> None:
    for reason in ("", "code", "Code text", "-x text"):
        with pytest.raises(ValueError, match="not of the form"):
            parse(reason)


ATTACH = Attach("s").encode()


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        (ATTACH.replace(b"ZEPS", b"ZEPT"), EndingCode.UNSUPPORTED_PROTOCOL),
        (ATTACH.replace(b"ZEPS\0\1", b"ZEPS\0\2"), EndingCode.UNSUPPORTED_VERSION),
        (Ping().encode()[:2] + b"\xee", EndingCode.UNKNOWN_COMMAND),
        (Ping().encode() + b"\0", EndingCode.MALFORMED),
        (b"", EndingCode.MALFORMED),
    ],
)
def test_the_code_says_what_cannot_be_decoded(frame: bytes, code: EndingCode) -> None:
    with pytest.raises(DecodeError) as error:
        decode(frame)
    assert parse(of_decode_error(error.value))[0] == code
