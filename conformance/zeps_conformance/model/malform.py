"""Deliberately malformed frames, derived from a valid one and the layout that the interpreter finds in it.

Each generator yields only frames that the interpreter itself refuses, so that no case asks a broker to refuse
what happens to be valid (a length raised by one may well swallow exactly the octets that follow).
"""

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
    """A frame that must be refused. `label` says in words what was done to it; `code` is the taxonomy's."""

    label: str
    code: str
    octets: bytes


BAD_UTF8: tuple[tuple[str, bytes], ...] = (
    ("a continuation octet on its own", b"\x80"),
    ("a sequence cut short", b"\xe2\x82"),
    ("a sequence cut short by a letter", b"\xc3a"),
    ("an overlong form of NUL", b"\xc0\x80"),
    ("an overlong form of the slash", b"\xe0\x80\xaf"),
    ("a surrogate", b"\xed\xa0\x80"),
    ("a code point beyond U+10FFFF", b"\xf4\x90\x80\x80"),
    ("an octet that UTF-8 never uses", b"\xff"),
)
"""Octets that are no well-formed UTF-8, with what is wrong with them."""

BAD_CONTROLS: tuple[int, ...] = (0x00, 0x01, 0x09, 0x0A, 0x0D, 0x1B, 0x1F, 0x7F, 0x80, 0x85, 0x9F)
"""Code points of control characters: both ends of each range, and those that text often holds."""


def truncated(codec: Interpreter, frame: bytes) -> Iterator[Malformed]:
    """`frame` cut at every octet, the empty frame included."""
    for length in range(len(frame)):
        yield from _refused(codec, f"cut to {length} of {len(frame)} octets", frame[:length])


def extended(codec: Interpreter, frame: bytes) -> Iterator[Malformed]:
    """`frame` with octets after its last field: one zero, one other, and the same frame again."""
    yield from _refused(codec, "one zero octet too many", frame + b"\x00")
    yield from _refused(codec, "one octet too many", frame + b"\x41")
    yield from _refused(codec, "the same frame twice in one", frame + frame)


def raised_lengths(codec: Interpreter, frame: bytes) -> Iterator[Malformed]:
    """`frame` with each length in it raised: by one, by one beyond what is left, and to its greatest."""
    for span in codec.layout(frame):
        if not span.prefix:
            continue
        length = int.from_bytes(frame[span.start : span.start + span.prefix], "big")
        left = len(frame) - span.start - span.prefix
        greatest = (1 << 8 * span.prefix) - 1
        for value in sorted({length + 1, left + 1, greatest}):
            if length < value <= greatest:
                octets = (
                    frame[: span.start]
                    + value.to_bytes(span.prefix, "big")
                    + frame[span.start + span.prefix :]
                )
                yield from _refused(
                    codec, f"the length of {span.field.name} raised from {length} to {value}", octets
                )


def wrong_signatures(codec: Interpreter, frame: bytes) -> Iterator[Malformed]:
    """`frame` with its signature turned round, missing, or one bit off, bit by bit."""
    signature, rest = frame[:2], frame[2:]
    yield from _refused(codec, "the signature turned round", signature[::-1] + rest)
    yield from _refused(codec, "no signature", rest)
    for octet in range(2):
        for bit in range(8):
            changed = bytearray(signature)
            changed[octet] ^= 1 << bit
            yield from _refused(
                codec, f"bit {bit} of octet {octet} of the signature changed", bytes(changed) + rest
            )


def bad_text(codec: Interpreter, frame: bytes, field: str, text: bytes, label: str) -> Malformed:
    """`frame` with the content of its string `field` replaced by `text`, which has to be no valid text."""
    span = next(span for span in codec.layout(frame) if span.field.name == field)
    octets = frame[: span.start] + bytes((len(text),)) + text + frame[span.end :]
    return next(_refused(codec, f"{field}: {label}", octets))


def _refused(codec: Interpreter, label: str, octets: bytes) -> Iterator[Malformed]:
    try:
        codec.decode(octets)
    except MalformedFrameError as error:
        yield Malformed(label, error.code, octets)
