"""A codec with at most one fault in each direction, for the model broker."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from zeps_conformance.model.interpreter import Decoded, Interpreter, MalformedFrameError, Span

__all__ = ["DECODE_FAULTS", "ENCODE_FAULTS", "FAULTS", "Fault", "FaultyCodec"]

PADDING = 1 << 16  # maximum bytes that replace the missing end of a frame


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of a message, or of one of its fields. `kind` is one of :data:`FAULTS`."""

    kind: str
    message: str
    field: str = ""

    def __str__(self) -> str:
        return f"{self.kind}@{self.message}.{self.field}".removesuffix(".")


class FaultyCodec:
    """Decodes by one interpreter and encodes by another, each possibly of a changed model, and with a fault or None."""

    def __init__(
        self,
        decoder: Interpreter,
        encoder: Interpreter,
        decode_fault: Fault | None = None,
        encode_fault: Fault | None = None,
    ) -> None:
        self.decoder, self.encoder = decoder, encoder
        self.decode_fault, self.encode_fault = decode_fault, encode_fault

    def decode(self, frame: bytes) -> Decoded:
        """Decodes `frame`. Raises MalformedFrameError if this codec does not accept it."""
        fault = self.decode_fault
        message = self._decode(frame) if fault is None else _DECODE[fault.kind](self, fault, frame)
        texts = {
            name: value.decode("utf-8", "replace")
            for name, value in message.values.items()
            if isinstance(value, bytes)
            and self.decoder.model.message(message.name).field(name).type == "string"
        }
        return Decoded(message.name, {**message.values, **texts}, message.size) if texts else message

    def encode(self, name: str, /, **values: Any) -> bytes:
        """Encodes a message. Raises ValueError or KeyError if that is impossible."""
        frame = self.encoder.encode(name, **values)
        fault = self.encode_fault
        if fault is None or fault.message != name:
            return frame
        return _ENCODE[fault.kind](self.encoder, fault, frame)

    def cost(self, key: str, body: bytes) -> int:
        """Returns the bytes of a DELIVER, for the store's retention."""
        return 3 + 8 + 1 + len(key.encode()) + 4 + len(body)

    def _decode(self, frame: bytes) -> Decoded:
        return self.decoder.decode(frame)


def _is_of(codec: Interpreter, frame: bytes, message: str) -> bool:
    """Returns whether a frame begins as `message`."""
    head = codec.signature + bytes((codec.model.message(message).id,))
    return frame.startswith(head)


def _span(codec: Interpreter, frame: bytes, field: str) -> Span | None:
    """Returns the position of a field in a valid frame, or None."""
    try:
        return next((span for span in codec.layout(frame) if span.field.name == field), None)
    except MalformedFrameError:
        return None


def _changed(frame: bytes, span: Span, data: bytes) -> bytes:
    return frame[: span.start] + data + frame[span.end :]


def _reversed(codec: Interpreter, fault: Fault, frame: bytes) -> bytes:
    """Reverses the bytes of a number, or of a length."""
    span = _span(codec, frame, fault.field)
    if span is None:
        return frame
    end = span.start + (span.prefix or span.end - span.start)
    return frame[: span.start] + frame[span.start : end][::-1] + frame[end:]


def _added(by: int) -> Callable[[Interpreter, Fault, bytes], bytes]:
    """Returns a change of a number, or of a length, by `by`, modulo its size."""

    def change(codec: Interpreter, fault: Fault, frame: bytes) -> bytes:
        span = _span(codec, frame, fault.field)
        if span is None:
            return frame
        size = span.prefix or span.end - span.start
        number = int.from_bytes(frame[span.start : span.start + size], "big") + by
        data = (number % (1 << 8 * size)).to_bytes(size, "big")
        return frame[: span.start] + data + frame[span.start + size :]

    return change


def _shortened(codec: Interpreter, fault: Fault, frame: bytes) -> bytes:
    """Removes the last byte of a frame."""
    return frame[:-1]


def _extended(codec: Interpreter, fault: Fault, frame: bytes) -> bytes:
    """Appends a byte to a frame."""
    return frame + b"\0"


def _unsigned(codec: Interpreter, fault: Fault, frame: bytes) -> bytes:
    """Changes the signature."""
    return bytes((frame[0], frame[1] ^ 1)) + frame[2:]


def _split_text(codec: Interpreter, fault: Fault, frame: bytes) -> bytes:
    """Replaces the last byte of a text by half of a character of UTF-8."""
    span = _span(codec, frame, fault.field)
    if span is None or span.end - span.start <= span.prefix:
        return frame
    return _changed(frame, span, frame[span.start : span.end - 1] + b"\xc3")


def _controlled(codec: Interpreter, fault: Fault, frame: bytes) -> bytes:
    """Replaces the last byte of a text by a control character."""
    span = _span(codec, frame, fault.field)
    if span is None or span.end - span.start <= span.prefix:
        return frame
    return _changed(frame, span, frame[span.start : span.end - 1] + b"\x1f")


_ENCODE: Mapping[str, Callable[[Interpreter, Fault, bytes], bytes]] = {
    "reversed": _reversed,
    "plus-one": _added(1),
    "minus-one": _added(-1),
    "shortened": _shortened,
    "extended": _extended,
    "bad-signature": _unsigned,
    "split-text": _split_text,
    "controlled": _controlled,
}


def _translated(change: Callable[[Interpreter, Fault, bytes], bytes]) -> Any:
    """Returns a decoder that changes frames of the fault's message before it decodes them."""

    def decode(codec: FaultyCodec, fault: Fault, frame: bytes) -> Decoded:
        if _is_of(codec.decoder, frame, fault.message):
            frame = change(codec.decoder, fault, frame)
        return codec.decoder.decode(frame)

    return decode


def _accepting(code: str, repair: Callable[[bytes, MalformedFrameError], bytes]) -> Any:
    """Returns a decoder that repairs frames of the fault's message and field that are refused with `code`."""

    def decode(codec: FaultyCodec, fault: Fault, frame: bytes) -> Decoded:
        for _ in range(PADDING):
            try:
                return codec.decoder.decode(frame)
            except MalformedFrameError as error:
                fits = _is_of(codec.decoder, frame, fault.message) and error.code == code
                if not fits or fault.field not in ("", error.field):
                    raise
                repaired = repair(frame, error)
                if repaired == frame:
                    raise
                frame = repaired
        return codec.decoder.decode(frame)

    return decode


def _padded(frame: bytes, error: MalformedFrameError) -> bytes:
    missing = max(error.needs - len(frame), 1)
    return frame + bytes(missing) if missing <= PADDING else frame


def _signature_ignored(codec: FaultyCodec, fault: Fault, frame: bytes) -> Decoded:
    """Decodes any signature before the fault's message."""
    signature = codec.decoder.signature
    known = codec.decoder.model.message(fault.message).id
    if len(frame) > len(signature) and frame[len(signature)] == known:
        frame = signature + frame[len(signature) :]
    return codec.decoder.decode(frame)


def _unknown_taken(codec: FaultyCodec, fault: Fault, frame: bytes) -> Decoded:
    """Decodes an unknown command as the fault's message."""
    try:
        return codec.decoder.decode(frame)
    except MalformedFrameError as error:
        at = len(codec.decoder.signature)
        if error.code != "unknown-message" or len(frame) <= at:
            raise
        known = codec.decoder.model.message(fault.message).id
        return codec.decoder.decode(frame[:at] + bytes((known,)) + frame[at + 1 :])


_DECODE: Mapping[str, Callable[[FaultyCodec, Fault, bytes], Decoded]] = {
    "reversed": _translated(_reversed),
    "plus-one": _translated(_added(1)),
    "minus-one": _translated(_added(-1)),
    "split-text": _translated(_split_text),
    "truncated-accepted": _accepting("truncated", _padded),
    "signature-ignored": _signature_ignored,
    "unknown-taken": _unknown_taken,
}
DECODE_FAULTS = tuple(_DECODE)
ENCODE_FAULTS = tuple(_ENCODE)
FAULTS = tuple(dict.fromkeys((*DECODE_FAULTS, *ENCODE_FAULTS)))
"""The kinds of faults."""
