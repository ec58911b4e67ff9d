"""Mutated frames, valid or not: flipped bits, truncations, splices, other lengths, other ids."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

__all__ = ["mutated", "random_bytes"]

_SPECIAL = (0x00, 0x01, 0x7F, 0x80, 0xFF, 0xAA, 0xC0, 0xE2, 0xF4)


def mutated(random: Random, frame: bytes, other: bytes, places: Sequence[int], head: int) -> bytes:
    """Mutates `frame` one to three times. `other`: a valid frame; `places`: field offsets; `head`: the first one."""
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        frame = random.choice(_CHANGES)(random, frame, other, places, head)
    return frame


def random_bytes(random: Random, beginning: bytes) -> bytes:
    """Returns 0 to 200 random bytes, in most cases after `beginning`, the first bytes of a valid frame."""
    data = random.randbytes(random.choice((0, 1, 2, 3, 5, 9, 17, 40, 200)))
    return data if random.random() < 0.3 else beginning + data


def _flip(random: Random, frame: bytes, other: bytes, places: Sequence[int], head: int) -> bytes:
    if not frame:
        return b"\x01"
    at = random.randrange(len(frame))
    return frame[:at] + bytes((frame[at] ^ 1 << random.randrange(8),)) + frame[at + 1 :]


def _octet(random: Random, frame: bytes, other: bytes, places: Sequence[int], head: int) -> bytes:
    if not frame:
        return b"\x00"
    at = random.randrange(len(frame))
    return frame[:at] + bytes((random.choice(_SPECIAL),)) + frame[at + 1 :]


def _cut(random: Random, frame: bytes, other: bytes, places: Sequence[int], head: int) -> bytes:
    return frame[: random.randint(0, len(frame))]


def _extend(random: Random, frame: bytes, other: bytes, places: Sequence[int], head: int) -> bytes:
    return frame + random.choice((b"\x00", b"\xff", frame, other, random.randbytes(random.randint(1, 9))))


def _insert(random: Random, frame: bytes, other: bytes, places: Sequence[int], head: int) -> bytes:
    at = random.randint(0, len(frame))
    return frame[:at] + random.randbytes(random.randint(1, 4)) + frame[at:]


def _remove(random: Random, frame: bytes, other: bytes, places: Sequence[int], head: int) -> bytes:
    at = random.randint(0, len(frame))
    return frame[:at] + frame[at + random.randint(1, 4) :]


def _splice(random: Random, frame: bytes, other: bytes, places: Sequence[int], head: int) -> bytes:
    return frame[: random.randint(0, len(frame))] + other[random.randint(0, len(other)) :]


def _length(random: Random, frame: bytes, other: bytes, places: Sequence[int], head: int) -> bytes:
    """Replaces 1, 2, 4 or 8 bytes, mostly at the beginning of a field, by another number, such as a wrong length."""
    at = random.choice(places) if places and random.random() < 0.8 else random.randint(0, len(frame))
    size = random.choice((1, 1, 2, 4, 4, 8))
    old, left = int.from_bytes(frame[at : at + size], "big"), max(0, len(frame) - at - size)
    greatest = (1 << 8 * size) - 1
    new = random.choice(
        (0, 1, old - 1, old + 1, left, left + 1, left - 1, greatest, greatest >> 1, (greatest >> 1) + 1)
    )
    return frame[:at] + (new & greatest).to_bytes(size, "big") + frame[at + size :]


def _identity(random: Random, frame: bytes, other: bytes, places: Sequence[int], head: int) -> bytes:
    """Replaces one byte before the first field, such as the message's number."""
    at = random.randrange(head) if head else 0
    return (
        frame[:at]
        + bytes((random.choice((0, 1, 2, 3, 7, 12, 13, 255, random.randrange(256))),))
        + frame[at + 1 :]
    )


def _body(random: Random, frame: bytes, other: bytes, places: Sequence[int], head: int) -> bytes:
    """Joins one message's beginning and another's fields."""
    return frame[:head] + other[head:]


_CHANGES = (
    _flip,
    _flip,
    _octet,
    _octet,
    _cut,
    _cut,
    _extend,
    _insert,
    _remove,
    _splice,
    _length,
    _length,
    _identity,
    _body,
)
