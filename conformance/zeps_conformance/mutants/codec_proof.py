"""Equivalence of two codecs of a protocol, by an exhaustive check of bounded inputs.

The frames for decoders: for each message, and each combination of the values of its fields below (of more than 40 only
those in which at most one field differs from its second value), the frame; it cut at every byte; with one and two more
bytes; with each byte of its first 24 and last 8 replaced by all values if it has at most 24 bytes, else by eight
values; if it has more than 4096 bytes, only with one byte less and one more; and every command number. Decoders are
equal if they return equal messages, or refuse with the same code of INVALID. The values for encoders are the same
combinations; encoders are equal if the frames are.

Values: of a number 0, 1, 2, 127, 128, 255, 256, the powers of 256 up to its size, each less one, and 2^(bits-1); of a
string the empty one, one letter, letters with a space, of two and three bytes, 127, 128, 254 and 255 letters; of a
chunk the empty one, all 256 bytes, and as many zero bytes as its limit, one less and one more.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from zeps_conformance.model.definitions import Field
from zeps_conformance.model.interpreter import Decoded, Interpreter, MalformedFrameError

__all__ = ["BOUND", "DecoderCheck", "equal_encoders"]

BOUND = "no difference within the bound that zeps_conformance/mutants/codec_proof.py defines"
_WHOLE = 24  # maximum bytes of frames in which every byte is replaced by all values
_LARGE = 4096  # bytes of frames that are not changed byte by byte
_COMBINATIONS_MAX = 40
_BYTES = (0x00, 0x01, 0x1F, 0x20, 0x7F, 0x80, 0xC3, 0xFF)


class DecoderCheck:
    """Compares decoders with that of `codec`, a codec of the unchanged model, whose answers are kept."""

    def __init__(self, codec: Interpreter) -> None:
        self._codec = codec
        self._answers: dict[str, list[tuple[bytes, Any]]] = {}

    def is_equal(self, changed: Callable[[bytes], Decoded], message: str) -> bool:
        """Returns whether `changed` agrees on all frames within the bound, of `message` first."""
        others = [name for name in ("", *self._codec.names) if name != message]
        return all(self._agrees(changed, name) for name in (message, *others))

    def _agrees(self, changed: Callable[[bytes], Decoded], message: str) -> bool:
        if message not in self._answers:
            small = [frame for frame in _frames(self._codec, message) if len(frame) <= _LARGE]
            self._answers[message] = [(frame, _outcome(self._codec.decode, frame)) for frame in small]
        return all(answer == _outcome(changed, frame) for frame, answer in self._answers[message]) and all(
            _outcome(self._codec.decode, frame) == _outcome(changed, frame)
            for frame in _frames(self._codec, message)
            if len(frame) > _LARGE
        )


def equal_encoders(
    codec: Interpreter, encode: Callable[..., bytes], changed: Callable[..., bytes], message: str
) -> bool:
    """Returns whether two encoders agree on all values of `message` within the bound."""
    return all(
        _encoded(encode, message, values) == _encoded(changed, message, values)
        for values in _values(codec, message)
    )


def _outcome(decode: Callable[[bytes], Decoded], frame: bytes) -> Any:
    try:
        message = decode(frame)
    except MalformedFrameError as error:
        return (error.code, error.field) if error.code == "bad-constant" else error.code == "unknown-message"
    return message.name, dict(message.values), message.size


def _encoded(encode: Callable[..., bytes], message: str, values: Mapping[str, Any]) -> bytes | None:
    try:
        return encode(message, **values)
    except (ValueError, KeyError):
        return None


def _values(codec: Interpreter, message: str) -> Iterator[dict[str, Any]]:
    """Yields combinations of values: all, or those in which at most one field differs from its second value."""
    fields = codec.visible_fields(message)
    choices = [_values_of(field) for field in fields]
    names = [field.name for field in fields]
    count = 1
    for choice in choices:
        count *= len(choice)
    if count <= _COMBINATIONS_MAX:
        for combination in itertools.product(*choices):
            yield dict(zip(names, combination, strict=True))
        return
    plain = {name: choice[1] for name, choice in zip(names, choices, strict=True)}
    for name, choice in zip(names, choices, strict=True):
        for value in choice:
            yield {**plain, name: value}


def _values_of(field: Field) -> list[Any]:
    if field.type == "number":
        bits = 8 * field.size
        powers = [1 << 8 * place for place in range(1, field.size + 1)]
        numbers = {0, 1, 2, 127, 128, 255, 256, 1 << bits - 1, *powers, *(power - 1 for power in powers)}
        return sorted(number for number in numbers if number < 1 << bits)
    if field.type == "string":
        return ["", "a", "a b", "é", "€", *("k" * count for count in (127, 128, 254, 255))]
    limit = field.max or 0
    return [b"", bytes(range(256)), *(bytes(count) for count in (limit - 1, limit, limit + 1) if count > 0)]


def _frames(codec: Interpreter, message: str) -> Iterator[bytes]:
    """Yields the frames for a message; for an empty name those with each command number alone."""
    if not message:
        yield from (codec.signature + bytes((number,)) for number in range(256))
        return
    for values in _values(codec, message):
        yield from _near(codec.encode(message, **values))


def _near(frame: bytes) -> Iterator[bytes]:
    yield frame
    if len(frame) > _LARGE:
        yield frame[:-1]
        yield frame + b"\0"
        return
    yield from (frame[:size] for size in range(len(frame)))
    yield from (frame + more for more in (b"\0", b"\xff", b"\0\0"))
    for at in {*range(min(_WHOLE, len(frame))), *range(max(len(frame) - 8, 0), len(frame))}:
        for value in range(256) if len(frame) <= _WHOLE else _BYTES:
            yield frame[:at] + bytes((value,)) + frame[at + 1 :]
