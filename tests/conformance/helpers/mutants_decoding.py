"""Mutants with defects in decoding."""

from __future__ import annotations

import time
from dataclasses import replace

from mutant import Lenient, Mutant, killed_by
from toy_broker import Place

from zeps_conformance.model.interpreter import Decoded, Interpreter, MalformedFrameError
from zeps_conformance.wire.router_server import Remote


@killed_by("framing.one-part")
class PartsAreIgnored(Mutant):
    def decode(self, parts: tuple[bytes, ...]) -> Decoded:
        return self.codec.decode(parts[0])


@killed_by("framing.one-part")
class PartsAreJoined(Mutant):
    def decode(self, parts: tuple[bytes, ...]) -> Decoded:
        return self.codec.decode(b"".join(parts))


@killed_by("framing.trailing-ping", "framing.trailing-attach")
class TrailingOctetsAccepted(Lenient):
    code = "trailing"

    def repaired(self, frame: bytes, error: MalformedFrameError) -> Decoded:
        return self.codec.decode(frame[: error.offset])


@killed_by("framing.truncated-publish", "framing.truncated-credit")
class TruncatedIsPadded(Lenient):
    code = "truncated"

    def repaired(self, frame: bytes, error: MalformedFrameError) -> Decoded:
        if error.message is None:
            raise error
        for padding in range(1, 20):
            try:
                return self.codec.decode(frame + bytes(padding))
            except MalformedFrameError:
                continue
        raise error


@killed_by("framing.signature")
class SecondOctetNotLookedAt(Lenient):
    code = "bad-signature"

    def repaired(self, frame: bytes, error: MalformedFrameError) -> Decoded:
        if frame[:1] != self.codec.signature[:1]:
            raise error
        return self.codec.decode(frame[:1] + self.codec.signature[1:] + frame[2:])


@killed_by("framing.unknown-command")
class UnknownCommandsIgnored(Lenient):
    code = "unknown-message"

    def repaired(self, frame: bytes, error: MalformedFrameError) -> Decoded:
        return self.codec.decode(self.codec.encode("PING-OK"))


@killed_by("opening.other-version")
class VersionNotLookedAt(Lenient):
    code = "bad-constant"

    def repaired(self, frame: bytes, error: MalformedFrameError) -> Decoded:
        if error.field != "version":
            raise error
        return self.codec.decode(frame[: error.offset] + b"\x00\x01" + frame[error.offset + 2 :])


@killed_by("opening.other-version", alone=True)
class VersionHasEightBits(VersionNotLookedAt):
    """Compares the low byte of the version."""

    def repaired(self, frame: bytes, error: MalformedFrameError) -> Decoded:
        if frame[error.offset + 1 : error.offset + 2] != b"\x01":
            raise error
        return super().repaired(frame, error)


@killed_by("opening.other-protocol")
class ProtocolNotLookedAt(Lenient):
    code = "bad-constant"

    def repaired(self, frame: bytes, error: MalformedFrameError) -> Decoded:
        if error.field != "protocol":
            raise error
        end = error.offset + 1 + frame[error.offset]
        return self.codec.decode(frame[: error.offset] + b"\x04ZEPS" + frame[end:])


@killed_by("text.not-utf8-publish", "text.control-subscribe", "text.not-utf8-attach")
class TextNotLookedAt(Lenient):
    """Accepts invalid text."""

    code = "bad-text"

    def repaired(self, frame: bytes, error: MalformedFrameError) -> Decoded:
        messages = tuple(
            replace(
                message,
                fields=tuple(
                    replace(field, text="octets" if field.value is None else field.text)
                    for field in message.fields
                ),
            )
            for message in self.codec.model.messages
        )
        message = Interpreter(replace(self.codec.model, messages=messages)).decode(frame)
        values = {
            name: value.decode("utf-8", "replace") if isinstance(value, bytes) and name != "body" else value
            for name, value in message.values.items()
        }
        return Decoded(message.name, values, message.size)


@killed_by("text.control-publish")
class ControlsAllowed(Lenient):
    code = "bad-text"

    def repaired(self, frame: bytes, error: MalformedFrameError) -> Decoded:
        at = error.offset
        if frame[2:3] != b"\x06":
            raise error
        try:
            frame[4 : 4 + frame[3]].decode("utf-8")
        except UnicodeDecodeError:
            raise error from None
        return (
            self.codec.decode(frame[:4] + b"?" * frame[3] + frame[4 + frame[3] :])
            if at
            else super().decode((frame,))
        )


@killed_by("text.control-publish")
class ControlsBehindSixtyFourBytesAllowed(ControlsAllowed):
    """Searches the first 64 bytes of a key for control characters."""

    def repaired(self, frame: bytes, error: MalformedFrameError) -> Decoded:
        if error.offset < 4 + 64:
            raise error
        return super().repaired(frame, error)


@killed_by("opening.empty-stream", "opening.bad-attach-ends-session")
class EmptyStreamAccepted(Mutant):
    def attach(self, remote: Remote, message: Decoded) -> None:
        self.places[remote] = Place(str(message["stream"]), heard=time.monotonic())
        self.say(remote, "ATTACH-OK")


@killed_by("chunk.too-long")
class LongBodiesAccepted(Lenient):
    code = "too-long"

    def repaired(self, frame: bytes, error: MalformedFrameError) -> Decoded:
        if len(frame) < 1 << 24:
            raise error
        return self.codec.decode(self.codec.encode("PUBLISH", key="too long", body=b"cut"))


@killed_by("invalid.broker-only-deliver")
class BrokersCommandsAccepted(Mutant):
    def in_session(self, remote: Remote, place: Place, message: Decoded) -> None:
        if message.name != "DELIVER":
            super().in_session(remote, place, message)


@killed_by("invalid.bad-publish-stores-nothing", "invalid.harms-nothing-stored")
class BadPublishTakesASequence(Mutant):
    def decode(self, parts: tuple[bytes, ...]) -> Decoded:
        try:
            return super().decode(parts)
        except MalformedFrameError as error:
            if error.message == "PUBLISH":
                for place in self.places.values():
                    self.store(place.stream, "", b"")
            raise


@killed_by("derived.credit-while-messages-wait", "derived.publish-while-messages-wait")
class MalformedIsIgnoredWhileMessagesWait(Mutant):
    def refuse(self, remote: Remote, code: str, text: str) -> None:
        place = self.places.get(remote)
        if code == "malformed" and place is not None and place.done < self.log(place.stream).end:
            return
        super().refuse(remote, code, text)


@killed_by("derived.ping-behind-detach", "derived.detach-ok-behind-detach")
class MalformedIsIgnoredBehindDetach(Mutant):
    def in_session(self, remote: Remote, place: Place, message: Decoded) -> None:
        self.kept[remote] = message.name
        super().in_session(remote, place, message)

    def refuse(self, remote: Remote, code: str, text: str) -> None:
        if code == "malformed" and self.kept.pop(remote, "") == "DETACH":
            return
        super().refuse(remote, code, text)
