"""Topics and messages of ZeroMQ's in AMQP 0-9-1's terms.

A topic exchange compares words, which stand between dots; ZeroMQ compares octets. So a prefix becomes the words that it
has whole, and ``#`` for whatever follows: ``stock.AA`` becomes ``stock.#``. That matches every key that begins with the
prefix and some more.

The first frame is the routing key, and the second the body. A message with more or fewer frames, or with a first
frame that no routing key can hold, has all of its frames in the body, and their sizes in the header ``zmq-frames``.
Its routing key is what a key can hold of the first frame: octets that are not UTF-8 are escaped, and 255 octets are
the end. A pattern has ``*`` for a word that would be escaped, and ends where a key might have been cut, so that it
matches these too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeGuard

from zeps_broker.devices.bridge.port import Frames

__all__ = [
    "EXCHANGE_TYPES",
    "FRAMES_HEADER",
    "ORIGIN_HEADER",
    "Packed",
    "key_of",
    "pack",
    "topic_pattern",
    "unpack",
]

FRAMES_HEADER = "zmq-frames"
ORIGIN_HEADER = "zeps-bridge"
_KEY_MAX = 255


class Packed(NamedTuple):
    """A message for AMQP; `sizes` of the frames in the body, None if they are just the key and the body."""

    key: str
    body: bytes
    sizes: list[int] | None


def topic_pattern(prefix: bytes) -> str:
    """A binding key that matches :func:`key_of` of every frame that begins with `prefix`."""
    words: list[str] = []
    room = _KEY_MAX - len("#")
    for word in prefix.split(b".")[:-1]:
        escaped = _escaped(word)
        room -= len(escaped.encode()) + len(".")
        if room < 0:
            break
        words.append(escaped if escaped.encode() == word else "*")
    return ".".join([*words, "#"])


def everything(_prefix: bytes) -> str:
    """The binding key for an exchange that cannot be asked for less."""
    return ""


EXCHANGE_TYPES: dict[str, Callable[[bytes], str]] = {
    "topic": topic_pattern,
    "headers": everything,
    "fanout": everything,
}
"""What a prefix is bound as, by the exchange's type. Exchanges of other types cannot be asked for a prefix."""


def key_of(first: bytes) -> str:
    """The routing key of a message with this first frame."""
    key = ".".join(map(_escaped, first.split(b".")))
    octets = key.encode()
    return key if len(octets) <= _KEY_MAX else octets[:_KEY_MAX].decode("utf-8", "ignore")


def pack(frames: Frames) -> Packed:
    """A message of ZeroMQ's for AMQP."""
    key = key_of(frames[0])
    if len(frames) == 2 and key.encode() == frames[0]:
        return Packed(key, frames[1], None)
    return Packed(key, b"".join(frames), list(map(len, frames)))


def unpack(key: str | bytes, body: bytes, sizes: object) -> Frames:
    """The opposite; `sizes` is what the header had, whoever wrote it: what makes no sense is no sizes."""
    if not _fits(sizes, body):
        return [key.encode() if isinstance(key, str) else key, body]
    frames: list[bytes] = []
    at = 0
    for size in sizes:
        frames.append(body[at : at + size])
        at += size
    return frames


def _fits(sizes: object, body: bytes) -> TypeGuard[list[int]]:
    return (
        isinstance(sizes, list)
        and len(sizes) > 0
        and all(isinstance(size, int) and size >= 0 for size in sizes)
        and sum(sizes) == len(body)
    )


def _escaped(word: bytes) -> str:
    return word.decode("utf-8", "backslashreplace")
