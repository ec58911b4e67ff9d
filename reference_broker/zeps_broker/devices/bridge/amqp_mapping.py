"""Converts ZeroMQ topics and messages to AMQP 0-9-1.

A topic exchange compares words, which are separated by dots; ZeroMQ compares bytes. So a prefix becomes its complete
words, and ``#`` for the rest: ``stock.AA`` becomes ``stock.#``. That matches every key that begins with the prefix, and
some more. The first frame is the routing key, and the second the body. A message with more or fewer frames, or with a
first frame that a routing key cannot hold, has all of its frames in the body, and their sizes in the header
``zmq-frames``. Its routing key is an approximation of the first frame: bytes that are not UTF-8 are escaped, and it is
cut after 255 bytes. A pattern has ``*`` for a word that would be escaped, and ends where a key might have been cut.
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
    """A message for AMQP; `sizes` are the bytes of each frame in `body`, or None if the frames are `key` and `body`."""

    key: str
    body: bytes
    sizes: list[int] | None


def topic_pattern(prefix: bytes) -> str:
    """Returns a binding key, at most 255 bytes, that matches :func:`key_of` of all frames with `prefix`, or more."""
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
    """Returns the binding key for an exchange that does not filter by key: always empty."""
    return ""


EXCHANGE_TYPES: dict[str, Callable[[bytes], str]] = {
    "topic": topic_pattern,
    "headers": everything,
    "fanout": everything,
}
"""The binding key of a prefix, by the exchange's type. Exchanges of other types cannot be bound by prefix."""


def key_of(first: bytes) -> str:
    """Returns a message's routing key: UTF-8, other bytes escaped with backslashes, cut to at most 255 bytes."""
    key = ".".join(map(_escaped, first.split(b".")))
    encoded = key.encode()
    return key if len(encoded) <= _KEY_MAX else encoded[:_KEY_MAX].decode("utf-8", "ignore")


def pack(frames: Frames) -> Packed:
    """Converts a ZeroMQ message for AMQP."""
    key = key_of(frames[0])
    if len(frames) == 2 and key.encode() == frames[0]:
        return Packed(key, frames[1], None)
    return Packed(key, b"".join(frames), list(map(len, frames)))


def unpack(key: str | bytes, body: bytes, sizes: object) -> Frames:
    """Reverses :func:`pack`; returns the frames `key` and `body` unless `sizes` (of the header) add up to `body`."""
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
