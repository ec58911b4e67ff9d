"""Malformed frames, derived from a valid frame and its layout; the interpreter itself refuses each of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from zeps_conformance.model.interpreter import Interpreter, MalformedFrameError

__all__ = [
    "BAD_CONTROLS",
    "BAD_UTF8",
    "Malformed",
    "bad_text",
    "extended",
    "raised_lengths",
    "truncated",
    "wrong_signatures",
]


@dataclass(frozen=True, slots=True)
class Malformed:
    """A frame that must be refused. `label` describes the malformation; `code` is the interpreter's error code."""

    label: str
    code: str
    frame: bytes


BAD_UTF8: tuple[tuple[str, bytes], ...] = (
    ("a continuation byte on its own", b"\x80"),
    ("a truncated sequence", b"\xe2\x82"),
    ("a sequence truncated by a letter", b"\xc3a"),
    ("an overlong form of NUL", b"\xc0\x80"),
    ("an overlong form of the slash", b"\xe0\x80\xaf"),
    ("a surrogate", b"\xed\xa0\x80"),
    ("a code point beyond U+10FFFF", b"\xf4\x90\x80\x80"),
    ("a byte that UTF-8 never uses", b"\xff"),
)
"""Byte sequences that are not valid UTF-8, with descriptions."""

BAD_CONTROLS: tuple[int, ...] = (0x00, 0x01, 0x09, 0x0A, 0x0D, 0x1B, 0x1F, 0x7F, 0x80, 0x85, 0x9F)
"""Code points of control characters: both ends of each range, and those that are frequent in text."""


def truncated(codec: Interpreter, frame: bytes) -> Iterator[Malformed]:
    """Yields each truncation of `frame` that is malformed, including the empty frame."""
    for length in range(len(frame)):
        yield from _refused(codec, f"truncated to {length} of {len(frame)} bytes", frame[:length])


def extended(codec: Interpreter, frame: bytes) -> Iterator[Malformed]:
    """Yields `frame` with bytes after its last field, if malformed: a zero, another byte, or the same frame again."""
    yield from _refused(codec, "one extra zero byte", frame + b"\x00")
    yield from _refused(codec, "one extra byte", frame + b"\x41")
    yield from _refused(codec, "the same frame twice in one", frame + frame)


def raised_lengths(codec: Interpreter, frame: bytes) -> Iterator[Malformed]:
    """Yields each malformed `frame` with one length increased: by one, to one beyond the rest, or to the maximum."""
    for span in codec.layout(frame):
        if not span.prefix:
            continue
        length = int.from_bytes(frame[span.start : span.start + span.prefix], "big")
        left = len(frame) - span.start - span.prefix
        greatest = (1 << 8 * span.prefix) - 1
        for value in sorted({length + 1, left + 1, greatest}):
            if length < value <= greatest:
                malformed = (
                    frame[: span.start]
                    + value.to_bytes(span.prefix, "big")
                    + frame[span.start + span.prefix :]
                )
                yield from _refused(
                    codec, f"the length of {span.field.name} increased from {length} to {value}", malformed
                )


def wrong_signatures(codec: Interpreter, frame: bytes) -> Iterator[Malformed]:
    """Yields `frame` with its two bytes of signature reversed, missing, or with one bit flipped, for each bit."""
    signature, rest = frame[:2], frame[2:]
    yield from _refused(codec, "the signature reversed", signature[::-1] + rest)
    yield from _refused(codec, "no signature", rest)
    for octet in range(2):
        for bit in range(8):
            changed = bytearray(signature)
            changed[octet] ^= 1 << bit
            yield from _refused(
                codec, f"bit {bit} of byte {octet} of the signature flipped", bytes(changed) + rest
            )


def bad_text(codec: Interpreter, frame: bytes, field: str, text: bytes, label: str) -> Malformed:
    """Replaces the string `field`, which has a length of one byte. Raises StopIteration if missing, or still valid."""
    span = next(span for span in codec.layout(frame) if span.field.name == field)
    malformed = frame[: span.start] + bytes((len(text),)) + text + frame[span.end :]
    return next(_refused(codec, f"{field}: {label}", malformed))


def _refused(codec: Interpreter, label: str, frame: bytes) -> Iterator[Malformed]:
    try:
        codec.decode(frame)
    except MalformedFrameError as error:
        yield Malformed(label, error.code, frame)
