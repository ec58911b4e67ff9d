"""Series of many messages that differ only in their number, so that their frames are made and compared quickly."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from zeps_conformance.model.interpreter import Decoded, Interpreter
from zeps_conformance.wire.zmtp_codec import packaged_wire

__all__ = ["Item", "Series"]

WIDTH = 12  # digits of the number in a body


class Item(NamedTuple):
    """An expected message."""

    sequence: int
    key: str
    body: bytes


class Series:
    """Messages with `key` whose bodies are their number, 12 digits, and `tail`. Message n has sequence n."""

    def __init__(self, codec: Interpreter, key: str, tail: bytes = b"") -> None:
        self.key, self.tail = key, tail
        self.cost = codec.size("DELIVER", sequence=1, key=key, body=self._body(1))
        frame = packaged_wire().frame
        self._publish = _Template(
            lambda _, body: frame(codec.encode("PUBLISH", key=key, body=body)), tail, False
        )
        self._deliver = _Template(
            lambda number, body: frame(codec.encode("DELIVER", sequence=number, key=key, body=body)),
            tail,
            True,
        )
        self.deliver_bytes = len(self._deliver.make(1))

    def item(self, number: int) -> Item:
        return Item(number, self.key, self._body(number))

    def items(self, first: int, last: int) -> list[Item]:
        return [self.item(number) for number in range(first, last + 1)]

    def delivered(self, number: int) -> Decoded:
        """Returns the DELIVER of message `number`, as if it had been decoded."""
        return Decoded("DELIVER", self.item(number)._asdict(), self.cost)

    def publishes(self, first: int, last: int) -> bytes:
        """Returns the PUBLISHes of these messages in ZMTP frames."""
        return b"".join(self._publish.make(number) for number in range(first, last + 1))

    def delivers(self, first: int, last: int) -> bytes:
        """Returns the DELIVERs of these messages in ZMTP frames, each of `deliver_bytes`."""
        return b"".join(self._deliver.make(number) for number in range(first, last + 1))

    def _body(self, number: int) -> bytes:
        return b"%0*d" % (WIDTH, number) + self.tail


class _Template:
    """A frame of `encode`, called with a sequence and a body, in which both are replaced. `sequenced`: the frame has a
    sequence.
    """

    def __init__(self, encode: Callable[[int, bytes], bytes], tail: bytes, sequenced: bool) -> None:
        frame, other = encode(0, b"0" * WIDTH + tail), encode(0, b"9" * WIDTH + tail)
        at = _difference(frame, other)
        self._head, self._middle, self._tail = frame[:at], b"", frame[at + WIDTH :]
        self._sequenced = sequenced
        if sequenced:
            begin = _difference(frame, encode((1 << 64) - 1, b"0" * WIDTH + tail))
            self._head, self._middle = frame[:begin], frame[begin + 8 : at]

    def make(self, number: int) -> bytes:
        sequence = number.to_bytes(8, "big") if self._sequenced else b""
        return self._head + sequence + self._middle + b"%0*d" % (WIDTH, number) + self._tail


def _difference(frame: bytes, other: bytes) -> int:
    return next(index for index, (a, b) in enumerate(zip(frame, other, strict=True)) if a != b)
