"""ZMTP's wire format, without constants of its own, according to the models ``zmtp`` and ``zmtp_frame``. Peers can send
what these forbid: constants can be overridden, and bytes assembled by hand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from zeps_conformance.common.dialects import V3_1, Dialect
from zeps_conformance.model.definitions import Model
from zeps_conformance.model.interpreter import Decoded, Interpreter, MalformedFrameError, Value, render
from zeps_conformance.model.rulebook import load_book

__all__ = ["PROTOCOLS", "Frame", "Properties", "Wire", "packaged_wire"]

#: The protocols of the model file that form ZMTP; the last two are the versions before 3.
PROTOCOLS = ("zmtp", "zmtp_frame", "zmtp_2", "zmtp_1")

Properties = Sequence[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class Frame:
    """A received frame: `encoded` are all its bytes, `flags` the first. `name` is the command's name, or MORE or LAST
    for a message's frame; `values` are a command's fields, if its body decodes, and otherwise empty.
    """

    flags: int
    body: bytes
    encoded: bytes
    more: bool
    command: bool
    long: bool
    name: str
    values: Mapping[str, Value] = field(default_factory=dict)


class Wire:
    """Encoder and decoder of ZMTP; `models` as :data:`PROTOCOLS`. `major_at` is the offset of the major version."""

    def __init__(self, models: Mapping[str, Model]) -> None:
        self._models = models
        self.zmtp = Interpreter(models["zmtp"])
        self.frames = Interpreter(models["zmtp_frame"])
        greeting = self.greeting()
        self.greeting_size = len(greeting)
        self.major_at = next(span.start for span in self.zmtp.layout(greeting) if span.field.name == "major")
        self._commands = {
            message.name: message for message in models["zmtp"].messages if message.fields[0].type == "string"
        }

    # Encoding -----------------------------------------------------------------------------------------------

    def greeting(
        self,
        version: tuple[int, int] = (3, 1),
        mechanism: bytes = b"NULL",
        as_server: int = 0,
        **fields: Value,
    ) -> bytes:
        """Returns a greeting; `mechanism` is padded with zeros, `fields` override further fields of the model."""
        major, minor = version
        size = self.zmtp.model.message("GREETING").field("mechanism").size
        padded = mechanism.ljust(size, b"\0")
        return self.zmtp.encode(
            "GREETING", major=major, minor=minor, mechanism=padded, as_server=as_server, **fields
        )

    def frame(
        self, body: bytes, *, more: bool = False, command: bool = False, long: bool | None = None
    ) -> bytes:
        """Returns a frame, by default long if `body` has more than 255 bytes. With `command`, `more` is ignored."""
        kind = "COMMAND" if command else "MORE" if more else "LAST"
        if long is None:
            long = len(body) >= 1 << 8 * self.frames.model.message(kind).field("body").size
        return self.frames.encode(f"LONG-{kind}" if long else kind, body=body)

    def message(self, *parts: bytes) -> bytes:
        """Returns a message of one or more parts: its frames back to back."""
        last = len(parts) - 1
        return b"".join(self.frame(part, more=index < last) for index, part in enumerate(parts))

    def body(self, name: str, /, **fields: Value) -> bytes:
        """Returns the body of a frame for the model's message `name`."""
        return self.zmtp.encode(name, **fields)

    def command(self, name: str, /, *, long: bool | None = None, **fields: Value) -> bytes:
        """Returns the model's command `name` in its frame; `long` as for :meth:`frame`."""
        return self.frame(self.body(name, **fields), command=True, long=long)

    def ready(self, socket_type: bytes, properties: Properties = ()) -> bytes:
        """Returns READY with Socket-Type and further `properties`, in its frame."""
        return self.command("READY", properties=[(b"Socket-Type", socket_type), *properties])

    def subscribe(self, topic: bytes, dialect: Dialect, long: bool | None = None) -> bytes:
        """Returns a subscription in its frame: a command of ZMTP 3.1, or a message of 3.0."""
        if dialect is V3_1:
            return self.command("SUBSCRIBE", topic=topic, long=long)
        return self.frame(self.body("SUBSCRIPTION", topic=topic), long=long)

    def cancel(self, topic: bytes, dialect: Dialect, long: bool | None = None) -> bytes:
        """Returns a cancellation in its frame: a command of ZMTP 3.1, or a message of 3.0."""
        if dialect is V3_1:
            return self.command("CANCEL", topic=topic, long=long)
        return self.frame(self.body("CANCELLATION", topic=topic), long=long)

    def subscribe_filter(self, kind: int, filter_bytes: bytes, dialect: Dialect) -> bytes:
        """Returns a subscription with a filter, an extension of zeps, in the form of `dialect`, in its frame."""
        if dialect is V3_1:
            return self.command("SUBSCRIBE-X", kind=kind, filter=filter_bytes)
        return self.frame(self.body("SUBSCRIPTION-X", kind=kind, filter=filter_bytes))

    def cancel_filter(self, kind: int, filter_bytes: bytes, dialect: Dialect) -> bytes:
        """Returns the cancellation of a subscription with a filter, in the form of `dialect`, in its frame."""
        if dialect is V3_1:
            return self.command("CANCEL-X", kind=kind, filter=filter_bytes)
        return self.frame(self.body("CANCELLATION-X", kind=kind, filter=filter_bytes))

    def old(self, protocol: str) -> Interpreter:
        """Returns the codec of an older version; `protocol` is ``zmtp_2`` or ``zmtp_1``."""
        return Interpreter(self._models[protocol])

    # Decoding -----------------------------------------------------------------------------------------------

    def take_greeting(self, data: bytes) -> Decoded:
        """Decodes the greeting at the beginning of `data`. Raises MalformedFrameError, with the code ``truncated`` if
        the greeting is incomplete.
        """
        return self.zmtp.take(data, "GREETING")

    def take_frame(self, data: bytes) -> Frame:
        """Decodes the frame at the beginning of `data`. Raises MalformedFrameError, with the code ``truncated`` if
        the frame is incomplete.
        """
        decoded = self.frames.take(data)
        kind, body = decoded.name.removeprefix("LONG-"), decoded["body"]
        name, values = self._understand(body) if kind == "COMMAND" else (kind, {})
        return Frame(
            flags=data[0],
            body=body,
            encoded=data[: decoded.size],
            more=kind == "MORE",
            command=kind == "COMMAND",
            long=decoded.name != kind,
            name=name,
            values=values,
        )

    def subscription(self, frame: Frame, *, filters: bool = False) -> tuple[str, bytes, Dialect] | None:
        """Returns ``subscribe`` or ``cancel``, the topic, and the dialect of its form; None for any other frame. With
        `filters` also ``subscribe-x`` and ``cancel-x``, with the kind's byte and the filter as topic.
        """
        if frame.more:
            return None
        try:
            decoded = self.zmtp.decode(frame.body)
        except MalformedFrameError:
            return None
        if frame.command != (decoded.name in self._commands):
            return None
        ways = {
            "SUBSCRIBE": "subscribe",
            "SUBSCRIPTION": "subscribe",
            "CANCEL": "cancel",
            "CANCELLATION": "cancel",
        }
        dialect = Dialect.V3_1 if frame.command else Dialect.V3_0
        if decoded.name in ways:
            return ways[decoded.name], decoded["topic"], dialect
        if filters and decoded.name.removesuffix("-X") in ways:
            topic = bytes((decoded["kind"],)) + decoded["filter"]
            return ways[decoded.name.removesuffix("-X")] + "-x", topic, dialect
        return None

    def describe(self, frame: Frame) -> str:
        """Formats a frame on one line."""
        size = " in a long frame" if frame.long and len(frame.body) <= 255 else ""
        if frame.command:
            fields = {name: value for name, value in frame.values.items() if name != "name"}
            return render(Decoded(frame.name, fields, 0)) + size
        text = render(Decoded("message", {"": frame.body}, 0)).replace("=", "", 1)
        return text + (", with MORE" if frame.more else "") + size

    def describe_greeting(self, values: Mapping[str, Value]) -> str:
        """Formats a greeting's fields on one line, without constants and reserved zeros."""
        message = self.zmtp.model.message("GREETING")
        fields: dict[str, Value] = {}
        for spec in message.fields:
            value = values[spec.name]
            if isinstance(value, bytes):
                value = value.rstrip(b"\0") if not spec.reserved or any(value) else b""
            if spec.value is None and not (spec.reserved and not value):
                fields[spec.name] = value
        return render(Decoded(message.name, fields, 0))

    def describe_subscription(self, frame: Frame) -> str:
        """As :meth:`describe`, but shows a message in the form of a 3.0 subscription or cancellation as such."""
        asked = self.subscription(frame)
        if asked is None or frame.command:
            return self.describe(frame)
        return render(
            Decoded("SUBSCRIPTION" if asked[0] == "subscribe" else "CANCELLATION", {"topic": asked[1]}, 0)
        )

    def _understand(self, body: bytes) -> tuple[str, Mapping[str, Value]]:
        """Returns the name and the fields of a command. A command that is unknown or malformed has no fields."""
        try:
            decoded = self.zmtp.decode(body)
        except MalformedFrameError:
            decoded = None
        if decoded is not None and decoded.name in self._commands:
            return decoded.name, decoded.values
        size = next(iter(self._commands.values())).fields[0].size
        length = int.from_bytes(body[:size], "big")
        return body[size : size + length].decode("latin-1"), {}


@cache
def packaged_wire(path: Path | None = None) -> Wire:
    """Loads the wire format from the model file at `path`, by default the packaged copy; once per path. Raises
    ModelFileError if the file is invalid or lacks a protocol of ZMTP.
    """
    return Wire(load_book(path, PROTOCOLS).models)
